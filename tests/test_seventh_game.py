"""A seventh game is three files and three registry lines: a tiny one goes through every layer and touches nothing else.

Its files in ``seventh_game/`` read as they would in the package, and are loaded as if they lay there. The page
``docs/add-a-game.md`` walks through them; what it quotes must be what they say.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import levels
import numpy as np
import pytest
from click.testing import CliRunner
from playing import moves_of_wins, play

from lpb_gen.games import GAMES
from lpb_gen.games.base import AnyGame, IllegalMove, InvalidBoard, Pointer
from lpb_gen.generators import GENERATORS
from lpb_gen.pipeline.cli import cli
from lpb_gen.pipeline.params import Cell
from lpb_gen.pipeline.params_file import read_params
from lpb_gen.pipeline.stages import certify, check_generator, propose
from lpb_gen.pipeline.workers import InlineExecutor
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.session import Objective, Session
from lpb_gen.verifiers import VERIFIERS

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "add-a-game.md"
FILES = {"games": "rules.py", "generators": "generator.py", "verifiers": "verifier.py"}
PARAMS = """\
seed: 0
cells:
  lamps:
    default:
      epoch: 1
      count: 4
      reserve: 0
      limit: 20
      params: {}
      ladder: [{lamps: [4, 4]}, {lamps: [7, 8]}]
      gate: {optimal_length: [1, 8], lit: [1, 14]}
