"""A program written for MuJoCo Warp: its import is all that was changed."""

import numpy as np
import warp as wp

import newtonlite.mjwarp as mujoco_warp
from newtonlite import models


@wp.kernel
def reward(qpos: wp.array2d[float], total: wp.array[float]):
    """Add the height of the first body."""
    world = wp.tid()
    total[world] = total[world] + qpos[world, 2]


def run(worlds: int = 64, steps: int = 100) -> np.ndarray:
    """Sum of rewards of each world [worlds]."""
    mjm = mujoco_warp.load(models.path("humanoid"))  # or a mujoco.MjModel
    m = mujoco_warp.put_model(mjm)
    d = mujoco_warp.make_data(mjm, nworld=worlds)
    d.ctrl = np.random.default_rng(0).uniform(-0.2, 0.2, d.ctrl.shape)
    total = wp.zeros(worlds, dtype=float, device=d.qpos.device)
    for step in range(steps):
        mujoco_warp.step(m, d)
        wp.launch(reward, worlds, [d.qpos], [total], device=d.qpos.device)
        if step == steps // 2:
            mujoco_warp.reset_data(m, d, wp.array(np.arange(worlds) % 2 == 0, dtype=bool, device=d.qpos.device))
    return total.numpy()


if __name__ == "__main__":
    print("rewards:", run()[:4])
