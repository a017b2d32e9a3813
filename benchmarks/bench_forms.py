"""Do independent refreshes of a tier give parallel forms? Every default cell is made at several epochs, each as
``lpb-gen refresh`` makes it, and every pair of them is held against the criterion of ``lpb-gen compare``.

    python benchmarks/bench_forms.py [CELL ...] [--epochs 4] [--workers 1] [--params params.yaml] [--any]

``--any`` leaves the spreads out: the first levels that come, as it was before there were any. *held*: the share of the
pairs whose means of optimal_length differ by less than one standard error, and whose LC of the greedy and of the random
player differ by less than their interval; *rms*: the root mean square of the difference of the means, in standard
errors. Candidates and seconds (CPU, of all workers, certificates included) are those of one refresh.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from statistics import mean

from lpb_gen.pipeline import stages
from lpb_gen.pipeline.level import Level
from lpb_gen.pipeline.new_repository import template_text
from lpb_gen.pipeline.params import Cell, Params
from lpb_gen.pipeline.params_file import read_params
from lpb_gen.pipeline.production import Tally
from lpb_gen.pipeline.workers import executor, in_order
from lpb_gen.runners.equating import Play, play_level, scores, standard_error

AGENTS = ("greedy", "random")


def form(params: Params, cell: Cell, epoch: int, pool: Executor) -> tuple[list[Level], Tally]:
    """The levels of one epoch; with more proposals where refresh would ask for them."""
    block = replace(params.cells[cell], epoch=epoch)
    while True:
        asked = replace(params, cells={cell: block})
        try:
            proposals, tally = stages.propose(asked, cell, frozenset(), pool, lambda tally: None)
            return stages.certify(asked, cell, proposals, tally, pool, lambda tally: None)
        except stages.CellShort as short:
            if not short.can_grow:
                raise
            block = replace(block, reserve=2 * (block.count + block.reserve) - block.count)


def solved_by(levels: Sequence[Level], pool: Executor) -> dict[tuple[str, str], float]:
    plays = [Play(level, agent) for level in levels for agent in AGENTS]
    return {(play.level.id, play.agent): share for play, share in in_order(pool, play_level, plays)}


def distance(first: Sequence[Level], second: Sequence[Level]) -> float:
    """Of the mean optimal lengths, in standard errors."""
    lengths = [[level.certificate.lower for level in side] for side in (first, second)]
    gap = abs(mean(lengths[0]) - mean(lengths[1]))
    return gap / standard_error(*lengths) if gap else 0.0


def agrees(
    first: Sequence[Level], second: Sequence[Level], solved: Mapping[tuple[str, str], float], agent: str
) -> bool:
    return scores(*({level.id: solved[level.id, agent] for level in side} for side in (first, second))).agrees


def row(params: Params, cell: Cell, epochs: int, pool: Executor) -> str:
    began = sum(os.times()[:4])
    made = [form(params, cell, epoch, pool) for epoch in range(1, epochs + 1)]
    seconds = (sum(os.times()[:4]) - began) / epochs
    forms = [levels for levels, _ in made]
    candidates = mean(tally.candidates for _, tally in made)
    missed = sum(len(tally.missed or ()) for _, tally in made)
    means = ", ".join(f"{mean(level.certificate.lower for level in levels):.1f}" for levels in forms)
    told = f"{cell!s:14} {len(forms[0]):2} {candidates:7.1f} {seconds:6.1f} {missed:3}"
    if len(forms[0]) < 2:
        return f"{told}   no spread inside one level   {means}"
    pairs = list(combinations(forms, 2))
    apart = [distance(*pair) for pair in pairs]
    solved = solved_by([level for levels in forms for level in levels], pool)
    held = [sum(gap < 1 for gap in apart), *(sum(agrees(*pair, solved, agent) for pair in pairs) for agent in AGENTS)]
    rms = mean(gap * gap for gap in apart) ** 0.5
    return told + "".join(f" {number:3}/{len(pairs)}" for number in held) + f" {rms:5.2f}   {means}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cells", nargs="*", metavar="CELL", help="such as maze-hard; without, all of them")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--params", type=Path, help="a params.yaml instead of the template's")
    parser.add_argument("--any", action="store_true")
    asked = parser.parse_args()
    params = read_params(asked.params.read_text() if asked.params else template_text("params.yaml"))
    if asked.any:
        params = replace(params, cells={cell: replace(block, spread=None) for cell, block in params.cells.items()})
    print("cell           levels candidates  s missed means greedy random rms   mean optimal length of each epoch")
    with executor(asked.workers) as pool:
        for cell in params.cells:
            if not asked.cells or str(cell) in asked.cells:
                print(row(params, cell, asked.epochs, pool), flush=True)


if __name__ == "__main__":
    main()
