"""Many cells in one snapshot; levels replaced and retired: real Git, real DVC, the command as a user types it."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import catalogues
import pytest

from lpb_gen.games.base import LpbError
from lpb_gen.pipeline import refresh as refreshing
from lpb_gen.pipeline.commands_refresh import refreshed_table
from lpb_gen.pipeline.feed import Feed, FeedReader
from lpb_gen.pipeline.freeze import FreshCell, NotThere, Twins, freeze
from lpb_gen.pipeline.params import Cell, CellParams, Params
from lpb_gen.pipeline.params_file import ABSENT, read_params
from lpb_gen.pipeline.plan import UnknownLevel, Wish, choose, find_levels, form_changes, oldest
from lpb_gen.pipeline.production import Order
from lpb_gen.pipeline.repository import Repository
from lpb_gen.pipeline.repro import failure_of
from lpb_gen.pipeline.snapshot import Snapshot, load
from lpb_gen.pipeline.strata import Spread

EASY, MEDIUM = Cell("maze", "easy"), Cell("maze", "medium")
BOTH = ("refresh", "--game", "maze", "--tier", "easy", "--tier", "medium", "--workers", "1")


@pytest.fixture
def catalogue(tmp_path: Path) -> catalogues.Catalogue:
    """One snapshot of three easy mazes, pinned as v1."""
    return catalogues.pinned(tmp_path / "catalogue")


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return load(None, catalogues.pinned(tmp_path_factory.mktemp("one") / "catalogue").root)


class Both(NamedTuple):
    """A catalogue whose second snapshot has one easy maze replaced and three medium ones, and what was printed."""

    catalogue: catalogues.Catalogue
    printed: str


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    made = catalogues.pinned(tmp_path_factory.mktemp("both") / "catalogue")
    return Both(made, made.must(*BOTH, "--replace", "1"))


def refreshed(catalogue: catalogues.Catalogue, *words: str) -> dict[str, Any]:
    return dict(json.loads(catalogue.must("refresh", *words, "--workers", "1", "--json")))


def keys(snapshot: Snapshot) -> set[str]:
    return {level.dedup_key for levels in snapshot.cells.values() for level in levels}


# --- several cells ----------------------------------------------------------------------------------------------------


def test_several_cells_are_one_snapshot_and_one_commit(both: Both) -> None:
    catalogue, after = both.catalogue, load(None, both.catalogue.root)
    assert catalogue.git("rev-list", "--count", "catalogue@v1..HEAD") == "2", "the pin of v1, and the refresh"
    assert catalogue.git("log", "-1", "--format=%s") == "Refresh 2 cells: 4 fresh levels, 1 retired"
    assert "maze-medium: 3 added, 0 retired" in catalogue.git("log", "-1", "--format=%b")
    assert {str(cell): len(levels) for cell, levels in after.cells.items()} == {"maze-easy": 3, "maze-medium": 3}
    for levels in after.cells.values():
        lengths = [level.certificate.lower for level in levels]
        assert lengths == sorted(lengths), "in rising difficulty"
    assert read_params((catalogue.root / "params.yaml").read_bytes()).fresh == (EASY, MEDIUM)
    assert catalogue.dvc("status").stdout.strip() == "Data and pipelines are up to date."


def test_the_table_sums_up_all_cells(both: Both) -> None:
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in both.printed.splitlines() if "│" in line]
    table = {row[0]: row[1:5] for row in rows if row[0]}
    assert table["maze easy"] == ["2", "1", "1", "3"]
    assert table["maze medium"] == ["1", "3", "0", "3"], "a cell that has no levels gets as many as params.yaml says"
    assert table["all"] == ["", "4", "1", "6"]


def test_a_reason_that_nobody_gave_names_the_refresh(both: Both) -> None:
    (stone,) = load(None, both.catalogue.root).manifest["retired"]
    assert (stone["reason"], stone["tag"]) == ("replaced by refresh, epoch 2", "v1")


def test_a_new_level_has_the_stratum_of_the_one_that_it_replaces(both: Both) -> None:
    before, after = (load(ref, both.catalogue.root).levels("maze", "easy") for ref in ("v1", None))
    (gone,) = {level.id for level in before} - {level.id for level in after}
    place = [level.id for level in before].index(gone)
    low, high = Spread((7, 12)).strata(3)[place]
    block = read_params((both.catalogue.root / "params.yaml").read_bytes()).cells[EASY]
    assert block.targets == ((low, high),)
    (new,) = [level for level in after if level.id not in {level.id for level in before}]
    assert low <= new.certificate.lower <= high


def test_a_cell_comes_out_the_same_together_with_others_as_alone(both: Both, tmp_path: Path) -> None:
    """It draws from its own stream, whatever is made beside it."""
    alone = catalogues.refreshed(tmp_path / "alone", tier="medium")
    assert alone.levels[MEDIUM.path] == both.catalogue.levels[MEDIUM.path]


def test_a_snapshot_of_many_cells_is_made_again_to_the_byte(both: Both, tmp_path: Path) -> None:
    catalogue = both.catalogue.copy(tmp_path / "copy")
    catalogue.must("pin", "v2")
    before = catalogue.levels
    catalogue.git("checkout", "--quiet", "catalogue@v2")
    done = catalogue.dvc("repro", "--force")
    assert done.returncode == 0, done.stderr
    for cell in (EASY, MEDIUM):
        assert f"Running stage 'generate@{cell}'" in done.stdout
    catalogue.git("diff", "--exit-code")
    assert catalogue.git("status", "--porcelain") == ""
    assert catalogue.levels == before


def test_cells_are_chosen_by_game_by_tier_or_all() -> None:
    params = read_params((Path(__file__).parents[1] / "params.yaml").read_bytes())

    def chosen(*, games: tuple[str, ...] = (), tiers: tuple[str, ...] = ()) -> list[str]:
        return [str(cell) for cell in choose(params, Wish(games=games, tiers=tiers))]

    assert chosen(games=("maze", "rush"), tiers=("hard",)) == ["maze-hard", "rush-hard"]
    assert chosen(games=("rush",)) == ["rush-easy", "rush-medium", "rush-hard", "rush-expert"]
    assert chosen(tiers=("nightmare",)) == ["nut-nightmare"], "of the games that have it"
    assert chosen() == [str(cell) for cell in params.cells]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--game", "maze", "--game", "rush", "--tier", "nightmare"), "maze has no tier 'nightmare'; use easy"),
        (("--tier", "impossible"), "params.yaml: no game has a tier 'impossible'; use default, easy, expert"),
        (("--all", "--replace", "1", "--reason", "\n"), "--reason: a reason must be one line of text; say why"),
        (("--all", "--replace", "1", "--reason", "x" * 201), "--reason: a reason of 201 characters; use 200 at most"),
    ],
)
def test_wishes_that_cannot_be_met(catalogue: catalogues.Catalogue, words: tuple[str, ...], says: str) -> None:
    before = catalogue.state
    assert says in catalogue.fails("refresh", *words)
    assert catalogue.state == before


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--all", "--game", "maze"),
        ("--all", "--replace", "0"),
        ("--all", "--replace", "some"),
        ("--all", "--replace", "2", "--count", "3"),
        ("--all", "--reason", "why"),
    ],
)
def test_words_that_do_not_go_together_are_wrong_usage(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert catalogues.Catalogue(tmp_path).lpb("refresh", *words).returncode == 2


def test_a_table_of_many_cells_fits_a_narrow_window(snapshot: Snapshot) -> None:
    from rich.console import Console

    made = {"epoch": 1, "candidates": 12345, "rejected": {"optimal_length": 12, "too_short": 7}}
    levels = snapshot.levels("maze", "easy")
    cell = refreshing.CellDone(cell=EASY, added=levels, retired=(), levels=3, made=made, seconds=61.2)
    done = refreshing.Refreshed(cells=(cell,) * 16, snapshot=snapshot, parent=None, commit="c")
    console = Console(width=80)
    with console.capture() as shown:
        console.print(refreshed_table(done, 99.0))
    assert "…" not in shown.get()
    assert max(map(len, shown.get().splitlines())) <= 80


# --- a dry run --------------------------------------------------------------------------------------------------------


def test_a_dry_run_says_what_the_refresh_then_does(catalogue: catalogues.Catalogue, both: Both) -> None:
    before = catalogue.state, (catalogue.root / "params.yaml").read_bytes()
    plan = json.loads(catalogue.must(*BOTH, "--replace", "1", "--dry-run", "--json"))
    assert (catalogue.state, (catalogue.root / "params.yaml").read_bytes()) == before
    assert "nothing was changed" in catalogue.must(*BOTH, "--replace", "1", "--dry-run")
    assert (catalogue.state, (catalogue.root / "params.yaml").read_bytes()) == before
    easy, medium = plan["cells"]
    assert (easy["epoch"], easy["count"], easy["levels"], len(easy["retire"])) == (2, 1, 3, 1)
    assert (medium["epoch"], medium["count"], medium["levels"], medium["retire"]) == (1, 3, 0, [])
    first, after = load("v1", catalogue.root), load(None, both.catalogue.root)
    assert [stone["id"] for stone in after.manifest["retired"]] == easy["retire"]
    assert after.manifest["parent"] == plan["parent"]
    old = {level.id for level in first.levels("maze", "easy")}
    added = {str(cell): {level.id for level in levels} - old for cell, levels in after.cells.items()}
    assert {cell: len(ids) for cell, ids in added.items()} == {"maze-easy": 1, "maze-medium": 3}


def test_a_dry_run_makes_the_checks_of_a_refresh(catalogue: catalogues.Catalogue) -> None:
    (catalogue.root / "dvc.yaml").write_text("# mine\n")
    assert "dvc.yaml: changes that are not committed" in catalogue.fails("refresh", "--all", "--dry-run")


def test_a_dry_run_leaves_the_remains_of_a_killed_command_to_the_next(catalogue: catalogues.Catalogue) -> None:
    journal = catalogue.root / ".dvc/tmp/lpb-gen/journal.json"
    journal.parent.mkdir(parents=True, exist_ok=True)
    journal.write_text('{"written": []}')
    (catalogue.root / "params.yaml").write_text("half")
    plan = json.loads(catalogue.must("refresh", "--all", "--dry-run", "--json"))
    easy = next(cell for cell in plan["cells"] if cell["cell"] == "maze-easy")
    assert easy["epoch"] == 2, "HEAD's params.yaml counts"
    assert journal.exists()
    assert (catalogue.root / "params.yaml").read_text() == "half"


# --- replacing --------------------------------------------------------------------------------------------------------


def test_replacing_retires_the_oldest_and_makes_as_many(tmp_path: Path) -> None:
    catalogue = catalogues.refreshed(tmp_path / "catalogue")
    first = {level.id for level in load("v1", catalogue.root).levels("maze", "easy")}
    second = {level.id for level in load(None, catalogue.root).levels("maze", "easy")} - first
    done = catalogue.refresh("--replace", "4", "--reason", "worn out")
    assert len(done["added"]) == 4
    assert len(done["retired"]) == 4
    assert first < set(done["retired"]), "those of the first snapshot go before those of the second"
    after = load(None, catalogue.root)
    assert {level.id for level in after.levels("maze", "easy")} == second - set(done["retired"]) | set(done["added"])
    stones = after.manifest["retired"]
    assert {stone["id"] for stone in stones} == set(done["retired"])
    assert {(stone["cell"], stone["tag"], stone["reason"]) for stone in stones} == {("maze-easy", None, "worn out")}
    assert catalogue.git("log", "-1", "--format=%s") == "Refresh maze easy: 4 fresh levels, 4 retired"


def test_what_was_asked_for_of_one_refresh_does_not_stay_for_the_next(both: Both, tmp_path: Path) -> None:
    catalogue = both.catalogue.copy(tmp_path / "catalogue")
    text = catalogue.git("show", "catalogue@v1:params.yaml") + "\n"
    assert read_params((catalogue.root / "params.yaml").read_bytes()).cells[EASY].wanted == 1
    assert len(catalogue.refresh()["added"]) == 3
    after = (catalogue.root / "params.yaml").read_text()
    changed = r"(?m)^(parent|toolchain|retire|fresh|      epoch): .*\n"
    assert re.sub(changed, "", after) == re.sub(changed, "", text), "comments and order stay, nothing is left over"


def test_a_block_that_says_nothing_of_its_lengths_gets_an_even_spread(snapshot: Snapshot) -> None:
    def block(more: str = "", gate: str = "{optimal_length: [13, 22]}") -> CellParams:
        line = f"{{epoch: 1, count: 3, reserve: 0, limit: 9, params: {{}}, {more}gate: {gate}}}"
        return read_params(f"seed: 0\ncells: {{maze: {{easy: {line}}}}}").cells[EASY]

    levels, key = snapshot.levels("maze", "easy"), ("cells", "maze", "easy")
    untouched = {(*key, "strata"): ABSENT}
    written = {**untouched, (*key, "spread"): "even"}
    assert form_changes(key, block(), levels, ()) == written
    assert form_changes(key, block("ladder: [{}], "), levels, ()) == untouched
    assert form_changes(key, block(gate="{optimal_length: 13..}"), levels, ()) == untouched, "no band to spread over"
    assert form_changes(key, block("spread: any, "), levels, levels[:1]) == untouched
    assert form_changes(key, block(), levels, levels[2:]) == {**written, (*key, "strata"): [[20, 22]]}
    assert form_changes(key, block("spread: [13, 13], "), levels, levels) == untouched, "all go: the whole form is made"


def test_of_a_ladder_as_many_of_each_kind_go_as_are_made(snapshot: Snapshot) -> None:
    pattern, kinds = snapshot.levels("maze", "easy")[0], Order("maze", "easy", {}, {}, 0, 1, ({}, {}, {}))
    levels = [
        dataclasses.replace(pattern, id=str(index), provenance={"seed_path": [0, "maze/easy", 1, index]})
        for index in (0, 3, 6, 1, 4, 2)
    ]
    came = {level.id: age for age, level in enumerate(levels)}  # how many snapshots ago
    assert [level.id for level in oldest(levels, 4, came, kinds)] == ["2", "4", "6", "3"], "two of the first kind"
    assert oldest(levels, 9, came, kinds) == levels[::-1]
    assert oldest(levels, 0, came, kinds) == []


def test_no_level_of_any_ancestor_ever_comes_again(catalogue: catalogues.Catalogue) -> None:
    seen = keys(load(None, catalogue.root))
    for words in (("--replace", "all"), ("--replace", "2")):
        before = load(None, catalogue.root)
        catalogue.refresh(*words)
        after = load(None, catalogue.root)
        assert seen <= after.taken("maze"), "the levels and the tombstones of a snapshot know all its ancestors' levels"
        fresh = {level.dedup_key for level in after.levels("maze", "easy")} - keys(before)
        assert not fresh & seen
        seen |= keys(after)
        if "all" in words:
            block = read_params((catalogue.root / "params.yaml").read_bytes()).cells[EASY]
            assert (block.count, block.wanted, block.epoch) == (3, 3, 2)
    assert len(seen) == 3 + 3 + 2


# --- retiring ---------------------------------------------------------------------------------------------------------


def test_a_retired_level_leaves_a_tombstone_and_stays_in_the_old_snapshot(tmp_path: Path) -> None:
    made, words, done = catalogues.retirement()
    catalogue = made.copy(tmp_path / "catalogue")
    before = load("v1", catalogues.pinned(tmp_path / "before").root)
    gone, *kept = before.levels("maze", "easy")
    assert words[1] == gone.id[:8].upper()
    assert (done["retired"], done["added"], done["levels"]) == ([gone.id], [], 2)
    after = load(None, catalogue.root)
    assert list(after.levels("maze", "easy")) == kept
    stone = {
        "id": gone.id,
        "dedup_key": gone.dedup_key,
        "cell": "maze-easy",
        "tag": "v1",
        "reason": "leaked",
    }
    assert after.manifest["retired"] == [stone]
    assert after.manifest["parent"] == before.pin.to_json()
    assert load("v1", catalogue.root) == before
    assert catalogue.git("log", "-1", "--format=%s") == "Retire 1 level of maze easy"
    assert catalogue.git("status", "--porcelain") == ""
    assert catalogue.dvc("status").stdout.strip() == "Data and pipelines are up to date."
    told = catalogue.fails("retire", gone.id, "--reason", "again")
    assert f"level {gone.id} is retired already" in told


def test_a_cell_without_levels_can_be_read_pinned_and_refreshed(catalogue: catalogues.Catalogue) -> None:
    ids = [level.id for level in load(None, catalogue.root).levels("maze", "easy")]
    printed = catalogue.must("retire", *ids, "--reason", "all known")
    assert "maze-easy has no levels now; make new ones: lpb-gen refresh --game maze --tier easy" in printed
    empty = load(None, catalogue.root)
    assert empty.levels("maze", "easy") == ()
    catalogue.must("pin", "v2")
    told = catalogue.fails("run", "--game", "maze", "--tier", "easy", "--agent", "oracle", "--surface", "direct")
    assert "it has no levels; lpb-gen refresh --game maze --tier easy" in told
    assert len(catalogue.refresh("--replace", "all")["added"]) == 3
    assert not keys(load(None, catalogue.root)) & empty.taken("maze")
    assert load("v2", catalogue.root).files == empty.files


def test_retired_levels_are_gone_from_what_is_made_again(tmp_path: Path) -> None:
    """``restore`` makes a snapshot again from its params and its parents, retirements included."""
    catalogue = catalogues.grown(tmp_path / "catalogue")
    before = catalogue.levels
    for folder in (".dvc/cache", "catalogue/levels"):
        shutil.rmtree(catalogue.root / folder)
    told = json.loads(catalogue.must("restore", "HEAD", "--workers", "1", "--json"))
    assert told["how"] == "made again"
    assert catalogue.levels == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("abcd", "--reason", "why"), "the current snapshot: no level's id begins with 'abcd'"),
        (("abc", "--reason", "why"), "'abc' is too short for a level's id; give 4 digits at least"),
        (("abcd", "--reason", " "), "--reason: a reason must be one line of text"),
    ],
)
def test_what_cannot_be_retired_is_told(catalogue: catalogues.Catalogue, words: tuple[str, ...], says: str) -> None:
    before = catalogue.state
    assert says in catalogue.fails("retire", *words)
    assert catalogue.state == before


def test_there_must_be_something_to_retire(tmp_path: Path) -> None:
    assert "no level's id begins with 'abcd'" in catalogues.new(tmp_path / "new").fails(
        "retire", "abcd", "--reason", "x"
    )


def test_the_beginning_of_an_id_must_name_one_level(snapshot: Snapshot) -> None:
    one, two, three = snapshot.levels("maze", "easy")
    alike = [dataclasses.replace(level, id=f"abcd{digit}" + level.id[5:]) for level, digit in ((one, 1), (two, 2))]
    twins = dataclasses.replace(snapshot, cells={EASY: (*alike, three)})
    with pytest.raises(UnknownLevel, match=r"2 levels' ids begin with 'abcd': abcd1\w{3}…, abcd2\w{3}…; give more"):
        find_levels(twins, ["abcd"])
    assert find_levels(twins, ["abcd2", three.id, "abcd2" + two.id[5:]]) == [alike[1], three], "each once"


# --- freeze -----------------------------------------------------------------------------------------------------------


def _params(*, retire: dict[str, str], fresh: tuple[Cell, ...] = ()) -> Params:
    blocks = {
        cell: CellParams(epoch=1, count=3, reserve=0, limit=9, params={}, gate={}, block={}) for cell in (EASY, MEDIUM)
    }
    cells = {cell: blocks[cell] for cell in {EASY, *fresh}}
    return Params(name="n", licence="l", seed=0, parent=None, toolchain={}, fresh=fresh, cells=cells, retire=retire)


def test_only_levels_of_the_parent_can_be_retired(snapshot: Snapshot) -> None:
    with pytest.raises(NotThere, match="level ffffffffffff is to be retired, but it is not in the parent"):
        freeze(_params(retire={"f" * 64: "why"}), snapshot, {})
    with pytest.raises(NotThere):
        freeze(_params(retire={"f" * 64: "why"}, fresh=(EASY,)), None, {EASY: FreshCell([], {})})


def test_the_lines_of_the_levels_that_stay_are_not_touched(snapshot: Snapshot) -> None:
    odd = b"".join(line.replace(b'","', b'", "') for line in snapshot.files[EASY.path].splitlines(keepends=True))
    old = dataclasses.replace(snapshot, files={EASY.path: odd})  # written by another version, say
    gone = snapshot.levels("maze", "easy")[1]
    files, _ = freeze(_params(retire={gone.id: "why"}), old, {})
    first, _, third = odd.splitlines(keepends=True)
    assert files[EASY.path] == first + third


def test_two_cells_that_come_upon_one_level_are_told_apart_from_an_old_level(snapshot: Snapshot) -> None:
    lines = {
        cell: [dataclasses.replace(level, tier=cell.tier).to_line() for level in snapshot.levels("maze", "easy")]
        for cell in (EASY, MEDIUM)
    }
    fresh = {cell: FreshCell(some, {}) for cell, some in lines.items()}
    with pytest.raises(Twins, match="one that was made at the same time") as caught:
        freeze(_params(retire={}, fresh=(EASY, MEDIUM)), None, fresh)
    assert caught.value.where == "maze-medium"


@pytest.mark.parametrize("error", [Twins, NotThere])
def test_what_freeze_finds_wrong_reaches_the_refresh_above(tmp_path: Path, error: type[LpbError]) -> None:
    feed = Feed(tmp_path / "feed.jsonl")
    with pytest.raises(error), feed.failures("maze-medium"):
        raise error("the same", where="maze-medium", fix="another")
    first, last = FeedReader(tmp_path / "feed.jsonl").poll()
    assert first["cell"] == "maze-medium"
    told = failure_of(last)
    assert (type(told), told.what, told.where, told.fix) == (error, "the same", "maze-medium", "another")


def test_a_cell_that_comes_upon_anothers_level_tries_further_epochs(
    catalogue: catalogues.Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, told = [], []

    def same_again(repository: Repository, workers: int, lock: int, seconds: dict[str, float]) -> None:
        cells = read_params((repository.root / "params.yaml").read_bytes()).cells
        asked.append((cells[EASY].epoch, cells[MEDIUM].epoch))
        raise Twins("the same", where="maze-medium")

    for key, value in catalogue.env.items():
        monkeypatch.setenv(key, value)
    monkeypatch.setattr(refreshing, "run_repro", same_again)
    before, wish = catalogue.state, Wish(games=("maze",), tiers=("easy", "medium"))
    with pytest.raises(Twins):
        refreshing.refresh(Repository.find(catalogue.root), wish, note=told.append)
    assert asked == [(2, epoch) for epoch in range(1, 9)]
    assert told[0] == "maze-medium: the same; trying epoch 2"
    assert catalogue.state == before
