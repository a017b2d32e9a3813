"""Asking a model's service, and asking again while it is in trouble: with exponential back-off, inside the time left.

What is tried again: too many requests, errors of the server, a connection that fails or falls silent, an answer that is
cut off or is not JSON. What is not: whatever will be the same next time (a wrong key, an unknown model, a bad request).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import Any, Protocol

from ...games.base import LpbError
from ...games.wording import counted
from ..failures import FailureKind, TechnicalFailure
from .replies import BrokenReply, Reply
from .tidying import tidied

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds
LONGEST_CONNECT = 10.0  # seconds
MOST_TOLD = 300  # characters of what a service says of its trouble
SHORTEST_TRY = 0.05  # seconds; a connection needs some time to say anything at all
AGAIN = frozenset({408, 409, 425, 429})  # beside all of 5xx
FOR_GOOD = frozenset({"insufficient_quota", "billing_error", "authentication_error", "permission_error"})
FINAL_TYPES = frozenset({"invalid_request_error", "not_found_error", *FOR_GOOD})
FIXES = {
    401: "check the key in the environment",
    403: "check what the key may be used for",
    404: "check the model's name, api and base_url",
    413: "keep fewer images or less history",
}


class OutOfTime(Exception):
    """The model had not answered when the time was up, and nothing was wrong with its service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What went wrong with one request. ``again``: whether it may go well the next time; ``after``: seconds that the
    service wants to be left alone; ``silent``: it said nothing for as long as it was given."""

    what: str
    again: bool
    kind: FailureKind = "provider"
    after: float = 0.0
    fix: str = ""
    silent: bool = False


class Send(Protocol):
    """Sends a request and returns the whole reply. ``timeout``: seconds that the service may be silent; ``check`` is
    called as parts arrive. Raises BrokenReply, and what the service's library raises."""

    def __call__(self, request: Mapping[str, Any], timeout: float, check: Callable[[], None]) -> Reply: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """The world's time: seconds, monotonic; a way to let them pass; a factor from 0 to 1 that spreads the pauses of
    those who wait for the same service."""

    clock: Callable[[], float]
    sleep: Callable[[float], None]
    jitter: Callable[[], float]


class Service:
    """``timeout``: seconds of silence that end a try; ``retries``: tries after the first; ``secret``: what must not be
    repeated in any message."""

    def __init__(self, send: Send, *, name: str, times: Times, timeout: float, retries: int, secret: str) -> None:
        self._send, self._name, self._times = send, name, times
        self._timeout, self._retries, self._secret = timeout, retries, secret
        self.clock = times.clock
        self.troubles: list[str] = []  # of the last ``ask``, one for each try that failed

    def ask(self, request: Mapping[str, Any], until: float) -> Reply:
        """The reply, by the clock's ``until``. Raises OutOfTime; TechnicalFailure where there is none to be had."""
        self.troubles = []
        while True:
            patience = self._patience(until)
            try:
                return tidied(self._send(request, patience, lambda: self._check(until)), self._secret)
            except OutOfTime:
                raise
            except Exception as error:
                trouble = trouble_of(error)
            what = self._clean(trouble.what)
            if trouble.silent and patience < self._timeout:
                raise OutOfTime
            self.troubles.append(what)
            if not trouble.again:
                raise TechnicalFailure(trouble.kind, what, where=self._name, fix=trouble.fix)
            self._pause(trouble, what, until)

    def _pause(self, trouble: Trouble, what: str, until: float) -> None:
        tries = len(self.troubles)
        if tries > self._retries:
            raise TechnicalFailure(
                "provider", f"{what}; given up after {counted(tries, 'try', 'tries')}", where=self._name
            )
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (tries - 1)) * (1 + self._times.jitter()) / 2
        pause = max(pause, trouble.after)
        if pause >= self._left(until):
            spent = counted(tries, "try", "tries")
            raise TechnicalFailure(
                "provider", f"{what}; given up after {spent}: no time is left for another", where=self._name
            )
        self._times.sleep(pause)

    def _left(self, until: float) -> float:
        return until - self._times.clock()

    def _patience(self, until: float) -> float:
        return max(SHORTEST_TRY, min(self._timeout, self._left(until)))

    def _check(self, until: float) -> None:
        if self._left(until) <= 0:
            raise OutOfTime

    def _clean(self, text: str) -> str:
        """Cut only then, lest half of the key be left."""
        return (text.replace(self._secret, "[key]") if self._secret else text)[:MOST_TOLD]


# --- what went wrong --------------------------------------------------------------------------------------------------


def trouble_of(error: Exception) -> Trouble:
    """What an error of a service's library means. Both libraries' errors have the same form; they are told apart by
    that, because the classes cannot be named without loading them."""
    broken = error if isinstance(error, BrokenReply) else error.__cause__  # libraries wrap what their client raises
    if isinstance(broken, BrokenReply):
        return Trouble(what=str(broken), again=broken.again, kind="provider" if broken.again else "configuration")
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400:
        return _of_status(status, error)
    names = {kind.__name__ for kind in type(error).__mro__}
    if any("Timeout" in name for name in names):
        return Trouble(what="no answer in time", again=True, silent=True)
    if isinstance(error, ValueError | RecursionError) or "APIResponseValidationError" in names:
        return Trouble(what="the answer is not what the API promises (broken JSON?)", again=True)
    if {"APIConnectionError", "HTTPError", "TransportError", "OSError"} & names:
        return Trouble(what=f"the connection failed ({type(error).__name__})", again=True)
    if "APIError" in names:  # sent in the middle of a stream
        kind = _said(error, "type") or _said(error, "code")
        return Trouble(what=_line("the stream ended in an error", error), again=kind not in FINAL_TYPES)
    return Trouble(what=f"{type(error).__name__}: {error}", again=False, kind="external")


def _of_status(status: int, error: Exception) -> Trouble:
    what = _line(f"HTTP {status}", error)
    lasting = {_said(error, "type"), _said(error, "code")} & FOR_GOOD
    if (status in AGAIN or status >= 500) and not lasting:
        return Trouble(what=what, again=True, after=_asked_pause(getattr(error, "response", None)))
    return Trouble(what=what, again=False, kind="configuration", fix=FIXES.get(status, ""))


def _line(head: str, error: Exception) -> str:
    message = " ".join((_said(error, "message") or "").split())
    return f"{head}: {message}" if message else head


def _said(error: Exception, name: str) -> str | None:
    """A field of the error that the service sent; some wrap it once more."""
    body = getattr(error, "body", None)
    if isinstance(body, Mapping) and isinstance(body.get("error"), Mapping):
        body = body["error"]
    value = body.get(name) if isinstance(body, Mapping) else None
    return value if isinstance(value, str) else None


def _asked_pause(response: Any) -> float:
    """Seconds that the answer's headers ask for; 0 where they ask for none."""
    headers = getattr(response, "headers", {})
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    try:
        then = parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError, TypeError, OverflowError):
        return 0.0
    return max(0.0, (then - datetime.now(UTC)).total_seconds()) if then.tzinfo else 0.0


# --- the libraries ----------------------------------------------------------------------------------------------------


def patience(sdk: Any, timeout: float) -> Any:
    """The library's own form of so many seconds of silence."""
    return sdk.Timeout(timeout, connect=min(timeout, LONGEST_CONNECT))


def library(name: str) -> Any:
    """The service's own library. Raises LpbError with how to get it."""
    try:
        return import_module(name)
    except ImportError:
        raise LpbError(
            f"the package {name} is missing", where=name, fix=f"run: pip install 'lpb-gen[{name}]'"
        ) from None
