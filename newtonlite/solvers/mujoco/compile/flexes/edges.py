"""Edges of flexes: dofs that change their lengths, and what inertia is felt along them."""

import numpy as np

from newtonlite.math.quat import cross, rotate
from newtonlite.solvers.mujoco.compile.kinematics import Pose, dof_motion


def body_dofs(m, body: int) -> list[int]:
    """Dofs that move a body, ascending."""
    found: list[int] = []
    while body > 0:
        first, count = int(m.body_dofadr[body]), int(m.body_dofnum[body])
        found = [*range(first, first + count), *found] if count else found
        body = int(m.body_parentid[body])
    return found


def edge_dofs(m, pairs: np.ndarray, filled: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of dofs that change the length of each edge, and these dofs, ascending; none for edges that are not
    filled.

    ``pairs`` [e, 2] are the bodies of both ends.
    """
    chains = {b: body_dofs(m, b) for b in np.unique(pairs[filled]).tolist()} if filled.any() else {}
    rows = [sorted({*chains[a], *chains[b]}) if f else [] for (a, b), f in zip(pairs.tolist(), filled, strict=True)]
    return np.array([len(row) for row in rows], int), np.array([dof for row in rows for dof in row], int)


def edge_invweights(m, pose: Pose, inverse) -> np.ndarray:
    """Inverse inertia along each edge at the reference pose, [..., nflexedge] 1/kg.

    MuJoCo takes the mean of the two inverse masses of bodies that only slide, which is half of ``J M^-1 J'``; of others
    it takes that. Rigid edges, and those without a Jacobian whose ends do not slide both, have 0.
    """
    weight = np.asarray(m.body_invweight0)[..., 0]
    out = np.zeros((*weight.shape[:-1], m.nflexedge))
    if not out.size:
        return out
    flex = np.repeat(np.arange(m.nflex), m.flex_edgenum)
    bodies = m.flex_vertbodyid[m.flex_edge + m.flex_vertadr[flex][:, None]]
    slides = (np.asarray(m.body_slider) == 1) & (np.asarray(m.body_dofnum) > 0)
    free = slides[bodies].all(-1) & (m.flexedge_rigid == 0) & (m.flex_interp[flex] == 0)
    out[..., free] = 0.5 * weight[..., bodies[free]].sum(-1)
    motion, points = dof_motion(m, pose), flex_points(m, pose)
    block_of = {d: k for k, dofs in enumerate(inverse.dofs) for d in range(dofs.start, dofs.stop)}
    for e in np.flatnonzero(~free & (m.flexedge_rigid == 0) & (m.flexedge_J_rownnz > 0)):
        ends = m.flex_edge[e] + m.flex_vertadr[flex[e]]
        along = points[..., ends[1], :] - points[..., ends[0], :]
        along = along / np.linalg.norm(along, axis=-1, keepdims=True)
        chains = [set(body_dofs(m, int(b))) for b in bodies[e]]
        start = m.flexedge_J_rowadr[e]
        dofs = m.flexedge_J_colind[start : start + m.flexedge_J_rownnz[e]]
        row = {}
        for d in dofs.tolist():
            speed = sum(
                sign * point_speed(motion, d, points[..., v, :])
                for sign, v, chain in ((-1.0, ends[0], chains[0]), (1.0, ends[1], chains[1]))
                if d in chain
            )
            row[d] = (along * speed).sum(-1)
        for a in row:
            for b in row:
                if block_of[a] == block_of[b]:
                    block, first = inverse.blocks[block_of[a]], inverse.dofs[block_of[a]].start
                    out[..., e] += row[a] * row[b] * block[..., a - first, b - first]
    return out


def point_speed(motion, dof: int, point) -> np.ndarray:
    """Velocity [..., 3] of a point of a body for unit speed of a dof that moves it."""
    angular, linear, about = (x[..., dof, :] for x in motion)
    return linear + cross(angular, point - about)


def flex_points(m, pose: Pose) -> np.ndarray:
    """Places of all vertices that are on bodies, in the world: [..., nflexvert, 3]."""
    body = m.flex_vertbodyid
    return pose.xpos[..., body, :] + rotate(pose.xquat[..., body, :], np.asarray(m.flex_vert))
