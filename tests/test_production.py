"""Making levels: the same ones for any number of workers, and an honest count of what was dropped."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import replace
from functools import partial
from typing import ParamSpec, TypeVar

import pytest

from lpb_gen.games import GAMES
from lpb_gen.generators import GENERATORS
from lpb_gen.generators.stream import Stream
from lpb_gen.pipeline import production, stages
from lpb_gen.pipeline.level import InvalidLevel, Level, dedup_key, level_id, read_level
from lpb_gen.pipeline.params import Cell, Params
from lpb_gen.pipeline.params_file import read_params
from lpb_gen.pipeline.production import (
    Exhausted,
    Miss,
    Order,
    Proposal,
    Tally,
    batched,
    certify_cell,
    make_levels,
    propose,
    propose_cell,
    take_wanted,
)
from lpb_gen.pipeline.tiers import read_where
from lpb_gen.pipeline.workers import InlineExecutor, executor

P = ParamSpec("P")
R = TypeVar("R")

EASY = Order(
    game="maze",
    tier="easy",
    params=dict(GENERATORS["maze"].ask({"optimal_length": (7, 12)})),
    gate=read_where(("optimal_length=7..12",)),
    seed=5,
    epoch=1,
)


def made(pool: Executor, order: Order = EASY, count: int = 5, patience: int = 300) -> list[Level]:
    return list(make_levels(order, count, pool, patience=patience))


@pytest.mark.parametrize("width", [2, 3])
def test_levels_are_the_same_for_any_number_of_workers(width: int) -> None:
    alone = [level.to_line() for level in made(InlineExecutor())]
    with executor(width) as pool:
        assert [level.to_line() for level in made(pool)] == alone


def test_a_proposal_depends_on_the_order_and_its_index_only() -> None:
    backwards = [propose(EASY, index) for index in reversed(range(6))][::-1]
    assert backwards == [propose(EASY, index) for index in range(6)]


def test_seed_epoch_tier_and_index_lead_to_streams_of_their_own() -> None:
    words = {
        (seed, tier, epoch, index): Stream(Order("maze", tier, {}, {}, seed, epoch).entropy, (epoch, index)).word()
        for seed in (0, 1)
        for tier in ("easy", "hard")
        for epoch in (0, 1)
        for index in (0, 1)
    }
    assert len(set(words.values())) == len(words)


def test_the_stream_draws_the_same_words_for_ever() -> None:
    stream = Stream((5, 7), (1, 2))
    assert [stream.word() for _ in range(3)] == [5978226081128048179, 12360744775365747324, 6431344369738314927]
    assert [stream.below(10) for _ in range(12)] == [9, 8, 8, 7, 8, 3, 7, 2, 3, 5, 3, 8]


def test_every_level_is_certified_within_its_band_and_new() -> None:
    levels = made(InlineExecutor(), count=8)
    assert len({level.dedup_key for level in levels}) == 8
    for level in levels:
        assert 7 <= level.figures["optimal_length"] <= 12
        assert level.certificate.lower == level.certificate.upper == len(level.certificate.solution)
        assert len(level.certificate.proofs) >= 2


def test_what_is_taken_already_is_passed_over_and_counted() -> None:
    pool = InlineExecutor()
    proposals, tally = propose_cell(EASY, 3, pool, limit=2000)
    again, tally_again = propose_cell(EASY, 3, pool, limit=2000, taken=frozenset(p.dedup_key for p in proposals))
    assert {p.index for p in proposals} & {p.index for p in again} == set()
    assert tally_again.rejected["duplicate"] == 3
    assert tally_again.proposed == tally.proposed == 3
    assert tally_again.candidates == again[-1].index + 1


def test_proposals_survive_json_and_certify_in_order() -> None:
    proposals, _ = propose_cell(EASY, 3, InlineExecutor(), limit=2000)
    read = [Proposal.from_json(json.loads(json.dumps(p.to_json()))) for p in proposals]
    assert read == proposals
    levels, tally = certify_cell(EASY, read, InlineExecutor())
    assert [level.provenance["seed_path"][3] for level in levels] == [p.index for p in proposals]
    assert (tally.candidates, tally.accepted) == (3, 3)


def test_a_gate_that_nothing_passes_ends_after_the_limit_and_says_how_near_it_came() -> None:
    order = Order("maze", "", EASY.params, read_where(("optimal_length=900..910",)), 0, 0)
    with pytest.raises(Exhausted, match=r"found 0 of 1 level with optimal_length=900..910 in 12 candidates") as caught:
        made(InlineExecutor(), order, 1, patience=12)
    nearest = int(str(caught.value).partition("nearest optimal_length found was ")[2].split(";")[0])
    assert 7 <= nearest <= 12


def test_the_limit_ends_a_cell_short() -> None:
    order = Order("maze", "", EASY.params, read_where(("optimal_length=900..910",)), 0, 0)
    proposals, tally = propose_cell(order, 1, InlineExecutor(), limit=7)
    assert (proposals, tally.candidates, tally.proposed) == ([], 7, 0)


def test_a_figure_outside_its_band_is_named_in_the_count() -> None:
    order = Order("maze", "", EASY.params, read_where(("optimal_length=7..12,floor_cells=..1",)), 0, 0)
    proposals, _ = propose_cell(order, 2, InlineExecutor(), limit=2000)
    levels, tally = certify_cell(order, proposals, InlineExecutor())
    assert (levels, tally.rejected) == ([], {"floor_cells": 2})


# --- levels of several kinds ------------------------------------------------------------------------------------------

KINDS = Order(
    game="truck",
    tier="default",
    params={},
    gate=read_where(("bait=..2",)),
    seed=2,
    epoch=1,
    rungs=tuple({"vehicles": n, "depth": 3} for n in (6, 8, 10)),
)


def kinds(found: Sequence[Proposal]) -> list[int]:
    return [len(proposal.board["vehicles"]) for proposal in found]


def test_each_kind_gets_its_share_and_the_first_what_is_left_over() -> None:
    assert [KINDS.shares(n) for n in (1, 3, 5, 6)] == [[1, 0, 0], [1, 1, 1], [2, 2, 1], [2, 2, 2]]
    assert EASY.shares(7) == [7]
    assert [KINDS.params_of(i)["vehicles"] for i in range(4)] == [6, 8, 10, 6]
    assert EASY.params_of(3) == EASY.params


def test_what_is_proposed_beyond_the_share_of_its_kind_is_counted_as_surplus() -> None:
    taken = frozenset({propose(KINDS, 1).dedup_key})  # type: ignore[union-attr]
    found, tally = propose_cell(KINDS, 3, InlineExecutor(), limit=30, taken=taken)
    assert sorted(kinds(found)) == [6, 8, 10]
    assert tally.rejected == {"duplicate": 1, "surplus": 1}
    assert [proposal.index for proposal in found] == [0, 2, 4], "the kind that came short is made at its next turn"


def test_a_cell_holds_its_share_of_every_kind_though_the_gate_turns_some_away() -> None:
    text = """\
