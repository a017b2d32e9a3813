"""The boards of an episode as pictures: one film a level, of the states in the order in which they came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...games import GAMES
from ..gallery.film import TILE, Camera, Film, Reel
from ..suite.layout import frame
from ..view import View

MOST_PICTURES = 5_000  # of an episode; what comes later has no board picture, and the page says so


class Films:
    """Of the target levels of one episode. ``boards``: parsed, by level; None where nobody knows it."""

    def __init__(self, game: str, boards: list[Any], viewport: tuple[int, int], box: int) -> None:
        self._game, self._boards, self._viewport, self._box = game, boards, viewport, box
        self._reels: dict[int, tuple[Camera, Reel]] = {}
        self._shown: dict[int, tuple[Any, int]] = {}  # the last state of each level, and its picture's number
        self.count = 0

    def picture(self, level: int, state: Any) -> int | None:
        """The number of the picture of a state in the level's film; None where there is none."""
        board = self._boards[level]
        if board is None or state is None:
            return None
        if level not in self._reels:
            camera = Camera(GAMES[self._game], board, self._box)
            start = GAMES[self._game].start(board)
            self._reels[level] = camera, Reel(camera.picture(start))
            self._shown[level] = start, 0
        before, number = self._shown[level]
        if state == before:
            return number
        if self.count >= MOST_PICTURES:
            return None
        camera, reel = self._reels[level]
        reel.add(camera.picture(state))
        self.count += 1
        self._shown[level] = state, number + 1
        return number + 1

    def films(self) -> dict[int, Film]:
        return {level: reel.film() for level, (_, reel) in self._reels.items()}

    def place(self, level: int) -> tuple[float, ...]:
        """Where the board lies on the screen: x, y, width, height in pixels."""
        game, board = GAMES[self._game], self._boards[level]
        state = game.start(board)
        at = frame(_open(self._game, board, state), self._viewport)
        scene = game.scene(board, state, None)
        return at.x, at.y, round(scene.width * at.scale, 2), round(scene.height * at.scale, 2)


def film_json(film: Film, place: tuple[float, ...], start: str, sheet: str) -> Mapping[str, Any]:
    """As the page reads it; ``start`` and ``sheet``: the addresses of the two files."""
    return {
        "size": film.size,
        "tile": TILE,
        "columns": film.columns,
        "frames": film.frames,
        "place": place,
        "start": start,
        "sheet": sheet if film.sheet else None,
    }


def _open(game: str, board: Any, state: Any) -> View:
    """A level that has just been opened, as far as the layout of its board asks."""
    return View(
        objectives=(),
        lang="en",
        screen="level",
        game=game,
        tier=None,
        level_index=0,
        level=None,
        board=board,
        state=state,
        ui=None,
        ready=True,
        won={},
        moves_made=0,
        attempts=1,
        can_undo=False,
        mark="",
        pressed="",
    )
