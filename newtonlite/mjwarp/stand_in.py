"""Stand-in: ``newtonlite.mjwarp`` under the name ``mujoco_warp``, for programs whose imports one cannot change.

``stand_in()`` gives the name to this package and returns what takes it away again; ``python -m newtonlite.mjwarp
SCRIPT`` does so for one program.
"""

import importlib
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from newtonlite import __version__
from newtonlite.core.errors import StateError

NAME = "mujoco_warp"
FOLLOWED = "4.0.0"
"""The version of MuJoCo Warp whose names these are."""
MODULES = {NAME: "newtonlite.mjwarp", f"{NAME}._src": None, f"{NAME}._src.types": "newtonlite.mjwarp.types"}
"""Modules of MuJoCo Warp, and those that stand for them; None: a package with nothing but modules."""


class StandInModule(ModuleType):
    """A module under another name, with a version and words of its own for what it lacks."""

    def __init__(self, name: str):
        super().__init__(name)
        own = MODULES[name]
        self._own = importlib.import_module(own) if own else None
        self.__doc__ = f"{own or 'newtonlite.mjwarp'} in the place of {name}."
        self.__version__ = f"{FOLLOWED}+newtonlite.{__version__}"

    def __getattr__(self, name):
        own = self.__dict__.get("_own")
        if not name.startswith("__") and own is not None and hasattr(own, name):
            return getattr(own, name)
        raise AttributeError(
            f"module {self.__name__!r} has no attribute {name!r}: {self.__doc__[:-1]}; "
            "docs/mjwarp.md lists what is there and what is not"
        )

    def __dir__(self):
        return sorted({*super().__dir__(), *(dir(self._own) if self._own else ())})


class StandIn(MetaPathFinder, Loader):
    """The import of ``mujoco_warp`` and its modules while the name is this package's. ``undo`` gives it back, and so
    does the end of a ``with``. Programs that were imported in between keep what they have.
    """

    def find_spec(self, fullname, path=None, target=None):
        """The stand-in's, for names of MuJoCo Warp."""
        if fullname != NAME and not fullname.startswith(f"{NAME}."):
            return None
        if fullname not in MODULES:
            raise ModuleNotFoundError(
                f"no module {fullname!r}: newtonlite.mjwarp is in the place of {NAME}, and has {', '.join(MODULES)}",
                name=fullname,
            )
        package = any(name.startswith(f"{fullname}.") for name in MODULES)
        return ModuleSpec(fullname, self, origin="newtonlite.mjwarp", is_package=package)

    def create_module(self, spec):
        """The module that stands there."""
        return StandInModule(spec.name)

    def exec_module(self, module):
        """Nothing runs; ImportErrors name this file."""
        module.__file__ = f"<{module.__doc__[:-1]}>"

    def undo(self) -> None:
        """Give the name back."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        for name in MODULES:
            if isinstance(sys.modules.get(name), StandInModule):
                del sys.modules[name]

    def __enter__(self) -> "StandIn":
        return self

    def __exit__(self, *exception) -> None:
        self.undo()


def stand_in() -> StandIn:
    """Have ``import mujoco_warp`` give ``newtonlite.mjwarp`` until ``undo``, whether or not MuJoCo Warp is installed.

    Raises StateError where MuJoCo Warp is imported already: what was imported before would keep using it.
    """
    there = sys.modules.get(NAME)
    if there is not None and not isinstance(there, StandInModule):
        raise StateError(
            f"{NAME} is imported already, from {there.__file__}; call stand_in() before anything imports it"
        )
    for finder in sys.meta_path:
        if isinstance(finder, StandIn):
            return finder
    made = StandIn()
    sys.meta_path.insert(0, made)
    return made
