"""PNG reader, for height fields and textures."""

import struct
import zlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from newtonlite.core.limits import most

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Samples per pixel of grey, colour, palette, grey with opacity, colour with opacity."""
PALETTE = 3
BLOCK = 1 << 20
"""Bytes of rows that are unpacked at a time."""
MAX_PIXELS = most("pixels")
PASSES = [
    (slice(y, None, down), slice(x, None, across))
    for y, x, down, across in (
        (0, 0, 8, 8),
        (0, 4, 8, 8),
        (4, 0, 8, 4),
        (0, 2, 4, 4),
        (2, 0, 4, 2),
        (0, 1, 2, 2),
        (1, 0, 2, 1),
    )
]
"""Rows and columns of the seven images that an interlaced file has one after the other (PNG specification, section 8).
"""


@dataclass
class Header:
    """Size in pixels, bits per sample, kind of colour."""

    width: int
    height: int
    depth: int
    colour: int
    interlaced: bool = False

    @property
    def channels(self) -> int:
        """Samples per pixel."""
        return CHANNELS[self.colour]


@lru_cache(maxsize=8)
def read_png(data: bytes) -> np.ndarray:
    """Samples [height, width, channels] as 8-bit numbers; wider samples lose their low byte, narrow ones are stretched.

    ValueError says what is wrong with the file.  Equation: PNG specification, sections 7 to 9.
    """
    header, palette, packed = chunks(data)
    rows = FilteredRows(packed)
    parts = [p for p in PASSES if size_of(header, p).width and size_of(header, p).height]
    if not header.interlaced:
        samples = unpack(unfilter(rows, header), header)
    else:
        samples = np.zeros((header.height, header.width, header.channels), np.uint8)
        for part in parts:
            size = size_of(header, part)
            samples[part] = unpack(unfilter(rows, size), size)
    if header.colour == PALETTE:
        if samples.max(initial=0) >= len(palette):
            raise ValueError("a pixel names a colour that the palette does not have")
        return palette[samples[..., 0]]
    return samples


def read_header(data: bytes) -> Header:
    """The header of a PNG file."""
    if data[:8] != SIGNATURE or len(data) < 33 or data[12:16] != b"IHDR":
        raise ValueError("it is no PNG file")
    width, height, depth, colour, _, _, interlaced = struct.unpack_from(">2I5B", data, 16)
    if colour not in CHANNELS or depth not in (1, 2, 4, 8, 16) or not width or not height:
        raise ValueError("its header makes no sense")
    if width * height > MAX_PIXELS:
        raise ValueError(f"{width} by {height} pixels are more than {MAX_PIXELS}")
    if interlaced > 1:
        raise ValueError("it is interlaced in an unknown way")
    header = Header(width, height, depth, colour, bool(interlaced))
    if height * row_bytes(header) > most("picture"):
        raise ValueError(f"{width} by {height} pixels of {depth} bits a sample are more than {most('picture')} bytes")
    return header


def size_of(header: Header, part: tuple[slice, slice]) -> Header:
    """The header of the image that every so many pixels make."""
    height, width = (len(range(n)[cut]) for n, cut in zip((header.height, header.width), part, strict=True))
    return Header(width, height, header.depth, header.colour)


def chunks(data: bytes) -> tuple[Header, np.ndarray, bytes]:
    """Header, palette [n, 3] and packed pixels."""
    header, palette, packed, at = read_header(data), np.zeros((0, 3), np.uint8), [], 8
    while at + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + size]
        if len(body) < size and packed and kind not in (b"PLTE", b"IDAT"):
            break  # the pixels are there, whatever follows them
        if len(body) < size:
            raise ValueError("it ends in the middle")
        if kind == b"PLTE":
            palette = np.frombuffer(body[: size // 3 * 3], np.uint8).reshape(-1, 3)
        elif kind == b"IDAT":
            packed.append(body)
        at += 12 + size
    return header, palette, b"".join(packed)


class FilteredRows:
    """The filtered rows of images one after the other, a byte for the filter before each; unpacked as they are read, and
    no further.
    """

    def __init__(self, packed: bytes):
        self.left, self.decoder = packed, zlib.decompressobj()

    def read(self, count: int) -> bytes:
        """The next bytes. ValueError where there are fewer, or none can be unpacked."""
        parts, missing = [], count
        while missing:
            try:
                part = self.decoder.decompress(self.left, missing)
            except zlib.error as problem:
                raise ValueError(f"its pixels cannot be unpacked ({problem})") from None
            if not part and (self.decoder.eof or not self.decoder.unconsumed_tail):
                raise ValueError("it has too few pixels")
            self.left = self.decoder.unconsumed_tail
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)


def row_bytes(header: Header) -> int:
    """Bytes of one row of pixels."""
    return (header.width * header.channels * header.depth + 7) // 8


def unfilter(packed: FilteredRows, header: Header) -> np.ndarray:
    """Bytes [height, row] before filtering."""
    width, step = row_bytes(header), max(1, header.channels * header.depth // 8)
    out, above = np.zeros((header.height, width), np.uint8), np.zeros(width, np.uint8)
    together = max(1, BLOCK // (width + 1))
    for y in range(header.height):
        at = y % together
        if at == 0:
            rows = packed.read((width + 1) * min(together, header.height - y))
        kind, start = rows[at * (width + 1)], at * (width + 1) + 1
        line = np.frombuffer(rows, np.uint8, width, start)
        if kind > 4:
            raise ValueError(f"row {y} has an unknown filter")
        if kind == 2:
            line = line + above
        elif kind == 1:
            line = summed(line, step)
        elif kind:
            line = predicted(line, above, step, kind)
        out[y] = above = line
    return out


def summed(line: np.ndarray, step: int) -> np.ndarray:
    """Each byte plus the one a pixel before."""
    width = -(-len(line) // step) * step
    columns = np.pad(line, (0, width - len(line))).reshape(-1, step)
    return np.cumsum(columns, axis=0, dtype=np.uint8).reshape(-1)[: len(line)]


def predicted(line: np.ndarray, above: np.ndarray, step: int, kind: int) -> np.ndarray:
    """Each byte plus the mean (3) of left and above, or the nearest (4) of left, above and corner to their plane."""
    out, up = [0] * step + line.tolist(), [0] * step + above.tolist()
    for i in range(step, len(out)):
        left, over, corner = out[i - step], up[i], up[i - step]
        if kind == 3:
            guess = (left + over) // 2
        else:
            a, b, c = abs(over - corner), abs(left - corner), abs(left + over - 2 * corner)
            guess = left if a <= b and a <= c else over if b <= c else corner
        out[i] = (out[i] + guess) & 255
    return np.array(out[step:], np.uint8)


def unpack(rows: np.ndarray, header: Header) -> np.ndarray:
    """Samples [height, width, channels] of 8 bits each."""
    count = header.width * header.channels
    if header.depth == 16:
        rows = rows.reshape(header.height, -1, 2)[..., 0]
    elif header.depth < 8:
        bits = np.unpackbits(rows, axis=1).reshape(header.height, -1, header.depth)
        rows = bits @ (1 << np.arange(header.depth)[::-1]).astype(np.uint8)
        if header.colour != PALETTE:
            rows = rows * (255 // (2**header.depth - 1))
    return rows[:, :count].astype(np.uint8, copy=False).reshape(header.height, header.width, header.channels)
