"""Hypothesis strategies, one a game: valid boards as JSON, small enough for exhaustive search."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from lpb_gen.games import GAMES
from lpb_gen.games.base import AnyGame


@st.composite
def maze_boards(draw: st.DrawFn, max_side: int = 5) -> Any:
    """Any maze with a start and at least one more floor cell; many have no solution."""
    height = draw(st.integers(1, max_side))
    width = draw(st.integers(2 if height == 1 else 1, max_side))
    n = height * width
    start = draw(st.integers(0, n - 1))
    other = draw(st.integers(0, n - 2))
    floor = draw(st.lists(st.sampled_from("..#"), min_size=n, max_size=n))
    floor[other + (other >= start)] = "."
    floor[start] = "S"
    return {"rows": ["".join(floor[r * width : (r + 1) * width]) for r in range(height)]}


@st.composite
def rush_boards(draw: st.DrawFn, sides: tuple[int, int] = (4, 5), vehicles: int = 6) -> Any:
    """Any car park with a target that is not at the exit yet; many have no solution."""
    height, width = draw(st.integers(*sides)), draw(st.integers(*sides))
    cells = [["."] * width for _ in range(height)]
    row, length = draw(st.integers(0, height - 1)), draw(st.integers(2, min(3, width - 1)))
    column = draw(st.integers(0, width - length - 1))
    cells[row][column : column + length] = "A" * length
    for label in "BCDEFGHIJKLMNPQRSTUV"[: draw(st.integers(0, vehicles))]:
        length, across = draw(st.integers(1, 3)), draw(st.booleans())
        lines, span = (height, width) if across else (width, height)
        line, first = draw(st.integers(0, lines - 1)), draw(st.integers(0, span - length))
        places = [(line, first + i) if across else (first + i, line) for i in range(length)]
        if all(cells[r][c] == "." for r, c in places):
            for r, c in places:
                cells[r][c] = "x" if length == 1 else label
    return {"rows": ["".join(line) for line in cells]}


BOARDS = {"maze": maze_boards, "rush": rush_boards}


@st.composite
def positions(draw: st.DrawFn, game: AnyGame, max_moves: int = 12) -> tuple[Any, Any]:
    """A board and a state that legal moves reach from its start."""
    board = game.board(draw(BOARDS[game.name]()))
    state = game.start(board)
    for _ in range(draw(st.integers(0, max_moves))):
        moves = list(game.moves(board, state))
        if not moves:
            break
        state = game.apply(board, state, draw(st.sampled_from(moves)))
    return board, state


def missing_games() -> set[str]:
    """Games without a strategy: a test demands that there are none."""
    return set(GAMES) - set(BOARDS)
