"""``generate``, ``certify`` and ``show``, as a user runs them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lpb_gen.games.kernels import NOTICE
from lpb_gen.runners.showing import told

Run = Callable[..., "subprocess.CompletedProcess[str]"]
COMMAND = [sys.executable, "-m", "lpb_gen.pipeline.cli"]
FIGURES = {
    "optimal_length",
    "reachable_states",
    "dead_state_share",
    "fatal_move_share",
    "trap_latency",
    "deception",
    "greedy_outcome",
    "random_survival",
}
SOLVABLE = "..##/..../#.../...#/..../S..."  # 12 slides: a published level
UNSOLVABLE = "..#./S..#/...."  # no slide stops or passes in the upper right corner


def lines(done: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def said(errors: str) -> list[str]:
    """The lines of standard error that are no progress, which comes every few seconds: compiling takes some."""
    return [line for line in errors.splitlines() if not re.match(r"(levels|boards): \d|compiling ", line)]


@pytest.fixture(scope="module")
def made() -> str:
    """What ``generate`` prints: three levels of 8 to 10 slides."""
    words = ["generate", "--game", "maze", "--where", "optimal_length=8..10", "--count", "3", "--seed", "4"]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- generate ---------------------------------------------------------------------------------------------------------


def test_generate_writes_certified_levels_in_the_band(made: str) -> None:
    levels = [json.loads(line) for line in made.splitlines()]
    assert len(levels) == 3
    assert all(8 <= level["figures"]["optimal_length"] <= 10 for level in levels)
    assert all(set(level["figures"]) >= FIGURES for level in levels)


def test_generate_gives_the_same_bytes_for_the_same_seed_and_others_for_another(lpb_gen: Run) -> None:
    words = ["generate", "--game", "maze", "--where", "optimal_length=7..9", "--count", "2", "--seed"]
    first = lpb_gen(*words, "1").stdout
    assert first == lpb_gen(*words, "1", "--workers", "2").stdout
    assert first != lpb_gen(*words, "2").stdout


def test_generate_says_what_it_tried_where_the_band_is_impossible(lpb_gen: Run) -> None:
    done = lpb_gen("generate", "--game", "maze", "--where", "optimal_length=900..910", "--patience", "5")
    assert (done.returncode, done.stdout) == (1, "")
    assert "found 0 of 1 level with optimal_length=900..910 in 5 candidates" in done.stderr
    assert "nearest optimal_length found was" in done.stderr
    assert len(said(done.stderr)) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--game", "chess"], "no game 'chess'"),
        (["--game", "maze", "--where", "beauty=1"], "no figure 'beauty'"),
        (["--game", "maze", "--where", "optimal_length=9..7"], "empty"),
        (["--game", "maze", "--set", "colour=3"], "colour"),
        (["--game", "maze", "--set", "colour"], "no '='"),
        (["--game", "maze", "--workers", "0"], "--workers"),
    ],
)
def test_generate_refuses_what_it_cannot_read_in_one_line(lpb_gen: Run, words: list[str], message: str) -> None:
    done = lpb_gen("generate", *words)
    assert (done.returncode, done.stdout, len(said(done.stderr))) == (1, "", 1)
    assert message in done.stderr


def test_generate_ends_quietly_where_its_reader_goes_away(tmp_path: Path) -> None:
    words = ["generate", "--game", "maze", "--where", "optimal_length=7..9", "--count", "2000"]
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
        assert process.wait(timeout=120) == 141
    assert said(errors.decode()) == []


@pytest.mark.parametrize("workers", ["1", "2"])
def test_generate_ends_at_once_on_ctrl_c(tmp_path: Path, workers: str) -> None:
    words = ["generate", "--game", "maze", "--where", "optimal_length=7..12", "--count", "100000", "--workers", workers]
    with subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, start_new_session=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    (line,) = said(errors.decode())
    assert line.startswith("lpb-gen: interrupted")


# --- certify ----------------------------------------------------------------------------------------------------------


def test_certify_gives_optimum_solution_proof_and_every_figure(lpb_gen: Run) -> None:
    done = lpb_gen("certify", "--game", "maze", "-", input=SOLVABLE)
    assert done.returncode == 0, done.stderr
    (line,) = lines(done)
    assert line["optimal_length"] == 12
    assert len(line["solution"]) == 12  # type: ignore[arg-type]
    assert line["proof"]
    assert set(line) >= FIGURES


def test_certify_goes_on_after_bad_boards_and_exits_1(lpb_gen: Run, tmp_path: Path) -> None:
    board = json.dumps({"board": SOLVABLE, "author": "me", "optimal_length": 99})
    text = "\n".join([UNSOLVABLE, "S./...", board, "{", '{"board": {"rows": ["S.S"]}}', "", *SOLVABLE.split("/")])
    (tmp_path / "boards.txt").write_text(text, "utf-8")
    done = lpb_gen("certify", "--game", "maze", "boards.txt")
    found = lines(done)
    assert done.returncode == 1
    assert ["error" in line for line in found] == [True, True, False, True, True, False]
    assert found[0]["unsolvable"] is True
    assert "proven unsolvable" in str(found[0]["error"])
    assert "row 2 has 3 cells where row 1 has 2" in str(found[1]["error"])
    assert "2 starts" in str(found[4]["error"])
    assert (found[2]["author"], found[2]["optimal_length"]) == ("me", 12)
    assert found[5]["line"] == 7


def test_certify_reads_what_generate_writes_and_prints_one_shape(lpb_gen: Run, made: str) -> None:
    levels = [json.loads(line) for line in made.splitlines()]
    boards = "".join(json.dumps({"board": level["board"]}) + "\n" for level in levels)
    done = lpb_gen("certify", "--game", "maze", "-", input=made + boards)
    assert done.returncode == 0
    for number, (level, certified) in enumerate(zip(levels * 2, lines(done), strict=True)):
        assert level.keys() <= certified.keys()
        for key in ("id", "dedup_key", "game", "tier", "rules_version", "board", "figures", "certificate"):
            assert certified[key] == level[key], key
        assert certified["provenance"] == (level["provenance"] if number < len(levels) else {})
        assert {name: certified[name] for name in level["figures"]} == level["figures"]


def test_certify_keeps_the_order_with_many_workers(lpb_gen: Run) -> None:
    text = "\n".join([SOLVABLE, "S....", UNSOLVABLE + "/####"] * 6)
    alone = lpb_gen("certify", "--game", "maze", "--workers", "1", "-", input=text)
    assert lpb_gen("certify", "--game", "maze", "--workers", "2", "-", input=text).stdout == alone.stdout
    assert [line["line"] for line in lines(alone)] == list(range(1, 19))


def test_certify_never_passes_through_what_it_says_itself(lpb_gen: Run) -> None:
    forged = {"error": "?", "unsolvable": True, "solution": ["U"], "proof": "none", "optimal_length": 1, "figures": {}}
    text = "\n".join(json.dumps({"board": board, **forged, "by": "me"}) for board in (SOLVABLE, "S./..."))
    good, bad = lines(lpb_gen("certify", "--game", "maze", "-", input=text))
    assert (good["optimal_length"], good["by"], len(good["solution"])) == (12, "me", 12)  # type: ignore[arg-type]
    assert {"error", "unsolvable"}.isdisjoint(good)
    assert good["figures"] != {}
    assert set(bad) == {"by", "line", "board", "error"}
    assert "row 2 has 3 cells" in str(bad["error"])


@pytest.mark.parametrize("words", [[], ["--workers", "1"]])
def test_certify_answers_a_board_before_the_next_one_comes(tmp_path: Path, words: list[str]) -> None:
    command = [*COMMAND, "certify", "--game", "maze", *words, "-"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=tmp_path, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(1, 4):
            process.stdin.write("S../..#\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["line"] == number
        process.stdin.close()
        assert process.wait(timeout=120) == 0


def test_certify_of_nothing_or_of_no_file_is_an_error(lpb_gen: Run) -> None:
    assert "no boards" in lpb_gen("certify", "--game", "maze", "-").stderr
    assert lpb_gen("certify", "--game", "maze", "no-such-file").returncode == 2


def test_certify_survives_bytes_that_are_no_text(lpb_gen: Run, tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(bytes(range(256)) + b"\n" + SOLVABLE.encode())
    done = lpb_gen("certify", "--game", "maze", "noise")
    assert done.returncode == 1
    assert lines(done)[-1]["optimal_length"] == 12


# --- show -------------------------------------------------------------------------------------------------------------


def test_show_draws_a_board_given_as_text(lpb_gen: Run) -> None:
    assert "@..#\n.#..\n...." in lpb_gen("show", "--game", "maze", "S..#/.#../....").stdout


def test_show_draws_the_levels_of_a_file_with_their_figures(lpb_gen: Run, tmp_path: Path, made: str) -> None:
    (tmp_path / "levels.jsonl").write_text(made, "utf-8")
    done = lpb_gen("show", "levels.jsonl", "--limit", "2")
    assert [json.loads(line)["id"][:12] in done.stdout for line in made.splitlines()] == [True, True, False]
    assert "optimal_length" in done.stdout
    assert "these are the first 2 boards of more; --limit 4 takes up to 4" in done.stderr


@pytest.mark.parametrize("count", [1, 3])
def test_show_writes_a_picture_whole(lpb_gen: Run, tmp_path: Path, count: int) -> None:
    boards = "\n".join([SOLVABLE] * count)
    done = lpb_gen("show", "--game", "maze", "-", "--png", "boards.png", input=boards)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "boards.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert [p.name for p in tmp_path.iterdir() if p.name != "boards.png"] == []


def test_show_says_what_is_wrong_in_one_line(lpb_gen: Run) -> None:
    for words, message in [
        (["no-such-thing"], "no file, level id or board"),
        (["levels.jsonl"], "no such file"),
        (["--game", "maze", "S./..."], "row 2 has 3 cells"),
        (
            ["--game", "maze", "S./..", "--png", "no/such/folder/x.png"],
            "no/such/folder/x.png: No such file or directory",
        ),
    ]:
        done = lpb_gen("show", *words)
        assert (done.returncode, len(said(done.stderr))) == (1, 1), done.stderr
        assert message in done.stderr


def test_a_figure_is_told_in_words() -> None:
    values = [None, True, False, 3, 0.25, [1, 2], {"result": "solves", "moves": None}]
    assert [told(value) for value in values] == ["-", "yes", "no", "3", "0.25", "1 2", "result solves, moves -"]


@pytest.mark.parametrize("limit", ["0", "-5"])
def test_show_refuses_to_show_less_than_one_board(lpb_gen: Run, limit: str) -> None:
    done = lpb_gen("show", "--game", "maze", "S./..", "--limit", limit)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--limit" in done.stderr


def test_a_full_disk_is_one_line_and_leaves_nothing(lpb_gen: Run, tmp_path: Path) -> None:
    (tmp_path / "boards.png").write_bytes(b"what was there")
    limit = "import resource, sys, runpy; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); "
    words = ["lpb-gen", "show", "--game", "maze", SOLVABLE, "--png", "boards.png"]
    code = limit + f"sys.argv = {words!r}; runpy.run_module('lpb_gen.pipeline.cli', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert len(said(done.stderr)) == 1
    assert "File too large" in done.stderr
    assert (tmp_path / "boards.png").read_bytes() == b"what was there"
    assert len(list(tmp_path.iterdir())) == 1


def test_standard_output_that_is_full_is_one_line() -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        words = ["generate", "--game", "maze", "--where", "optimal_length=7..9"]
        done = subprocess.run([*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert len(said(done.stderr)) == 1


def test_closed_standard_output_is_no_traceback(tmp_path: Path) -> None:
    words = " ".join([*COMMAND, "generate", "--game", "maze", "--where", "optimal_length=7..9"])
    done = subprocess.run(["sh", "-c", f"{words} >&-"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert "Traceback" not in done.stderr
    assert len(said(done.stderr)) <= 1


@pytest.mark.slow
def test_the_first_certify_on_a_machine_tells_that_it_compiles(lpb_gen: Run, tmp_path: Path) -> None:
    board = '{"board": {"capacity": 3, "bolts": [[1, 2, 1], [2, 1, 2], []]}}'
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    first, second = (lpb_gen("certify", "--game", "nut", "-", input=board, env=env) for _ in range(2))
    assert first.stdout == second.stdout != ""
    assert first.stderr.count(NOTICE) == 1
    assert "compiling" not in second.stderr
