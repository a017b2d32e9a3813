"""Agents that need no model."""
