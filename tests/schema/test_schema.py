"""The schema is complete, consistent, and agrees with the scene and with the namespace."""

import pytest

from newtonlite.core.table import STATUSES, boolean, integer, keyword, real
from newtonlite.importers.mjcf.shortcuts import LAWS, SHORTCUTS
from newtonlite.schema import MUJOCO
from newtonlite.schema.columns import columns
from newtonlite.schema.namespace import COLUMNS, FREQUENCIES, PER_WORLD
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.attributes import register, table

ELEMENTS = dict(MUJOCO.walk())
ATTRS = [(path, attr) for path, element in ELEMENTS.items() for attr in element.attrs]


def test_elements_of_all_sections_are_there():
    for path in (
        "mujoco/option/flag",
        "mujoco/worldbody/body/joint",
        "mujoco/default/geom",
        "mujoco/tendon/fixed/joint",
        "mujoco/actuator/muscle",
        "mujoco/sensor/touch",
        "mujoco/keyframe/key",
    ):
        assert path in ELEMENTS


def test_statuses_are_known():
    assert {e.status for e in ELEMENTS.values()} | {a.status for _, a in ATTRS} <= set(STATUSES)


def test_attributes_of_an_element_have_different_names():
    for path, element in ELEMENTS.items():
        names = [a.name for a in element.attrs]
        assert len(names) == len(set(names)), path


def test_defaults_are_values_of_their_kind():
    for path, attr in ATTRS:
        if attr.default is None or attr.kind.base in ("text", "name", "reference"):
            continue
        values = attr.default if isinstance(attr.default, tuple) else (attr.default,)
        assert attr.kind.scalar == (not isinstance(attr.default, tuple)), (path, attr.name)
        if attr.kind.words:
            assert set(values) <= set(attr.kind.words.values()), (path, attr.name)
        elif attr.kind.high is not None:
            assert len(values) == attr.kind.high, (path, attr.name)


def test_a_default_class_holds_neither_names_nor_references_to_elements():
    for path, element in ELEMENTS.items():
        if path.startswith("mujoco/default/"):
            held = {a.name for a in element.attrs}
            assert not held & {"name", "class", "joint", "tendon", "body1", "geom1"}, path


def test_what_a_row_binds_is_an_attribute_of_the_scene():
    known = {*ModelBuilder().columns, *(f"mujoco:{name}" for name in columns())}
    for path, attr in ATTRS:
        assert set(attr.binds.split()) <= known, (path, attr.name)


def test_a_row_that_switches_a_range_names_one_of_its_element():
    for path, element in ELEMENTS.items():
        for attr in element.attrs:
            assert not attr.decides or element.attr(attr.decides).kind.high == 2, (path, attr.name)


def test_actuator_shortcuts_have_a_function_or_are_refused():
    for element in MUJOCO.child("actuator").children:
        assert element.name in SHORTCUTS or element.name in LAWS or element.status == "refused"


def test_registering_twice_changes_nothing():
    builder = ModelBuilder()
    register(builder)
    before = dict(builder.custom_attributes)
    register(builder)
    assert builder.custom_attributes == before
    assert set(FREQUENCIES) <= set(builder.custom_frequencies)


def test_what_is_per_world_has_that_frequency():
    found = columns()
    assert {found[name].frequency for name in PER_WORLD} == {"world"}
    assert found["iterations"].frequency == "once"


def test_names_written_out_are_unique_and_listed():
    names = [c.name for c in COLUMNS]
    assert len(names) == len(set(names))
    assert all(name in table() for name in names)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (real, "1e-3", 0.001),
        (real[3], " 1\t2\n3 ", (1.0, 2.0, 3.0)),
        (real[1:5], "1 2", (1.0, 2.0)),
        (real[0:None], "", ()),
        (integer, "-7", -7),
        (integer[2], "0 5", (0, 5)),
        (boolean, "true", True),
        (keyword("a", "b"), "b", 1),
        (keyword("a", "b")[1:None], "b a", (1, 0)),
    ],
)
def test_kinds_read_text(kind, text, value):
    assert kind.parse(text) == value


@pytest.mark.parametrize(
    ("kind", "text", "problem"),
    [
        (real, "one", "'one' is not a number; expected 1 number"),
        (real, "1_0", "'1_0' is not a number; expected 1 number"),
        (real, "nan", "'nan' is not finite; give an ordinary number"),
        (real, "1e400", "'1e400' is not finite; give an ordinary number"),
        (real[3], "1 2", "has 2 values; expected 3 numbers"),
        (real[1:5], "1 2 3 4 5 6", "has 6 values; expected 1 to 5 numbers"),
        (integer, "1.5", "'1.5' is not an integer; expected 1 integer"),
        (boolean, "yes", "unknown keyword 'yes'; expected one of false, true"),
    ],
)
def test_kinds_say_what_is_wrong(kind, text, problem):
    with pytest.raises(ValueError) as error:
        kind.parse(text)
    assert str(error.value) == problem
