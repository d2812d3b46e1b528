"""Sensors of a file that went through builder, replicate, finalize and SolverMuJoCo."""

import numpy as np
import pytest

from tests.harness.beside import load as load_solver
from tests.harness.beside import to_scene, write_controls
from tests.harness.sensing import assert_measured
from tests.oracle import MODELS, load, mujoco, rollout_states

COUNT = 20
NAMES = ["sensors_of_motion", "sensors_of_limits", "sensors_of_contact", "cameras_that_track", "rangefinders_and_zones"]


@pytest.mark.parametrize("name", NAMES)
def test_sensors_run_in_the_solver(name, device):
    mj, solver = load_solver(MODELS / f"{name}.xml", device, COUNT)
    states = rollout_states(mj, COUNT, speed=0.3)
    model = solver.model
    first, second, control = model.state(), model.state(), model.control()
    q, qd = to_scene(solver.mj_model, states)
    first.joint_q.assign(q.ravel().astype(np.float32))
    first.joint_qd.assign(qd.ravel().astype(np.float32))
    write_controls(solver.mj_model, control, states.ctrl)
    solver.step(first, second, control, None, float(mj.opt.timestep))
    datas = [load(mj, states, i) for i in range(COUNT)]
    for data in datas:
        data.qacc_warmstart[:] = 0.0
        mujoco.mj_step(mj, data)
    assert_measured(mj, solver.mjw_data.sensordata.numpy().astype(float), datas)
