"""Two snapshots side by side, and a catalogue's history in words."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import catalogues
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored import STORED, Lines, edited, lines

from lpb_gen.pipeline.changelog import changes
from lpb_gen.pipeline.diff import CellDiff, Diff, diff
from lpb_gen.pipeline.distribution import describe, figure_distributions
from lpb_gen.pipeline.history import history
from lpb_gen.pipeline.level import InvalidLevel
from lpb_gen.pipeline.manifest import SnapshotCorrupt, sha256
from lpb_gen.pipeline.params import Cell
from lpb_gen.pipeline.repository import Repository
from lpb_gen.pipeline.revisions import UnknownSnapshot, resolve
from lpb_gen.pipeline.snapshot import load, load_sealed

EASY = "levels/maze/easy.jsonl"


def compared(first: Path, second: Path) -> Diff:
    return diff(load_sealed(None, first), load_sealed(None, second))


def easy(found: Diff) -> CellDiff:
    return found.cells[Cell("maze", "easy")]


# --- diff -------------------------------------------------------------------------------------------------------------


def test_a_snapshot_does_not_differ_from_itself() -> None:
    found = compared(STORED, STORED)
    snapshot = load(None, STORED)
    for cell, one in found.cells.items():
        assert one.unchanged == [level.id for level in snapshot.cells[cell]]
        assert not [*one.added, *one.retired, *one.gone, *one.changed]
        assert one.levels == (len(snapshot.cells[cell]),) * 2
        assert one.figures[0] == one.figures[1]


def test_levels_that_are_only_in_one_are_told_apart(tmp_path: Path) -> None:
    one, two, *_ = (json.loads(line)["id"] for line in lines(EASY))
    stones = [{"id": two, "dedup_key": "k", "reason": "worn out"}]

    def drop(files: Lines) -> None:
        del files[EASY][:2]

    smaller = edited(tmp_path / "smaller", drop, retired=stones)
    forwards, backwards = easy(compared(STORED, smaller)), easy(compared(smaller, STORED))
    assert [(entry.id, entry.reason) for entry in forwards.retired] == [(two, "worn out")]
    assert [entry.id for entry in forwards.gone] == [one], "without a tombstone"
    assert forwards.added == []
    assert [(entry.id, entry.reason) for entry in backwards.added] == [(one, ""), (two, "worn out")]
    assert forwards.unchanged == backwards.unchanged == [json.loads(line)["id"] for line in lines(EASY)[2:]]
    assert forwards.levels == (4, 2)


def test_a_level_with_other_figures_is_changed_and_one_written_otherwise_is_not(tmp_path: Path) -> None:
    def rewrite(lines: Lines) -> None:
        level = json.loads(lines[EASY][0])
        level["figures"]["stops"] += 1
        lines[EASY][0] = json.dumps(level, sort_keys=True, separators=(",", ":"))
        lines[EASY][1] = json.dumps(json.loads(lines[EASY][1]))  # with blanks

    found = easy(compared(STORED, edited(tmp_path / "other", rewrite)))
    ((number, before, after),) = found.changed
    assert number == json.loads(lines(EASY)[0])["id"]
    assert after["stops"] == before["stops"] + 1
    assert len(found.unchanged) == 3


def test_a_cell_that_only_one_has(tmp_path: Path) -> None:
    other = edited(tmp_path / "other", lambda lines: None)
    manifest = json.loads((other / "manifest.json").read_text())
    del manifest["files"]["levels/rush/easy.jsonl"]
    (other / "manifest.json").write_text(json.dumps(manifest))
    shutil.rmtree(other / "levels" / "rush")
    found = compared(other, STORED).cells[Cell("rush", "easy")]
    assert (len(found.added), found.levels) == (2, (0, 2))
    assert found.figures[0] == {}


def test_what_is_told_of_a_level_is_what_its_line_says(tmp_path: Path) -> None:
    """However it is written: the end of a line is read alone where it can be."""
    orders: list[Callable[[dict[str, Any]], str]] = [
        lambda level: json.dumps(level, sort_keys=True, separators=(",", ":")),
        json.dumps,
        lambda level: json.dumps(dict(reversed(level.items())), separators=(",", ":")),
        lambda level: json.dumps(
            {**level, "provenance": {"by": '","dedup_key":"x"', "x": {"dedup_key": "y", "id": "z"}}},
            sort_keys=True,
            separators=(",", ":"),
        ),
    ]
    for number, write in enumerate(orders):

        def rewrite(lines: Lines, write: Callable[[dict[str, Any]], str] = write) -> None:
            for some in lines.values():
                some[:] = [write(json.loads(line)) for line in some]

        found = compared(STORED, edited(tmp_path / str(number), rewrite))
        for one in found.cells.values():
            assert not [*one.added, *one.retired, *one.gone, *one.changed]
            assert one.figures[0] == one.figures[1]


def test_a_line_that_is_no_level_is_told(tmp_path: Path) -> None:
    broken = edited(tmp_path / "broken", lambda lines: lines[EASY].append("{}"))
    with pytest.raises(InvalidLevel, match=r"levels/maze/easy\.jsonl: not a level record"):
        compared(STORED, broken)


def test_damaged_files_are_not_compared(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(STORED, tmp_path / "copy"))
    (copy / EASY).write_text("")
    with pytest.raises(SnapshotCorrupt, match="is not what the manifest says"):
        compared(STORED, copy)


def test_the_command_prints_levels_reasons_and_figures(
    lpb_gen: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    gone = json.loads(lines(EASY)[0])["id"]

    def drop(files: Lines) -> None:
        del files[EASY][0]

    other = edited(tmp_path / "other", drop, retired=[{"id": gone, "dedup_key": "k", "reason": "worn out"}])
    printed = lpb_gen("diff", str(STORED), str(other)).stdout
    assert f"  - {gone[:12]}  optimal_length" in printed
    assert "retired: worn out" in printed
    assert "    floor_cells: " in printed
    assert "│ rush-easy │" in printed
    assert "rush-easy\n" not in printed.partition("└")[2], "a cell that does not differ is in the table only"
    told = json.loads(lpb_gen("diff", str(STORED), str(other), "--json").stdout)
    assert told["cells"]["maze-easy"]["retired"][0]["reason"] == "worn out"
    assert told["cells"]["maze-easy"]["figures"]["optimal_length"][0]["n"] == 4
    assert told["cells"]["rush-easy"]["unchanged"]


# --- distributions ----------------------------------------------------------------------------------------------------


@given(st.lists(st.floats(-1e6, 1e6) | st.integers(-1000, 1000), min_size=2))
def test_a_distribution_is_what_the_standard_library_says(values: list[float]) -> None:
    found = describe(values)
    assert found.n == len(values)
    assert found.mean == pytest.approx(statistics.fmean(values), abs=1e-9)
    assert found.sd == pytest.approx(statistics.stdev(values), rel=1e-6, abs=1e-6)
    assert found.median == pytest.approx(statistics.median(values))
    assert (found.low, found.high) == (min(values), max(values))
    assert found.standard_error == pytest.approx(found.sd / len(values) ** 0.5)


def test_figures_inside_others_count_and_null_does_not() -> None:
    found = figure_distributions(
        [
            {"a": 1, "b": None, "greedy": {"result": "loops", "moves": 4}},
            {"a": 3, "b": 0.5, "greedy": {"result": "solves", "moves": None}, "flag": True},
        ]
    )
    assert {name: (one.n, one.mean) for name, one in found.items()} == {
        "a": (2, 2.0),
        "b": (1, 0.5),
        "greedy.moves": (1, 4.0),
        "greedy.result=loops": (2, 0.5),
        "greedy.result=solves": (2, 0.5),
    }


# --- log --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> catalogues.Catalogue:
    """v1: three easy mazes; then one of them retired; v2: two more fresh, one of the old retired."""
    return catalogues.grown(tmp_path_factory.mktemp("history") / "catalogue")


def test_the_log_tells_each_snapshot_newest_first(catalogue: catalogues.Catalogue) -> None:
    told = json.loads(catalogue.must("log", "--json"))
    one = [{"reason": "refresh, epoch 2", "levels": 1}]
    assert [(change["tag"], change["levels"], change["cells"]) for change in told] == [
        ("v2", 2, {"maze-easy": {"added": one, "retired": [{"reason": "worn out", "levels": 1}], "levels": 2}}),
        (None, 2, {"maze-easy": {"added": [], "retired": [{"reason": "leaked", "levels": 1}], "levels": 2}}),
        ("v1", 3, {"maze-easy": {"added": [{"reason": "refresh, epoch 1", "levels": 3}], "retired": [], "levels": 3}}),
    ]
    assert {change["date"] for change in told} == {"2026-12-01"}
    printed = catalogue.must("log").splitlines()
    assert printed[0].startswith("v2  2026-12-01  commit ")
    assert printed[1] == "  maze-easy: +1 refresh, epoch 2; -1 worn out (2 now)"
    assert json.loads(catalogue.must("log", "v1", "--json")) == told[2:]


def test_the_difference_of_two_pins_has_the_reasons(catalogue: catalogues.Catalogue) -> None:
    found = easy(diff(load_sealed("v1", catalogue.root), load_sealed("v2", catalogue.root)))
    assert sorted(entry.reason for entry in found.retired) == ["leaked", "worn out"]
    assert (len(found.added), len(found.unchanged), found.gone) == (1, 1, [])


def test_a_history_is_read_by_digest_to_its_beginning(catalogue: catalogues.Catalogue) -> None:
    repository = Repository.find(catalogue.root)
    found = list(history(repository, resolve(repository, "v2")))
    assert [snapshot.pin.tag for snapshot in found] == ["v2", None, "v1"]
    assert all(
        sha256(repository.blob(str(s.pin.commit), "catalogue/manifest.json") or b"") == s.pin.digest for s in found
    )


def test_a_history_that_was_cut_off_is_told(catalogue: catalogues.Catalogue, tmp_path: Path) -> None:
    clone = catalogue.clone(tmp_path / "shallow", "--depth", "2")
    repository = Repository.find(clone.root)
    with pytest.raises(UnknownSnapshot, match="git fetch --unshallow --tags"):
        list(changes(repository, resolve(repository, "HEAD")))
    assert "git fetch --unshallow --tags" in clone.fails("log")


def test_a_new_repository_has_no_history(tmp_path: Path) -> None:
    told = catalogues.new(tmp_path / "new").fails("log")
    assert "no snapshot at this revision" in told
    assert "make one: lpb-gen refresh --game GAME --tier TIER" in told


def test_a_revision_before_the_first_snapshot_is_told_where_the_others_are(catalogue: catalogues.Catalogue) -> None:
    first = catalogue.git("rev-list", "--max-parents=0", "HEAD")
    assert "name another: lpb-gen log lists them" in catalogue.fails("log", first)
