"""Sensors of distances between geoms that are apart, touch, or overlap."""

import numpy as np

from tests import oracle
from tests.harness.sensing import WORLDS, errors, forwards, measured
from tests.tolerance import tolerance


def crowded(mj) -> oracle.States:
    """Two bodies thrown into the same place, turned at random."""
    rng = np.random.default_rng(5)
    qpos = rng.normal(size=(WORLDS, mj.nq))
    for first in (0, 7):
        qpos[:, first : first + 3] = rng.uniform(-0.12, 0.12, (WORLDS, 3)) + (0.2, 0.3, 0.2)
        qpos[:, first + 3 : first + 7] /= np.linalg.norm(qpos[:, first + 3 : first + 7], axis=1, keepdims=True)
    zero = np.zeros((WORLDS, mj.nv))
    return oracle.rounded(oracle.States(qpos, zero, zero, np.zeros((WORLDS, mj.nu))))


def test_distances_of_overlapping_geoms(device):
    mj = oracle.small_model("distances_of_geoms")
    mj.opt.disableflags |= oracle.mujoco.mjtDisableBit.mjDSBL_CONTACT
    states = crowded(mj)
    datas = forwards(mj, states)
    depth = np.array([data.sensordata[3] for data in datas])
    assert (depth < 0).mean() > 0.5
    got = measured(mj, states, device)
    error = errors(mj, got, datas)
    distances = mj.sensor_type == oracle.mujoco.mjtSensor.mjSENS_GEOMDIST
    assert error[:, distances].max() <= tolerance("hit_position"), error.max(0)
    # the direction in which two overlapping shapes part soonest is known only as well as its depth
    assert (error > tolerance("hit_normal")).mean() <= tolerance("part_ties"), error.max(0)
    directions = got[:, mj.sensor_adr[8] : mj.sensor_adr[8] + 3]
    assert np.abs(np.linalg.norm(directions, axis=1) - 1.0).max() <= tolerance("kinematics")
