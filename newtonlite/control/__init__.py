"""Control of robots outside a solver: actuators, control laws, inverse kinematics.

``newtonlite.control.actuators``, ``.controllers`` and ``.ik`` are the modules ``newtonlite.actuators``,
``newtonlite.controllers`` and ``newtonlite.ik``, whose names this module has together. They are loaded when first used.
"""

from newtonlite.core.annexes import CONTROL, modules_of
from newtonlite.core.lazy_import import import_module

_MODULES = modules_of(CONTROL)

__all__ = sorted(_MODULES)


def __getattr__(name: str):
    if name in _MODULES:
        return import_module(f"{CONTROL}.{name}")
    if not name.startswith("_"):
        for home in _MODULES.values():
            module = import_module(home)
            if name in module.__all__:
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__, *(name for home in _MODULES.values() for name in import_module(home).__all__)})
