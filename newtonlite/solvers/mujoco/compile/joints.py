"""Joints and their dofs. A Newton joint with several axes becomes as many MuJoCo joints, linear axes first."""

from dataclasses import dataclass, field

import numpy as np

from newtonlite.core.enums import JointType
from newtonlite.core.errors import ModelError
from newtonlite.core.types import MAXVAL
from newtonlite.solvers.mujoco.enums import BALL, FREE, HINGE, SLIDE

from .bodies import kinematic_bodies
from .gains import DEFAULT_SOLIMP, DEFAULT_SOLREF
from .rotation import rotate, to_wxyz
from .topology import COORDS, DOFS, derive_topology
from .tree import Tree
from .worlds import Worlds

PRESCRIBED = 1e10  # armature of dofs that nothing may push, kg or kg m^2
UNLIMITED_EFFORT = 1e6  # the builder's default, which stands for none
SCALAR = {JointType.PRISMATIC: SLIDE, JointType.REVOLUTE: HINGE}


@dataclass
class Joints:
    """MuJoCo's joints in terms of one world's Newton joints."""

    kind: list[int] = field(default_factory=list)  # FREE, BALL, SLIDE, HINGE
    body: list[int] = field(default_factory=list)  # MuJoCo body
    joint: list[int] = field(default_factory=list)  # Newton joint
    dof: list[int] = field(default_factory=list)  # its first Newton dof
    coord: list[int] = field(default_factory=list)  # its first Newton coordinate
    name: list[str] = field(default_factory=list)

    def add(self, kind, body, joint, dof, coord, name) -> None:
        """Append one MuJoCo joint."""
        for column, value in zip(vars(self).values(), (kind, body, joint, dof, coord, name)):
            column.append(value)


def list_joints(w: Worlds, tree: Tree) -> Joints:
    """Which MuJoCo joints each body has, in order."""
    dof_start, coord_start = starts(w, "joint_qd_start"), starts(w, "joint_q_start")
    joints = Joints()
    for body, j in [(body, j) for body in range(1, len(tree.body)) for j in tree.joints(body)]:
        kind = JointType(w.first("joint_type")[j])
        here = (body, j, int(dof_start[j]), int(coord_start[j]))
        if kind in SCALAR:
            joints.add(SCALAR[kind], *here, w.name("joint", j))
        elif kind == JointType.BALL:
            joints.add(BALL, *here, w.name("joint", j))
        elif kind in (JointType.FREE, JointType.DISTANCE):
            check_floats(w, tree, body)
            joints.add(FREE, *here, w.name("joint", j))
        elif kind == JointType.D6:
            add_axes(w, joints, *here)
        elif kind != JointType.FIXED:
            raise ModelError(f"joint '{w.label('joint', j)}': SolverMuJoCo has no {kind.name} joint; use D6, BALL or FREE")
    return joints


def starts(w: Worlds, name: str) -> np.ndarray:
    """First dof or coordinate of each joint, numbered within the world; joints lie one after another."""
    start = np.asarray(w.find(name).numpy())
    width = np.diff(start)[w.rows("joint")[0]]
    return np.cumsum(width) - width


def check_floats(w: Worlds, tree: Tree, body: int) -> None:
    """A floating body must hang on the world."""
    if tree.parent[body] != 0:
        name = w.label("joint", tree.joint[body])
        raise ModelError(f"joint '{name}': a FREE or DISTANCE joint needs the world as parent; use D6 below another body")


def add_axes(w: Worlds, joints: Joints, body: int, j: int, dof: int, coord: int) -> None:
    """One slide or hinge per axis of a D6 joint, in the file's order (``mujoco:dof_order``) where there is one.

    Several of a kind are numbered: ``arm_ang0``, ``arm_ang1``.
    """
    linear, angular = (int(n) for n in w.first("joint_dof_dim")[j])
    labels = w.first_labels("mujoco:joint_dof_label", "dof")
    order = w.first("mujoco:dof_order")[dof : dof + linear + angular] if w.has("mujoco:dof_order") else np.full(linear + angular, -1)
    for axis in np.argsort(order, kind="stable").tolist():
        slides = axis < linear
        number, of = (axis, linear) if slides else (axis - linear, angular)
        suffix = ("_lin" if slides else "_ang") + (str(number) if of > 1 else "")
        name = labels[dof + axis] or ("" if order.max(initial=-1) >= 0 else w.label("joint", j) + suffix)
        joints.add(SLIDE if slides else HINGE, body, j, dof + axis, coord + axis, name)


