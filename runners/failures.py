"""Technical failures: what ends an episode without saying anything about the agent. Recorded, never scored."""

from __future__ import annotations

from typing import Literal, get_args

from ..games.base import LpbError

FailureKind = Literal["provider", "browser", "environment", "logging", "configuration", "external"]
FAILURE_KINDS: tuple[str, ...] = get_args(FailureKind)


class TechnicalFailure(LpbError):
    """An episode cannot go on for a reason that is not the agent's. ``kind`` is one of METRICS.md's classes:

    provider (a model's service), browser (it is missing, crashed or hangs), environment (the suite itself), logging
    (the record could not be written), configuration (the run was asked for something impossible), external (all else).
    """

    def __init__(self, kind: FailureKind, what: str, *, where: str = "", fix: str = "") -> None:
        super().__init__(what, where=where or kind, fix=fix)
        self.kind: FailureKind = kind
