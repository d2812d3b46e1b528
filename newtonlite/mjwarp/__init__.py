"""The engine under MuJoCo Warp's names: a program written for ``mujoco_warp`` runs with its import changed.

``put_model`` takes a ``mujoco.MjModel`` or this package's own compiled model (``load`` makes one from a file);
``mujoco`` itself is needed only by those who pass its objects.  Arrays are ``[nworld, ...]`` on the device.  What
differs from ``mujoco_warp``: ``d.contact`` and sparse matrices are gathered when they are asked for, contacts in the
order of worlds and of MuJoCo's pairs; assigning to a field of the data copies the numbers; and nothing depends on the
number of worlds or threads.
"""

from newtonlite.mjwarp.callback import Callback
from newtonlite.mjwarp.cameras import (
    RenderContext,
    create_render_context,
    get_depth,
    get_normal,
    get_rgb,
    get_segmentation,
    refit_bvh,
    render,
)
from newtonlite.mjwarp.constants import set_const, set_const_0, set_const_fixed
from newtonlite.mjwarp.contacts import ContactView as Contact
from newtonlite.mjwarp.contacts import EfcRows as Constraint
from newtonlite.mjwarp.data import Data, get_data_into, make_data, put_data, reset_data, reset_data_keyframe
from newtonlite.mjwarp.derivative import Transition, transition_fd
from newtonlite.mjwarp.enums import (
    BiasType,
    BroadphaseFilter,
    BroadphaseType,
    ConDataField,
    ConeType,
    CtrlChart,
    CtrlInput,
    DeterminismType,
    DisableBit,
    DynType,
    EnableBit,
    GainType,
    GeomType,
    IntegratorType,
    JointType,
    ObjType,
    OverflowType,
    RayDataField,
    SetConstGroup,
    SolverType,
    State,
    TrnType,
)
from newtonlite.mjwarp.history import init_ctrl_history, init_sensor_history, read_ctrl, read_sensor, reset_history
from newtonlite.mjwarp.inverse_derivative import InverseTransition, inverse_fd
from newtonlite.mjwarp.jacobian import jac, jac_body, jac_body_com, jac_dot, jac_geom, jac_site, jac_subtree_com
from newtonlite.mjwarp.model import Model, load, put_model
from newtonlite.mjwarp.motion import object_acceleration, object_velocity
from newtonlite.mjwarp.options import Option as Option
from newtonlite.mjwarp.override import override_model
from newtonlite.mjwarp.slope import deriv_smooth_vel
from newtonlite.mjwarp.stages import *  # noqa: F403
from newtonlite.mjwarp.stages import __all__ as _stages
from newtonlite.mjwarp.stand_in import stand_in
from newtonlite.mjwarp.state import get_state, set_state
from newtonlite.mjwarp.statistic import Statistic
from newtonlite.mjwarp.support import (
    contact_force,
    factor_m,
    flex,
    mul_m,
    ray,
    rays,
    set_length_range,
    solve_m,
    xfrc_accumulate,
)
from newtonlite.mjwarp.tangent import differentiate_pos, integrate_pos

__all__ = [
    *_stages,
    "BiasType",
    "BroadphaseFilter",
    "BroadphaseType",
    "Callback",
    "ConDataField",
    "ConeType",
    "Constraint",
    "Contact",
    "CtrlChart",
    "CtrlInput",
    "Data",
    "DeterminismType",
    "DisableBit",
    "DynType",
    "EnableBit",
    "GainType",
    "GeomType",
    "IntegratorType",
    "InverseTransition",
    "JointType",
    "Model",
    "ObjType",
    "Option",
    "OverflowType",
    "RayDataField",
    "RenderContext",
    "SetConstGroup",
    "SolverType",
    "State",
    "Statistic",
    "Transition",
    "TrnType",
    "contact_force",
    "create_render_context",
    "deriv_smooth_vel",
    "differentiate_pos",
    "factor_m",
    "flex",
    "get_data_into",
    "get_depth",
    "get_normal",
    "get_rgb",
    "get_segmentation",
    "get_state",
    "init_ctrl_history",
    "init_sensor_history",
    "integrate_pos",
    "inverse_fd",
    "jac",
    "jac_body",
    "jac_body_com",
    "jac_dot",
    "jac_geom",
    "jac_site",
    "jac_subtree_com",
    "load",
    "make_data",
    "mul_m",
    "object_acceleration",
    "object_velocity",
    "override_model",
    "put_data",
    "put_model",
    "ray",
    "rays",
    "read_ctrl",
    "read_sensor",
    "refit_bvh",
    "render",
    "reset_data",
    "reset_data_keyframe",
    "reset_history",
    "set_const",
    "set_const_0",
    "set_const_fixed",
    "set_length_range",
    "set_state",
    "solve_m",
    "stand_in",
    "transition_fd",
    "xfrc_accumulate",
]
