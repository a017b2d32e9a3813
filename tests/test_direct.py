"""The direct surface: the session's own states and the renderer's own pixels, with nothing in between."""

from __future__ import annotations

import subprocess
import sys

import levels
import numpy as np
import skia

from lpb_gen.games.base import Pointer
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.session import Session
from lpb_gen.runners.suite.render import Renderer
from lpb_gen.runners.surface import Surface


def click(surface: Surface, target: str) -> None:
    x, y = surface.session.targets()[target]
    surface.dispatch([Pointer("down", x, y), Pointer("up", x, y)])


def test_it_is_a_surface() -> None:
    surface = DirectSurface(Session(levels.objectives()))
    assert all(hasattr(surface, name) for name in Surface.__dict__ if not name.startswith("_"))
    assert surface.describe() == {"name": "direct"}
    assert surface.rejected() == ()


def test_a_whole_objective_is_played_through_it() -> None:
    session = Session(levels.objectives())
    surface: Surface = DirectSurface(session)
    surface.start()
    click(surface, "game:maze")
    click(surface, "tier:hard")
    while session.view.screen != "complete":
        level = session.view.level
        assert level is not None
        for move in level.certificate.solution:
            notes = surface.dispatch(session.pointers(move))
            assert notes[0].kind == "move"
        assert np.array_equal(surface.pixels(), Renderer().render(session.scene(), session.viewport))
        if session.view.screen == "solved":
            click(surface, "next")
    assert session.view.won["maze", "hard"] == {0, 1}
    surface.close()
    surface.close()


def test_dispatch_returns_what_the_session_noted() -> None:
    session, other = Session(levels.objectives()), Session(levels.objectives())
    events = [Pointer("down", 5, 5), Pointer("up", 5, 5), Pointer("key", key="ArrowUp")]
    assert DirectSurface(session).dispatch(events) == tuple(note for event in events for note in other.event(event))
    assert session.state_hash() == other.state_hash()


def test_the_screenshot_is_the_pixels() -> None:
    surface = DirectSurface(Session(levels.objectives()))
    image = skia.Image.MakeFromEncoded(skia.Data.MakeWithCopy(surface.screenshot()))
    assert np.array_equal(image.toarray(colorType=skia.kRGBA_8888_ColorType), surface.pixels())


def test_playing_without_pixels_loads_no_renderer() -> None:
    code = (
        "import sys\n"
        "from lpb_gen.games.base import Pointer\n"
        "from lpb_gen.runners.direct import DirectSurface\n"
        "from lpb_gen.runners.session import Session\n"
        "surface = DirectSurface(Session([]))\n"
        "surface.start()\n"
        "surface.dispatch([Pointer('down', 640, 500), Pointer('up', 640, 500)])\n"
        "print(sorted({'skia', 'numpy', 'playwright'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
