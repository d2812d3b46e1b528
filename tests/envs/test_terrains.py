"""Terrains: sixteen kinds, levels, flat places, height scans against rays."""

import re

import numpy as np
import pytest
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.envs import Environment, EventTerm, tasks
from newtonlite.envs.ground import height_scan, reset_root_state_from_flat_patches
from newtonlite.envs.tasks import quadruped_velocity
from newtonlite.envs.terrains import KINDS, Terrain
from tests import oracle
from tests.tolerance import tolerance

WORLDS = 5


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_have_a_flat_middle_and_become_harder(kind):
    terrain = Terrain((kind,), rows=3, size=6.0)
    n, edge = 60, 40
    tiles = [terrain.heights[edge : edge + n, edge + r * n : edge + (r + 1) * n] for r in range(3)]
    spans = [np.ptp(t) for t in tiles]
    assert kind == "flat" or spans[0] <= spans[1] <= spans[2] > 0.02
    assert all(np.ptp(t[24:36, 24:36]) == 0 for t in tiles)
    for row in range(3):
        for x, y, z in [terrain.origins[row, 0], *terrain.patches[row, 0]]:
            c, r = (round((p + h) / terrain.cell) for p, h in zip((x, y), terrain.half))
            assert abs(terrain.heights[r, c] - z) < tolerance("parameter")


def test_the_same_seed_makes_the_same_ground():
    kinds = ("random_grid", "perlin_noise")
    assert np.array_equal(Terrain(kinds, seed=3).heights, Terrain(kinds, seed=3).heights)
    assert not np.array_equal(Terrain(kinds, seed=3).heights, Terrain(kinds, seed=4).heights)


def test_a_kind_that_is_none_is_refused():
    with pytest.raises(ModelError, match="no kind is called 'lava'"):
        Terrain(("lava",))


@pytest.fixture(scope="module")
def env():
    task = tasks.load("quadruped_rough")
    task.terrain = Terrain(("pyramid_stairs", "perlin_noise", "stepping_stones"), rows=2, size=5.0, max_init_level=1)
    task.episode_length = 10
    return Environment(task, WORLDS, seed=2)


def on_ground(xml: str, terrain: Terrain) -> tuple:
    """(MJCF, its files) of a model whose floor is a terrain's ground."""
    (x, y), low, span = terrain.half, terrain.heights.min(), np.ptp(terrain.heights)
    data = ((terrain.heights - low) / span).astype(np.float32)
    asset = f'<asset><hfield name="ground" file="ground.hf" size="{x:.9g} {y:.9g} {span:.9g} 0.5"/></asset><worldbody>'
    geom = f'<geom name="floor" type="hfield" hfield="ground" pos="0 0 {low:.9g}"/>'
    xml = re.sub(r'<geom name="floor"[^>]*/>', geom, xml).replace("<worldbody>", asset, 1)
    return xml, {"ground.hf": np.array(data.shape, np.int32).tobytes() + data.tobytes()}


def test_height_scans_are_what_rays_meet(env):
    rng = np.random.default_rng(0)
    for _ in range(8):
        env.step(rng.uniform(-1, 1, (WORLDS, 12)).astype(np.float32))
    got = env.terms.call("test/scan", height_scan, {}).numpy()
    assert got.shape == (WORLDS, 17 * 11)
    model = oracle.mujoco.MjModel.from_xml_string(*on_ground(quadruped_velocity.model(), env.task.terrain))
    data = oracle.mujoco.MjData(model)
    floor, group = model.geom("floor").id, np.zeros(6, np.uint8)
    group[0], hit = 1, np.zeros(1, np.int32)
    model.geom_group[:] = 1
    model.geom_group[floor] = 0
    for w, qpos in enumerate(env.sim.data.qpos.numpy()):
        data.qpos[:] = qpos
        oracle.mujoco.mj_kinematics(model, data)
        turn = data.xmat[1].reshape(3, 3)
        ahead = turn[:2, 0] / np.linalg.norm(turn[:2, 0])
        points = [(x, y) for y in np.arange(11) * 0.1 - 0.5 for x in np.arange(17) * 0.1 - 0.8]
        for i, (x, y) in enumerate(points):
            place = qpos[:2] + x * ahead + y * np.array([-ahead[1], ahead[0]])
            far = oracle.mujoco.mj_ray(
                model, data, np.array([*place, qpos[2] + 5.0]), np.array([0.0, 0, -1]), group, 1, -1, hit, np.zeros(3)
            )
            assert abs(got[w, i] - (far - 5.0)) < tolerance("scan"), (w, i)


def test_worlds_start_on_their_tiles(env):
    env.reset(seed=3)
    levels, kinds = env.ground.levels.numpy(), env.ground.kinds.numpy()
    middle = env.task.terrain.origins[levels, kinds]
    assert np.abs(env.origins.numpy() - middle).max() < tolerance("parameter") * 10
    assert np.abs(env.sim.data.qpos.numpy()[:, :2] - middle[:, :2]).max() <= 0.5 + tolerance("parameter") * 10
    assert len({*zip(levels, kinds)}) > 1


def test_levels_follow_how_far_worlds_walk(env):
    env.reset(seed=4)
    env.ground.levels.assign([0, 0, 1, 1, 1])
    env.step(np.zeros((WORLDS, 12), np.float32))
    d, command = env.sim.data, env.command("twist")
    place = d.qpos.numpy()
    place[:, 0] = env.origins.numpy()[:, 0] + [3.0, 0.0, 0.0, 3.0, 0.0]
    place[:, 1] = env.origins.numpy()[:, 1]
    command.assign([[1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]])
    env.reset()
    levels = env.ground.levels.numpy()
    assert levels[[0, 1, 2, 4]].tolist() == [1, 0, 0, 1]
    assert 0 <= levels[3] <= 1


def test_roots_are_put_on_flat_places():
    task = tasks.load("quadruped_rough")
    task.terrain = Terrain(("random_grid",), rows=1, size=5.0)
    task.events["reset_base"] = EventTerm(reset_root_state_from_flat_patches, "reset")
    env = Environment(task, WORLDS, seed=0)
    places, height = env.sim.data.qpos.numpy()[:, :3], env.sim.start_qpos[2]
    for place in places:
        off = np.abs(task.terrain.patches[0, 0] + [0, 0, height] - place).max(axis=1)
        assert off.min() < tolerance("scan")
    assert len(np.unique(places[:, 0])) > 1
    assert isinstance(env.observations["policy"], wp.array)
