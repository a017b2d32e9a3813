"""Scores for people: rich tables of the flat lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .effort import EFFORT
from .paper_metrics import METRICS, printed
from .report import visible
from .score_lines import Line, lines
from .taxonomy import BY_SOLVERS, KINDS

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def print_score(score: Mapping[str, Any], by: str, console: Console) -> None:
    from rich.text import Text

    console.print(TABLES[by](score))
    console.print(_effort_table(score, by))
    if by in ("agent", "objective"):
        console.print(_failure_table(score, by))
    for entry in score["agents"]:
        kinds = entry["episodes"]["technical_kinds"]
        if kinds:
            told = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
            who = visible(f"{entry['agent']}/{entry['setting']}")
            console.print(Text(f"{who}: not scored, technical: {told}", style="red"))
    if score.get("comparison"):
        console.print(_comparison(score["comparison"]))


def _agent_table(score: Mapping[str, Any]) -> Table:
    boot = score["bootstrap"]
    table = table_of(
        "Agents",
        f"Below each figure: {boot['level']:.0%} bootstrap interval, {boot['draws']:,} draws of {boot['unit']}",
    )
    names = ("rank", "agent", "setting", "coverage", "scored", "technical")
    for name in (*names, *METRICS):
        table.add_column(name, justify="left" if name in ("agent", "setting", "coverage") else "right")
    for entry in sorted(score["agents"], key=lambda e: (e["rank"] is None, e["rank"] or 0)):
        counts = entry["episodes"]
        who = [shown(value) for value in (entry["agent"], entry["setting"], entry["coverage"])]
        who += [str(counts["scored"]), str(counts["technical"])]
        figures = [_with_interval(name, entry) for name in METRICS]
        table.add_row(str(entry["rank"] or "–"), *who, *figures)
    return table


def _with_interval(name: str, entry: Mapping[str, Any]) -> str:
    figure = printed(name, entry["metrics"][name]) or "–"
    interval = entry["intervals"][name]
    if interval is None:
        return figure
    low, high = (printed(name, end) for end in interval)
    return f"{figure}\n[dim]{low}..{high}[/]"


def _objective_table(score: Mapping[str, Any]) -> Table:
    names = ("agent", "setting", "game", "tier", "scored", "technical", "OSR", "LC", "FGP", "LPR", "PER", "SMR", "NGAR")
    table = table_of("Objectives", "* not one of the benchmark's objectives: it enters no agent's figures")
    for name in names:
        table.add_column(name, justify="left" if name in ("agent", "setting", "game", "tier") else "right")
    for line in lines(score, "objective"):
        line["tier"] += "" if line["in_benchmark"] else " *"
        cells = (printed(n, line[n]) or "–" if n in METRICS else shown(line[n]) for n in names)
        table.add_row(*cells)
    return table


LEVEL_COLUMNS = ("game", "tier", "level", "episodes", "reached", "won", "optimal_length", "winning_moves")
MOVE_COLUMNS = {  # heading -> key
    "moves": "moves",
    "invalid": "invalid",
    "revisits": "revisits",
    "regret": "mean_regret",
    "optimal%": "optimal_share",
    "fatal": "fatal",
    "dead attempts": "dead_attempts",
    "delay": "mean_delay",
    "productive%": "productive_share",
}


def _level_table(score: Mapping[str, Any]) -> Table:
    judged = any(line.get("moves.moves") is not None for line in lines(score, "level"))
    table = table_of(
        "Levels", "regret: extra moves of a move, in the mean; delay: moves on a lost board" if judged else ""
    )
    names = ("agent", "setting", *LEVEL_COLUMNS)
    for name in (*names, *(MOVE_COLUMNS if judged else ())):
        table.add_column(
            name.replace("_", " "), justify="left" if name in ("agent", "setting", "game", "tier") else "right"
        )
    for line in lines(score, "level"):
        moves = [_number(line.get(f"moves.{key}"), heading) for heading, key in MOVE_COLUMNS.items()] if judged else []
        table.add_row(*(shown(line[name]) for name in names), *moves)
    return table


def shown(value: Any) -> str:
    """A value as a table's cell: what an agent calls itself must not steer our terminal, nor be read as markup."""
    from rich.markup import escape

    return escape(visible(value)) if isinstance(value, str) else _number(value)


