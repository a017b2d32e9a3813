"""The evaluator's potential: Rush Hour's by exact distances, that of other games by what can be seen."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import levels
import naive_rush
import pytest

from lpb_gen.games import GAMES
from lpb_gen.games.base import Pointer, Unproven, Unsolvable
from lpb_gen.games.rush import GAME
from lpb_gen.generators.rush_distances import Distances
from lpb_gen.runners.agents import AGENTS
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.episode import Episode, Terms
from lpb_gen.runners.metrics import score_events
from lpb_gen.runners.potential import EXACT, VISIBLE, Potential, rush
from lpb_gen.runners.record import Record, read_events
from lpb_gen.runners.session import Session
from lpb_gen.runners.view import Objective

# C-2, B+2, A+2 is the only shortest solution
TEXT = """..B.
AAB.
..CC
...."""


def potential(text: str, *moves: str) -> float:
    board = naive_rush.board(text)
    state = GAME.start(board)
    for move in moves:
        state = GAME.apply(board, state, move)
    return rush(board, 1000)(state)


@pytest.mark.parametrize(
    ("moves", "value"),
    [
        ((), 0),
        (("C-1",), 0),  # still three slides to go
        (("C-2",), 0.8 * (1 - 2 / 3)),
        (("C-2", "B+1"), 0.8 * (1 - 2 / 3)),  # half the way down, B still blocks
        (("C-2", "B+2"), 0.8 * (1 - 1 / 3) + 0.2),
        (("C-2", "B+2", "A+1"), 0.8 * (1 - 1 / 3) + 0.2),
        (("C-2", "B+2", "A+2"), 1),
    ],
)
def test_rush_hour_is_measured_by_the_slides_left_and_by_what_blocked_first(
    moves: tuple[str, ...], value: float
) -> None:
    assert potential(TEXT, *moves) == pytest.approx(value)


def test_farther_than_the_start_counts_as_no_progress() -> None:
    nearer = "..B.\nAAB.\nCC..\n...."
    assert potential(nearer) == potential(nearer, "C+2") == 0
    assert potential(nearer, "B+2") == pytest.approx(0.8 * (1 - 1 / 2) + 0.2)


def test_where_nothing_blocked_at_first_nothing_that_comes_later_counts() -> None:
    free = "AA..\n..B.\n..B.\n...."
    assert potential(free) == pytest.approx(0.2)
    assert potential(free, "B-1") == pytest.approx(0.2)


@pytest.mark.parametrize("seed", range(12))
def test_distances_are_those_of_brute_force(seed: int) -> None:
    board = naive_rush.random_board(seed, sides=(4, 5), vehicles=(2, 7))
    states = naive_rush.distances(board, [GAME.start(board)])
    goals = [state for state in states if GAME.solved(board, state)]
    if not goals:
        with pytest.raises(Unsolvable):
            Distances(board, 10**5)
        return
    found, left = Distances(board, 10**5), naive_rush.distances(board, goals)
    assert {state: found.of(state) for state in states} == left
    assert len(found) == len(states)
    with pytest.raises(Unproven, match="positions"):
        Distances(board, len(states) - 1)


def test_what_moves_cannot_reach_has_no_distance() -> None:
    with pytest.raises(KeyError):
        Distances(naive_rush.board(TEXT), 100).of((1, 0, 2))  # A on B


# --- in an episode ----------------------------------------------------------------------------------------------------


def play(folder: Path, game: str, text: str, agent: str, **options: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The snapshots of an episode on one level, and its result."""
    objective = Objective(game, "easy", (levels.level(text, "easy", GAMES[game]),))
    record = Record(folder / "run", {}, now=lambda: datetime(2026, 12, 1, tzinfo=UTC))
    times = iter(range(10**6))
    episode = Episode(
        DirectSurface(Session([objective])),
        AGENTS[agent](game, "easy", 0),
        Terms(objective=objective, keep="none", **options),
        record,
        clock=lambda: next(times) / 10,
        sleep=lambda seconds: None,
    )
    result = episode.play()
    record.close()
    events = list(read_events(folder / "run" / "events.jsonl"))
    assert score_events(events) == result, "the grades follow from the events alone"
    return [event["data"] for event in events if event["type"] == "snapshot"], result


def test_an_episode_of_rush_hour_is_graded_by_exact_distances(tmp_path: Path) -> None:
    snapshots, result = play(tmp_path, "rush", TEXT, "oracle")
    seen = [s["progress"] for s in snapshots if s["notes"] and s["notes"][-1][0] in ("move", "solved", "complete")]
    assert seen == [0.266667, 0.733333, 1]
    assert {s["progress_by"] for s in snapshots} == {None, EXACT}
    assert result["levels"][0]["progress_by"] == EXACT
    assert result["metrics"]["FGP"] == 100


def test_an_unfinished_level_keeps_the_best_exact_potential(tmp_path: Path) -> None:
    for budget in range(1, 20):  # until it ends between the first and the last move
        folder = tmp_path / str(budget)
        folder.mkdir()
        snapshots, result = play(folder, "rush", TEXT, "oracle", budget=budget / 2)
        best = max(s["progress"] for s in snapshots)
        if best > 0:
            break
    assert (result["outcome"], best) == ("timeout", 0.266667)
    assert result["metrics"]["FGP"] == pytest.approx(26.6667)


def test_other_games_are_graded_by_visible_progress(tmp_path: Path) -> None:
    snapshots, result = play(tmp_path, "maze", levels.EASY[0], "oracle")
    assert {s["progress_by"] for s in snapshots} == {None, VISIBLE}
    assert result["levels"][0]["progress_by"] == VISIBLE


def test_a_board_with_too_many_positions_falls_back_to_visible_progress_and_says_so() -> None:
    objective = Objective("rush", "easy", (levels.level(TEXT, "easy", GAMES["rush"]),))
    session = Session([objective])
    for control in ("game:rush", "tier:easy"):
        x, y = session.targets()[control]
        for kind in ("down", "up"):
            session.event(Pointer(kind, x, y))
    view = session.view
    assert view.level is not None
    exact, visible = Potential(objective).of(view), Potential(objective, limit=5).of(view)
    assert exact is not None
    assert visible is not None
    assert exact.by == EXACT
    assert visible == (GAME.progress(view.board, view.state), f"{VISIBLE}: more than 5 positions")


def test_no_open_level_has_no_potential() -> None:
    objective = Objective("rush", "easy", (levels.level(TEXT, "easy", GAMES["rush"]),))
    assert Potential(objective).of(Session([objective]).view) is None
