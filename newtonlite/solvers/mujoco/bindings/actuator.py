"""Actuators: gains, ranges, transmissions, and what they add to the damping and armature of joints and tendons."""

import numpy as np
import warp as wp

from newtonlite.core.mujoco import MjtBias, MjtDyn, MjtJoint, MjtTrn
from newtonlite.solvers.mujoco.bindings.arrays import NONE, where, words_of
from newtonlite.solvers.mujoco.bindings.flags import ACTUATOR, DOF, INERTIA, TENDON
from newtonlite.solvers.mujoco.bindings.table import SAME, Bind, Derived, Watch, formula, named
from newtonlite.solvers.mujoco.bindings.update_kernel import update_kernel
from newtonlite.solvers.mujoco.derive.actuator import shares, target_of
from newtonlite.solvers.mujoco.kernels.state_io.model_update import write
from newtonlite.solvers.mujoco.kernels.state_io.structure_check import NONZERO, POSITIVE

SERVO, DAMPER, SPRING = map(wp.constant, (1, 2, 3))
"""Drive types of an actuator that takes the gains of a joint: both gains, the damping alone, the stiffness alone."""
FOLLOWS_JOINT_TARGET = 1
"""Largest ``Source`` of a control that is the target of a joint's own coordinate or velocity."""


def output_rows(m) -> np.ndarray:
    """The scene's row of each force output."""
    return np.repeat(m.newton_actuator, m.actuator_outnum)


def control_rows(number: int):
    """The scene's row of each control whose range is the one of a number."""
    return lambda m: where(np.repeat(m.newton_actuator, m.actuator_ctrlnum), m.newton_ctrlrange == number)


def driven_dofs(m) -> np.ndarray:
    """The scene's dof of each actuator that follows joint targets."""
    return m.newton_drive[:, 1]


# gains that are those of a joint


def target_tables(m) -> dict:
    """Actuators that follow joint targets, how, and whose."""
    kind, dof = m.newton_drive.T
    here = np.flatnonzero(kind)
    return dict(to=here, kind=kind[here], dof=dof[here])


@formula("actuator_gainprm:0 actuator_biasprm:1 actuator_biasprm:2", DOF | ACTUATOR, target_tables)
def target_gains(m, s, t, k):
    """Gains of servos, dampers, and springs without damping: force = gain ctrl - stiffness length - damping velocity."""
    ke, kd, kind = s.joint_target_ke[t.dof[k]], s.joint_target_kd[t.dof[k]], t.kind[k]
    return kd if kind == DAMPER else ke, 0.0 if kind == DAMPER else -ke, 0.0 if kind == SPRING else -kd


# damping and armature of joints and tendons


def sharers(m, field: str) -> dict[int, list[int]]:
    """The actuators that add to a field of joints or tendons, by dof or tendon."""
    name, found = field.partition("_")[2], {}
    own = np.asarray(getattr(m, f"actuator_{name}"), float) != 0
    for u in range(int(m.nactuator)):
        target, things = target_of(m, u, f"dof_{name}", f"tendon_{name}")
        if target == field and (own[..., u, :] if name == "dampingpoly" else own[..., u]).any():
            for thing in things:
                found.setdefault(int(thing), []).append(u)
    return found


def shared(field: str):
    """``unless`` of a field: dofs or tendons that an actuator adds to."""

    def touched(m) -> np.ndarray:
        found = np.zeros(m.nv if field.startswith("dof") else m.ntendon, bool)
        found[list(sharers(m, field))] = True
        return found

    return touched


def share_tables(field: str, width: int):
    """Words of the field and of the scene's own numbers, and, from ``start``, those of actuators and their outputs."""

    def tables(m) -> dict:
        scene = m.newton_dof if field.startswith("dof") else m.newton_tendon
        to, own, start, load, output = [], [], [0], [], []
        for thing, actuators in sharers(m, field).items():
            for c in range(width):
                to.append(thing * width + c)
                own.append(int(scene[thing]) * width + c)
                load += [int(m.newton_actuator[u]) * width + c for u in actuators]
                output += [int(m.actuator_outadr[u]) for u in actuators]
                start.append(len(load))
        return dict(to=to, own=own, start=start, load=load, output=output)

    return tables


@update_kernel()
def add_shares(m, t, source, loads, target, changed):
    """Damping or armature of joints or tendons with that of actuators on them, which counts with the gear squared."""
    world, k = wp.tid()
    total = source[world, t.own[k]]
    for e in range(t.start[k], t.start[k + 1]):
        g = m.actuator_gear[world, t.output[e]][0]
        total += loads[world, t.load[e]] * g * g
    write(target, world, t.to[k], total, 0.0, changed)


def share(field: str, source: str, width: int = 1) -> Derived:
    """A field of joints or tendons that actuators may add to."""
    arrays = dict(source=source, loads=f"mujoco:actuator_{field.partition('_')[2]}", target=f"m.{field}")
    form = lambda m, w: {field: shares(m).get(field, getattr(m, field))}
    return Derived(field, DOF | INERTIA | TENDON | ACTUATOR, form, add_shares, share_tables(field, width), arrays)


# the table


def own_gains(m) -> np.ndarray:
    """Actuators whose gains are their own, not a joint's."""
    return m.newton_drive[:, 0] == 0


