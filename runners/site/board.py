"""The first part of the page: what was played, the leaderboard, and the heat maps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...games.wording import counted
from ..paper_metrics import METRICS, printed
from .markup import Child, Markup, html, table, tag

Entry = Mapping[str, Any]
ISOLATED = {"isolated": "badge"}  # every other label is a warning
BAR = 72  # units of an interval's picture
METRIC_WORDS = {
    "OSR": "objectives solved completely, %",
    "LC": "levels completed, %",
    "FGP": "furthest progress, mean over levels, %",
    "LPR": "levels won among those reached, %",
    "H50": "levels in a row that half the episodes win",
    "LC_hard": "levels completed above the easiest tier, %",
    "PER": "episodes that the agent ended without success, %",
    "SMR": "episodes with play in another game or tier, %",
    "NGAR": "native steps among all, code setting, %",
}
KINDS_OF_ENTRY = (  # heading, what it is, which entries
    ("Ranked", "Every objective of the benchmark, under the same conditions.", lambda e: e["rank"] is not None),
    (
        "Full coverage, not ranked",
        "Their episodes mix conditions or configurations, or some seeds do not cover every objective.",
        lambda e: e["rank"] is None and e["coverage"] == "full" and e["kind"] == "agent",
    ),
    (
        "Partial coverage, not ranked",
        "Some objectives were not played. What is missing is no zero, and no figure here compares with a full one.",
        lambda e: e["rank"] is None and e["coverage"] != "full" and e["kind"] == "agent",
    ),
    (
        "Reference agents and people, not ranked",
        "Yardsticks: reference agents read the state beside the screen.",
        lambda e: e["kind"] != "agent",
    ),
)


def name_of(entry: Entry) -> Markup:
    """An agent with its setting, and whether its program was isolated; in the code setting it has one."""
    badges: list[Child] = [tag("span", entry["setting"], class_="badge")]
    labels = entry["conditions"]["isolation"]
    for label in labels if entry["setting"] == "code" else [label for label in labels if label is not None]:
        badges.append(tag("span", label or "isolation not recorded", class_=ISOLATED.get(label, "badge warn")))
    return html([tag("b", entry["agent"]), " ", *badges])


def leaderboard(score: Mapping[str, Any]) -> Markup:
    parts: list[Child] = [tag("h2", "Leaderboard", id="leaderboard")]
    for heading, words, belongs in KINDS_OF_ENTRY:
        own = [e for e in score["agents"] if belongs(e)]
        if own:
            parts += [tag("h3", heading), tag("p", words, class_="muted"), _leaderboard(heading, own)]
    boot = score["bootstrap"]
    told = f"Under a figure: its {boot['level']:.0%} interval, bootstrap of {boot['draws']:,} draws of {boot['unit']}."
    parts.append(tag("p", f"{told} – is not defined.", class_="muted"))
    meanings = [[tag("dt", name), tag("dd", METRIC_WORDS[name])] for name in METRICS]
    parts.append(tag("details", tag("summary", "What the figures are"), tag("dl", meanings)))
    return tag("section", parts)


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """As on the leaderboard: the ranked, those with full coverage, the partial, the reference agents."""
    return [e for _, _, belongs in KINDS_OF_ENTRY for e in sorted(filter(belongs, entries), key=_order)]


def _order(entry: Entry) -> Any:
    figures = [
        -(entry["metrics"][name] if isinstance(entry["metrics"][name], int | float) else -1) for name in METRICS[:3]
    ]
    return entry["rank"] or 0, -entry["covered"], figures, entry["agent"], entry["setting"]


def _leaderboard(caption: str, entries: Sequence[Entry]) -> Markup:
    ranked = entries[0]["rank"] is not None
    heads: list[Child] = ["Agent", *(["Rank"] if ranked else [])]
    heads += [tag("th", tag("abbr", name.replace("_", " "), title=METRIC_WORDS[name]), scope="col") for name in METRICS]
    return table(
        caption,
        [*heads, "Episodes", tag("th", "Conditions", scope="col", class_="wide")],
        [_line(e, ranked) for e in entries],
        class_="figures",
    )


def _line(entry: Entry, ranked: bool) -> list[Child]:
    count = entry["episodes"]
    technical = tag("span", f" + {count['technical']} technical", class_="warn") if count["technical"] else ""
    rank = [tag("td", str(entry["rank"]), class_="rank")] if ranked else []
    coverage = tag("span", entry["coverage"], class_="badge" if entry["coverage"] == "full" else "badge warn")
    return [
        html([name_of(entry), " ", coverage]),
        *rank,
        *(_figure(name, entry["metrics"][name], entry["intervals"][name]) for name in METRICS),
        html([str(count["scored"]), technical]),
        tag("td", conditions(entry), class_="wide"),
    ]


def _figure(name: str, value: Any, interval: Any) -> Markup:
    parts: list[Child] = [tag("span", printed(name, value) or "–", class_="figure")]
    if interval:
        low, high = (printed(name, end) for end in interval)
        parts.append(tag("small", f"{low}–{high}"))
        if name != "H50":
            parts.append(_bar(float(value), *map(float, interval)))
    return tag("td", parts)


def _bar(value: float, low: float, high: float) -> Markup:
    """A figure in % with its interval, as a picture; the numbers stand beside it."""
    unit = BAR / 100
    return tag(
        "svg",
        tag("rect", x=0, y=3, width=BAR, height=4, class_="track"),
        tag(
            "rect", x=round(low * unit, 2), y=3, width=round(max(1.0, (high - low) * unit), 2), height=4, class_="span"
        ),
        tag("circle", cx=round(value * unit, 2), cy=5, r=3.5, class_="dot"),
        viewBox=f"-4 0 {BAR + 8} 10",
        aria_hidden="true",
        class_="interval",
    )


def conditions(entry: Entry) -> str:
    """What all its episodes were played under; several values where they differ."""
    told = entry["conditions"]
    budgets = " / ".join(f"{value:g} s" for value in told["budget_seconds"])
    rest = [" / ".join(str(value) for value in told[name]) for name in ("surface", "lang")]
    protocol = " / ".join(str(value) for value in told["protocol_version"])
    return ", ".join([budgets, *rest, f"protocol {protocol}"])


# --- heat maps --------------------------------------------------------------------------------------------------------


def heat(value: float | None) -> str:
    """The class of a cell by a figure in %: eleven shades."""
    return "none" if value is None else f"heat h{round(min(100.0, max(0.0, value)) / 10)}"


def cell(value: float | None, name: str, title: str = "") -> Markup:
    """A cell of a heat map: its number is there for everybody, the shade beside it."""
    return tag("td", printed(name, value) if value is not None else "–", class_=heat(value), title=title or None)


def objectives(score: Mapping[str, Any]) -> Markup:
    """Agents by objectives, once for each of LC and OSR."""
    found = [(o["game"], o["tier"], o["in_benchmark"]) for entry in score["agents"] for o in entry["objectives"]]
    order = [(o["game"], o["tier"], True) for o in score["benchmark"]]
    played = [o for o in order if o in found] + sorted({o for o in found if not o[2]})
    parts: list[Child] = [tag("h2", "By objective", id="objectives")]
    for name in ("LC", "OSR"):
        heads: list[Child] = ["Agent", *(_objective_head(*o) for o in played)]
        rows = [[name_of(e), *_objective_cells(e, played, name)] for e in score["agents"]]
        parts.append(table(f"{name}: {METRIC_WORDS[name]}", heads, rows, class_="map", told=True))
    told = "– was not played, or every episode failed technically (T)."
    beside = (
        " * is not one of the benchmark's objectives and enters no figure above."
        if any(not o[2] for o in played)
        else ""
    )
    parts.append(tag("p", told + beside, class_="muted"))
    return tag("section", parts)


def _objective_head(game: str, tier: str, in_benchmark: bool) -> Markup:
    return tag("th", game, tag("br"), tag("small", tier + ("" if in_benchmark else " *")), scope="col")


def _objective_cells(entry: Entry, played: Iterable[tuple[str, str, bool]], name: str) -> Iterable[Markup]:
    own = {(o["game"], o["tier"]): o for o in entry["objectives"]}
    for game, tier, _ in played:
        objective = own.get((game, tier))
        if objective is None:
            yield cell(None, name, f"{game} {tier}: not played")
            continue
        count = objective["episodes"]
        told = f"{game} {tier}: {count['scored']} scored, {count['technical']} technical"
        if objective["metrics"] is None:
            yield tag("td", "T", class_="none", title=told)
        else:
            yield cell(objective["metrics"][name], name, told)


def buckets(score: Mapping[str, Any]) -> Markup:
    """LC by the proven minimum of the levels: games and agents by bands."""
    entries = [e for e in score["agents"] if e["buckets"]]
    bands = list(dict.fromkeys(b["bucket"] for e in entries for b in e["buckets"]))
    bands.sort(key=_band)
    rows = [
        [html([tag("b", game), " ", name_of(entry)]), *_bucket_cells(own, bands)]
        for game in dict.fromkeys(b["game"] for e in entries for b in e["buckets"])
        for entry in entries
        if (own := {b["bucket"]: b for b in entry["buckets"] if b["game"] == game})
    ]
    if not rows:
        return html("")
    told = "Levels by the proven minimum of their moves: won levels in %, and moves of a win by that minimum (×)."
    caption = "LC by difficulty"
    return tag(
        "section",
        tag("h2", "By difficulty", id="difficulty"),
        tag("p", told, class_="muted"),
        table(caption, ["Game, agent", *bands], rows, class_="map"),
    )


def _band(name: str) -> tuple[bool, int]:
    number = name.rstrip("+").split("-")[0]
    return not number.isdigit(), int(number) if number.isdigit() else 0


def _bucket_cells(own: Mapping[str, Any], bands: Iterable[str]) -> Iterable[Markup]:
    for band in bands:
        if band not in own:
            yield tag("td", "", class_="none")
            continue
        spread, levels = own[band]["spread"], own[band]["levels"]
        solved, ratio = spread["LC"]["mean"], spread["moves_ratio"]["mean"]
        deviation = spread["LC"]["sd"]
        parts: list[Child] = [printed("LC", solved) if solved is not None else "–"]
        parts += [f" ± {deviation:.1f}"] if deviation is not None else []
        parts += [tag("small", counted(levels, "level"), f", {ratio:.2f}×" if ratio is not None else "")]
        yield tag("td", parts, class_=heat(solved))
