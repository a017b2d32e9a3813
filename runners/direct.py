"""The direct surface: the same session and pixels as the browser's, without a browser. For training and tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..games.base import Pointer
    from .session import Note, Session
    from .suite.render import Renderer
    from .surface import Pixels


class DirectSurface:
    """See ``surface.Surface``. Pixels are drawn when they are asked for, so that a run without them costs the rules
    alone."""

    name = "direct"

    def __init__(self, session: Session) -> None:
        self.session = session
        self._renderer: Renderer | None = None

    def start(self) -> None:
        """Nothing to begin; here for the protocol."""

    def dispatch(self, events: Sequence[Pointer]) -> tuple[Note, ...]:
        return tuple(note for event in events for note in self.session.event(event))

    def pixels(self) -> Pixels:
        if self._renderer is None:
            from .suite.render import Renderer

            self._renderer = Renderer()
        return self._renderer.render(self.session.scene(), self.session.viewport)

    def screenshot(self) -> bytes:
        from .suite.png import png

        return png(self.pixels())

    def rejected(self) -> tuple[str, ...]:
        """Always empty: nothing but ``dispatch`` reaches the session."""
        return ()

    def describe(self) -> dict[str, Any]:
        return {"name": self.name}

    def close(self) -> None:
        self._renderer = None
