"""A model without sensors pays nothing for them; a switch turns those of a model off."""

import numpy as np

from newtonlite.solvers.mujoco import pipeline, variants
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle
from tests.solvers.mujoco.engine import Engine

SENSE = {s.key for s in (*pipeline.SENSE_POSITION, *pipeline.SENSE_VELOCITY, *pipeline.SENSE_FORCE, pipeline.record_sensors)}


def test_a_model_without_sensors_has_none_of_their_stages(monkeypatch):
    monkeypatch.setattr(variants, "specialise", True)
    m = put_model(oracle.named_model("humanoid"), device="cpu")
    assert m.ncam > 0
    assert not {s.key for s in variants.fold(pipeline.STEP, variants.features(m))} & SENSE


def test_disabled_sensors_keep_their_numbers(device):
    mj = oracle.small_model("sensors_of_motion")
    mj.opt.disableflags |= oracle.mujoco.mjtDisableBit.mjDSBL_SENSOR
    engine = Engine(mj, oracle.rollout_states(mj, 2), device)
    engine.d.sensordata.fill_(7.0)
    engine.step()
    assert (engine.d.sensordata.numpy() == np.float32(7.0)).all()
