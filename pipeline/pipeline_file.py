"""dvc.yaml, as refresh writes it: the cells that this snapshot makes anew, then freeze.

Only fresh cells have stages: the others are carried over from the parent snapshot, so neither a fresh clone nor a new
OR-tools makes them again. (A list of dependencies cannot be templated in dvc.yaml, hence a written file.)
"""

from __future__ import annotations

from collections.abc import Sequence

from .params import Cell, Params
from .repository import LEVELS, MANIFEST
from .stages import candidates_file, certified_file

_HEAD = """\
# The pipeline of this snapshot. `lpb-gen refresh` writes this file from params.yaml; `dvc repro freeze` runs it.
# Cells that are not listed here come unchanged from the parent snapshot.
stages:
"""


def render_pipeline(params: Params) -> str:
    """The text of dvc.yaml. Before the first refresh no cell is fresh, and it shows the stages of all; a snapshot that
    only retires levels has no more than freeze."""
    cells = params.fresh if params.fresh or params.parent else tuple(params.cells)
    return _HEAD + (_made(cells) if cells else "") + _freeze(cells)


def _made(cells: Sequence[Cell]) -> str:
    listed = "".join(f"      {cell}: {{game: {cell.game}, tier: {cell.tier}}}\n" for cell in cells)
    candidate, certificate = (
        str(file(next(iter(cells)))).replace(str(next(iter(cells))), "${key}")
        for file in (candidates_file, certified_file)
    )
    return f"""\
  generate:
    foreach: &fresh
{listed}\
    do:
      cmd: lpb-gen stage generate ${{item.game}} ${{item.tier}}
      params: [seed, parent, toolchain, "cells.${{item.game}}.${{item.tier}}"]
      outs:
        - {candidate}
  verify:
    foreach: *fresh
    do:
      cmd: lpb-gen stage verify ${{item.game}} ${{item.tier}}
      params: [seed, toolchain, "cells.${{item.game}}.${{item.tier}}"]
      deps:
        - {candidate}
      outs:
        - {certificate}
"""


def _freeze(cells: Sequence[Cell]) -> str:
    certified = "".join(f"      - {certified_file(cell)}\n" for cell in cells)
    deps = f"    deps:\n{certified}" if cells else ""
    return f"""\
  freeze:
    cmd: lpb-gen stage freeze
    params: [name, licence, seed, parent, toolchain, retire, fresh, cells]
{deps}\
    outs:
      - {LEVELS}
      - {MANIFEST}:
          cache: false
"""
