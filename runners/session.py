"""The suite as a state machine: input events in, situation and picture out. No clock, no files, no randomness.

Home screen -> difficulty menu -> level -> solved card -> next level ... -> completion card. The rules are the games'
own; positions, labels and looks are in ``suite.layout``. A control acts when the press and the release fall on it; what
falls on the board's area belongs to the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ..games import GAMES
from ..games.base import AnyGame, IllegalMove, Pointer, Scene, decode_move
from ..pipeline.level import Level, digest
from .attempt import Attempt, Blocked, plain
from .suite import layout
from .view import LANGUAGES, InvalidSession, Note, Objective, Screen, View, checked

__all__ = ["InvalidSession", "Note", "Objective", "Session", "View"]

SNAPSHOT_VERSION = 1
SHORTCUTS = {  # keys for people who play by keyboard: screen -> key -> control
    "level": {"r": "restart", "u": "undo"},
    "solved": {"Enter": "next"},
    "complete": {"Enter": "menu"},
}


class Session:
    """One player's sitting with the suite. ``viewport`` is (width, height) in pixels."""

    def __init__(
        self, objectives: Sequence[Objective], *, lang: str = "en", viewport: tuple[int, int] = (1280, 900)
    ) -> None:
        """Raises InvalidSession, InvalidBoard."""
        if lang not in LANGUAGES:
            raise InvalidSession(f"there is no language {lang!r}", where="session", fix=f"use {' or '.join(LANGUAGES)}")
        if min(viewport) < 1:
            raise InvalidSession(f"a viewport of {viewport[0]} by {viewport[1]} pixels", where="session")
        self.objectives = checked(objectives)
        self.viewport = viewport
        self.log: list[Note] = []
        self._lang = lang
        self._screen: Screen = "home"
        self._objective: Objective | None = None  # of the open level
        self._game = ""  # of the difficulty menu or the open level
        self._index: int | None = None
        self._won: dict[tuple[str, str], frozenset[int]] = {(o.game, o.tier): frozenset() for o in self.objectives}
        self._attempts: dict[tuple[str, str, int], int] = {}
        self._mark = ""
        self._pressed = ""
        self._attempt: Attempt | None = None  # at the open level; stays under the solved and completion cards
        self._controls: dict[str, layout.Control] | None = None
        self._frame: layout.Frame | None = None

    # --- what is to be seen -------------------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        level, attempt = self._level(), self._attempt
        return View(
            objectives=self.objectives,
            lang=self._lang,
            screen=self._screen,
            game=self._game or None,
            tier=self._objective.tier if self._objective else None,
            level_index=self._index,
            level=level,
            board=attempt.board if attempt else None,
            state=attempt.state if attempt else None,
            ui=attempt.ui if attempt else None,
            ready=self._screen == "level",
            won=dict(self._won),
            moves_made=attempt.moves_made if attempt else 0,
            attempts=self._attempts.get(self._key(), 0) if level else 0,
            can_undo=attempt.can_undo if attempt else False,
            mark=self._mark,
            pressed=self._pressed,
        )

    def scene(self) -> Scene:
        """The whole viewport, in pixels."""
        return layout.scene(self.view, self.viewport)

    def state_hash(self) -> str:
        """sha256 (hex) of the player's situation: screen, game, tier, level, state, ui, press, won levels, language.

        Move counter and marks are left out, so that a situation that comes back has the same hash.
        """
        return digest(
            {
                "screen": self._screen,
                "game": self._game,
                "tier": self._objective.tier if self._objective else None,
                "index": self._index,
                "level": level.id if (level := self._level()) else None,
                "state": self._attempt.state if self._attempt else None,
                "ui": self._attempt.ui if self._attempt else None,
                "pressed": self._pressed,
                "won": self._won_lists(),
                "lang": self._lang,
            }
        )

    def targets(self) -> dict[str, tuple[float, float]]:
        """The centre in pixels of every control on the screen, locked ones included, by name: ``game:maze``,
        ``tier:hard``, ``level:0`` (index), ``restart``, ``undo``, ``menu``, ``next``, ``again``, ``back``, ``home``,
        ``lang``. For reference agents and tests; never sent to a page."""
        return {name: control.centre() for name, control in self._hit_areas().items()}

    def pointers(self, move: Any) -> list[Pointer]:
        """The gesture that makes ``move`` on the open level, in viewport pixels. Raises IllegalMove."""
        if self._screen != "level" or self._frame is None or self._attempt is None:
            raise IllegalMove("no level is open", where="session")
        game, board, state = self._attempt.game, self._attempt.board, self._attempt.state
        events = game.gesture(board, state, decode_move(game, board, state, move))
        return [self._frame.to_pixels(event) for event in events]

    # --- what happens -------------------------------------------------------------------------------------------------

    def event(self, event: Pointer) -> tuple[Note, ...]:
        """Takes one input in viewport pixels; returns what happened, also appended to ``log``."""
        begun = len(self.log)
        match event.kind:
            case "down":
                self._down(event)
            case "move":
                if self._pressed == "board":
                    self._touch(event)
            case "up":
                self._up(event)
            case "key":
                self._key_press(event)
        return tuple(self.log[begun:])

    def _down(self, event: Pointer) -> None:
        control = next((c for c in self._hit_areas().values() if c.contains(event.x, event.y)), None)
        if control:
            self._pressed = control.name
        elif self._screen == "level" and self._frame and self._frame.contains(event.x, event.y):
            self._unmark()
            self._pressed = "board"
            self._touch(event)
        else:
            self._pressed = "nothing"
        if self._pressed != "board":
            self._unmark()

    def _unmark(self) -> None:
        """Takes away the mark that the last input did nothing, the game's own for a blocked move included."""
        if self._mark not in ("", "locked") and self._attempt:
            self._attempt.drop_ui()
        self._mark = ""

    def _up(self, event: Pointer) -> None:
        pressed, self._pressed = self._pressed, ""
        if pressed == "board":
            self._touch(event)
            if self._attempt is None or self._attempt.missed():
                self._note("miss", x=event.x, y=event.y, target="board")
        elif pressed:
            control = self._hit_areas().get(pressed)
            if control is None or not control.contains(event.x, event.y):
                self._note("miss", x=event.x, y=event.y, target="" if control is None else pressed)
            elif not control.enabled:
                self._mark = "locked" if pressed.startswith("level:") else ""
                self._note("miss", x=event.x, y=event.y, target=pressed)
            else:
                self._activate(pressed)

    def _key_press(self, event: Pointer) -> None:
        if self._screen != "level" or event.key not in self._rules().keys:
            self._unmark()
        else:
            self._mark = ""
            before = len(self.log)
            self._touch(event)
            if len(self.log) > before:
                return
        control = self._hit_areas().get(SHORTCUTS.get(self._screen, {}).get(event.key, ""))
        if control and control.enabled:
            self._activate(control.name)
        else:
            self._note("ignored", key=event.key)

    def _touch(self, event: Pointer) -> None:
        """Hands an event to the game and notes the move that it made, if any."""
        attempt, frame = self._attempt, self._frame
        assert attempt is not None
        assert frame is not None
        try:
            move = attempt.give(event if event.kind == "key" else frame.to_board(event))
        except Blocked as error:
            kind = error.what.partition(":")[0]
            self._mark = kind if kind in attempt.game.refusals else "blocked"
            self._note("invalid", reason=error.what, move=plain(error.move))
            return
        if move is not None:
            self._note("move", move=plain(move), moves=attempt.moves_made)
            if attempt.remark:
                self._note("violation", reason=attempt.remark)
            if attempt.game.undo:
                self._controls = None  # Undo comes to life
            if attempt.solved:
                self._win(attempt)

    def _win(self, attempt: Attempt) -> None:
        objective, index = self._objective, self._index
        assert objective is not None
        assert index is not None
        key = objective.game, objective.tier
        self._won[key] |= {index}
        attempt.drop_ui()
        self._note("solved", game=objective.game, tier=objective.tier, level=index, moves=attempt.moves_made)
        last = index == len(objective.levels) - 1
        self._show("complete" if last else "solved")
        if last:
            self._note("complete", game=objective.game, tier=objective.tier)

    # --- controls -----------------------------------------------------------------------------------------------------

    def _activate(self, name: str) -> None:
        kind, _, value = name.partition(":")
        match kind:
            case "lang":
                self._lang = LANGUAGES[(LANGUAGES.index(self._lang) + 1) % len(LANGUAGES)]
                self._show(self._screen)
                self._note("lang", lang=self._lang)
            case "game":
                self._game = value
                self._go("tiers")
            case "tier":
                objective = next(o for o in self.objectives if (o.game, o.tier) == (self._game, value))
                won = self._won[objective.game, objective.tier]
                self._objective = objective
                self._open(next((i for i in range(len(objective.levels)) if i not in won), 0))
            case "level":
                self._open(int(value))
            case "next":
                self._open((self._index or 0) + 1)
            case "restart" | "again":
                self._begin()
                self._show("level")
                self._note_level("restart")
            case "undo":
                assert self._attempt is not None
                self._attempt.undo()
                self._controls = None
                self._note_level("undo")
            case "menu":
                self._close()
                self._go("tiers")
            case "home" | "back":
                self._close()
                self._game = ""
                self._go("home")

    def _open(self, index: int) -> None:
        self._index = index
        self._begin()
        self._go("level")

    def _begin(self) -> None:
        """A new attempt at the open level."""
        level = self._level()
        assert level is not None
        rules = self._rules()
        self._attempt = Attempt(rules, rules.board(level.board))
        self._attempts[self._key()] = self._attempts.get(self._key(), 0) + 1

    def _close(self) -> None:
        self._objective = self._index = self._attempt = None

    def _go(self, screen: Screen) -> None:
        self._show(screen)
        tier = self._objective.tier if self._objective else None
        self._note("enter", screen=screen, game=self._game or None, tier=tier, level=self._index)

    def _show(self, screen: Screen) -> None:
        self._screen = screen
        self._controls = self._frame = None
        if screen == "level":
            self._frame = layout.frame(self.view, self.viewport)

    # --- small change -------------------------------------------------------------------------------------------------

    def _rules(self) -> AnyGame:
        return GAMES[self._game]

    def _level(self) -> Level | None:
        return self._objective.levels[self._index] if self._objective and self._index is not None else None

    def _key(self) -> tuple[str, str, int]:
        return self._game, self._objective.tier if self._objective else "", self._index or 0

    def _hit_areas(self) -> dict[str, layout.Control]:
        if self._controls is None:
            self._controls = {c.name: c for c in layout.controls(self.view, self.viewport)}
        return self._controls

    def _note(self, kind: str, **data: Any) -> None:
        self.log.append(Note(kind, data))

    def _note_level(self, kind: str) -> None:
        game, tier, index = self._key()
        made = self._attempt.moves_made if self._attempt else 0
        self._note(kind, game=game, tier=tier, level=index, moves=made)

    def _won_lists(self) -> list[list[Any]]:
        return [[game, tier, sorted(won)] for (game, tier), won in self._won.items()]

    def _content(self) -> str:
        return digest([[o.game, o.tier, [level.id for level in o.levels]] for o in self.objectives])

    # --- saving -------------------------------------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Everything, log included, JSON-ready; ``restore`` on a session of the same levels goes on from it."""
        return {
            "version": SNAPSHOT_VERSION,
            "content": self._content(),
            "lang": self._lang,
            "screen": self._screen,
            "game": self._game,
            "tier": self._objective.tier if self._objective else None,
            "index": self._index,
            "won": self._won_lists(),
            "attempts": [[*key, count] for key, count in self._attempts.items()],
            "attempt": self._attempt.save() if self._attempt else None,
            "pressed": self._pressed,
            "mark": self._mark,
            "log": [[note.kind, plain(dict(note.data))] for note in self.log],
        }

    def restore(self, data: dict[str, Any]) -> None:
        """Back to a snapshot. Raises InvalidSession where it is of other levels or damaged; changes nothing then."""
        if not isinstance(data, dict) or data.get("version") != SNAPSHOT_VERSION:
            raise InvalidSession(f"not a session snapshot of version {SNAPSHOT_VERSION}", where="session")
        if data.get("content") != self._content():
            raise InvalidSession(
                "the snapshot is of other levels", where="session", fix="open it with its own catalogue"
            )
        copy = Session(self.objectives, viewport=self.viewport)
        try:
            copy._load(data)
        except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError, IllegalMove) as error:
            raise InvalidSession(f"the snapshot is damaged ({error})", where="session") from None
        self.__dict__.update(copy.__dict__)

    def _load(self, data: dict[str, Any]) -> None:
        self._lang = LANGUAGES[LANGUAGES.index(data["lang"])]
        self._game = data["game"]
        self._won |= {(game, tier): frozenset(won) for game, tier, won in data["won"]}
        self._attempts = {(game, tier, index): count for game, tier, index, count in data["attempts"]}
        if data["tier"] is not None:
            self._objective = next((o for o in self.objectives if (o.game, o.tier) == (self._game, data["tier"])), None)
            self._index = data["index"]
            level = self._level()
            assert level is not None, "no such level"
            rules = self._rules()
            self._attempt = Attempt(rules, rules.board(level.board))
            self._attempt.load(data["attempt"])
        self._show(cast(Screen, data["screen"]))
        self._pressed, self._mark = data["pressed"], data["mark"]
        self.log = [Note(kind, values) for kind, values in data["log"]]
