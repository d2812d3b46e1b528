"""Small scenes built in Python for the solver's tests."""

import numpy as np
import warp as wp

from newtonlite.sim.builder.builder import ModelBuilder
from newtonlite.solvers.mujoco import SolverMuJoCo

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
TILT = wp.quat_from_axis_angle(wp.normalize(wp.vec3(1.0, 2.0, 3.0)), 0.7)
TURN = wp.quat_from_axis_angle(wp.normalize(wp.vec3(-2.0, 0.5, 1.0)), -1.1)


def pose(x=0.0, y=0.0, z=0.0, q=None):
    """A transform."""
    return wp.transform(wp.vec3(x, y, z), wp.quat_identity() if q is None else q)


def builder(gravity=(0.0, 0.0, -9.81)) -> ModelBuilder:
    """A builder that knows the ``mujoco`` namespace."""
    b = ModelBuilder(gravity=gravity)
    SolverMuJoCo.register_custom_attributes(b)
    return b


def add_lopsided(b, label="lump", z=1.0) -> int:
    """A free body whose centre of mass is not its origin."""
    body = b.add_body(xform=pose(0.3, -0.2, z, TILT), label=label)
    b.add_shape_box(body, hx=0.1, hy=0.2, hz=0.15)
    b.add_shape_sphere(body, xform=pose(0.2, 0.1, 0.3), radius=0.1)
    return body


def every_joint(gravity=(0.0, 0.0, -9.81)) -> ModelBuilder:
    """A tree with each type of joint, joint frames turned and shifted on both sides, and a free body."""
    b = builder(gravity)
    links = [b.add_link(label=f"link{i}") for i in range(6)]
    for link in links:
        b.add_shape_capsule(link, xform=pose(0.05, 0.02, 0.1, TURN), radius=0.05, half_height=0.1)
    frames = dict(
        parent_xform=pose(0.1, 0.05, -0.3, TILT), child_xform=pose(-0.05, 0.1, 0.2, TURN), collision_filter_parent=True
    )
    axes = b.JointDofConfig
    joints = [
        b.add_joint_revolute(-1, links[0], axis=Y, **frames),
        b.add_joint_prismatic(links[0], links[1], axis=Z, **frames),
        b.add_joint_ball(links[1], links[2], **frames),
        b.add_joint_fixed(links[2], links[3], **frames),
        b.add_joint_d6(
            links[3],
            links[4],
            linear_axes=[axes(axis=X), axes(axis=Y)],
            angular_axes=[axes(axis=Z), axes(axis=X)],
            **frames,
        ),
        b.add_joint_revolute(links[4], links[5], axis=(1.0, 1.0, 0.0), **frames),
    ]
    b.add_articulation(joints)
    add_lopsided(b)
    return b


def run(solver, state, control=None, steps=1, dt=0.002):
    """States after so many steps, in a new state."""
    model = solver.model
    control = control or model.control()
    first, second = model.state(), model.state()
    first.assign(state)
    for _ in range(steps):
        solver.step(first, second, control, None, dt)
        first, second = second, first
    return first


def random_state(model, seed=0, speed=1.0):
    """A state with random coordinates and speeds; quaternions stay unit."""
    rng = np.random.default_rng(seed)
    state = model.state()
    q, qd = state.joint_q.numpy(), state.joint_qd.numpy()
    kinds, starts = model.joint_type.numpy(), model.joint_q_start.numpy()
    q += rng.normal(scale=0.3, size=q.shape).astype(np.float32)
    for kind, start in zip(kinds, starts):
        if kind in (2, 4):
            at = start + (3 if kind == 4 else 0)
            q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    qd[:] = speed * rng.normal(size=qd.shape)
    state.joint_q.assign(q)
    state.joint_qd.assign(qd)
    return state


def turned(q, v) -> np.ndarray:
    """Vectors turned by (x, y, z, w) quaternions."""
    q, v = np.asarray(q, float), np.asarray(v, float)
    u = q[..., :3]
    return v + 2.0 * np.cross(u, np.cross(u, v) + q[..., 3:] * v)
