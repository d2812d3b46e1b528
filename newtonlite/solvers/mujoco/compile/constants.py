"""Constants that MuJoCo's compiler derives: masses, inverse weights and lengths at the reference configuration.

``derive_constants(m)`` fills, from the structural arrays, what follows from mass and geometry at ``qpos0``.
A quantity's inverse weight is a diagonal of ``J M^-1 J'``: how fast it would move under a unit force.
Fields may have a leading world dimension; then so have the results.
"""

import copy

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtJoint
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.equality import derive_equality
from newtonlite.solvers.mujoco.compile.extent import derive_statistics, dof_lengths
from newtonlite.solvers.mujoco.compile.flexes.edges import edge_invweights
from newtonlite.solvers.mujoco.compile.kinematics import pose_at
from newtonlite.solvers.mujoco.compile.tendon_kinematics import tendon_geometry
from newtonlite.solvers.mujoco.compile.transmission import actuator_geometry, resolve_dampratio
from newtonlite.solvers.mujoco.compile.trees import concatenated, invert
from newtonlite.solvers.mujoco.derive.actuator import shares
from newtonlite.solvers.mujoco.derive.slider import sliders

NOISE = 1e-9  # relative differences between worlds below this are the rounding of the computation itself
DERIVED = """body_subtreemass dof_M0 dof_invweight0 body_invweight0 tendon_length0 tendon_lengthspring tendon_invweight0
    actuator_length0 actuator_acc0 actuator_biasprm actuator_dampratio dof_length flexedge_invweight0""".split()


def derive_constants(m: CompiledModel) -> None:
    """Fill every derived field of ``m``; its topology must be there."""
    m.body_subtreemass = subtree_mass(m)
    pose = pose_at(m, m.qpos0)
    m.tendon_length0, ten_J = tendon_geometry(m, pose, m.qpos0)
    m.tendon_lengthspring = spring_lengths(m)
    m.actuator_length0, moment = actuator_geometry(m, pose, m.tendon_length0, ten_J)
    derive_equality(m, pose)
    derive_weights(m, pose, ten_J, moment)
    derive_statistics(m, pose)
    m.dof_length = dof_lengths(m, pose)
    m.stat_meaninertia = merged(m.stat.meaninertia, 0)
    for owner, name in [(m, name) for name in DERIVED] + [(m.stat, "meaninertia"), (m.stat, "meanmass")]:
        setattr(owner, name, merged(getattr(owner, name), RANK.get(name, 1)))


RANK = {"body_invweight0": 2, "tendon_lengthspring": 2, "actuator_biasprm": 2, "meaninertia": 0, "meanmass": 0}


def merged(values, rank: int):
    """The first world's values where all worlds agree (worlds that only stand elsewhere have the same constants)."""
    values = np.asarray(values, float)
    if values.ndim <= rank or not len(values):
        return values if rank else float(values)
    size = np.abs(values[0]).max(initial=0.0)
    return values[0] if np.abs(values - values[:1]).max(initial=0.0) <= NOISE * size else values


def derive_weights(m: CompiledModel, pose, ten_J, moment) -> None:
    """``dof_M0`` and everything of the form ``J M^-1 J'``."""
    loaded = copy.copy(m)
    loaded.__dict__.update(shares(m))
    inverse = invert(m, loaded, pose, ten_J)
    m.dof_M0 = concatenated(inverse.rigid)
    check_inertia(m)
    m.stat.meaninertia = mean_inertia(m, concatenated(inverse.whole))
    m.dof_invweight0 = dof_invweight(m, inverse.diagonal())
    m.body_invweight0 = body_invweight(m, inverse.body_diagonal(m.nbody))
    weigh_sliders(m)
    m.tendon_invweight0 = inverse.along(ten_J)
    m.actuator_acc0 = np.linalg.norm(inverse.times(moment), axis=-1)
    m.flexedge_invweight0 = edge_invweights(m, pose, inverse)
    m.actuator_biasprm, m.actuator_dampratio = resolve_dampratio(m, inverse.along(moment))


def subtree_mass(m: CompiledModel) -> np.ndarray:
    """Mass of each body and all below it, [..., nbody] kg."""
    total = np.array(m.body_mass, float)
    for b in range(m.nbody - 1, 0, -1):
        total[..., m.body_parentid[b]] += total[..., b]
    return total


def check_inertia(m: CompiledModel) -> None:
    """Every dof must move some mass, or nothing would bound its acceleration."""
    weightless = (m.dof_M0 < MINVAL).any(axis=tuple(range(m.dof_M0.ndim - 1)))
    for dof in np.flatnonzero(weightless):
        body, joint = int(m.dof_bodyid[dof]), int(m.dof_jntid[dof])
        where = f"joint '{m.names_joint[joint] or joint}' of body '{m.names_body[body] or body}'"
        raise ModelError(f"{where}: moves no mass; give the body a shape with density, a mass, or its joint armature")


def mean_inertia(m: CompiledModel, diagonal):
    """Mean of M's diagonal over the dofs that count: prescribed ones, with their fictitious armature, do not."""
    return diagonal[..., m.dof_counted].mean(-1) if m.dof_counted.any() else 1.0


def dof_invweight(m: CompiledModel, diagonal) -> np.ndarray:
    """Inverse weight of each dof; the three of a ball, and each three of a free joint, share their mean."""
    out = np.array(diagonal)
    for j in np.flatnonzero(np.isin(m.jnt_type, (MjtJoint.FREE, MjtJoint.BALL))):
        for adr in range(m.jnt_dofadr[j], m.jnt_dofadr[j] + (6 if m.jnt_type[j] == MjtJoint.FREE else 3), 3):
            out[..., adr : adr + 3] = diagonal[..., adr : adr + 3].mean(-1, keepdims=True)
    return out


def body_invweight(m: CompiledModel, diagonal) -> np.ndarray:
    """Inverse weight of each body against a force and against a torque at its centre of mass, [..., nbody, 2].

    Static bodies have none.
    """
    out = diagonal.reshape(*diagonal.shape[:-1], 2, 3).mean(-1)
    return np.where((m.body_weldid == 0)[:, None], 0.0, out)


def weigh_sliders(m: CompiledModel) -> None:
    """Bodies that only slide along their own principal axes: MuJoCo takes their mass alone, without armature or
    averaging.
    """
    m.body_slider = sliders(m)
    slides, mass = m.body_slider == 1, np.asarray(m.body_mass)
    weight = 1.0 / np.where(mass > 0, mass, 1.0)
    m.dof_invweight0 = np.where(slides[..., m.dof_bodyid], weight[..., m.dof_bodyid], m.dof_invweight0)
    m.body_invweight0 = np.where(slides[..., None], weight[..., None] * [1.0, 0.0], m.body_invweight0)


def spring_lengths(m: CompiledModel) -> np.ndarray:
    """Dead zone of each tendon spring; (-1, -1) stands for the length at ``qpos_spring``."""
    given = np.asarray(m.tendon_lengthspring)
    asked = (given == -1).all(-1, keepdims=True)
    if not asked.any():
        return given
    return np.where(asked, tendon_geometry(m, pose_at(m, m.qpos_spring), m.qpos_spring)[0][..., None], given)
