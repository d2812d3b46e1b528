"""Types of MuJoCo Warp's ``types`` module: enumerations, vectors, limits."""

from newtonlite.core.constants import MAXIMP, MAXVAL, MINIMP, MINMU, MINVAL
from newtonlite.core.mujoco import (
    MjtCamLight,
    MjtConstraint,
    MjtConstraintState,
    MjtDataType,
    MjtEq,
    MjtProjection,
    MjtSensor,
    MjtSleepPolicy,
    MjtSleepState,
    MjtStage,
    MjtTendon,
    MjtWrap,
)
from newtonlite.mjwarp import enums, vectors
from newtonlite.mjwarp.callback import Callback
from newtonlite.mjwarp.contacts import ContactView as Contact
from newtonlite.mjwarp.contacts import EfcRows as Constraint
from newtonlite.mjwarp.data import Data
from newtonlite.mjwarp.enums import *  # noqa: F403
from newtonlite.mjwarp.model import Model
from newtonlite.mjwarp.options import Option as Option
from newtonlite.mjwarp.statistic import Statistic as Statistic
from newtonlite.mjwarp.vectors import *  # noqa: F403

MJ_MINMU, MJ_MINVAL, MJ_MINIMP, MJ_MAXIMP, MJ_MAXVAL = MINMU, MINVAL, MINIMP, MAXIMP, MAXVAL
MJ_MINAWAKE, MJ_MAXCONPAIR = 10, 50
ROD_HINGE_SIZE = 10
"""Numbers of a record of two edges of a rod, in ``flex_bending``."""

SleepState, SleepPolicy = MjtSleepState, MjtSleepPolicy
ConstraintState, ConstraintType = MjtConstraintState, MjtConstraint
EqType, WrapType, Stage, SensorType, TendonType = MjtEq, MjtWrap, MjtStage, MjtSensor, MjtTendon
CamLightType, ProjectionType, DataType = MjtCamLight, MjtProjection, MjtDataType

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
__all__ += ["CamLightType", "DataType", "ProjectionType", "SensorType", "SleepPolicy", "SleepState", "Stage"]
__all__ += ["Statistic", "TendonType", "WrapType", *vectors.__all__]
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
