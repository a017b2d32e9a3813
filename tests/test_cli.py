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
