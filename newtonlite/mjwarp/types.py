"""Types of MuJoCo Warp's ``types`` module: enumerations, vectors, limits."""

import warp as wp

from newtonlite.core.constants import MAXIMP, MAXVAL, MINIMP, MINMU, MINVAL
from newtonlite.core.mujoco import (
    MjtConstraint,
    MjtConstraintState,
    MjtEq,
    MjtSleepPolicy,
    MjtSleepState,
    MjtStage,
    MjtWrap,
)
from newtonlite.core.types import vec5, vec10
from newtonlite.mjwarp import enums
from newtonlite.mjwarp.callback import Callback
from newtonlite.mjwarp.contacts import ContactView as Contact
from newtonlite.mjwarp.contacts import EfcRows as Constraint
from newtonlite.mjwarp.data import Data
from newtonlite.mjwarp.enums import *  # noqa: F403
from newtonlite.mjwarp.model import Model
from newtonlite.mjwarp.options import Option as Option

MJ_MINMU, MJ_MINVAL, MJ_MINIMP, MJ_MAXIMP, MJ_MAXVAL = MINMU, MINVAL, MINIMP, MAXIMP, MAXVAL
MJ_MINAWAKE, MJ_MAXCONPAIR = 10, 50
ROD_HINGE_SIZE = 10
"""Numbers of a record of two edges of a rod, in ``flex_bending``."""

SleepState, SleepPolicy = MjtSleepState, MjtSleepPolicy
ConstraintState, ConstraintType = MjtConstraintState, MjtConstraint
EqType, WrapType, Stage = MjtEq, MjtWrap, MjtStage

vec6 = wp.types.vector(6, wp.float32)
vec8 = wp.types.vector(8, wp.float32)
vec11 = wp.types.vector(11, wp.float32)

__all__ = [*(name for name in vars(enums) if not name.startswith(("_", "Mjt")) and name not in ("IntEnum", "IntFlag"))]
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
__all__ += [
    "MJ_MAXCONPAIR",
    "MJ_MAXIMP",
    "MJ_MAXVAL",
    "MJ_MINAWAKE",
    "MJ_MINIMP",
    "MJ_MINMU",
    "MJ_MINVAL",
    "ROD_HINGE_SIZE",
]
