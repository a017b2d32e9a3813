"""Levels as one static page of pictures, which replays every certificate move by move."""
