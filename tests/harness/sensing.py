"""What sensors measure, in the engine and in MuJoCo, sensor by sensor."""

import numpy as np

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import relative_error, tolerance

WORLDS = 24
QUANTITY = {1: "kinematics", 2: "velocity", 3: "qacc"}
OWN = {7: "ray", 39: "hit_distance", 40: "hit_distance", 41: "hit_distance"}
"""Quantities by stage, and those of rangefinders and of distances between geoms."""


def forwards(mj, states) -> list:
    """MuJoCo's data after a forward pass from each state."""
    return [oracle.forward(mj, states, i) for i in range(len(states))]


def measured(mj, states, device="cpu", **options) -> np.ndarray:
    """The engine's sensordata after a forward pass, [n, nsensordata]."""
    engine = Engine(mj, states, device, **options).forward()
    return engine.d.sensordata.numpy().astype(float)


def scale(mj, data, s: int) -> float:
    """The size that errors of a sensor are relative to, at least: lengths and speeds of one, accelerations and forces
    of the world.
    """
    if mj.sensor_type[s] == oracle.mujoco.mjtSensor.mjSENS_CAMPROJECTION:
        return float(mj.cam_resolution[mj.sensor_refid[s]].max())
    if mj.sensor_needstage[s] < 3:
        return 1.0
    pull = oracle.pull(mj, data) if mj.nv else 0.0
    gravity = float(np.linalg.norm(mj.opt.gravity))
    against_each_other = 0.01 * np.abs(data.efc_force).max(
        initial=0.0
    )  # forces of rows that cancel on the way to the sensor
    return max(1.0, gravity, pull, against_each_other)


def errors(mj, got, datas) -> np.ndarray:
    """Relative error of each sensor in each world, [n, nsensor]."""
    out = np.zeros((len(datas), mj.nsensor))
    for s in range(mj.nsensor):
        part = slice(mj.sensor_adr[s], mj.sensor_adr[s] + mj.sensor_dim[s])
        want = np.array([data.sensordata[part] for data in datas])
        if mj.sensor_datatype[s] == 3:  # a quaternion and its opposite are one rotation
            got[:, part] *= np.sign(np.sum(got[:, part] * want, 1, keepdims=True))
        floor = np.array([scale(mj, data, s) for data in datas])
        out[:, s] = relative_error(got[:, part], want, floor) if want.size else 0.0
    return out


def assert_measured(mj, got, datas) -> None:
    """Every sensor agrees in every world; the message lists those that do not."""
    error = errors(mj, got, datas)
    bad = [
        f"{describe(mj, s)}: {error[:, s].max():.1e}"
        for s in range(mj.nsensor)
        if not (error[:, s] <= limit(mj, s)).all()
    ]
    assert not bad, "\n".join(bad)


def limit(mj, s: int) -> float:
    """What a sensor may be off by."""
    return tolerance(OWN.get(int(mj.sensor_type[s]), QUANTITY[int(mj.sensor_needstage[s])]))


def describe(mj, s: int) -> str:
    """A sensor's number, type and name, for messages."""
    kind = oracle.mujoco.mjtSensor(mj.sensor_type[s]).name[7:].lower()
    return f"{s} {kind} {mj.sensor(s).name} {mj.sensor_intprm[s].tolist()}"
