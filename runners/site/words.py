"""What a replay says of a step: actions, and what the evaluator noted, as short texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...games.wording import counted
from ..gallery.site import move_text


def action_text(action: Any) -> str:
    """An action in its JSON form, in words."""
    if not isinstance(action, Mapping):
        return "no action"
    match action.get("action"):
        case "click" | "doubleclick" | "scroll" as name:
            return f"{name} at {action.get('x')}, {action.get('y')}"
        case "drag":
            path = action.get("path") or [[]]
            return f"drag {_point(path[0])} → {_point(path[-1])}"
        case "press":
            return f"press {_key(action.get('key'))}"
        case "type":
            return f"type “{action.get('text')}”"
        case "wait":
            return f"wait {action.get('seconds')} s"
        case "batch":
            parts = action.get("actions") or []
            return f"{len(parts)} at once: {'; '.join(action_text(part) for part in parts)}"
        case name:
            return str(name)


def _point(point: Any) -> str:
    return ", ".join(str(part) for part in point)


def _key(key: Any) -> str:
    return "Space" if key == " " else str(key)


def note_text(kind: str, note: Mapping[str, Any], game: str | None) -> str:
    """A note of the session; see ``view.Note``."""
    match kind:
        case "move":
            return f"move {_move(game, note.get('move'))}"
        case "invalid":
            return f"not allowed: {note.get('reason')}"
        case "violation":
            return f"{note.get('reason')}"
        case "solved":
            return f"level {int(note['level']) + 1} solved in {_moves(note)}"
        case "complete":
            return "every level solved"
        case "restart":
            return "started the level again"
        case "undo":
            return "took a move back"
        case "miss":
            return {"": "hit nothing", "board": "hit nothing on the board"}.get(
                str(note.get("target")), f"hit {note.get('target')}, which did nothing"
            )
        case "ignored":
            return f"key {_key(note.get('key'))} means nothing here"
        case "enter":
            return f"opened {place_text(note.get('screen'), note.get('tier'), note.get('level'))}"
        case _:
            return kind


def _moves(note: Mapping[str, Any]) -> str:
    number = note.get("moves")
    return counted(number, "move") if isinstance(number, int) else f"{number} moves"


def _move(game: str | None, move: Any) -> str:
    try:
        return move_text(game or "", move)
    except (KeyError, TypeError, ValueError, IndexError):
        return str(move)


def place_text(screen: Any, tier: Any, level: Any) -> str:
    """Where in the suite: ``level`` counts from 0."""
    match screen:
        case "home":
            return "the home screen"
        case "tiers":
            return "the difficulty menu"
        case "level":
            return f"{tier} level {level + 1}" if isinstance(level, int) else "a level"
        case "solved":
            return "the solved card"
        case "complete":
            return "the completion card"
        case _:
            return str(screen)