def compile_joints(m, w: Worlds, tree: Tree, joints: Joints) -> None:
    """Fill the joint and dof arrays and the topology."""
    m.njnt = len(joints.kind)
    m.names_joint = joints.name
    m.set(jnt_type=np.array(joints.kind, np.int32), jnt_bodyid=np.array(joints.body, np.int32))
    m.set(newton_joint=np.array(joints.joint, np.int32))
    derive_topology(m)
    m.newton_dof = expand(joints.dof, DOFS[m.jnt_type])
    m.newton_coord = expand(joints.coord, COORDS[m.jnt_type])
    actgravcomp = w.first("mujoco:jnt_actgravcomp") if w.has("mujoco:jnt_actgravcomp") else np.zeros(w.size("dof"), bool)
    m.set(jnt_actgravcomp=actgravcomp[np.array(joints.dof, int)])
    group = w.first("mujoco:jnt_group") if w.has("mujoco:jnt_group") else np.zeros(w.size("dof"), int)
    m.set(jnt_group=group[np.array(joints.dof, int)])
    m.set(body_prescribed=kinematic_bodies(w, tree))
    m.dof_counted = m.body_prescribed[m.dof_bodyid] == 0
    joint_parameters(m, w, joints)
    place_plastic(m)


def place_plastic(m) -> None:
    """Where the rest pose of each spring that yields is kept among the plastic states; -1 for the others."""
    yields = anywhere(m.jnt_springyield > 0)
    width = np.where(yields, COORDS[m.jnt_type], 0)
    m.nplastic = int(width.sum())
    m.set(jnt_plasticadr=np.where(yields, np.cumsum(width) - width, -1))


def expand(first, count) -> np.ndarray:
    """Indices first[i], first[i] + 1, ... for each of several runs."""
    first, count = np.asarray(first, np.int32), np.asarray(count, np.int32)
    offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return (np.repeat(first, count) + offset).astype(np.int32)


def joint_parameters(m, w: Worlds, joints: Joints) -> None:
    """The real-valued joint and dof arrays; those of a joint are its first dof's."""
    first, dof = np.array(joints.dof, int), m.newton_dof
    frames(m, w, joints)
    springs(m, w, joints)
    ranges(m, w, joints)
    counted = m.dof_counted
    m.set(
        jnt_stiffnesspoly=w.get_or("mujoco:jnt_stiffnesspoly", (0.0, 0.0), "dof")[..., first, :],
        jnt_springyield=w.get_or("mujoco:jnt_springyield", 0.0, "dof")[..., first],
        dof_dampingpoly=w.get_or("mujoco:dof_dampingpoly", (0.0, 0.0), "dof")[..., dof, :],
    )
    m.set(
        dof_armature=np.where(counted, w.get("joint_armature")[..., dof], PRESCRIBED),
        dof_damping=w.get("joint_damping")[..., dof],
        dof_frictionloss=w.get("joint_friction")[..., dof],
        dof_solref=w.get_or("mujoco:solreffriction", DEFAULT_SOLREF, "dof")[..., dof, :],
        dof_solimp=w.get_or("mujoco:solimpfriction", DEFAULT_SOLIMP, "dof")[..., dof, :],
        jnt_solimp=w.get_or("mujoco:solimplimit", DEFAULT_SOLIMP, "dof")[..., first, :],
        jnt_margin=w.get_or("mujoco:limit_margin", 0.0, "dof")[..., first],
    )


def frames(m, w: Worlds, joints: Joints) -> None:
    """Anchors and axes in the body's frame; a joint's own anchor (``mujoco:dof_pos``) where one was authored."""
    first = np.array(joints.dof, int)
    X_c = w.get("joint_X_c")[..., joints.joint, :]
    own = w.get_or("mujoco:dof_pos", (np.nan,) * 3, "dof")[..., first, :]
    scalar = np.isin(m.jnt_type, (SLIDE, HINGE))[:, None]
    axis = w.get("joint_axis")[..., first, :]
    turned = rotate(to_wxyz(X_c[..., 3:]), axis)
    length = np.linalg.norm(turned, axis=-1, keepdims=True)
    free = (m.jnt_type == FREE)[:, None]
    m.set(
        jnt_pos=np.where(free, 0.0, np.where(np.isnan(own), X_c[..., :3], own)),
        jnt_axis=np.where(scalar, turned / np.where(length > 0, length, 1.0), [0.0, 0.0, 1.0]),
    )


