"""Levels as a Parquet file, and back. Needs pyarrow (the extra ``parquet``), which is loaded here only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..games.base import LpbError
from .columns import COLUMNS, level_of
from .level import Level


class MissingExtra(LpbError):
    """A library that only some commands need is not installed."""


def require_pyarrow(*, where: str = "parquet") -> None:
    """Raises MissingExtra with the command that installs it."""
    try:
        import pyarrow.parquet  # noqa: F401 - whether it is there is the question
    except ImportError:
        fix = "run: pip install 'lpb-gen[parquet]'"
        raise MissingExtra("pyarrow is not installed", where=where, fix=fix) from None


def parquet_bytes(rows: Iterable[Mapping[str, Any]], about: Mapping[str, Any]) -> bytes:
    """A file of ``columns.row`` rows; ``about`` is kept as JSON in its metadata, under "lpb_gen". The same rows give
    the same bytes with the same pyarrow. Raises MissingExtra."""
    require_pyarrow()
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"string": pa.string(), "integer": pa.int64(), "float": pa.float64()}
    fields = [pa.field(column.name, kinds[column.kind]) for column in COLUMNS]
    schema = pa.schema(fields, metadata={"lpb_gen": json.dumps(about, sort_keys=True)})
    table = pa.Table.from_pylist([dict(one) for one in rows], schema=schema)
    stream = pa.BufferOutputStream()
    pq.write_table(table, stream, compression="zstd")
    return bytes(stream.getvalue())


def read_parquet(path: Path) -> Iterator[Level]:
    """The levels of a file that ``parquet_bytes`` made. Raises MissingExtra, InvalidLevel."""
    require_pyarrow()
    import pyarrow.parquet as pq

    for values in pq.read_table(path).to_pylist():
        yield level_of(values)
