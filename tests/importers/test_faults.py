"""Bad files end in one line with file, line and column, soon, within little memory, and the builder as it was.

The numbers are those of a list of 26 faults that readers and models meet; each has at least one case.
"""

import re
import time
import tracemalloc

import pytest

from newtonlite.core.errors import ParseError
from newtonlite.sim.builder import ModelBuilder

PLACE = re.compile(r"^[^:]*:\d+:\d+: ")
SECONDS, BYTES = 5.0, 1 << 30
BODY = '<body name="b"><joint name="j"/><geom name="g" size="1"/>{}</body>'
WORLD = f"<worldbody>{BODY.format('')}</worldbody>"


def mesh(text: str) -> str:
    """A model whose one geom is a mesh with these attributes."""
    return f'<asset><mesh name="m" {text}/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody>'


def hfield(text: str) -> str:
    """A model whose one geom is a height field with these attributes."""
    return f'<asset><hfield name="h" {text}/></asset><worldbody><geom type="hfield" hfield="h"/></worldbody>'


def moving(text: str) -> str:
    """A model of one moving body with this inside."""
    return f"<worldbody><body><joint/>{text}</body></worldbody>"


BOX = "0 0 0 1 0 0 0 1 0 0 0 1"
RAW = [
    (1, "<mujoco><worldbody>", "not well-formed"),
    (1, "<mujoco></a></mujoco>", "mismatched tag"),
    (2, "<robot name='x'/>", "is not the root of an MJCF model"),
    (2, "<scene/>", "is not the root of an MJCF model"),
    (9, '<!DOCTYPE a [<!ENTITY x "y">]><mujoco/>', "document type declaration"),
    (10, "<mujoco><worldbody>" + "<frame>" * 5000 + "</frame>" * 5000 + "</worldbody></mujoco>", "nested 501 deep"),
    (13, "<mujoco>\0</mujoco>", "not well-formed"),
]
CASES = [
    (3, "<worldbody><bodi/></worldbody>", "did you mean 'body'"),
    (3, '<worldbody><geom siz="1"/></worldbody>', "did you mean 'size'"),
    (4, '<worldbody><geom size="one"/></worldbody>', "is not a number"),
    (4, '<worldbody><geom pos="1 2" size="1"/></worldbody>', "expected 3 numbers"),
    (4, '<worldbody><geom size="1e400"/></worldbody>', "not finite"),
    (5, '<worldbody><geom pos="nan 0 0" size="1"/></worldbody>', "not finite"),
    (5, '<worldbody><geom pos="0 inf 0" size="1"/></worldbody>', "not finite"),
    (6, f"<worldbody>{BODY.format('')}{BODY.format('')}</worldbody>", "used a second time"),
    (6, '<worldbody><geom size="1" size="2"/></worldbody>', "duplicate attribute"),
    (7, f"{WORLD}<actuator><motor joint='k'/></actuator>", "there is no joint 'k'"),
    (7, f"{WORLD}<contact><exclude body1='b' body2='c'/></contact>", "there is no body 'c'"),
    (7, '<worldbody><geom type="mesh" mesh="m"/></worldbody>', "there is no mesh 'm'"),
    (7, '<worldbody><geom size="1" class="c"/></worldbody>', "there is no default class 'c'"),
    (7, f"{WORLD}<tendon><spatial><site site='s'/></spatial></tendon>", "there is no site 's'"),
    (8, '<include file="missing.xml"/>', "does not exist"),
    (11, '<worldbody><replicate count="2000000000"><geom size="1"/></replicate></worldbody>', "are more than"),
    (11, "<worldbody>" + '<replicate count="1000">' * 4 + '<geom size="1"/>' + "</replicate>" * 4 + "</worldbody>", "are more than"),
    (12, mesh('file="file:///etc/passwd"'), "is not a path of a file on this machine"),
    (12, mesh('file="package://robot/a.stl"'), "is not a path of a file on this machine"),
    (12, mesh('file="\\\\host\\a.stl"'), "is not a path of a file on this machine"),
    (17, moving('<geom size="1" mass="0"/>'), "has no mass"),
    (17, moving('<geom size="1" mass="-1"/>'), "is negative"),
    (17, moving(""), "has no mass"),
    (17, moving('<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>'), "is negative"),
    (18, moving('<inertial pos="0 0 0" mass="1" fullinertia="1 1 1 2 0 0"/>'), "not positive definite"),
    (18, moving('<inertial pos="0 0 0" mass="1" diaginertia="1 1 9"/>'), "break A \\+ B >= C"),
    (19, '<worldbody><body><joint axis="0 0 0"/><geom size="1"/></body></worldbody>', "axis has length zero"),
    (19, '<worldbody><body quat="0 0 0 0"><geom size="1"/></body></worldbody>', "length zero"),
    (19, '<worldbody><geom size="-1"/></worldbody>', "positive size"),
    (20, '<worldbody><body><joint range="2 1" limited="true"/><geom size="1"/></body></worldbody>', "is not less than"),
    (20, '<worldbody><geom size="1" condim="2"/></worldbody>', "is no dimension of contacts"),
    (20, '<worldbody><geom size="1" friction="-1"/></worldbody>', "friction of at least 0"),
    (21, '<option timestep="0"/>', "greater than 0"),
    (21, '<option tolerance="-1"/>', "is negative"),
    (21, '<option iterations="-1"/>', "is negative"),
    (22, moving('<geom size="1"/><body><freejoint/><geom size="1"/></body>'), "whose parent is the world"),
    (22, moving("<joint/>" * 6 + '<geom size="1"/>'), "more than 6 degrees of freedom"),
    (22, "<worldbody><joint/></worldbody>", "is not known inside <worldbody>"),
    (23, mesh('file="missing.stl"'), "does not exist"),
    (23, mesh(f'vertex="{BOX}" face="0 1 9"'), "a face names vertex 9"),
    (23, mesh('vertex="0 0 0 1 0 0"'), "at least 4"),
    (23, mesh('vertex="0 0 0 1 0 0 0 1 0 1 1 0"'), "flat|coplanar|plane|volume"),
    (23, mesh('vertex="0 0 0 0 0 0 0 0 0 0 0 0"'), "point|coincid|flat|volume|one place"),
    (23, mesh(f'vertex="{BOX}" scale="1e30 1e30 1e30"'), "beyond 1e15|not finite|large"),
    (24, hfield('size="1 1 1 1" nrow="2" ncol="2" elevation="1 2 3"'), "need 4"),
    (24, hfield('size="1 1 1 1" nrow="100000" ncol="100000"'), "50 million"),
    (24, hfield('size="1 1 1 1" nrow="2" ncol="2" elevation="1 2 3 nan"'), "not finite"),
    (25, f'{WORLD}<keyframe><key qpos="1 2"/></keyframe>', "the model has 1"),
    (25, f'{WORLD}<tendon><fixed name="t"/></tendon>', "empty"),
    (25, f'{WORLD}<equality><connect body1="b"/></equality>', "anchor"),
]


