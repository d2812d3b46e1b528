"""Lidar: distances of every pattern beside MuJoCo's rays, range, groups, the own body, noise."""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError
from newtonlite.geometry.ray.pattern import grid_pattern, pinhole_pattern, ring_pattern, spinning_pattern
from newtonlite.math.quat import matrix
from newtonlite.solvers.mujoco.batch import Batch
from newtonlite.solvers.mujoco.lidar import Lidar
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle
from tests.tolerance import tolerance

SCENE = """<mujoco><asset><mesh name="tetrahedron" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
<hfield name="hills" nrow="4" ncol="5" size="3 3 .4 .1" elevation="0 1 0 2 1 3 0 1 0 2 1 3 1 0 0 1 0 2 1 3"/></asset><worldbody>
<geom type="hfield" hfield="hills"/><geom type="plane" size="9 9 1" pos="0 0 -.2"/><geom type="box" size=".1 4 1" pos="3 0 0" group="2"/>
<body name="robot" pos="0 0 1.2"><freejoint/><geom type="box" size=".3 .2 .1"/><body pos=".4 0 0"><joint axis="0 1 0"/><geom type="capsule" size=".04 .2"/></body></body>
<body pos="1 1 .8"><freejoint/><geom type="mesh" mesh="tetrahedron"/></body><body pos="-1 .5 .9"><freejoint/><geom size=".3" group="3"/></body></worldbody></mujoco>"""
PATTERNS = {
    "grid": grid_pattern((1.6, 1.0), 0.2),
    "ring": ring_pattern(36, elevation=-10.0, radius=0.05),
    "pinhole": pinhole_pattern(12, 8, 70.0),
    "spinning": spinning_pattern(4, 24, (-25.0, 5.0)),
}
WORLDS, POS, QUAT = 3, np.array([0.1, 0.0, 0.05]), np.array([0.96, 0.0, 0.28, 0.0])
QUAT = QUAT / np.linalg.norm(QUAT)


@pytest.fixture(scope="module")
def scene():
    """A batch of worlds that differ, MuJoCo's model, and the configurations."""
    mj = oracle.compile_xml(SCENE)
    rng = np.random.default_rng(2)
    qpos = (mj.qpos0 + rng.uniform(-0.25, 0.25, (WORLDS, mj.nq))).astype(np.float32)
    batch = Batch(put_model(mj, device="cpu"), WORLDS)
    batch.data.arrays["qpos"].assign(qpos)
    return batch, mj, qpos


def expected(mj, qpos, pattern, alignment: str, groups, exclude: int) -> np.ndarray:
    """Distances of one world by MuJoCo's rays, inf where there is nothing."""
    data, id = oracle.mujoco.MjData(mj), np.zeros(1, np.int32)
    data.qpos[:] = qpos
    oracle.mujoco.mj_kinematics(mj, data)
    turn = data.xmat[1].reshape(3, 3)
    if alignment == "yaw":
        angle = np.arctan2(turn[1, 0], turn[0, 0])
        turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    turn = np.eye(3) if alignment == "world" else turn
    found = []
    for start, way in zip(pattern.start.astype(float), pattern.way.astype(float)):
        begin, along = data.xpos[1] + turn @ (matrix(QUAT) @ start + POS), turn @ matrix(QUAT) @ way
        t = oracle.mujoco.mj_ray(mj, data, begin, along, groups, 1, exclude, id, np.zeros(3))
        found.append(t if t >= 0 else np.inf)
    return np.array(found)


@pytest.mark.parametrize("alignment", ["body", "yaw", "world"])
@pytest.mark.parametrize("name", PATTERNS)
def test_distances_are_mujocos(scene, name, alignment):
    batch, mj, qpos = scene
    lidar = Lidar(
        batch.schedule, PATTERNS[name], 1, pos=POS, quat=QUAT, alignment=alignment, max_distance=4.0, miss=-1.0
    )
    got = lidar.scan().numpy()
    for world in range(WORLDS):
        far = expected(mj, qpos[world], PATTERNS[name], alignment, None, 1)
        inside = np.abs(far - 4.0) > 1e-3
        near = inside & (far < 4.0)
        error = np.abs(got[world] - far)[near] / np.maximum(far[near], 1.0)
        assert (error <= tolerance("ray")).mean() >= 0.995 and near.sum() > 10  # a ray may pass an edge
        assert (got[world][inside & (far > 4.0)] == -1.0).all()


def test_groups_and_the_own_body_are_left_out_as_asked(scene):
    batch, mj, qpos = scene
    groups = np.array([1, 0, 0, 1, 0, 0], np.uint8)
    seen = {}
    for exclude in (True, False):
        lidar = Lidar(batch.schedule, PATTERNS["ring"], 1, pos=POS, quat=QUAT, groups=groups, exclude_parent=exclude)
        seen[exclude] = lidar.scan().numpy()
        far = expected(mj, qpos[0], PATTERNS["ring"], "body", groups, 1 if exclude else -1)
        met = np.isfinite(far)
        np.testing.assert_allclose(seen[exclude][0][met], far[met], rtol=tolerance("ray"), atol=tolerance("ray"))
        assert (seen[exclude][0][~met] == 100.0).all()
    assert (seen[True] != seen[False]).any() and (
        mj.geom_group[lidar.geoms.numpy()[lidar.geoms.numpy() >= 0]] != 2
    ).all()


def test_noise_is_of_the_scan_the_world_and_the_ray(scene):
    batch, mj, _ = scene
    make = lambda **more: Lidar(batch.schedule, PATTERNS["spinning"], 1, max_distance=6.0, miss=-1.0, **more)
    plain, one, two = make().scan().numpy(), make(noise=0.05, seed=4), make(noise=0.05, seed=4)
    first, again = one.scan().numpy().copy(), two.scan().numpy().copy()
    np.testing.assert_array_equal(first, again)
    second, met = one.scan().numpy(), plain >= 0
    assert (second != first)[met].mean() > 0.9 and (first[~met] == -1.0).all()
    spread = (first - plain)[met & (plain < 5.5)]
    assert abs(spread.std() - 0.05) < 0.01 and abs(spread.mean()) < 0.02


@pytest.mark.parametrize("options", [{"alignment": "base"}, {"body": 9}, {"max_distance": 0.0}, {"noise": -1.0}])
def test_what_cannot_be_measured_is_refused(scene, options):
    with pytest.raises(ModelError, match="Lidar"):
        Lidar(scene[0].schedule, PATTERNS["ring"], **({"body": 1} | options))
