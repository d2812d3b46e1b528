"""The engine under MuJoCo Warp's names: a program written for ``mujoco_warp`` runs with its import changed.

``put_model`` takes a ``mujoco.MjModel`` or this package's own compiled model (``load`` makes one from a file); ``mujoco`` itself is needed
only by those who pass its objects.  Arrays are ``[nworld, ...]`` on the device.  What differs from ``mujoco_warp``: ``d.M`` is dense
``[nworld, nv, nv]``; ``d.contact`` is gathered when it is asked for, in the order of worlds and of MuJoCo's pairs; data fields are
written into, not replaced; and nothing depends on the number of worlds or threads.
"""

from newtonlite.mjwarp.callback import Callback
from newtonlite.mjwarp.data import Data, get_data_into, make_data, put_data, reset_data, reset_data_keyframe
from newtonlite.mjwarp.model import Model, load, put_model
from newtonlite.mjwarp.stages import *  # noqa: F403
from newtonlite.mjwarp.stages import __all__ as _stages
from newtonlite.mjwarp.state import get_state, set_state
from newtonlite.mjwarp.support import contact_force, jac, mul_m, ray, rays, set_const, solve_m, xfrc_accumulate
from newtonlite.mjwarp.tangent import differentiate_pos, integrate_pos
from newtonlite.mjwarp.derivative import Transition, transition_fd
from newtonlite.mjwarp.enums import (
    BiasType,
    BroadphaseFilter,
    BroadphaseType,
    ConeType,
    DisableBit,
    DynType,
    EnableBit,
    GainType,
    GeomType,
    IntegratorType,
    JointType,
    ObjType,
    SetConstGroup,
    SolverType,
    State,
    TrnType,
)

__all__ = [  # noqa: PLE0604
    *_stages,
    "BiasType",
    "BroadphaseFilter",
    "BroadphaseType",
    "Callback",
    "ConeType",
    "Data",
    "DisableBit",
    "DynType",
    "EnableBit",
    "GainType",
    "GeomType",
    "IntegratorType",
    "JointType",
    "Model",
    "ObjType",
    "SetConstGroup",
    "SolverType",
    "State",
    "Transition",
    "TrnType",
    "contact_force",
    "differentiate_pos",
    "get_data_into",
    "get_state",
    "integrate_pos",
    "jac",
    "load",
    "make_data",
    "mul_m",
    "put_data",
    "put_model",
    "ray",
    "rays",
    "reset_data",
    "reset_data_keyframe",
    "set_const",
    "set_state",
    "solve_m",
    "transition_fd",
    "xfrc_accumulate",
]
