"""params.yaml: what is accepted, what is refused and where, and edits that keep what people wrote."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from lpb_gen.generators import GENERATORS
from lpb_gen.pipeline.new_repository import template_text
from lpb_gen.pipeline.params import Cell, CellParams, Parent, UnknownCell
from lpb_gen.pipeline.params_file import ABSENT, BrokenParams, edit_params, read_params
from lpb_gen.pipeline.pipeline_file import render_pipeline
from lpb_gen.pipeline.stages import check_generator
from lpb_gen.pipeline.strata import Spread
from lpb_gen.pipeline.tiers import Band

ROOT = Path(__file__).parents[1]
TEXT = template_text("params.yaml")
ID = "a" * 64
SMALL = """\
seed: 5  # chosen by dice
parent: null
toolchain: {lpb_gen: "0.1"}
fresh: []
cells:
  maze:
    # the first cell
    easy: {epoch: 0, count: 3, reserve: 1, limit: 9, params: {length: [7, 12]}, gate: {optimal_length: [7, 12]}}
    hard:
      epoch: 2
      count: 10
      reserve: 2
      limit: 100
      params: {length: [18, 25]}
      gate: {optimal_length: 18..25}
"""


def test_a_block_says_what_to_make_and_what_to_accept() -> None:
    params = read_params(SMALL)
    hard = params.cells[Cell("maze", "hard")]
    assert (params.seed, hard.epoch, hard.count, hard.reserve, hard.limit) == (5, 2, 10, 2, 100)
    assert hard.params == {"length": [18, 25]}
    assert hard.gate == {"optimal_length": Band(18, 25)}
    assert params.expected() == [("maze", "hard")], "a cell that was never made is not expected"


def test_a_ladder_says_what_is_different_for_each_kind_of_level() -> None:
    ladder = "ladder: [{length: [18, 19]}, {size: 9, length: [24, 25]}]"
    block = read_params(SMALL.replace("count: 10", f"count: 10\n      {ladder}")).cells[Cell("maze", "hard")]
    assert block.rungs == ({"length": [18, 19]}, {"length": [24, 25], "size": 9})
    assert read_params(SMALL).cells[Cell("maze", "hard")].rungs == ({"length": [18, 25]},)


def test_the_template_asks_for_the_default_tiers_in_rising_order() -> None:
    params = read_params(TEXT)
    bands = [params.cells[Cell("maze", tier)].gate["optimal_length"] for tier in ("easy", "medium", "hard", "expert")]
    assert [(band.low, band.high) for band in bands] == [(7, 12), (13, 16), (18, 25), (40, 60)]
    assert params.expected() == []
    assert params.parent is None


def test_every_generator_takes_the_parameters_of_the_template() -> None:
    for cell, block in read_params(TEXT).cells.items():
        for params in block.rungs:
            GENERATORS[cell.game].params(params)


def test_this_repository_asks_for_what_a_new_one_asks_for() -> None:
    ours = read_params((ROOT / "params.yaml").read_text("utf-8"))
    theirs = read_params(TEXT)
    for cell, block in theirs.cells.items():
        assert (ours.cells[cell].rungs, ours.cells[cell].gate) == (block.rungs, block.gate), cell


def test_dvc_yaml_of_this_repository_is_what_its_params_render() -> None:
    params = read_params((ROOT / "params.yaml").read_text("utf-8"))
    assert (ROOT / "dvc.yaml").read_text("utf-8") == render_pipeline(params)


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("seed: 5", "seed: -5", 1, "seed is -5; give 0 to"),
        ("seed: 5", "seed: five", 1, "seed must be a whole number, not 'five'"),
        ("fresh: []", "retire: 5\nfresh: []", 4, "retire is not a list; write []"),
        ("fresh: []", "retire: [{reason: x}]\nfresh: []", 4, "retire.levels is missing"),
        ("fresh: []", "retire: [{reason: '', levels: []}]\nfresh: []", 4, "retire.reason: a reason must be one line"),
        ("fresh: []", "retire: [{reason: x, levels: [abc]}]\nfresh: []", 4, "is not a list of level ids"),
        ("fresh: []", f"retire: [{{reason: x, levels: [{ID}, {ID}]}}]\nfresh: []", 4, "names a level twice"),
        ("count: 10", "count: 10\n      replace: 0", 11, "cells.maze.hard.replace is 0; give 1 to 1000"),
        ("seed: 5", "seed: true", 1, "seed must be a whole number, not True"),
        ("seed: 5", "sead: 5", 1, "unknown key sead"),
        ("seed: 5  # chosen by dice\n", "", None, "seed is missing"),
        ("parent: null", "parent: {commit: abc, digest: def}", 2, "parent.commit is not 40 hexadecimal digits"),
        ("parent: null", "parent: v1", 2, "parent must be a mapping"),
        ('lpb_gen: "0.1"', "lpb_gen: 0.1", 3, "toolchain.lpb_gen is not a string"),
        ('lpb_gen: "0.1"', 'lpb_gne: "0.1"', 3, "unknown key toolchain.lpb_gne"),
        ("fresh: []", "fresh: [mase-easy]", 4, "fresh names 'mase-easy', which is no cell; use maze-easy, maze-hard"),
        ("fresh: []", "fresh: [maze-medium]", 4, "there is no block cells.maze.medium, but fresh names it"),
        ("fresh: []", "fresh: [maze-medium]", 4, "put it back with its epoch, a snapshot never loses levels silently"),
        ("fresh: []", "fresh: maze-easy", 4, "fresh is not a list"),
        ("fresh: []", "fresh: []\nimported: [maze-easy]", 5, "imported is not a list of fresh cells"),
        ("fresh: []", "fresh: [maze-easy]\nimported: maze-easy", 5, "imported is not a list of fresh cells"),
        ("  maze:", "  mase:", 6, "unknown key cells.mase; use "),
        ("    hard:", "    Hard-1:", 9, "'Hard-1' cannot name a tier"),
        ("count: 10", "count: 0", 11, "cells.maze.hard.count is 0; give 1 to 1000"),
        ("count: 10", "count: ten", 11, "cells.maze.hard.count must be a whole number, not 'ten'"),
        ("count: 10", "cuont: 10", 11, "unknown key cells.maze.hard.cuont"),
        ("      limit: 100\n", "", 9, "cells.maze.hard.limit is missing"),
        ("optimal_length: 18..25", "optimal_length: 25..18", 15, "the band '25..18' is empty"),
        ("optimal_length: 18..25", "optimal_lenght: 18..25", 15, "there is no figure 'optimal_lenght'"),
        ("optimal_length: 18..25", "optimal_steps: 18..25", 15, "maze levels have no figure 'optimal_steps'"),
        ("gate: {optimal_length: 18..25}", "gate: [18, 25]", 15, "cells.maze.hard.gate must be a mapping"),
        ("epoch: 0", "epoch: 0, epoch: 1", 8, 'found duplicate key "epoch"'),
        ("    hard:", "\thard:", 9, "not YAML: found character '\\t'"),
        ("cells:\n", "cells: [\n", 8, "not YAML"),
        ("seed: 5", "seed: 2001-99-99", None, "not YAML: month must be in 1..12"),
        ("seed: 5", f"seed: {'9' * 5000}", None, "not YAML: Exceeds the limit"),
        ("seed: 5", f"seed: 0x{'f' * 5000}", None, "a number of more than 77 digits"),
        ("seed: 5", "name: 5\nseed: 5", 1, "name must be one line of text, not 5"),
        ("seed: 5", 'name: "a\\e[31m"\nseed: 5', 1, "name must be one line of text"),
        ("seed: 5", f"seed: {'x' * 5000}", 1, "seed must be a whole number, not 'xxx"),
        ("fresh: []", "fresh: [[maze-easy]]", 4, "fresh names ['maze-easy'], which is no cell"),
        (
            "parent: null",
            f"parent: {{commit: {'a' * 40}, digest: {'b' * 64}, tag: [1]}}",
            2,
            "parent.tag must be a tag",
        ),
        (
            "count: 10",
            "count: 10\n      ladder: {length: [7, 8]}",
            12,
            "cells.maze.hard.ladder must be a list of mappings",
        ),
        ("count: 10", "count: 10\n      ladder: [7, 8]", 12, "cells.maze.hard.ladder must be a list of mappings"),
        ("gate: {optimal_length: 18..25}", f"gate: {{optimal_length: [1, {10**400}]}}", None, "more than 77 digits"),
    ],
)
def test_a_mistake_is_told_in_one_line_with_its_place(old: str, new: str, line: int | None, says: str) -> None:
    assert old in SMALL
    with pytest.raises(BrokenParams) as caught:
        read_params(SMALL.replace(old, new, 1))
    told = str(caught.value)
    assert says in told
    assert "\n" not in told
    if line is not None:
        number = int(told.removeprefix("params.yaml:").split(":")[0])
        assert abs(number - line) <= 1, told  # YAML notices a broken bracket on the line after


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        (
            "params: {length: [18, 25]}",
            "params: {lenght: [18, 25]}",
            14,
            "params: unknown parameter 'lenght'",
        ),
        (
            "params: {length: [18, 25]}",
            "params:\n        length: [18, 25]\n        zigzag: 5",
            16,
            "params: unknown parameter 'zigzag'",
        ),
        ("params: {length: [18, 25]}", "params: {}", 14, "params: 'length' is missing"),
        ("params: {length: [18, 25]}", "params: {length: [25, 18]}", 14, "params: 'length' is [25, 18]"),
        (
            "params: {length: [18, 25]}",
            "params: {length: [18, 25]}\n      ladder:\n        - {length: [18, 19]}\n        - {length: x}",
            17,
            "ladder: 'length' is 'x'",
        ),
    ],
)
def test_a_parameter_that_the_generator_would_not_take_is_told_with_its_line(
    old: str, new: str, line: int, says: str
) -> None:
    text, cell = new.join(SMALL.rsplit(old, 1)), Cell("maze", "hard")
    with pytest.raises(BrokenParams) as caught:
        check_generator(text, cell, read_params(text).cells[cell])
    assert str(caught.value).startswith(f"params.yaml:{line}: cells.maze.hard.{says}")


@pytest.mark.parametrize(
    "text", ["", "[]", "cells: 3", "seed: 0\ncells:\n", "seed: 0\ncells: {}\n", b"\xff\xfe", "a: ]"]
)
def test_what_is_no_params_file_at_all_is_told_in_one_line(text: str | bytes) -> None:
    with pytest.raises(BrokenParams, match=r"^params\.yaml.*") as caught:
        read_params(text)
    assert "\n" not in str(caught.value)


def bomb(depth: int) -> str:
    """A list that stands for 9 ** depth values."""
    lists = ", ".join(f"k{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, depth))
    return f"{{k0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1], {lists}}}"


@pytest.mark.parametrize("key", ["seed: 5", "gate: {optimal_length: 18..25}", "fresh: []"])
def test_aliases_of_aliases_do_not_fill_the_memory(key: str) -> None:
    assert key in SMALL
    with pytest.raises(BrokenParams, match="more than 20000 values; use fewer aliases"):
        read_params(SMALL.replace(key, f"{key.partition(':')[0]}: {bomb(12)}", 1))
    with pytest.raises(BrokenParams, match=r"^params\.yaml.*"):
        read_params("&all\n" + SMALL.replace("parent: null", "parent: *all"))


def test_two_cells_cannot_share_a_block() -> None:
    """A refresh of the one would raise the other's epoch."""
    text = (
        "seed: 0\ncells:\n  maze:\n    easy: &one {epoch: 0, count: 1, reserve: 0, limit: 9, params: &p {}, gate: {}}\n"
    )
    with pytest.raises(BrokenParams, match=r"cells\.maze\.hard is another cell's block"):
        read_params(text + "    hard: *one\n")
    shared = read_params(text + "    hard: {epoch: 0, count: 1, reserve: 0, limit: 9, params: *p, gate: {}}\n")
    assert len(shared.cells) == 2, "parts may be shared"


