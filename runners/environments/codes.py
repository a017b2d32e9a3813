"""The games whose levels environments know as numbers. A game without an entry is played by pixels and GUI."""

from __future__ import annotations

from .code import Code
from .code_bolt import CODE as BOLT
from .code_color import CODE as COLOR
from .code_maze import CODE as MAZE
from .code_nut import CODE as NUT
from .code_rush import CODE as RUSH
from .code_truck import CODE as TRUCK

CODES: dict[str, Code] = {"bolt": BOLT, "color": COLOR, "maze": MAZE, "nut": NUT, "rush": RUSH, "truck": TRUCK}
