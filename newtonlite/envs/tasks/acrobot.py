"""Acrobot: swing two links up to a target, with a motor at the elbow alone, after the task of the same name in the
DeepMind Control Suite.
"""

import math

import warp as wp

from newtonlite import models
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs import mdp
from newtonlite.envs.capture import capturable
from newtonlite.envs.task import EventTerm, ObservationGroup, ObservationTerm, RewardTerm, Task

kernel_module(__name__)

RADIUS = 0.2
MARGIN = 1.0


@wp.kernel
def lean(qpos: wp.array2d[float], out: wp.array2d[float]):
    """Cosines of both links' angles from the vertical, then sines."""
    world, i = wp.tid()
    angle = wp.where(i % 2 == 0, qpos[world, 0], qpos[world, 0] + qpos[world, 1])
    out[world, i] = wp.where(i < 2, wp.cos(angle), wp.sin(angle))


@wp.kernel
def near(site: wp.array2d[wp.vec3], radius: float, margin: float, out: wp.array[float]):
    """1 in a ball around the target, falling to a tenth at a margin, by a Gaussian."""
    world = wp.tid()
    off = wp.max(0.0, wp.length(site[world, 1] - site[world, 0]) - radius) / margin
    out[world] = wp.exp(wp.log(0.1) * off * off)


@capturable
def orientations(env):
    """Cosines and sines of the links' angles from the vertical."""
    return env.terms.compute(lean, [env.sim.data.qpos], 4)


@capturable
def at_target(env):
    """Closeness of the tip to the target."""
    return env.terms.compute(near, [env.sim.data.site_xpos, RADIUS, MARGIN])


def task() -> Task:
    """Ten milliseconds a decision, 1000 of them."""
    return Task(
        model=models.path("acrobot"),
        keep=("site_xpos",),
        actions={"torque": mdp.JointEffortAction("elbow")},
        observations={
            "policy": ObservationGroup(
                {"orientations": ObservationTerm(orientations), "velocity": ObservationTerm(mdp.joint_vel_rel)}
            )
        },
        rewards={"at_target": RewardTerm(at_target, 1.0)},
        events={
            "start": EventTerm(
                mdp.reset_joints_by_offset,
                "reset",
                {"position_range": (-math.pi, math.pi), "velocity_range": (0.0, 0.0)},
            )
        },
        about="swing two links up with a motor at the elbow",
    )
