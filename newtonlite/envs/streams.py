"""Random numbers by counter: Philox 4x32-10, keyed by the seed of a world and counted by episode, step, term and draw.

A number depends on these five alone, so a world has the same ones whatever the batch it is in, its place there, and the
threads. There is no state to keep or to save. Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3"
(2011).
"""

import zlib

import numpy as np
import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)

vec4u = wp.types.vector(length=4, dtype=wp.uint32)
ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
M0, M1 = wp.constant(wp.uint64(MULTIPLIERS[0])), wp.constant(wp.uint64(MULTIPLIERS[1]))
W0, W1 = wp.constant(wp.uint32(WEYL[0])), wp.constant(wp.uint32(WEYL[1]))
UNIT = wp.constant(1.0 / 16777216.0)  # 24 bits are all that float32 holds below 1
TURN = wp.constant(2.0 * np.pi)


@wp.struct
class Stream:
    """Random stream of a term: per world its seed, episode and step, and the number of the term."""

    seed: wp.array[wp.int64]
    episode: wp.array[int]
    step: wp.array[int]
    term: wp.uint32


@wp.func
def philox(counter: vec4u, key0: wp.uint32, key1: wp.uint32):
    """Four random words of a counter and a key of two words."""
    c = counter
    k0 = key0
    k1 = key1
    for _ in range(ROUNDS):
        a = M0 * wp.uint64(c[0])
        b = M1 * wp.uint64(c[2])
        high_a = wp.uint32(wp.rshift(a, wp.uint64(32)))
        high_b = wp.uint32(wp.rshift(b, wp.uint64(32)))
        c = vec4u(
            wp.bit_xor(wp.bit_xor(high_b, c[1]), k0),
            wp.uint32(b),
            wp.bit_xor(wp.bit_xor(high_a, c[3]), k1),
            wp.uint32(a),
        )
        k0 = k0 + W0
        k1 = k1 + W1
    return c


@wp.func
def words(s: Stream, world: int, block: int):
    """The four words of a term's ``block``-th draw in this world, now."""
    seed = s.seed[world]
    counter = vec4u(wp.uint32(block), s.term, wp.uint32(s.step[world]), wp.uint32(s.episode[world]))
    return philox(counter, wp.uint32(seed), wp.uint32(wp.rshift(seed, wp.int64(32))))


@wp.func
def to_unit_interval(word: wp.uint32):
    """A word as a number in [0, 1)."""
    return float(wp.rshift(word, wp.uint32(8))) * UNIT


@wp.func
def uniform(s: Stream, world: int, index: int, low: float, high: float):
    """The term's number ``index`` in [low, high)."""
    block = index / 4
    w = words(s, world, block)
    return low + (high - low) * to_unit_interval(w[index - 4 * block])


@wp.func
def normal(s: Stream, world: int, index: int):
    """The term's number ``index`` from the normal distribution, by Box and Muller."""
    block = index / 2
    w = words(s, world, block)
    radius = wp.sqrt(-2.0 * wp.log(1.0 - to_unit_interval(w[0])))
    angle = TURN * to_unit_interval(w[1])
    return wp.where(index - 2 * block == 0, radius * wp.cos(angle), radius * wp.sin(angle))


UNIFORM, LOG_UNIFORM, GAUSSIAN = 0, 1, 2
DISTRIBUTIONS = {"uniform": UNIFORM, "log_uniform": LOG_UNIFORM, "gaussian": GAUSSIAN}


@wp.func
def sample(s: Stream, world: int, index: int, distribution: int, a: float, b: float):
    """A number between ``a`` and ``b``, evenly or evenly in its logarithm, or one of mean ``a`` and deviation ``b``."""
    if distribution == GAUSSIAN:
        return a + b * normal(s, world, index)
    if distribution == LOG_UNIFORM:
        return wp.exp(uniform(s, world, index, wp.log(a), wp.log(b)))
    return uniform(s, world, index, a, b)


@wp.kernel
def fill_numbers(s: Stream, distribution: int, a: float, b: float, out: wp.array2d[float]):
    """Numbers of a term for all worlds."""
    world, i = wp.tid()
    out[world, i] = sample(s, world, i, distribution, a, b)


def term_number(name: str) -> int:
    """The number that stands for a term in its stream: it depends on the name alone, not on which other terms there
    are.
    """
    return zlib.crc32(name.encode())


def philox_host(counter, key) -> tuple:
    """``philox`` in plain Python, for tests."""
    c, k, mask = [int(x) for x in counter], [int(x) for x in key], 0xFFFFFFFF
    for _ in range(ROUNDS):
        a, b = MULTIPLIERS[0] * c[0], MULTIPLIERS[1] * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & mask, (a >> 32) ^ c[3] ^ k[1], a & mask]
        k = [(k[0] + WEYL[0]) & mask, (k[1] + WEYL[1]) & mask]
    return tuple(c)
