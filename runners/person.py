"""A person plays an episode in an own browser: the same suite, the same log, the same grades.

The clock begins when the first frame is on the person's screen. The evaluator looks after each input that the suite has
taken; a gesture (press to release, or a key) is written down as one step, in the order in which an agent's are.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any

from . import actions
from .agents.base import Agent, Decision, Observation, native_or_other
from .episode import Ending, Episode

if TYPE_CHECKING:
    from ..games.base import Pointer
    from .session import Note, Session
    from .suite.server import Suite
    from .surface import Pixels

Input = tuple["Pointer", dict[str, Any], float]  # with what the evaluator saw then, and when
LOOK_SECONDS = 0.2
START_SECONDS = 30.0
CLOSE_SECONDS = 8.0
ENDED = "ended by the player"


class Human(Agent):
    """Stands for the person in the record."""

    name = "human"
    kind = "human"

    def act(self, observation: Observation) -> Decision:
        raise TypeError("a person decides in the browser")


class PersonSurface:
    """See ``surface.Surface``; inputs come from the person, who gets ``announce``'s address. ``port`` 0: any free."""

    name = "person"

    def __init__(self, session: Session, *, port: int, lang: str, announce: Callable[[str], None]) -> None:
        self.session = session
        self._port, self._lang, self._announce = port, lang, announce
        self._news: SimpleQueue[str | BaseException | None] = SimpleQueue()
        self._listener: Callable[[Pointer, tuple[Note, ...]], None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._suite: Suite | None = None
        self._listened = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lpb-gen suite", daemon=True)

    def start(self) -> None:
        """Returns when the person sees the first frame, however long that takes. Raises PortTaken."""
        self._thread.start()
        while True:
            try:
                news = self._news.get(timeout=LOOK_SECONDS)  # Ctrl-C gets between
            except Empty:
                continue
            if isinstance(news, BaseException):
                raise news
            if news is None:
                return
            self._announce(news)

    def listen(self, listener: Callable[[Pointer, tuple[Note, ...]], None] | None) -> None:
        """``listener`` gets each input that the suite has taken, and what the session noted of it."""
        self._listener = listener
        self._listened.set()

    def dispatch(self, events: Sequence[Pointer]) -> tuple[Note, ...]:
        """Raises TypeError: nobody but the person gives inputs."""
        raise TypeError("a person's surface takes no other inputs")

    def pixels(self) -> Pixels:
        assert self._suite is not None
        return self._suite.pixels

    def screenshot(self) -> bytes:
        from .suite.png import png

        return png(self.pixels())

    def rejected(self) -> tuple[str, ...]:
        return self._suite.rejected() if self._suite is not None else ()

    def describe(self) -> dict[str, Any]:
        return {"name": self.name}

    def close(self) -> None:
        self._listened.set()
        if self._loop is not None and self._stop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(CLOSE_SECONDS)

    # --- in its thread ------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            self._news.put(error)

    async def _serve(self) -> None:
        from .suite.server import Suite

        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        suite = Suite(
            self.session,
            token=token_urlsafe(12),
            guarded=False,
            lang=self._lang,
            on_event=self._take,
            on_shown=self._show,
        )
        await suite.start(self._port)
        self._suite = suite
        try:
            self._news.put(suite.address)
            suite.lost.add_done_callback(lambda lost: self._news.put(lost.result()))
            await self._stop.wait()
        finally:
            await suite.stop()

    def _show(self) -> None:
        """The person may act from now on; what comes before somebody listens waits."""
        self._news.put(None)
        self._listened.wait(START_SECONDS)

    def _take(self, event: Pointer, notes: tuple[Note, ...]) -> None:
        if self._listener is not None:
            self._listener(event, notes)

    def failure(self) -> BaseException | None:
        """What has ended the suite, if anything has."""
        try:
            news = self._news.get_nowait()
        except Empty:
            return None
        return news if isinstance(news, BaseException) else None


class PersonEpisode(Episode):
    """An episode on a ``PersonSurface``. Ctrl-C is the person's own end of it."""

    def _play(self) -> Ending:
        surface = self._surface
        assert isinstance(surface, PersonSurface)
        self._over: SimpleQueue[Ending | BaseException] = SimpleQueue()
        self._lock = threading.Lock()
        self._gesture: list[Input] = []
        self._shown = self._elapsed()
        self._look(None, ())
        self._observe()
        surface.listen(self._take)
        try:
            return self._wait(surface)
        except KeyboardInterrupt:
            return Ending("answer", ENDED)
        finally:
            with self._lock:  # what is being written down is finished first
                surface.listen(None)

    def _wait(self, surface: PersonSurface) -> Ending:
        while self._left() > 0:
            try:
                over = self._over.get(timeout=min(LOOK_SECONDS, max(0.0, self._left())))
            except Empty:
                if (failure := surface.failure()) is not None:
                    raise failure from None
                continue
            if isinstance(over, BaseException):
                raise over
            return over
        return Ending("deadline")

    def _take(self, event: Pointer, notes: tuple[Note, ...]) -> None:
        """In the suite's thread, before it takes the next input."""
        with self._lock:
            if self._left() <= 0:
                return
            try:
                data, complete = self._seen(event, notes)
                self._gesture.append((event, data, self._elapsed()))
                if complete or event.kind in ("up", "key"):
                    self._write_down()
                if complete:
                    self._over.put(Ending("complete"))
            except Exception as error:  # the waiting thread has to know
                self._over.put(error)

    def _write_down(self) -> None:
        gesture, self._gesture = self._gesture, []
        action = actions.write_action(actions.gesture([event for event, _, _ in gesture]))
        begun, ended = gesture[0][2], gesture[-1][2]
        said = {"action": action, "step_class": native_or_other(action)}
        self._log("decision", {"step": self._step, "seconds": round(begun - self._shown, 6)} | said, begun)
        for _, data, at in gesture:
            self._log("snapshot", data, at)
        self._log("action", {"step": self._step, "inputs": len(gesture)}, ended)
        self._watch_step()
        self._observe()
        self._shown = self._elapsed()
