"""The page of ``lpb-gen compare``: one HTML text with inline pictures, which needs no network and works from a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import ceil

from ..games.wording import counted
from ..pipeline.distribution import Distribution, short
from ..pipeline.params import Cell
from .equating import CONFIDENCE, AgentScores, CellComparison, Comparison

WIDTH, MARGIN = 460, 64  # of a picture, in its own units
TOP, HEIGHT = 10, 70  # of a histogram's upper half
MOST_BARS, MOST_TICKS = 40, 4

STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1c1e21; --faint: #6a7078; --line: #d9dce1; --card: #f6f7f9;
  --a: #2563a8; --b: #b4541a; --good: #1a7f4b; --bad: #b3261e; --none: #6a7078;
  --edge: #1c1e2166; }
@media (prefers-color-scheme: dark) { :root { --back: #16181c; --text: #e6e8eb; --faint: #9aa1aa; --line: #363b43;
  --card: #1e2126; --a: #6fa8e8; --b: #e8935a; --good: #56c48c; --bad: #f0857d; --none: #9aa1aa;
  --edge: #ffffff66; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px; max-width: 1080px; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 0 0 8px; } h2 { font-size: 18px; margin: 0; }
p { margin: 4px 0; } code { font-size: 13px; overflow-wrap: anywhere; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 16px; margin: 20px 0; }
header { display: flex; gap: 12px; align-items: baseline; flex-wrap: wrap; }
.verdict { font-weight: 600; } .parallel { color: var(--good); } .not { color: var(--bad); }
.few { color: var(--none); }
.a { color: var(--a); } .b { color: var(--b); } .faint { color: var(--faint); }
.plots { display: flex; flex-wrap: wrap; gap: 16px; margin: 12px 0; } figure { margin: 0; flex: 1 1 420px; }
figcaption { color: var(--faint); font-size: 13px; } svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--faint); font: 12px system-ui, sans-serif; }
.scroll { overflow-x: auto; background:  /* a shadow at each edge beyond which a table goes on */
    linear-gradient(to right, var(--card) 40%, transparent) left / 52px 100% no-repeat local,
    linear-gradient(to left, var(--card) 40%, transparent) right / 52px 100% no-repeat local,
    linear-gradient(to right, var(--edge), transparent) left / 20px 100% no-repeat scroll,
    linear-gradient(to left, var(--edge), transparent) right / 20px 100% no-repeat scroll, var(--card); }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { padding: 3px 8px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } th[colspan] { text-align: center; }
td:nth-child(7) { border-left: 1px solid var(--line); }
thead th { color: var(--faint); font-weight: 500; }
nav a { color: inherit; margin-right: 12px; white-space: nowrap; display: inline-block; }
"""
CLASS = {"parallel": "parallel", "not parallel": "not", "too few levels": "few"}


