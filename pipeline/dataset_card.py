"""A dataset's description for people, with the header that the Hugging Face Hub reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..games import GAMES
from .columns import COLUMNS
from .croissant import describe

if TYPE_CHECKING:
    from .export import About, Part

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"), (10**7, "1M<n<10M"))
LARGEST = "10M<n<100M"
KNOWN_LICENCES = frozenset(  # of the Hub's list, in its spelling; any other is "other" there
    {
        *("apache-2.0", "mit", "isc", "unlicense", "bsd-2-clause", "bsd-3-clause", "mpl-2.0", "gpl-3.0", "lgpl-3.0"),
        *("cc0-1.0", "cc-by-4.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "odc-by", "unknown"),
    }
)


def dataset_card(about: About, parts: Sequence[Part]) -> str:
    """The text of README.md."""
    return "\n".join([*_header(about, parts), "", *_body(about, parts)]) + "\n"


def _header(about: About, parts: Sequence[Part]) -> list[str]:
    """YAML between two lines of dashes; every value is JSON, which YAML reads."""
    number = sum(len(part.levels) for part in parts)
    size = next((name for most, name in SIZES if number < most), LARGEST)
    named = sorted({str(row["licence"]) for part in parts for row in part.rows})
    licences = sorted({name.lower() if name.lower() in KNOWN_LICENCES else "other" for name in named})
    values: dict[str, object] = {"license": licences[0] if len(licences) == 1 else licences}
    if "other" in licences:
        values["license_name"] = ", ".join(name for name in named if name.lower() not in KNOWN_LICENCES)
    values |= {
        "pretty_name": about.name,
        "size_categories": [size],
        "task_categories": ["reinforcement-learning"],
        "tags": ["puzzles", "planning", "gui-agents", "benchmark", *dict.fromkeys(p.cell.game for p in parts)],
    }
    lines = ["---", *(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()), "configs:"]
    for name, path in [("all", "data/*/*.parquet"), *((str(part.cell), part.path) for part in parts)]:
        lines += [f"- config_name: {json.dumps(name)}", "  data_files:", "  - split: test"]
        lines += [f"    path: {json.dumps(path)}"] + (["  default: true"] if name == "all" else [])
    return [*lines, "---"]


def _body(about: About, parts: Sequence[Part]) -> list[str]:
    return [
        f"# {about.name}",
        "",
        describe(about, parts),
        "",
        f"Source: <{about.url}>. Snapshot: `{about.cite}`. Published {about.date} by {about.creator}.",
        "",
        "| configuration | game | tier | levels | optimal length | licence |",
        "|---|---|---|---|---|---|",
        *map(_part, parts),
        "",
        "The configuration `all` holds every level. There is one split, `test`: levels are for evaluation.",
        "",
        "```python",
        "from datasets import load_dataset",
        "",
        f'levels = load_dataset("path/of/this/folder", "{parts[0].cell}", split="test")',
        "```",
        "",
        "## Columns",
        "",
        "| column | type | |",
        "|---|---|---|",
        *(f"| `{column.name}` | {column.kind} | {column.text} |" for column in COLUMNS),
        "",
        "A figure that a game does not have, or that could not be computed within its limits, is null; `certificate`",
        "says which, and how the others were obtained. Two methods that share no code prove `optimal_length`.",
        "",
        "## Files",
        "",
        "`croissant.json` describes the same files for programs, with their sha256. `manifest.json` is the snapshot's",
        "own manifest: what it holds, what it grew from, which levels it retired.",
        *_origins(parts),
    ]


def _part(part: Part) -> str:
    lengths = [level.certificate.lower for level in part.levels]
    licences = ", ".join(sorted({str(row["licence"]) for row in part.rows}))
    ends = " to ".join(map(str, dict.fromkeys((min(lengths), max(lengths)))))
    title = GAMES[part.cell.game].title["en"]
    return f"| `{part.cell}` | {title} | {part.cell.tier} | {len(part.levels)} | {ends} | {_cell(licences)} |"


def _origins(parts: Sequence[Part]) -> list[str]:
    """Where imported levels come from."""
    found: dict[tuple[str, ...], int] = {}
    for level in (level for part in parts for level in part.levels if "imported_by" in level.provenance):
        words = tuple(str(level.provenance.get(key) or "not stated") for key in ("file", "source", "licence"))
        found[words] = found.get(words, 0) + 1
    if not found:
        return []
    rows = [f"| {' | '.join(map(_cell, words))} | {number} |" for words, number in sorted(found.items())]
    return ["", "## Levels from elsewhere", "", "| file | source | licence | levels |", "|---|---|---|---|", *rows]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
