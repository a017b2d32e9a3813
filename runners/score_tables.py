"""Scores for people: rich tables of the flat lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .effort import EFFORT
from .paper_metrics import METRICS, printed
from .report import visible
from .score_lines import Line, lines
from .taxonomy import BY_SOLVERS, KINDS

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WORDS = ("agent", "setting", "coverage", "game", "tier", "bucket", "metric")  # columns of text
WHERE = {  # what a line is of, beside its agent and setting
    "agent": (),
    "objective": ("game", "tier"),
    "level": ("game", "tier", "level"),
    "bucket": ("game", "bucket"),
}
MOVES = {  # heading -> key
    "moves": "moves",
    "undos": "undos",
    "invalid": "invalid",
    "revisits": "revisits",
    "productive %": "productive_share",
    "regret": "mean_regret",
    "worst": "worst",
    "optimal %": "optimal_share",
    "fatal": "fatal",
    "attempts": "attempts",
    "dead": "dead_attempts",
    "delay": "mean_delay",
    "rebuilt": "rebuilt",
    "unknown": "unknown",
}


def print_score(score: Mapping[str, Any], by: str, console: Console) -> None:
    """The tables that there is something to say in, for the view ``by``."""
    from rich.text import Text

    found = lines(score, by)
    console.print(TABLES[by](score, found))
    if by == "agent" and any(line["seeds"] > 1 for line in found):
        console.print(_seed_table(found))
    console.print(_effort_table(found, by))
    if any(line.get("moves.moves") is not None for line in found):
        console.print(_move_table(found, by))
    if by in ("agent", "objective"):
        console.print(_failure_table(found, by))
    for entry in score["agents"]:
        who = visible(f"{entry['agent']}/{entry['setting']}")
        shut = [label for label in entry["conditions"]["isolation"] if label is not None]
        if shut:
            console.print(Text(f"{who}: {' or '.join(shut)}", style="" if shut == ["isolated"] else "yellow"))
        kinds = entry["episodes"]["technical_kinds"]
        if kinds:
            told = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
            console.print(Text(f"{who}: not scored, technical: {told}", style="red"))
        if by == "agent" and entry["coverage"] == "full" and entry["kind"] == "agent" and entry["unranked"]:
            console.print(Text(f"{who}: no rank: {', '.join(entry['unranked'])}", style="yellow"))
        lost = [f"{m['game']} {m['tier']} ({m['technical']})" for m in entry["missing"] if m["technical"]]
        if lost:
            what = "missing, every attempt was a technical failure"
            console.print(Text(f"{visible(entry['agent'])}: {what}: {', '.join(lost)}", style="red"))
    if score.get("comparison"):
        console.print(_comparison(score["comparison"]))


# --- the views --------------------------------------------------------------------------------------------------------


def _agent_table(score: Mapping[str, Any], found: Sequence[Line]) -> Table:
    boot = score["bootstrap"]
    names = ("rank", "agent", "setting", "coverage", "scored", "technical")
    ranked = sorted(found, key=lambda line: (line["rank"] is None, line["rank"] or 0))
    rows = [[*(shown(line[n]) for n in names), *(_with_interval(n, line) for n in METRICS)] for line in ranked]
    caption = f"Below each figure: {boot['level']:.0%} bootstrap interval, {boot['draws']:,} draws of {boot['unit']}"
    return table_of("Agents", (*names, *METRICS), rows, caption)


def _with_interval(name: str, line: Line) -> str:
    low, high = (printed(name, line[f"{name}_{end}"]) for end in ("low", "high"))
    figure = printed(name, line[name]) or "–"
    return f"{figure}\n[dim]{low}..{high}[/]" if low else figure


def _objective_table(score: Mapping[str, Any], found: Sequence[Line]) -> Table:
    names = ("agent", "setting", "game", "tier", "scored", "technical")
    metrics = ("OSR", "LC", "FGP", "LPR", "PER", "SMR", "NGAR")
    rows = [
        [
            *(shown(line[n]) + (" *" if n == "tier" and not line["in_benchmark"] else "") for n in names),
            *(printed(n, line[n]) or "–" for n in metrics),
        ]
        for line in found
    ]
    beside = any(not line["in_benchmark"] for line in found)
    caption = "* not one of the benchmark's objectives: it enters no agent's figures" if beside else ""
    return table_of("Objectives", (*names, *metrics), rows, caption)


def _level_table(score: Mapping[str, Any], found: Sequence[Line]) -> Table:
    names = (
        "agent",
        "setting",
        "game",
        "tier",
        "level",
        "episodes",
        "reached",
        "won",
        "optimal_length",
        "winning_moves",
    )
    return table_of("Levels", names, ([shown(line[n]) for n in names] for line in found))


def _bucket_table(score: Mapping[str, Any], found: Sequence[Line]) -> Table:
    names = ("agent", "setting", "game", "bucket", "levels", "seeds")
    figures = ("LC", "FGP", "reached", "moves_ratio")
    rows = ([*(shown(line[n]) for n in names), *(with_sd(line, n) for n in figures)] for line in found)
    caption = "bucket: the proven minimum; moves ratio: moves of a win by the minimum; ± deviation over seeds"
    return table_of("Levels by difficulty", (*names, *figures), rows, caption)


TABLES = {"agent": _agent_table, "objective": _objective_table, "level": _level_table, "bucket": _bucket_table}


# --- beside every view ------------------------------------------------------------------------------------------------


def _seed_table(found: Sequence[Line]) -> Table:
    names = ("agent", "setting", "seeds")
    figures = [[_spread(line[f"{n}_mean"], line[f"{n}_sd"]) for n in METRICS] for line in found]
    rows = ([*(shown(line[n]) for n in names), *own] for line, own in zip(found, figures, strict=True))
    caption = "mean ± deviation over the seeds that cover all objectives of the agent"
    return table_of("Over seeds", (*names, *METRICS), rows, caption)


def _effort_table(found: Sequence[Line], by: str) -> Table:
    """What was spent; columns that nobody logged are left out."""
    head = "" if by == "bucket" else "effort."
    known = [name for name in EFFORT if any(line[head + name] is not None for line in found)]
    scope = {"agent": "of all scored episodes", "objective": "of an episode", "level": "on a level in an episode"}
    names = ("agent", "setting", *WHERE[by])
    rows = ([*(shown(line[n]) for n in names), *(with_sd(line, head + n) for n in known)] for line in found)
    caption = "" if by == "agent" else "mean ± deviation over seeds"
    return table_of(f"Effort {scope.get(by, 'on a level')}", (*names, *known), rows, caption)


def _move_table(found: Sequence[Line], by: str) -> Table:
    """Figures that no line has are left out."""
    known = {heading: f"moves.{key}" for heading, key in MOVES.items()}
    known = {heading: key for heading, key in known.items() if any(line[key] is not None for line in found)}
    names = ("agent", "setting", *WHERE[by])
    rows = ([*(shown(line[n]) for n in names), *(_move(h, line[key]) for h, key in known.items())] for line in found)
    caption = (
        "regret: extra moves of a move, in the mean; dead: attempts that lost the board; delay: moves on a lost board"
    )
    return table_of("Moves", (*names, *known), rows, caption)


def _move(heading: str, value: float | None) -> str:
    return shown(100 * value if value is not None and heading.endswith("%") else value)


def _failure_table(found: Sequence[Line], by: str) -> Table:
    """Kinds that nobody looked for, or that nowhere happened, are left out."""
    known = [kind for kind in KINDS if any(line[f"failures.{kind}"] for line in found)]
    looked = any(line[f"failures.{BY_SOLVERS[0]}"] is not None for line in found)
    names = ("agent", "setting", *WHERE[by], "scored")
    rows = ([*(shown(line[n]) for n in names), *(_failure(line, kind) for kind in known)] for line in found)
    caption = f"scored episodes in which it happened (how often){'' if looked else '; dead ends: --moves'}"
    return table_of("Failures", (*names, *known), rows, caption)


def _failure(line: Line, kind: str) -> str:
    episodes, count = line[f"failures.{kind}"], line[f"failures.{kind}_count"]
    return "–" if episodes is None else f"{episodes} ({count})" if count else ""


def _comparison(comparison: Mapping[str, Any]) -> Table:
    rows = []
    for name, found in comparison["metrics"].items():
        values = [found["difference"], *(found["interval"] or (None, None))]
        share = found["first_ahead"]
        signed = ["–" if value is None else f"{value:+.1f}" for value in values]
        rows.append([name, *signed, "–" if share is None else f"{share:.1%} of draws"])
    title = shown(f"{comparison['first']} - {comparison['second']}")
    caption = f"paired by objective, {comparison['paired']} of them; intervals by draws of {comparison['unit']}"
    return table_of(title, ("metric", "difference", "low", "high", "first ahead in"), rows, caption)


# --- cells ------------------------------------------------------------------------------------------------------------


def shown(value: Any) -> str:
    """A value as a table's cell: what an agent calls itself must not steer our terminal, nor be read as markup."""
    from rich.markup import escape

    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return escape(visible(str(value)))


def with_sd(line: Line, name: str) -> str:
    return _spread(line[name], line.get(f"{name}_sd"))


def _spread(mean: float | None, deviation: float | None) -> str:
    """A mean, and its deviation where there is one."""
    return shown(mean) + (f" ± {shown(deviation)}" if deviation is not None else "")


def table_of(title: str, names: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> Table:
    """Columns of WORDS are set to the left, others to the right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        caption=caption or None,
        caption_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    for name in names:
        heading = name if name in METRICS else name.replace("_", " ")
        table.add_column(heading, justify="left" if name in WORDS else "right")
    for row in rows:
        table.add_row(*row)
    return table
