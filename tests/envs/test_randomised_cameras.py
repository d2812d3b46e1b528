"""Domain randomisation of cameras and lights: what they see and where they are, as MuJoCo has it with the same numbers."""

import numpy as np
import pytest
import warp as wp

from newtonlite.envs import Environment, EventTerm, ObservationGroup, ObservationTerm, RewardTerm, Task, mdp
from newtonlite.envs.mdp import dr
from tests import oracle
from tests.tolerance import tolerance

WORLDS = 8
MODEL = """
<mujoco>
  <worldbody>
    <body name="pole" pos="0 0 1">
      <joint name="hinge" axis="0 1 0" damping="0.1"/>
      <geom type="capsule" fromto="0 0 0 0 0 .5" size=".03"/>
      <camera name="eye" pos=".1 0 .2" euler="0 90 0" fovy="60" resolution="64 48"/>
      <light name="lamp" pos="0 .1 .4" dir="0 .3 -1"/>
    </body>
    <site name="mark" pos="-1.5 .2 1.1"/>
  </worldbody>
  <actuator><motor name="hinge" joint="hinge" ctrlrange="-1 1" ctrllimited="true"/></actuator>
  <sensor>
    <camprojection name="pixel" site="mark" camera="eye"/>
    <framepos name="eye" objtype="camera" objname="eye"/>
    <framequat name="turn" objtype="camera" objname="eye"/>
  </sensor>
</mujoco>
"""
CHANGES = {
    "cam_pos": (dr.cam_pos, {"ranges": (-0.05, 0.05)}),
    "cam_quat": (dr.cam_quat, {"roll_range": (-0.2, 0.2), "yaw_range": (-0.1, 0.1)}),
    "cam_fovy": (dr.cam_fovy, {"ranges": (0.8, 1.3)}),
    "light_pos": (dr.light_pos, {"ranges": (-0.2, 0.2)}),
    "light_dir": (dr.light_dir, {"ranges": (-0.2, 0.2)}),
}


@pytest.fixture(scope="module")
def env() -> Environment:
    """Worlds with cameras and lights of their own, a few steps on."""
    made = Environment(
        Task(
            model=MODEL,
            actions={"torque": mdp.JointEffortAction()},
            observations={"policy": ObservationGroup({"q": ObservationTerm(mdp.joint_pos_rel)})},
            rewards={"alive": RewardTerm(mdp.is_alive, 1.0)},
            events={name: EventTerm(func, "reset", dict(params)) for name, (func, params) in CHANGES.items()},
            keep=("light_xpos", "light_xdir"),
        ),
        WORLDS,
        seed=4,
    )
    for _ in range(5):
        made.step(np.linspace(-1, 1, WORLDS, dtype=np.float32)[:, None])
    made.sim.forward(made.every)
    return made


@pytest.fixture(scope="module")
def peers(env) -> list:
    """MuJoCo's data of each world, with that world's numbers in the model."""
    found = []
    for w, q in enumerate(env.sim.data.qpos.numpy()):
        model = oracle.mujoco.MjModel.from_xml_string(MODEL)
        for name in CHANGES:
            getattr(model, name)[...] = env.sim.model.arrays[name].numpy()[w].reshape(getattr(model, name).shape)
        data = oracle.mujoco.MjData(model)
        data.qpos[:] = q
        oracle.mujoco.mj_forward(model, data)
        found.append(data)
    return found


@pytest.mark.parametrize("name", CHANGES)
def test_each_world_has_numbers_of_its_own(env, name):
    rows = env.sim.model.arrays[name].numpy().reshape(WORLDS, -1)
    assert len(np.unique(rows, axis=0)) == WORLDS


def test_cameras_see_what_mujocos_do(env, peers):
    got, want = env.sim.data.sensordata.numpy(), np.array([data.sensordata for data in peers])
    assert np.ptp(want[:, 0]) > 2.0  # pixels
    assert np.abs(got[:, :2] - want[:, :2]).max() < tolerance("kinematics") * 64
    assert np.abs(got[:, 2:] - want[:, 2:]).max() < tolerance("kinematics")


@pytest.mark.parametrize("field", ["light_xpos", "light_xdir"])
def test_lights_are_where_mujocos_are(env, peers, field):
    got = env.sim.data.arrays[field].numpy()[:, 0]
    want = np.array([getattr(data, field)[0] for data in peers])
    assert np.abs(got - want).max() < tolerance("kinematics")


def test_other_worlds_keep_their_cameras(env):
    before = {name: env.sim.model.arrays[name].numpy().copy() for name in CHANGES}
    mask = np.arange(WORLDS) == 3
    env.reset(wp.array(mask, dtype=wp.bool, device=env.device))
    for name, rows in before.items():
        now = env.sim.model.arrays[name].numpy()
        assert np.array_equal(now[~mask], rows[~mask])
        assert not np.array_equal(now[3], rows[3])
