"""The order of the rooms: games <- generators / verifiers <- pipeline <- runners. The left never imports the right."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "games": set(),
    "generators": {"games"},
    "verifiers": {"games"},
    "pipeline": {"games", "generators", "verifiers"},
    "runners": {"games", "generators", "verifiers", "pipeline"},
}


def imported_rooms(file: Path) -> Iterator[tuple[int, str]]:
    """(line, room) of every import of another room, lazy ones included."""
    package = ("lpb_gen", *file.relative_to(ROOT).parts[:-1])
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            targets = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            base += node.module.split(".") if node.module else []
            targets = [[*base, alias.name] for alias in node.names]
        else:
            continue
        for target in targets:
            if target[0] == "lpb_gen" and len(target) > 1 and target[1] in MAY_IMPORT:
                yield node.lineno, target[1]


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_from_those_before_it(room: str) -> None:
    wrong = [
        f"{file.relative_to(ROOT)}:{line} imports {target}"
        for file in sorted((ROOT / room).rglob("*.py"))
        for line, target in imported_rooms(file)
        if target != room and target not in MAY_IMPORT[room]
    ]
    assert wrong == []


def test_this_test_sees_imports() -> None:
    rooms = {target for _, target in imported_rooms(ROOT / "pipeline" / "production.py")}
    assert {"games", "generators", "verifiers"} <= rooms


def test_the_catalogue_holds_no_python() -> None:
    assert list((ROOT / "catalogue").rglob("*.py")) == []
