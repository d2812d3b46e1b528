"""Sizes: bounding radii of geoms, and the statistics MuJoCo keeps about a model.

They scale pictures; tolerances are relative to the mean inertia as it is computed, whatever a file says of it.
"""

import numpy as np

from newtonlite.core.mujoco import MjtGeom, MjtJoint
from newtonlite.math.quat import rotate
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel

INFINITE_PLANE = 0.01
SAME_FRAME = 1e-6
"""Difference in every number, below which MuJoCo counts two frames of a body as one."""
FAR = 1e10
"""Half the side [m] of the box of a plane."""


def geom_boxes(m: CompiledModel, size) -> np.ndarray:
    """Centre and half-sizes [..., ngeom, 6], in m, of the boxes along the geoms' axes that hold them; a plane's reaches
    far down.
    """
    x, y, z = np.moveaxis(np.asarray(size, float), -1, 0)
    half = {
        MjtGeom.SPHERE: (x, x, x),
        MjtGeom.CAPSULE: (x, x, x + y),
        MjtGeom.ELLIPSOID: (x, y, z),
        MjtGeom.CYLINDER: (x, x, y),
        MjtGeom.BOX: (x, y, z),
        MjtGeom.PLANE: (FAR + 0 * x, FAR + 0 * x, 0.5 * FAR + 0 * x),
    }
    out = np.zeros((*x.shape, 6))
    out[..., 3:] = np.stack(
        [np.select([m.geom_type == k for k in half], [h[i] for h in half.values()], 0.0) for i in range(3)], axis=-1
    )
    out[..., m.geom_type == MjtGeom.PLANE, 2] = -0.5 * FAR
    mesh, field = np.isin(m.geom_type, (MjtGeom.MESH, MjtGeom.SDF)), m.geom_type == MjtGeom.HFIELD
    out[..., mesh, :] = m.mesh_box[m.geom_dataid[mesh]]
    rx, ry, high, base = m.hfield_size[m.geom_dataid[field]].T
    out[..., field, :] = np.stack([0 * rx, 0 * rx, 0.5 * (high - base), rx, ry, 0.5 * (high + base)], axis=-1)
    return out


def derive_statistics(m: CompiledModel, pose) -> None:
    """Fill ``m.stat`` but for ``meaninertia``. Centre and extent serve viewing: they are those of one world."""
    if m.nbody > 1:
        m.stat.meanmass = m.body_mass[..., 1:].mean(-1)
    if max(x.ndim for x in (pose.xpos, pose.xipos, pose.xanchor, m.geom_pos, m.site_pos, m.geom_size)) == 2:
        derive_size(m, pose)


def derive_size(m: CompiledModel, pose) -> None:
    """Centre and extent [m] of the model at ``qpos0``, and mean body size [m]; of the first world where inertias differ."""
    geom_pos = merged_frames(m)[0]
    geom_pos = geom_pos[0] if geom_pos.ndim == 3 else geom_pos
    geom_xpos = pose.xpos[m.geom_bodyid] + rotate(pose.xquat[m.geom_bodyid], geom_pos)
    low, high = bounding_box(m, pose, geom_xpos)
    if (high >= low).all():
        m.stat.center = 0.5 * (low + high)
    if high[0] > low[0]:
        m.stat.extent = max(1e-5, (high - low).max())
    if m.nbody > 1:
        sizes = body_sizes(m, pose.xipos, pose.xanchor, m.geom_rbound).reshape(-1, m.nbody)[0]
        m.stat.meansize = np.maximum(sizes, flex_sizes(m, pose.xpos))[1:].mean()
    m.stat.extent = max(m.stat.extent, 2.0 * m.stat.meansize)


