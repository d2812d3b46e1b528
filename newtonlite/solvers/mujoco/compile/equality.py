"""Equality constraints: authored ones, mimic joints and constraints, and joints that close loops.

``eq_source`` [neq, 2] says what each is: the kind (``AUTHORED``, ``MIMIC``, ``FOLLOWER``, ``LOOP``) and the row or joint in the world.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.solvers.mujoco.enums import BALL, EQ_CONNECT, EQ_JOINT, EQ_TENDON, EQ_WELD, OBJ_BODY, OBJ_SITE

from .gains import DEFAULT_SOLIMP, DEFAULT_SOLREF
from .loops import loop_ties
from .pose import Pose
from .rotation import conjugate, matrix, normalized, product, rotate, to_wxyz
from .tree import Tree
from .worlds import Worlds

AUTHORED, MIMIC, FOLLOWER, LOOP = range(4)
E = "mujoco:equality_constraint_"
NUMBERS = 12
FROM_POSE = 11
"""Place among a constraint's numbers that says: the relative pose is that of the reference coordinates."""


@dataclass
class Tie:
    """One constraint; ``data`` [..., 12], ``active`` [...], ``solref`` [..., 2] and ``solimp`` [..., 5] may differ between worlds."""

    kind: int
    objtype: int
    ends: tuple[int, int]
    data: Any
    source: tuple[int, int]
    name: str = ""
    active: Any = True
    solref: Any = DEFAULT_SOLREF
    solimp: Any = DEFAULT_SOLIMP


def compile_equality(m, w: Worlds, tree: Tree) -> None:
    """Fill the equality arrays; poses come with the constants (``derive_equality``)."""
    ties = [*authored(m, w, tree), *mimics(m, w), *followers(m, w)]
    ties += [Tie(kind, OBJ_BODY, ends, data, (LOOP, j), name) for kind, ends, data, j, name in loop_ties(w, tree)]
    m.neq = len(ties)
    m.names_equality = [t.name for t in ties]
    m.set(eq_type=ints(t.kind for t in ties), eq_objtype=ints(t.objtype for t in ties))
    m.set(eq_obj1id=ints(t.ends[0] for t in ties), eq_obj2id=ints(t.ends[1] for t in ties))
    m.set(eq_source=np.array([t.source for t in ties], int).reshape(-1, 2), eq_active0=column([t.active for t in ties], 0).astype(bool))
    m.set(eq_data=column([t.data for t in ties], NUMBERS), eq_solref=column([t.solref for t in ties], 2), eq_solimp=column([t.solimp for t in ties], 5))


def ints(values) -> np.ndarray:
    """Integers of an iterable, int32."""
    return np.array(list(values), np.int32)


def column(cells: list, width: int) -> np.ndarray:
    """Cells [..., width] of all constraints as one array [..., n, width]; numbers [...] where the width is 0."""
    if not cells:
        return np.zeros((0, width) if width else 0)
    return np.stack(np.broadcast_arrays(*map(np.asarray, cells)), axis=-2 if width else -1)


def authored(m, w: Worlds, tree: Tree):
    """The rows of the namespace."""
    if not w.has(E + "type"):
        return
    kinds, names = w.first(E + "type"), w.first_labels(E + "label", "mujoco:equality_constraint")
    for k, kind in enumerate(kinds.tolist()):
        number = lambda what, default=0.0: w.get_or(f"{what}", default, "mujoco:equality_constraint")  # noqa: E731
        common = dict(
            source=(AUTHORED, k), name=names[k], active=number(E + "enabled", True)[..., k],
            solref=number("mujoco:eq_solref", DEFAULT_SOLREF)[..., k, :], solimp=number("mujoco:eq_solimp", DEFAULT_SOLIMP)[..., k, :],
        )  # fmt: skip
        if kind in (EQ_CONNECT, EQ_WELD):
            objtype, ends = tied_bodies(m, w, tree, k)
            yield Tie(kind, objtype, ends, body_numbers(w, k, kind, objtype == OBJ_SITE), **common)
        elif kind in (EQ_JOINT, EQ_TENDON):
            ends = tied_scalars(m, w, k, kind)
            if ends[0] >= 0:
                yield Tie(kind, 0, ends, numbers(number(E + "polycoef", (0.0,) * 5)[..., k, :]), **common)
        else:
            raise ModelError(f"equality constraint '{names[k] or k}': type {kind} is unknown; use 0 connect, 1 weld, 2 joint or 3 tendon")


def numbers(first, scale: float = 1.0) -> np.ndarray:
    """A constraint's numbers [..., 12]: those given in front, and the torque scale."""
    first = np.asarray(first, float)
    data = np.zeros(first.shape[:-1] + (NUMBERS,))
    data[..., : first.shape[-1]] = first
    data[..., 10] = scale
    return data


def tied_bodies(m, w: Worlds, tree: Tree, k: int) -> tuple[int, tuple[int, int]]:
    """Kind of objects and the two objects of a connect or weld."""
    site = lambda side: int(w.local("shape", w.first(f"{E}site{side}"))[k]) if w.has(f"{E}site{side}") else -1  # noqa: E731
    if site(1) >= 0:
        found = [np.flatnonzero(m.newton_site == site(side)) for side in (1, 2)]
        if not all(len(f) for f in found):
            raise ModelError(f"equality constraint {k}: its sites are not in the compiled model; keep them, or tie bodies")
        return OBJ_SITE, tuple(int(f[0]) for f in found)
    body = tree.mujoco_body()
    return OBJ_BODY, tuple(int(body[w.local("body", w.first(f"{E}body{side}"))[k]]) for side in (1, 2))