def test_an_unknown_cell_is_told_with_what_there_is() -> None:
    params = read_params(SMALL)
    with pytest.raises(UnknownCell, match="there is no game 'chess'; use maze"):
        params.cell("chess", "hard")
    with pytest.raises(UnknownCell, match="maze has no tier 'impossible'; use easy, hard"):
        params.cell("maze", "impossible")


@pytest.mark.parametrize("text", [TEXT, SMALL])
def test_an_edit_of_nothing_changes_no_byte(text: str) -> None:
    assert edit_params(text, {}) == text


@given(
    epoch=st.integers(0, 2**31 - 1),
    count=st.integers(1, 1000),
    seed=st.integers(0, 2**63 - 1),
    tag=st.none() | st.sampled_from(["v2026.12.0", "1e5", "null", "no", "a: b", "#1"]),
    commit=st.text("0123456789abcdef", min_size=40, max_size=40),
    digest=st.sampled_from(["0" * 64, "1e" + "2" * 62, "f" * 64]),
)
def test_what_is_edited_in_is_read_back_and_the_rest_stays(
    epoch: int, count: int, seed: int, tag: str | None, commit: str, digest: str
) -> None:
    changes = {
        ("seed",): seed,
        ("parent",): {"tag": tag, "commit": commit, "digest": digest},
        ("fresh",): ["maze-hard"],
        ("cells", "maze", "hard", "epoch"): epoch,
        ("cells", "maze", "hard", "count"): count,
    }
    text = edit_params(SMALL, changes)
    params = read_params(text)
    hard = params.cells[Cell("maze", "hard")]
    assert (params.seed, hard.epoch, hard.count) == (seed, epoch, count)
    assert params.parent == Parent(commit, digest, tag)
    assert params.fresh == (("maze", "hard"),)
    assert params.cells[Cell("maze", "easy")] == read_params(SMALL).cells[Cell("maze", "easy")]
    assert "# chosen by dice" in text
    assert "    # the first cell\n    easy: {epoch: 0, count: 3," in text


