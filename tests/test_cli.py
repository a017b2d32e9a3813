"""The command as a whole: help, start-up, usage errors, and how errors look."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from lpb_gen import __version__
from lpb_gen.games.wording import counted
from lpb_gen.pipeline import progress
from lpb_gen.pipeline.cli import COMMANDS, HIDDEN, cli

Run = Callable[..., "subprocess.CompletedProcess[str]"]
HEAVY = ("numba", "ortools", "skia", "playwright", "dvc", "websockets", "networkx", "rich", "numpy", "yaml", "asyncio")


def test_help_lists_every_command(lpb_gen: Run) -> None:
    done = lpb_gen("--help")
    assert done.returncode == 0
    assert [name for name in COMMANDS if name not in HIDDEN and f"  {name} " not in done.stdout] == []


def test_version(lpb_gen: Run) -> None:
    assert lpb_gen("--version").stdout.strip().endswith(__version__)


@pytest.mark.parametrize(
    "words",
    [["--help"], ["--version"], ["certify", "--help"], ["pin", "--help"], ["run", "--help"], ["score", "--help"]],
)
def test_help_loads_nothing_heavy(words: list[str]) -> None:
    code = (
        "import sys\nfrom lpb_gen.pipeline.cli import cli\n"
        f"try: cli.main({words!r}, standalone_mode=False)\nexcept SystemExit: pass\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip().splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in HIDDEN])
def test_every_command_explains_itself_with_an_example(name: str) -> None:
    done = CliRunner().invoke(cli, [name, "--help"])
    assert done.exit_code == 0
    assert "Example:" in done.output
    assert f"lpb-gen {name}" in done.output


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in HIDDEN])
def test_what_may_be_left_out_is_in_brackets(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    for parameter in command.params:
        if isinstance(parameter, click.Argument) and not parameter.required:
            shown = parameter.make_metavar(click.Context(command))
            assert shown.startswith("["), shown


def test_an_unknown_command_and_an_unknown_option_are_usage_errors(lpb_gen: Run) -> None:
    assert (lpb_gen("frobnicate").returncode, lpb_gen("show", "--frobnicate").returncode) == (2, 2)


def test_an_error_is_one_line_and_debug_shows_the_traceback(lpb_gen: Run) -> None:
    done = lpb_gen("generate", "--game", "chess")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "chess" in done.stderr
    assert "maze" in done.stderr
    assert "Traceback" in lpb_gen("--debug", "generate", "--game", "chess").stderr


def test_a_module_runs_as_the_command_does(tmp_path: Path) -> None:
    command = [Path(sys.executable).parent / "lpb-gen", "--version"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout


INTERRUPTED = """
import sys
class Loading:
    def find_spec(self, name, path, target=None):
        if name == "click":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Loading())
from lpb_gen.pipeline.entry import main
main()
"""


@pytest.mark.parametrize(("words", "says"), [((), "lpb-gen: interrupted\n"), (("--debug",), "KeyboardInterrupt")])
def test_ctrl_c_while_the_command_line_is_loading(words: tuple[str, ...], says: str) -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, *words], capture_output=True, text=True, check=False)
    assert done.returncode in (130, -2)
    assert done.stderr.endswith(says) if words == () else says in done.stderr
    assert ("Traceback" in done.stderr) == bool(words)


def test_a_working_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    words = [
        sys.executable,
        "-c",
        f"import os, sys; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r}); "
        "sys.argv = ['lpb-gen', 'log']; from lpb_gen.pipeline.cli import main; main()",
    ]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "lpb-gen: the working folder is no longer there; go into one that is: cd FOLDER\n"


@pytest.mark.parametrize(("number", "told"), [(0, "0 levels"), (1, "1 level"), (2, "2 levels"), (1234, "1,234 levels")])
def test_one_is_no_plural(number: int, told: str) -> None:
    assert counted(number, "level") == told


def test_a_noun_may_have_a_plural_of_its_own() -> None:
    assert [counted(number, "reply", "replies") for number in (1, 2)] == ["1 reply", "2 replies"]


def test_a_log_of_progress_ends_with_how_far_it_came(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "LOG_SECONDS", 0.001)
    with progress.counting("episodes shown", 4) as counter:
        counter.update(2)
        while "2 of 4" not in (said := capsys.readouterr().err):
            assert "4 of 4" not in said
        monkeypatch.setattr(progress, "LOG_SECONDS", 1000)
        counter._over.set()  # type: ignore[attr-defined]  # no more looks: what follows is said at the end, or never
        counter._clock.join()  # type: ignore[attr-defined]
        capsys.readouterr()
        counter.update(4)
    assert capsys.readouterr().err == "episodes shown: 4 of 4\n"


def test_what_is_over_before_a_line_was_due_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.counting("episodes shown", 4) as counter:
        counter.update(4)
    assert capsys.readouterr().err == ""