def body_numbers(w: Worlds, k: int, kind: int, sites: bool) -> np.ndarray:
    """Anchor, relative pose and torque scale as authored; sites have poses of their own."""
    scale = w.get(E + "torquescale")[..., k]
    if sites:  # MuJoCo leaves its default polynomial in a weld's
        data = np.zeros(np.shape(scale) + (NUMBERS,))
        data[..., 1], data[..., 10] = (1.0, scale) if kind == EQ_WELD else (0.0, 0.0)
        return data
    data = numbers(w.get(E + "anchor")[..., k, :])
    if kind == EQ_WELD:
        pose = np.asarray(w.get(E + "relpose")[..., k, :], float)
        data = np.array(np.broadcast_to(data, np.broadcast_shapes(data.shape[:-1], pose.shape[:-1], np.shape(scale)) + (NUMBERS,)))
        data[..., 3:6], data[..., 10] = pose[..., :3], scale
        told = pose[..., 3:].any(-1)
        data[..., 6:10] = np.where(told[..., None], normalized(to_wxyz(pose[..., 3:])), 0.0)
        data[..., FROM_POSE] = ~told
    return data


def tied_scalars(m, w: Worlds, k: int, kind: int) -> tuple[int, int]:
    """The two joints or tendons, -1 for none; a first of -1 with a warning where its tendon was left out."""
    if kind == EQ_JOINT:
        return tuple(single_joint(m, w, k, side) for side in (1, 2))
    rows = [int(w.local("mujoco:tendon", w.first(f"{E}tendon{side}"))[k]) for side in (1, 2)]
    found = [int(np.flatnonzero(m.newton_tendon == r)[0]) if r in m.newton_tendon else -1 for r in rows]
    if found[0] < 0 or (rows[1] >= 0 and found[1] < 0):
        warnings.warn(f"equality constraint {k}: its tendon was left out, and so is the constraint", NewtonWarning, stacklevel=2)
        return -1, -1
    return tuple(found)


def single_joint(m, w: Worlds, k: int, side: int) -> int:
    """A slide or hinge of a joint constraint; -1 where there is none."""
    joint = int(w.local("joint", w.first(f"{E}joint{side}"))[k])
    dof = int(w.local("dof", w.first(f"{E}joint{side}_dof"))[k]) if w.has(f"{E}joint{side}_dof") else -1
    if joint < 0 and dof < 0:
        if side == 1:
            raise ModelError(f"equality constraint {k}: names no joint; give joint1")
        return -1
    found = scalars(m, joint) if dof < 0 else m.dof_jntid[m.newton_dof == dof]
    if len(found) != 1 or m.jnt_type[found[0]] <= BALL:
        raise ModelError(f"equality constraint {k}: joint '{w.label('joint', joint)}' has not one axis; tie revolute or prismatic joints")
    return int(found[0])


def scalars(m, joint: int) -> np.ndarray:
    """The slides and hinges that a Newton joint has become, in the order of its axes."""
    found = np.flatnonzero((m.newton_joint == joint) & (m.jnt_type > BALL))
    return found[np.argsort(m.newton_dof[m.jnt_dofadr[found]])]


def mimics(m, w: Worlds):
    """Mimic constraints: ``q0 = coef0 + coef1 q1``."""
    if not w.model.constraint_mimic_count:
        return
    joints = [w.local("joint", w.first(f"constraint_mimic_joint{side}")) for side in (0, 1)]
    coefs = np.stack(np.broadcast_arrays(*(w.get(f"constraint_mimic_coef{i}") for i in (0, 1))), axis=-1)
    enabled = w.get("constraint_mimic_enabled")
    for k in range(w.size("constraint_mimic")):
        name = w.label("constraint_mimic", k)
        for one, two in pairs(m, w, int(joints[0][k]), int(joints[1][k]), f"mimic constraint '{name or k}'"):
            yield Tie(EQ_JOINT, 0, (one, two), numbers(coefs[..., k, :]), (MIMIC, k), name, active=enabled[..., k])


def followers(m, w: Worlds):
    """Joints that follow another (``joint_mimic_joint``)."""
    leader, coeffs = w.local("joint", w.first("joint_mimic_joint")), w.get("joint_mimic_coeffs")
    for j in np.flatnonzero(leader >= 0):
        for one, two in pairs(m, w, int(j), int(leader[j]), f"joint '{w.label('joint', j)}'"):
            yield Tie(EQ_JOINT, 0, (one, two), numbers(coeffs[..., j, :]), (FOLLOWER, int(j)))


def pairs(m, w: Worlds, follower: int, leader: int, what: str) -> list:
    """Slides and hinges of two joints, one by one; nothing, with a warning, where they have not the same."""
    one, two = scalars(m, follower), scalars(m, leader)
    if not len(one) or len(one) != len(two):
        text = f"{what}: only revolute and prismatic joints follow each other; it is left out"
        warnings.warn(text, NewtonWarning, stacklevel=2)
        return []
    return list(zip(one.tolist(), two.tolist(), strict=True))


def derive_equality(m, pose: Pose) -> None:
    """Anchors and relative poses of bodies that the reference coordinates give; ``pose`` is that of ``qpos0``."""
    if not m.neq:
        return
    world = pose.xpos.shape[:-2]
    data = np.array(np.broadcast_to(m.eq_data, np.broadcast_shapes(m.eq_data.shape[:-2], world) + m.eq_data.shape[-2:]))
    xmat = matrix(pose.xquat)
    for k in np.flatnonzero((m.eq_objtype == OBJ_BODY) & (m.eq_source[:, 0] != LOOP)):
        b1, b2 = m.eq_obj1id[k], m.eq_obj2id[k]
        weld = m.eq_type[k] == EQ_WELD
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
