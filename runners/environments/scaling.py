"""The suite's pixels as an observation: RGB, made smaller where that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..surface import Pixels


def scaled(pixels: Pixels, size: tuple[int, int]) -> npt.NDArray[np.uint8]:
    """RGB, shape (height, width, 3), from RGBA; ``size``: (width, height), at most that of the pixels."""
    if (pixels.shape[1], pixels.shape[0]) != size:
        import skia

        sampling = skia.SamplingOptions(skia.FilterMode.kLinear, skia.MipmapMode.kLinear)
        image = skia.Image.fromarray(pixels, colorType=skia.kRGBA_8888_ColorType, copy=False)
        pixels = image.resize(*size, sampling).toarray(colorType=skia.kRGBA_8888_ColorType)
    rgb = np.empty((*pixels.shape[:2], 3), np.uint8)
    for channel in range(3):  # a third of the time of copying all three at once
        rgb[..., channel] = pixels[..., channel]
    return rgb
