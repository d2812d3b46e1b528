"""Small models that declare large numbers, or numbers that single precision does not hold, are refused with their place
and without memory.
"""

import re
import warnings

import numpy as np
import pytest

from newtonlite.core.errors import ParseError
from newtonlite.core.limits import LIMITS, Limit
from newtonlite.importers.mjcf import sizes
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers import SolverMuJoCo
from tests import oracle
from tests.harness.memory import run_bounded

PLACE = re.compile(r"^<string>:1:\d+: <\w+")
BALL = '<body pos="0 0 1"><freejoint/><geom size=".1"/></body>'
HINGE = '<body><joint name="j"/><geom size=".1"/></body>'


def model(body: str = BALL, before: str = "", behind: str = "") -> str:
    return f"<mujoco>{before}<worldbody>{body}</worldbody>{behind}</mujoco>"


def general(text: str) -> str:
    return model(HINGE, behind=f'<actuator><general joint="j" {text}/></actuator>')


def asset(text: str) -> str:
    return model(before=f"<asset>{text}</asset>")


N = "2000000000"
LARGE = {
    **{
        f"nuser_{name}": model(before=f'<size nuser_{name}="{N}"/>') for name in "body jnt geom site cam tendon".split()
    },
    "nuser_actuator": general("").replace("<worldbody>", f'<size nuser_actuator="{N}"/><worldbody>'),
    "nkey": model(before=f'<size nkey="{N}"/>'),
    "nkey times state": model(BALL * 200, f'<size nkey="{LIMITS["keyframes"].most}"/>'),
    "nuser times geoms": model('<geom size="1"/>' * 200, f'<size nuser_geom="{LIMITS["declared"].most}"/>'),
    "nuserdata": model(before=f'<size nuserdata="{N}"/>'),
    "numeric": model(behind=f'<custom><numeric name="n" size="{N}" data="1"/></custom>'),
    "numerics": model(behind="<custom>" + f'<numeric name="n" size="{LIMITS["declared"].most}"/>' * 200 + "</custom>"),
    "nsample of an actuator": general(f'nsample="{N}" delay="1"'),
    "nsample of a sensor": model(HINGE, behind=f'<sensor><jointpos joint="j" nsample="{N}" delay="1"/></sensor>'),
    "actdim": general(f'dyntype="user" actdim="{N}"'),
    "dim": model(HINGE, behind=f'<sensor><user dim="{N}"/></sensor>'),
    "num": model(HINGE, behind=f'<sensor><contact num="{N}"/></sensor>'),
    "iterations": model(before='<option iterations="2147483648"/>'),
    "contype": model('<geom size="1" contype="4294967296"/>'),
    "replicate": model(f'<replicate count="{N}">{BALL}</replicate>'),
    "replicate of nothing": model(f'<replicate count="{N}"/>'),
    "nested replicates": model(f'<replicate count="1000"><replicate count="1000">{BALL}</replicate></replicate>'),
    "grid": model(
        '<geom type="hfield" hfield="h"/>', f'<asset><hfield name="h" nrow="{N}" ncol="{N}" size="1 1 1 1"/></asset>'
    ),
    "grid of a file": model(
        '<geom type="hfield" hfield="h"/>', '<asset><hfield name="h" nrow="5000" ncol="5000" size="1 1 1 1"/></asset>'
    ),
    "texture": asset(f'<texture name="t" type="2d" builtin="flat" width="{N}" height="{N}"/>'),
    "thin texture": asset(f'<texture name="t" type="2d" builtin="flat" width="1" height="{N}"/>'),
    "cube": asset('<texture name="t" type="cube" builtin="flat" width="5000" height="1"/>'),
    "texture of nothing": asset(f'<texture name="t" type="2d" width="{N}" height="{N}"/>'),
    "channels": asset(f'<texture name="t" type="2d" width="100" height="100" nchannel="{N}"/>'),
    "builtin mesh": asset(f'<mesh name="m" builtin="plate" params="{N} {N}"/>'),
}
SETUP = """
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
def run(text):
    builder = ModelBuilder()
    builder.add_mjcf(text)
    compile_model(builder.finalize(device="cpu"))
run('<mujoco><worldbody><geom size="1"/></worldbody></mujoco>')
"""


def test_large_numbers_are_refused_with_their_place_and_without_memory():
    ended = run_bounded(SETUP, LARGE, 1 << 30)
    wrong = {name: row for name, row in ended.items() if not PLACE.match(row[0]) or row[1] > 100 << 20}
    assert not wrong


def test_copies_of_nothing_are_none():
    builder = ModelBuilder()
    builder.add_mjcf(model('<replicate count="400000"><replicate count="400000"/></replicate>' + BALL))
    assert builder.body_count == 1 and builder.shape_count == 1