def test_the_pipeline_has_stages_for_the_fresh_cells_only() -> None:
    text = render_pipeline(read_params(edit_params(SMALL, {("fresh",): ["maze-hard"]})))
    stages = YAML(typ="safe").load(text)["stages"]
    assert stages["generate"]["foreach"] == {"maze-hard": {"game": "maze", "tier": "hard"}}
    assert stages["freeze"]["deps"] == ["build/certified/maze-hard.jsonl"]
    assert stages["freeze"]["cmd"] == "lpb-gen stage freeze"


def test_the_pipeline_of_an_import_certifies_the_boards_that_git_keeps() -> None:
    names = ["maze-hard"]
    text = edit_params(SMALL, {("fresh",): names, ("imported",): names})
    assert text.index("imported: [maze-hard]") < text.index("cells:")
    stages = YAML(typ="safe").load(render_pipeline(read_params(text)))["stages"]
    assert list(stages) == ["import", "freeze"]
    assert stages["import"]["foreach"] == {"maze-hard": {"game": "maze", "tier": "hard"}}
    assert stages["import"]["do"]["deps"] == ["catalogue/imports/${item.game}/${item.tier}.jsonl"]
    assert stages["freeze"]["deps"] == ["build/certified/maze-hard.jsonl"]
    assert "imported" in stages["freeze"]["params"]


