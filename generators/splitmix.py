"""Random numbers inside compiled loops: SplitMix64, seeded with a word of a ``stream.Stream``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..games.kernels import compiled


@compiled
def below(seed: Any, n: int) -> Any:
    """An integer in [0, n), from SplitMix64 (G. Steele, D. Lea, C. Flood, 2014); ``seed``: uint64[1], advanced. The
    bias of a 32-bit multiply is below n / 2 ** 32."""
    seed[0] += np.uint64(0x9E3779B97F4A7C15)
    z = seed[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.int64(((z >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))
