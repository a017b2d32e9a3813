"""How CP-SAT is run: one worker and a fixed seed, so that the same question has the same answer; Ctrl-C stays Python's.

Its settings only; every model and every limit is its user's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpSolver


def cpsat(seed: int) -> CpSolver:
    """A new solver."""
    from ortools.sat.python.cp_model import CpSolver

    solver = CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed
    solver.parameters.catch_sigint_signal = False  # it would leave the process without Python's own handler
    return solver
