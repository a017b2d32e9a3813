"""Why a level was retired: one line that a tombstone keeps for good."""

from __future__ import annotations

from typing import Any

from ..games.base import LpbError

MOST_CHARACTERS = 200


class InvalidReason(LpbError):
    """A reason that nobody could read later."""


def check_reason(reason: Any, *, where: str = "") -> str:
    """The reason without blanks around it. Raises InvalidReason."""
    if not isinstance(reason, str) or not reason.strip() or not reason.isprintable():
        raise InvalidReason("a reason must be one line of text", where=where, fix="say why, in a few words")
    if len(reason) > MOST_CHARACTERS:
        raise InvalidReason(f"a reason of {len(reason)} characters", where=where, fix=f"use {MOST_CHARACTERS} at most")
    return reason.strip()
