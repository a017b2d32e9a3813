"""Agents as users write them, for the tests that name them by file (``agents_of_users.py:Name``)."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import time
from typing import Any

from lpb_gen.runners.failures import TechnicalFailure

UP = {"action": "press", "key": "ArrowUp"}


class Predictor:
    """Presses a key so many times, then says that it is done; tells what it was given."""

    name = "predictor/1: ü"
    log: list[Any]

    def __init__(self, count: int = 2, fast: bool = False, style: str = "plain", seed: int = -1) -> None:
        self.count, self.log = count, [count, fast, style, seed]
        print("an agent may print")

    def initialize(self, instruction: str) -> None:
        self.log.append(instruction)

    def predict(self, observation: Any) -> tuple[str, Any]:
        assert observation.pixels().shape == (900, 1280, 4)
        self.count -= 1
        return f"{self.count} left", UP if self.count >= 0 else {"action": "answer", "text": "done"}

    def done(self) -> None:
        self.log.append("done")


class Actor:
    """Only acts."""

    def act(self, observation: Any) -> Any:
        return {"action": "answer", "text": f"at {observation.step}"}


class Neither:
    """No agent at all."""


class Unlucky:
    def __init__(self) -> None:
        raise ValueError("no luck today")

    act = Actor.act


class Vanishing:
    """Takes the records away, and then its process."""

    def __init__(self, out: str) -> None:
        self.out = out

    def act(self, observation: Any) -> Any:
        shutil.rmtree(self.out)
        os.kill(os.getpid(), signal.SIGKILL)


class Crashing:
    def act(self, observation: Any) -> Any:
        raise RuntimeError("a bug of mine")


class Leaving:
    """Takes its process with it."""

    def act(self, observation: Any) -> Any:
        os._exit(3)


class Killed:
    """The system kills its process, as it does when memory is short; only on the hard tier, so that others go on."""

    def initialize(self, instruction: str) -> None:
        self.hard = "hard" in instruction

    def predict(self, observation: Any) -> Any:
        if self.hard:
            os.kill(os.getpid(), signal.SIGKILL)
        return "", {"action": "answer", "text": "nothing"}


class Holding:
    """A pattern that backtracks for ever, and keeps the interpreter to itself."""

    def act(self, observation: Any) -> Any:
        re.match(r"(a+)+$", "a" * 60 + "b")


class Sleeping:
    def act(self, observation: Any) -> Any:
        time.sleep(600)

    def done(self) -> None:
        time.sleep(600)


class Unserved:
    """Its model's service is down, but not for ever: it counts in a file how often it was tried."""

    def __init__(self, counter: str, until: int = 1) -> None:
        self.counter, self.until = counter, until

    def act(self, observation: Any) -> Any:
        with open(self.counter, "a+") as file:
            file.seek(0)
            before = len(file.read())
            file.write("x")
        if before < self.until:
            raise TechnicalFailure("provider", "the model's service is down")
        return {"action": "answer", "text": "I had a look"}


class Misconfigured:
    def act(self, observation: Any) -> Any:
        raise TechnicalFailure("configuration", "no such model")


class Endless:
    """Plays on and on."""

    def act(self, observation: Any) -> Any:
        return UP


class NeverMade:
    """Its constructor never comes back, and takes no Ctrl-C; it says in a file that it has begun."""

    def __init__(self, begun: str) -> None:
        open(begun, "x").close()
        while True:
            with contextlib.suppress(BaseException):
                time.sleep(600)

    act = Actor.act


class Stopped:
    """Somebody stops its process while it is made."""

    def __init__(self, begun: str) -> None:
        open(begun, "x").close()
        os.kill(os.getpid(), signal.SIGSTOP)

    act = Actor.act
