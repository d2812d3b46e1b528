"""Functions of MuJoCo Warp's names on soft bodies: forces, rates of edges and energies, called one by one, are MuJoCo's."""

import numpy as np
import pytest

from newtonlite import mjwarp as mjw
from tests import oracle
from tests.tolerance import tolerance

ROPE = """<mujoco><option gravity="0 0 0"><flag energy="enable"/></option><worldbody><flexcomp name="f" type="grid" dim="1" count="4 1 1" spacing=".1 .1 .1" mass="1" radius=".01">
  <contact contype="0" conaffinity="0"/><edge stiffness="100" damping="1"/></flexcomp></worldbody></mujoco>"""
BLOCK = """<mujoco><worldbody><flexcomp name="f" type="grid" dim="3" count="3 3 3" spacing=".1 .1 .1" mass="1" radius=".01">
  <contact contype="0" conaffinity="0"/><elasticity young="1e4" poisson=".2" damping=".01"/></flexcomp></worldbody></mujoco>"""


def moved(text: str):
    """A model of MuJoCo, and data of a state away from rest, as far as velocities."""
    mj = oracle.compile_xml(text)
    data, rng = oracle.mujoco.MjData(mj), np.random.default_rng(3)
    data.qpos[:] = mj.qpos0 + rng.uniform(-0.02, 0.02, mj.nq)
    data.qvel[:] = rng.uniform(-0.1, 0.1, mj.nv)
    oracle.mujoco.mj_forward(mj, data)
    return mj, data


@pytest.mark.parametrize("text", [ROPE, BLOCK], ids=["rope", "block"])
def test_forces_and_rates_are_there_when_asked_for_alone(text):
    mj, data = moved(text)
    m, d = mjw.put_model(mj), mjw.put_data(mj, data)
    for array in (d.flexedge_velocity, d.qfrc_spring, d.qfrc_damper, d.qfrc_passive):
        array.fill_(np.inf)
    mjw.kinematics(m, d)
    mjw.com_pos(m, d)
    mjw.flex(m, d)
    mjw.passive(m, d)
    size = np.abs(data.qfrc_passive).max()
    assert size > 0.1
    np.testing.assert_allclose(d.flexedge_velocity.numpy()[0], data.flexedge_velocity, atol=tolerance("next"))
    for name in ("qfrc_spring", "qfrc_damper", "qfrc_passive"):
        np.testing.assert_allclose(getattr(d, name).numpy()[0], getattr(data, name), atol=tolerance("next") * size)


def test_springs_of_edges_are_in_the_potential_energy():
    mj, data = moved(ROPE)
    m, d = mjw.put_model(mj), mjw.put_data(mj, data)
    mjw.fwd_position(m, d)
    mjw.fwd_velocity(m, d)
    mjw.energy_pos(m, d)
    assert data.energy[0] > 1e-3
    np.testing.assert_allclose(d.energy.numpy()[0], data.energy, atol=tolerance("next"))
