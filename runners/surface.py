"""What a surface is: the place where inputs go in and pixels come out.

Two exist: ``browser.BrowserSurface`` (a real browser, real mouse and keyboard) and ``direct.DirectSurface`` (the same
session and the same pixels without a browser). The same inputs give the same states and the same pixels on both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..games.base import Pointer
    from .session import Note, Session

    Pixels = npt.NDArray[np.uint8]  # shape (height, width, 4), RGBA, opaque


class Surface(Protocol):
    """Coordinates are whole viewport pixels. Every method may raise TechnicalFailure; ``close`` never does."""

    session: Session

    @property
    def name(self) -> str:
        """``browser`` or ``direct``."""

    def start(self) -> None:
        """Shows the session; returns when its first frame is on the screen."""

    def dispatch(self, events: Sequence[Pointer]) -> tuple[Note, ...]:
        """Gives the events to the session through the surface, each settled (consumed, drawn, shown) before the next.

        A pointer's ``move`` counts only between ``down`` and ``up``: hovering is not an input. Returns what the session
        noted of all of them.
        """

    def screenshot(self) -> bytes:
        """The screen as PNG."""

    def pixels(self) -> Pixels:
        """The screen as RGBA, shape (height, width, 4)."""

    def rejected(self) -> tuple[str, ...]:
        """Inputs that came from elsewhere than ``dispatch`` since the last call, one line each; none took effect."""

    def describe(self) -> dict[str, Any]:
        """What the run record says of the surface (JSON): its name, the browser and its version."""

    def close(self) -> None:
        """Ends everything that ``start`` began; may be called at any time, and twice."""
