"""Random numbers by counter: known answers, kernel against plain Python, distributions."""

import numpy as np
import pytest
import warp as wp

from newtonlite.envs.streams import (
    GAUSSIAN,
    LOG_UNIFORM,
    UNIFORM,
    Stream,
    fill_numbers,
    philox_host,
    term_number,
    vec4u,
    words,
)
from tests.tolerance import tolerance

KNOWN = {  # Random123's known answers for philox4x32_10
    ((0, 0, 0, 0), (0, 0)): (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2): (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0)): (
        0xD16CFE09,
        0x94FDCCEB,
        0x5001E420,
        0x24126EA1,
    ),
}


@pytest.mark.parametrize("given", KNOWN)
def test_known_answers(given):
    assert philox_host(*given) == KNOWN[given]


@wp.kernel
def show(s: Stream, block: int, out: wp.array[vec4u]):
    world = wp.tid()
    out[world] = words(s, world, block)


def stream(seed, episode, step, term: str) -> Stream:
    s = Stream()
    s.seed = wp.array(seed, dtype=wp.int64, device="cpu")
    s.episode, s.step = (wp.array(a, dtype=int, device="cpu") for a in (episode, step))
    s.term = term_number(term)
    return s


def test_kernels_give_the_same_words():
    seed, episode, step = [3, 2**40 + 7, 2**62], [0, 5, 9], [1, 2**20, 77]
    out = wp.zeros(3, dtype=vec4u, device="cpu")
    wp.launch(show, 3, [stream(seed, episode, step, "a"), 11], [out], device="cpu")
    for i, row in enumerate(out.numpy()):
        key = seed[i] & 0xFFFFFFFF, seed[i] >> 32
        assert tuple(int(w) for w in row) == philox_host((11, term_number("a"), step[i], episode[i]), key)


def numbers(distribution: int, a: float, b: float, worlds: int = 2000, width: int = 8, term: str = "a") -> np.ndarray:
    zero = np.zeros(worlds, int)
    out = wp.zeros((worlds, width), dtype=float, device="cpu")
    wp.launch(
        fill_numbers, out.shape, [stream(np.arange(worlds), zero, zero, term), distribution, a, b], [out], device="cpu"
    )
    return out.numpy()


def test_distributions():
    flat, logs, bell = numbers(UNIFORM, 2.0, 5.0), np.log(numbers(LOG_UNIFORM, 0.1, 10.0)), numbers(GAUSSIAN, 1.0, 3.0)
    for x, mean, deviation in ((flat, 3.5, 3 / 12**0.5), (logs, 0.0, np.log(100) / 12**0.5), (bell, 1.0, 3.0)):
        assert abs(x.mean() - mean) < tolerance("deviation") * deviation
        assert abs(x.std() / deviation - 1) < tolerance("deviation")
    assert flat.min() >= 2.0
    assert flat.max() < 5.0


def test_numbers_of_worlds_columns_and_terms_are_unrelated():
    x, y = numbers(GAUSSIAN, 0.0, 1.0), numbers(GAUSSIAN, 0.0, 1.0, term="b")
    together = np.corrcoef(np.hstack([x, y]).T) - np.eye(16)
    assert np.abs(together).max() < tolerance("deviation")
    assert len(np.unique(numbers(UNIFORM, 0.0, 1.0))) > 15_900
