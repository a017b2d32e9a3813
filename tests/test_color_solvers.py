"""Color Connect's generator and verifier: known answers, brute force, each other; and what must be rejected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from math import comb
from typing import Any

import naive_color
import pytest
from hypothesis import given, settings
from naive_color import board, random_board, summary

from lpb_gen.games.base import Claim, Unproven, Unsolvable
from lpb_gen.games.color import GAME, Board
from lpb_gen.generators import color, color_frontier, color_growth
from lpb_gen.generators.base import Candidate, InvalidParams, Rejected
from lpb_gen.generators.stream import Stream
from lpb_gen.verifiers import color as verifier
from lpb_gen.verifiers import color_cpsat, color_figures, color_mates
from lpb_gen.verifiers.certificate import FIGURES, ProofFailed

from strategies import color_boards

Rows = Callable[[str], list[dict[str, Any]]]
CROSSED = "A..B/..../..../B..A"
OPEN = "A.A.../B.B.C./....D./.CD.../.E..E./......"  # 325 solutions, 14 clicks
UNIQUE = "....A./.B..../CDBE../....../.E.C../.DA..."  # 24 clicks


def both_counts(level: Board) -> tuple[Any, Any]:
    """What each side's count says, without the states."""
    frontier, mates = color_frontier.count(level, 10**7), color_mates.count(level, 10**7)
    assert frontier is not None
    assert mates is not None
    return tuple(frontier[1:6]), tuple(mates[1:])


# --- known answers ----------------------------------------------------------------------------------------------------


def test_every_known_value_is_met_by_both_sides(known_values: Rows) -> None:
    rows = known_values("color.jsonl")
    assert len(rows) == 15
    for row in rows:
        level = board(row["grid"], cover=row["require_cover"])
        claim = color.solve(level)
        certificate, figures = verifier.verify(level, claim)
        for name in ("n_solutions", "min_edges", "n_min", "min_drags", "min_clicks"):
            assert figures[name] == row[name], (name, row)
            assert claim.evidence.get(name, row[name]) == row[name], (name, row)
        assert (
            figures["optimal_length"] == len(claim.solution) == row["min_clicks"] == row["min_drags"] + figures["pairs"]
        )
        assert certificate.proofs == ("count by mates", "CP-SAT", "dynamic programming over a frontier")
        assert figures["uniqueness"] == ("strict-unique" if row["n_solutions"] == 1 else "open")


def test_a_line_may_touch_itself() -> None:
    level = board("..../.AB./AB..", cover=True)
    a, b = (5, 1, 0, 4, 8), (6, 2, 3, 7, 11, 10, 9)  # cells 4 and 5 are side by side, and so are 6 and 7, 6 and 10
    assert list(naive_color.solutions(level)) == [(a, b)]
    assert both_counts(level) == ((1, 10, 1, 5, 1), (1, 10, 1, 5, 1))
    claim = color.solve(level)
    assert claim.solution == ((1, 1), (0, 1), (0, 0), (2, 0), (1, 2), (0, 2), (0, 3), (2, 3), (2, 1))
    certificate, figures = verifier.verify(level, claim)
    assert figures["uniqueness"] == "cover-unique"
    assert certificate.lower == 9


def test_the_fewest_edges_and_the_fewest_clicks_may_need_different_solutions() -> None:
    level = board("A.###/...##/.#..#/.##A#/....#")  # down the stairs, or round the outside
    frontier, mates = both_counts(level)
    assert frontier == mates == summary(level)
    costs = {(naive_color.edges(lines), naive_color.corners(lines)) for lines in naive_color.solutions(level)}
    assert (frontier[1], frontier[3]) not in costs


# --- brute force ------------------------------------------------------------------------------------------------------


@settings(max_examples=80)
@given(color_boards(sides=(3, 4)))
def test_both_counts_agree_with_brute_force(value: Any) -> None:
    level = GAME.board(value)
    frontier, mates = both_counts(level)
    assert frontier == mates == summary(level)


@settings(max_examples=25)
@given(color_boards(sides=(3, 5)))
def test_cp_sat_agrees_with_the_count(value: Any) -> None:
    level = GAME.board(value)
    count = color_frontier.count(level, 10**7, lines=True)
    assert count is not None
    found = color_cpsat.Question(level).find()
    assert (found is None) == (count.solutions == 0) == (verifier.refute(level) is not None)
    if found is not None:
        assert naive_color.corners(found) >= count.corners
        assert naive_color.edges(count.lines) >= count.edges
        less, fewer, other = (color_cpsat.Question(level) for _ in range(3))
        less.fewer_corners(count.corners)
        fewer.fewer_edges(count.edges)
        other.unlike(count.lines)
        assert less.find() is fewer.find() is None
        assert (other.find() is None) == (count.solutions == 1)


