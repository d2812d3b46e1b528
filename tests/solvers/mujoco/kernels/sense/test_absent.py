"""A model without sensors pays nothing for them; a switch turns those of a model off."""

import numpy as np

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor import specialize
from newtonlite.solvers.mujoco.kernels.sense.history import sensor_history
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle
from tests.harness.engine import Engine

SENSE = {s.key for s in (*pipeline.SENSOR_POS, *pipeline.SENSOR_VEL, *pipeline.SENSOR_ACC, sensor_history)}


def test_a_model_without_sensors_has_none_of_their_stages(monkeypatch):
    monkeypatch.setattr(specialize, "enabled", True)
    m = put_model(oracle.named_model("humanoid"), device="cpu")
    assert m.ncam > 0
    assert not {s.key for s in specialize.constant_fold(pipeline.STEP, specialize.features(m))} & SENSE


def test_disabled_sensors_keep_their_numbers(device):
    mj = oracle.small_model("sensors_of_motion")
    mj.opt.disableflags |= oracle.mujoco.mjtDisableBit.mjDSBL_SENSOR
    engine = Engine(mj, oracle.rollout_states(mj, 2), device)
    engine.d.sensordata.fill_(7.0)
    engine.step()
    assert (engine.d.sensordata.numpy() == np.float32(7.0)).all()
