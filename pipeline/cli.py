"""The ``lpb-gen`` command: one table of commands, each loaded only when it is called.

Everything that reads the environment, the clock or the standard streams is called from here. An error that a user can
act on becomes one line on standard error; ``--debug`` shows the traceback.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from .. import __version__

# name -> (module of the package, attribute, one line of help). The modules of ``runners`` stand here as text only:
# this room does not import that one.
COMMANDS: dict[str, tuple[str, str, str]] = {
    "refresh": ("pipeline.commands_refresh", "refresh", "Make fresh certified levels and freeze a new snapshot."),
    "pin": ("pipeline.commands_catalogue", "pin", "Pin the current snapshot under a tag that never moves."),
    "run": ("runners.commands_run", "run", "Let an agent play objectives of a snapshot and grade it."),
    "mcp": ("runners.commands_mcp", "mcp", "Let any MCP client play an objective and grade it."),
    "score": ("runners.commands_score", "score", "Compute every metric of recorded runs."),
    "report": ("runners.site.command", "report", "Show recorded runs on a static site, with replays."),
    "reproduce": ("runners.reproduce.command", "reproduce", "Replay recorded runs and compare everything."),
    "play": ("runners.commands", "play", "Serve the suite on this machine for a person with a browser."),
    "generate": (
        "pipeline.commands_levels",
        "generate",
        "Make certified levels to order, as JSON lines, anywhere.",
    ),
    "certify": ("pipeline.commands_levels", "certify", "Prove the optimum and the figures of any levels, yours too."),
    "show": ("runners.showing", "show", "Show levels in the terminal or as a picture."),
    "gallery": ("runners.gallery.command", "gallery", "Show every level on one static page, with replays."),
    "import": ("pipeline.commands_exchange", "import_", "Certify levels that people have and add them."),
    "export": ("pipeline.commands_exchange", "export", "Write levels as JSON lines, Parquet or a dataset folder."),
    "init": ("pipeline.commands_catalogue", "init", "Make a new catalogue repository (Git and DVC)."),
    "snapshots": ("pipeline.commands_catalogue", "snapshots", "List the pinned snapshots."),
    "restore": ("pipeline.commands_catalogue", "restore", "Bring a pinned snapshot back, whatever is left of it."),
    "diff": ("pipeline.commands_history", "diff", "Compare two snapshots level by level."),
    "log": ("pipeline.commands_history", "log", "Tell what every snapshot added and retired, newest first."),
    "verify": ("pipeline.commands_history", "verify", "Prove every certificate of a snapshot again."),
    "compare": ("runners.comparing", "compare", "Tell whether two snapshots of the same tiers are interchangeable."),
    "retire": ("pipeline.commands_refresh", "retire", "Take levels out of the catalogue for good, with a reason."),
    "stage": ("pipeline.commands_stage", "stage", "One step of the DVC pipeline (called by dvc.yaml)."),
}
HIDDEN = {"stage"}


class LazyGroup(click.Group):
    """Lists every command from the table; imports one only to run it or to show its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in COMMANDS if name not in HIDDEN]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(f"..{module}", __package__), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][2]) for name in self.list_commands(ctx)])


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, prog_name="lpb-gen")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """Certified puzzle levels, frozen in versioned snapshots, played by agents through real mouse and keyboard.

    \b
    Example:
      lpb-gen init my-catalogue && cd my-catalogue
      lpb-gen refresh --game maze --tier hard
      lpb-gen run --game maze --tier hard --agent oracle
    """
    ctx.obj = {"debug": debug}


def main() -> NoReturn:
    """The console entry point. Exit codes: 0 done, 1 the errors of our domain, 2 wrong usage, 130 interrupted."""
    debug = "--debug" in sys.argv[1:]
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal that lacks a character gets its number
        sys.stdout.reconfigure(errors="backslashreplace")
    interrupted = _note_interrupts()
    try:
        # not cli.main(): that turns a broken pipe and Ctrl-C into exit codes and blank lines of its own
        with cli.make_context("lpb-gen", sys.argv[1:]) as ctx:
            code = cli.invoke(ctx)
        sys.stdout.flush()
    except click.exceptions.Exit as exit_:
        code = exit_.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        if debug:
            raise
        code = _interrupted()
    except BrokenPipeError:  # the reader of our standard output went away (``| head``)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    except Exception as error:
        if debug:
            raise
        # compiled code that Ctrl-C falls into may answer with an error of its own
        code = _interrupted() if interrupted else _explain(error)
    sys.exit(code if isinstance(code, int) else 0)


def _note_interrupts() -> list[int]:
    """A list that Ctrl-C puts something into, besides raising KeyboardInterrupt as ever."""
    seen: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        seen.append(number)
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where our parent has us ignore it
        signal.signal(signal.SIGINT, note)
    return seen


def _interrupted() -> int:
    _say("interrupted; nothing was left half-written, run the same command again to go on")
    return 130


def _explain(error: Exception) -> int:
    """Prints an error as one line; returns the exit code."""
    from ..games.base import LpbError

    if isinstance(error, LpbError):
        _say(str(error))
        return error.exit_code
    if isinstance(error, OSError) and error.filename is None and not _in_a_folder():
        _say("the working folder is no longer there; go into one that is: cd FOLDER")
        return 1
    if isinstance(error, OSError):
        _say(f"{error.filename or 'the system'}: {error.strerror or error}")
        return 1
    _say(f"unexpected {type(error).__name__}: {error} (this is a fault of lpb-gen; --debug shows where)")
    return 70


def _in_a_folder() -> bool:
    try:
        Path.cwd()
    except OSError:
        return False
    return True


def _say(line: str) -> None:
    """One line to standard error, whatever is left of it."""
    with contextlib.suppress(OSError):
        print("lpb-gen: " + " ".join(line.split()), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
