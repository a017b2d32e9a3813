"""What is asked of each game's generator where a test needs any level, soon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SMALL: dict[str, Mapping[str, Any]] = {
    "bolt": {"screws": [5, 8], "boards": [3, 5], "size": [6, 8], "free": [2, 6], "length": [6, 9]},
    "color": {"size": [[5, 6], [5, 7]], "pairs": [4, 5], "length": [12, 30]},
    "maze": {"length": [7, 9]},
    "nut": {"colours": [3, 4], "length": [7, 16]},
    "rush": {"length": [5, 9]},
    "truck": {"vehicles": [8, 12], "depth": [3, 5], "free": [2, 4], "bait": [1, 3]},
}
