"""A program that speaks lines over its standard input and output, kept on a short leash.

One loop serves all three pipes, and nothing is read while nobody waits for a reply: a program that floods fills its own
pipe and stops there, one that does not read delays nobody beyond the time it was given, and never more than one line
and one pipe's worth of bytes is held here.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import IO

from ..failures import TechnicalFailure

MAX_LINE = 1 << 20  # bytes of one reply
MAX_ERRORS = 1 << 20  # bytes of standard error that are kept
CHUNK = 1 << 16
GRACE = 1.0  # seconds that a program has to end by itself once its input is closed
# waits for the end of its input, which is ours until we are gone, and ends a process group then
GUARD = 'read -r _; kill -s KILL -- "-$1"'


class ProgramEnded(Exception):
    """The program cannot go on: it exited, or closed its input or its output."""


class NoReply(Exception):
    """The time is over."""


class LineTooLong(Exception):
    """More than MAX_LINE bytes without an end of line. What is left of that line will be thrown away."""


class Lines:
    """Bytes in, lines out."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._within = False  # a line that was too long

    def add(self, data: bytes) -> None:
        self._bytes += data

    def take(self) -> bytes | None:
        """The next whole line without its end. Raises LineTooLong."""
        end = self._bytes.find(b"\n")
        if end < 0:
            if len(self._bytes) > MAX_LINE:
                self._bytes.clear()
                self._within = True
                raise LineTooLong
            return None
        line = bytes(self._bytes[:end])
        del self._bytes[: end + 1]
        if self._within:
            self._within = False
            return self.take()
        return line

    def drop(self) -> bool:
        """Throws the whole lines away; whether there were any."""
        found = False
        with contextlib.suppress(LineTooLong):
            while self.take() is not None:
                found = True
            return found
        return True


