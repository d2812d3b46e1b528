"""A model read at a scale is the model whose lengths are written out times that scale, as MuJoCo compiles it."""

import pytest

from newtonlite.core.errors import ModelError
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests import oracle
from tests.harness import import_fields
from tests.tolerance import tolerance


class Lengths:
    """Numbers of a text as they are at a scale."""

    def __init__(self, factor: float):
        self.factor = factor

    def __call__(self, *numbers: float, power: int = 1) -> str:
        """Lengths, or their powers."""
        return " ".join(repr(x * self.factor**power) for x in numbers)


def scene(m: Lengths) -> str:
    """A model with every kind of length."""
    return f"""<mujoco><compiler angle="radian"/><statistic extent="{m(3)}" center="{m(1, 2, 3)}"/>
<asset><mesh name="wedge" vertex="0 0 0 1 0 0 0 2 0 0 0 3 1 2 .5" scale="{m(0.1, 0.2, 0.3)}"/>
  <mesh name="spare" vertex="0 0 0 1 0 0 0 2 0 0 0 3 1 2 .5" scale="{m(1, 1, 1)}"/>
  <hfield name="hills" nrow="2" ncol="3" size="{m(1, 2, 0.5, 0.1)}" elevation="0 1 2 3 2 1"/></asset>
<worldbody><geom type="plane" size="{m(1, 1, 1)}"/><geom type="hfield" hfield="hills" pos="{m(5, 0, 0)}"/>
  <camera pos="{m(0, 0, 3)}"/><light pos="{m(1, 0, 3)}" dir="0 0 -1"/>
  <frame pos="{m(1, 0, 0)}" euler="0 .5 0"><light pos="{m(0, 2, 1)}"/>
    <body name="a" pos="{m(0, 0, 1)}"><freejoint/><geom type="box" size="{m(0.1, 0.2, 0.3)}" pos="{m(0.1, 0, 0)}"/><geom size="{m(0.1)}" mass="2" pos="{m(0, 0.4, 0)}"/><site name="s" pos="{m(0.1, 0, 0)}" size="{m(0.01)}"/></body></frame>
  <body name="b" pos="{m(0, 2, 1)}"><joint name="slide" type="slide" axis="0 1 1" range="{m(-1, 1)}" ref="{m(0.1)}" springref="{m(0.2)}" pos="{m(0.1, 0, 0)}"/>
    <geom type="capsule" fromto="{m(0, 0, 0, 0.3, 0.2, 0)}" size="{m(0.04)}"/><geom type="cylinder" mesh="wedge" fitscale=".5"/><site name="t" size="{m(0.02)}"/>
    <body name="c" pos="{m(0.3, 0, 0)}"><joint name="hinge" axis="1 0 0" pos="{m(0, 0, 0.1)}" range="-1 1"/><inertial pos="{m(0.1, 0, 0)}" mass="2" fullinertia="{m(1, 1, 1, 0.1, 0.1, 0, power=2)}"/><geom type="mesh" mesh="wedge" mass="1"/>
      <body name="d" pos="{m(0, 0, 0.3)}"><joint name="other" type="slide"/><inertial pos="0 0 0" mass="1" diaginertia="{m(1, 1, 1, power=2)}"/></body></body></body>
  <body name="m" mocap="true" pos="{m(1, 2, 3)}"/></worldbody>
<tendon><spatial name="string" range="{m(0.1, 4)}" springlength="{m(0.2)}" width="{m(0.01)}"><site site="s"/><site site="t"/></spatial>
  <fixed name="sum" range="-1 1"><joint joint="slide" coef="{m(2, power=-1)}"/><joint joint="hinge" coef="3"/></fixed></tendon>
<equality><connect body1="a" body2="b" anchor="{m(0.1, 0.2, 0.3)}"/><weld body1="c" body2="m" relpose="{m(0.1, 0.2, 0.3)} 1 0 0 0"/>
  <joint joint1="slide" joint2="hinge" polycoef="{m(0.1, 0.2, 0.3, 0.4, 0.5)}"/><joint joint1="slide" joint2="other" polycoef="{m(0.1)} 2 {m(3, power=-1)} 0 {m(4, power=-3)}"/>
  <tendon tendon1="string" polycoef="{m(0.1)} 0 0 0 0"/></equality>
<actuator><motor tendon="string" lengthrange="{m(1, 2)}"/><position joint="slide" kp="3" inheritrange=".5"/><motor cranksite="s" slidersite="t" cranklength="{m(0.3)}"/><motor joint="hinge" lengthrange="1 2"/></actuator>
<keyframe><key qpos="{m(1, 2, 3)} 1 0 0 0 {m(0.5)} .1 {m(0.2)}" qvel="{m(1, 2, 3)} 1 2 3 {m(4)} 5 {m(6)}" mpos="{m(4, 5, 6)}"/></keyframe></mujoco>"""


@pytest.mark.parametrize("factor", [2.5, 0.01])
def test_lengths(factor):
    builder = ModelBuilder()
    builder.add_mjcf(scene(Lengths(1.0)), scale=factor)
    ours = compile_model(builder.finalize(device="cpu"))
    found, _ = import_fields.differences(oracle.compile_xml(scene(Lengths(factor))), ours, tolerance("compiled"))
    assert found == {}


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan")])
def test_a_scale_is_positive(factor):
    with pytest.raises(ModelError, match="add_mjcf scale"):
        ModelBuilder().add_mjcf("<mujoco/>", scale=factor)
