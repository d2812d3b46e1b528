"""Control laws: joint impedance, operational space, differential inverse kinematics; the names of ``newtonlite.controllers``."""

from newtonlite.controllers import *  # noqa: F403
from newtonlite.controllers import __all__ as __all__
