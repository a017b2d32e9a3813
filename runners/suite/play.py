"""The screen of an open level: board, side panel with the level row, counters and keys, hint line."""

from __future__ import annotations

from ...games import GAMES
from ...games.base import Rect
from ..view import View
from .labels import label, mark_text, tier_name
from .widgets import CARD, DONE, FAINT, INK, MUTED, Control, Page, icon_items, tier_colour

BOARD_BOX = (384.0, 36.0, 860.0, 764.0)  # x, y, width, height of the space for the board, in design units
AREA_LEFT = 360.0  # what lies right of this belongs to the board: a swipe may begin anywhere there
LARGEST_UNIT = 112.0  # a board unit is at most this large, so that small boards do not look like posters
HINT_MIDDLE = 842.0
PANEL = (32.0, 32.0, 312.0, 836.0)
LEFT, INNER = 60.0, 256.0
CHIPS_TOP, CHIP, CHIP_GAP, CHIPS_IN_ROW, MOST_CHIPS = 326.0, 44.0, 9.0, 5, 20


def panel(view: View) -> Page:
    """What stays the same while a level is played."""
    page = Page(view.pressed)
    objective = view.objective()
    assert objective is not None
    assert view.level_index is not None
    colour = tier_colour(objective.tier)
    page.card(*PANEL)
    count = len(objective.levels)
    page.text(LEFT, 84, GAMES[objective.game].title[view.lang], 30, anchor="start", fit=INNER)
    page.badge(LEFT, 112, 128, 36, tier_name(objective.tier, view.lang), colour)
    page.text(LEFT, 206, label("level", view.lang, number=view.level_index + 1), 54, anchor="start", fit=INNER)
    page.text(LEFT, 254, label("of", view.lang, count=count), 22, MUTED, "start", bold=False, fit=INNER)
    page.text(LEFT, 306, label("all_levels", view.lang), 18, MUTED, "start", bold=False)
    _chips(page, view, count, colour)
    top = _figures_top(count)
    for x, word in ((LEFT, "moves"), (LEFT + 134, "progress")):
        page.add(Rect(x, top, 122, 96, "#fbf1e4", 20))
        page.text(x + 61, top + 26, label(word, view.lang), 18, MUTED, bold=False, fit=106)
    page.add(Rect(LEFT, top + 112, INNER, 16, FAINT, 8))
    return page


def _figures_top(levels: int) -> float:
    """The height below the level row."""
    rows = -(-min(levels, MOST_CHIPS) // CHIPS_IN_ROW)
    return CHIPS_TOP + rows * (CHIP + CHIP_GAP) + 16


def counters(view: View) -> Page:
    """What changes with every input: figures, progress bar, keys, hint."""
    page = Page(view.pressed)
    game = GAMES[view.game or ""]
    share = game.progress(view.board, view.state)
    objective = view.objective()
    top = _figures_top(len(objective.levels) if objective else 0)
    page.text(LEFT + 61, top + 66, str(view.moves_made), 38, fit=106)
    page.text(LEFT + 195, top + 66, f"{int(share * 100 + 1e-9)}%", 38, fit=106)
    if share > 0:
        page.bar(LEFT, top + 112, INNER, 16, share, tier_colour(view.tier or ""))
    if game.undo:
        page.button("restart", LEFT, 702, 122, 64, "", icon="restart")
        page.button("undo", LEFT + 134, 702, 122, 64, "", icon="undo", enabled=view.can_undo)
    else:
        page.button("restart", LEFT, 702, INNER, 64, label("restart", view.lang), icon="restart")
    page.button("menu", LEFT, 780, INNER, 64, label("menu", view.lang), icon="menu")
    _hint(page, view, game.hint[view.lang])
    return page


def _hint(page: Page, view: View, hint: str) -> None:
    middle = BOARD_BOX[0] + BOARD_BOX[2] / 2
    if view.mark:
        page.add(Rect(middle - 270, HINT_MIDDLE - 27, 540, 54, "#e5533d", 27, shadow=10))
        page.add(*icon_items("lock" if view.mark == "locked" else "stop", middle - 236, HINT_MIDDLE, 26, "#ffffff"))
        page.text(middle + 16, HINT_MIDDLE, mark_text(view.mark, view.game, view.lang), 22, "#ffffff", fit=440)
    else:
        page.text(middle, HINT_MIDDLE, hint, 22, MUTED, bold=False, fit=840)


def _chips(page: Page, view: View, count: int, colour: str) -> None:
    """The level row: won levels ticked, the open one ringed, later ones locked. Of a long list, the part around the
    open level."""
    assert view.level_index is not None
    won = view.won[view.game or "", view.tier or ""]
    shown = min(count, MOST_CHIPS)
    first = max(0, min(view.level_index - shown // 2, count - shown))
    for place, index in enumerate(range(first, first + shown)):
        row, column = divmod(place, CHIPS_IN_ROW)
        x, y = LEFT + column * (CHIP + CHIP_GAP), CHIPS_TOP + row * (CHIP + CHIP_GAP)
        name, current = f"level:{index}", index == view.level_index
        if not current:
            page.controls.append(Control(name, x, y, CHIP, CHIP, view.is_open(index)))
        if current:
            page.add(Rect(x, y, CHIP, CHIP, colour, 14))
            page.text(x + CHIP / 2, y + CHIP / 2, str(index + 1), 21, "#ffffff", fit=CHIP - 8)
        elif index in won:
            page.add(Rect(x, y, CHIP, CHIP, "#e2f4e6", 14))
            page.text(x + CHIP / 2, y + CHIP / 2, str(index + 1), 21, "#3f8f58", fit=CHIP - 8)
        elif view.is_open(index):
            page.add(Rect(x + 1, y + 1, CHIP - 2, CHIP - 2, CARD, 14, colour, 2))
            page.text(x + CHIP / 2, y + CHIP / 2, str(index + 1), 21, INK, fit=CHIP - 8)
        else:
            page.add(Rect(x, y, CHIP, CHIP, "#f6ebdd", 14))
            page.add(*icon_items("lock", x + CHIP / 2, y + CHIP / 2 - 1, 19, "#cdb9a3"))
        if index in won:
            page.add(Rect(x + CHIP - 15, y - 5, 20, 20, DONE, 10, CARD, 2))
            page.add(*icon_items("tick", x + CHIP - 5, y + 5, 10, "#ffffff"))
