"""One attempt at a level: the board, the moves made, and what the player is in the middle of doing."""

from __future__ import annotations

from typing import Any

from ..games.base import AnyGame, IllegalMove, Pointer, decode_move


class Attempt:
    """Begins in the board's start state. ``board`` is parsed; all events are in board units."""

    def __init__(self, game: AnyGame, board: Any) -> None:
        self.game = game
        self.board = board
        self.ui: Any = None
        self.moves: list[Any] = []  # that lead to the state, undone ones left out
        self.moves_made = 0  # undone ones included
        self.remark = ""  # what an evaluator is told of the last event, beside its move
        self._states: list[Any] = [game.start(board)]  # before, between and after the moves; undo goes back along it
        self._held: list[Pointer] = []  # the events that led to ``ui``, and ...
        self._held_from = 0  # ... the number of moves before the first of them
        self._press_ui: Any = None  # JSON of the ui when the press began
        self._acted = False  # whether a move was made or tried since

    @property
    def state(self) -> Any:
        return self._states[-1]

    @property
    def solved(self) -> bool:
        return self.game.solved(self.board, self.state)

    @property
    def can_undo(self) -> bool:
        return self.game.undo and bool(self.moves)

    def give(self, event: Pointer) -> Any:
        """Hands an event to the game; makes and returns the move that it means, or None.

        Raises IllegalMove, and changes no state, where the rules forbid it; its ``move`` is the move, if there was one.
        """
        if event.kind == "down":
            self._press_ui, self._acted = plain(self.ui), False
        before, move, self.remark = self.ui, None, ""
        try:
            if self.game.remark is not None:
                self.remark = self.game.remark(self.board, self.state, before, event)
            self.ui, move = self.game.touch(self.board, self.state, before, event)
            if move is not None:
                self._acted = True
                self._states.append(self.game.apply(self.board, self.state, move))
                self.moves.append(move)
                self.moves_made += 1
        except IllegalMove as error:
            self._acted = True
            raise Blocked(error, move) from None
        finally:
            if self.ui is None:
                self.drop_ui()
            elif self.ui != before or move is not None:
                self._held.append(event)
        return move

    def missed(self) -> bool:
        """Whether the press that just ended changed nothing."""
        return not self._acted and bool(plain(self.ui) == self._press_ui)

    def undo(self) -> None:
        self._states.pop()
        self.moves.pop()
        self.drop_ui()

    def drop_ui(self) -> None:
        """Forgets what the player is in the middle of doing."""
        self.ui = None
        self._held.clear()
        self._held_from = len(self.moves)

    def save(self) -> dict[str, Any]:
        """JSON-ready. A game's ui may be anything: kept are the events that led to it."""
        return {
            "moves": plain(self.moves),
            "moves_made": self.moves_made,
            "held": [[e.kind, e.x, e.y, e.key] for e in self._held],
            "held_from": self._held_from,
            "press": [self._press_ui, self._acted],
        }

    def load(self, data: dict[str, Any]) -> None:
        """Takes up a saved attempt, on a new one. Raises IllegalMove, ValueError and what damaged data may raise."""
        for value in data["moves"][: data["held_from"]]:
            self.moves.append(decode_move(self.game, self.board, self.state, value))
            self._states.append(self.game.apply(self.board, self.state, self.moves[-1]))
        self.drop_ui()
        for kind, x, y, key in data["held"]:
            try:
                self.give(Pointer(kind, x, y, key))
            except Blocked:
                continue
        if plain(self.moves) != data["moves"]:
            raise ValueError("the moves do not replay")
        self.moves_made = data["moves_made"]
        self._press_ui, self._acted = data["press"]


class Blocked(IllegalMove):
    """The player tried a move that the rules forbid."""

    def __init__(self, error: IllegalMove, move: Any) -> None:
        super().__init__(error.what, where=error.where, fix=error.fix)
        self.move = move


def plain(value: Any) -> Any:
    """JSON-ready: tuples as lists."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, list | tuple) else value