"""


@pytest.fixture
def lamps(monkeypatch: pytest.MonkeyPatch) -> AnyGame:
    """Loads the three files and writes the three lines, for one test."""
    modules: dict[str, ModuleType] = {}
    for room, file in FILES.items():
        name = f"lpb_gen.{room}.lamps"
        spec = importlib.util.spec_from_file_location(name, HERE / "seventh_game" / file)
        assert spec is not None
        assert spec.loader is not None
        modules[room] = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, modules[room])
        spec.loader.exec_module(modules[room])
    monkeypatch.setitem(GAMES, "lamps", modules["games"].GAME)
    monkeypatch.setitem(GENERATORS, "lamps", modules["generators"].GENERATOR)
    monkeypatch.setitem(VERIFIERS, "lamps", modules["verifiers"].VERIFIER)
    return GAMES["lamps"]


def lpb(*words: str, input: str = "") -> Any:
    return CliRunner().invoke(cli, list(words), input=input)


# --- the three files --------------------------------------------------------------------------------------------------


def test_the_rules_keep_the_contract_of_a_game(lamps: AnyGame) -> None:
    for text in ("oo.o", "oooo", "o."):
        board = lamps.board(lamps.read(text))
        state = lamps.start(board)
        assert lamps.board(lamps.dump(board)) == board
        assert not lamps.solved(board, state)
        assert lamps.canonical(board) == lamps.canonical(board[::-1])
        for move in lamps.moves(board, state):
            after = lamps.apply(board, state, move)
            assert lamps.solved(board, after) or lamps.apply(board, after, move) == state
            ui, read = None, []
            for event in lamps.gesture(board, state, move):
                ui, got = lamps.touch(board, state, ui, event)
                read += [] if got is None else [got]
            assert read == [move]
    with pytest.raises(InvalidBoard, match="out already"):
        lamps.board({"lamps": "..."})
    with pytest.raises(InvalidBoard, match="no row of lamps"):
        lamps.board({"lamps": "ox"})
    with pytest.raises(IllegalMove):
        lamps.apply("oo", "oo", 2)


def test_generator_and_verifier_agree_on_every_row(lamps: AnyGame) -> None:
    solvable = 0
    for count in range(2, 11):
        for bits in range(1, 1 << count):
            board = "".join("o" if bits >> n & 1 else "." for n in range(count))
            line = certified(board)
            solvable += "solution" in line
            assert ("solution" in line) == (not line.get("unsolvable")), line
    assert 1000 < solvable < 2036


def certified(text: str) -> dict[str, Any]:
    from lpb_gen.pipeline.boards import Entry
    from lpb_gen.pipeline.commands_levels import certified_line

    return certified_line("lamps", Entry(1, text))


# --- the commands -----------------------------------------------------------------------------------------------------


def test_generate_makes_levels_to_order_by_a_figure_of_its_own(lamps: AnyGame) -> None:
    done = lpb("generate", "--game", "lamps", "--where", "optimal_length=3..4,lit=4..", "--count", "3")
    assert done.exit_code == 0, done.output
    made = [json.loads(line) for line in done.stdout.splitlines()]
    assert len({level["dedup_key"] for level in made}) == 3
    for level in made:
        assert 3 <= level["figures"]["optimal_length"] <= 4 <= level["figures"]["lit"]
        assert level["certificate"]["proofs"] == ["exhaustive search", "light chasing"]


def test_certify_answers_a_line_for_each_board(lamps: AnyGame) -> None:
    done = lpb("certify", "--game", "lamps", "-", input='oo.o\no.\n{"board": "o..", "lit": 7, "mine": 1}\nox\n')
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.exit_code == 1
    assert [line.get("optimal_length") for line in lines] == [2, None, 2, None]
    assert lines[1]["unsolvable"]
    assert (lines[2]["lit"], lines[2]["mine"]) == (1, 1), "a figure's name is the verifier's own"
    assert "no row of lamps" in lines[3]["error"]


def test_show_draws_it(lamps: AnyGame, tmp_path: Path) -> None:
    assert "oo.o" in lpb("show", "--game", "lamps", "oo.o").output
    target = tmp_path / "lamps.png"
    assert lpb("show", "--game", "lamps", "oo.o", "--png", str(target)).exit_code == 0
    assert target.read_bytes().startswith(b"\x89PNG")


# --- a catalogue, the suite, the oracle -------------------------------------------------------------------------------


def objective() -> Objective:
    """The levels of a cell, by the steps that ``refresh`` has DVC run."""
    params, cell = read_params(PARAMS), Cell("lamps", "default")
    check_generator(PARAMS, cell, params.cells[cell])
    pool = InlineExecutor()
    proposals, tally = propose(params, cell, frozenset(), pool, lambda tally: None)
    made, _ = certify(params, cell, proposals, tally, pool, lambda tally: None)
    return Objective("lamps", "default", tuple(made))


def test_a_cell_of_params_yaml_makes_levels_of_every_kind(lamps: AnyGame) -> None:
    lengths = [len(level.board["lamps"]) for level in objective().levels]
    assert sorted(n >= 7 for n in lengths) == [False, False, True, True]


def test_the_oracle_wins_it_on_the_screen_from_the_home_screen_on(lamps: AnyGame) -> None:
    surface = DirectSurface(Session([objective()]))
    surface.start()
    assert "game:lamps" in surface.session.targets()
    home = surface.pixels().copy()
    play(surface, "lamps", "default")
    assert moves_of_wins(surface) == [level.certificate.lower for level in surface.session.objectives[0].levels]
    assert not np.array_equal(surface.pixels(), home)


def test_run_plays_and_grades_it(lamps: AnyGame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    levels.write_catalogue(tmp_path / "mine", [objective()])
    monkeypatch.chdir(tmp_path)
    done = lpb(
        "run", "--snapshot", "mine", "--game", "lamps", "--tier", "default", "--agent", "oracle", "--surface", "direct"
    )
    assert done.exit_code == 0, done.output
    (result,) = tmp_path.glob("runs/*/result.json")
    assert json.loads(result.read_text("utf-8"))["outcome"] == "solved"


def test_a_click_beside_the_lamps_is_a_miss(lamps: AnyGame) -> None:
    surface = DirectSurface(Session([objective()]))
    play(surface, "lamps", "default", until="level")
    down = Pointer("down", 800, 30)
    assert [note.kind for note in surface.dispatch([down, Pointer("up", 800, 30)])] == ["miss"]


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_quotes_the_files_as_they_are() -> None:
    quotes = re.findall(r"<!-- (\S+) -->\n```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert {Path(file).name for file, _ in quotes} == set(FILES.values())
    for file, text in quotes:
        source = (HERE.parent / file).read_text("utf-8")
        parts = [part.strip("\n") for part in re.split(r"^ *# \.\.\.$", text, flags=re.MULTILINE)]
        places = [source.find(part) for part in parts]
        assert -1 not in places, f"{file} does not say: {parts[places.index(-1)]}"
        assert places == sorted(places), f"{file} says it in another order"


def test_every_python_block_of_the_page_is_such_a_quote_or_a_registry_line() -> None:
    page = PAGE.read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    quoted = re.findall(r"<!-- \S+ -->\n```python\n(.*?)```", page, re.DOTALL)
    for block in blocks:
        if block not in quoted:
            assert re.fullmatch(r'from \.lamps import (\w+) as LAMPS\n# \.\.\.\n    "lamps": LAMPS,\n', block), block
