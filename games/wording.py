"""How messages count: ``1 level``, ``2 levels``, ``12,000 levels``."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """``plural``: where it is not the noun and an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
