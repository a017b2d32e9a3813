"""Levels, snapshots, refresh, pin, and the command line."""