def test_the_pipeline_of_a_new_repository_shows_every_cell() -> None:
    stages = YAML(typ="safe").load(render_pipeline(read_params(SMALL)))["stages"]
    assert list(stages["verify"]["foreach"]) == ["maze-easy", "maze-hard"]


def test_what_a_refresh_adds_is_put_in_its_place_and_taken_away_again() -> None:
    key = ("cells", "maze", "hard", "replace")
    text = edit_params(SMALL, {("retire",): [{"reason": "it's: known", "levels": [ID]}], key: 3})
    assert read_params(text).retire == {ID: "it's: known"}
    assert (
        read_params(text).cells[Cell("maze", "hard")].wanted,
        read_params(SMALL).cells[Cell("maze", "hard")].wanted,
    ) == (3, 10)
    assert "      count: 10\n      replace: 3\n      reserve: 2\n" in text
    assert edit_params(text, {("retire",): ABSENT, key: ABSENT}) == edit_params(SMALL, {})
    assert edit_params(SMALL, {key: ABSENT}) == edit_params(SMALL, {}), "what is not there cannot be missed"


def with_block(more: str, gate: str = "{optimal_length: [7, 12]}") -> CellParams:
    """Three mazes a refresh, with these words in their block."""
    block = f"{{epoch: 0, count: 3, reserve: 1, limit: 9, params: {{length: [7, 12]}}, {more}gate: {gate}}}"
    return read_params(f"seed: 0\ncells: {{maze: {{easy: {block}}}}}").cells[Cell("maze", "easy")]


