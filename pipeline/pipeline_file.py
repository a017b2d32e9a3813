"""dvc.yaml, as refresh writes it: the cells that this snapshot makes anew, then freeze.

Only fresh cells have stages: the others are carried over from the parent snapshot, so neither a fresh clone nor a new
OR-tools makes them again. (A list of dependencies cannot be templated in dvc.yaml, hence a written file.)
"""

from __future__ import annotations

from .params import Params
from .repository import LEVELS, MANIFEST
from .stages import candidates_file, certified_file

_HEAD = """\
# The pipeline of this snapshot. `lpb-gen refresh` writes this file from params.yaml; `dvc repro freeze` runs it.
# Cells that are not listed here come unchanged from the parent snapshot.
stages:
  generate:
    foreach: &fresh
"""


def render_pipeline(params: Params) -> str:
    """The text of dvc.yaml. Before the first refresh no cell is fresh, and it shows the stages of all."""
    cells = params.fresh or tuple(params.cells)
    listed = "".join(f"      {cell}: {{game: {cell.game}, tier: {cell.tier}}}\n" for cell in cells)
    certified = "".join(f"      - {certified_file(cell)}\n" for cell in cells)
    candidate, certificate = (
        str(file(next(iter(cells)))).replace(str(next(iter(cells))), "${key}")
        for file in (candidates_file, certified_file)
    )
    return (
        _HEAD
        + listed
        + f"""\
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
  freeze:
    cmd: lpb-gen stage freeze
    params: [name, licence, seed, parent, toolchain, fresh, cells]
    deps:
{certified}\
    outs:
      - {LEVELS}
      - {MANIFEST}:
          cache: false
"""
    )
