"""lpb-gen: certified puzzle levels, frozen in versioned snapshots, played by agents through real GUI input.

The package's rooms, in the order in which data flows (a room imports only from those before it):

    games       the rules, one file a game, and what every game is (``base``)
    generators  propose levels and solve boards        verifiers  prove what is claimed of a level
    pipeline    levels, snapshots, refresh, pin, the command line
    runners     the suite, its surfaces, agents, episodes and results
"""

__version__ = "0.1.0"

from .runners.environments.arrival import register_when_gymnasium_is_there as _watch

_watch()
