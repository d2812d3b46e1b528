"""Joints and their dofs. A Newton joint with several axes becomes as many MuJoCo joints, linear axes first."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from newtonlite.core.constants import UNLIMITED_EFFORT
from newtonlite.core.enums import JointType
from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtJoint
from newtonlite.core.types import MAXVAL
from newtonlite.solvers.mujoco.bindings import joint
from newtonlite.solvers.mujoco.bindings.table import fill_fields
from newtonlite.solvers.mujoco.compile.bodies import kinematic_bodies
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.topology import COORDS, DOFS, derive_topology
from newtonlite.solvers.mujoco.compile.tree import BodyTree
from newtonlite.solvers.mujoco.compile.worlds import Worlds

PRESCRIBED = 1e10  # armature of dofs that nothing may push, kg or kg m^2
SCALAR = {JointType.PRISMATIC: MjtJoint.SLIDE, JointType.REVOLUTE: MjtJoint.HINGE}


@dataclass
class CompiledJoints:
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


def list_joints(w: Worlds, tree: BodyTree) -> CompiledJoints:
    """MuJoCo joints of each body, in order."""
    dof_start, coord_start = starts(w, "joint_qd_start"), starts(w, "joint_q_start")
    joints, names = CompiledJoints(), joint_names(w, dof_start)
    for body, j in [(b, j) for b in range(1, len(tree.body)) for j in tree.joints(b)]:
        kind = JointType(w.first("joint_type")[j])
        here = (body, j, int(dof_start[j]), int(coord_start[j]))
        if kind in SCALAR:
            joints.add(SCALAR[kind], *here, names[j])
        elif kind == JointType.BALL:
            joints.add(MjtJoint.BALL, *here, names[j])
        elif kind in (JointType.FREE, JointType.DISTANCE):
            check_floats(w, tree, body)
            joints.add(MjtJoint.FREE, *here, names[j])
        elif kind == JointType.D6:
            add_axes(w, joints, *here)
        elif kind != JointType.FIXED:
            raise ModelError(
                f"joint '{w.label('joint', j)}': SolverMuJoCo has no {kind.name} joint; use D6, BALL or FREE"
            )
    return joints


def joint_names(w: Worlds, dof_start: np.ndarray) -> list[str]:
    """The names of joints that are one in MuJoCo: that in the file, '' for none, their labels where no file spoke or
    two have one name.
    """
    given = w.first_labels("mujoco:joint_dof_label", "dof")
    count = Counter(name for name in given if name)
    first = [given[dof] if dof < len(given) else "" for dof in dof_start]
    return [name if count[name] == 1 else w.name("joint", j) for j, name in enumerate(first)]


def starts(w: Worlds, name: str) -> np.ndarray:
    """First dof or coordinate of each joint, numbered within the world; joints lie one after another."""
    start = np.asarray(w.find(name).numpy())
    width = np.diff(start)[w.rows("joint")[0]]
    return np.cumsum(width) - width


def check_floats(w: Worlds, tree: BodyTree, body: int) -> None:
    """A floating body must hang on the world."""
    if tree.parent[body] != 0:
        name = w.label("joint", tree.joint[body])
        raise ModelError(
            f"joint '{name}': a FREE or DISTANCE joint needs the world as parent; use D6 below another body"
        )


def add_axes(w: Worlds, joints: CompiledJoints, body: int, j: int, dof: int, coord: int) -> None:
    """One slide or hinge per axis of a D6 joint, in the file's order (``mujoco:dof_order``) where there is one.

    Several of a kind are numbered: ``arm_ang0``, ``arm_ang1``.
    """
    linear, angular = (int(n) for n in w.first("joint_dof_dim")[j])
    labels = w.first_labels("mujoco:joint_dof_label", "dof")
    order = (
        w.first("mujoco:dof_order")[dof : dof + linear + angular]
        if w.has("mujoco:dof_order")
        else np.full(linear + angular, -1)
    )
    for axis in np.argsort(order, kind="stable").tolist():
        slides = axis < linear
        number, of = (axis, linear) if slides else (axis - linear, angular)
        suffix = ("_lin" if slides else "_ang") + (str(number) if of > 1 else "")
        name = labels[dof + axis] or ("" if order.max(initial=-1) >= 0 else w.label("joint", j) + suffix)
        joints.add(MjtJoint.SLIDE if slides else MjtJoint.HINGE, body, j, dof + axis, coord + axis, name)


def compile_joints(m: CompiledModel, w: Worlds, tree: BodyTree, joints: CompiledJoints) -> None:
    """Fill the joint and dof arrays and the topology."""
    m.njnt = len(joints.kind)
    m.names_joint = joints.name
    m.set(jnt_type=np.array(joints.kind, np.int32), jnt_bodyid=np.array(joints.body, np.int32))
    m.set(newton_joint=np.array(joints.joint, np.int32))
    derive_topology(m)
    m.newton_dof = expand(joints.dof, DOFS[m.jnt_type])
    m.newton_coord = expand(joints.coord, COORDS[m.jnt_type])
    first = joint.first_dofs(m)
    m.set(jnt_actgravcomp=w.read("mujoco:jnt_actgravcomp")[first], jnt_group=w.read("mujoco:jnt_group")[first])
    m.set(body_prescribed=kinematic_bodies(w, tree))
    m.dof_counted = m.body_prescribed[m.dof_bodyid] == 0
    compile_limits(m, w)
    asked = w.read("mujoco:jnt_springdamper")[..., joint.first_dofs(m), :]
    m.set(jnt_tuned=anywhere(asked.any(-1)), dof_armature=np.full(m.nv, PRESCRIBED))
    fill_fields(m, w, joint.BINDS)
    upright = np.zeros(m.nq)
    upright[m.jnt_qposadr[m.jnt_type == MjtJoint.BALL]] = 1.0
    m.set(qpos0=upright, qpos_spring=upright)
    for row in (joint.anchors, joint.stiffness, joint.rests, joint.ball_rests, *joint.FREE_POSES, joint.force_range):
        m.set(**row.numpy(m, w))


def expand(first, count) -> np.ndarray:
    """Indices first[i], first[i] + 1, ... for each of several runs."""
    first, count = np.asarray(first, np.int32), np.asarray(count, np.int32)
    offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return (np.repeat(first, count) + offset).astype(np.int32)


def compile_limits(m: CompiledModel, w: Worlds) -> None:
    """Compile joint limits of position, and of the force of all actuators on a joint; the unused range of joints
    without."""
    first = joint.first_dofs(m)
    lower, upper = w.get("joint_limit_lower")[..., first], w.get("joint_limit_upper")[..., first]
    effort, own = w.get("joint_effort_limit")[..., first], w.read("mujoco:jnt_actfrcrange")[..., first, :]
    band = np.where(own.any(-1), np.abs(own).min(-1), np.abs(effort))
    ignored = (effort >= UNLIMITED_EFFORT) & (np.abs(own).max(-1) < UNLIMITED_EFFORT)
    m.set(
        jnt_limited=anywhere((lower > -MAXVAL) | (upper < MAXVAL)) & (m.jnt_type != MjtJoint.FREE),
        jnt_actfrclimited=anywhere((band < UNLIMITED_EFFORT) & ~ignored)
        & np.isin(m.jnt_type, (MjtJoint.SLIDE, MjtJoint.HINGE)),
        jnt_range=np.nan_to_num(w.read("mujoco:jnt_range")[..., first, :]),
    )


def anywhere(flags) -> np.ndarray:
    """Flags that hold in any world: [n]. Worlds for which it does not hold keep a range too wide to matter."""
    return flags.any(axis=tuple(range(flags.ndim - 1)))
