"""What a snapshot says of its levels, proven again: every corruption is noticed, and an old snapshot still holds."""

from __future__ import annotations

import ast
import functools
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stored import STORED, edited, lines

from lpb_gen.games import GAMES
from lpb_gen.games.base import Claim
from lpb_gen.pipeline.level import level_id, make_level, read_level
from lpb_gen.pipeline.manifest import sha256
from lpb_gen.pipeline.snapshot import load, load_sealed
from lpb_gen.pipeline.verification import Line, Report, check_line, verify
from lpb_gen.pipeline.workers import InlineExecutor, executor
from lpb_gen.verifiers import VERIFIERS

HERE = Path(__file__).parent
FILES = ("levels/maze/easy.jsonl", "levels/maze/hard.jsonl", "levels/nut/easy.jsonl", "levels/rush/easy.jsonl")
Edit = Callable[[dict[str, Any]], None]


@functools.cache
def _first_level(path: str) -> str:
    stored = read_level(lines(path)[0])
    claim = Claim(stored.certificate.solution, stored.certificate.lower, "a claim", stored.certificate.evidence)
    game = GAMES[stored.game]
    board = game.board(stored.board)
    proven = VERIFIERS[stored.game].verify(board, claim)
    return make_level(game, board, *proven, tier=stored.tier, provenance=stored.provenance).to_line()


def first_level(path: str) -> dict[str, Any]:
    """The first level of a stored file, with the certificate that today's verifier gives it."""
    return dict(json.loads(_first_level(path)))


def told(path: str, level: dict[str, Any]) -> str:
    """What verification says of a level line, or empty."""
    return check_line(Line(path, 1, json.dumps(level, sort_keys=True, separators=(",", ":")))).why


def verified(folder: Path) -> Report:
    return verify(load_sealed(None, folder), InlineExecutor())


# --- the stored snapshot ----------------------------------------------------------------------------------------------


def test_a_snapshot_of_the_first_version_is_read_and_verified() -> None:
    assert load(None, STORED).pin.digest == "e0c64dbaad32338640c0f5491608e7b02d0aefbef8652dd866958e8f45bddc07"
    report = verified(STORED)
    assert report.failures == []
    assert {game: dict(counts) for game, counts in report.games.items()} == {
        "maze": {"proven": 6, "failed": 0},
        "nut": {"proven": 2, "failed": 0},
        "rush": {"proven": 2, "failed": 0},
    }
    assert report.proofs["maze"]["potential"] == 6
    assert report.proofs["rush"] == {"exhaustive search": 2}


def test_any_number_of_workers_says_the_same(tmp_path: Path) -> None:
    def spoil(lines: dict[str, list[str]]) -> None:
        lines[FILES[3]][1] = lines[FILES[3]][1].replace('"reachable_states":', '"reachable_states":1')

    folder = edited(tmp_path / "spoilt", spoil)
    ticks: list[int] = []
    with executor(2) as pool:
        report = verify(load_sealed(None, folder), pool, ticks.append)
    assert report.to_json() == verified(folder).to_json()
    assert len(report.failures) == 1
    assert ticks == list(range(1, 11))


