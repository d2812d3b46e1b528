"""Warp internals: whether this process uses names of Warp that are not its public interface.

``docs/reference/warp_contract.md`` lists them all. They are known for the versions in ``TESTED``. With any other version,
or where ``NEWTONLITE_WARP_INTERNALS=0`` says so, the package keeps to Warp's public interface: the same physics, slower on
the CPU.
"""

import functools
import warnings

import warp as wp

from newtonlite.core.errors import NewtonWarning
from newtonlite.core.settings import setting

TESTED = ("1.19",)
"""Minor versions of Warp that the package's tests pass with, as the project file bounds them."""


def is_tested(version: str) -> bool:
    """Whether a version of Warp is one of ``TESTED``."""
    return ".".join(version.split(".")[:2]) in TESTED


@functools.cache
def used() -> bool:
    """Whether this process uses them. Raises SettingError for a setting that makes no sense."""
    return setting("NEWTONLITE_WARP_INTERNALS") and is_tested(wp.__version__)


def state() -> str:
    """Sentence about them for people."""
    if not is_tested(wp.__version__):
        return f"off: Warp {wp.__version__} is untested, tested is {', '.join(TESTED)}; CPU steps are slower"
    return "on" if used() else "off by NEWTONLITE_WARP_INTERNALS; CPU steps are slower"


@functools.cache
def warn_if_untested() -> None:
    """Warn, once in the life of a process, where Warp's version is not one of ``TESTED``."""
    if not is_tested(wp.__version__):
        warnings.warn(
            f"warp-lang {wp.__version__}: this version is not tested with newtonlite, tested is {', '.join(TESTED)}; CPU "
            f"steps keep to Warp's public interface, which is slower: pip install 'warp-lang=={TESTED[-1]}.*'",
            NewtonWarning,
            stacklevel=2,
        )
