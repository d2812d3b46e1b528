"""Files with thousands of like elements: each passes through few functions, and comes out as it would alone."""

import sys

import numpy as np
import pytest

from newtonlite.core.enums import AttributeFrequency, GeoType
from newtonlite.core.errors import ModelError
from newtonlite.sim.builder import ModelBuilder
from newtonlite.sim.builder.attributes import add_custom_columns
from newtonlite.sim.builder.custom import CustomAttribute, CustomFrequency
from newtonlite.sim.builder.shapes import NewShape, add_shapes


def model(sites: int) -> str:
    """A link with sites, a sensor on each, and a motor on every other one."""
    rows = "".join(f"<site name='s{k}' pos='{k} 0 0'/>" for k in range(sites))
    motors = "".join(f"<motor site='s{k}'/>" for k in range(sites // 2))
    sensors = "".join(f"<framepos objtype='site' objname='s{k}'/>" for k in range(sites))
    return (
        f"<mujoco><worldbody><body><joint axis='0 1 0'/><geom size='.1'/>{rows}</body></worldbody>"
        f"<actuator>{motors}</actuator><sensor>{sensors}</sensor></mujoco>"
    )


def calls(text: str) -> int:
    """Python functions that reading a text calls."""
    builder, count = ModelBuilder(), 0

    def seen(frame, event, argument):
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        builder.add_mjcf(text)
    finally:
        sys.setprofile(before)
    return count


def test_an_element_passes_through_few_functions():
    model_of = {n: model(n) for n in (40, 240)}
    calls(model_of[40])  # what is made once
    each = (calls(model_of[240]) - calls(model_of[40])) / (2.5 * 200)
    assert each < 55.0


SHAPES = [
    dict(type=GeoType.SPHERE, scale=(0.1, 0.0, 0.0), label="ball"),
    dict(type=GeoType.BOX, scale=[0.1, 0.2, 0.3], xform=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)),
    dict(type=GeoType.CAPSULE, scale=(-0.1, 0.2, 0.0), color=(1.0, 0.0, 0.0), opacity=0.5),
    dict(type=GeoType.PLANE, scale=None, is_static=True),
]


def two_links() -> ModelBuilder:
    """A builder with two bodies that a joint connects."""
    builder = ModelBuilder()
    one, two = builder.add_link(), builder.add_link()
    builder.add_articulation([builder.add_joint_revolute(-1, one), builder.add_joint_revolute(one, two)])
    return builder


def columns_of(builder) -> dict[str, list]:
    """All columns of a builder, as lists."""
    return {name: [np.ravel(value).tolist() for value in column] for name, column in builder.columns.items()}


def test_shapes_added_together_are_those_added_one_by_one():
    together, alone = two_links(), two_links()
    shapes = [dict(shape, body=k % 2) for k, shape in enumerate(SHAPES * 2) if shape["type"] != GeoType.PLANE]
    shapes.append(dict(SHAPES[3], body=-1))
    assert add_shapes(together, [NewShape(**shape) for shape in shapes]) == 0
    for shape in shapes:
        alone.add_shape(**shape)
    assert columns_of(together) == columns_of(alone)
    assert together.body_shapes == alone.body_shapes


def test_a_wrong_shape_among_others_is_named_and_none_is_added():
    builder = two_links()
    shapes = [NewShape(body=0, **SHAPES[0]), NewShape(body=1, type=GeoType.BOX, scale=(0.1, 0.0, 0.1), label="flat")]
    with pytest.raises(ModelError, match=r"add_shape 'flat' scale: \[0.1, 0.0, 0.1\]; sizes of a BOX"):
        add_shapes(builder, shapes)
    shapes[1] = NewShape(body=1, type=GeoType.SPHERE, custom_attributes={"weight": "much"}, label="heavy")
    builder.add_custom_attribute(CustomAttribute("weight", frequency=AttributeFrequency.SHAPE, dtype=float))
    with pytest.raises(ModelError, match="add_shape 'heavy' custom attribute 'weight': 'much' is no float32"):
        add_shapes(builder, shapes)
    assert builder.shape_count == 0


def rows_builder() -> ModelBuilder:
    """A builder with a kind of rows of its own."""
    builder = ModelBuilder()
    builder.add_custom_frequency(CustomFrequency("part", namespace="mine"))
    for name, dtype in (("size", float), ("count", int)):
        builder.add_custom_attribute(
            CustomAttribute(name, frequency="mine:part", dtype=dtype, namespace="mine", default=dtype(7))
        )
    return builder


def test_columns_are_rows():
    columns, rows = rows_builder(), rows_builder()
    given = [{"mine:size": 1.0}, {"mine:size": 2.0, "mine:count": 3}, {"mine:count": 4}]
    first = add_custom_columns(columns, [({"mine:size": [1.0, 2.0, None], "mine:count": [None, 3, 4]}, 3)])
    assert first == [{"mine:size": 0, "mine:count": 0}]
    assert rows.add_custom_values_batch(given) == [
        {"mine:size": 0},
        {"mine:size": 1, "mine:count": 1},
        {"mine:count": 2},
    ]
    for name in ("mine:size", "mine:count"):
        one, two = (builder.custom_attributes[name].array(3).tolist() for builder in (columns, rows))
        assert one == two
    with pytest.raises(ModelError, match="'mine:count'.*'many' is no"):
        add_custom_columns(columns, [({"mine:size": [1.0]}, 1), ({"mine:count": ["many"]}, 1)])
    assert columns.custom_frequency_counts["mine:part"] == 3