seed: 2
cells:
  truck:
    default:
      epoch: 1
      count: 4
      reserve: 14
      limit: 30
      params: {depth: 3}
      ladder: [{vehicles: 6}, {vehicles: 8}, {vehicles: 10}]
      gate: {bait: 0}
"""
    params, cell = read_params(text), Cell("truck", "default")
    lines = []
    for width in (1, 2):
        with executor(width) as pool:
            proposals, tally = stages.propose(params, cell, frozenset(), pool, lambda tally: None)
            levels, total = stages.certify(params, cell, proposals, tally, pool, lambda tally: None)
        lines.append([level.to_line() for level in levels])
    assert lines[0] == lines[1]
    assert sorted(kinds(proposals)) == [6] * 6 + [8] * 6 + [10] * 6
    assert sorted(level.certificate.lower for level in levels) == [6, 6, 8, 10]
    assert total.accepted == 4
    assert total.rejected["bait"] > 0, "otherwise nothing was turned away"


# --- levels in strata -------------------------------------------------------------------------------------------------

MAZE = Cell("maze", "easy")
FORM = replace(EASY, strata=((7, 8), (9, 9), (11, 12)))


def lengths(found: Sequence[Proposal]) -> list[int]:
    return [proposal.claim.lower for proposal in found]


def test_a_candidate_is_made_for_the_stratum_whose_turn_it_is() -> None:
    assert [FORM.params_of(index)["aim"] for index in range(4)] == [[7, 8], [9, 9], [11, 12], [7, 8]]
    assert "aim" not in EASY.params_of(0)
    assert replace(KINDS, rungs=(), strata=((6, 8),)).aim(0) is None, "Truck Escape draws its vehicles"


def test_proposals_fill_the_strata_whoever_makes_them() -> None:
    with executor(2) as pool:
        found, tally = propose_cell(FORM, 6, pool, limit=300)
    alone, tally_alone = propose_cell(FORM, 6, InlineExecutor(), limit=300)
    assert (found, tally) == (alone, tally_alone)
    kept, _ = take_wanted(FORM.places(6), found)
    assert [sum(low <= n <= high for n in lengths(kept)) for low, high in FORM.strata] == [2, 2, 2]
    assert tally.candidates == len(found) + sum(tally.rejected.values())


def in_strata(gate: str, spread: str, length: str = "[7, 12]") -> Params:
    block = (
        f"{{epoch: 1, count: 3, reserve: 0, limit: 300, params: {{length: {length}}}, spread: {spread}, gate: {gate}}}"
    )
    return read_params(f"seed: 5\ncells:\n  maze:\n    easy: {block}\n")


def certified(params: Params, proposals: Sequence[Proposal], tally: Tally) -> tuple[list[Level], Tally]:
    return stages.certify(params, MAZE, proposals, tally, InlineExecutor(), lambda tally: None)


def proposed(params: Params) -> tuple[list[Proposal], Tally]:
    return stages.propose(params, MAZE, frozenset(), InlineExecutor(), lambda tally: None)


def test_a_stratum_that_stays_empty_ends_the_search_and_the_nearest_stands_in() -> None:
    params = in_strata("{}", "[8, 9, 400]", "[7, 9]")
    assert params.cells[MAZE].targets == ((8, 8), (9, 74), (205, 335))
    proposals, tally = proposed(params)
    levels, total = certified(params, proposals, tally)
    assert tally.candidates < 300, "the limit"
    assert total.to_json()["missed"] == [(205, 335)]
    rest = sorted(lengths(proposals))
    rest.remove(8)
    rest.remove(9)
    assert sorted(level.certificate.lower for level in levels) == sorted([8, 9, rest[-1]]), "the nearest to it"


def test_what_certification_turns_away_asks_for_more_proposals_before_another_stands_in() -> None:
    open_gate = in_strata("{optimal_length: [7, 12]}", "even")
    proposals, tally = proposed(open_gate)
    proposals, _ = take_wanted(stages.order(open_gate, MAZE).places(3), proposals)
    levels, total = certified(open_gate, proposals, tally)
    assert (len(levels), total.missed) == (3, [])
    most = max(level.figures["floor_cells"] for level in levels) - 1
    strict = in_strata(f"{{optimal_length: [7, 12], floor_cells: ..{most}}}", "even")
    with pytest.raises(stages.CellShort, match=r"certification left \d of 3 strata empty") as caught:
        certified(strict, proposals, tally)
    assert caught.value.can_grow


def test_a_cell_without_strata_counts_as_it_did_before_there_were_any() -> None:
    assert "missed" not in Tally().to_json()
    assert Tally(**json.loads(json.dumps(Tally(missed=[(3, 4)]).to_json()))).missed == [[3, 4]]


def test_tallies_add_up() -> None:
    tally = Tally(candidates=3, rejected={"too_short": 2}, nearest=9)
    tally.merge(Tally(candidates=2, accepted=1, rejected={"too_short": 1, "duplicate": 1}, nearest=17, unproven=1))
    assert tally == Tally(candidates=5, accepted=1, unproven=1, rejected={"too_short": 3, "duplicate": 1}, nearest=9)


def test_a_miss_is_no_level() -> None:
    order = Order("maze", "", EASY.params, read_where(("optimal_length=900..910",)), 0, 0)
    assert isinstance(propose(order, 0), Miss)


def test_a_level_reads_back_from_its_line() -> None:
    (level,) = made(InlineExecutor(), count=1)
    assert read_level(level.to_line()).to_line() == level.to_line()


def test_a_level_whose_board_was_changed_is_refused() -> None:
    (level,) = made(InlineExecutor(), count=1)
    rows = list(level.board["rows"])
    rows.append("#" * len(rows[0]))
    with pytest.raises(InvalidLevel, match="does not belong to this board"):
        read_level(json.dumps({**level.to_json(), "board": {"rows": rows}}), where="maze/easy.jsonl:1")
    for junk in ("", "[]", "{}", "[" * 100_000, '{"certificate": 3}'):
        with pytest.raises(InvalidLevel):
            read_level(junk)


def test_ids_hash_the_board_and_dedup_keys_its_symmetry_class() -> None:
    game = GAMES["maze"]
    one, mirrored = {"rows": ["S..", "..#"]}, {"rows": ["..S", "#.."]}
    assert level_id(game, one) != level_id(game, mirrored)
    assert dedup_key(game, game.board(one)) == dedup_key(game, game.board(mirrored))
    # sha256 of {"board":{"rows":["S..","..#"]},"game":"maze","rules_version":1,"schema":1}
    assert level_id(game, one) == "d0580918a596072387870d1759d0a4e86540122425ca79f56049aa468bfb9705"


class Asked(Future[R]):
    """Does its work when its result is asked for."""

    def __init__(self, work: Callable[[], R]) -> None:
        super().__init__()
        self._work = work

    def result(self, timeout: float | None = None) -> R:
        return self._work()


class Late(Executor):
    """Two workers whose work is done when somebody asks for it: the most that can be under way is under way."""

    width = 2

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        return Asked(partial(fn, *args, **kwargs))


class Patient(Late):
    batch_seconds = 4.0


def by_the_clock(now: list[float], sizes: list[int]) -> Callable[..., tuple[float, list[int]]]:
    """Times a batch by ``now``, which its task moves on, and notes its size."""

    def timed(task: Callable[[int], int], batch: Sequence[int]) -> tuple[float, list[int]]:
        began = now[0]
        sizes.append(len(batch))
        outcomes = [task(item) for item in batch]
        return now[0] - began, outcomes

    return timed


@pytest.mark.parametrize(("pool", "most"), [(Late(), 40), (Patient(), 400)])
def test_batches_grow_to_what_their_executor_wants_and_not_beyond(
    pool: Executor, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, sizes = [0.0], list[int]()

    def ten_milliseconds(item: int) -> int:
        now[0] += 0.01
        return item

    monkeypatch.setattr(production, "_timed", by_the_clock(now, sizes))
    assert list(batched(ten_milliseconds, range(8000), pool)) == list(range(8000))
    assert max(sizes) == most
    assert sizes[-2] == most


def test_batches_shrink_where_candidates_take_longer_later(monkeypatch: pytest.MonkeyPatch) -> None:
    now, sizes = [0.0], list[int]()

    def slow_from_a_thousand_on(item: int) -> int:
        now[0] += 0.001 if item < 1000 else 1
        return item

    monkeypatch.setattr(production, "_timed", by_the_clock(now, sizes))
    assert list(batched(slow_from_a_thousand_on, range(4000), Late())) == list(range(4000))
    assert sizes[-1] == 1
