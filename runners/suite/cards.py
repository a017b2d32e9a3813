"""The cards over a finished level: solved, and all levels of the objective complete."""

from __future__ import annotations

from math import cos, hypot, pi, sin

from ...games import GAMES
from ...games.base import Circle, Path, Rect
from ..view import View
from .labels import label, tier_name
from .widgets import DONE, MUTED, Page, icon_items, star, tier_colour

VEIL = "#2e1b0e8c"
X, W = 400.0, 480.0
MIDDLE = X + W / 2
CONFETTI = ("#ff8a5c", "#ffc44d", "#5bb974", "#4aa8d8", "#b657c9")


def solved(view: View) -> Page:
    page = Page(view.pressed)
    number = (view.level_index or 0) + 1
    page.card(X, 200, W, 490, radius=40, shadow=40)
    _confetti(page, MIDDLE, 300, 130)
    page.add(Circle(MIDDLE, 300, 58, "#74d08e", fill2=DONE, shadow=12), *icon_items("tick", MIDDLE, 302, 58, "#ffffff"))
    page.text(MIDDLE, 408, label("solved", view.lang, number=number), 42, fit=W - 60)
    word = "solved_move" if view.moves_made == 1 else "solved_moves"
    page.text(MIDDLE, 460, label(word, view.lang, moves=view.moves_made), 24, MUTED, bold=False)
    page.button("next", X + 44, 508, W - 88, 76, label("next", view.lang), main=True)
    page.button("again", X + 44, 600, 190, 62, label("replay", view.lang))
    page.button("menu", X + W - 234, 600, 190, 62, label("menu", view.lang))
    return page


def complete(view: View) -> Page:
    page = Page(view.pressed)
    objective = view.objective()
    assert objective is not None
    won, count = len(view.won[objective.game, objective.tier]), len(objective.levels)
    page.card(X, 170, W, 562, radius=40, shadow=40)
    _confetti(page, MIDDLE, 280, 150)
    page.add(
        Circle(MIDDLE, 280, 70, "#ffd873", fill2="#f7a928", shadow=14),
        Path(star(MIDDLE, 280, 40), "#ffffff", "#ffffff", 8, True),
    )
    page.text(MIDDLE, 400, label("complete", view.lang), 40, fit=W - 60)
    page.text(MIDDLE, 452, GAMES[objective.game].title[view.lang], 26, fit=W - 80)
    page.badge(MIDDLE - 70, 474, 140, 36, tier_name(objective.tier, view.lang), tier_colour(objective.tier))
    page.text(MIDDLE, 536, label("levels", view.lang, won=won, count=count), 22, MUTED, bold=False, fit=W - 80)
    page.button("menu", X + 44, 564, W - 88, 70, label("menu", view.lang), main=True)
    page.button("again", X + 44, 648, 190, 56, label("replay", view.lang))
    page.button("home", X + W - 234, 648, 190, 56, label("home", view.lang))
    return page


def _confetti(page: Page, x: float, y: float, r: float) -> None:
    """A fixed sprinkle round a medal of half the radius: picture and state must agree, so nothing here is random."""
    for i in range(30):
        turn, reach = i * 0.381966, 0.6 + 0.4 * ((i * 7) % 11) / 10  # the golden angle spreads them evenly
        px, py = x + r * 1.4 * reach * cos(2 * pi * turn), y + r * 0.62 * reach * sin(2 * pi * turn)
        if hypot(px - x, py - y) < r * 0.5 + 14:
            continue
        colour = CONFETTI[i % len(CONFETTI)]
        if i % 3:
            page.add(Circle(px, py, 4 + i % 3, colour))
        else:
            page.add(Rect(px - 5, py - 5, 10, 10, colour, 3))
