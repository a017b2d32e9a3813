"""Where an agent's own code broke, in words: for whoever wrote it, and no part of what is graded."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

STDERR = "agent-stderr.txt"  # in the run's record: what an agent's program, or what broke in it, wrote
MOST_CHARACTERS = 100_000  # of one traceback: an exception's text may be of any length
OURS = Path(__file__).parents[2].resolve()


def traceback_of(error: BaseException) -> str | None:
    """The traceback of what an agent raised, from its own first line on; None where all of it is ours, for then the
    error's text was made to be enough (a program that exited)."""
    place = error.__traceback__
    while place is not None and not _is_own(place.tb_frame.f_code.co_filename):
        place = place.tb_next
    if place is None:
        return None
    try:
        lines = traceback.format_exception(type(error), error, place)
    except Exception:  # of an exception of the agent's own, which can do anything
        lines = ["Traceback (most recent call last):\n", *traceback.format_tb(place), f"{type(error).__name__}\n"]
    text = "".join(lines).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}\n…\n"


def _is_own(name: str) -> bool:
    """Whether code of this file is the agent's own: neither lpb-gen's (its tests and examples are) nor the import
    system's."""
    file = Path(name).resolve()
    ours = file.is_relative_to(OURS) and file.relative_to(OURS).parts[0] in ("games", "pipeline", "runners")
    return not ours and not name.startswith("<frozen")


def line_of(error: BaseException) -> str:
    """ ", file line 7": the last place of the agent's own on the way to what it raised; nothing where there is none. A
    syntax error says its line itself."""
    if isinstance(error, SyntaxError):
        return ""
    places = [place for place in traceback.extract_tb(error.__traceback__) if _is_own(place.filename)]
    return f", {Path(places[-1].filename).name} line {places[-1].lineno}" if places else ""


def tell(error: BaseException, folder: Path) -> None:
    """Writes the traceback to standard error and into the run's record in ``folder``."""
    text = traceback_of(error)
    if text is None:
        return
    print(text, end="", file=sys.stderr, flush=True)
    try:
        with open(folder / STDERR, "a", encoding="utf-8") as file:
            file.write(text)
    except OSError:  # the record does without; what it needs says itself when it cannot be written
        pass
