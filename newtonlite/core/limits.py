"""Limits: how much a file may hold or ask for, and why no more. What is beyond one is refused before memory is taken.

A file that is small can declare what is large: counts, sizes of grids, pixels, lengths of buffers, packed bytes.  Every
reader compares what a file declares with a row of ``LIMITS`` first.
"""

from typing import NamedTuple

import numpy as np


class Limit(NamedTuple):
    """Limit of a quantity: the most of it, its unit, and the reason."""

    most: int
    unit: str
    why: str


MIB = 1 << 20
LIMITS = {
    "model": Limit(256 * MIB, "bytes", "a text of 2 million elements; larger scenes keep their meshes in files"),
    "asset": Limit(1024 * MIB, "bytes", "a mesh, a height field or a picture; it is held in memory while it is read"),
    "layers": Limit(2048 * MIB, "bytes", "all layers of a USD stage together"),
    "recording": Limit(8192 * MIB, "bytes", "a recording, packed; also all of its arrays, unpacked"),
    "checkpoint": Limit(4096 * MIB, "bytes", "a checkpoint of a shard, or what a worker sends, unpacked"),
    "compiled model": Limit(4096 * MIB, "bytes", "a compiled model, unpacked"),
    "kernel archive": Limit(2048 * MIB, "bytes", "compiled GPU kernels, unpacked"),
    "table": Limit(64 * MIB, "bytes", "a table of numbers, such as controls to replay or limits of a motor"),
    "unpacked": Limit(256 * MIB, "bytes", "what an archive may unpack to, however small it is"),
    "ratio": Limit(
        100, "times", "beyond that an archive unpacks to so many times its own size; simulations pack to a half"
    ),
    "members": Limit(100_000, "members", "arrays of an archive"),
    "elements": Limit(2_000_000, "elements", "a model with those of its included files"),
    "copies": Limit(500_000, "elements", "what replicate, attach and composite make; each takes 2 kB"),
    "depth": Limit(500, "levels", "elements in each other; readers of XML recurse"),
    "numbers": Limit(50_000_000, "numbers", "one attribute, one field of a model, or one grid"),
    "declared": Limit(100_000, "numbers", "a size that a model only declares: user data, keyframes, samples, numerics"),
    "keyframes": Limit(
        10_000, "keyframes", "those that a model declares without giving them; each is a row of its own"
    ),
    "declared in all": Limit(10_000_000, "numbers", "what a model's declared sizes come to, times what has them"),
    "vertices": Limit(5_000_000, "vertices", "a mesh; each takes up to 200 bytes while faces are joined"),
    "faces": Limit(10_000_000, "faces", "a mesh, twice its vertices"),
    "grid": Limit(20_000_000, "points", "a height field: 4,400 by 4,400; each takes 24 bytes"),
    "pixels": Limit(50_000_000, "pixels", "a picture: 7,000 by 7,000"),
    "picture": Limit(256 * MIB, "bytes", "the pixels of a picture, unpacked"),
    "made pixels": Limit(26_000_000, "pixels", "a made texture: six sides of 2,048 by 2,048"),
}
"""By name. Sizes of files are those of what one file on the disk may have."""


def most(name: str) -> int:
    """The most of a quantity."""
    return LIMITS[name].most


SINGLE = float(np.nextafter(float(np.finfo(np.float32).max) * (1.0 + 2.0**-25), 0.0))
"""Largest number that is finite in single precision, in which everything is simulated."""
SMALLEST = float(np.finfo(np.float32).tiny)
"""Smallest number of single precision that has all its digits and an inverse; what is nearer to 0 is 0."""
INT32 = 2**31 - 1
"""Largest integer of the engine."""


def beyond(numbers: np.ndarray) -> str:
    """Reason for which single precision does not hold some numbers, and what to do."""
    if not np.isfinite(numbers).all():
        return "is not finite; remove NaN and infinity"
    return f"is beyond single precision; give numbers up to {SINGLE:.3g}"
