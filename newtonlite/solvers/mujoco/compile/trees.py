"""Inertia of kinematic trees: the mass matrix at the reference pose and its inverse, block by block."""

from dataclasses import dataclass, field

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.kinematics import Pose, com_jacobians, dof_motion
from newtonlite.solvers.mujoco.compile.topology import ancestry

SINGULAR = 1e-10
"""Part of a dof's mass that moves no other dof, below which a mass matrix counts as singular."""


@dataclass
class Inverse:
    """``M^-1`` as blocks, one per tree, and what is found beside them; ``...`` are worlds."""

    dofs: list[slice] = field(default_factory=list)
    blocks: list[np.ndarray] = field(default_factory=list)  # [..., n, n] each
    bodies: list[np.ndarray] = field(default_factory=list)
    body: list[np.ndarray] = field(default_factory=list)  # [..., 6 bodies] each: diagonal of root M^-1 root'
    rigid: list[np.ndarray] = field(default_factory=list)  # [..., n] each: diagonal of M without tendons
    whole: list[np.ndarray] = field(default_factory=list)  # [..., n] each: diagonal of M

    def times(self, J) -> np.ndarray:
        """``J M^-1``, [..., rows, nv]."""
        return concatenated([J[..., dofs] @ block for dofs, block in zip(self.dofs, self.blocks)], J.shape[:-1])

    def along(self, J) -> np.ndarray:
        """Diagonal of ``J M^-1 J'``, [..., rows]."""
        return (self.times(J) * J).sum(-1)

    def diagonal(self) -> np.ndarray:
        """Diagonal of ``M^-1``, [..., nv]."""
        return concatenated([np.diagonal(block, axis1=-2, axis2=-1) for block in self.blocks])

    def body_diagonal(self, nbody: int) -> np.ndarray:
        """Inverse weights of bodies along six axes, [..., nbody, 6]; 0 for those that do not move."""
        shape = np.broadcast_shapes(*(found.shape[:-1] for found in self.body))
        out = np.zeros((*shape, nbody, 6))
        for bodies, found in zip(self.bodies, self.body):
            out[..., bodies, :] = found.reshape(*found.shape[:-1], len(bodies), 6)
        return out


def concatenated(parts: list, shape: tuple = ()) -> np.ndarray:
    """Parts laid end to end along the last axis; none where there are none."""
    if not parts:
        return np.zeros((*shape, 0))
    lead = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    return np.concatenate([np.broadcast_to(part, (*lead, part.shape[-1])) for part in parts], axis=-1)


def invert(m: CompiledModel, loaded, pose: Pose, ten_J) -> Inverse:
    """The inverse mass matrix at a pose. ``loaded`` has the armature that counts; tendons add theirs between a dof and
    its ancestors.
    """
    out, motion, moves = Inverse(), dof_motion(m, pose), ancestry(m)
    for tree in range(m.ntree):
        dofs = slice(m.tree_dofadr[tree], m.tree_dofadr[tree] + m.tree_dofnum[tree])
        bodies = np.flatnonzero(m.body_treeid == tree)
        root, weight = inertia_factors(m, pose, motion, moves, bodies, dofs)
        M = np.swapaxes(root, -1, -2) @ (weight[..., None] * root)
        M = M + np.asarray(loaded.dof_armature)[..., dofs][..., None] * np.eye(M.shape[-1])
        out.rigid.append(np.diagonal(M, axis1=-2, axis2=-1).copy())
        above = moves[m.dof_bodyid[dofs], dofs]
        own = ten_J[..., dofs]
        M = M + np.where(
            above | above.T, np.swapaxes(own, -1, -2) @ (np.asarray(loaded.tendon_armature)[..., None] * own), 0.0
        )
        out.whole.append(np.diagonal(M, axis1=-2, axis2=-1))
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # numbers too large end in the error below
                block, along = inverted(M, root)
        except np.linalg.LinAlgError:
            raise ModelError(
                f"body '{m.names_body[bodies[0]]}': the mass matrix of its tree has no inverse in double precision; "
                "give smaller distances, shapes or densities"
            ) from None
        out.dofs.append(dofs)
        out.blocks.append(block)
        out.bodies.append(bodies)
        out.body.append(along)
    return out


def inverted(M, rows) -> tuple[np.ndarray, np.ndarray]:
    """Inverse of mass matrices [..., n, n], and the diagonal of ``rows M^-1 rows'`` for ``rows`` [..., k, n]; dofs that
    move nothing, or the same as others do, get next to no mass. LinAlgError where the numbers are too large for that.
    """
    try:
        block = np.linalg.inv(M)
        scale = np.diagonal(M, axis1=-2, axis2=-1) * np.diagonal(block, axis1=-2, axis2=-1)
        singular = not (np.abs(scale) < 1.0 / SINGULAR).all()
    except np.linalg.LinAlgError:
        singular = True
    if not singular:
        return block, ((rows @ block) * rows).sum(-1)
    half = half_inverse(M)
    return half @ np.swapaxes(half, -1, -2), ((rows @ half) ** 2).sum(-1)


def half_inverse(M) -> np.ndarray:
    """``H`` with ``M^-1 = H H'``, from factors ``L' D L`` with ``D`` of at least MINVAL, as MuJoCo factors singular mass
    matrices, last dof first.
    """
    n = M.shape[-1]
    L, D = np.broadcast_to(np.eye(n), M.shape).copy(), np.array(M, float)
    for k in reversed(range(n)):
        D[..., k, k] = np.maximum(D[..., k, k], MINVAL)
        row = D[..., k, :k] / D[..., k, k, None]
        L[..., k, :k] = row
        D[..., :k, :k] -= row[..., :, None] * D[..., k, None, :k]
    return np.linalg.inv(L) / np.sqrt(np.diagonal(D, axis1=-2, axis2=-1))[..., None, :]


def inertia_factors(m: CompiledModel, pose, motion, moves, bodies, dofs) -> tuple[np.ndarray, np.ndarray]:
    """``root`` [..., 6 bodies, dofs] and ``weight`` [..., 6 bodies] with ``M = root' diag(weight) root``.

    Six rows a body: velocity of the centre of mass along the world's axes, then angular velocity along the principal
    axes.
    """
    linear, angular = com_jacobians(pose, motion, moves, bodies, dofs)
    turned = angular @ pose.ximat[..., bodies, :, :]
    rows = np.concatenate(np.broadcast_arrays(linear, turned), axis=-1)  # [..., bodies, dofs, 6]
    rows = np.swapaxes(rows, -1, -2)
    mass = np.repeat(np.asarray(m.body_mass)[..., bodies, None], 3, axis=-1)
    weight = np.concatenate(np.broadcast_arrays(mass, m.body_inertia[..., bodies, :]), axis=-1)
    return rows.reshape(*rows.shape[:-3], 6 * len(bodies), rows.shape[-1]), weight.reshape(
        *weight.shape[:-2], 6 * len(bodies)
    )
