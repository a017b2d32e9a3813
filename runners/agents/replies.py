"""What a model says, in one form for all services: its words, the calls of its tools, the tokens that they took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Ending = Literal["done", "cut", "refused"]


class BrokenReply(Exception):
    """An answer of the service that is none: cut off in the middle, not of its own format, or only an error; ``again``:
    whether it may go well the next time."""

    def __init__(self, what: str, *, again: bool = True) -> None:
        super().__init__(what)
        self.again = again


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """As services bill them. ``input``: all that was sent, of which ``cached`` was read from a cache and ``written`` to
    one; ``output``: reasoning included."""

    input: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0


@dataclass(slots=True, kw_only=True)
class Call:
    """One call of a tool. ``action``: in its JSON form; None where it only looks at the screen. ``refused``: why there
    is no such action. ``answer``: what the model is told, once it is known; ``wire``: what the service needs of it."""

    id: str
    action: Mapping[str, Any] | None = None
    refused: str | None = None
    answer: str | None = None
    failed: bool = False
    wire: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """``items``: the reply as the service wants it back in the conversation. ``ending``: ``cut`` is a reply that was
    stopped at its longest, ``refused`` one that the model or its provider would not give; ``tokens``: None where the
    service does not count them."""

    items: list[Any]
    text: str = ""
    calls: list[Call] = field(default_factory=list)
    tokens: Tokens | None = None
    ending: Ending = "done"
