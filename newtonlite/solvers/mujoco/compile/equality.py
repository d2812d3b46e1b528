"""Equality constraints: which there are, and poses that follow from the reference coordinates. Their numbers come by
the rows of ``bindings.equality``.
"""

import warnings
from dataclasses import dataclass

import numpy as np

from newtonlite.core.enums import EqualityTarget, JointType
from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.core.mujoco import MjtEq, MjtJoint, MjtObj
from newtonlite.math.quat import conjugate, matrix, product, rotate
from newtonlite.solvers.mujoco.bindings import equality
from newtonlite.solvers.mujoco.bindings.equality import FROM_POSE, NUMBERS, E
from newtonlite.solvers.mujoco.bindings.gains import DEFAULT_SOLIMP, DEFAULT_SOLREF
from newtonlite.solvers.mujoco.bindings.table import fill_fields
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.joints import starts
from newtonlite.solvers.mujoco.compile.kinematics import Pose
from newtonlite.solvers.mujoco.compile.loop_joints import loop_constraints
from newtonlite.solvers.mujoco.compile.tree import BodyTree
from newtonlite.solvers.mujoco.compile.worlds import Worlds
from newtonlite.solvers.mujoco.derive.equality import AUTHORED, FOLLOWER, LOOP, MIMIC


@dataclass
class EqualityRow:
    """One constraint; ``source`` is its kind (``AUTHORED`` ...) and the row or joint in the world."""

    kind: int
    objtype: int
    ends: tuple[int, int]
    source: tuple[int, int]
    name: str = ""


def compile_equality(m: CompiledModel, w: Worlds, tree: BodyTree) -> None:
    """Fill the equality arrays; poses come with the constants (``derive_equality``)."""
    ties = [*authored(m, w, tree), *mimics(m, w), *followers(m, w)]
    loops = loop_constraints(w, tree, targets(w, EqualityTarget.JOINT, "joint"))
    ties += [EqualityRow(kind, MjtObj.BODY, ends, (LOOP, j), name) for kind, ends, j, name in loops]
    m.neq = len(ties)
    m.names_equality = [t.name for t in ties]
    m.set(eq_type=ints(t.kind for t in ties), eq_objtype=ints(t.objtype for t in ties))
    m.set(eq_obj1id=ints(t.ends[0] for t in ties), eq_obj2id=ints(t.ends[1] for t in ties))
    source = np.array([t.source for t in ties], int).reshape(-1, 2)
    loop = source[:, 0] == LOOP
    m.set(eq_source=source, eq_loopdof=np.full(m.neq, -1))
    m.eq_loopdof[loop] = starts(w, "joint_qd_start")[source[loop, 1]]
    m.set(eq_data=unset_numbers(m), eq_active0=np.ones(m.neq, bool))
    m.set(eq_solref=np.tile(DEFAULT_SOLREF, (m.neq, 1)), eq_solimp=np.tile(DEFAULT_SOLIMP, (m.neq, 1)))
    fill_fields(m, w, equality.BINDS)
    for row in equality.DERIVED:
        m.set(**row.numpy(m, w))


def targets(w: Worlds, kind: EqualityTarget, of: str) -> set[int]:
    """Loop joints or mimic constraints of a world that rows of the namespace say better."""
    if not w.has(E + "target"):
        return set()
    found = w.first(E + "target")[w.first(E + "target_kind") == kind]
    return set(w.local(of, found).tolist())


def unset_numbers(m: CompiledModel) -> np.ndarray:
    """Numbers [neq, 12] that nothing of the scene gives: the torque scale, and what MuJoCo leaves in ties of sites."""
    data = np.zeros((m.neq, NUMBERS))
    sites = m.eq_objtype == MjtObj.SITE
    data[~sites, 10] = 1.0
    data[m.eq_type == MjtEq.FLEX, 1] = 1.0  # as MuJoCo leaves it
    data[sites & (m.eq_type == MjtEq.WELD), 1] = 1.0  # MuJoCo leaves its default polynomial in a weld's
    return data