def bounding_box(m: CompiledModel, pose, geom_xpos) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the box around bodies, joints, sites and geoms; a plane counts with a tenth of its size."""
    site_xpos = pose.xpos[m.site_bodyid] + rotate(pose.xquat[m.site_bodyid], m.site_pos)
    points = np.concatenate([pose.xpos[1:], pose.xipos[1:], pose.xanchor, site_xpos, geom_xpos])
    plane = 0.1 * m.geom_size[:, :2].max(-1)
    plane = np.where(plane > 0, plane, INFINITE_PLANE)
    drawn = np.where(m.geom_type == MjtGeom.PLANE, plane, m.geom_rbound)
    radius = np.concatenate([np.zeros(len(points) - m.ngeom), drawn])[:, None]
    if not len(points):
        return np.full(3, 1e10), np.full(3, -1e10)
    return (points - radius).min(0), (points + radius).max(0)


def body_sizes(m: CompiledModel, xipos, xanchor, rbound) -> np.ndarray:
    """Reach [..., nbody] of each body from its centre of mass: to its joints, those of its children, and around its
    geoms.
    """
    apart = np.linalg.norm(np.subtract(*merged_frames(m)), axis=-1)
    lead = np.broadcast_shapes(xipos.shape[:-2], xanchor.shape[:-2], apart.shape[:-1], rbound.shape[:-1])
    size = np.full((*lead, m.nbody), 1e-5)
    for bodies in (m.jnt_bodyid, m.body_parentid[m.jnt_bodyid]):
        np.maximum.at(size, (..., bodies), np.linalg.norm(xipos[..., bodies, :] - xanchor, axis=-1))
    np.maximum.at(size, (..., m.geom_bodyid), np.where(rbound > 0, rbound + apart, 0.0))
    return size


def flex_sizes(m, xpos) -> np.ndarray:
    """Reach [nbody] of bodies of soft ones: the longest edge of a vertex, or the farthest body of the nodes."""
    size = np.zeros(m.nbody)
    if not m.nflex:
        return size
    flex = np.repeat(np.arange(m.nflex), m.flex_edgenum)
    on_body = np.asarray(m.flex_interp)[flex] == 0
    ends = m.flex_vertbodyid[m.flex_edge[on_body] + m.flex_vertadr[flex[on_body]][:, None]]
    np.maximum.at(size, ends, np.asarray(m.flexedge_length0).reshape(-1, m.nflexedge)[0, on_body, None])
    for first, count in zip(m.flex_nodeadr, m.flex_nodenum, strict=True):
        bodies = m.flex_nodebodyid[first : first + count]
        at = xpos.reshape(-1, m.nbody, 3)[0, bodies]
        np.maximum.at(size, bodies, np.linalg.norm(at[:, None] - at, axis=-1).max(-1, initial=0.0))
    return size


def merged_frames(m) -> tuple[np.ndarray, np.ndarray]:
    """Positions [..., ngeom, 3] of geoms and of their bodies' centres of mass, in the bodies. Frames that nearly agree
    count as one, as in MuJoCo's kinematics: both at the body's origin, or both at its centre of mass and turned.
    """
    origin = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    centre = tuple(np.asarray(x)[..., m.geom_bodyid, :] for x in (m.body_ipos, m.body_iquat))
    geom = np.asarray(m.geom_pos), np.asarray(m.geom_quat)
    upright = same_frame((np.zeros(3), geom[1]), origin)
    at_origin, at_centre = same_frame(geom, origin)[..., None], (same_frame(geom, centre) & ~upright)[..., None]
    com = np.where(same_frame(centre, origin)[..., None], 0.0, centre[0])
    return np.where(at_origin, 0.0, np.where(at_centre, com, geom[0])), com


def same_frame(one: tuple, two: tuple) -> np.ndarray:
    """Whether frames (positions [..., 3], quaternions [..., 4]) agree within SAME_FRAME in every number."""
    turned = np.minimum(np.abs(one[1] - two[1]).max(-1), np.abs(one[1] + two[1]).max(-1))
    return (np.abs(one[0] - two[0]).max(-1) < SAME_FRAME) & (turned < SAME_FRAME)


TURNING = {MjtJoint.HINGE: (0, 1), MjtJoint.BALL: (0, 3), MjtJoint.FREE: (3, 6)}
"""Dofs of a joint that turn: first and last+1."""


def dof_lengths(m: CompiledModel, pose) -> np.ndarray:
    """Factors from speeds of dofs to lengths per time, [..., nv]: 1 for slides, the size of the body for hinges [m]."""
    size = np.maximum(body_sizes(m, pose.xipos, pose.xanchor, np.asarray(m.geom_rbound)), flex_sizes(m, pose.xpos))
    length = np.ones((*size.shape[:-1], m.nv))
    for kind, dof, body in zip(m.jnt_type, m.jnt_dofadr, m.jnt_bodyid):
        begin, end = TURNING.get(int(kind), (0, 0))
        length[..., dof + begin : dof + end] = size[..., body, None]
    return length
