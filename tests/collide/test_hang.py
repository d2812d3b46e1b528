"""Parts that hold each other by not being convex, simulated on the contacts of their distance fields."""

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.solvers import SolverMuJoCo
from tests.harness import collide_parts
from tests.harness.collide_scenes import pose
from tests.tolerance import tolerance

FIELD = {"target_voxel_size": 0.0004, "margin": 0.001, "narrow_band_range": (-0.002, 0.002)}

COARSE = {"max_resolution": 56, "margin": 0.005, "narrow_band_range": (-0.005, 0.005)}


def simulate(b, device, seconds: float, pull=None, dt: float = 0.002):
    """Poses [steps, 7] of the last body."""
    model = b.finalize(device=device)
    solver, one, two = (
        SolverMuJoCo(model, use_mujoco_contacts=False, nconmax=200, njmax=1000),
        model.state(),
        model.state(),
    )
    pipeline, poses = newton.CollisionPipeline(model), []
    contacts = pipeline.contacts()
    for _ in range(int(seconds / dt)):
        pipeline.collide(one, contacts)
        if pull is not None:
            one.body_f.assign(np.tile(np.array(pull, np.float32), (model.body_count, 1)))
        solver.step(one, two, None, contacts, dt)
        one, two = two, one
        poses.append(one.body_q.numpy()[-1].copy())
    return np.array(poses)


@pytest.fixture(scope="module")
def threads(device):
    """Meshes of a bolt and its nut, with tables."""
    both = collide_parts.bolt(-0.012, 0.014), collide_parts.nut()
    for mesh in both:
        mesh.build_sdf(device=device, **FIELD)
    return both


def on_bolt(threads, mu: float):
    """The nut on the upright bolt, which does not move."""
    b = newton.ModelBuilder()
    cfg = b.ShapeConfig(gap=0.0005, mu=mu, ke=1e5, kd=500.0)
    b.add_shape_mesh(-1, mesh=threads[0], cfg=cfg)
    b.add_shape_mesh(b.add_body(xform=pose(0, 0, 0.008)), mesh=threads[1], cfg=cfg)
    return b


def turns(poses) -> np.ndarray:
    """Turns about z, counted on over full turns."""
    return np.unwrap(2.0 * np.arctan2(poses[:, 5], poses[:, 6])) / (2.0 * np.pi)


def test_a_nut_without_friction_turns_down_its_bolt(device, threads):
    """Pulled along the axis it descends one pitch per turn, and stays upright and centred."""
    poses = simulate(on_bolt(threads, mu=0.0), device, 0.25, pull=(0, 0, -0.16, 0, 0, 0), dt=0.001)
    turned = turns(poses)
    settled = len(poses) // 3
    down, around = poses[-1, 2] - poses[settled, 2], turned[-1] - turned[settled]
    assert around < -0.3
    assert abs(down / (around * collide_parts.PITCH) - 1.0) < tolerance("thread")
    assert np.abs(poses[:, :2]).max() < 2 * collide_parts.PLAY and np.abs(poses[:, 3:5]).max() < 0.02


def test_a_nut_with_friction_holds(device, threads):
    """It gives by its play and does not fall through the thread under five times its weight."""
    poses = simulate(on_bolt(threads, mu=0.5), device, 0.15, pull=(0, 0, -0.16, 0, 0, 0), dt=0.001)
    assert 0.008 - poses[:, 2].min() < 2 * collide_parts.PLAY
    assert np.ptp(turns(poses)[len(poses) // 3 :]) < 0.01


def on_hook(device):
    """The mug on the hook, which does not move, and both meshes with their tables."""
    meshes = collide_parts.hook(), collide_parts.mug()
    for mesh in meshes:
        mesh.build_sdf(device=device, **COARSE)
    b = newton.ModelBuilder()
    cfg = b.ShapeConfig(gap=0.002, mu=0.5, ke=1e4, kd=100.0)
    b.add_shape_mesh(-1, mesh=meshes[0], cfg=cfg)
    b.add_shape_mesh(b.add_body(xform=pose(*hung())), mesh=meshes[1], cfg=cfg)
    return b, meshes


def opening(poses) -> np.ndarray:
    """Where the middle of the mug's handle is [n, 3]."""
    return np.array([p[:3] + rotated(p[3:], np.array([collide_parts.HANDLE, 0.0, 0.045])) for p in poses])


def test_a_mug_hangs_on_its_hook(device):
    """By its handle, for a second: it swings and comes to no other place."""
    poses = simulate(on_hook(device)[0], device, 1.0)
    assert np.isfinite(poses).all()
    assert -0.01 < poses[:, 0].min() and poses[:, 0].max() < 0.05
    assert np.linalg.norm(opening(poses)[:, 1:], axis=1).max() < collide_parts.OPENING


def hung():
    """Position and rotation of an upright mug, its handle across the hook with the top of its opening just over it."""
    half = float(np.sqrt(0.5))
    return 0.02, -collide_parts.HANDLE, 0.005 - 0.069, (0, 0, half, half)


def rotated(q, v):
    """A vector turned by a quaternion (x, y, z, w)."""
    return v + 2.0 * np.cross(q[:3], np.cross(q[:3], v) + q[3] * v)