def fails(text: str, problem: str) -> None:
    """Reading ends in an error as it should be."""
    builder = ModelBuilder()
    tracemalloc.start()
    start = time.process_time()
    with pytest.raises(ParseError, match=problem) as error:
        builder.add_mjcf(text)
    spent, peak = time.process_time() - start, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert PLACE.match(str(error.value)) and "\n" not in str(error.value)
    assert (builder.body_count, builder.shape_count, builder.joint_count, len(builder.custom_frequency_counts)) == (0, 0, 0, len(ModelBuilder().custom_frequency_counts))
    assert spent < SECONDS and peak < BYTES


@pytest.mark.parametrize(("number", "text", "problem"), RAW)
def test_broken_files(number, text, problem):
    fails(text, problem)


@pytest.mark.parametrize(("number", "text", "problem"), CASES)
def test_broken_models(number, text, problem):
    fails(f"<mujoco>{text}</mujoco>", problem)


FILES = [
    (1, b"", "is empty"),
    (8, b'<mujoco><include file="m.xml"/></mujoco>', "a second time"),
    (8, b'<mujoco><include file="sub"/></mujoco>', "is a folder"),
    (12, b'<mujoco><include file="../../../etc/passwd"/></mujoco>', "outside the model's root"),
    (12, b'<mujoco><asset><mesh name="m" file="../../x.stl"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>', "outside the model's root"),
    (12, b'<mujoco><include file="/etc/passwd"/></mujoco>', "outside the model's root"),
    (12, b'<mujoco><include file="link.xml"/></mujoco>', "outside the model's root"),
    (13, "<mujoco/>".encode("utf-16"), "is UTF-16"),
    (13, b"<mujoco model='\xff\xfe'/>", "not well-formed"),
    (23, b'<mujoco><asset><mesh name="m" file="empty.stl"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>', "too few for a binary STL"),
    (23, b'<mujoco><asset><mesh name="m" file="lies.stl"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>', "has room for"),
    (23, b'<mujoco><asset><mesh name="m" file="sub"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>', "is a folder"),
]


@pytest.mark.parametrize(("number", "data", "problem"), FILES)
def test_broken_files_on_disk(tmp_path, number, data, problem):
    home = tmp_path / "a" / "b"
    (home / "sub").mkdir(parents=True)
    (home / "m.xml").write_bytes(data)
    (home / "empty.stl").write_bytes(b"")
    (home / "lies.stl").write_bytes(b"\0" * 80 + (10**6).to_bytes(4, "little") + b"\0" * 500)
    (home / "link.xml").symlink_to("/etc/hostname")
    fails(str(home / "m.xml"), problem)
