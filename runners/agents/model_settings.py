"""The options of the agents that ask a model (``--agent-option KEY=VALUE``), read and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from ...games.base import LpbError

SYSTEM = (
    "You act on a screen of {width}x{height} pixels with mouse and keyboard only. Coordinates are pixels from the "
    "upper left corner. After every tool call you are shown the screen again. A reply without a tool call ends your "
    "work at once and for good: give one only when everything that you were asked for is done, or when you give up."
)
LONGEST_SYSTEM = 20_000  # characters
LONGEST_QUOTE = 60
LONGEST_VALUE = 1000  # characters of an option
SMALLEST_BUDGET = 1024  # tokens
Reader = Callable[[str], Any]  # of an option's text; raises ValueError with what the option takes


class InvalidOption(LpbError):
    """An option that an agent does not have, or a value that it does not take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """``history``: most turns kept, ``images``: most screenshots kept; ``timeout``: seconds of silence that end a try;
    ``retries``: tries after the first; ``system``: with {width} and {height}. None: the service's own default."""

    api: str = ""
    tools: str = ""
    base_url: str | None = None
    history: int = 100
    images: int = 20
    max_tokens: int | None = None
    temperature: float | None = None
    reasoning_effort: str | None = None
    thinking: str | None = None
    detail: str | None = None
    stream: bool = True
    cache: bool = True
    timeout: float = 600.0
    retries: int = 8
    prices: Path | None = None
    system: str = SYSTEM

    def to_json(self) -> dict[str, Any]:
        """For a manifest: JSON-ready, without what is not set."""
        given = {name: value for name, value in asdict(self).items() if value not in (None, "")}
        if self.prices is not None:
            given["prices"] = self.prices.name
        return given


def read_settings(
    service: str,
    given: Mapping[str, str],
    choices: Mapping[str, Sequence[str]],
    own: Mapping[str, Reader] | None = None,
) -> Settings:
    """``given``: the options as they were typed; ``choices``: what the service's own options may be, the first of
    ``api`` and ``tools`` being the default; ``own``: readers of its other ones. Raises InvalidOption."""
    readers = COMMON | {name: _one_of(values) for name, values in choices.items()} | dict(own or {})
    defaults = {name: values[0] for name, values in choices.items() if name in ("api", "tools")}
    read: dict[str, Any] = {}
    for name, text in given.items():
        where = f"--agent-option {name}"
        if name not in readers:
            raise InvalidOption(
                f"{service} has no such option", where=where, fix=f"use one of {', '.join(sorted(readers))}"
            )
        try:
            if len(text) > LONGEST_VALUE:
                raise ValueError("it is too long")
            read[name] = readers[name](text.strip())
        except ValueError as error:
            raise InvalidOption(str(error), where=where) from None
    return Settings(**(defaults | read))


# --- readers ----------------------------------------------------------------------------------------------------------


def _short(text: str) -> str:
    return repr(text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…")


def _one_of(values: Sequence[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in values:
            raise ValueError(f"{_short(text)} is not one of {', '.join(values)}")
        return text

    return read


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
            raise ValueError(f"{_short(text)} is not a whole number from {low} to {high}")
        return int(text)

    return read


def _number(low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not isfinite(value) or not low <= value <= high:
            raise ValueError(f"{_short(text)} is not a number from {low:g} to {high:g}")
        return value

    return read


def thinking(text: str) -> str:
    """``adaptive``, ``disabled``, or a budget in tokens."""
    if text not in ("adaptive", "disabled") and not (
        text.isascii() and text.isdigit() and int(text) >= SMALLEST_BUDGET
    ):
        raise ValueError(
            f"{_short(text)} is neither adaptive nor disabled nor a budget of {SMALLEST_BUDGET} tokens or more"
        )
    return text


def yes_or_no(text: str) -> bool:
    words = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
    if text.lower() not in words:
        raise ValueError(f"{_short(text)} is neither yes nor no")
    return words[text.lower()]


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{_public(text)!r} is not an http address, such as http://localhost:8000/v1")
    if parts.username or parts.password or parts.query:
        raise ValueError(f"{_public(text)!r} is all that is allowed of it: keys come from the environment only")
    return text


def _public(url: str) -> str:
    """An address without its user, password and query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _file(text: str) -> Path:
    path = Path(text).expanduser()
    if not path.is_file():
        raise ValueError(f"there is no file {text}")
    return path


def _system(text: str) -> str:
    path = _file(text)
    try:
        words = path.read_text("utf-8").strip()
        words.format(width=0, height=0)
    except (OSError, UnicodeDecodeError):
        raise ValueError(f"{text} is not a text that can be read") from None
    except (LookupError, ValueError, AttributeError):
        raise ValueError(f"{text} may hold {{width}} and {{height}} and no other braces (write {{{{ for one)") from None
    if not 1 <= len(words) <= LONGEST_SYSTEM:
        raise ValueError(f"{text} does not have 1 to {LONGEST_SYSTEM} characters")
    return words


COMMON: dict[str, Reader] = {
    "base_url": _address,
    "history": _whole(1, 10_000),
    "images": _whole(1, 1000),
    "max_tokens": _whole(1, 1_000_000),
    "temperature": _number(0, 2),
    "stream": yes_or_no,
    "timeout": _number(1, 3600),
    "retries": _whole(0, 100),
    "prices": _file,
    "system": _system,
}
