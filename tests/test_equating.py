"""Are two snapshots interchangeable: the statistics, the reference players' scores, the verdict and the page."""

from __future__ import annotations

import dataclasses
import html.parser
import json
import re
import statistics
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from stored import STORED

from lpb_gen.pipeline.level import Level
from lpb_gen.pipeline.params import Cell
from lpb_gen.pipeline.snapshot import Snapshot, load
from lpb_gen.pipeline.workers import InlineExecutor, executor
from lpb_gen.runners import equating
from lpb_gen.runners.equating import (
    CellComparison,
    Comparison,
    Play,
    compare,
    number_of_plays,
    play_level,
    scores,
    standard_error,
)
from lpb_gen.runners.equating_page import page

EASY = Cell("maze", "easy")


@pytest.fixture(scope="module")
def stored() -> Snapshot:
    return load(None, STORED)


def with_lengths(pattern: Level, lengths: Sequence[int], name: str) -> tuple[Level, ...]:
    """Levels of these optimal lengths, with ids of their own."""
    return tuple(
        dataclasses.replace(
            pattern,
            id=f"{name}{number}",
            certificate=dataclasses.replace(pattern.certificate, lower=length, upper=length),
            figures={**pattern.figures, "optimal_length": length},
        )
        for number, length in enumerate(lengths)
    )


def compared(
    stored: Snapshot, first: Sequence[int], second: Sequence[int], *, random: tuple[float, float] = (0.5, 0.5)
) -> CellComparison:
    """Two cells of these lengths in which the oracle solves all, and the random player the given shares of each."""
    pattern = stored.cells[EASY][0]
    sides = with_lengths(pattern, first, "a"), with_lengths(pattern, second, "b")
    solved = {}
    for side, share in zip(sides, random, strict=True):
        for level in side:
            solved |= {(level.id, "oracle"): 1.0, (level.id, "random"): share, (level.id, "greedy"): 0.0}
    return equating.compare_cell(*sides, solved)


# --- the verdict ------------------------------------------------------------------------------------------------------


def test_equal_forms_are_parallel(stored: Snapshot) -> None:
    found = compared(stored, [7, 8, 9, 10, 11], [11, 10, 9, 8, 7])
    assert (found.verdict, found.difference, found.why, found.shared) == ("parallel", 0.0, (), 0)


def test_means_that_lie_further_apart_than_a_standard_error_are_not_parallel(stored: Snapshot) -> None:
    """sd is 1.58 and n is 5, so the standard error is 0.707."""
    assert compared(stored, [7, 8, 9, 10, 11], [7, 8, 9, 11, 12]).verdict == "parallel"
    found = compared(stored, [7, 8, 9, 10, 11], [8, 9, 10, 11, 12])
    assert found.verdict == "not parallel"
    assert found.why == ("the mean optimal length differs by +1, the standard error is 0.707",)


def test_levels_without_spread_are_parallel_only_where_they_are_equal(stored: Snapshot) -> None:
    assert compared(stored, [9] * 5, [9] * 6).verdict == "parallel"
    assert compared(stored, [9] * 5, [10] * 5).verdict == "not parallel"


def test_an_agent_that_does_better_on_one_form_speaks_against_it(stored: Snapshot) -> None:
    found = compared(stored, [7, 8, 9, 10, 11], [7, 8, 9, 10, 11], random=(0.2, 0.8))
    assert found.verdict == "not parallel"
    assert found.why == ("the LC of random differs by +60 (interval +60 to +60)",)


def test_of_too_few_levels_nothing_is_said(stored: Snapshot) -> None:
    found = compared(stored, [7, 8, 9, 10], [20, 21, 22, 23, 24])
    assert (found.verdict, found.standard_error, found.agents) == ("too few levels", None, {})
    assert compared(stored, [], [7]).verdict == "too few levels"


def test_the_standard_error_is_that_of_one_form() -> None:
    one, other = [7, 9, 10, 12, 15], [8, 8, 9, 13, 13]
    pooled = ((statistics.variance(one) + statistics.variance(other)) / 2) ** 0.5
    assert standard_error(one, other) == pytest.approx(pooled / 5**0.5)
    assert standard_error(one, one * 4) < standard_error(one, one)


# --- scores -----------------------------------------------------------------------------------------------------------


def by_id(name: str, shares: Sequence[float]) -> dict[str, float]:
    return {f"{name}{number}": float(share) for number, share in enumerate(shares)}


