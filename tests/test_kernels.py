"""Compiled code: a machine that has to compile says so, once; afterwards it is read from the disk in silence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lpb_gen.games.kernels import NOTICE

KERNEL = """
from lpb_gen.games.kernels import compiled

@compiled
def doubled(n):
    return 2 * n

@compiled
def halved(n):
    return n // 2

def both(n):
    return doubled(n), halved(n)
"""
COMMAND = """
import sys
from doubling import both
from lpb_gen.pipeline.progress import counting
from lpb_gen.pipeline.workers import executor, in_order

if __name__ == "__main__":
    with counting("numbers", 8) as progress, executor(int(sys.argv[1])) as pool:
        for _, pair in in_order(pool, both, range(8)):
            print(*pair)
            progress.advance()
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_first_run_tells_once_that_it_compiles_and_the_second_has_nothing_to_tell(
    workers: str, tmp_path: Path
) -> None:
    (tmp_path / "doubling.py").write_text(KERNEL, "utf-8")
    (tmp_path / "command.py").write_text(COMMAND, "utf-8")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    words = [sys.executable, str(tmp_path / "command.py"), workers]
    told = []
    for _ in range(2):
        run = subprocess.run(words, capture_output=True, text=True, env=environment, check=True)
        assert run.stdout.split() == [str(n) for i in range(8) for n in (2 * i, i // 2)]
        told.append(run.stderr.count(NOTICE))
    assert told == [1, 0]
