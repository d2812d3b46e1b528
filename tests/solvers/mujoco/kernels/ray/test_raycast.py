"""Rays cast into worlds, and frames of cameras and lights, beside MuJoCo's."""

import numpy as np
import pytest

from newtonlite.core.errors import StateError
from newtonlite.solvers.mujoco.raycast import frames, ray
from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close, tolerance

WORLDS = 20
RAYS = 60
CHOICES = {
    "everything": {},
    "some groups": {"geomgroup": (1, 0, 0, 0, 1, 1)},
    "moving geoms": {"flg_static": False},
    "another body": {"bodyexclude": 1},
}


def rays(seed: int):
    """Points around the scene and directions of any length towards it, others in each world."""
    rng = np.random.default_rng(seed)
    pnt = rng.normal(size=(WORLDS, RAYS, 3)) * (2.0, 2.0, 1.0) + (0.0, 0.0, 1.5)
    aim = rng.uniform(-1.0, 1.0, (WORLDS, RAYS, 3)) * np.where(np.arange(RAYS) % 2, 1.0, 0.2)[:, None] + (0.0, 0.0, 1.2)
    vec = (aim - pnt) * rng.uniform(0.2, 2.0, (WORLDS, RAYS, 1))
    return pnt.astype(np.float32), vec.astype(np.float32)


def assert_seen(mj, states, engine, **choice):
    """Distances, geoms and normals are MuJoCo's, but for rays that pass an edge within rounding."""
    pnt, vec = rays(1)
    seen = ray(engine.schedule, pnt, vec, **choice)
    got, geom, normal = seen.dist.numpy(), seen.geomid.numpy(), seen.normal.numpy()
    want, geoms, normals = oracle.rays(mj, states, pnt, vec, **choice)
    same = geom == geoms
    assert same.mean() > 1 - tolerance("hit_ties"), (~same).sum()
    met = same & (geoms >= 0)
    assert met.sum() >= 10
    error = np.abs(got - want) * np.linalg.norm(vec, axis=2) / (1.0 + np.linalg.norm(pnt, axis=2))
    turned = np.linalg.norm(normal - normals, axis=2)
    assert (got[~met & same] == -1.0).all() and not normal[~met & same].any()
    assert (error[met] > tolerance("hit_position")).mean() <= tolerance("hit_ties"), error[met].max()
    assert (turned[met] > tolerance("hit_normal")).mean() <= tolerance("hit_ties"), turned[met].max()


@pytest.fixture(scope="module")
def scene(device):
    mj = oracle.small_model("rangefinders_and_zones")
    states = oracle.rollout_states(mj, WORLDS)
    return mj, states, Engine(mj, states, device)


@pytest.mark.parametrize("choice", CHOICES)
def test_rays_meet_what_mujocos_meet(choice, scene):
    assert_seen(*scene, **CHOICES[choice])


def test_rays_need_no_rangefinder(device):
    """Tables for meshes and height fields are made when they are asked for."""
    mj = oracle.small_model("rangefinders_and_zones")
    states = oracle.rollout_states(mj, WORLDS)
    without = oracle.without_sensors(mj)
    engine = Engine(without, states, device)
    assert engine.m.nraymesh == 0
    assert_seen(without, states, engine)


def test_rays_in_the_file_of_mujoco_warps_tests(assets, device):
    mj = oracle.compile_xml(assets / "mjcf" / "mjwarp_test" / "ray.xml")
    data = oracle.mujoco.MjData(mj)
    states = oracle.States(
        *(np.repeat(v[None], WORLDS, 0) for v in (data.qpos, data.qvel, data.qacc_warmstart, data.ctrl))
    )
    assert_seen(mj, states, Engine(mj, states, device))


@pytest.mark.parametrize(
    "pnt, vec, choice, said",
    [
        (np.zeros((1, 2, 3)), np.zeros((1, 2, 3)), {}, "zero"),
        (np.zeros((1, 2)), np.ones((1, 2, 3)), {}, "pnt"),
        (np.zeros((1, 2, 3)), np.ones((1, 3, 3)), {}, "one for each"),
        (np.full((1, 2, 3), np.nan), np.ones((1, 2, 3)), {}, "finite"),
        (np.zeros((7, 2, 3)), np.ones((1, 2, 3)), {}, "worlds"),
        (np.zeros((1, 2, 3)), np.ones((1, 2, 3)), {"geomgroup": (1, 1)}, "6 flags"),
    ],
)
def test_rays_that_mean_nothing_are_refused(pnt, vec, choice, said, scene):
    with pytest.raises(StateError, match=said):
        ray(scene[2].schedule, pnt, vec, **choice)


def test_cameras_and_lights_are_where_mujocos_are(device):
    mj = oracle.small_model("cameras_that_track")
    states = oracle.rollout_states(mj, WORLDS, speed=1.0)
    found = frames(Engine(mj, states, device).schedule)
    datas = [oracle.forward(mj, states, i) for i in range(WORLDS)]
    for name, values in found._asdict().items():
        want = np.array([getattr(data, name) for data in datas])
        assert_close(values.numpy().reshape(want.shape), want, "kinematics", 1.0, name)


def test_rays_meet_distance_fields(device):
    """From outside and from inside, of a plugin and of a mesh."""
    cube = "-.4 -.3 -.4 .4 -.3 -.4 -.4 .3 -.4 .4 .3 -.4 -.4 -.3 .4 .4 -.3 .4 -.4 .3 .4 .4 .3 .4"
    mj = oracle.compile_xml(
        f"""<mujoco><extension><plugin plugin="mujoco.sdf.torus"><instance name="t"><config key="radius1" value=".6"/><config
        key="radius2" value=".3"/></instance></plugin></extension><asset><mesh name="t"><plugin instance="t"/></mesh><mesh
        name="c" vertex="{cube}"/></asset><worldbody><body pos=".5 0 1"><freejoint/><geom type="sdf" mesh="t" mass="1"><plugin
        instance="t"/></geom></body><body pos="-.9 0 1.2" euler="20 30 10"><geom type="sdf" mesh="c"/></body></worldbody></mujoco>"""
    )
    states = oracle.rollout_states(mj, WORLDS, length=3, every=1)
    assert_seen(mj, states, Engine(mj, states, device))
