"""Attributes of URDF that a builder declares."""

import pytest
import warp as wp

from newtonlite.core.enums import AttributeFrequency
from newtonlite.core.errors import ParseError
from newtonlite.importers.report import Report
from newtonlite.sim.builder import ModelBuilder
from newtonlite.sim.builder.custom import CustomAttribute
from newtonlite.solvers import SolverMuJoCo

ROBOT = """<robot name="r" fleet="7">
  <link name="a" wear="0.5"><collision><geometry condim="6" grip="1 2"><box size=".1 .1 .1"/></geometry></collision></link>
  <link name="b"><collision><geometry><box size=".1 .1 .1"/></geometry></collision></link>
  <joint name="j" type="revolute" oil="thick"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
</robot>"""


def declare(builder: ModelBuilder, name: str, frequency: str, dtype, default, **more) -> None:
    kind = AttributeFrequency[frequency]
    builder.add_custom_attribute(CustomAttribute(name, dtype, kind, default=default, **more))


def own() -> ModelBuilder:
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    declare(builder, "fleet", "ARTICULATION", wp.int32, 0)
    declare(builder, "age", "BODY", wp.float32, 1.0, urdf_attribute_name="wear")
    declare(builder, "grip", "SHAPE", wp.vec3, 9.0)
    declare(builder, "oil", "JOINT", str, "none", urdf_value_transformer=lambda text, context: text.upper())
    return builder


def test_elements_give_values_to_what_they_stand_for():
    builder, report = own(), Report()
    builder.add_urdf(ROBOT, report=report)
    model = builder.finalize(device="cpu")
    assert model.mujoco.condim.numpy().tolist() == [6, 3]
    assert model.fleet.numpy().tolist() == [7] and model.age.numpy().tolist() == [0.5, 1.0]
    assert model.grip.numpy().tolist() == [[1.0, 2.0, 9.0], [9.0] * 3] and list(model.oil) == ["none", "THICK"]
    assert not report.ignored  # and nothing of it belongs to another program


def test_declared_attributes_are_words_where_unknown_ones_are_errors():
    own().add_urdf(ROBOT, on_unsupported="raise")
    with pytest.raises(ParseError, match="has no attribute 'fleet'"):
        ModelBuilder().add_urdf(ROBOT, on_unsupported="raise")


def test_a_value_that_is_none_has_its_place():
    with pytest.raises(ParseError, match=r"^<string>:2:.*grip"):
        own().add_urdf(ROBOT.replace('grip="1 2"', 'grip="much"'))