@settings(max_examples=40)
@given(color_boards())
def test_the_solution_is_a_shortest_one_and_replays(value: Any) -> None:
    level = GAME.board(value)
    try:
        claim = color.solve(level)
    except Unsolvable:
        assert verifier.refute(level) is not None
        return
    certificate, figures = verifier.verify(level, claim)
    assert certificate.lower == figures["optimal_length"] == len(claim.solution)
    assert figures["min_drags"] == len(claim.solution) - len(level.pairs)
    assert (figures["n_solutions"] == 1) == (figures["uniqueness"] != "open")


# --- limits and bad boards --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cover", [False, True])
def test_a_board_without_a_solution_is_proven_so_by_both_sides(cover: bool) -> None:
    level = board(CROSSED, cover=cover)
    with pytest.raises(Unsolvable, match="no lines join all pairs"):
        color.solve(level)
    argument = verifier.refute(level)
    assert argument is not None
    assert "CP-SAT" in argument
    assert "count by mates" in argument
    assert verifier.refute(board(OPEN)) is None


def test_a_board_that_cannot_be_filled_is_unsolvable_only_where_it_must_be() -> None:
    text = "A.A/#.#/..."  # a line that goes down does not come back
    assert color.solve(board(text)).lower == 2
    with pytest.raises(Unsolvable, match="fill every cell"):
        color.solve(board(text, cover=True))
    assert "fill every cell" in str(verifier.refute(board(text, cover=True)))


def test_a_count_that_meets_its_limit_says_so() -> None:
    level, claim = board(OPEN), color.solve(board(OPEN))
    with pytest.raises(Unproven, match="not proven within 100 states"):
        color.solve(level, limit=100)
    certificate, figures = verifier.verify(level, claim, limit=100)
    assert certificate.proofs[0] == "CP-SAT", "which proves the minimum alone"
    assert figures["n_solutions"] is figures["min_edges"] is None
    assert {"n_solutions", "min_edges"} <= set(certificate.methods)
    assert figures["uniqueness"] == "open"


def test_neither_method_within_its_limit_is_unproven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(color_cpsat, "EFFORT", 0.0)
    level = board(UNIQUE)
    with pytest.raises(Unproven, match="not proven within 10 states, nor by CP-SAT"):
        verifier.verify(level, color.solve(level), limit=10)
    assert verifier.verify(level, color.solve(level))[0].proofs[0] == "count by mates"
    with pytest.raises(Unproven, match="not proven within 10 states, nor by CP-SAT"):
        verifier.refute(board(CROSSED), limit=10)


def corner_to_corner(side: int) -> Board:
    rows = ["A" + "." * (side - 1), *["." * side] * (side - 2), "." * (side - 1) + "A"]
    return GAME.board({"rows": rows, "cover": False})


def test_self_avoiding_walks_across_a_square_are_as_many_as_the_encyclopedia_says() -> None:
    walks = {3: 12, 4: 184, 5: 8512, 6: 1262816, 7: 575780564, 8: 789360053252}  # oeis.org/A007764
    for side, number in walks.items():
        frontier, mates = both_counts(corner_to_corner(side))
        assert frontier == mates == (number, 2 * side - 2, comb(2 * side - 2, side - 1), 1, 2)


def test_numbers_of_solutions_beyond_two_to_the_62_are_not_given() -> None:
    level = corner_to_corner(10)
    claim = color.solve(level)
    assert claim.lower == 3
    assert claim.evidence["n_solutions"] is None
    assert claim.evidence["n_min"] == comb(18, 9), "lattice paths"
    certificate, figures = verifier.verify(level, claim)
    assert figures["n_solutions"] is None
    assert "2 ** 62" in certificate.methods["n_solutions"]


# --- corrupted claims -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: replace(c, lower=13), "proves 13 clicks and shows a solution of 14"),
        (lambda c: replace(c, lower=15), "bound of 15 clicks is refuted by a solution of 14"),
        (lambda c: replace(c, lower=14.0), "not a claim"),
        (lambda c: replace(c, solution=c.solution[:-1], lower=13), "leaves a pair apart"),
        (lambda c: replace(c, solution=(*c.solution, (0, 0)), lower=15), "does not replay"),
        (lambda c: replace(c, solution=((5, 5), *c.solution[1:])), "does not replay"),
        (lambda c: replace(c, solution=((0, 0), (0, 0), *c.solution), lower=16), "14 clicks suffice, not 16"),
        (lambda c: replace(c, evidence={**c.evidence, "n_solutions": 324}), "n_solutions is 325, not 324"),
        (lambda c: replace(c, evidence={**c.evidence, "min_edges": 14}), "min_edges is 15, not 14"),
    ],
)
def test_a_wrong_claim_is_rejected(change: Callable[[Claim], Claim], message: str) -> None:
    level = board("A.A.../B.B.C./....D./.CD.../.E..E./......")
    claim = color.solve(level)
    assert claim.lower == 14
    with pytest.raises(ProofFailed, match=message):
        verifier.verify(level, change(claim))


