"""Lazy import: modules loaded when a name of theirs is first used, and kept out of garbage collection.

A module of Warp functions is some ten thousand syntax nodes that live as long as the process. While modules are
imported Python's collector would walk over all of them again and again, and later in every full collection.
"""

import contextlib
import gc
from collections.abc import Iterator
from importlib import import_module as _import
from types import ModuleType


def import_module(name: str) -> ModuleType:
    """Import a module; what it makes is left out of later collections, and is not searched for references."""
    with uncollected():
        from newtonlite.core.module_references import leave_out_own  # imports Warp

        leave_out_own()
        return _import(name)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Pause garbage collection; all objects that there are in the end are left out of later collections
    (``gc.freeze``), though they are freed as ever when nothing refers to them.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.freeze()
            gc.enable()
