"""What ``lpb-gen`` starts: the command line, loaded where Ctrl-C is answered already.

Loading it takes a tenth of a second, in which a person may think better of it. So this module loads nothing itself.
"""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """The console entry point; exit codes as ``cli.main``."""
    try:
        from .cli import main as command

        command()
    except KeyboardInterrupt:
        if "--debug" in sys.argv[1:]:
            raise
        print("lpb-gen: interrupted", file=sys.stderr)
        sys.exit(130)