def test_verification_imports_no_generator() -> None:
    program = f"""
import sys
from pathlib import Path
sys.modules["lpb_gen.generators"] = None  # whoever imports it fails
from lpb_gen.pipeline.snapshot import load_sealed
from lpb_gen.pipeline.verification import verify
from lpb_gen.pipeline.workers import InlineExecutor
report = verify(load_sealed(None, Path({str(STORED)!r})), InlineExecutor())
sys.exit(f"{{report.failures}}" if report.failures or report.levels != 10 else 0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_module_that_workers_load_names_no_generator() -> None:
    tree = ast.parse((HERE.parent / "pipeline" / "verification.py").read_text())
    named = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not [name for name in named if "generators" in name or "production" in name]
    assert "verifiers" in named, "this test sees imports"


def test_the_command_says_what_it_checked(lpb_gen: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = lpb_gen("verify", "--snapshot", str(STORED), "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert "exhaustive search 6, potential 6" in done.stdout
    assert "10 levels, every certificate holds: unpinned (commit none, manifest sha256:e0c64dbaad32" in done.stdout
    assert "levels verified" in done.stderr or done.stderr == "", "progress, where it takes long enough"


def test_the_command_names_the_levels_that_fail_and_exits_with_1(
    lpb_gen: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    number = first_level(FILES[2])["id"]

    def spoil(lines: dict[str, list[str]]) -> None:
        lines[FILES[2]][0] = lines[FILES[2]][0].replace('"dead_state_share":0.', '"dead_state_share":0.9')

    folder = edited(tmp_path / "spoilt", spoil)
    done = lpb_gen("verify", "--snapshot", str(folder), "--workers", "1")
    assert done.returncode == 1
    assert f"FAILED {number} levels/nut/easy.jsonl:1: the figure dead_state_share is 0." in done.stdout
    done = lpb_gen("verify", "--snapshot", str(folder), "--workers", "1", "--json")
    assert done.returncode == 1
    assert [failure["id"] for failure in json.loads(done.stdout)["failed"]] == [number]


def test_a_file_that_the_manifest_does_not_name_so_is_not_even_looked_into(
    lpb_gen: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(STORED, tmp_path / "copy"))
    (folder / FILES[0]).write_text((folder / FILES[0]).read_text().replace("#", ".", 1))
    done = lpb_gen("verify", "--snapshot", str(folder))
    assert done.returncode == 1
    assert "levels/maze/easy.jsonl is not what the manifest says" in done.stderr


# --- one level --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES)
def test_a_level_as_it_was_made_passes(path: str) -> None:
    assert told(path, first_level(path)) == ""
    assert told(path, json.loads(lines(path)[0])) == ""


def _shorter(level: dict[str, Any]) -> None:
    """The last move is missing, and everything agrees."""
    certificate = level["certificate"]
    certificate["solution"].pop()
    certificate["lower"] = certificate["upper"] = level["figures"]["optimal_length"] = len(certificate["solution"])


CORRUPTIONS: list[tuple[Edit, str]] = [
    (lambda level: level["figures"].update(optimal_length=99), "solution, bounds and optimal_length disagree"),
    (lambda level: level["figures"].update(reachable_states=7), "the figure reachable_states is"),
    (lambda level: level["figures"].update(reachable_states=float(level["figures"]["reachable_states"])), "the figure"),
    (lambda level: level["figures"].update(random_survival=0.5), "the figure random_survival is"),
    (lambda level: level["figures"].update(made_up=1), "the figure made_up is none that its verifier computes"),
    (lambda level: level["certificate"].update(lower=level["certificate"]["lower"] - 1), "bounds and optimal_length"),
    (lambda level: level["certificate"].update(solution=level["certificate"]["solution"][::-1]), "the solution"),
    (lambda level: level["certificate"]["solution"].__setitem__(0, 12345), "the solution does not replay"),
    (_shorter, "the solution leaves"),
    (lambda level: level["certificate"].update(states_examined=1), "certificate.states_examined is not what"),
    (lambda level: level["certificate"].update(proofs=["a hunch"]), "certificate.proofs is not what"),
    (lambda level: level["certificate"].update(dead_ends="none, trust me"), "certificate.dead_ends is not what"),
    (lambda level: level["certificate"]["methods"].update(deception="guessed"), "certificate.methods is not what"),
    (lambda level: level.update(dedup_key="0" * 64), "the dedup_key does not belong to this board"),
    (lambda level: level.update(id="0" * 64), "the id 000000000000 does not belong to this board"),
    (lambda level: level.update(tier="nightmare"), "nightmare"),
    (lambda level: level.update(certificate=None), "not a level record of schema 1"),
]


@pytest.mark.parametrize(("corrupt", "says"), CORRUPTIONS)
@pytest.mark.parametrize("path", ["levels/maze/easy.jsonl", "levels/nut/easy.jsonl", "levels/rush/easy.jsonl"])
def test_every_corruption_is_noticed(path: str, corrupt: Edit, says: str) -> None:
    level = first_level(path)
    corrupt(level)
    assert says in told(path, level)


def test_a_certificate_on_another_board_is_noticed() -> None:
    for path in FILES:
        one, other = (json.loads(line) for line in lines(path)[:2])
        one["board"] = other["board"]
        one["id"] = level_id(GAMES[one["game"]], one["board"])
        assert told(path, one) == "the dedup_key does not belong to this board"
        one["dedup_key"] = other["dedup_key"]
        assert told(path, one) != ""


def test_a_minimum_that_is_none_is_refuted() -> None:
    """A detour, with bounds and figures that agree with it."""
    path = "levels/rush/easy.jsonl"
    level, game = first_level(path), GAMES["rush"]
    board = game.board(level["board"])
    start = game.start(board)
    away = next(iter(game.moves(board, start)))
    there = game.apply(board, start, away)
    back = next(move for move in game.moves(board, there) if game.apply(board, there, move) == start)
    certificate = level["certificate"]
    minimum = certificate["lower"]
    certificate["solution"] = [away, back, *certificate["solution"]]
    certificate["lower"] = certificate["upper"] = level["figures"]["optimal_length"] = minimum + 2
    assert f"{minimum} moves suffice, not {minimum + 2}" in told(path, level)


@pytest.mark.parametrize("key", ["D", "pi", "w", "bound"])
def test_a_potential_that_proves_nothing_is_noticed(key: str) -> None:
    path = "levels/maze/easy.jsonl"
    level = first_level(path)
    potential = level["certificate"]["evidence"]["potential"]
    potential[key] = {"D": 0, "pi": potential["pi"][1:], "w": [[]], "bound": potential["bound"] + 1}[key]
    assert "potential" in told(path, level)


def test_levels_of_other_rules_are_told_as_such() -> None:
    path = "levels/nut/easy.jsonl"
    level = first_level(path)
    level["rules_version"] = 99
    identity = {"schema": 1, "game": "nut", "rules_version": 99, "board": level["board"]}
    level["id"] = sha256(json.dumps(identity, sort_keys=True, separators=(",", ":")).encode())
    assert told(path, level).startswith("of version 99 of the rules, this lpb-gen has version")


def test_a_record_of_an_older_verifier_may_count_otherwise_but_not_find_otherwise() -> None:
    path = "levels/nut/easy.jsonl"
    level = first_level(path)
    level["certificate"] |= {"verifier": "nut 1", "states_examined": 5, "proofs": ["an older method", "another"]}
    assert told(path, level) == ""
    level["figures"]["deception"] = 0.123
    assert "the figure deception is" in told(path, level)


@pytest.mark.parametrize("name", ["x", "maze 99", "rush 1", "maze", "maze -1", "maze 0", "maze ١"])
def test_a_record_of_no_verifier_of_its_game_is_noticed(name: str) -> None:
    path = "levels/maze/easy.jsonl"
    level = first_level(path)
    level["certificate"]["verifier"] = name
    assert told(path, level) == f"certificate.verifier is {name!r}, which is none of maze's"


@pytest.mark.parametrize("path", FILES)
def test_a_figure_that_its_verifier_knew_is_missed(path: str) -> None:
    for name in first_level(path)["figures"].keys() - {"optimal_length"}:
        level = first_level(path)
        del level["figures"][name]
        assert told(path, level) == f"the figure {name} is missing: {level['certificate']['verifier']} computes it"


def test_a_figure_that_a_later_verifier_added_is_not_missed() -> None:
    path = "levels/nut/easy.jsonl"
    level = first_level(path)
    del level["figures"]["fatal_border_share"]
    level["certificate"]["verifier"] = "nut 1"
    assert told(path, level) == ""
    del level["figures"]["deception"]
    assert told(path, level) == "the figure deception is missing: nut 1 computes it"


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("dead_ends", "none, trust me"),
        ("methods", {"deception": "guessed"}),
        ("states_examined", 0),
        ("states_examined", 10**9),
        ("proofs", ["guided by a hunch", "integer flow (CP-SAT)"]),
    ],
)
def test_a_proof_that_calls_itself_guided_is_compared_like_any_other(part: str, value: object) -> None:
    path = "levels/maze/easy.jsonl"
    level = first_level(path)
    _, method, claimed = level["certificate"]["proofs"]
    level["certificate"]["proofs"] = ["potential", f"potential-guided {method}", claimed]
    assert told(path, level) == "", "which may look at fewer states"
    level["certificate"][part] = value
    assert f"certificate.{part} is" in told(path, level)


# --- all together -----------------------------------------------------------------------------------------------------


def test_levels_out_of_order_are_noticed(tmp_path: Path) -> None:
    report = verified(edited(tmp_path / "copy", lambda lines: lines[FILES[0]].reverse()))
    assert [failure.where.split(":")[0] for failure in report.failures] == [FILES[0]] * len(report.failures)
    assert "not in rising difficulty" in report.failures[0].why


def test_a_level_that_is_there_twice_is_noticed(tmp_path: Path) -> None:
    report = verified(edited(tmp_path / "copy", lambda lines: lines[FILES[3]].insert(0, lines[FILES[3]][0])))
    assert [failure.where for failure in report.failures] == [f"{FILES[3]}:2"]
    assert "it is, up to symmetry, the level" in report.failures[0].why


def test_a_retired_level_that_came_back_is_noticed(tmp_path: Path) -> None:
    level = first_level(FILES[1])
    stone = {"id": level["id"], "dedup_key": level["dedup_key"], "reason": "worn out"}
    report = verified(edited(tmp_path / "copy", lambda lines: None, retired=[stone]))
    assert [(failure.id, failure.why) for failure in report.failures] == [
        (level["id"], "it is, up to symmetry, a level that was retired (worn out)")
    ]
