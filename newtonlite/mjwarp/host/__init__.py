"""MuJoCo's Python names over one world of this engine on the CPU: what ``SolverMuJoCo.import_mujoco()`` gives for
``mujoco``.

``MjModel.from_xml_string`` and ``MjData`` with ``mj_step``, ``mj_forward``, ``mj_name2id`` and the enumerations;
numbers are this engine's, in float32. ``mujoco`` itself is neither needed nor imported.
"""

import math

from newtonlite.core.constants import MAXVAL, MINMU, MINVAL
from newtonlite.mjwarp.host.data import MjData
from newtonlite.mjwarp.host.enums import *  # noqa: F403
from newtonlite.mjwarp.host.enums import __all__ as _enums
from newtonlite.mjwarp.host.functions import *  # noqa: F403
from newtonlite.mjwarp.host.functions import __all__ as _functions
from newtonlite.mjwarp.host.model import MjModel

__version__ = "4.0.0"
"""The version of MuJoCo whose names and physics these are."""
mjVERSION_HEADER = 4000000
mjMAXVAL, mjMINVAL, mjMINMU, mjPI = MAXVAL, MINVAL, MINMU, math.pi

__all__ = ["MjData", "MjModel", *_enums, *_functions]