def _number(value: Any, heading: str = "") -> str:
    if value is None:
        return "–"
    if heading.endswith("%"):
        return f"{100 * value:.1f}"
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _bucket_table(score: Mapping[str, Any]) -> Table:
    table = table_of(
        "Levels by difficulty",
        "bucket: the proven minimum; moves: those of a win by the minimum; ± deviation over seeds",
    )
    names = ("agent", "setting", "game", "bucket")
    for name in (*names, "levels", "seeds", "LC", "FGP", "reached", "moves"):
        table.add_column(name, justify="left" if name in names else "right")
    for line in lines(score, "bucket"):
        figures = [with_sd(line, name) for name in ("LC", "FGP", "reached", "moves_ratio")]
        table.add_row(*(shown(line[name]) for name in (*names, "levels", "seeds")), *figures)
    return table


TABLES = {"agent": _agent_table, "objective": _objective_table, "level": _level_table, "bucket": _bucket_table}
WHERE = {
    "agent": (),
    "objective": ("game", "tier"),
    "level": ("game", "tier", "level"),
    "bucket": ("game", "bucket"),
}


def _effort_table(score: Mapping[str, Any], by: str) -> Table:
    """What was spent; columns that nobody logged are left out."""
    found = lines(score, by)
    head = "" if by == "bucket" else "effort."
    known = [name for name in EFFORT if any(line[head + name] is not None for line in found)]
    scope = {"agent": "of all scored episodes", "objective": "of an episode", "level": "on a level in an episode"}
    table = table_of(f"Effort {scope.get(by, 'on a level')}", "" if by == "agent" else "± deviation over seeds")
    names = ("agent", "setting", *WHERE[by])
    for name in (*names, *known):
        table.add_column(name.replace("_", " "), justify="left" if name in names[:4] else "right")
    for line in found:
        table.add_row(*(shown(line[name]) for name in names), *(with_sd(line, head + name) for name in known))
    return table


def _failure_table(score: Mapping[str, Any], by: str) -> Table:
    """Kinds that nobody looked for, or that nowhere happened, are left out."""
    found = lines(score, by)
    known = [kind for kind in KINDS if any(line[f"failures.{kind}"] for line in found)]
    solvers = "" if any(line[f"failures.{BY_SOLVERS[0]}"] is not None for line in found) else "; dead ends: --moves"
    table = table_of("Failures", f"scored episodes in which it happened (how often){solvers}")
    names = ("agent", "setting", *WHERE[by])
    for name in (*names, "scored", *known):
        table.add_column(name.replace("_", " "), justify="left" if name in names else "right")
    for line in found:
        told = [(line[f"failures.{kind}"], line[f"failures.{kind}_count"]) for kind in known]
        cells = ["–" if episodes is None else f"{episodes} ({count})" if count else "" for episodes, count in told]
        table.add_row(*(shown(line[name]) for name in (*names, "scored")), *cells)
    return table


def with_sd(line: Line, name: str) -> str:
    """A mean, and its deviation where there is one."""
    deviation = line.get(f"{name}_sd")
    return _number(line[name]) + (f" ± {_number(deviation)}" if deviation is not None else "")


def _comparison(comparison: Mapping[str, Any]) -> Table:
    first, second = comparison["first"], comparison["second"]
    caption = f"paired by objective, {comparison['paired']} of them; intervals by draws of {comparison['unit']}"
    table = table_of(shown(f"{first} - {second}"), caption)
    for name in ("metric", "difference", "low", "high", "first ahead in"):
        table.add_column(name, justify="left" if name == "metric" else "right")
    for name, found in comparison["metrics"].items():
        ends = found["interval"] or (None, None)
        share = found["first_ahead"]
        values = [signed(value) for value in (found["difference"], *ends)]
        table.add_row(name, *values, "–" if share is None else f"{share:.1%} of draws")
    return table


def signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.1f}"


def table_of(title: str, caption: str = "") -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        caption=caption or None,
        caption_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
