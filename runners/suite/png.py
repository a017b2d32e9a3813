"""PNG files from pixels: the same bytes for the same pixels."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

LEVEL = 1  # of zlib: a frame must be on its way in milliseconds
NO_FILTER = 0  # our pictures are mostly flat: filtering costs more time than it saves bytes


def png(pixels: NDArray[np.uint8]) -> bytes:
    """The file of an opaque picture of shape (height, width, 4), RGBA; alpha is left out."""
    height, width = pixels.shape[:2]
    rows = np.empty((height, 1 + 3 * width), np.uint8)
    rows[:, 0] = NO_FILTER
    rows[:, 1:].reshape(height, width, 3)[:] = pixels[:, :, :3]
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(rows.tobytes(), LEVEL)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def pixels(data: bytes) -> NDArray[np.uint8]:
    """The picture in a PNG file, uint8[height, width, 4], RGBA. Raises ValueError where it is none."""
    import skia

    image = skia.Image.MakeFromEncoded(skia.Data.MakeWithCopy(data))
    if image is None:
        raise ValueError("no picture")
    return np.array(image.toarray(colorType=skia.kRGBA_8888_ColorType), dtype=np.uint8)
