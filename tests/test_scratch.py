"""Temporary folders of browsers: where they are, for a path that is too long for one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from test_campaign import plan, run

from lpb_gen.runners import scratch
from lpb_gen.runners.failures import TechnicalFailure


def temporary(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


def test_a_folder_is_below_the_temporary_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        here = temporary(Path(short), monkeypatch)
        assert scratch.free_name().parent == here
        assert scratch.free_name() != scratch.free_name()


def test_below_a_long_one_a_browser_could_make_no_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary(tmp_path / ("long" * 20), monkeypatch)
    folder = scratch.free_name()
    assert folder.parent == Path("/tmp")
    assert len(f"{folder}{scratch.SOCKET}") <= 107


def test_where_no_short_folder_can_be_written_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = temporary(tmp_path / ("long" * 20), monkeypatch)
    monkeypatch.setattr(scratch, "SHORT", str(tmp_path / "nowhere"))
    folder = scratch.free_name()
    assert folder.parent == long
    with pytest.raises(TechnicalFailure, match="at most 62 bytes in its path; set TMPDIR to a shorter one") as raised:
        scratch.make(folder)
    assert raised.value.kind == "configuration"
    assert not folder.exists()


@pytest.mark.browser
def test_a_browser_plays_where_the_temporary_folder_has_a_long_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = temporary(tmp_path / ("long" * 20), monkeypatch)
    plays = plan("Actor", tiers=["hard"], surface="browser", browser=os.environ.get("LPB_BROWSER"))
    [trial], _ = run(plays, tmp_path / "runs", attempts=1)
    assert trial.last.scored
    assert os.listdir(long) == []