def page(found: Comparison) -> str:
    """The whole page."""
    cells = "".join(_section(cell, one) for cell, one in found.cells.items())
    links = "".join(
        f'<a href="#{cell}">{cell} <span class="verdict {CLASS[one.verdict]}">{one.verdict}</span></a>'
        for cell, one in found.cells.items()
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Are these snapshots interchangeable?</title>
<style>{STYLE}</style>
</head>
<body>
<h1>Are these snapshots interchangeable?</h1>
<p><strong class="a">A</strong> <code>{escape(str(found.first))}</code></p>
<p><strong class="b">B</strong> <code>{escape(str(found.second))}</code></p>
<p class="faint">A cell is parallel if the means of optimal_length differ by less than one tier-internal standard error,
and every reference agent's LC by less than its interval ({CONFIDENCE:.0%} percentile bootstrap over levels).</p>
<nav>{links}</nav>
{cells}
</body>
</html>
"""


def _section(cell: Cell, one: CellComparison) -> str:
    reasons = "".join(f"<p>{escape(reason)}</p>" for reason in one.why)
    first, second = one.levels
    shared = f", {one.shared} of them in both" if one.shared else ""
    gap = ""
    if one.difference is not None and one.standard_error is not None:
        gap = f"Difference of the means {one.difference:+.3g}; tier-internal standard error {one.standard_error:.3g}."
    lengths = _figure(_histogram(*one.lengths), f"optimal_length: levels of A above, of B below. {gap}")
    played = (
        _figure(
            _intervals(one.agents), "Reference agents: the levels that each solves, with intervals. A above, B below."
        )
        if one.agents
        else ""
    )
    return f"""<section id="{cell}">
<header><h2>{cell.game} {cell.tier}</h2><span class="verdict {CLASS[one.verdict]}">{one.verdict}</span>
<span class="faint">{first} and {counted(second, "level")}{shared}</span></header>
{reasons}
<div class="plots">{lengths}{played}</div>
<div class="scroll">{_table(*one.figures)}</div>
</section>
"""


def _figure(picture: str, caption: str) -> str:
    return f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>"


def _table(first: Mapping[str, Distribution], second: Mapping[str, Distribution]) -> str:
    heads = ("n", "mean", "sd", "median", "range")
    above = '<tr><th></th><th class="a" colspan="5">A</th><th class="b" colspan="5">B</th></tr>'
    titles = "".join(f"<th>{head}</th>" for head in heads * 2)
    rows = "".join(
        f"<tr><td>{escape(name)}</td>{''.join(_cells(side.get(name)) for side in (first, second))}</tr>"
        for name in sorted({*first, *second})
    )
    return f"<table><thead>{above}<tr><th>figure</th>{titles}</tr></thead><tbody>{rows}</tbody></table>"


def _cells(one: Distribution | None) -> str:
    if one is None:
        return "<td>-</td>" * 5
    words = (str(one.n), short(one.mean), short(one.sd), short(one.median), f"{short(one.low)} to {short(one.high)}")
    return "".join(f"<td>{word}</td>" for word in words)


# --- pictures ---------------------------------------------------------------------------------------------------------


def _histogram(first: Sequence[int], second: Sequence[int]) -> str:
    """One bar for each length, or for a few where there are many lengths: A upwards, B downwards."""
    if not [*first, *second]:
        return ""
    low, high = min([*first, *second]), max([*first, *second])
    width = -(-(high - low + 1) // MOST_BARS)  # lengths in one bar
    bars = (high - low) // width + 1
    counts = [Counter((length - low) // width for length in side) for side in (first, second)]
    most = max([*counts[0].values(), *counts[1].values()])
    left, middle = MARGIN - 20, TOP + HEIGHT
    step, bottom = (WIDTH - left - 10) / bars, middle + HEIGHT
    shapes = list(_count_axis(most, left, middle))
    for side, (count, name) in enumerate(zip(counts, "ab", strict=True)):
        for bar, number in sorted(count.items()):
            size = HEIGHT * number / most
            top = middle - size if side == 0 else middle
            shapes.append(
                f'<rect x="{left + bar * step + 1:.1f}" y="{top:.1f}" width="{max(step - 2, 1):.1f}" '
                f'height="{size:.1f}" fill="var(--{name})"/>'
            )
    labels = [f"{low + bar * width}" + (f"-{low + (bar + 1) * width - 1}" if width > 1 else "") for bar in range(bars)]
    every = ceil((max(map(len, labels)) * 8 + 6) / step)  # labels of 12 units' size must not touch
    shapes += [
        _text(left + (bar + 0.5) * step, bottom + 16, label) for bar, label in enumerate(labels) if bar % every == 0
    ]
    shapes.append(_text((left + WIDTH - 10) / 2, bottom + 34, "optimal length"))
    return _svg(bottom + 40, shapes, f"how many levels have which optimal length, from {low} to {high}")


def _count_axis(most: int, left: float, middle: float) -> Iterator[str]:
    """Lines at whole numbers of levels, up for A and down for B."""
    step = next(s for s in (n * 10**power for power in range(8) for n in (1, 2, 5)) if most <= MOST_TICKS * s)
    for number in range(0, most + 1, step):
        for y in {middle - HEIGHT * number / most, middle + HEIGHT * number / most}:
            yield f'<line x1="{left}" x2="{WIDTH - 10}" y1="{y:.1f}" y2="{y:.1f}" stroke="var(--line)"/>'
            yield _text(left - 6, y + 4, str(number), anchor="end")
    for y, name in ((middle - HEIGHT / 2, "A"), (middle + HEIGHT / 2, "B")):
        turn = f' transform="rotate(-90 12 {y:.1f})"'
        yield f'<text x="12" y="{y:.1f}" text-anchor="middle"{turn}>levels of {name}</text>'


def _intervals(agents: Mapping[str, AgentScores]) -> str:
    """A row for each agent: LC of A and of B from 0 to 100, each a point on its interval."""
    shapes = list(_grid(len(agents)))
    for row, (name, scores) in enumerate(agents.items()):
        y = 24 + 44 * row
        shapes.append(_text(MARGIN - 8, y + 4, name, anchor="end"))
        sides = ((scores.first, scores.first_interval, "a", -6), (scores.second, scores.second_interval, "b", 6))
        for mean, (low, high), colour, shift in sides:
            paint, place = f"var(--{colour})", y + shift
            shapes.append(
                f'<line x1="{_at(low):.1f}" x2="{_at(high):.1f}" y1="{place}" y2="{place}" stroke="{paint}" '
                f'stroke-width="2"/><circle cx="{_at(mean):.1f}" cy="{place}" r="4" fill="{paint}"/>'
            )
    shapes.append(_text(_at(50), 44 * len(agents) + 40, "LC in %"))
    return _svg(44 * len(agents) + 46, shapes, "LC of the reference agents")


def _grid(rows: int) -> Iterator[str]:
    for value in (0, 25, 50, 75, 100):
        x = _at(value)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="6" y2="{44 * rows + 4}" stroke="var(--line)"/>'
        yield _text(x, 44 * rows + 22, str(value))


def _at(value: float) -> float:
    return MARGIN + (WIDTH - MARGIN - 20) * value / 100


def _text(x: float, y: float, words: str, *, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _svg(height: int, shapes: Sequence[str], told: str) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(told)}">{"".join(shapes)}</svg>'
