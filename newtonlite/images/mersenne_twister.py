"""Mersenne Twister of 64 bits (Matsumoto and Nishimura, 2004), as in C++: MuJoCo's compiler draws random marks with it."""

import numpy as np

SIZE, SHIFT = 312, 156
MATRIX = np.uint64(0xB5026F5AA96619E9)
UPPER, LOWER = np.uint64(0xFFFFFFFF80000000), np.uint64(0x7FFFFFFF)
FACTOR, MASK = 6364136223846793005, (1 << 64) - 1


def uniform(seed: int, count: int) -> np.ndarray:
    """``count`` numbers in [0, 1), as doubles."""
    state = np.array(seeded(seed), np.uint64)
    blocks = []
    for _ in range(-(-count // SIZE)):
        state = twisted(state)
        blocks.append(tempered(state))
    numbers = np.concatenate(blocks)[:count] if blocks else np.zeros(0, np.uint64)
    return np.minimum(numbers.astype(float) / 2.0**64, np.nextafter(1.0, 0.0))


def seeded(seed: int) -> list[int]:
    """The state that a seed gives."""
    state = [seed & MASK]
    for i in range(1, SIZE):
        state.append((FACTOR * (state[-1] ^ (state[-1] >> 62)) + i) & MASK)
    return state


def twisted(state: np.ndarray) -> np.ndarray:
    """The next state; each half depends on numbers of the half before alone, but for the very last."""
    out = np.concatenate([state, np.zeros(SIZE, np.uint64)])
    for start in (0, SHIFT):
        here = slice(start, start + SHIFT)
        mixed = (out[here] & UPPER) | (out[start + 1 : start + SHIFT + 1] & LOWER)
        out[SIZE + start : SIZE + start + SHIFT] = out[start + SHIFT : start + 2 * SHIFT] ^ stirred(mixed)
    return out[SIZE:]


def stirred(mixed: np.ndarray) -> np.ndarray:
    """The recurrence's matrix times a vector of bits."""
    return (mixed >> np.uint64(1)) ^ np.where(mixed & np.uint64(1), MATRIX, np.uint64(0))


def tempered(state: np.ndarray) -> np.ndarray:
    """The numbers that a state gives."""
    x = state ^ ((state >> np.uint64(29)) & np.uint64(0x5555555555555555))
    x = x ^ ((x << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000))
    x = x ^ ((x << np.uint64(37)) & np.uint64(0xFFF7EEE000000000))
    return x ^ (x >> np.uint64(43))
