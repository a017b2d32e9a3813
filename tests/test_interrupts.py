"""Ctrl-C stays Ctrl-C: no solver takes the handler away from the process that it runs in."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from small_levels import SMALL

from lpb_gen.games import GAMES

PROGRAM = """
import json, os, signal, sys, time
from lpb_gen.generators import GENERATORS
from lpb_gen.generators.base import Candidate
from lpb_gen.generators.stream import Stream
from lpb_gen.verifiers import VERIFIERS

signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the parent has
game = sys.argv[1]
generator = GENERATORS[game]
params = generator.params(json.loads(sys.argv[2]))
made = (generator.generate(params, Stream((5, 5), (0, index))) for index in range(200))
candidate = next(one for one in made if isinstance(one, Candidate))
VERIFIERS[game].verify(candidate.board, candidate.claim)
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("game", GAMES)
def test_ctrl_c_is_heard_after_a_level_was_made_and_proven(game: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, game, json.dumps(SMALL[game])], capture_output=True, text=True, timeout=240
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")
