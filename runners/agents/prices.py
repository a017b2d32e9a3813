"""What a model's tokens cost: from a file that anybody can edit (``prices.yaml`` here, or one of the user's own)."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any

from ...games.base import LpbError
from .replies import Tokens

DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")  # claude-haiku-4-5-20251001, gpt-5.4-2026-03-05
NEEDED = ("input", "cached", "output")
FORM = "models: {NAME: {input: 2.0, cached: 0.2, cache_write: 2.5, output: 10.0, as_of: 2026-12-01}}"


class InvalidPrices(LpbError):
    """A price file that cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars per million tokens."""

    input: float
    cached: float
    cache_write: float
    output: float
    as_of: str

    def to_json(self) -> dict[str, Any]:
        rates = {name: value for name, value in asdict(self).items() if name != "as_of"}
        return {"as_of": self.as_of, "usd_per_million": rates}

    def usd(self, tokens: Tokens) -> float:
        fresh = max(0, tokens.input - tokens.cached - tokens.written)  # some count them beside, not among, the rest
        parts = (fresh, self.input), (tokens.cached, self.cached), (tokens.written, self.cache_write)
        return sum(count * rate for count, rate in (*parts, (tokens.output, self.output))) / 1e6


def price_of(model: str, own: Path | None = None) -> Price | None:
    """The price of a model by its name, with or without its date; ``own`` goes before the file that comes with this
    package. None where neither knows it. Raises InvalidPrices."""
    shipped = files(__package__).joinpath("prices.yaml").read_text("utf-8")
    known = read_prices(shipped, "prices.yaml")
    if own is not None:
        try:
            known |= read_prices(own.read_text("utf-8"), str(own))
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not a text"
            raise InvalidPrices(f"it cannot be read ({reason})", where=str(own)) from None
    return known.get(model) or known.get(DATED.sub("", model))


def read_prices(text: str, where: str) -> dict[str, Price]:
    """The prices of a file. Raises InvalidPrices."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        data = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError):
        raise InvalidPrices("it is not YAML", where=where, fix=f"write {FORM}") from None
    models = data.get("models") if isinstance(data, dict) else None
    if not isinstance(models, dict):
        raise InvalidPrices("it has no table `models`", where=where, fix=f"write {FORM}")
    return {str(name): _price(entry, f"{where}: {name}") for name, entry in models.items()}


def _price(entry: Any, where: str) -> Price:
    if not isinstance(entry, dict) or not set(NEEDED) <= set(entry) <= {*NEEDED, "cache_write", "as_of"}:
        raise InvalidPrices("it takes input, cached, output, and if need be cache_write and as_of", where=where)
    rates = {name: value for name, value in entry.items() if name != "as_of"}
    for name, value in rates.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value < 0:
            raise InvalidPrices(f"{name} is not an amount of dollars: {value!r}", where=where)
    return Price(**{"cache_write": rates["input"], **rates}, as_of=str(entry.get("as_of", "")))
