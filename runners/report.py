"""Results for people: a table of one episode, or a line for each of many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..games.base import LpbError
from ..games.wording import counted
from .agents.broken import STDERR
from .record import read_events

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

ENDING = {
    "complete": "solved every level",
    "answer": "the agent ended it",
    "agent_failed": "the agent failed",
    "deadline": "out of time",
    "technical": "technical failure, no grade",
}


def print_result(result: Mapping[str, Any], console: Console, *, where: str = "") -> None:
    """Levels, grades and how it ended; ``where``: the record's folder. A result without levels has not begun."""
    from rich.text import Text

    if "levels" in result:
        if any(level["reached"] for level in result["levels"]):
            console.print(result_table(result))
        else:
            console.print(Text(f"{_title(result)}: none of its levels was reached", style="bold"))
        console.print(Text(summary(result), style="bold" if result["scored"] else "bold red"))
    if where and (count := result.get("agent_errors")):
        first = _first_error(Path(where, "events.jsonl"))
        console.print(
            Text(
                f"{counted(count, 'reply', 'replies')} could not be carried out, the first: {visible(first)}",
                style="red",
            )
        )
    if result.get("answer"):
        console.print(Text(f"answer: {visible(result['answer'])}"))
    if result.get("agent_failure"):
        console.print(Text(visible(result["agent_failure"]), style="red"))
        if where and (told := Path(where, STDERR)).is_file() and told.stat().st_size:
            console.print(Text(f"its traceback and what else it wrote to standard error: {told}", style="dim"))
    if result["failure"]:
        console.print(Text(f"{result['failure']['kind']}: {visible(result['failure']['what'])}", style="red"))
    if where:
        console.print(Text(f"record: {where}", style="dim"))


def _first_error(file: Path) -> str:
    """What was wrong with an agent's first reply of which that is told; nothing where the record cannot be read."""
    try:
        return next((str(e["data"]["error"]) for e in read_events(file) if e["type"] == "agent_error"), "?")
    except (OSError, LpbError):
        return "?"


def one_line(name: str, result: Mapping[str, Any], *, skipped: bool = False) -> str:
    """How an episode went, for a log."""
    if skipped:
        return f"{name}: has a grade already, skipped"
    if not result["scored"]:
        return f"{name}: no grade ({visible(result['failure']['what'])})"
    return f"{name}: {summary(result)}"


def print_summary(rows: Iterable[tuple[str, int, Mapping[str, Any], Path | None]], console: Console) -> None:
    """A line for each episode: its name, its last attempt's number, result and record."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("episode", "ending", "LC %", "won", "steps", "seconds", "attempt", "record"):
        left = heading in ("episode", "ending", "record")
        table.add_column(heading, justify="left" if left else "right", overflow="fold", no_wrap=heading != "record")
    for name, attempt, result, record in rows:
        levels = result.get("levels", ())
        won = f"{sum(level['solved'] for level in levels)}/{len(levels)}" if levels else ""
        grade = f"{result['metrics']['LC']:.1f}" if result["scored"] else ""
        ending = "agent failed" if result["reason"] == "agent_failed" else result["outcome"]
        effort = (str(result.get("steps", "")), f"{result.get('seconds', 0):.1f}")
        style = "" if result["scored"] else "red"
        table.add_row(name, ending, grade, won, *effort, str(attempt), record.name if record else "none", style=style)
    console.print(table)


def visible(text: str) -> str:
    """Without control characters: an agent's words must not steer our terminal."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "\ufffd" for letter in text)


def result_table(result: Mapping[str, Any]) -> Table:
    """``moves``: of the first winning attempt, to compare with ``optimal``; ``in all``: of every attempt; ``steps``:
    decisions of the agent."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=_title(result), title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("level", "solved", "progress", "moves", "optimal", "in all", "invalid", "attempts", "steps"):
        table.add_column(name, justify="center" if name == "solved" else "right", no_wrap=True)
    levels = result["levels"]
    last = max((place for place, level in enumerate(levels, 1) if level["reached"]), default=0)
    if last + 1 < len(levels):  # an unsolved level blocks all after it: their rows would be empty
        table.caption = f"levels {last + 1} to {len(levels)} were not reached"
        table.caption_justify = "left"
        levels = levels[:last]
    for level in levels:
        reached = level["reached"]
        effort = [str(level[name]) for name in ("moves", "invalid_moves", "attempts", "steps")]
        table.add_row(
            str(level["level"]),
            "[green]✓[/]" if level["solved"] else "[red]✗[/]" if reached else "",
            f"{100 * level['progress']:.0f} %" if reached else "",
            str(level["winning_moves"] or ""),
            str(level["optimal_length"] or ""),
            *(effort if reached else [""] * len(effort)),
        )
    return table


def _title(result: Mapping[str, Any]) -> str:
    objective = result["objective"]
    return f"{objective['game']} {objective['tier']} · {result['agent']['name']} · {result['surface']['name']}"


def summary(result: Mapping[str, Any]) -> str:
    """One line: grades, ending, effort."""
    grades = "  ".join(f"{name} {value:.1f}" for name, value in (result["metrics"] or {}).items())
    rejected = f", {counted(result['rejected_inputs'], 'foreign input')} rejected" if result["rejected_inputs"] else ""
    effort = (
        f"{counted(result['steps'], 'step')}, {counted(result['inputs'], 'input')}{rejected}, {result['seconds']:.1f} s"
    )
    return f"{grades + '  ' if grades else ''}{ENDING[result['reason']]} ({effort})"
