"""Moves against exact solvers: boards by hand, what must hold of any play, and the reference agents' real runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import levels
import messy_runs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from records import command, end, seen, start, write_run

from lpb_gen.games import GAMES
from lpb_gen.games.base import IllegalMove
from lpb_gen.pipeline.level import level_id
from lpb_gen.runners.moves import LevelMoves, moves_of, summed
from lpb_gen.runners.record import InvalidRecord, read_events
from lpb_gen.runners.solving import Judge, Judges
from lpb_gen.runners.view import Objective

import strategies

NUT = {"capacity": 3, "bolts": [[3, 1, 2], [2, 1, 1], [3, 2, 3], []]}
MAZE = {"rows": ["..#..", ".#...", ".....", ".#.#.", "S..#."]}


def nut() -> Judge:
    return Judge("nut", NUT)


def played(level: Judge, *moves: Any) -> LevelMoves:
    """An attempt that goes on."""
    meter = LevelMoves(level)
    meter.begin()
    for move in moves:
        meter.move(move)
    return meter


def ended(meter: LevelMoves) -> dict[str, Any]:
    meter.end()
    return summed([meter.result()])


def solution(level: Judge, state: Any | None = None) -> list[Any]:
    """A shortest one, by going where the distance falls."""
    state = level.game.start(level.board) if state is None else state
    way: list[Any] = []
    while not level.game.solved(level.board, state):
        for move in level.game.moves(level.board, state):
            after = level.game.apply(level.board, state, move)
            if level.remaining(after) == level.remaining(state) - 1:  # type: ignore[operator]
                break
        way.append(move)
        state = after
    return way


def fatal_line(level: Judge) -> list[Any]:
    """Moves of a depth-first search, the last of which loses the level."""
    game, board = level.game, level.board
    stack: list[tuple[Any, list[Any]]] = [(game.start(board), [])]
    seen_states = set()
    while stack:
        state, way = stack.pop()
        if level.is_lost(state):
            return way
        if state not in seen_states:
            seen_states.add(state)
            stack += [(game.apply(board, state, move), [*way, move]) for move in game.moves(board, state)]
    raise ValueError("no dead end")


def after(level: Judge, moves: list[Any]) -> Any:
    state = level.game.start(level.board)
    for move in moves:
        state = level.game.apply(level.board, state, move)
    return state


# --- regret -----------------------------------------------------------------------------------------------------------


def test_a_shortest_way_costs_nothing_extra() -> None:
    found = ended(played(nut(), *solution(nut())))
    assert (found["moves"], found["optimal"], found["regret"], found["fatal"]) == (6, 6, 0, 0)
    assert (found["mean_regret"], found["optimal_share"]) == (0.0, 1.0)


def test_a_slide_there_and_back_costs_two_moves() -> None:
    level = Judge("maze", MAZE)
    way = solution(level)
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}[way[0]]
    there_and_back = played(level, way[0], back)
    left = level.remaining(after(level, [way[0], back]))
    found = ended(there_and_back)
    assert left is not None
    assert found["regret"] == 2 + left - len(way)
    assert found["zero_progress"] == 1


def test_the_worst_move_is_told() -> None:
    level = Judge("rush", {"rows": ["oooBoo", "oooBoo", "AAoBoo", "oooooo", "oooooo", "oooooo"]})
    found = ended(played(level, "B+1", "B+2", "A+4"))
    # three down at once was possible: the first step is one too many
    assert (found["judged"], found["optimal"], found["regret"], found["worst"]) == (3, 2, 1, 1)


@given(st.sampled_from(["maze", "nut", "rush"]), st.data())
@settings(max_examples=60)
def test_regret_adds_up_to_what_the_play_lost(name: str, data: st.DataObject) -> None:
    """On boards that are never lost the extra costs telescope: moves + d(last) - d(first)."""
    level = Judge(name, data.draw(strategies.BOARDS[name]()))
    game, board = level.game, level.board
    state, meter, count = game.start(board), LevelMoves(level), 0
    first = level.remaining(state)
    meter.begin()
    lost = bool(level.is_lost(state))
    for _ in range(data.draw(st.integers(0, 15))):
        moves = list(game.moves(board, state))
        if not moves:
            break
        move = data.draw(st.sampled_from(moves))
        state = game.apply(board, state, move)
        meter.move(move)
        count += 1
        lost |= bool(level.is_lost(state))
    found = ended(meter)
    assert found["moves"] == count == found["judged"] + found["fatal"] + found["lost"] + found["unknown"]
    assert found["revisits"] <= found["moves"]
    if name == "maze":
        assert found["productive"] + found["zero_progress"] == found["moves"]
    if not lost and first is not None:
        last = level.remaining(state)
        assert last is not None
        assert found["regret"] == count + last - first
        assert found["unknown"] == 0


# --- dead ends --------------------------------------------------------------------------------------------------------


def test_a_fatal_move_and_the_delay_after_it() -> None:
    level = nut()
    way = fatal_line(level)
    meter = played(level, *way)
    state, more = after(level, way), 0
    while moves := list(level.game.moves(level.board, state)):
        meter.move(moves[0])
        state, more = level.game.apply(level.board, state, moves[0]), more + 1
        if more == 3:
            break
    found = ended(meter)
    assert (found["fatal"], found["lost"], found["dead_attempts"], found["dead_ends"]) == (1, more, 1, 1)
    assert found["delays"] == [1 + more]
    assert found["regret"] is not None


def test_an_undo_that_saves_the_board_ends_the_delay() -> None:
    level = nut()
    way = fatal_line(level)
    meter = played(level, *way)
    meter.undo()
    meter.move(way[-1])
    found = ended(meter)
    assert (found["dead_attempts"], found["dead_ends"], found["delays"], found["fatal"]) == (1, 2, [1, 1], 2)
    assert found["undos"] == 1
    assert found["revisits"] == 1


def test_an_undo_on_a_lost_board_that_stays_lost_goes_on() -> None:
    level = nut()
    meter = played(level, *fatal_line(level))
    move = next(iter(level.game.moves(level.board, after(level, fatal_line(level)))))
    meter.move(move)
    meter.undo()
    meter.move(move)
    assert ended(meter)["delays"] == [3]


def test_the_same_dead_end_after_a_restart_is_rebuilt_and_within_an_attempt_it_is_not() -> None:
    level = nut()
    way = fatal_line(level)
    meter = played(level, *way)
    meter.undo()
    meter.move(way[-1])
    meter.begin()
    for move in way:
        meter.move(move)
    found = ended(meter)
    assert (found["attempts"], found["dead_ends"], found["rebuilt"]) == (2, 3, 1)


def test_a_game_without_a_solver_has_counts_and_no_judgement(monkeypatch: pytest.MonkeyPatch) -> None:
    way = solution(nut())
    monkeypatch.setattr("lpb_gen.runners.solving.SOLVERS", {})
    meter = played(nut(), *way)
    meter.invalid()
    found = ended(meter)
    assert (found["moves"], found["invalid"], found["revisits"]) == (6, 1, 0)
    assert {found[key] for key in ("regret", "mean_regret", "fatal", "dead_ends", "delays", "productive")} == {None}


def test_without_a_board_only_the_log_is_counted() -> None:
    meter = LevelMoves(None)
    meter.begin()
    meter.move("U")
    meter.invalid()
    found = ended(meter)
    assert (found["moves"], found["invalid"], found["attempts"]) == (1, 1, 1)
    assert found["revisits"] is found["regret"] is None


def test_what_one_part_does_not_know_the_sum_does_not_know() -> None:
    unknown = LevelMoves(None)
    whole = summed([played(nut(), *solution(nut())).result(), unknown.result()])
    assert (whole["moves"], whole["regret"], whole["worst"], whole["delays"]) == (6, None, None, None)


# --- from events ------------------------------------------------------------------------------------------------------


def maze_start() -> Any:
    told = {"id": level_id(GAMES["maze"], MAZE), "optimal_length": 4, "board": MAZE}
    return start(levels=[told])


def entered(level: int = 0, **values: Any) -> Any:
    note = {"screen": "level", "game": "maze", "tier": "easy", "level": level} | values
    return seen(level, ("enter", note), game=note["game"], tier=note["tier"])


def moved(move: str, *more: tuple[str, dict[str, Any]]) -> Any:
    return seen(0, ("move", {"move": move, "moves": 1}), *more)


def counted(tmp_path: Path, *parts: Any) -> dict[str, Any]:
    run = write_run(tmp_path / "run", [maze_start(), seen(None, input=None), *parts, end()])
    [level] = moves_of(read_events(run / "events.jsonl"), Judges().of)
    return level


def test_attempts_begin_where_a_level_is_entered_or_restarted(tmp_path: Path) -> None:
    restart = seen(0, ("restart", {"game": "maze", "tier": "easy", "level": 0, "moves": 0}))
    leave = seen(None, ("enter", {"screen": "tiers", "game": "maze", "tier": None, "level": None}))
    found = counted(tmp_path, entered(), moved("U"), restart, moved("U"), leave, entered(), moved("U"))
    assert (found["attempts"], found["moves"], found["revisits"]) == (3, 3, 0)


def test_play_elsewhere_is_not_counted(tmp_path: Path) -> None:
    found = counted(tmp_path, entered(tier="hard"), moved("U"), entered(), moved("R"))
    assert (found["attempts"], found["moves"]) == (1, 1)


def test_a_level_that_was_open_with_moves_made_is_judged_from_the_next_attempt_on(tmp_path: Path) -> None:
    restart = seen(0, ("restart", {"game": "maze", "tier": "easy", "level": 0, "moves": 0}))
    run = write_run(
        tmp_path / "run", [maze_start(), seen(0, input=None, moves=3), moved("U"), restart, moved("U"), end()]
    )
    [found] = moves_of(read_events(run / "events.jsonl"), Judges().of)
    assert (found["attempts"], found["unknown"], found["judged"]) == (2, 1, 1)


@pytest.mark.parametrize(
    "part",
    [
        moved("L"),
        moved("U", ("solved", {"game": "maze", "tier": "easy", "level": 0, "moves": 1})),
        seen(0, ("undo", {"game": "maze", "tier": "easy", "level": 0, "moves": 1})),
        seen(0, ("move", {})),
    ],
    ids=["an illegal move", "a win that is none", "an undo at the start", "a move without a move"],
)
def test_moves_that_do_not_replay_are_refused(part: Any, tmp_path: Path) -> None:
    with pytest.raises(InvalidRecord, match="do not replay"):
        counted(tmp_path, entered(), part)


def test_a_board_that_is_not_the_levels_is_refused() -> None:
    with pytest.raises(InvalidRecord, match="rules have changed"):
        Judges().of("maze", {"id": "0" * 64, "board": MAZE})


def test_boards_may_come_from_elsewhere_and_are_set_up_once() -> None:
    identity = level_id(GAMES["nut"], NUT)
    known = Judges({identity: NUT})
    assert known.of("nut", {"id": identity}) is known.of("nut", {"id": identity})
    assert Judges().of("nut", {"id": identity}) is None


def test_an_illegal_undo_says_so() -> None:
    with pytest.raises(IllegalMove):
        played(nut()).undo()


# --- the reference agents' real runs ----------------------------------------------------------------------------------

BOARDS = {
    "maze": ["...S/.###/....", "..#../.#.../...../.#.#./S..#."],
    "nut": [json.dumps(NUT), '{"capacity": 3, "bolts": [[1, 2, 1], [2, 1, 2], []]}'],
    "rush": ["BBoooC/oooooC/AAoDoC/oooDoo/oooEEE/oooooo", "oooBoo/oooBoo/AAoBoo/oooooo/oooooo/oooooo"],
}


def objectives() -> list[Objective]:
    return [
        Objective(name, "easy", tuple(levels.level(text, "easy", GAMES[name]) for text in texts))
        for name, texts in BOARDS.items()
    ]


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Its name in the folder that commands run in."""
    monkeypatch.chdir(tmp_path)
    return levels.write_catalogue(tmp_path / "mine", objectives()).name


