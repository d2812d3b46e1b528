"""MuJoCo Warp's names: those of ``newtonlite.mjwarp``."""

from newtonlite.mjwarp import *  # noqa: F403
from newtonlite.mjwarp import __all__ as __all__