def test_intervals_hold_the_score_and_shrink_with_the_number_of_levels() -> None:
    few, many = (scores(by_id("a", [1, 0] * n), by_id("b", [1, 1, 0, 0] * (n // 2))) for n in (4, 100))
    for found in (few, many):
        assert (found.first, found.second, found.agrees) == (50.0, 50.0, True)
        for low, high in (found.first_interval, found.second_interval):
            assert low < 50 < high
    width = [found.difference[1] - found.difference[0] for found in (few, many)]
    assert width[1] < width[0] / 3


def test_a_form_is_exactly_equal_to_itself() -> None:
    form = by_id("a", [1, 0, 0.4, 1, 0.2])
    same = scores(form, dict(reversed(form.items())))
    assert (same.first, same.first_interval) == (same.second, same.second_interval)
    assert (same.difference, same.agrees) == ((0.0, 0.0), True)


def test_levels_in_both_forms_make_no_difference() -> None:
    many, few = by_id("a", [1, 0] * 10), by_id("b", [1, 0])
    apart = scores({**many, **few}, {**many, **by_id("c", [0, 0])}).difference
    wholly = scores({**many, **few}, {**by_id("d", [1, 0] * 10), **by_id("c", [0, 0])}).difference
    assert apart[1] - apart[0] < (wholly[1] - wholly[0]) / 3


def test_equal_scores_of_other_levels_have_equal_intervals() -> None:
    found = scores(by_id("a", [1, 0, 0.4, 1]), by_id("b", [1, 0, 0.4, 1]))
    assert found.first_interval == found.second_interval


def test_an_interval_is_near_the_one_of_the_normal_law() -> None:
    """Of 100 levels, half of them solved: 50 % ± 1.96 · 5 %."""
    low, high = scores(by_id("a", [1, 0] * 50), by_id("b", [1])).first_interval
    assert low == pytest.approx(40, abs=1.5)
    assert high == pytest.approx(60, abs=1.5)


@pytest.mark.parametrize("cell", ["maze-easy", "maze-hard", "nut-easy", "rush-easy"])
def test_the_oracle_solves_every_level_and_the_greedy_player_those_that_the_figure_says(
    stored: Snapshot, cell: str
) -> None:
    for level in stored.cells[Cell(*cell.split("-"))]:
        assert play_level(Play(level, "oracle")) == 1.0
        assert play_level(Play(level, "greedy")) == (level.figures["greedy_outcome"]["result"] == "solves")


def test_the_random_player_plays_the_same_every_time(stored: Snapshot) -> None:
    level = stored.cells[Cell("maze", "hard")][0]
    shares = {play_level(Play(level, "random")) for _ in range(2)}
    assert len(shares) == 1
    assert shares <= {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}, "of five plays"


def test_two_workers_come_to_the_same_and_each_level_is_played_once(
    stored: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(equating, "FEWEST", 2)
    some = dataclasses.replace(stored, cells={EASY: stored.cells[EASY], Cell("nut", "easy"): ()})
    fewer = dataclasses.replace(stored, cells={EASY: stored.cells[EASY][1:]})
    ticks: list[int] = []
    alone = compare(some, fewer, InlineExecutor(), ticks.append)
    assert ticks[-1] == number_of_plays(some, fewer) == 4 * 3
    with executor(2) as pool:
        assert compare(some, fewer, pool).to_json() == alone.to_json()
    assert alone.cells[EASY].shared == 3
    assert alone.cells[EASY].agents["oracle"].first == 100.0
    assert alone.cells[Cell("nut", "easy")].verdict == "too few levels"


# --- the command and the page -----------------------------------------------------------------------------------------


def test_the_command_gives_a_verdict_for_each_cell_and_writes_a_page(
    lpb_gen: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    words = ("compare", str(STORED), str(STORED), "--workers", "1", "--out", "report")
    done = lpb_gen(*words)
    assert done.returncode == 0, done.stderr
    assert "0 parallel, 0 not parallel, 4 too few levels" in done.stdout
    assert "maze easy" in (tmp_path / "report" / "index.html").read_text()
    done = lpb_gen(*words)
    assert done.returncode == 1
    assert "there is a page already; name another folder" in done.stderr
    told = json.loads(lpb_gen(*words[:5], "--json").stdout)
    assert told["cells"]["maze-easy"]["verdict"] == "too few levels"
    assert told["cells"]["maze-easy"]["figures"]["optimal_length"][0]["n"] == 4


class Reader(html.parser.HTMLParser):
    """Every tag is closed in its turn; what the page would load is collected."""

    VOID = frozenset({"meta", "rect", "line", "circle"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [
            str(value) for name, value in attrs if name in ("src", "href") and not str(value).startswith("#")
        ]
        self.loads += [tag] if tag in ("script", "link", "img", "iframe", "object") else []
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in self.VOID

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("lengths", [[7, 8, 9, 10, 11], [9] * 5, [5, 200, 300, 400, 900]])
def test_the_page_is_whole_and_loads_nothing(stored: Snapshot, lengths: list[int]) -> None:
    cells = {
        EASY: compared(stored, lengths, [*lengths, 12]),
        Cell("rush", "easy"): compared(stored, [], [7]),
        Cell("nut", "easy"): compared(stored, [], []),
    }
    text = page(Comparison(stored.pin, stored.pin, cells))
    reader = Reader()
    reader.feed(text)
    assert (reader.open, reader.loads) == ([], [])
    assert not re.search(r"https?:|url\(|@import|nan|inf", text.replace("interval", ""))
    for word in ("maze easy", "rush easy", "too few levels", "prefers-color-scheme: dark", str(stored.pin)):
        assert word in text


def test_the_page_draws_a_bar_for_each_length_and_a_point_for_each_score(stored: Snapshot) -> None:
    text = page(Comparison(stored.pin, stored.pin, {EASY: compared(stored, [7, 7, 8, 9, 9], [7, 8, 8, 8, 10])}))
    assert text.count("<rect") == 3 + 3
    assert text.count("<circle") == 2 * 3
    for label in ("7", "8", "9", "10"):
        assert f">{label}</text>" in text, "every length is labelled where there is room"
    for label in ("optimal length", "levels of A", "levels of B", "LC in %", "0", "1", "2", "3"):
        assert f">{label}</text>" in text


@pytest.mark.parametrize(("most", "ticks"), [(1, [0, 1]), (5, [0, 2, 4]), (9, [0, 5]), (130, [0, 50, 100])])
def test_levels_are_counted_at_whole_numbers(stored: Snapshot, most: int, ticks: list[int]) -> None:
    picture = page(Comparison(stored.pin, stored.pin, {EASY: compared(stored, [9] * most, [10])}))
    found = re.findall(r'text-anchor="end">(\d+)</text>', picture)
    assert sorted({int(tick) for tick in found}) == ticks
    assert len(found) == 2 * len(ticks) - 1, "up and down from 0"