@pytest.mark.parametrize("game", BOARDS)
def test_real_runs_are_judged(game: str, catalogue: str) -> None:
    for agent in ("oracle", "greedy"):
        words = ("run", "--snapshot", catalogue, "--game", game, "--tier", "easy")
        command(*words, "--agent", agent, "--surface", "direct", "--screenshots", "none")
    [objective] = (one for one in objectives() if one.game == game)
    messy_runs.play(Path("runs/random"), "random", objective, 0, offered=[objective], budget=20.0)
    found = {
        e["agent"]: e["objectives"][0] for e in json.loads(command("score", "runs", "--moves", "--json"))["agents"]
    }
    oracle, random = found["oracle"]["moves"], found["random"]["moves"]
    assert (oracle["regret"], oracle["fatal"], oracle["optimal_share"]) == (0, 0, 1.0)
    assert oracle["moves"] == sum(level["optimal_length"] for level in found["oracle"]["by_level"])
    assert random["moves"] == random["judged"] + random["fatal"] + random["lost"]
    assert random["optimal_share"] < 1
    for by in ("objective", "level", "bucket"):
        assert "Moves" in command("score", "runs", "--moves", "--by", by)
    for level in found["random"]["by_level"]:  # each win took the least moves, and what was regretted
        if level["won"] and level["moves"]["attempts"] == 1 and not level["moves"]["undos"]:
            assert level["winning_moves"] == level["optimal_length"] + level["moves"]["regret"]


def test_old_records_get_their_boards_from_a_snapshot(catalogue: str, tmp_path: Path) -> None:
    words = ("run", "--snapshot", catalogue, "--game", "nut", "--tier", "easy", "--agent", "oracle")
    command(*words, "--surface", "direct", "--screenshots", "none")
    [events] = (tmp_path / "runs").glob("*/events.jsonl")
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    for level in lines[0]["data"]["levels"]:
        del level["board"]
    events.write_text("".join(json.dumps(line) + "\n" for line in lines))
    blind, seeing = (
        json.loads(command("score", "runs", "--moves", "--json", *more))["agents"][0]["objectives"][0]["moves"]
        for more in ((), ("--snapshot", catalogue))
    )
    assert (blind["moves"], blind["regret"]) == (seeing["moves"], None)
    assert seeing["regret"] == 0


def test_a_record_that_does_not_replay_is_one_clear_line(lpb_gen: Any, tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "a", [maze_start(), seen(None, input=None), entered(), moved("L"), end()])
    done = lpb_gen("score", "runs", "--moves")
    assert done.returncode == 1
    assert "runs/a: event 3: its moves do not replay (maze: 'L' is not a legal move here)" in done.stderr
