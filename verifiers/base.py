"""What a verifier is: it takes a board and a claim, trusts neither, and returns what it could prove."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..games.base import Claim
from .certificate import FIGURES, Certificate

B = TypeVar("B")
Figures = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifier(Generic[B]):
    """``verify``: proves a claim by an independent method and computes every figure of a level (raises ProofFailed
    where the claim is wrong, Unproven where the deterministic limit ended the proof); ``refute``: proves that a board
    has no solution and returns the argument in words, or None where it has one (raises Unproven); ``figures``: the
    names of all figures that a level of this game can have, those left out that are null whatever the level."""

    game: str
    version: int
    verify: Callable[[B, Claim], tuple[Certificate, Figures]]
    refute: Callable[[B], str | None]
    figures: tuple[str, ...] = FIGURES


AnyVerifier = Verifier[Any]
