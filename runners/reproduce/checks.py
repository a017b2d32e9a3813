"""What a reproduction finds: of each part of a record, how much was compared and is equal, and what differs first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MOST_TOLD = 5  # differences of one part that are told; all are counted


@dataclass(slots=True)
class Check:
    """One part of a record. ``equal`` of ``compared`` things are as recorded; ``differences``: the first of the others,
    each with ``what`` and, where it has them, ``step``, ``event`` (its ``seq``), ``recorded`` and ``here``;
    ``unchecked``: why nothing, or not everything, could be compared."""

    name: str
    compared: int = 0
    equal: int = 0
    differences: list[dict[str, Any]] = field(default_factory=list)
    unchecked: str = ""

    def same(self, count: int = 1) -> None:
        self.compared += count
        self.equal += count

    def differs(self, what: str, **more: Any) -> None:
        """``more``: JSON-ready; what is None is left out."""
        self.compared += 1
        if len(self.differences) < MOST_TOLD:
            self.differences.append({"what": what} | {key: value for key, value in more.items() if value is not None})

    def expect(self, what: str, recorded: Any, here: Any, **more: Any) -> bool:
        """Compares two values; true if they are equal."""
        if recorded == here and type(recorded) is type(here):
            self.same()
            return True
        self.differs(what, recorded=recorded, here=here, **more)
        return False

    @property
    def status(self) -> str:
        """``equal``, ``differs``, or ``not compared`` where nothing could be."""
        if self.equal < self.compared:
            return "differs"
        return "equal" if self.compared else "not compared"

    def to_json(self) -> dict[str, Any]:
        return {
            "part": self.name,
            "status": self.status,
            "compared": self.compared,
            "equal": self.equal,
            "differences": self.differences,
            "not_compared": self.unchecked or None,
        }


@dataclass(slots=True)
class Reproduction:
    """Of one record. ``remarks``: what is worth knowing and no difference, one line each."""

    run: str
    snapshot: str
    checks: list[Check]
    remarks: list[str]

    @property
    def reproduced(self) -> bool:
        return all(check.status != "differs" for check in self.checks)

    def to_json(self) -> dict[str, Any]:
        return {
            "schema_version": 1,
            "run": self.run,
            "reproduced": self.reproduced,
            "snapshot": self.snapshot,
            "parts": [check.to_json() for check in self.checks],
            "remarks": self.remarks,
        }