def test_a_spread_says_which_lengths_the_levels_of_an_epoch_have() -> None:
    assert with_block("").targets == with_block("spread: any, ").targets == ()
    assert with_block("spread: even, ").spread == Spread((7, 12))
    assert with_block("spread: even, ").targets == Spread((7, 12)).strata(3)
    assert with_block("spread: [7, 8, 8, 12], ").spread == Spread((7, 8, 8, 12))
    assert with_block("replace: 2, spread: even, ").targets == Spread((7, 12)).strata(2)
    assert with_block("replace: 2, strata: [[7, 7], [9, 10]], spread: even, ").targets == ((7, 7), (9, 10))


@pytest.mark.parametrize(
    ("more", "gate", "says"),
    [
        ("spread: even, ", "{optimal_length: 7..}", "spread is even, but over no band of lengths"),
        ("spread: wide, ", "{}", "write even, any, or rising quantiles of optimal_length"),
        ("spread: [12, 7], ", "{}", "spread is [12, 7]"),
        ("spread: [9], ", "{}", "spread is [9]"),
        ("spread: [7, 30], ", "{optimal_length: [7, 12]}", "spread goes from 7 to 30, but the gate lets 7..12 in"),
        ("spread: even, ladder: [{length: [7, 8]}], ", "{optimal_length: [7, 12]}", "a ladder says already"),
        ("strata: [[7, 8]], ", "{}", "strata has 1 ranges, but replace is nothing"),
        ("replace: 2, strata: [[9, 10], [7, 8]], ", "{}", "strata does not rise"),
        ("replace: 1, strata: [[7, 8, 9]], ", "{}", "strata is not a list of ranges"),
        ("replace: 1, strata: 3, ", "{}", "strata is not a list of ranges"),
    ],
)
def test_a_spread_that_cannot_be_is_told(more: str, gate: str, says: str) -> None:
    with pytest.raises(BrokenParams, match=re.escape(says)):
        with_block(more, gate)


def test_a_snapshot_that_only_retires_has_no_stage_but_freeze() -> None:
    parent = Parent("0" * 40, "0" * 64).to_json()
    stages = YAML(typ="safe").load(render_pipeline(read_params(edit_params(SMALL, {("parent",): parent}))))["stages"]
    assert list(stages) == ["freeze"]
    assert "deps" not in stages["freeze"]
    assert "retire" in stages["freeze"]["params"]
