"""Fixed tendons: weighted sums of joint coordinates, from the ``mujoco`` namespace."""

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco.enums import BALL

from .gains import DEFAULT_SOLIMP, DEFAULT_SOLREF
from .transmission import WRAP_JOINT
from .worlds import Worlds

FIXED = 0
SCALARS = ("stiffness", "damping", "frictionloss", "margin", "armature")
LIMITED_AUTO = 2


def compile_tendons(m, w: Worlds) -> None:
    """Fill the tendon and wrap arrays."""
    m.ntendon = w.size("mujoco:tendon") if w.has("mujoco:tendon_joint_num") else 0
    if not m.ntendon:
        no_tendons(m)
        return
    m.names_tendon = [str(x) for x in w.first_labels("mujoco:tendon_label", "mujoco:tendon")]
    check_fixed(m, w)
    num = w.first("mujoco:tendon_joint_num")
    m.set(tendon_num=num, tendon_adr=np.cumsum(num) - num)
    m.nwrap = w.size("mujoco:tendon_joint")
    m.set(wrap_type=np.full(m.nwrap, WRAP_JOINT), wrap_objid=[scalar_joint(m, w, k) for k in range(m.nwrap)])
    limited, clamped = limits(w, "limited", "range"), limits(w, "actuator_force_limited", "actuator_force_range")
    m.set(tendon_limited=limited, tendon_actfrclimited=clamped)
    tendon_parameters(m, w)


def tendon_parameters(m, w: Worlds) -> None:
    """The real-valued tendon arrays; a springlength of (-1, -1) is resolved with the constants."""
    if not m.ntendon:
        return
    t = "mujoco:tendon_"
    m.set(wrap_prm=w.get("mujoco:tendon_coef"))
    m.set(**{f"tendon_{name}": w.get(t + name) for name in SCALARS})
    m.set(
        tendon_range=w.get(t + "range"),
        tendon_actfrcrange=w.get(t + "actuator_force_range"),
        tendon_lengthspring=spring_range(w.get(t + "springlength")),
        tendon_solref_lim=w.get(t + "solref_limit"),
        tendon_solimp_lim=w.get(t + "solimp_limit"),
        tendon_solref_fri=w.get(t + "solref_friction"),
        tendon_solimp_fri=w.get(t + "solimp_friction"),
    )


def spring_range(length) -> np.ndarray:
    """Dead band of a spring; one number stands for both ends."""
    return np.where((length[..., 1:] < 0) & (length[..., :1] >= 0), length[..., :1], length)


def limits(w: Worlds, flag: str, band: str) -> np.ndarray:
    """0 or 1 for each tendon; ``auto`` means limited where the range is not empty."""
    authored, band = w.first(f"mujoco:tendon_{flag}"), w.first(f"mujoco:tendon_{band}")
    return np.where(authored == LIMITED_AUTO, band[:, 0] < band[:, 1], authored == 1).astype(np.int32)


def check_fixed(m, w: Worlds) -> None:
    """Only fixed tendons are simulated."""
    kinds = w.first("mujoco:tendon_type") if w.has("mujoco:tendon_type") else np.zeros(m.ntendon, int)
    for t in np.flatnonzero(kinds != FIXED):
        raise ModelError(f"{m.name('tendon', t)}: spatial tendons are not supported by SolverMuJoCo; use a fixed tendon")


def scalar_joint(m, w: Worlds, row: int) -> int:
    """The MuJoCo joint that one row of a tendon runs over; it must be a slide or a hinge."""
    joint = int(w.local("joint", w.first("mujoco:tendon_joint"))[row])
    dof = int(w.local("dof", w.first("mujoco:tendon_joint_dof"))[row]) if w.has("mujoco:tendon_joint_dof") else -1
    found = np.flatnonzero(m.newton_joint == joint) if dof < 0 else m.dof_jntid[m.newton_dof == dof]
    if not len(found) or m.jnt_type[found[0]] <= BALL:
        raise ModelError(f"joint '{w.label('joint', joint)}': a fixed tendon needs a revolute or prismatic joint")
    return int(found[0])


def no_tendons(m) -> None:
    """Empty tendon arrays."""
    m.nwrap = 0
    ints = ("tendon_num", "tendon_adr", "tendon_limited", "tendon_actfrclimited", "wrap_type", "wrap_objid")
    m.set(**{name: np.zeros(0, int) for name in ints})
    m.set(**{f"tendon_{name}": np.zeros(0) for name in SCALARS}, wrap_prm=np.zeros(0))
    m.set(**{f"tendon_{name}": np.zeros((0, 2)) for name in ("range", "actfrcrange", "lengthspring")})
    for kind in ("lim", "fri"):
        m.set(**{f"tendon_solref_{kind}": np.zeros((0, len(DEFAULT_SOLREF))), f"tendon_solimp_{kind}": np.zeros((0, len(DEFAULT_SOLIMP)))})
