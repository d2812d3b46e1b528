"""Garbage collection, held while many objects are made that all stay: each full collection would look at them again."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_held() -> Iterator[None]:
    """Hold Python's collection of cycles, where it is on; also a decorator."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()
