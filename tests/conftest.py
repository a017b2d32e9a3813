"""Shared by all tests: this folder on the import path (for ``strategies``), and where the data lies."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

HERE = Path(__file__).parent
if str(HERE) not in sys.path:  # importlib mode leaves it out
    sys.path.insert(0, str(HERE))

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # started in the background by a shell, and so would be our commands
    signal.signal(signal.SIGINT, signal.default_int_handler)

# one example may compile a kernel on its first run: time says nothing here
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    told = "kill the catalogue's commands at every step, and not only at some (with -m slow)"
    parser.addoption("--every-kill", action="store_true", help=told)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What tests have to tell (``record_property("told", …)``), for a sample says nothing without what it is of."""
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    for told in sorted(str(text) for report in reports for key, text in report.user_properties if key == "told"):
        terminalreporter.write_line(told)


@pytest.fixture(scope="session")
def known_values() -> Callable[[str], list[dict[str, Any]]]:
    """Reads one file of levels with right answers from outside."""

    def read(name: str) -> list[dict[str, Any]]:
        lines = (HERE / "known_values" / name).read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines if line]

    return read


@pytest.fixture
def lpb_gen(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the command as a user does, in an empty folder unless told otherwise."""

    def run(*words: str, input: str = "", cwd: Path = tmp_path, **options: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "lpb_gen.pipeline.cli", *words]
        return subprocess.run(command, input=input, cwd=cwd, capture_output=True, text=True, timeout=240, **options)

    return run


@pytest.fixture
def serve() -> Iterator[Callable[..., Any]]:
    """Starts services of models, a script each (see ``fake_models``). What they complain of fails the test."""
    from fake_models import FakeModels

    running: list[FakeModels] = []

    def start(script: Any) -> FakeModels:
        running.append(FakeModels(script))
        return running[-1]

    yield start
    for models in running:
        models.close()
    assert [complaint for models in running for complaint in models.complaints] == []
