"""dvc.yaml, as refresh writes it: the cells that this snapshot makes anew, then freeze.

Only fresh cells have stages: the others are carried over from the parent snapshot, so neither a fresh clone nor a new
OR-tools makes them again. (A list of dependencies cannot be templated in dvc.yaml, hence a written file.)
"""

from __future__ import annotations

from collections.abc import Sequence

from .imports import imports_file
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
    made = [cell for cell in cells if cell not in params.imported]
    stages = (_made(made) if made else "") + (_imported(params.imported) if params.imported else "")
    return _HEAD + stages + _freeze(cells, ["imported"] if params.imported else [])


def _imported(cells: Sequence[Cell]) -> str:
    first = cells[0]
    source, certificate = (str(file(first)).replace(str(first), "${key}") for file in (imports_file, certified_file))
    source = source.replace(f"{first.game}/{first.tier}", "${item.game}/${item.tier}")
    return f"""\
  import:
    foreach:
{_listed(cells)}\
    do:
      cmd: lpb-gen stage import ${{item.game}} ${{item.tier}}
      params: [toolchain, "cells.${{item.game}}.${{item.tier}}.epoch"]
      deps:
        - {source}
      outs:
        - {certificate}
"""


def _listed(cells: Sequence[Cell]) -> str:
    return "".join(f"      {cell}: {{game: {cell.game}, tier: {cell.tier}}}\n" for cell in cells)


def _made(cells: Sequence[Cell]) -> str:
    candidate, certificate = (
        str(file(next(iter(cells)))).replace(str(next(iter(cells))), "${key}")
        for file in (candidates_file, certified_file)
    )
    return f"""\
  generate:
    foreach: &fresh
{_listed(cells)}\
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


def _freeze(cells: Sequence[Cell], more: Sequence[str]) -> str:
    keys = ", ".join(("name", "licence", "seed", "parent", "toolchain", "retire", "fresh", *more, "cells"))
    certified = "".join(f"      - {certified_file(cell)}\n" for cell in cells)
    deps = f"    deps:\n{certified}" if cells else ""
    return f"""\
  freeze:
    cmd: lpb-gen stage freeze
    params: [{keys}]
{deps}\
    outs:
      - {LEVELS}
      - {MANIFEST}:
          cache: false
"""
