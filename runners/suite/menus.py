"""The home screen, with all games and the language switch, and the difficulty menu of one game."""

from __future__ import annotations

from ...games import GAMES
from ...games.base import Circle, Rect
from ..view import LANGUAGES, Objective, View
from .labels import LANGUAGE_NAMES, label, tier_name
from .widgets import ACCENT, DONE, MUTED, Control, Page, icon_items, tier_colour

WIDTH = 1280


def _ground(page: Page) -> None:
    """Large soft discs behind the menus."""
    page.add(
        Circle(90, 820, 250, "#fbd3a82e"), Circle(1215, 250, 190, "#ffd9a63d"), Circle(1080, 905, 150, "#f9bf9a2e")
    )
    page.add(Circle(150, 215, 66, "#ffe3b866"), Circle(60, 360, 40, "#f9bf9a33"))


def home(view: View) -> Page:
    page = Page(view.pressed)
    _ground(page)
    page.text(WIDTH / 2, 96, label("suite", view.lang), 62)
    page.text(WIDTH / 2, 158, label("welcome", view.lang), 25, MUTED, bold=False)
    _language_switch(page, view)
    columns = min(len(GAMES), 3) if len(GAMES) <= 6 else 4
    rows = -(-len(GAMES) // columns)
    gap = 32.0
    w = min(400.0, (1160 - gap * (columns - 1)) / columns) if len(GAMES) > 1 else 480.0
    h = min(560.0 if len(GAMES) == 1 else 470.0, (650 - gap * (rows - 1)) / rows)
    top = 208 + (640 - rows * h - (rows - 1) * gap) / 2
    for place, name in enumerate(GAMES):
        row, column = divmod(place, columns)
        in_row = min(columns, len(GAMES) - row * columns)
        left = (WIDTH - in_row * w - (in_row - 1) * gap) / 2
        _game_card(page, view, name, left + column * (w + gap), top + row * (h + gap), w, h)
    return page


def _language_switch(page: Page, view: View) -> None:
    x, y, w, h = 1020.0, 36.0, 220.0, 52.0
    page.controls.append(Control("lang", x, y, w, h))
    page.add(Rect(x, y, w, h, "#fffdf9", h / 2, "#efdcc6", 1.5, shadow=8))
    half = w / len(LANGUAGES)
    for place, lang in enumerate(LANGUAGES):
        chosen = lang == view.lang
        if chosen:
            page.add(Rect(x + place * half + 5, y + 5, half - 10, h - 10, ACCENT, h / 2 - 5))
        page.text(x + (place + 0.5) * half, y + h / 2, LANGUAGE_NAMES[lang], 20, "#ffffff" if chosen else MUTED)


def _count(view: View, objectives: tuple[Objective, ...]) -> tuple[int, int]:
    """Levels won and levels there are."""
    return sum(len(view.won[o.game, o.tier]) for o in objectives), sum(len(o.levels) for o in objectives)


def _game_card(page: Page, view: View, name: str, x: float, y: float, w: float, h: float) -> None:
    game = GAMES[name]
    won, count = _count(view, view.tiers(name))
    control = f"game:{name}"
    page.controls.append(Control(control, x, y, w, h, count > 0))
    y += 4 if view.pressed == control and count else 0
    page.card(x, y, w, h)
    pad, foot = 16.0, 112.0
    picture_h = h - foot - pad
    page.add(Rect(x + pad, y + pad, w - 2 * pad, picture_h, "#ffeeda", 20, fill2="#ffe0c0"))
    if game.cover:
        page.place(game.cover(), x + pad + 18, y + pad + 18, w - 2 * pad - 36, picture_h - 36)
    else:
        page.text(x + w / 2, y + pad + picture_h / 2, game.title["en"][0], picture_h * 0.6, "#f7b98b")
    middle = y + h - foot
    page.text(x + pad + 10, middle + 34, game.title[view.lang], 30, anchor="start", fit=w - 2 * pad - 20)
    if count:
        page.text(
            x + w - pad - 10,
            middle + 78,
            label("levels", view.lang, won=won, count=count),
            19,
            MUTED,
            "end",
            bold=False,
        )
        page.bar(x + pad + 10, middle + 72, w - 2 * pad - 190, 12, won / count, DONE)
    else:
        page.text(x + pad + 10, middle + 78, label("no_levels", view.lang), 19, MUTED, "start", bold=False)
        page.add(Rect(x, y, w, h, "#fdf3e6b0", 28))
        page.add(*icon_items("lock", x + w / 2, y + pad + picture_h / 2, 44, MUTED))


def tiers(view: View) -> Page:
    page = Page(view.pressed)
    _ground(page)
    game = GAMES[view.game or ""]
    objectives = view.tiers(game.name)
    page.button("back", 40, 36, 64, 64, "", icon="back")
    page.text(WIDTH / 2, 90, game.title[view.lang], 54, fit=900)
    page.text(WIDTH / 2, 148, game.hint[view.lang], 24, MUTED, bold=False, fit=1100)
    columns = min(len(objectives), 5)
    rows = -(-len(objectives) // max(columns, 1))
    gap = 28.0
    w = min(320.0, (1180 - gap * (columns - 1)) / max(columns, 1))
    h = min(214 + 0.96 * w, (640 - gap * (rows - 1)) / max(rows, 1))
    top = 206 + (640 - rows * h - (rows - 1) * gap) / 2
    for place, objective in enumerate(objectives):
        row, column = divmod(place, columns)
        in_row = min(columns, len(objectives) - row * columns)
        left = (WIDTH - in_row * w - (in_row - 1) * gap) / 2
        _tier_card(page, view, objective, place, left + column * (w + gap), top + row * (h + gap), w, h)
    return page


def _tier_card(
    page: Page, view: View, objective: Objective, place: int, x: float, y: float, w: float, h: float
) -> None:
    game, tier = GAMES[objective.game], objective.tier
    won, count = _count(view, (objective,))
    colour = tier_colour(tier)
    control = f"tier:{tier}"
    page.controls.append(Control(control, x, y, w, h, count > 0))
    y += 4 if view.pressed == control and count else 0
    page.card(x, y, w, h)
    pad, foot = 16.0, 188.0
    picture_h = h - foot - pad
    page.add(Rect(x + pad, y + pad, w - 2 * pad, picture_h, colour + "26", 20))
    if count:
        board = game.board(objective.levels[0].board)
        picture = game.scene(board, game.start(board), None)
        page.place(picture, x + pad + 16, y + pad + 38, w - 2 * pad - 32, picture_h - 56)
    middle = y + h - foot
    page.text(x + pad + 10, middle + 34, tier_name(tier, view.lang), 30, anchor="start", fit=w - 2 * pad - 20)
    steps = min(len(view.tiers(objective.game)), 6)
    for step in range(steps):
        at = x + w / 2 + (step - (steps - 1) / 2) * 20
        page.add(Circle(at, y + pad + 20, 6, colour if step <= place else "#ffffffb0"))
    if count:
        page.bar(x + pad + 10, middle + 68, w - 2 * pad - 20, 12, won / count, colour)
        page.text(
            x + pad + 10, middle + 99, label("levels", view.lang, won=won, count=count), 19, MUTED, "start", bold=False
        )
        word = "replay" if won == count else "continue" if won else "play"
        page.add(
            Rect(x + pad, middle + 120, w - 2 * pad, 54, colour, 20),
            Rect(x + pad, middle + 120, w - 2 * pad, 54, "#0000002e", 20),
        )
        page.add(Rect(x + pad, middle + 120, w - 2 * pad, 49, colour, 20))
        page.text(x + w / 2, middle + 144, label(word, view.lang), 22, "#ffffff", fit=w - 60)
    else:
        page.text(x + pad + 10, middle + 84, label("no_levels", view.lang), 19, MUTED, "start", bold=False)
