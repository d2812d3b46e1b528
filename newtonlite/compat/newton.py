"""Newton's names: a program runs with ``import newtonlite.compat.newton as newton`` in place of ``import newton``."""

import newtonlite

__all__ = [name for name in newtonlite.__all__ if name not in ("mjwarp", "compat", "control")]


def __getattr__(name: str):
    if name in __all__:
        return getattr(newtonlite, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
