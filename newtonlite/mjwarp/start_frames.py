"""Frames of a host data on which nothing has run: those of its coordinates."""

import numpy as np

from newtonlite.math.quat import matrix, normalized, product, rotate
from newtonlite.mjwarp.from_host import fill_worlds
from newtonlite.solvers.mujoco.compile.kinematics import pose_at


def put_frames_at(d, qpos) -> None:
    """Write frames of bodies, geoms and sites at these coordinates into every world, where the data keeps them; bodies on mocap
    stand where the model has them.
    """
    mj = d.engine.model.source
    pose = pose_at(mj, np.asarray(qpos, float))
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
