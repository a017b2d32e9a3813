"""What a service answered, as something that can be counted, written down and sent back. It may answer anything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite
from typing import Any

from ..actions import MAX_BATCH
from .replies import BrokenReply, Reply

MOST_CALLS = MAX_BATCH  # of one reply that are carried out
MOST_SAID = 4_000_000  # characters of one reply, encrypted reasoning included
DEEPEST = 60  # levels of a value
LONGEST_NUMBER = 10**18
MOST_TOKENS = 10**12
SHORTEST_SECRET = 12  # characters; what is shorter is a word, like "none", and may stand in any text
SURROGATES = re.compile("[\ud800-\udfff]")


@contextmanager
def understood() -> Iterator[None]:
    """Where an answer is read. Raises BrokenReply where it is of another shape than the API promises."""
    try:
        yield
    except (AttributeError, KeyError, IndexError, TypeError, RecursionError, OverflowError) as error:
        raise BrokenReply(f"the answer is not what the API promises ({type(error).__name__})") from None


def count(value: Any) -> int:
    """A number of tokens; 0 where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_TOKENS:
        return 0
    return int(value)


def whole(digits: str) -> int | float:
    """An integer of JSON; of so many digits that Python does not read it, infinity."""
    return int(digits) if len(digits) < 400 else float(digits)


def too_many(made: int) -> str:
    """What is said of a reply that calls more often than that."""
    return f"[of its {made} calls the first {MOST_CALLS} are taken]"


def tidied(reply: Reply, secret: str) -> Reply:
    """The reply without ``secret``, and with nothing in it that JSON has no form for. Raises BrokenReply where it is
    longer than a reply can be."""
    if _length(reply.items) + len(reply.text) > MOST_SAID:
        raise BrokenReply(f"the reply has more than {MOST_SAID:,} characters")
    hidden = secret if len(secret) >= SHORTEST_SECRET else ""
    for call in reply.calls:
        call.id = _plain(call.id, hidden)
        call.action = None if call.action is None else _plain(call.action, hidden)
        call.refused = None if call.refused is None else _plain(call.refused, hidden)
        call.wire = _plain(call.wire, hidden)
    return replace(reply, items=_plain(reply.items, hidden), text=_plain(reply.text, hidden))


def _plain(value: Any, secret: str, depth: int = 0) -> Any:
    match value:
        case str():
            text = SURROGATES.sub("\ufffd", value)
            return text.replace(secret, "[key]") if secret else text
        case bool() | None:
            return value
        case int():
            return value if abs(value) <= LONGEST_NUMBER else "a number beyond all bounds"
        case float():
            return value if isfinite(value) else str(value)
        case _ if depth > DEEPEST:
            return "…"
        case Mapping():
            return {_plain(str(key), secret): _plain(part, secret, depth + 1) for key, part in value.items()}
        case list() | tuple():
            return [_plain(part, secret, depth + 1) for part in value]
    return str(value)


def _length(value: Any) -> int:
    """Characters and other values, without the risk of going down too deep."""
    length, rest = 0, [value]
    while rest and length <= MOST_SAID:
        part = rest.pop()
        length += len(part) if isinstance(part, str) else 1
        if isinstance(part, Mapping):
            rest += [*part.keys(), *part.values()]
        elif isinstance(part, list | tuple):
            rest += part
    return length
