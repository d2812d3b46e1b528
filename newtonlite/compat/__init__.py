"""Compatibility: names of other simulators, for programs that were written for them.

``newtonlite.compat.newton`` has Newton's, ``newtonlite.compat.mjwarp`` MuJoCo Warp's. They are loaded when first used.
"""

from newtonlite.core.annexes import COMPAT, modules_of
from newtonlite.core.lazy_import import import_module

_MODULES = modules_of(COMPAT)

__all__ = sorted(_MODULES)


def __getattr__(name: str):
    if name in _MODULES:
        return import_module(f"{COMPAT}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