def springs(m, w: Worlds, joints: Joints) -> None:
    """Reference and spring poses, and spring stiffness.

    A Newton joint and MuJoCo's own ``stiffness`` may each have a spring; two springs add up to one between their rests.
    """
    first = np.array(joints.dof, int)
    ref = w.get_or("mujoco:dof_ref", 0.0, "dof")[..., first]
    own, own_rest = w.get("joint_stiffness")[..., first], ref + w.get("joint_rest_q")[..., joints.coord]
    raw = w.get_or("mujoco:dof_passive_stiffness", 0.0, "dof")[..., first]
    raw_rest = w.get_or("mujoco:dof_springref", 0.0, "dof")[..., first]
    stiffness = own + raw
    blend = (own * own_rest + raw * raw_rest) / np.where(stiffness > 0, stiffness, 1.0)
    rest = np.where(own > 0, blend, np.where((raw > 0) | (raw_rest != 0), raw_rest, own_rest))
    m.set(jnt_stiffness=stiffness, qpos0=coordinates(m, ref), qpos_spring=coordinates(m, rest))


def tune_springs(m, w: Worlds, joints: Joints) -> None:
    """Stiffness and damping of joints that ask for a time constant and a damping ratio; needs ``dof_invweight0``.

    With the inertia ``I`` that the joint feels, ``k = I / (timeconst dampratio)^2`` and ``b = 2 I / timeconst``.
    """
    asked = w.get_or("mujoco:jnt_springdamper", (0.0, 0.0), "dof")[..., np.array(joints.dof, int), :]
    m.set(jnt_tuned=anywhere(asked.any(-1)))
    for j in np.flatnonzero(anywhere(asked.any(-1))):
        dofs = slice(m.jnt_dofadr[j], m.jnt_dofadr[j] + DOFS[m.jnt_type[j]])
        inertia = 1.0 / np.asarray(m.dof_invweight0)[..., dofs].mean(-1)
        time, ratio = asked[..., j, 0], asked[..., j, 1]
        m.jnt_stiffness = replaced(m.jnt_stiffness, j, inertia / (time * ratio) ** 2)
        for dof in range(dofs.start, dofs.stop):
            m.dof_damping = replaced(m.dof_damping, dof, 2.0 * inertia / time)


def replaced(values, index: int, value) -> np.ndarray:
    """A field with one number changed, in all worlds or in each."""
    out = np.broadcast_to(values, (*np.shape(value), values.shape[-1])).copy() if np.ndim(value) else np.array(values)
    out[..., index] = value
    return out


def coordinates(m, scalar) -> np.ndarray:
    """``qpos`` from one number per joint: slides and hinges take it, balls stay upright, free bodies at their pose."""
    world_shape = np.broadcast_shapes(scalar.shape[:-1], m.body_pos.shape[:-2], m.body_quat.shape[:-2])
    qpos = np.zeros(world_shape + (m.nq,))
    for j in range(m.njnt):
        adr, b = m.jnt_qposadr[j], m.jnt_bodyid[j]
        if m.jnt_type[j] == FREE:
            qpos[..., adr : adr + 3] = m.body_pos[..., b, :]
            qpos[..., adr + 3 : adr + 7] = m.body_quat[..., b, :]
        elif m.jnt_type[j] == BALL:
            qpos[..., adr] = 1.0
        else:
            qpos[..., adr] = scalar[..., j]
    return qpos


def ranges(m, w: Worlds, joints: Joints) -> None:
    """Limits of position and of the force of all actuators on a joint."""
    first = np.array(joints.dof, int)
    ref = w.get_or("mujoco:dof_ref", 0.0, "dof")[..., first]
    lower, upper = w.get("joint_limit_lower")[..., first], w.get("joint_limit_upper")[..., first]
    limited = anywhere((lower > -MAXVAL) | (upper < MAXVAL)) & (m.jnt_type != FREE)
    effort = w.get("joint_effort_limit")[..., first]
    authored = w.get_or("mujoco:jnt_actfrcrange", (0.0, 0.0), "dof")[..., first, :]
    band = np.where(authored.any(-1, keepdims=True), authored, np.stack([-effort, effort], axis=-1))
    ignored = (effort >= UNLIMITED_EFFORT) & (np.abs(authored).max(-1) < UNLIMITED_EFFORT)
    clamped = anywhere((np.abs(band) < UNLIMITED_EFFORT).any(-1) & ~ignored) & np.isin(m.jnt_type, (SLIDE, HINGE))
    unused = w.get_or("mujoco:jnt_range", (np.nan, np.nan), "dof")[..., first, :]
    m.set(
        jnt_limited=limited,
        jnt_range=np.where(limited[:, None], np.stack(np.broadcast_arrays(lower + ref, upper + ref), axis=-1), np.nan_to_num(unused)),
        jnt_actfrclimited=clamped,
        jnt_actfrcrange=np.where(clamped[:, None], band, authored),
    )


def anywhere(flags) -> np.ndarray:
    """What holds in any world: [n]. Worlds for which it does not hold keep a range too wide to matter."""
    return flags.any(axis=tuple(range(flags.ndim - 1)))
