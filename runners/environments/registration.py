"""The environments' names, as Gymnasium knows them. Registering loads no game, no level and no solver."""

from __future__ import annotations

NAMESPACE = "LPB"
VERSION = 0
ENTRY_POINT = "lpb_gen.runners.environments.environment:Environment"
TIERS = {  # of the default params.yaml, which a registration is too short for to read; a test compares
    "bolt": ("easy", "hard", "expert"),
    "color": ("easy", "hard", "expert"),
    "maze": ("easy", "medium", "hard", "expert"),
    "nut": ("easy", "medium", "hard", "extreme", "nightmare"),
    "rush": ("easy", "medium", "hard", "expert"),
    "truck": ("default", "expert"),
}


def register() -> None:
    """``LPB/Maze-Hard-v0`` and so on, and ``LPB/Puzzle-v0``, which is told its game and tier. Doing it twice does no
    harm."""
    from gymnasium.envs.registration import register, registry

    names = {f"{game.title()}-{tier.title()}": (game, tier) for game, tiers in TIERS.items() for tier in tiers}
    for name, (game, tier) in names.items():
        identity = f"{NAMESPACE}/{name}-v{VERSION}"
        if identity not in registry:
            register(identity, entry_point=ENTRY_POINT, kwargs={"game": game, "tier": tier})
    if (general := f"{NAMESPACE}/Puzzle-v{VERSION}") not in registry:
        register(general, entry_point=ENTRY_POINT)