def ints(values) -> np.ndarray:
    """Integers of an iterable, int32."""
    return np.array(list(values), np.int32)


def authored(m: CompiledModel, w: Worlds, tree: BodyTree):
    """The rows of the namespace."""
    if not w.has(E + "type"):
        return
    names = w.first_names(E, "mujoco:equality_constraint")
    for k, kind in enumerate(w.first(E + "type").tolist()):
        if kind in (MjtEq.CONNECT, MjtEq.WELD):
            objtype, ends = constrained_bodies(m, w, tree, k)
        elif kind in (MjtEq.JOINT, MjtEq.TENDON):
            objtype, ends = 0, constrained_scalars(m, w, k, kind)
        elif kind in (MjtEq.FLEX, MjtEq.FLEXSTRAIN):
            objtype, ends = 0, (int(w.local("mujoco:flex", w.first(E + "flex"))[k]), -1)
        else:
            raise ModelError(
                f"equality constraint '{names[k] or k}': type {kind} is unknown; use 0 connect, 1 weld, 2 joint, 3 tendon, 4 flex or 6 flexstrain"
            )
        if ends[0] >= 0:
            yield EqualityRow(kind, objtype, ends, (AUTHORED, k), names[k])


def constrained_bodies(m: CompiledModel, w: Worlds, tree: BodyTree, k: int) -> tuple[int, tuple[int, int]]:
    """Kind of objects and the two objects of a connect or weld."""
    site = lambda side: int(w.local("shape", w.first(f"{E}site{side}"))[k]) if w.has(f"{E}site{side}") else -1
    if site(1) >= 0:
        found = [np.flatnonzero(m.newton_site == site(side)) for side in (1, 2)]
        if not all(len(f) for f in found):
            raise ModelError(
                f"equality constraint {k}: its sites are not in the compiled model; keep them, or tie bodies"
            )
        return MjtObj.SITE, tuple(int(f[0]) for f in found)
    body = tree.mujoco_body()
    return MjtObj.BODY, tuple(int(body[w.local("body", w.first(f"{E}body{side}"))[k]]) for side in (1, 2))


def constrained_scalars(m: CompiledModel, w: Worlds, k: int, kind: int) -> tuple[int, ...]:
    """The two joints or tendons, -1 for none; a first of -1 with a warning where its tendon was left out."""
    if kind == MjtEq.JOINT:
        return tuple(single_joint(m, w, k, side) for side in (1, 2))
    rows = [int(w.local("mujoco:tendon", w.first(f"{E}tendon{side}"))[k]) for side in (1, 2)]
    found = [int(np.flatnonzero(m.newton_tendon == r)[0]) if r in m.newton_tendon else -1 for r in rows]
    if found[0] < 0 or (rows[1] >= 0 and found[1] < 0):
        warnings.warn(
            f"equality constraint {k}: its tendon was left out, and so is the constraint", NewtonWarning, stacklevel=2
        )
        return -1, -1
    return tuple(found)


def single_joint(m: CompiledModel, w: Worlds, k: int, side: int) -> int:
    """A slide or hinge of a joint constraint; -1 where there is none."""
    joint = int(w.local("joint", w.first(f"{E}joint{side}"))[k])
    dof = int(w.local("dof", w.first(f"{E}joint{side}_dof"))[k]) if w.has(f"{E}joint{side}_dof") else -1
    if joint < 0 and dof < 0:
        if side == 1:
            raise ModelError(f"equality constraint {k}: names no joint; give joint1")
        return -1
    first = starts(w, "joint_qd_start")
    if joint >= 0 and dof >= 0 and not first[joint] <= dof < np.append(first, w.size("dof"))[joint + 1]:
        raise ModelError(
            f"equality constraint {k}: joint{side}_dof {dof} does not belong to joint '{w.label('joint', joint)}'; give one of its dofs"
        )
    found = scalars(m, joint) if dof < 0 else m.dof_jntid[m.newton_dof == dof]
    if len(found) != 1 or m.jnt_type[found[0]] <= MjtJoint.BALL:
        kind = JointType(int(w.first("joint_type")[joint])).name.lower()
        raise ModelError(
            f"equality constraint {k}: endpoint {side} is the {kind} joint '{w.label('joint', joint)}'; tie scalar hinge or slide joints"
        )
    return int(found[0])


