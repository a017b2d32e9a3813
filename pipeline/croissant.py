"""A dataset's description for programs: MLCommons Croissant 1.0 (https://docs.mlcommons.org/croissant), JSON-LD.

One file object a cell, with its sha256, and one record set a cell, with a field for every column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..games.wording import counted
from .columns import COLUMNS
from .manifest import sha256

if TYPE_CHECKING:
    from .export import About, Part

PARQUET = "application/x-parquet"  # the name that mlcroissant and the Hub know, older than the registered one
CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
TYPES = {"string": "sc:Text", "integer": "sc:Integer", "float": "sc:Float"}
_TERMS = (  # Croissant's own, which the context gives a name without a prefix
    *("citeAs", "isLiveDataset", "recordSet", "key", "field", "subField", "parentField", "references", "repeated"),
    *("equivalentProperty", "source", "fileObject", "fileSet", "includes", "md5", "path", "samplingRate"),
    *("extract", "column", "jsonPath", "fileProperty", "transform", "regex", "replace", "separator", "format"),
)
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _TERMS},
}


def croissant(about: About, parts: Sequence[Part]) -> dict[str, Any]:
    """The content of croissant.json."""
    licences = sorted({str(row["licence"]) for part in parts for row in part.rows})
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": about.name,
        "description": describe(about, parts),
        "url": about.url,
        "license": [licence_url(licence) for licence in licences],
        "creator": {"@type": "sc:Person", "name": about.creator},
        "datePublished": about.date,
        **({"version": about.version} if about.version else {}),
        "citeAs": about.cite,
        "keywords": ["puzzles", "planning", "GUI agents", "benchmark", *dict.fromkeys(p.cell.game for p in parts)],
        "distribution": [_file(part) for part in parts],
        "recordSet": [_records(part) for part in parts],
    }


def describe(about: About, parts: Sequence[Part]) -> str:
    """One sentence or two."""
    number = sum(len(part.levels) for part in parts)
    games = len({part.cell.game for part in parts})
    return (
        f"{counted(number, 'puzzle level')} of {counted(games, 'game')} in {counted(len(parts), 'tier')} of "
        "difficulty. "
        "Every level carries a shortest solution, the proof that it is one, and figures of its dead ends and traps."
    )


def licence_url(licence: str) -> str:
    """The SPDX page of a licence that is named by its SPDX identifier; else the words."""
    is_spdx = re.fullmatch(r"[A-Za-z0-9.+-]*[0-9][A-Za-z0-9.+-]*|MIT|ISC|Unlicense|Zlib", licence)
    return f"https://spdx.org/licenses/{licence}.html" if is_spdx else licence


def _file(part: Part) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": part.path,
        "name": part.path,
        "contentUrl": part.path,
        "contentSize": f"{len(part.data)} B",
        "encodingFormat": PARQUET,
        "sha256": sha256(part.data),
    }


def _records(part: Part) -> dict[str, Any]:
    name = str(part.cell)
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"{part.cell.game}, tier {part.cell.tier}: {counted(len(part.levels), 'level')}",
        "key": {"@id": f"{name}/id"},
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{column.name}",
                "name": column.name,
                "description": column.text,
                "dataType": TYPES[column.kind],
                "source": {"fileObject": {"@id": part.path}, "extract": {"column": column.name}},
            }
            for column in COLUMNS
        ],
    }
