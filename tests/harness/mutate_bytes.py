"""Changes to binary files and to text files of numbers, and the judgement of what a reader makes of them."""

import resource
import struct
import time
import warnings
from collections.abc import Callable

from newtonlite.core.errors import Error
from tests.harness.mutate import SLOW, flip

LARGE = 512 << 20
"""Most bytes by which a case may make the process grow."""
WORDS = (
    b"nan",
    b"inf",
    b"-1",
    b"1e39",
    b"9" * 30,
    b"1_0",
    "\u0661".encode(),
    b"",
    b"x",
    b"0",
    b"1e400",
    b"99999999999",
)
NUMBERS = (0, 1, -1, 2**31 - 1, -(2**31), 2**32 - 1, 2**30, 255, 65536)


def cut_short(rng, data: bytes, files) -> bytes:
    """The end goes missing."""
    return data[: rng.randrange(len(data) + 1)]


def swap_word(rng, data: bytes, files) -> bytes:
    """A word of a text becomes another."""
    words = data.split(b" ")
    words[rng.randrange(len(words))] = rng.choice(WORDS)
    return b" ".join(words)


def swap_number(rng, data: bytes, files) -> bytes:
    """Four bytes, mostly near the beginning, become a number of some size."""
    if len(data) < 8:
        return data
    at = rng.randrange(min(len(data) - 3, rng.choice((40, 120, len(data)))))
    return data[:at] + struct.pack(rng.choice("<>") + "I", rng.choice(NUMBERS) & 0xFFFFFFFF) + data[at + 4 :]


def repeat_part(rng, data: bytes, files) -> bytes:
    """A part stands several times."""
    low, high = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:high] + data[low:high] * rng.randint(1, 4) + data[high:]


def join_parts(rng, data: bytes, files) -> bytes:
    """The beginning of one file, the end of another."""
    other = rng.choice(files)
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


CHANGES = (flip, flip, cut_short, swap_word, swap_number, swap_number, repeat_part, join_parts)


def mutate_bytes(rng, files: list[bytes]) -> bytes:
    """One case: a file with one to three changes."""
    data = rng.choice(files)
    for _ in range(rng.choice((1, 1, 2, 3))):
        data = rng.choice(CHANGES)(rng, data, files) if data else data
    return data


def judge_bytes(read: Callable[[bytes], object], data: bytes, place: str) -> str:
    """How reading ended: ``read``, ``refused``, or what is wrong with it; errors begin with the place."""
    start, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read(data)
        ended = "read"
    except Error as problem:
        text = str(problem)
        ended = "refused" if text.startswith(place) and "\n" not in text else f"no place: {text}"
    except (Exception, RecursionError) as problem:
        ended = f"{type(problem).__name__}: {problem}"
    spent = time.process_time() - start
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before << 10
    if spent >= SLOW or grown >= LARGE:
        return f"took {spent:.1f} s and {grown >> 20} MiB ({ended})"
    return ended
