"""Putting an agent together that asks a model."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import click

from ...games.base import LpbError
from .base import Agent
from .model_agent import Dialect, ModelAgent
from .model_settings import Settings
from .prices import price_of
from .replies import Reply
from .service import Service, Times


class Spoken(Dialect, Protocol):
    """An API with a client behind it: it writes requests and sends them."""

    def send(self, request: Mapping[str, Any], timeout: float, check: Callable[[], None]) -> Reply: ...


def key_from(environ: Mapping[str, str], name: str) -> str:
    """The key, from the environment and from nowhere else. Raises LpbError where there is none."""
    key = environ.get(name, "").strip()
    if not key:
        fix = f"export {name}=… (any word for a server of your own that asks for none)"
        raise LpbError("the key of the model's service is not in the environment", where=name, fix=fix)
    if not key.isascii() or not key.isprintable() or " " in key:
        raise LpbError("the key has letters that no key has", where=name, fix="look for blanks and line breaks in it")
    return key


def require_model(service: str, model: str) -> None:
    """Raises LpbError where none is named."""
    if not model:
        raise LpbError("the model has no name", where=f"{service}:", fix=f"write --agent {service}:MODEL")


def made(service: str, model: str, settings: Settings, key: str, spoken: Spoken, times: Times | None) -> Agent:
    """The agent. Says on stderr where no price is known. Raises InvalidPrices."""
    price = price_of(model, settings.prices)
    if price is None:
        click.echo(
            f"{service}:{model}: no price is known, so no cost is counted (--agent-option prices=FILE)", err=True
        )
    times = times or Times(clock=time.monotonic, sleep=time.sleep, jitter=random.random)
    name = f"{service}:{model}"
    asked = Service(spoken.send, name=name, times=times, timeout=settings.timeout, retries=settings.retries, secret=key)
    return ModelAgent(name=name, model=model, settings=settings, dialect=spoken, service=asked, price=price)
