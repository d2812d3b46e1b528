"""Momentum, and energy where the integrator's own error is known."""

import numpy as np

from tests import oracle
from tests.harness.engine import Engine
from tests.oracle import States
from tests.tolerance import assert_close

BODIES = '<body pos="{x} 0 1" quat="0.8 0.2 0.5 0.1"><freejoint/><geom type="{kind}" size="0.1 0.15 0.12" density="{density}"/></body>'
WORLDS = 8


def loose_bodies(option: str, shapes=(("sphere", 500), ("capsule", 900), ("box", 700)), apart=0.5):
    bodies = "".join(BODIES.format(x=apart * i, kind=kind, density=density) for i, (kind, density) in enumerate(shapes))
    return oracle.compile_xml(f"<mujoco><option {option}/><worldbody>{bodies}</worldbody></mujoco>")


def states_of(mj, seed, towards=0.0) -> States:
    """Worlds of random velocities; bodies also fly at the middle one with speed `towards`."""
    rng = np.random.default_rng(seed)
    qvel = rng.standard_normal((WORLDS, mj.nv))
    qvel[:, 0] += towards
    qvel[:, mj.nv - 6] -= towards
    return oracle.rounded(States(np.tile(mj.qpos0, (WORLDS, 1)), qvel, np.zeros_like(qvel), np.zeros((WORLDS, 0))))


def turning(quat):
    """Rotation matrices [..., 3, 3] of quaternions (w, x, y, z)."""
    w, x, y, z = np.moveaxis(quat / np.linalg.norm(quat, axis=-1, keepdims=True), -1, 0)
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)]
    rows += [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)]
    rows += [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
    return np.stack(rows, -1).reshape(*quat.shape[:-1], 3, 3)


def momenta(mj, qpos, qvel):
    """Linear and angular momentum [nworld, 3] of all bodies, about the origin. Bodies are free, frames at their
    centres.
    """
    qpos, qvel = qpos.reshape(WORLDS, -1, 7).astype(float), qvel.reshape(WORLDS, -1, 6).astype(float)
    linear = mj.body_mass[1:, None] * qvel[..., :3]
    rotation = turning(qpos[..., 3:]) @ turning(mj.body_iquat[1:])
    local = np.einsum("wbji,wbj->wbi", rotation, np.einsum("wbij,wbj->wbi", turning(qpos[..., 3:]), qvel[..., 3:]))
    spin = np.einsum("wbij,wbj->wbi", rotation, mj.body_inertia[1:] * local)
    return linear.sum(1), (np.cross(qpos[..., :3], linear) + spin).sum(1)


def test_colliding_bodies_keep_their_linear_momentum(device):
    mj = loose_bodies('gravity="0 0 0" timestep="0.002"')
    states = states_of(mj, 1, towards=3.0)
    engine = Engine(mj, states, device)
    touched = np.zeros(WORLDS, bool)
    for _ in range(200):
        touched |= engine.step().read("ncon") > 0
    assert touched.all()
    before, _ = momenta(mj, states.qpos, states.qvel)
    after, _ = momenta(mj, engine.read("qpos"), engine.read("qvel"))
    assert_close(after, before, "momentum", np.abs(mj.body_mass).sum())


def test_colliding_spheres_keep_their_angular_momentum(device):
    """Semi-implicit Euler keeps r x p exactly under central forces, and a sphere's spin about any axis alike."""
    mj = loose_bodies('gravity="0 0 0" timestep="0.002"', [("sphere", 500), ("sphere", 900), ("sphere", 700)])
    states = states_of(mj, 2, towards=3.0)
    engine = Engine(mj, states, device).step(200)
    _, before = momenta(mj, states.qpos, states.qvel)
    _, after = momenta(mj, engine.read("qpos"), engine.read("qvel"))
    assert_close(after, before, "momentum", np.abs(mj.body_mass).sum())


def test_energy_in_free_fall_changes_by_what_the_integrator_takes(device):
    """Semi-implicit Euler loses m g^2 h^2 / 2 a step in free fall, and nothing else."""
    mj = loose_bodies('timestep="0.002"', [("sphere", 500), ("sphere", 900)], apart=1.0)
    states = states_of(mj, 3)
    steps, g, h = 500, 9.81, mj.opt.timestep

    def energy(qpos, qvel):
        height, speed = qpos.reshape(WORLDS, -1, 7)[..., 2].astype(float), qvel.reshape(WORLDS, -1, 6).astype(float)
        spin = 0.5 * (mj.body_inertia[1:] * speed[..., 3:] ** 2).sum((1, 2))
        return (mj.body_mass[1:] * (0.5 * (speed[..., :3] ** 2).sum(2) + g * height)).sum(1) + spin

    engine = Engine(mj, states, device).step(steps)
    lost = 0.5 * mj.body_mass[1:].sum() * g**2 * h**2 * steps
    got, want = energy(engine.read("qpos"), engine.read("qvel")), energy(states.qpos, states.qvel) - lost
    kinetic = 0.5 * mj.body_mass[1:].sum() * (g * h * steps) ** 2
    assert_close(got, want, "energy", kinetic)
