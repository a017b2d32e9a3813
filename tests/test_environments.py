"""The Gymnasium environments: Gymnasium's own checker finds nothing, they do what the rules say, and both ways to act
lead to the same states."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import levels
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import example, given, settings
from hypothesis import strategies as st
from stored import STORED

from lpb_gen.games import GAMES
from lpb_gen.games.base import InvalidBoard, LpbError
from lpb_gen.games.color_rules import RESTART
from lpb_gen.pipeline.params_file import read_params
from lpb_gen.runners import actions
from lpb_gen.runners.agents import AGENTS
from lpb_gen.runners.agents.base import Answer
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.environments.code import largest
from lpb_gen.runners.environments.codes import CODES
from lpb_gen.runners.environments.environment import Environment
from lpb_gen.runners.environments.offer import InvalidEnvironment
from lpb_gen.runners.environments.registration import TIERS
from lpb_gen.runners.session import Session

import strategies

ROOT = Path(__file__).parents[1]
BOARDS: dict[str, list[Any]] = {  # of two sizes each
    "bolt": [
        {
            "size": [3, 3],
            "holes": [[0, 0], [0, 1], [2, 1], [1, 2]],
            "screws": [1, 2],
            "boards": [{"a": [0, 1], "b": [2, 1], "holes": [1, 2]}],
        },
        {
            "size": [4, 4],
            "holes": [[0, 0], [2, 0], [0, 1], [2, 1], [0, 3], [3, 3]],
            "screws": [2, 3, 4],
            "boards": [
                {"a": [0, 1], "b": [2, 1], "holes": [2, 3]},
                {"a": [0, 3], "b": [3, 3], "holes": [4, 5]},
            ],
        },
    ],
    "color": [{"rows": ["A..B", ".##.", "A..B"]}, {"rows": ["A.A", "...", "B.B", "..."], "cover": True}],
    "maze": [{"rows": ["...", "S##"]}, {"rows": ["...#", "S#..", "...."]}],
    "nut": [
        {"capacity": 3, "bolts": [[3, 1, 2], [2, 1, 1], [3, 2, 3], []]},
        {"capacity": 4, "bolts": [[5, 5, 9, 5], [9, 9, 5, 9], [], []]},
    ],
    "rush": [{"rows": ["..B.", "AAB.", "..CC", "...."]}, {"rows": ["..B..", "AABx.", "..B..", ".....", "....."]}],
    "truck": [
        {"size": [3, 3], "vehicles": [{"front": [0, 1], "dir": "U", "len": 2}]},
        {
            "size": [4, 5],
            "walls": [[3, 0]],
            "roads": {"rows": [2], "columns": []},
            "vehicles": [
                {"front": [1, 1], "dir": "D", "len": 2, "turn": "L"},
                {"front": [0, 3], "dir": "R", "len": 2},
            ],
        },
    ],
}
GAME_NAMES = sorted(GAMES)
KINDS = [("pixels", "gui"), ("pixels", "move"), ("state", "gui"), ("state", "move")]
SMALL = (64, 45)


def made(game: str = "maze", **options: Any) -> Environment:
    options.setdefault("levels", BOARDS.get(game))
    return Environment(game, **{"observation": "state", "action": "move", **options})


def moved(environment: Environment, move: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
    return environment.step(environment.number(move))


def by_gui(environment: Environment, move: Any) -> None:
    """Makes a move of the open level by GUI actions."""
    view = environment.session.view
    if environment.session.view.game == "color" and move[0] == RESTART:  # erase the line, begin at its other dot
        first = divmod(view.state.lines[view.state.active][0], view.board.width)
        clicks = [first] * (1 if len(view.state.lines[view.state.active]) == 1 else 2) + [move[1:]]
    else:
        clicks = [move]
    for click in clicks:
        for vector in environment.vectors(actions.gesture(environment.session.pointers(click))):
            assert environment.action_space.contains(vector)
            environment.step(vector)


def equal(a: Any, b: Any) -> bool:
    return all(np.array_equal(a[name], b[name]) for name in a) and a.keys() == b.keys()


# --- what Gymnasium asks for ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("observation", "action"), KINDS)
@pytest.mark.parametrize("game", GAME_NAMES)
def test_gymnasiums_checker_finds_nothing(game: str, observation: str, action: str) -> None:
    options = {"observation": observation, "action": action, "privileged": True, "render_mode": "rgb_array"}
    check_env(gymnasium.make("lpb_gen:LPB/Puzzle-v0", game=game, levels=BOARDS[game], size=SMALL, **options).unwrapped)


@pytest.mark.parametrize("observation", ["pixels", "state"])
def test_the_checker_finds_nothing_in_whole_objectives(observation: str) -> None:
    options = {"observation": observation, "action": "gui", "objective": True, "render_mode": "rgb_array"}
    check_env(gymnasium.make("lpb_gen:LPB/Nut-Easy-v0", snapshot=str(STORED), size=SMALL, **options).unwrapped)


def test_every_default_tier_has_a_name() -> None:
    wanted = read_params((ROOT / "pipeline" / "template" / "params.yaml").read_bytes()).cells
    assert {(game, tier) for game, tiers in TIERS.items() for tier in tiers} == {tuple(cell) for cell in wanted}
    for game, tier in wanted:
        kwargs = gymnasium.spec(f"LPB/{game.title()}-{tier.title()}-v0").kwargs
        assert kwargs == {"game": game, "tier": tier}


@pytest.mark.parametrize(
    "beginning",
    [
        "import gymnasium",
        "import lpb_gen; import gymnasium",
        "from lpb_gen.games import GAMES; import gymnasium as gym; gymnasium = gym",
        "import lpb_gen, importlib.util; importlib.util.find_spec('gymnasium'); import gymnasium",
    ],
)
def test_the_names_are_there_whatever_was_imported_first(beginning: str) -> None:
    code = (
        f"{beginning}; import sys\n"
        f"made = gymnasium.make('lpb_gen:LPB/Maze-Hard-v0', snapshot={str(STORED)!r}, observation='state')\n"
        "print(made.unwrapped, [f for f in sys.meta_path if 'lpb_gen.runners' in repr(f)], gymnasium.__spec__.loader)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("<Environment<LPB/Maze-Hard-v0>> [] <_frozen_importlib_external.SourceFileLoader")


def test_importing_the_package_loads_neither_gymnasium_nor_games() -> None:
    code = "import lpb_gen, sys; print(sorted({'gymnasium', 'numpy', 'lpb_gen.games'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout == "[]\n"


def test_without_gymnasium_nothing_is_in_the_way() -> None:
    code = (
        "import sys, lpb_gen\n"
        "sys.meta_path[:] = [f for f in sys.meta_path if 'Watch' in repr(f) or 'rozen' in repr(f)][:3]\n"
        "sys.path[:] = []\n"
        "try:\n    import gymnasium\nexcept ModuleNotFoundError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout == "No module named 'gymnasium'\n"


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_many_play_at_once(mode: str) -> None:
    options: dict[str, Any] = {"snapshot": str(STORED), "observation": "state", "action": "move", "privileged": True}
    many = gymnasium.make_vec("lpb_gen:LPB/Maze-Easy-v0", num_envs=2, vectorization_mode=mode, **options)
    try:
        seen, info = many.reset(seed=[7, 8])
        one = Environment("maze", "easy", **options)
        for index, seed in enumerate((7, 8)):
            alone, alone_info = one.reset(seed=seed)
            assert np.array_equal(seen["cells"][index], alone["cells"])
            assert info["optimal_remaining"][index] == alone_info["optimal_remaining"]
            assert np.array_equal(info["action_mask"][index], alone_info["action_mask"])
        _, rewards, _, _, info = many.step(np.array([0, 1]))
        assert rewards.shape == (2,)
        assert list(info["step"]) == [1, 1]
    finally:
        many.close()


@pytest.mark.parametrize("how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
@pytest.mark.parametrize(("observation", "action"), [("pixels", "gui"), ("state", "move")])
def test_a_copy_goes_on_by_itself(how: Callable[[Any], Any], observation: str, action: str) -> None:
    first = made("nut", observation=observation, action=action, size=SMALL, privileged=True)
    first.reset(seed=3)
    first.action_space.seed(1)
    for _ in range(3):
        first.step(first.action_space.sample())
    second = how(first)
    before = first.session.state_hash()
    for _ in range(3):
        second.step(second.action_space.sample())
    assert first.session.state_hash() == before
    second = how(first)
    for _ in range(5):
        step = first.action_space.sample()
        (seen, *rest, info), (its_seen, *its_rest, its_info) = first.step(step), second.step(step)
        assert equal(seen, its_seen) if observation == "state" else np.array_equal(seen, its_seen)
        assert rest == its_rest
        assert info["optimal_remaining"] == its_info["optimal_remaining"]


# --- states and moves -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAME_NAMES)
@settings(max_examples=20)
@given(data=st.data())
def test_moves_do_what_the_rules_say_and_inputs_lead_to_the_same_states(game: str, data: st.DataObject) -> None:
    rules, boards = GAMES[game], [data.draw(strategies.BOARDS[game]()) for _ in range(2)]
    moving, clicking = made(game, levels=boards), made(game, levels=boards, action="gui")
    sizes = largest(CODES[game], [rules.board(board) for board in boards])
    seen: dict[Any, Any] = {}
    for level in range(2):
        board = rules.board(boards[level])
        state = rules.start(board)
        observation, info = moving.reset(options={"level": level})
        clicking.reset(options={"level": level})
        for _ in range(data.draw(st.integers(0, 8))):
            assert moving.observation_space.contains(observation)
            moves = list(rules.moves(board, state))
            numbers = [CODES[game].number(sizes, board, move) for move in moves]
            assert len(set(numbers)) == len(moves), "two moves have one number"
            assert sorted(numbers) == list(np.flatnonzero(info["action_mask"]))
            for other, its_seen in seen.items():
                assert equal(observation, its_seen) == (other == (json.dumps(boards[level]), state))
            seen[json.dumps(boards[level]), state] = observation
            if not moves:
                break
            wrong = np.flatnonzero(info["action_mask"] == 0)
            if len(wrong):
                after, reward, _, _, told = moving.step(int(wrong[data.draw(st.integers(0, len(wrong) - 1))]))
                assert (told["invalid"], reward, moving.session.view.state) == (True, 0, state)
                assert equal(after, observation)
            move = data.draw(st.sampled_from(moves))
            state = rules.apply(board, state, move)
            observation, reward, terminated, _, info = moved(moving, move)
            by_gui(clicking, move)
            assert not info["invalid"]
            assert moving.session.view.state == state
            assert clicking.session.view.state == state
            assert terminated == info["solved"] == rules.solved(board, state) == (reward == 1)


@pytest.mark.parametrize("game", GAME_NAMES)
def test_levels_of_a_tier_share_their_spaces_and_padding_makes_them_larger(game: str) -> None:
    whole = made(game)
    for level in range(2):
        assert whole.observation_space.contains(whole.reset(options={"level": level})[0])
    name = next(iter(largest(CODES[game], [GAMES[game].board(board) for board in BOARDS[game]])))
    padded = made(game, pad={name: 20})
    assert padded.observation_space != whole.observation_space
    seen, _ = padded.reset(options={"level": 0})
    assert padded.observation_space.contains(seen)


@pytest.mark.parametrize(("game", "click"), [("nut", (0, 3)), ("bolt", (1, 0))])
def test_what_is_picked_shows_in_the_state(game: str, click: tuple[int, int]) -> None:
    environment = made(game, action="gui")
    environment.reset(options={"level": 0})
    first, second = environment.vectors(actions.gesture(environment.session.pointers(click)))
    picked = environment.step(first)[0]["picked"]
    assert list(np.flatnonzero(picked)) == [click[0]]
    assert not environment.step(second)[0]["picked"].any()


# --- episodes ---------------------------------------------------------------------------------------------------------


def test_a_seed_chooses_the_levels() -> None:
    def played(environment: Environment, seed: int) -> list[int]:
        first = environment.reset(seed=seed)[1]["level"]
        return [first] + [environment.reset()[1]["level"] for _ in range(11)]

    boards = [BOARDS["maze"][0]] * 5
    one, other = made(levels=boards), made(levels=boards)
    assert played(one, 5) == played(other, 5) == played(one, 5) != played(one, 6)
    assert set(played(one, 5)) == {0, 1, 2, 3, 4}
    assert played(made(levels=boards, order="sequential"), 5) == [0, 1, 2, 3, 4] * 2 + [0, 1]


def test_some_levels_of_a_snapshot_have_the_spaces_of_all() -> None:
    whole, some = (
        Environment("maze", "easy", snapshot=str(STORED), levels=k, observation="state") for k in (None, [1, 3])
    )
    assert whole.observation_space == some.observation_space
    assert {some.reset(seed=seed)[1]["level"] for seed in range(12)} == {1, 3}
    assert some.reset(options={"level": 3})[1]["level"] == 3
    with pytest.raises(InvalidEnvironment, match=r"no level 2.*use one of \[1, 3\]"):
        some.reset(options={"level": 2})


def test_a_level_looks_as_in_an_evaluation_that_has_come_to_it() -> None:
    environment = Environment("maze", "easy", snapshot=str(STORED))
    (objective,) = (o for o in environment._offer.suite if (o.game, o.tier) == ("maze", "easy"))
    surface, player = DirectSurface(Session([objective])), AGENTS["oracle"]("maze", "easy", 0)
    while surface.session.view.level_index != 1:
        action = player.act_knowing("", surface.session)
        assert not isinstance(action, Answer | actions.Batch)
        surface.dispatch(actions.events(action))
    seen, _ = environment.reset(options={"level": 1})
    assert np.array_equal(seen, surface.pixels()[..., :3])
    assert environment.session.state_hash() == surface.session.state_hash()


@pytest.mark.parametrize("reward", ["sparse", "progress"])
@pytest.mark.parametrize(("game", "tier"), [("maze", "easy"), ("nut", "easy"), ("rush", "easy")])
def test_the_oracle_plays_a_whole_objective_from_the_home_screen(game: str, tier: str, reward: Any) -> None:
    environment = Environment(
        game, tier, snapshot=str(STORED), objective=True, observation="state", reward=reward, privileged=True
    )
    seen, info = environment.reset()
    assert (info["level"], info["won"], info["optimal_remaining"]) == (-1, 0, None)
    assert list(seen["screen"]) == [1, 0, 0, 0, 0]
    player, total, terminated, levels_seen = AGENTS["oracle"](game, tier, 0), 0.0, False, set()
    while not terminated:
        action = player.act_knowing("", environment.session)
        assert not isinstance(action, Answer)
        for vector in environment.vectors(action):
            seen, gained, terminated, truncated, info = environment.step(vector)
            assert environment.observation_space.contains(seen)
            assert not truncated
            total += gained
            levels_seen |= set(np.flatnonzero(seen["level"]))
    assert info["won"] == len(levels_seen) == environment.observation_space["level"].shape[0]
    assert total == pytest.approx(1)


def test_the_return_of_a_level_is_its_potential_less_that_of_the_start() -> None:
    environment = made("nut", reward="progress", privileged=True)
    _, info = environment.reset(seed=1, options={"level": 0})
    start, total = info["progress"], 0.0
    environment.action_space.seed(1)
    for _ in range(6):
        mask = info["action_mask"]
        _, gained, terminated, _, info = environment.step(environment.action_space.sample(mask))
        total += gained
        assert total == pytest.approx(info["progress"] - start)
        if terminated:
            assert total == 1 - start


def distances(game: str, board: Any) -> dict[Any, int]:
    """How many moves each state that can be reached needs, by looking at all of them; lost ones are left out."""
    rules = GAMES[game]
    start = rules.start(board)
    before: dict[Any, list[Any]] = {start: []}
    queue: list[Any] = [start]
    for state in queue:
        for move in rules.moves(board, state):
            after = rules.apply(board, state, move)
            if after not in before:
                before[after] = []
                queue.append(after)
            before[after].append(state)
    found = {state: 0 for state in before if rules.solved(board, state)}
    queue = list(found)
    for state in queue:
        for earlier in before[state]:
            if earlier not in found:
                found[earlier] = found[state] + 1
                queue.append(earlier)
    return found


@pytest.mark.parametrize("game", ["bolt", "maze", "nut", "rush", "truck"])
def test_the_privileged_are_told_the_truth(game: str) -> None:
    environment = made(game, privileged=True, end_when_dead=True)
    lost = 0
    for episode in range(12):
        _, info = environment.reset(seed=episode)
        truth = distances(game, environment.session.view.board)
        environment.action_space.seed(episode)
        for _ in range(10):
            view = environment.session.view
            assert info["is_dead"] == (view.state not in truth)
            if game != "bolt":
                assert info["optimal_remaining"] == truth.get(view.state, np.inf)
            _, _, terminated, _, info = environment.step(environment.action_space.sample(info["action_mask"]))
            assert terminated == (info["is_dead"] or info["solved"])
            if terminated:
                lost += info["is_dead"]
                break
    assert (lost > 0) == (game in ("bolt", "nut", "rush")), "the second board of rush is lost from its start"


def test_nobody_else_is_told() -> None:
    told = made("nut").reset()[1]
    assert set(told) == {"step", "moves", "solved", "invalid", "level", "action_mask"}


def test_an_episode_is_cut_off_after_its_steps() -> None:
    environment = made(max_steps=3)
    environment.reset(options={"level": 1})
    assert [environment.step(2)[3] for _ in range(3)] == [False, False, True]
    limited = gymnasium.make("lpb_gen:LPB/Maze-Easy-v0", snapshot=str(STORED), max_episode_steps=2, size=SMALL)
    limited.reset()
    assert [limited.step(limited.action_space.sample())[3] for _ in range(2)] == [False, True]


def test_a_player_may_leave_the_level_and_come_back() -> None:
    environment = made("nut", action="gui", reward="progress")
    environment.reset(options={"level": 0})
    for target in ("menu", "tier:custom"):
        x, y = environment.session.targets()[target]
        seen, gained, terminated, _, info = environment.step(environment.vectors(actions.Click(round(x), round(y)))[0])
        if target == "menu":
            assert (gained, terminated, info["level"]) == (0, False, -1)
            assert not seen["nuts"].any()
            assert list(seen["screen"]) == [0, 1, 0, 0, 0]
    assert info["level"] == 0
    assert seen["nuts"].any()


# --- pixels and inputs ------------------------------------------------------------------------------------------------


def test_pixels_are_the_suites_or_a_smaller_picture_of_them() -> None:
    full, small = (made("truck", observation="pixels", render_mode="rgb_array", size=s) for s in (None, (320, 225)))
    seen, _ = full.reset(seed=0)
    assert seen.shape == (900, 1280, 3)
    assert np.array_equal(seen, DirectSurface(full.session).pixels()[..., :3])
    assert np.array_equal(seen, full.render())
    its_seen, _ = small.reset(seed=0)
    assert its_seen.shape == (225, 320, 3)
    means = seen.reshape(225, 4, 320, 4, 3).mean(axis=(1, 3))
    assert np.abs(means - its_seen).max() < 2
    assert small.render().shape == (225, 320, 3)


def test_vectors_are_actions() -> None:
    environment = made(action="gui", observation="pixels")
    for action in (
        {"action": "click", "x": 3, "y": 899},
        {"action": "doubleclick", "x": 1279, "y": 0},
        {"action": "drag", "path": [[10, 20], [90, 20]]},
        {"action": "press", "key": "ArrowUp"},
        {"action": "scroll", "x": 7, "y": 8, "dx": 0, "dy": 120},
        {"action": "wait", "seconds": 0},
    ):
        (vector,) = environment.vectors(action)
        assert environment.action_space.contains(vector)
        assert actions.write_action(environment._hand.action(vector)) == action
    batch = {"action": "batch", "actions": [{"action": "type", "text": "ru"}, {"action": "press", "key": "r"}]}
    assert len(environment.vectors(batch)) == 3
    with pytest.raises(actions.InvalidAction, match="drag by 3 points"):
        environment.vectors({"action": "drag", "path": [[1, 1], [2, 2], [3, 1]]})


@settings(max_examples=50)
@given(st.integers(0, 1279), st.integers(0, 899), st.integers(64, 1280), st.integers(45, 900))
@example(1279, 899, 1279, 899)
@example(642, 451, 643, 451)
def test_coordinates_of_a_smaller_picture_mean_the_middle_of_their_pixel(
    x: int, y: int, width: int, height: int
) -> None:
    environment = made(action="gui", observation="pixels", size=(width, height))
    (vector,) = environment.vectors(actions.Click(x, y))
    assert environment.action_space.contains(vector)
    point = environment._hand.action(vector)
    assert isinstance(point, actions.Click)
    for place, parts, pixels, at in ((vector[1], width, 1280, point.x), (vector[2], height, 900, point.y)):
        inside = [pixel for pixel in range(pixels) if pixel * parts // pixels == place]
        assert at == inside[len(inside) // 2]
    assert np.array_equal(environment.vectors(point)[0], vector)


@pytest.mark.parametrize("size", [(5, 5), (63, 45), (64, 44), (1281, 900), (1280,), (0, 0)])
def test_a_size_on_which_nothing_can_be_hit_is_refused(size: tuple[int, ...]) -> None:
    with pytest.raises(InvalidEnvironment, match=r"give a width and a height, from \(64, 45\) to \(1280, 900\)"):
        made(action="gui", observation="pixels", size=size)


def test_at_the_least_size_every_control_and_cell_can_be_hit() -> None:
    """On the smallest cells that a default tier has: 15 by 15."""
    rows = ["A" + "." * 13 + "A", *["." * 15] * 13, "B" + "." * 13 + "B"]
    whole = made(action="gui", observation="pixels", size=(64, 45), objective=True)
    whole.reset()
    environment = made(game="color", levels=[{"rows": rows}], action="gui", observation="pixels", size=(64, 45))
    environment.reset()
    for session, hand in ((whole.session, whole._hand), (environment.session, environment._hand)):
        for name, (x, y) in session.targets().items():
            (vector,) = whole.vectors(actions.Click(round(x), round(y)))
            point = hand.action(vector)
            assert isinstance(point, actions.Click)
            assert session._hit_areas()[name].contains(point.x, point.y)
    frame = environment.session._frame
    assert frame is not None
    middles = [hand.action(environment.vectors(actions.Click(px, 450))[0]) for px in range(400, 1240)]
    columns = {int((point.x - frame.x) // frame.scale) for point in middles if isinstance(point, actions.Click)}
    assert columns >= set(range(15))


def test_inputs_that_the_rules_forbid_are_told() -> None:
    environment = made(action="gui")
    environment.reset(options={"level": 0})
    keys = [environment.vectors({"action": "press", "key": key})[0] for key in ("ArrowLeft", "ArrowUp")]
    assert [environment.step(key)[4]["invalid"] for key in keys] == [True, False]
    with pytest.raises(actions.InvalidAction, match="not in the action space"):
        environment.step([6, 0, 0, 0, 0, 0])
    moving = made()
    moving.reset()
    with pytest.raises(actions.InvalidAction, match="not in Discrete"):
        moving.step(4)


# --- levels from elsewhere, and mistakes ------------------------------------------------------------------------------


def test_a_file_may_hold_boards_texts_and_levels(tmp_path: Path) -> None:
    level = levels.level("...#/S#../....", "easy")
    path = tmp_path / "boards.txt"
    path.write_text(f".../S##\n{json.dumps({'board': BOARDS['maze'][1]})}\n{level.to_line()}\n")
    environment = made(levels=path, tier="mine")
    assert environment.reset(options={"level": 2})[1]["level"] == 2
    assert environment.session.view.level == level
    assert environment.session.view.tier == "mine"
    assert environment.reset(options={"level": 0})[0]["cells"].shape == (3, 3, 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"game": "chess"}, "no game 'chess'.*bolt, color"),
        ({"game": None}, "no game is named; give game=, one of bolt, color"),
        ({"levels": None, "snapshot": "SNAPSHOT"}, "no tier"),
        ({"levels": None, "snapshot": "SNAPSHOT", "tier": "hardest"}, "hardest.*easy, hard"),
        ({"levels": [4], "snapshot": "SNAPSHOT", "tier": "easy"}, "no level 4.*from 0 to 3"),
        ({"levels": [], "snapshot": "SNAPSHOT", "tier": "easy"}, "no level.*from 0 to 3"),
        ({"snapshot": "SNAPSHOT"}, "both a snapshot and levels"),
        ({"levels": "missing.txt"}, "missing.txt: cannot be read"),
        ({"observation": "text"}, "observation='text'.*'pixels' or 'state'"),
        ({"objective": True}, 'action="gui"'),
        ({"objective": True, "action": "gui", "levels": [0], "snapshot": "SNAPSHOT", "tier": "easy"}, "all its levels"),
        ({"size": (1281, 900)}, "size="),
        ({"max_steps": 0}, "max_steps=0"),
        ({"pad": {"rows": 2}}, "need 3"),
        ({"pad": {"depth": 2}}, "no size 'depth'"),
        ({"pad": {"rows": 9}, "observation": "pixels", "action": "gui"}, "leave it out"),
    ],
)
def test_mistakes_are_told_in_one_line(options: dict[str, Any], message: str) -> None:
    given = {key: str(STORED) if value == "SNAPSHOT" else value for key, value in options.items()}
    with pytest.raises(LpbError, match=message) as raised:
        made(**given)
    assert "\n" not in str(raised.value)


def test_a_game_without_a_code_is_played_by_pixels_and_gui(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(CODES, "maze")
    environment = made(observation="pixels", action="gui", size=SMALL)
    assert environment.reset()[0].shape == (45, 64, 3)
    for options in ({"observation": "pixels"}, {"action": "gui"}):
        with pytest.raises(InvalidEnvironment, match=r"maze are not known as numbers.*pixels.*gui"):
            made(**options)


def test_a_wrong_board_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "boards.txt"
    path.write_text(".../S##\n.../##S/S..\n")
    with pytest.raises(InvalidBoard, match=r"boards.txt:2: 2 starts"):
        made(levels=path)
    path.write_text("")
    with pytest.raises(InvalidEnvironment, match="it has no board"):
        made(levels=path)
    with pytest.raises(InvalidEnvironment, match="no option 'speed'"):
        made().reset(options={"speed": 2})
