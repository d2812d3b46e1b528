"""Frames of new data, before anything has run: those of the reference coordinates, or of a host data that has none."""

import numpy as np

from newtonlite.core.mujoco import MjtJoint
from newtonlite.math.quat import matrix, normalized, product, rotate
from newtonlite.mjwarp.from_host import fill_worlds
from newtonlite.solvers.mujoco.compile.kinematics import Pose, pose_at


def reference_pose(mj) -> Pose:
    """Frames at ``qpos0``, where no joint is moved: chains of bodies' own frames, all of one depth at a time."""
    parents = np.asarray(mj.body_parentid, int)
    depth = [0]
    for parent in parents[1:].tolist():
        depth.append(depth[parent] + 1)
    pos, quat = np.array(mj.body_pos, float), normalized(np.array(mj.body_quat, float))
    pos[0], quat[0] = 0.0, (1.0, 0.0, 0.0, 0.0)
    kind, body, adr = (np.asarray(getattr(mj, f"jnt_{name}"), int) for name in ("type", "bodyid", "qposadr"))
    free = kind == MjtJoint.FREE
    qpos = np.asarray(mj.qpos0, float)
    levels = np.array(depth)
    levels[body[free]] = 0  # stands in the world
    pos[body[free]] = qpos[adr[free, None] + np.arange(3)]
    quat[body[free]] = normalized(qpos[adr[free, None] + np.arange(3, 7)])
    for level in range(1, max(depth) + 1):
        at = np.flatnonzero(levels == level)
        above = parents[at]
        pos[at] = pos[above] + rotate(quat[above], pos[at])
        quat[at] = normalized(product(quat[above], quat[at]))
    xipos = pos + rotate(quat, np.asarray(mj.body_ipos, float))
    ximat = matrix(product(quat, normalized(np.asarray(mj.body_iquat, float))))
    xanchor = pos[body] + np.where(free[:, None], 0.0, rotate(quat[body], np.asarray(mj.jnt_pos, float)))
    xaxis = np.where(free[:, None], (0.0, 0.0, 1.0), rotate(quat[body], np.asarray(mj.jnt_axis, float)))
    return Pose(pos, quat, xipos, ximat, xanchor, xaxis)


def put_frames(d, pose: Pose) -> None:
    """Write frames of bodies, geoms and sites into every world, where the data keeps them; bodies on mocap stand where the
    model has them.
    """
    mj = d.engine.model.source
    found = {"xpos": pose.xpos, "xquat": pose.xquat, "xmat": matrix(pose.xquat), "xipos": pose.xipos}
    found |= {"ximat": pose.ximat, "xanchor": pose.xanchor, "xaxis": pose.xaxis}
    for kind in ("geom", "site"):
        body = np.asarray(getattr(mj, f"{kind}_bodyid"), int)
        pos, quat = (np.asarray(getattr(mj, f"{kind}_{name}"), float) for name in ("pos", "quat"))
        found[f"{kind}_xpos"] = pose.xpos[body] + rotate(pose.xquat[body], pos)
        found[f"{kind}_xmat"] = matrix(product(pose.xquat[body], normalized(quat)))
    for name, value in found.items():
        own = d.engine.arrays.get(name)
        if own is not None and own.shape[1:2] == value.shape[:1] and value.size:
            fill_worlds(own, value, d.nworld)


def put_frames_at(d, qpos) -> None:
    """The same at these coordinates."""
    put_frames(d, pose_at(d.engine.model.source, np.asarray(qpos, float)))