def test_the_certificate_says_that_nothing_can_be_lost() -> None:
    certificate, figures = verifier.verify(board(UNIQUE), color.solve(board(UNIQUE)))
    assert set(FIGURES) <= set(figures)
    assert "every line can be erased" in certificate.dead_ends
    assert figures["fatal_move_share"] == figures["dead_state_share"] == 0
    assert figures["trap_latency"] is figures["deception"] is figures["reachable_states"] is None
    assert {"trap_latency", "deception", "reachable_states"} <= set(certificate.methods)
    assert figures["random_survival"] == 1


def test_a_board_with_one_filling_solution_and_others_is_cover_unique() -> None:
    both = {cover: board(UNIQUE, cover=cover) for cover in (False, True)}
    for level in both.values():
        assert verifier.verify(level, color.solve(level))[1]["uniqueness"] == "strict-unique"
    level = board("..../.AB./AB..", cover=True)
    assert summary(replace(level, cover=False))[0] == 6
    assert verifier.verify(level, color.solve(level))[1]["uniqueness"] == "cover-unique"


def test_greedy_figures_of_easy_and_hard_boards() -> None:
    easy = board("A...A/...../B...B/...../C...C")
    figures = verifier.verify(easy, color.solve(easy))[1]
    assert figures["greedy_ok"] == 1
    assert figures["interaction"] == 0
    assert figures["greedy_outcome"] == {"result": "solves", "moves": 6}
    certificate, hard = verifier.verify(board(UNIQUE), color.solve(board(UNIQUE)))
    assert hard["greedy_ok"] < 0.5
    assert hard["interaction"] == 31 - sum(color_figures.alone(board(UNIQUE), k) for k in range(5)) > 0
    assert "greedy_ok" not in certificate.methods, "exact up to five colours"


def test_a_sample_of_orders_holds_different_orders_of_all_colours() -> None:
    assert sorted(color_figures._orders(4)) == sorted(permutations(range(4)))
    sample = list(color_figures._orders(9))
    assert len(set(sample)) == color_figures.SAMPLE
    assert {tuple(sorted(order)) for order in sample} == {tuple(range(9))}
    assert {order[0] for order in sample} == {order[-1] for order in sample} == set(range(9))


# --- generation -------------------------------------------------------------------------------------------------------


def made(block: dict[str, Any], key: int, tries: int = 30) -> Candidate[Board]:
    p = color.params(block)
    for i in range(tries):
        found = color.generate(p, Stream([key], [0, i]))
        if isinstance(found, Candidate):
            return found
    raise AssertionError("no level")