def scalars(m: CompiledModel, joint: int) -> np.ndarray:
    """The slides and hinges that a Newton joint has become, in the order of its axes."""
    found = np.flatnonzero((m.newton_joint == joint) & (m.jnt_type > MjtJoint.BALL))
    return found[np.argsort(m.newton_dof[m.jnt_dofadr[found]])]


def mimics(m: CompiledModel, w: Worlds):
    """Mimic constraints: ``q0 = coef0 + coef1 q1``."""
    if not w.model.constraint_mimic_count:
        return
    joints = [w.local("joint", w.first(f"constraint_mimic_joint{side}")) for side in (0, 1)]
    for k in sorted(set(range(w.size("constraint_mimic"))) - targets(w, EqualityTarget.MIMIC, "constraint_mimic")):
        name = w.label("constraint_mimic", k)
        for ends in pairs(m, w, int(joints[0][k]), int(joints[1][k]), f"mimic constraint '{name or k}'"):
            yield EqualityRow(MjtEq.JOINT, 0, ends, (MIMIC, k), name)


def followers(m: CompiledModel, w: Worlds):
    """Joints that follow another (``joint_mimic_joint``)."""
    leader = w.local("joint", w.first("joint_mimic_joint"))
    for j in np.flatnonzero(leader >= 0):
        for ends in pairs(m, w, int(j), int(leader[j]), f"joint '{w.label('joint', j)}'"):
            yield EqualityRow(MjtEq.JOINT, 0, ends, (FOLLOWER, int(j)))


def pairs(m: CompiledModel, w: Worlds, follower: int, leader: int, what: str) -> list:
    """Slides and hinges of two joints, one by one; nothing, with a warning, where they have not the same."""
    one, two = scalars(m, follower), scalars(m, leader)
    if not len(one) or len(one) != len(two):
        text = f"{what}: only revolute and prismatic joints follow each other; it is left out"
        warnings.warn(text, NewtonWarning, stacklevel=2)
        return []
    return list(zip(one.tolist(), two.tolist(), strict=True))


def derive_equality(m: CompiledModel, pose: Pose) -> None:
    """Anchors and relative poses of bodies that the reference coordinates give; ``pose`` is that of ``qpos0``."""
    if not m.neq:
        return
    world = pose.xpos.shape[:-2]
    data = np.array(np.broadcast_to(m.eq_data, np.broadcast_shapes(m.eq_data.shape[:-2], world) + m.eq_data.shape[-2:]))
    xmat = matrix(pose.xquat)
    for k in np.flatnonzero((m.eq_objtype == MjtObj.BODY) & (m.eq_source[:, 0] != LOOP)):
        b1, b2 = m.eq_obj1id[k], m.eq_obj2id[k]
        weld = m.eq_type[k] == MjtEq.WELD
        if weld and not data[..., k, FROM_POSE].any():
            continue
        here, there = (b2, b1) if weld else (b1, b2)  # the body in which the anchor is given, and the other
        point = pose.xpos[..., here, :] + rotate(pose.xquat[..., here, :], data[..., k, :3])
        seen = np.einsum("...ji,...j->...i", xmat[..., there, :, :], point - pose.xpos[..., there, :])
        if weld:
            asked = data[..., k, FROM_POSE, None] != 0
            data[..., k, 3:6] = np.where(asked, seen, data[..., k, 3:6])
            turn = product(conjugate(pose.xquat[..., b1, :]), pose.xquat[..., b2, :])
            data[..., k, 6:10] = np.where(asked, turn, data[..., k, 6:10])
        else:
            data[..., k, 3:6] = seen
    m.eq_data = data
