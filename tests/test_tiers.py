"""Gates: how bands are written, and what they admit."""

from __future__ import annotations

import pytest

from lpb_gen.pipeline.tiers import (
    INNER,
    WORDS,
    Band,
    InvalidGate,
    all_figures,
    failed_band,
    figure,
    read_gate,
    read_where,
)
from lpb_gen.verifiers import VERIFIERS

FIGURES = {
    "optimal_length": 18,
    "deception": None,
    "random_survival": 0.4,
    "greedy_outcome": {"result": "loops", "moves": 31},
}


@pytest.mark.parametrize(
    ("word", "inside", "outside"),
    [
        ("18..25", [18, 25, 20.5], [17, 26, None, "18", True]),
        ("18..", [18, 1e9], [17.99]),
        ("..25", [-1e9, 25], [25.01]),
        ("7", [7, 7.0], [6, 8]),
    ],
)
def test_a_band_admits_its_ends_and_what_lies_between(word: str, inside: list[object], outside: list[object]) -> None:
    (band,) = read_where((f"optimal_length={word}",)).values()
    assert [value for value in inside if not band.admits(value)] == []
    assert [value for value in outside if band.admits(value)] == []
    assert read_where((f"optimal_length={band}",))["optimal_length"] == band


def test_a_list_a_number_and_a_word_are_bands_too() -> None:
    gate = read_gate(
        {"optimal_length": [18, 25], "random_survival": 0.4, "greedy_outcome.result": "loops"}, where="params.yaml"
    )
    assert gate["optimal_length"] == Band(18, 25)
    assert failed_band(FIGURES, gate) is None
    assert failed_band({**FIGURES, "optimal_length": 26}, gate) == "optimal_length"
    assert failed_band({**FIGURES, "greedy_outcome": {"result": "solves"}}, gate) == "greedy_outcome.result"


def test_the_brackets_of_params_yaml_work_on_the_command_line() -> None:
    gate = read_where(("optimal_length=[18, 25],stops=3..",))
    assert gate == {"optimal_length": Band(18, 25), "stops": Band(3)}


def test_what_is_not_known_passes_no_gate() -> None:
    assert failed_band(FIGURES, read_where(("deception=0..1",))) == "deception"
    assert failed_band({}, read_where(("optimal_length=0..",))) == "optimal_length"


def test_a_dot_goes_inside() -> None:
    assert figure(FIGURES, "greedy_outcome.moves") == 31
    assert figure(FIGURES, "optimal_length.moves") is None


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("optimal_length", "no '='"),
        ("beauty=1..2", "no figure 'beauty'"),
        ("optimal_length=25..18", "empty"),
        ("optimal_length=a..b", "'a' is not a number"),
        ("optimal_length=nan..3", "not a number"),
        ("optimal_length=", "not a band"),
        ("optimal_length=18-25", "'18-25' is not a number; write 18..25"),
        ("greedy_outcome=loops", "use greedy_outcome.moves or greedy_outcome.result"),
        ("trap_latency.least=3", "use trap_latency.max or trap_latency.mean"),
        ("optimal_length.max=3", "no figure 'optimal_length.max'"),
        ("greedy_outcome.result=loop", "use solves or dead_end or loops"),
        ("stops=1..2,stops=3..4", "asked for twice"),
        ("optimal_length=[18,25,3]", "not a band"),
    ],
)
def test_a_bad_band_says_what_is_wrong(word: str, message: str) -> None:
    with pytest.raises(InvalidGate, match=message):
        read_where((word,))


@pytest.mark.parametrize("value", [[1], [1, 2, 3], {}, None, True, [True, "x"]])
def test_a_gate_of_the_wrong_shape_is_refused(value: object) -> None:
    with pytest.raises(InvalidGate, match=r"params.yaml: cells.maze"):
        read_gate({"optimal_length": value}, where="params.yaml: cells.maze")
    with pytest.raises(InvalidGate):
        read_gate([value], where="params.yaml")


@pytest.mark.parametrize(
    ("game", "word", "message"),
    [
        ("rush", "trap_latency.mean=1..", "rush levels have no figure 'trap_latency.mean'; use one of"),
        ("rush", "deception=0..1", "rush levels have no figure 'deception'"),
        ("maze", "trap_latency=3", "maze levels have no figure 'trap_latency'"),
        ("nut", "optimal_steps=3", "nut levels have no figure 'optimal_steps'"),
        ("maze", "fatal_border_share=0..1", "maze levels have no figure 'fatal_border_share'"),
        ("nut", "beauty=3", "there is no figure 'beauty'; use one of .*, fatal_border_share, "),
    ],
)
def test_a_band_on_a_figure_that_no_level_of_the_game_has_is_refused(game: str, word: str, message: str) -> None:
    with pytest.raises(InvalidGate, match=message) as caught:
        read_where((word,), game)
    assert "\n" not in str(caught.value)
    name, _, band = word.partition("=")
    with pytest.raises(InvalidGate, match=message):
        read_gate({name: band}, where="params.yaml", game=game)


def test_every_game_takes_bands_on_its_own_figures() -> None:
    for game, verifier in VERIFIERS.items():
        assert set(all_figures(game)) == set(verifier.figures) <= set(all_figures())
        for name in verifier.figures:
            inside = INNER.get(name, ("",))[-1]
            full = f"{name}.{inside}" if inside else name
            word = f"{full}={WORDS.get(full, ('3',))[0]}"
            assert list(read_where((word,), game)) == [full]
