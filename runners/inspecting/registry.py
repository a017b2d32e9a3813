"""What Inspect AI finds of this package, by the entry point group ``inspect_ai``."""

from .task import objective

__all__ = ["objective"]
