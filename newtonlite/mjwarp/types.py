"""Types of MuJoCo Warp's ``types`` module: enumerations, vectors, limits."""

from enum import IntEnum

import warp as wp

from newtonlite.core.types import vec5, vec10
from newtonlite.mjwarp import enums
from newtonlite.mjwarp.callback import Callback
from newtonlite.mjwarp.contacts import Contacts as Contact
from newtonlite.mjwarp.contacts import Rows as Constraint
from newtonlite.mjwarp.data import Data
from newtonlite.mjwarp.enums import *  # noqa: F403
from newtonlite.mjwarp.model import MINMU, Model
from newtonlite.mjwarp.options import Options as Option

MJ_MINMU = MINMU
MJ_MINVAL, MJ_MINIMP, MJ_MAXIMP = 1e-15, 1e-4, 0.9999
MJ_MAXVAL = 1e10
MJ_MINAWAKE = 10

SleepState = IntEnum("SleepState", {"STATIC": -1, "ASLEEP": 0, "AWAKE": 1})
SleepPolicy = IntEnum("SleepPolicy", "AUTO AUTO_NEVER AUTO_ALLOWED NEVER ALLOWED INIT", start=0)
ConstraintState = IntEnum("ConstraintState", "SATISFIED QUADRATIC LINEARNEG LINEARPOS CONE", start=0)
ConstraintType = IntEnum(
    "ConstraintType",
    "EQUALITY FRICTION_DOF FRICTION_TENDON LIMIT_JOINT LIMIT_TENDON CONTACT_FRICTIONLESS CONTACT_PYRAMIDAL CONTACT_ELLIPTIC",
    start=0,
)
EqType = IntEnum("EqType", "CONNECT WELD JOINT TENDON", start=0)
WrapType = IntEnum("WrapType", "NONE JOINT PULLEY SITE SPHERE CYLINDER", start=0)
Stage = IntEnum("Stage", "NONE POS VEL ACC", start=0)

vec6 = wp.types.vector(6, wp.float32)
vec8 = wp.types.vector(8, wp.float32)
vec11 = wp.types.vector(11, wp.float32)

__all__ = [*(name for name in vars(enums) if not name.startswith("_") and name not in ("IntEnum", "IntFlag"))]
__all__ += [
    "Callback",
    "Constraint",
    "ConstraintState",
    "ConstraintType",
    "Contact",
    "Data",
    "EqType",
    "Model",
    "Option",
]
__all__ += ["SleepPolicy", "SleepState", "Stage", "WrapType", "vec5", "vec6", "vec8", "vec10", "vec11"]
__all__ += ["MJ_MAXIMP", "MJ_MAXVAL", "MJ_MINAWAKE", "MJ_MINIMP", "MJ_MINMU", "MJ_MINVAL"]
