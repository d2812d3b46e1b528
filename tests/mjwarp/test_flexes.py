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


TOUCHED = """<mujoco><worldbody><geom size=".12" pos=".03 .02 -.12"/><flexcomp name="f" type="grid" count="4 4 1" spacing=".1 .1 .1" mass="1" radius=".02">
  <contact selfcollide="none"/><edge equality="true"/></flexcomp></worldbody></mujoco>"""


def test_contacts_that_are_put_pull_on_vertices_by_their_places():
    mj, data = moved(TOUCHED)
    m, d = mjw.put_model(mj), mjw.put_data(mj, data, nworld=2)
    d.efc_J.zero_()
    mjw.kinematics(m, d)
    mjw.com_pos(m, d)
    mjw.flex(m, d)
    mjw.make_constraint(m, d)
    assert data.ncon > 0 and d.nefc.numpy().tolist() == [data.nefc] * 2
    want = oracle.dense_jacobian(mj, data)
    for J in d.efc_J.numpy():
        np.testing.assert_allclose(J[: data.nefc], want, atol=tolerance("contact_rows"))


def test_contacts_are_found_where_vertices_are():
    """Also where nothing but the vertices was moved, and with kinematics that a program asked for as a whole."""
    cloth = """<mujoco><worldbody><flexcomp name="f" type="grid" count="6 6 1" spacing=".05 .05 .05" mass="1" radius=".005">
      <contact selfcollide="auto"/></flexcomp></worldbody></mujoco>"""
    mj = oracle.compile_xml(cloth)
    m, d = mjw.put_model(mj), mjw.make_data(mj)
    mjw.fwd_kinematics(m, d)
    mjw.collision(m, d)
    np.testing.assert_allclose(d.flexvert_xpos.numpy()[0], mj.body_pos[mj.flex_vertbodyid], atol=tolerance("next"))
    assert d.nacon.numpy()[0] == 0
    place = d.flexvert_xpos.numpy()
    place[0, 35] = place[0, 0] + np.array([0.0, 0.0, 0.005])
    d.flexvert_xpos.assign(place)
    mjw.collision(m, d)
    assert d.nacon.numpy()[0] > 0


STEPPED = """<mujoco><option integrator="discrete" timestep=".005"/><worldbody>
  <body pos="0 0 1"><joint name="a" axis="0 1 0" stiffness="40" damping="2"/><geom type="capsule" size=".05 .2" pos=".2 0 0"/>
  <body pos=".4 0 0"><joint name="b" axis="0 1 0" damping="1"/><geom type="capsule" size=".05 .2" pos=".2 0 0"/></body></body>{}</worldbody>
  <tendon><fixed name="t" stiffness="30" damping="3"><joint joint="a" coef="1"/><joint joint="b" coef="-.5"/></fixed></tendon>
  <actuator><position joint="b" kp="50" kv="4"/></actuator></mujoco>"""


@pytest.mark.parametrize("program", ["forward", "step"])
@pytest.mark.parametrize("soft", ["", "block"])
def test_the_acceleration_without_constraints_is_that_of_the_integrator_discrete(program, soft):
    block = '<flexcomp name="f" type="grid" dim="3" count="3 2 2" spacing=".1 .1 .1" pos="0 0 3" mass="1" radius=".01"><elasticity young="1e4" poisson=".2" damping=".01"/></flexcomp>'
    mj, data = moved(STEPPED.format(block if soft else ""))
    m, d = mjw.put_model(mj), mjw.put_data(mj, data)
    ours, theirs = {"forward": (mjw.forward, "mj_forward"), "step": (mjw.step, "mj_step")}[program]
    ours(m, d)
    getattr(oracle.mujoco, theirs)(mj, data)
    before = d.M.numpy(), d.qfrc_smooth.numpy()
    want = data.qacc_smooth
    np.testing.assert_allclose(d.qacc_smooth.numpy()[0], want, atol=tolerance("qacc") * np.abs(want).max())
    assert all(np.array_equal(*pair) for pair in zip(before, (d.M.numpy(), d.qfrc_smooth.numpy()), strict=True))
