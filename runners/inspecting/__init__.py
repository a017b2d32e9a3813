"""Objectives as samples of Inspect AI: ``inspect eval lpb_gen/objective --model …``. See docs/inspect.md."""
