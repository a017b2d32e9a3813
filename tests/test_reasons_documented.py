"""Every word that a rejected candidate is counted by has a line in docs/catalogue.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORD = re.compile(r"[a-z]+(_[a-z]+)*")


def words() -> Iterator[str]:
    """What calls of Rejected and Miss name, what functions that return reasons do, and constants that hold some."""
    for path in (*sorted((ROOT / "generators").glob("*.py")), ROOT / "pipeline" / "production.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            held: ast.AST | None = None
            if isinstance(node, ast.Call) and node.args:
                called = getattr(node.func, "id", getattr(node.func, "attr", ""))
                held = node.args[0] if called in ("Rejected", "Miss", "reject") else None
            elif isinstance(node, ast.FunctionDef) and node.name in ("_out_of_bands", "_missed"):
                yield from (word for one in ast.walk(node) if isinstance(one, ast.Return) for word in constants(one))
            elif isinstance(node, ast.Assign) and "MISSED" in ast.unparse(node.targets[0]):
                held = node.value
            if held is not None:
                yield from constants(held)


def constants(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and WORD.fullmatch(one.value):
            yield one.value


def test_every_word_that_a_rejection_is_counted_by_is_explained() -> None:
    text = (ROOT / "docs" / "catalogue.md").read_text("utf-8")
    table = text.partition("## Why candidates are rejected")[2].partition("\n## ")[0]
    explained = {word for line in table.splitlines() if line.startswith("|") for word in re.findall(r"`(\w+)`", line)}
    found = set(words())
    assert {"too_easy", "too_risky", "crowded", "missed", "duplicate", "surplus", "unproven", "unused_grid"} <= found
    assert found - explained == set()
