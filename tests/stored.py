"""A real snapshot of the first version's, as ``lpb-gen restore --out`` wrote it, and copies of it with other lines.

It is never made again: later versions must read and verify it as it lies there.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lpb_gen.pipeline.manifest import sha256

STORED = Path(__file__).parent / "snapshots" / "v1"
Lines = dict[str, list[str]]  # by path below the catalogue folder


def lines(path: str) -> list[str]:
    return (STORED / path).read_text().splitlines()


def edited(folder: Path, edit: Callable[[Lines], None], **manifest: Any) -> Path:
    """A copy whose lines were edited, with a manifest (of which parts may be given) that agrees with them."""
    shutil.copytree(STORED, folder)
    content = {**json.loads((folder / "manifest.json").read_text()), **manifest}
    found = {path: lines(path) for path in content["files"]}
    edit(found)
    for path, some in found.items():
        data = "".join(f"{line}\n" for line in some).encode()
        (folder / path).write_bytes(data)
        content["files"][path] = {"sha256": sha256(data), "bytes": len(data), "rows": len(some)}
    (folder / "manifest.json").write_text(json.dumps(content))
    return folder
