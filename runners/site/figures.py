"""The second part of the page: effort, moves, failures, and the list of episodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...games.wording import counted
from ..effort import EFFORT
from ..moves import summed
from ..paper_metrics import printed
from ..played import Played
from ..score_tables import MOVES
from ..taxonomy import KINDS
from .board import name_of
from .markup import Child, Markup, html, table, tag
from .replays import Shown

FAILURES = {  # in the order of the pages
    "premature_claim": "The agent said that it was done, and was not.",
    "abandonment": "It ended the episode itself, without claiming success.",
    "agent_failure": "The agent broke down.",
    "grounding_miss": "A press that hit nothing to act on.",
    "missed_drag_end": "A drag that ended where nothing takes it.",
    "protocol_violation": "An action outside the vocabulary, or input that came from elsewhere.",
    "repeated_rejected_move": "A move that the rules had just forbidden, tried again.",
    "loop": "The same state for the fourth time in one attempt.",
    "dead_end_unnoticed": "Five moves or more on a board that was lost.",
    "dead_end_rebuilt": "The same lost board again after starting anew.",
    "progressing_at_deadline": "Out of time while it was still getting further.",
}
EFFORT_WORDS = {
    "steps": "steps",
    "inputs": "inputs",
    "seconds": "time",
    "model_calls": "model calls",
    "input_tokens": "input tokens",
    "cached_tokens": "cached tokens",
    "output_tokens": "output tokens",
    "usd": "cost",
}
OUTCOMES = {
    "solved": "solved",
    "exit": "ended by the agent",
    "timeout": "out of time",
    "technical": "technical failure",
}


def number(value: Any) -> str:
    """For people: few digits, thousands apart."""
    if value is None:
        return "–"
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.2f}" if abs(value) < 100 else f"{value:,.0f}"


def amount(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    if name == "usd":
        return f"${value:,.2f}" if value >= 0.1 else f"${value:.4f}"
    return duration(value) if name == "seconds" else number(value)


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def effort(score: Mapping[str, Any]) -> Markup:
    known = [n for n in EFFORT if any(e["effort"][n] is not None for e in score["agents"])]
    rows = [
        [
            name_of(entry),
            str(entry["episodes"]["scored"]),
            *(
                tag("td", amount(n, entry["effort"][n]), *_each(n, entry["effort"][n], entry["episodes"]["scored"]))
                for n in known
            ),
        ]
        for entry in score["agents"]
    ]
    heads = ["Agent", "Episodes", *(EFFORT_WORDS[n] for n in known)]
    return tag(
        "section",
        tag("h2", "Effort", id="effort"),
        tag("p", "Of all scored episodes together, and below it of one in the mean.", class_="muted"),
        table("Effort", heads, rows, class_="figures"),
    )


def _each(name: str, whole: float | None, episodes: int) -> list[Child]:
    if whole is None or episodes < 2:
        return []
    return [tag("small", f"{amount(name, whole / episodes)} each")]


def moves(score: Mapping[str, Any]) -> Markup:
    """What the solvers say of the moves of each agent; nothing where they were not asked."""
    rows: list[list[Child]] = []
    of_agents = [(e, [o["moves"] for o in e["objectives"] if o["moves"]]) for e in score["agents"]]
    totals = [(entry, summed(parts)) for entry, parts in of_agents if parts]
    known = {heading: key for heading, key in MOVES.items() if any(found[key] is not None for _, found in totals)}
    for entry, found in totals:
        percent = {h: 100 for h in known if h.endswith("%")}
        values = [(found[key], percent.get(heading, 1)) for heading, key in known.items()]
        rows.append([name_of(entry), *(number(None if v is None else v * times) for v, times in values)])
    if not rows:
        return html("")
    told = (
        "Against exact solvers. Regret: moves that a move costs beyond the shortest way, in the mean; fatal: moves "
        "that lost the level; delay: moves on a lost board; rebuilt: lost boards that an earlier attempt had, too."
    )
    return tag(
        "section",
        tag("h2", "Moves", id="moves"),
        tag("p", told, class_="muted"),
        table("Moves", ["Agent", *known], rows, class_="figures"),
    )


def failures(score: Mapping[str, Any]) -> Markup:
    kinds = [kind for kind in FAILURES if kind in KINDS]
    rows = [[name_of(entry), *(_failure(entry, kind) for kind in kinds)] for entry in score["agents"]]
    heads: list[Child] = ["Agent", *(tag("th", kind.replace("_", " "), scope="col") for kind in kinds)]
    meanings = [[tag("dt", kind.replace("_", " ")), tag("dd", FAILURES[kind])] for kind in kinds]
    told = "Scored episodes in which it happened, and how often. Counted by rule from the records."
    return tag(
        "section",
        tag("h2", "Failures", id="failures"),
        tag("p", told, class_="muted"),
        table("Failures", heads, rows, class_="map"),
        tag("details", tag("summary", "What they are"), tag("dl", meanings)),
    )


def _failure(entry: Mapping[str, Any], kind: str) -> Markup:
    found, scored = entry["failures"][kind], entry["episodes"]["scored"]
    if found["episodes"] is None:
        return tag("td", "–", class_="none", title="not known")
    if not found["count"]:
        return tag("td", "0", class_="quiet")
    share = round(10 * found["episodes"] / scored)
    return tag("td", str(found["episodes"]), tag("small", f"{found['count']}×"), class_=f"bad b{share}")


def episodes(found: Sequence[Played], shown: Mapping[str, Shown]) -> Markup:
    """Every episode with a link to its replay; ``shown``: by the digest of its events."""
    rows = [_episode(episode, shown[episode.digest]) for episode in found]
    heads: list[Child] = ["Episode", "Agent", "Seed", "Outcome", "Levels", "LC", "Steps", "Time"]
    heads.append(tag("th", "Failures", scope="col", class_="wide"))
    wish = tag(
        "form",
        _choice("agent", "Agent", (f"{e.agent} ({e.setting})" for e in found)),
        _choice("objective", "Objective", (" ".join(e.objective) for e in found)),
        _choice("outcome", "Outcome", (OUTCOMES[e.result["outcome"]] for e in found)),
        tag("button", "Show all", type="reset"),
        tag("output", counted(len(found), "episode"), id="count", aria_live="polite"),
        id="wish",
        aria_label="Which episodes",
        hidden=True,
    )
    return tag(
        "section",
        tag("h2", "Episodes", id="episodes"),
        wish,
        table("Episodes", heads, rows, class_="episodes"),
    )


def _choice(name: str, label: str, options: Iterable[str]) -> Markup:
    listed = sorted(set(options))
    offered = [tag("option", "all", value=""), *(tag("option", option) for option in listed)]
    return tag("label", label, " ", tag("select", offered, name=name))


def _episode(episode: Played, shown: Shown) -> list[Child]:
    result = episode.result
    won = sum(level["solved"] for level in result["levels"])
    happened = [kind.replace("_", " ") for kind in FAILURES if episode.failures.get(kind)]
    outcome = OUTCOMES[result["outcome"]]
    failure = f" ({result['failure']['kind']})" if result["failure"] else ""
    agent = f"{episode.agent} ({episode.setting})"
    score = result["metrics"]["LC"] if result["metrics"] else None
    name = " ".join(episode.objective)
    return [
        tag("th", tag("a", name, href=f"replay.html#{shown.key}"), scope="row", data_of="objective"),
        tag("td", agent, data_of="agent"),
        str(episode.start["seed"]),
        tag("td", tag("span", outcome, class_=f"outcome {result['outcome']}"), failure, data_of="outcome"),
        f"{won} of {len(result['levels'])}",
        printed("LC", score) or "–",
        number(result["steps"]),
        duration(result["seconds"]),
        tag("td", ", ".join(happened), class_="wide"),
    ]