def test_sizes_that_are_meant_are_read():
    text = general('nsample="50" delay=".01"').replace(
        "<worldbody>", '<size nuser_geom="20" nkey="3" nuserdata="1000"/><worldbody>'
    )
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(text)
    compiled, want = SolverMuJoCo(builder.finalize(device="cpu")).mj_model, oracle.compile_xml(text)
    assert (compiled.nuser_geom, compiled.nkey, compiled.nuserdata) == (want.nuser_geom, want.nkey, want.nuserdata)


def test_the_sum_of_all_declared_sizes_counts(monkeypatch):
    monkeypatch.setitem(LIMITS, "declared in all", Limit(1000, "numbers", "a test"))
    assert sizes.most("declared in all") == 1000
    with pytest.raises(ParseError, match=r"nuser_geom: 400 for 3 makes 1200 declared numbers; at most 1000"):
        ModelBuilder().add_mjcf(model('<geom size="1"/>' * 3, '<size nuser_geom="400"/>'))


BEYOND = {
    "pos": model('<body pos="0 0 1e39"><freejoint/><geom size=".1"/></body>'),
    "gravity": model(before='<option gravity="0 0 1e300"/>'),
    "timestep": model(before='<option timestep="1e-60"/>'),
    "size": model('<geom size="1e-46"/>'),
    "density": model('<body><freejoint/><geom size=".1" density="1e40"/></body>'),
    "range": model('<body><joint range="-1e300 1e300"/><geom size="1"/></body>'),
    "default": model(before='<default><geom friction="1e39 1 1"/></default>'),
    "key": model(HINGE, behind='<keyframe><key qpos="1e39"/></keyframe>'),
    "vertex": model(
        '<geom type="mesh" mesh="m"/>', '<asset><mesh name="m" vertex="0 0 0 1e39 0 0 0 1 0 0 0 1"/></asset>'
    ),
    "nan": model('<geom size="nan"/>'),
    "inf": model(before='<option gravity="0 0 -inf"/>'),
}


@pytest.mark.parametrize("text", BEYOND.values(), ids=BEYOND)
def test_numbers_beyond_single_precision_are_refused_with_their_place(text):
    builder = ModelBuilder()
    with pytest.raises(ParseError, match=PLACE), warnings.catch_warnings():
        warnings.simplefilter("error")
        builder.add_mjcf(text)
    assert builder.body_count == builder.shape_count == 0


def test_numbers_that_are_not_simulated_may_be_larger():
    text = model('<geom size="1" user="1e300"/>', behind='<custom><numeric name="n" data="1e300"/></custom>')
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(text)
    compiled = SolverMuJoCo(builder.finalize(device="cpu")).mj_model
    assert np.array_equal(compiled.numeric_data, oracle.compile_xml(text).numeric_data)


@pytest.mark.parametrize("text", ['size="1e13" density="1e10"', 'size="1e19" mass="1e10"'])
def test_a_mass_that_is_too_large_as_a_product_is_refused_with_its_body(text):
    builder = ModelBuilder()
    with pytest.raises(ParseError, match=r"^<string>:1:\d+: <body> its mass of .* beyond single precision"):
        builder.add_mjcf(model(f"<body><freejoint/><geom {text}/></body>"))
    assert builder.body_count == 0


TWICE = {
    "beside each other": ('<include file="a.xml"/><include file="a.xml"/>', {}),
    "by another spelling": ('<include file="a.xml"/><include file="./a.xml"/>', {}),
    "inside another": ('<include file="a.xml"/><include file="b.xml"/>', {"b.xml": '<x><include file="a.xml"/></x>'}),
}


@pytest.mark.parametrize("name", TWICE)
def test_a_file_included_twice_is_named_as_such_as_in_mujoco(tmp_path, name):
    text, more = TWICE[name]
    files = {"a.xml": '<x><default><default class="c"/></default></x>', "m.xml": f"<mujoco>{text}</mujoco>", **more}
    for file, content in files.items():
        (tmp_path / file).write_text(content)
    with pytest.raises(
        ParseError, match=r"\.xml:1:\d+: <include> file: file '.*a.xml' is already included \(first at "
    ):
        ModelBuilder().add_mjcf(str(tmp_path / "m.xml"))
    with pytest.raises(ValueError, match="already included"):
        oracle.compile_xml(tmp_path / "m.xml")


def test_a_file_may_be_attached_twice():
    inner = '<mujoco model="a"><worldbody><geom name="g" size="1"/></worldbody></mujoco>'
    text = model('<attach model="a" prefix="x"/><attach model="a" prefix="y"/>', '<asset><model file="a.xml"/></asset>')
    builder = ModelBuilder()
    builder.add_mjcf(text, assets={"a.xml": inner.encode()})
    assert builder.shape_count == 2