def by_ratio(m) -> np.ndarray:
    """Words of the bias that a damping ratio decides, [nactuator, 10]."""
    found = np.zeros((m.nactuator, 10), bool)
    found[:, 2] = has_ratio(m)
    return found


def has_ratio(m) -> np.ndarray:
    """Actuators with a damping ratio."""
    return (np.asarray(m.actuator_dampratio).reshape(-1, m.nactuator) > 0).any(0) if m.nactuator else np.zeros(0, bool)


def on_ball(m) -> np.ndarray:
    """Actuators that follow the targets of a ball joint, whose effort limits they obey."""
    joint = np.where(own_joint(m), m.actuator_trnid[:, 0], 0)  # others may have bodies, tendons or sites there
    return own_joint(m) & (m.jnt_type[joint] == MjtJoint.BALL) if m.njnt else own_joint(m)


def own_joint(m) -> np.ndarray:
    """Actuators that a joint's target mode made."""
    return (m.newton_drive[:, 1] >= 0) & (m.newton_actuator < 0)


def simulated(m) -> np.ndarray:
    """Outputs whose range of lengths was simulated."""
    return m.actuator_lengthcomputed != 0


def idle_dof_words(m, w) -> np.ndarray:
    """Dofs whose targets an actuator with gains of its own follows: theirs would take over."""
    if not m.nactuator:
        return NONE
    source = np.asarray(m.ctrl_from)[np.minimum(m.actuator_ctrladr, max(0, m.nu - 1))]
    idle = (m.newton_actuator >= 0) & own_gains(m) & (source <= FOLLOWS_JOINT_TARGET) & ~has_ratio(m)
    return m.newton_dof[m.jnt_dofadr[m.actuator_trnid[idle, 0]]] if idle.any() else NONE


def plain_bias_words(m, w) -> np.ndarray:
    """Damping of biases that are no damping ratios."""
    own = m.newton_actuator[(m.newton_actuator >= 0) & ~has_ratio(m) & own_gains(m)]
    return 10 * own[~(w.first("mujoco:actuator_biasprm")[own, 2] > 0)] + 2 if len(own) else NONE


def law_words(m, w) -> np.ndarray:
    """Parameters that are worked into tables: those of PID laws and motors, and of servos that turn."""
    on_joint = np.isin(m.actuator_trntype, (MjtTrn.JOINT, MjtTrn.JOINTINPARENT))
    ball = m.jnt_type[np.where(on_joint, m.actuator_trnid[:, 0], 0)] == MjtJoint.BALL if m.njnt else False
    turning = np.isin(m.actuator_trntype, (MjtTrn.SITE, MjtTrn.SO3)) | on_joint & ball
    tricky = np.isin(m.actuator_dyntype, (MjtDyn.PID, MjtDyn.DCMOTOR)) | turning & (
        m.actuator_biastype == MjtBias.AFFINE
    )
    return words_of(m.newton_actuator[tricky & (m.newton_actuator >= 0)], 10)


BINDS = (
    *named(
        "dynprm forcerange actrange delay cranklength", "newton_actuator", ACTUATOR, "actuator_", "mujoco:actuator_"
    ),
    Bind("actuator_gainprm", "mujoco:actuator_gainprm", "newton_actuator", ACTUATOR, mask=own_gains),
    Bind("actuator_biasprm", "mujoco:actuator_biasprm", "newton_actuator", ACTUATOR, mask=own_gains, unless=by_ratio),
    Bind("actuator_gear", "mujoco:actuator_gear", output_rows, ACTUATOR),
    Bind("actuator_lengthrange", "mujoco:actuator_lengthrange", output_rows, ACTUATOR, unless=simulated),
    *(
        Bind("actuator_ctrlrange", f"mujoco:actuator_{name}", control_rows(number), ACTUATOR)
        for number, name in enumerate(("ctrlrange", "velrange", "ffrange"))
    ),
    Bind("actuator_forcerange", "joint_effort_limit", driven_dofs, DOF, ((0, 0, -1.0), (1, 0, 1.0)), mask=on_ball),
)
SHARES = named("damping armature dampingpoly", "newton_actuator", 0, "actuator_", "mujoco:actuator_")
"""Read by the compiler alone; the engine has the sums."""
RATIO = Bind(
    "actuator_dampratio", "mujoco:actuator_biasprm", "newton_actuator", ACTUATOR, ((0, 2, 1.0),), mask=has_ratio
)
"""Followed by the device alone; the compiler finds the ratios when it resolves them."""
DERIVED = (
    target_gains,
    share("dof_damping", "joint_damping"),
    share("dof_armature", "joint_armature"),
    share("dof_dampingpoly", "mujoco:dof_dampingpoly", 2),
    share("tendon_damping", "mujoco:tendon_damping"),
    share("tendon_armature", "mujoco:tendon_armature"),
    share("tendon_dampingpoly", "mujoco:tendon_dampingpoly", 2),
)
WATCHES = (
    Watch("mujoco:actuator_armature", NONZERO),
    Watch("mujoco:actuator_damping", NONZERO),
    Watch("mujoco:actuator_dampingpoly", NONZERO),
    Watch("joint_target_ke", NONZERO, idle_dof_words),
    Watch("joint_target_kd", NONZERO, idle_dof_words),
    Watch("mujoco:actuator_biasprm", POSITIVE, plain_bias_words),
    *(Watch(f"mujoco:actuator_{name}", SAME, law_words) for name in ("dynprm", "gainprm", "biasprm")),
)
