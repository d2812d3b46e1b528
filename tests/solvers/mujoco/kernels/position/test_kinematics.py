"""Poses of geoms: a step computes those that something of it reads, a ray meets all."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.executor import specialize
from newtonlite.solvers.mujoco.executor.schedule import Schedule
from newtonlite.solvers.mujoco.model import put_model
from newtonlite.solvers.mujoco.raycast import ray
from tests import oracle
from tests.tolerance import tolerance

SHOWN = 'contype="0" conaffinity="0"'
SCENE = f"""
<mujoco>
  <worldbody>
    <geom type="box" size=".1 .1 .1" pos="0 3 0" {SHOWN}/>
    <geom type="plane" size="5 5 1"/>
    <geom type="sphere" size=".1" pos="0 -3 0" {SHOWN}/>
    <body pos="0 0 1">
      <joint axis="0 1 0"/>
      <geom type="sphere" size=".1"/>
      <geom name="sensed" type="box" size=".1 .2 .3" pos=".5 0 0" {SHOWN}/>
      <geom type="capsule" size=".1 .2" pos="-.5 0 0" {SHOWN}/>
    </body>
  </worldbody>
  <sensor><framepos objtype="geom" objname="sensed"/></sensor>
</mujoco>
"""


@pytest.fixture(scope="module")
def scene(device):
    mj = oracle.compile_xml(SCENE)
    return mj, put_model(mj, device=device)


def test_geoms_that_touch_or_are_sensed_come_first(scene):
    _, m = scene
    assert m.nneededgeom == 3
    assert sorted(m.geom_order.numpy()[:3]) == [1, 3, 4]
    assert sorted(m.geom_order.numpy()) == list(range(6))


def test_all_poses_are_there_for_those_who_read_them(scene):
    _, m = scene
    assert make_data(m, 1).nposedgeom == 3
    assert make_data(m, 1, keep=("geom_xpos",)).nposedgeom == 6
    assert make_data(m, 1, scratch="per_world").nposedgeom == 6


def test_rays_meet_geoms_whose_poses_no_step_computes(scene):
    mj, m = scene
    schedule = Schedule(m, make_data(m, 1))
    schedule.step()
    pnt = np.float32([[[0, 3, 5], [0, -3, 5], [-0.5, 0, 5], [0.5, 0, 5]]])
    vec = np.broadcast_to(np.float32([0, 0, -1]), pnt.shape)
    schedule.data.qpos.zero_()
    seen = ray(schedule, pnt, vec)
    still = oracle.States(*(np.zeros((1, size)) for size in (mj.nq, mj.nv, mj.nv, mj.nu)))
    want, geoms, _ = oracle.rays(mj, still, pnt, vec)
    assert seen.geomid.numpy().tolist() == geoms.tolist()
    error = np.abs(seen.dist.numpy() - want) / (1.0 + np.linalg.norm(pnt, axis=2))
    assert error.max() <= tolerance("hit_position")


def test_a_scene_without_dofs_has_no_kernels_for_dofs(monkeypatch):
    monkeypatch.setattr(specialize, "enabled", True)
    m = put_model(oracle.compile_xml(SCENE.replace('<joint axis="0 1 0"/>', "")), device="cpu")
    names = {stage.key.split(".")[-1] for stage in specialize.constant_fold(pipeline.STEP, specialize.features(m))}
    assert names.isdisjoint({"mass_matrix", "solve_dual_newton", "solve_pgs", "solve_primal", "noslip"})
    assert {"kinematics", "crb", "broadphase", "sensor_pos"} <= names