@pytest.mark.parametrize("size", [(5, 5), (4, 7), (7, 4), (8, 8)])
def test_lines_part_all_cells_and_do_not_touch_themselves(size: tuple[int, int]) -> None:
    height, width = size
    for key in range(5):
        lines = color_growth.Lines(height, width, 4, Stream([key], [0]))
        if not lines.anneal(5000):
            continue
        drawn = lines.lines()
        assert sorted(cell for line in drawn for cell in line) == list(range(height * width))
        assert len(drawn) == 4
        for line in drawn:
            assert len(line) >= 3
            for i, a in enumerate(line):
                for j, b in enumerate(line[i + 1 :], i + 1):
                    beside = abs(a % width - b % width) + abs(a // width - b // width) == 1
                    assert beside == (j == i + 1)


@pytest.mark.parametrize("rule", ["strict", "cover", "open"])
def test_a_level_is_as_unique_as_its_rule_says(rule: str) -> None:
    found = made({"size": [6, [6, 7]], "pairs": [4, 5], "rule": rule}, 3)
    figures = verifier.verify(found.board, found.claim)[1]
    assert 4 <= figures["pairs"] <= 5
    assert found.board.height == 6
    assert 6 <= found.board.width <= 7
    assert found.board.cover == (rule == "cover")
    expected = {"strict": {"strict-unique"}, "cover": {"strict-unique", "cover-unique"}, "open": {"open"}}
    assert figures["uniqueness"] in expected[rule]


@pytest.mark.parametrize("rule", ["strict", "cover", "open"])
def test_blocked_cells_come_on_request_and_leave_a_level_as_unique(rule: str) -> None:
    found = made({"size": [7, 7], "pairs": [4, 5], "rule": rule, "blocked": [1, 2]}, 3)
    walls = "".join(found.board.rows).count("#")
    assert walls >= 3
    figures = verifier.verify(found.board, found.claim)[1]
    assert 4 <= figures["pairs"] <= 5
    assert figures["uniqueness"] in {"open": {"open"}, "strict": {"strict-unique"}}.get(
        rule, {"strict-unique", "cover-unique"}
    )
    if rule == "cover":
        assert figures["min_edges"] + figures["pairs"] == 49 - walls, "all others are filled"


def test_no_cell_is_blocked_where_nobody_asks() -> None:
    plain = {"size": [6, 6], "pairs": 4}
    assert made(plain, 3) == made(plain | {"blocked": 0}, 3)
    assert "#" not in "".join(made(plain, 3).board.rows)


def test_a_level_has_a_length_in_the_band() -> None:
    found = made({"size": [7, 7], "square": True, "pairs": [5, 6], "length": [24, 26]}, 4)
    assert 24 <= len(found.claim.solution) <= 26


def test_the_same_stream_makes_the_same_level() -> None:
    p = color.params({"size": [7, 7], "pairs": [5, 6]})
    assert [color.generate(p, Stream([7], [0, i])) for i in range(4)] == [
        color.generate(p, Stream([7], [0, i])) for i in range(4)
    ]


def test_an_impossible_length_is_rejected_with_what_was_reached() -> None:
    found = color.generate(color.params({"size": [5, 5], "pairs": 4, "length": [90, 99]}), Stream([1], [0]))
    assert isinstance(found, Rejected)
    assert found.reason == "too_short"
    assert found.optimal_length is not None
    assert 8 <= found.optimal_length < 40


@pytest.mark.parametrize("band", [(9, 11), (16, 22), (30, 40), (41, 50)])
def test_a_wished_length_is_met(band: tuple[int, int]) -> None:
    found = made(dict(color.ask({"optimal_length": band})), 5)
    assert band[0] <= found.claim.lower <= band[1]


@pytest.mark.parametrize(
    "wish", [{}, {"optimal_length": (30.0, float("inf"))}, {"pairs": (5.0, 5.0)}, {"n_solutions": (2.0, 9.0)}]
)
def test_every_wish_makes_valid_parameters(wish: Any) -> None:
    p = color.params(color.ask(wish))
    assert p.pairs[0] <= p.pairs[1]


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({}, "'size' is missing"),
        ({"size": [8, 8]}, "'pairs' is missing"),
        ({"size": 8, "pairs": 6}, "'size' is 8"),
        ({"size": [2, 8], "pairs": 2}, "'size' is 2"),
        ({"size": [8, 16], "pairs": 6}, "'size' is 16"),
        ({"size": [8, 8], "pairs": [7, 5]}, "smaller number first"),
        ({"size": [8, 8], "pairs": 17}, "'pairs' is 17"),
        ({"size": [4, 4], "pairs": 6}, "6 lines on 4 by 4 cells"),
        ({"size": [4, 4], "pairs": 5, "rule": "open", "freed": 2}, "7 lines on 4 by 4 cells"),
        ({"size": [8, 8], "pairs": 6, "rule": "any"}, "'rule' is 'any'"),
        ({"size": [9, 9], "pairs": 12, "blocked": 5}, "17 lines, more than the 16 that can be counted"),
        ({"size": [8, 8], "pairs": 6, "square": 1}, "'square' is 1"),
        ({"size": [8, 8], "pairs": 6, "colour": 1}, "unknown parameter 'colour'"),
    ],
)
def test_a_bad_parameter_says_what_is_wrong(block: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParams, match=message):
        color.params(block)


# --- large samples ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_methods_agree_on_a_thousand_random_boards() -> None:
    solvable = unique = 0
    for seed in range(1200):
        level = random_board(seed, sides=(3, 8), pairs=(1, 8))
        frontier, mates = both_counts(level)
        assert frontier == mates, level
        solvable += frontier[0] > 0
        unique += frontier[0] == 1
        question = color_cpsat.Question(level)
        if frontier[0]:
            question.fewer_corners(frontier[3])
        assert question.find() is None, level
    assert 300 < solvable < 1150
    assert unique > 10


@pytest.mark.slow
def test_generated_levels_of_every_tier_are_verified() -> None:
    for block in (
        {"size": [[5, 7], [5, 7]], "pairs": [4, 5]},
        {"size": [9, 10], "pairs": [7, 9]},
        {"size": [13, 13], "pairs": [13, 14], "rule": "cover", "state_cap": 1_000_000},
        {"size": [9, 9], "pairs": [7, 7], "rule": "open", "freed": 2},
    ):
        for key in range(3):
            found = made(block, key)
            certificate, _ = verifier.verify(found.board, found.claim)
            assert certificate.proofs[:2] == ("count by mates", "CP-SAT")
