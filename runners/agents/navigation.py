"""How the reference agents find their way through the menus: by the controls that are on the screen."""

from __future__ import annotations

from ..actions import Action, Click
from .base import Insight


def way_to_board(insight: Insight, game: str, tier: str) -> Action | None:
    """The click that leads towards the next level of the objective, or None where its board is open."""
    view = insight.view
    here = view.game == game and view.tier == tier
    match view.screen:
        case "level" if here:
            return None
        case "solved" if here:
            return click(insight, "next")
        case "home":
            return click(insight, f"game:{game}")
        case "tiers" if view.game == game:
            return click(insight, f"tier:{tier}")
        case "tiers":
            return click(insight, "back")
        case _:
            return click(insight, "menu")


def click(insight: Insight, target: str) -> Action:
    """A click on a control. Raises KeyError where the screen has no such control."""
    x, y = insight.targets()[target]
    return Click(round(x), round(y))