class ErrorLog:
    """A file that takes MAX_ERRORS bytes and says so when there were more. Raises TechnicalFailure ("logging")."""

    def __init__(self, path: Path | None) -> None:
        """The file is made with the first byte; None: nothing is kept."""
        self._path, self._room = path, MAX_ERRORS
        self._file: IO[bytes] | None = None

    def write(self, data: bytes) -> None:
        if self._path is None or not self._room or not data:
            return
        kept = data[: self._room]
        self._room -= len(kept)
        if not self._room:
            kept += b"\n[the rest was not kept]\n"
        try:
            self._file = self._file or open(self._path, "xb", buffering=0)  # noqa: SIM115 (kept open)
            self._file.write(kept)
        except OSError as error:
            what = f"the agent's standard error could not be kept ({error.strerror or error})"
            raise TechnicalFailure("logging", what, where=str(self._path)) from None

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class LineProgram:
    """``argv`` runs in ``folder`` in a process group of its own. ``errors``: the file that its standard error goes to;
    ``inherits``: descriptors that it is started with; ``clock``: seconds, monotonic."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        errors: Path | None,
        inherits: Sequence[int] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Raises OSError where the program cannot be started."""
        self._clock = clock
        self._log = ErrorLog(errors)
        self._closed = threading.Event()
        self._process = self._started(list(argv), folder, dict(environment), inherits)
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._in, self._out, self._err = self._process.stdin, self._process.stdout, self._process.stderr
        for stream in (self._in, self._out, self._err):
            os.set_blocking(stream.fileno(), False)
        self._guard = _guard(self._process.pid)
        self._open = {self._out, self._err}
        self._lines = Lines()
        self._asking = threading.Lock()  # whoever asks may be left waiting by its caller, who then closes

    def _started(
        self, argv: list[str], folder: Path, environment: dict[str, str], inherits: Sequence[int]
    ) -> subprocess.Popen[bytes]:
        """Starts it from a thread that lasts as long as this object: what dies with its parent dies with the thread
        that started it (prctl(2), PR_SET_PDEATHSIG)."""
        answer: Future[subprocess.Popen[bytes]] = Future()
        pipe = subprocess.PIPE

        def start() -> None:
            try:
                process = subprocess.Popen(
                    argv,
                    cwd=folder,
                    env=environment,
                    stdin=pipe,
                    stdout=pipe,
                    stderr=pipe,
                    bufsize=0,
                    start_new_session=True,
                    pass_fds=inherits,
                )
            except BaseException as error:
                answer.set_exception(error)
                return
            answer.set_result(process)
            self._closed.wait()

        threading.Thread(target=start, name="lpb-gen program", daemon=True).start()
        return answer.result()

    def ask(self, message: bytes, seconds: float) -> tuple[bytes, bool]:
        """Sends one line, and waits for the next: that line, and whether others had come unasked and were dropped.

        Raises NoReply, LineTooLong, ProgramEnded, TechnicalFailure where its standard error cannot be kept."""
        until = self._clock() + seconds
        with self._asking:
            dropped = self._send(message, until)
            while (line := self._lines.take()) is None:
                if self._out not in self._open:
                    raise ProgramEnded(self._ending("closed its standard output"))
                self._serve(until)
            return line, dropped

    def _send(self, message: bytes, until: float) -> bool:
        """What came before the whole message was out is no reply to it: whether there was any."""
        rest = memoryview(message)
        dropped = False
        while rest:
            takes = self._serve(until, write=True)
            dropped |= self._lines.drop()
            if takes:
                try:
                    rest = rest[os.write(self._in.fileno(), rest[:CHUNK]) :]
                except BlockingIOError:
                    continue
                except BrokenPipeError:
                    raise ProgramEnded(self._ending("closed its standard input")) from None
        return dropped

    def _serve(self, until: float, *, write: bool = False) -> bool:
        """Waits once for something to happen, and takes what came; whether there is room for input.

        Raises ProgramEnded where nobody will read it and nothing more came, NoReply."""
        left = until - self._clock()
        if left <= 0:
            raise NoReply
        poll = select.poll()
        for stream in self._open:
            poll.register(stream, select.POLLIN)
        poll.register(self._in, select.POLLOUT if write else 0)  # that it was closed is always told
        ready = dict(poll.poll(min(left, 60.0) * 1000))
        if self._err.fileno() in ready:
            self._log.write(self._read(self._err))
        if self._out.fileno() in ready:
            self._lines.add(self._read(self._out))
        elif ready.get(self._in.fileno(), 0) & select.POLLERR:
            raise ProgramEnded(self._ending("closed its standard input"))
        return bool(ready.get(self._in.fileno(), 0) & select.POLLOUT)

    def _read(self, stream: IO[bytes]) -> bytes:
        try:
            data = os.read(stream.fileno(), CHUNK)
        except BlockingIOError:
            return b""
        if not data:
            self._open.discard(stream)
        return data

    def _ending(self, what: str) -> str:
        """Its exit status, where it has one by now, says more than ``what``."""
        self._await_exit(0.2)
        status = self._exit_status()
        if status is None:
            return f"the program {what}"
        if status < 0:
            return f"the program was ended by {signal.Signals(-status).name}"
        return f"the program exited with status {status}"

    def _exit_status(self) -> int | None:
        """As Popen.returncode. The process is not reaped: until that, its group's id is nobody else's."""
        if not hasattr(os, "waitid"):
            return None
        found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    def _await_exit(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while self._exit_status() is None and time.monotonic() < until:
            time.sleep(0.01)

    def close(self) -> None:
        """Ends the program and whatever is left of its process group; may be called while another thread asks. What it
        wrote to standard error is kept."""
        if self._process.returncode is not None:
            return
        if self._asking.acquire(blocking=False):  # else it had its time
            self._in.close()
            self._await_exit(GRACE)
            self._asking.release()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        if self._guard is not None:  # before the group's id may become somebody else's
            self._guard.kill()
            self._guard.communicate()
        self._process.wait()
        self._closed.set()
        with self._asking:  # its end ends the asking
            with contextlib.suppress(TechnicalFailure):  # the episode is over, and has its grade
                while self._err in self._open and (data := self._read(self._err)):
                    self._log.write(data)
            for stream in (self._in, self._out, self._err):
                stream.close()
            self._log.close()


def _guard(group: int) -> subprocess.Popen[bytes] | None:
    """A process that ends the group of processes if we are ended without a chance to do so (SIGKILL): a program that
    computes, and does not read its input, would never learn that nobody is there. None where there is no shell."""
    try:
        return subprocess.Popen(
            ["/bin/sh", "-c", GUARD, "guard", str(group)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            start_new_session=True,
        )
    except OSError:
        return None
