"""Solvers for the tests by row: a kernel per stage, so that the variants of a step share their binaries."""

import numpy as np

from newtonlite.solvers import SolverMuJoCo
from tests.harness.engine_scenes import Y, builder, pose


def solver(model, **arguments) -> SolverMuJoCo:
    """A solver that runs stage by stage."""
    return SolverMuJoCo(model, mode="staged", scratch="per_world", **arguments)


def step(one: SolverMuJoCo, state, control=None, contacts=None, steps: int = 1, dt: float = 0.002, observables=None):
    """The state after so many steps."""
    first, second = one.model.state(), one.model.state()
    first.assign(state)
    for _ in range(steps):
        one.step(first, second, control, contacts, dt, observables=observables)
        first, second = second, first
    return first


def arm(b=None, gravity=(0, 0, 0), **joint):
    """One link that turns about y at the world's origin."""
    b = b or builder(gravity=gravity)
    link = b.add_link(label="arm")
    b.add_shape_box(link, xform=pose(0, 0, -0.2), hx=0.05, hy=0.05, hz=0.2)
    b.add_articulation([b.add_joint_revolute(-1, link, axis=Y, label="hinge", **joint)])
    return b


def resting(radius: float = 0.1, density: float = 1000.0, **config):
    """A ball that touches the ground."""
    b = builder()
    b.add_ground_plane(cfg=b.ShapeConfig(**config))
    body = b.add_body(xform=pose(0, 0, radius - 1e-4))
    b.add_shape_sphere(body, radius=radius, cfg=b.ShapeConfig(density=density, **config))
    return b


def weight(model) -> float:
    """Of all bodies [N]."""
    return 9.81 * float(np.sum(model.body_mass.numpy()))
