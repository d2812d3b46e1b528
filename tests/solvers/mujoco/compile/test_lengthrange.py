"""Length ranges that are computed are those of MuJoCo's compiler."""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import Worlds, compile_model, compile_worlds
from tests import oracle
from tests.tolerance import tolerance

ARM = """<mujoco><compiler angle="radian"><lengthrange {}/></compiler>{}
<worldbody><site name="high" pos="0 0 .3"/>
  <body pos="0 0 .1"><joint name="a" axis="0 1 0" range="-1 2" armature=".01"/><geom name="roll" type="cylinder" size=".03 .1" euler="1.57 0 0"/>
    <geom type="capsule" fromto="0 0 0 .3 0 .1" size=".02"/><site name="middle" pos=".2 0 .05"/><site name="side" pos="0 0 .1"/>
    <body pos=".3 0 .1"><joint name="b" type="ball" range="0 .8"/><geom type="box" size=".1 .03 .02" pos=".1 0 0"/><site name="end" pos=".15 .02 0"/>
      <body pos=".2 0 0"><joint name="s" type="slide" axis="1 0 1" range="-.1 .2"/><joint name="t" axis="0 0 1" range="-2 2"/><geom size=".04" pos="0 .05 0"/></body></body></body>
  <body pos="0 1 0"><joint name="c" axis="1 0 0" range="-1.5 1.5" solreflimit="-500 -20"/><geom size=".1" pos="0 0 .2"/></body>
  <body pos="2 1 0"><freejoint/><geom size=".1"/></body>
</worldbody>
<tendon><spatial name="string" range=".1 .5" limited="true"><site site="high"/><geom geom="roll" sidesite="side"/><site site="middle"/><site site="end"/></spatial>
  <fixed name="sum"><joint joint="a" coef="1.5"/><joint joint="s" coef="-2"/></fixed></tendon>
<equality><joint joint1="c" joint2="a" polycoef="0 .5 .1 0 0"/>{}</equality>
<actuator>{}</actuator></mujoco>"""
ACTUATORS = """<muscle tendon="string"/><muscle joint="a" gear="-2"/><muscle tendon="sum" gear="3"/><muscle joint="t" lengthrange="1 2"/>
<motor joint="s"/><general joint="c" gaintype="user"/><general joint="t" biastype="muscle" biasprm="0.75 1.05 -1 200 .5 1.6 1.5 1.3 1.2"/>"""
OPTIONS = [
    'inttotal="1.5" interval=".3" tolrange="9"',
    'inttotal="1.5" interval=".3" tolrange="9" mode="all" useexisting="false" maxforce="3" timeconst=".2" timestep="0" accel="5"',
    'inttotal="1" interval=".3" tolrange="9" mode="muscleuser" uselimit="true"',
    'mode="none"',
]


def compiled(text: str):
    """The model that newtonlite compiles."""
    builder = ModelBuilder()
    builder.add_mjcf(text)
    return compile_model(builder.finalize(device="cpu"))


@pytest.mark.parametrize("options", OPTIONS)
def test_ranges(options):
    text = ARM.format(options, '<option timestep="0.02"/>', "", ACTUATORS)
    want = oracle.compile_xml(text).actuator_lengthrange
    assert np.abs(compiled(text).actuator_lengthrange - want).max() <= tolerance("compiled") * max(
        1.0, np.abs(want).max()
    )


SHORT = 'inttotal=".3" interval=".05" tolrange="999" mode="all"'
BESIDE = {
    "implicit integrator": ('<option integrator="implicit"/>', ""),
    "tendon with armature": ('<default><tendon armature=".1"/></default>', ""),
    "connected bodies": ("", '<connect body1="p" body2="q" anchor=".1 .2 .3"/>'),
    "connected sites": ("", '<connect site1="high" site2="side"/>'),
    "welded bodies": ("", '<weld body1="p" body2="q" torquescale=".3" relpose=".1 .2 .3 1 .2 .1 0"/>'),
    "body welded to the world": ("", '<weld body1="p"/>'),
    "welded sites": ("", '<weld site1="end" site2="high" solref=".1 1"/>'),
}


def arm(options: str, head: str, equality: str, actuators: str) -> str:
    """A model with two named bodies, and a straight string where tendons have armature."""
    text = ARM.format(options, head, equality, actuators)
    text = text.replace('<body pos="0 1 0">', '<body name="p" pos="0 1 0">').replace(
        '<body pos="2 1 0">', '<body name="q" pos="2 1 0">'
    )
    return text.replace('<geom geom="roll" sidesite="side"/>', "") if "armature=" in head else text


@pytest.mark.parametrize("what", BESIDE)
def test_ranges_beside_what_else_moves_the_arm(what):
    text = arm(
        SHORT, *BESIDE[what], '<muscle tendon="string"/><muscle joint="a" gear="-2"/><muscle tendon="sum" gear="3"/>'
    )
    want, got = oracle.compile_xml(text), compiled(text)
    assert np.abs(got.actuator_lengthrange - want.actuator_lengthrange).max() <= tolerance("compiled")


def test_of_several_outputs_the_first_has_a_range_as_in_mujoco():
    text = arm(SHORT, "", "", '<orientation joint="b" kp="2"/><motor joint="s"/>')
    want, got = oracle.compile_xml(text), compiled(text)
    assert (want.actuator_lengthrange[1:3] == 0).all()
    assert np.abs(got.actuator_lengthrange - want.actuator_lengthrange).max() <= tolerance("compiled")


def test_worlds_that_differ_have_their_own_ranges():
    texts = [
        arm(SHORT, "", "", f'<muscle tendon="sum" gear="3"/><motor joint="a" armature="{a}"/>').replace(
            '<geom size=".1" pos="0 0 .2"/>', f'<geom size="{size}" pos="0 0 .2"/>'
        )
        for a, size in ((0.5, 0.1), (0.01, 0.2))
    ]
    want = [oracle.compile_xml(text).actuator_lengthrange for text in texts]
    scene = ModelBuilder()
    for text in texts:
        one = ModelBuilder()
        one.add_mjcf(text)
        scene.add_world(one)
    got = compile_worlds(Worlds(scene.finalize(device="cpu"), np.arange(2, dtype=np.int32))).actuator_lengthrange
    assert np.abs(want[0] - want[1]).max() > 10 * tolerance("compiled")
    assert np.abs(got - want).max() <= tolerance("compiled")


REFUSED = {
    "comes to no rest": ('inttotal="1" interval=".9"', "", "", '<muscle name="m" tendon="string"/>'),
    "would take more than": ('inttotal="1e6"', "", "", '<muscle joint="a"/>'),
    "integrator discrete": (SHORT, '<option integrator="discrete"/>', "", '<muscle joint="a"/>'),
}


@pytest.mark.parametrize("problem", REFUSED)
def test_what_is_not_computed_is_refused(problem):
    with pytest.raises(ModelError, match=problem):
        compiled(arm(*REFUSED[problem]))


def test_ranges_that_do_not_settle_are_refused_as_by_mujoco():
    text = ARM.format(*REFUSED["comes to no rest"])
    with pytest.raises(ValueError, match="did not converge"):
        oracle.compile_xml(text)
