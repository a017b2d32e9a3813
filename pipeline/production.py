"""Making levels: candidates are proposed by index, certified, held against a gate, and taken in index order.

A cell's candidate ``i`` depends on the order and on ``i`` only, and what is accepted is decided in index order, so the
levels are the same for any number of workers.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Protocol, TypeVar

from .. import __version__
from ..games import GAMES
from ..games.base import Claim, LpbError, Unproven
from ..games.wording import counted
from ..verifiers.certificate import Certificate
from .level import Level, dedup_key, make_level
from .strata import Range, Strata, distance
from .tiers import Band, Gate, failed_band, figure
from .workers import in_order

T = TypeVar("T")
R = TypeVar("R")

BATCH_SECONDS = 0.4  # of work in one task: long against the cost of sending it, short against a person's patience
PATIENCE = 8  # times the candidates that any lengths would have taken are looked at for those of the strata
LARGEST_BATCH = 4096
GROWTH = 4


class Exhausted(LpbError):
    """The deterministic limit of candidates ended before enough levels were found."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is wanted of one cell: generator parameters, the gate, and the place in the random stream. With ``rungs``,
    levels of as many kinds: candidate ``i`` is made with the parameters ``rungs[i % len(rungs)]``, and the levels are
    shared out among them. With ``strata``, levels whose optimal lengths lie in these ranges (in rising order, see
    ``strata.py``), shared out likewise: candidate ``i`` is made for ``strata[i % len(strata)]`` where the generator can
    aim, and fills any that it fits."""

    game: str
    tier: str
    params: Mapping[str, Any]
    gate: Gate
    seed: int
    epoch: int
    rungs: tuple[Mapping[str, Any], ...] = ()
    strata: tuple[Range, ...] = ()

    def rung(self, index: int) -> int:
        return index % max(1, len(self.rungs))

    def aim(self, index: int) -> Range | None:
        """The stratum that candidate ``index`` is made for, None where its generator cannot aim."""
        from ..generators import GENERATORS

        return self.strata[index % len(self.strata)] if self.strata and GENERATORS[self.game].aims else None

    def params_of(self, index: int) -> Mapping[str, Any]:
        if aim := self.aim(index):
            return {**self.params, "aim": list(aim)}
        return self.rungs[self.rung(index)] if self.rungs else self.params

    def shares(self, count: int) -> list[int]:
        """How many of ``count`` levels are of each kind; the first kinds get what is left over."""
        kinds = max(1, len(self.rungs))
        return [count // kinds + (kind < count % kinds) for kind in range(kinds)]

    def strata_for(self, count: int) -> list[Range]:
        """Each stratum as often as it gets one of ``count`` levels, in rising order."""
        many, more = divmod(count, len(self.strata))
        return [lengths for place, lengths in enumerate(self.strata) for _ in range(many + (place < more))]

    def places(self, count: int) -> Places:
        """Room for ``count`` levels, of each kind or in each stratum its share."""
        return _InStrata(self, count) if self.strata else _OfKinds(self, count)

    @property
    def entropy(self) -> tuple[int, int]:
        """The root seed and the cell's name: cells draw from streams of their own."""
        name = hashlib.sha256(f"{self.game}/{self.tier}".encode()).digest()
        return self.seed, int.from_bytes(name[:8], "big")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate that its generator vouches for, not yet certified. ``board`` is board JSON."""

    index: int
    board: Any
    claim: Claim
    dedup_key: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Proposal:
        claim = dict(data["claim"])
        claim["solution"] = tuple(claim["solution"])
        return cls(data["index"], data["board"], Claim(**claim), data["dedup_key"])


@dataclass(slots=True)
class Tally:
    """What became of the candidates. ``nearest``: the optimal length closest to the wanted band that came up;
    ``missed``: the strata that another level fills, because none of its own lengths came up; None where the cell has
    no strata. ``closest``: of other figures with a band, as far as those of candidates without one were known; it is
    for messages and is not kept."""

    candidates: int = 0
    proposed: int = 0
    accepted: int = 0
    unproven: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    nearest: int | None = None
    missed: list[Range] | None = None
    closest: dict[str, float] = field(default_factory=dict)

    def reject(self, reason: str) -> None:
        self.rejected[reason] = self.rejected.get(reason, 0) + 1

    def met(self, length: int | None, band: Band | None) -> None:
        """Notes a length that came up, whether it was wanted or not."""
        if length is not None and (self.nearest is None or _miss(length, band) < _miss(self.nearest, band)):
            self.nearest = length

    def met_figures(self, figures: Mapping[str, float], gate: Gate) -> None:
        """Notes the figures of a candidate that did not become a level."""
        for name, value in figures.items():
            if (band := gate.get(name)) and (
                name not in self.closest or _miss(value, band) < _miss(self.closest[name], band)
            ):
                self.closest[name] = value

    def near(self, gate: Gate) -> str:
        """What came nearest to each band that nothing met, in words; empty where each was met."""
        seen = {} if self.accepted else dict(self.closest)
        if self.nearest is not None:
            seen["optimal_length"] = self.nearest
        missed = [(name, seen[name]) for name, band in gate.items() if name in seen and not band.admits(seen[name])]
        if not missed and "optimal_length" in gate.keys() - seen.keys() and self.rejected:
            return "no candidate came as far as an optimal_length"
        return ", ".join(f"the nearest {name} found was {value:g}" for name, value in missed)

    def merge(self, other: Tally, gate: Gate = {}) -> None:  # noqa: B006  # it is only read
        self.candidates += other.candidates
        self.proposed += other.proposed
        self.accepted += other.accepted
        self.unproven += other.unproven
        for reason, n in other.rejected.items():
            self.rejected[reason] = self.rejected.get(reason, 0) + n
        self.met(other.nearest, gate.get("optimal_length"))
        self.met_figures(other.closest, gate)

    def to_json(self) -> dict[str, Any]:
        content = {**asdict(self), "rejected": dict(sorted(self.rejected.items()))}
        del content["closest"]
        if self.missed is None:
            del content["missed"]  # snapshots from before there were strata are made again to the byte
        return content

    def shortfall(self, found: int, wanted: int, gate: Gate, *, fix: str = "raise the limit") -> Exhausted:
        """The error that says what was tried and how near it came."""
        why = ", ".join(f"{n} {reason}" for reason, n in sorted(self.rejected.items(), key=lambda kv: (-kv[1], kv[0])))
        near = self.near(gate)
        bands = ", ".join(f"{name}={band}" for name, band in gate.items()) or "no band"
        return Exhausted(
            f"found {found} of {counted(wanted, 'level')} with {bands} in {counted(self.candidates, 'candidate')}"
            + (f" (rejected: {why})" if why else "")
            + (f"; {near}" if near else ""),
            fix=f"widen the band or {fix}",
        )


@dataclass(frozen=True, slots=True)
class Miss:
    """A candidate that did not become a level. ``figures``: what is known of it, by the names that gates use."""

    reason: str
    optimal_length: int | None = None
    unproven: bool = False
    figures: Mapping[str, float] = field(default_factory=dict)


def propose(order: Order, index: int) -> Proposal | Miss:
    """Candidate ``index`` of the cell, from its generator, its claimed length held against the gate."""
    from ..generators import GENERATORS
    from ..generators.base import Rejected
    from ..generators.stream import Stream

    generator, game = GENERATORS[order.game], GAMES[order.game]
    stream = Stream(order.entropy, (order.epoch, index))
    try:
        candidate = generator.generate(generator.params(order.params_of(index)), stream)
    except Unproven:
        return Miss("unproven", unproven=True)
    if isinstance(candidate, Rejected):
        unproven = candidate.reason == "unproven"
        return Miss(candidate.reason, candidate.optimal_length, unproven, candidate.figures)
    length, band = candidate.claim.lower, order.gate.get("optimal_length")
    if band is not None and not band.admits(length):
        return Miss("optimal_length", length)
    return Proposal(index, game.dump(candidate.board), candidate.claim, dedup_key(game, candidate.board))


def certify(order: Order, proposal: Proposal) -> Level | Miss:
    """The certified level of a proposal, or why it is none. A claim that its verifier refutes raises ProofFailed: that
    is a fault to find, never a candidate to drop."""
    from ..verifiers import VERIFIERS

    game = GAMES[order.game]
    board = game.board(proposal.board)
    try:
        certificate, figures = VERIFIERS[order.game].verify(board, proposal.claim)
    except Unproven:
        return Miss("unproven", proposal.claim.lower, unproven=True)
    failed = failed_band(figures, order.gate)
    if failed is not None:
        known = {name: figure(figures, name) for name, band in order.gate.items() if band.word is None}
        numbers = {name: value for name, value in known.items() if value is not None}
        return Miss(failed, figures.get("optimal_length"), figures=numbers)
    return _level(order, proposal, board, certificate, figures)


def _level(order: Order, proposal: Proposal, board: Any, certificate: Certificate, figures: Mapping[str, Any]) -> Level:
    provenance = {
        "generator": f"lpb-gen {__version__}",
        "seed_path": [order.seed, f"{order.game}/{order.tier}", order.epoch, proposal.index],
    }
    return make_level(GAMES[order.game], board, certificate, figures, tier=order.tier, provenance=provenance)


class Places(Protocol):
    """Room for so many levels, of which each takes a place that suits it."""

    def has_room(self, index: int, length: int) -> bool:
        """Whether there is a place for the level of candidate ``index``, of that optimal length."""

    def take(self, index: int, length: int) -> bool:
        """Gives it a place; False where there is none."""

    def is_needless(self, index: int) -> bool:
        """Whether candidate ``index`` need not be made, for what it would be made for is there."""

    def open_strata(self) -> list[Range]:
        """The strata that no level fills; none where the order has no strata."""

    @property
    def is_full(self) -> bool: ...


class _OfKinds:
    def __init__(self, order: Order, count: int) -> None:
        self._order, self._left = order, order.shares(count)

    def has_room(self, index: int, length: int) -> bool:
        return self._left[self._order.rung(index)] > 0

    def take(self, index: int, length: int) -> bool:
        has_room = self.has_room(index, length)
        self._left[self._order.rung(index)] -= has_room
        return has_room

    def is_needless(self, index: int) -> bool:
        return False

    def open_strata(self) -> list[Range]:
        return []

    @property
    def is_full(self) -> bool:
        return not any(self._left)


class _InStrata:
    def __init__(self, order: Order, count: int) -> None:
        self._order, self._strata = order, Strata(order.strata_for(count))

    def has_room(self, index: int, length: int) -> bool:
        return self._strata.has_room((length, length))

    def take(self, index: int, length: int) -> bool:
        return self._strata.take(length)

    def is_needless(self, index: int) -> bool:
        aim = self._order.aim(index)
        return aim is not None and not self._strata.has_room(aim)

    def open_strata(self) -> list[Range]:
        return self._strata.open()

    @property
    def is_full(self) -> bool:
        return not self._strata.open()


def propose_cell(
    order: Order,
    count: int,
    executor: Executor,
    *,
    limit: int,
    taken: frozenset[str] = frozenset(),
    tick: Callable[[Tally], None] = lambda tally: None,
) -> tuple[list[Proposal], Tally]:
    """The first ``count`` proposals in index order that are new and of a kind, or in a stratum, that is still wanted,
    looking at ``limit`` candidates at most (fewer proposals come back then). ``tick`` is called as the count grows.

    With strata, those that are new but in none that is open come back as well: they may stand in. The search for rare
    strata ends at ``PATIENCE`` times the candidates after which there were ``count`` proposals of any length."""
    tally, found, seen = Tally(), [], set(taken)
    places, issued, most = order.places(count), deque[int](), limit

    def wanted() -> Iterator[int]:
        for index in itertools.count():
            if places.is_full:
                return
            if not places.is_needless(index):  # as it would be when its turn comes: what is full stays full
                issued.append(index)
                yield index

    for outcome in batched(partial(propose, order), wanted(), executor):
        index = issued.popleft()
        if places.is_needless(index):
            continue
        if isinstance(outcome, Proposal) and not (order.strata or places.has_room(index, outcome.claim.lower)):
            outcome = Miss("surplus")
        if _count(tally, outcome, order, seen):
            assert isinstance(outcome, Proposal)
            places.take(index, outcome.claim.lower)
            found.append(outcome)
            tally.proposed += 1
        if tally.proposed == count:
            most = min(most, PATIENCE * tally.candidates)
        tick(tally)
        if places.is_full or tally.candidates >= most:
            break
    return found, tally


def take_wanted(places: Places, proposals: Sequence[Proposal]) -> tuple[list[Proposal], list[Proposal]]:
    """The first proposals that find a place, and all others; both in their order."""
    some: list[Proposal] = []
    others: list[Proposal] = []
    for proposal in proposals:
        (some if places.take(proposal.index, proposal.claim.lower) else others).append(proposal)
    return some, others


def stand_ins(open_strata: Sequence[Range], proposals: Sequence[Proposal]) -> tuple[list[Proposal], list[Proposal]]:
    """For each stratum that no level fills the proposal whose length comes nearest to it, of equals the first; and all
    others, in their order."""
    left, some = list(proposals), list[Proposal]()
    for lengths in open_strata:
        if left:
            nearest = min(left, key=lambda proposal: (distance(proposal.claim.lower, lengths), proposal.index))
            left.remove(nearest)
            some.append(nearest)
    return some, left


def certify_cell(
    order: Order,
    proposals: Sequence[Proposal],
    executor: Executor,
    *,
    tick: Callable[[Tally], None] = lambda tally: None,
) -> tuple[list[Level], Tally]:
    """Every proposal that becomes a level, in index order. ``tally.candidates`` counts the proposals."""
    tally, levels = Tally(), []
    for outcome in batched(partial(certify, order), proposals, executor):
        if _count(tally, outcome, order, set()):
            assert isinstance(outcome, Level)
            levels.append(outcome)
            tally.accepted += 1
        tick(tally)
    return levels, tally


def make(order: Order, index: int) -> Level | Miss:
    """Proposes and certifies candidate ``index``."""
    proposal = propose(order, index)
    return certify(order, proposal) if isinstance(proposal, Proposal) else proposal


def make_levels(
    order: Order,
    count: int,
    executor: Executor,
    *,
    patience: int,
    tick: Callable[[Tally], None] = lambda tally: None,
) -> Iterator[Level]:
    """``count`` certified levels, one by one in index order. Raises Exhausted after ``patience`` candidates in a row
    that gave none."""
    tally, seen, fruitless = Tally(), set[str](), 0
    if count < 1:
        return
    for outcome in batched(partial(make, order), itertools.count(), executor):
        fruitless += 1
        if _count(tally, outcome, order, seen):
            assert isinstance(outcome, Level)
            tally.accepted += 1
            fruitless = 0
            yield outcome
        tick(tally)
        if tally.accepted >= count:
            return
        if fruitless >= patience:
            raise tally.shortfall(tally.accepted, count, order.gate, fix=f"try longer with --patience {10 * patience}")


def _count(tally: Tally, outcome: Proposal | Level | Miss, order: Order, seen: set[str]) -> bool:
    """Counts one outcome; True where it is kept."""
    band = order.gate.get("optimal_length")
    tally.candidates += 1
    if isinstance(outcome, Miss):
        tally.unproven += outcome.unproven
        tally.reject(outcome.reason)
        tally.met(outcome.optimal_length, band)
        tally.met_figures(outcome.figures, order.gate)
        return False
    length = outcome.claim.lower if isinstance(outcome, Proposal) else outcome.certificate.lower
    tally.met(length, band)
    if outcome.dedup_key in seen:
        tally.reject("duplicate")
        return False
    seen.add(outcome.dedup_key)
    return True


def batched(task: Callable[[T], R], items: Iterable[T], executor: Executor) -> Iterator[R]:
    """``task`` of each item, in order. Batches grow to BATCH_SECONDS of work each, or to what the executor names as its
    ``batch_seconds``: that steers how the work is sent, never what comes back."""
    size, source = 1, iter(items)
    wanted = float(getattr(executor, "batch_seconds", BATCH_SECONDS))

    def batches() -> Iterator[list[T]]:
        while batch := list(itertools.islice(source, size)):
            yield batch

    for batch, (seconds, outcomes) in in_order(executor, partial(_timed, task), batches()):
        yield from outcomes
        size = _next_size(len(batch), seconds, wanted)


def _next_size(size: int, seconds: float, wanted: float) -> int:
    """Items worth ``wanted`` seconds, judged by ``size`` of them that took ``seconds``; a few judge for four times as
    many at most. By what the batch itself had, for others of older sizes are still under way."""
    grown = min(GROWTH * size, LARGEST_BATCH)
    return grown if seconds * grown <= wanted * size else max(1, size // GROWTH, round(wanted * size / seconds))


def _timed(task: Callable[[T], R], batch: Sequence[T]) -> tuple[float, list[R]]:
    began = time.perf_counter()
    outcomes = [task(item) for item in batch]
    return time.perf_counter() - began, outcomes


def _miss(length: float, band: Band | None) -> float:
    """How far a length lies outside a band."""
    return 0.0 if band is None else max(band.low - length, length - band.high, 0.0)
