"""Actuators outside the solver: drives, delays, limits of efforts; the names of ``newtonlite.actuators``."""

from newtonlite.actuators import *  # noqa: F403
from newtonlite.actuators import __all__ as __all__
