"""Range sensors of environments: height scans and lidars as observations."""

import numpy as np

from newtonlite.envs import Environment, ObservationTerm, RangeSensor, tasks
from newtonlite.envs.range_sensor import ray_distances
from newtonlite.geometry.ray.pattern import grid_pattern
from tests.tolerance import tolerance


def test_a_height_scan_is_the_height_of_the_body_over_flat_ground():
    task = tasks.load("quadruped_velocity")
    task.sensors["scan"] = RangeSensor(
        grid_pattern((0.4, 0.2), 0.2), "trunk|base|torso", alignment="yaw", see_static=True
    )
    group = next(iter(task.observations.values()))
    group.terms["scan"] = ObservationTerm(ray_distances, {"sensor_name": "scan"})
    env = Environment(task, 3, seed=1)
    for _ in range(3):
        env.step(np.zeros((3, env.actions.count), np.float32))
    far, height = env.sensor("scan").distances.numpy(), env.sim.data.qpos.numpy()[:, 2]
    assert far.shape == (3, 6)
    rounding = tolerance("ray") * height[:, None]
    assert (far <= height[:, None] + rounding).all() and (np.abs(far - height[:, None]) <= rounding).any(axis=1).all()
