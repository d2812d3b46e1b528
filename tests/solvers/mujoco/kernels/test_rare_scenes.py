"""Scenes that random models found, part by part of a step: what each has is rare, and MuJoCo's answer is not the obvious
one.
"""

import numpy as np
import pytest

from newtonlite.cli.simulation import compile_file
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests import oracle
from tests.harness.stagewise import Truth, engine_for, part_errors

ON_A_BODY = """<worldbody><geom type="plane" size="1 1 .1"/>
  <body pos="0 0 .1"><freejoint/><geom name="a" size=".1"/><geom name="b" size=".1" pos=".05 0 0"/>
    <body pos=".1 0 0"><geom name="c" size=".1"/></body></body>
  <geom name="d" size=".1" pos="3 0 0"/><geom name="e" size=".1" pos="3.05 0 0"/></worldbody>
  <contact><pair geom1="a" geom2="b" condim="4"/><pair geom1="a" geom2="c"/><pair geom1="d" geom2="e"/></contact>"""
OVERRIDDEN = """<option o_solref=".03 .9" cone="elliptic"><flag override="enable"/></option>
<worldbody><geom name="floor" type="plane" size="1 1 .1"/>
  <body pos="0 0 .09"><freejoint/><geom name="a" size=".1"/></body>
  <body pos="1 0 .09"><freejoint/><geom size=".1"/></body></worldbody>
  <contact><pair geom1="floor" geom2="a" solreffriction=".05 1.2"/></contact>"""
LIFTED = """<worldbody><body gravcomp="1"><joint type="slide" axis="0 0 1" actuatorgravcomp="true"/><geom size=".1"/>
  <body pos=".3 0 0" gravcomp=".5"><joint name="j" axis="0 1 0" actuatorgravcomp="true"/><geom size=".1" pos=".2 0 0"/></body></body>
</worldbody>"""
SUNK = """<asset><hfield name="h" nrow="5" ncol="6" size="2 2 .3 .1"
  elevation=".82 .97 .37 .88 .11 .92 .67 .15 .4 .65 .49 .86 .88 .39 .94 .59 .13 .98 .61 .88 .52 .13 .77 .21 .59 .35 .18 .28 .76 .61"/></asset>
<worldbody><geom type="hfield" hfield="h"/><body pos=".23 .3144 .2236" quat="-.0147 .0795 -.6133 .7857">
  <freejoint/><geom type="box" size=".11 .085 .098" margin=".02"/></body></worldbody>"""
DRIVEN = """<option integrator="discrete"><flag diagexact="enable"/></option>
<worldbody><geom type="plane" size="1 1 .1"/><body pos="0 0 .3"><joint name="a" axis="0 1 0" range="-5 5" limited="true"/>
  <geom type="capsule" size=".05" fromto="0 0 0 .3 0 -.1"/><body pos=".3 0 -.1"><joint name="b" axis="0 1 0"/>
  <geom type="capsule" size=".05" fromto="0 0 0 .2 0 -.2"/></body></body></worldbody>
<tendon><fixed name="t" stiffness="900" damping="20"><joint joint="a" coef="1"/><joint joint="b" coef="2"/></fixed></tendon>
<actuator><position joint="b" kp="300" kv="20"/></actuator>"""
APART = """<option><flag midphase="disable"/></option><worldbody>
  <body><freejoint/><geom type="box" size=".1 .1 .1"/><geom pos=".1 0 0" size=".1"/></body>
  <body pos="0 0 .18"><freejoint/><geom size=".1"/><geom type="box" pos=".1 0 0" size=".1 .1 .1"/></body></worldbody>"""
SINGULAR = """<option cone="elliptic" noslip_iterations="3"/><worldbody>
  <body pos="0 0 1"><joint axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body>
  <geom type="plane" size="2 2 .1" pos="0 0 .92" zaxis=".3 0 1" contype="1"/></worldbody>"""
BELT = """<asset><mesh name="m" vertex="0 0 0 .2 0 0 0 .3 0 0 0 .4"/></asset><worldbody><geom type="plane" size="1 1 .1"/>
  <body pos="0 0 -.01"><freejoint/><geom type="mesh" mesh="m" surfacevel=".3 -.2 .1 .5 .2 -.7"/></body></worldbody>"""
SCENES = {
    "exact diagonals have of couplings the diagonal": DRIVEN,
    "less slip of a contact whose friction moves it in one direction": SINGULAR,
    "surfaces of meshes move in the frame of their files": BELT,
    "pairs of geoms that are welded together have contacts without rows": ON_A_BODY,
    "friction rows have the reference that overrides all": OVERRIDDEN,
    "gravity compensation of actuators without actuators": LIFTED,
    "gravity compensation of actuators": LIFTED + '<actuator><motor joint="j"/></actuator>',
}


@pytest.mark.parametrize("name", SCENES)
def test_every_part_of_a_step_is_mujocos(name, device, tmp_path):
    path = tmp_path / "scene.xml"
    path.write_text(f"<mujoco>{SCENES[name]}</mujoco>")
    ours, theirs = compile_file(path), oracle.compile_xml(path)
    truth = Truth(theirs, oracle.gentle_states(theirs, 4))
    found = part_errors(engine_for(ours, truth, device), truth)
    assert not [(part, f) for part, arrays in found.items() for f in arrays if not f.share <= 1]


def test_a_servo_that_moves_nothing_has_no_damping_of_a_ratio():
    """Both sites are on one body."""
    text = """<mujoco><worldbody><body><joint/><geom size=".1"/><site name="a"/><site name="b" pos=".1 0 0"/></body></worldbody>
    <actuator><position site="a" refsite="b" gear="1 0 0 0 0 0" kp="8" dampratio="1"/></actuator></mujoco>"""
    builder = ModelBuilder()
    builder.add_mjcf(text)
    ours = compile_model(builder.finalize(device="cpu"))
    assert ours.actuator_biasprm[0][2] == oracle.compile_xml(text).actuator_biasprm[0][2] == 0.0


def test_the_margin_makes_shapes_thicker_where_a_height_field_is_searched(device):
    """Without one MuJoCo's search ends elsewhere, and finds half the depth."""
    mj = oracle.compile_xml(f"<mujoco>{SUNK}</mujoco>")
    states = oracle.gentle_states(mj, 4)
    states.qpos[:], states.qvel[:] = mj.qpos0, 0.0
    states.qpos[:, 2] += np.arange(4) * 0.01
    truth = Truth(mj, states)
    found = part_errors(engine_for(mj, truth, device), truth)["collision"]
    assert found and not [f for f in found if not f.share <= 1]


def test_contacts_without_the_midphase_are_in_the_order_of_geoms(device, tmp_path):
    path = tmp_path / "scene.xml"
    path.write_text(f"<mujoco>{APART}</mujoco>")
    theirs = oracle.compile_xml(path)
    states = oracle.gentle_states(theirs, 2)
    states.qpos[:] = theirs.qpos0
    want = [tuple(map(int, contact.geom)) for contact in oracle.forward(theirs, states).contact]
    engine = engine_for(compile_file(path), Truth(theirs, states), device).forward()
    got = engine.read("contact_geom")[0][: int(engine.read("ncon")[0])]
    assert len(set(want)) > 2 and [tuple(pair) for pair in got.tolist()] == want
