"""Bad files end in one line with file, line and column, soon, within little memory, and the builder as it was.

The numbers are those of a list of 26 faults that readers and models meet; each has a case, or a test of its own, named
after it.
"""

import os
import random
import re
import struct
import time
import tracemalloc

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.errors import ModelError, NewtonWarning, ParseError
from newtonlite.exporters.mjcf import write_mjcf
from newtonlite.importers.mjcf.read import MAX_ELEMENTS
from newtonlite.importers.report import Report
from newtonlite.schema.asset import MAX_FACES, MAX_VERTICES
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers import SolverMuJoCo
from newtonlite.solvers.mujoco.compile import compile_model
from tests import oracle
from tests.harness.mutate import flip, judge

KINEMATICS = re.compile(r"^[^:]*:\d+:\d+: ")
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


def of_mesh(file: str) -> bytes:
    """A model with a mesh from a file."""
    inside = mesh('file="' + file + '"')
    return f"<mujoco>{inside}</mujoco>".encode()


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
    (7, '<worldbody><geom type="mesh" mesh="m"/></worldbody>', "there is no mesh 'm'"),
    (7, '<worldbody><geom size="1" class="c"/></worldbody>', "there is no default class 'c'"),
    (7, f"{WORLD}<contact><pair geom1='g' geom2='h'/></contact>", "there is no geom 'h'"),
    (8, '<include file="missing.xml"/>', "Cannot resolve relative path 'missing.xml'"),
    (11, '<worldbody><replicate count="2000000000"><geom size="1"/></replicate></worldbody>', "are more than"),
    (
        11,
        "<worldbody>" + '<replicate count="1000">' * 4 + '<geom size="1"/>' + "</replicate>" * 4 + "</worldbody>",
        "are more than",
    ),
    (12, mesh('file="file:///etc/passwd"'), "is not a path of a file on this machine"),
    (12, mesh('file="package://robot/a.stl"'), "is not a path of a file on this machine"),
    (12, mesh('file="\\\\host\\a.stl"'), "is not a path of a file on this machine"),
    (17, moving('<geom size="1" mass="-1"/>'), "is negative"),
    (17, moving('<inertial pos="0 0 0" mass="nan" diaginertia="1 1 1"/>'), "not finite"),
    (17, moving('<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>'), "is negative"),
    (18, moving('<inertial pos="0 0 0" mass="1" fullinertia="1 1 1 2 0 0"/>'), "not positive definite"),
    (18, moving('<inertial pos="0 0 0" mass="1" diaginertia="1 1 9"/>'), "break A \\+ B >= C"),
    (19, '<worldbody><body><joint axis="0 0 0"/><geom size="1"/></body></worldbody>', "axis has length zero"),
    (19, '<worldbody><body quat="0 0 0 0"><geom size="1"/></body></worldbody>', "length zero"),
    (19, '<worldbody><geom size="-1"/></worldbody>', "positive size"),
    (20, '<worldbody><body><joint range="2 1" limited="true"/><geom size="1"/></body></worldbody>', "is not less than"),
    (20, '<worldbody><geom size="1" condim="2"/></worldbody>', "is no dimension of contacts"),
    (20, '<worldbody><geom size="1" friction="-1"/></worldbody>', "friction of at least 0"),
    (20, '<worldbody><body><joint range="nan 1" limited="true"/><geom size="1"/></body></worldbody>', "not finite"),
    (20, '<worldbody><geom size="1" solref="inf 1"/></worldbody>', "not finite"),
    (21, '<option timestep="0"/>', "greater than 0"),
    (21, '<option timestep="nan"/>', "not finite"),
    (21, '<option tolerance="nan"/>', "not finite"),
    (21, '<option tolerance="-1"/>', "is negative"),
    (21, '<option iterations="-1"/>', "is negative"),
    (22, moving('<geom size="1"/><body><freejoint/><geom size="1"/></body>'), "whose parent is the world"),
    (22, moving("<joint/>" * 6 + '<geom size="1"/>'), "more than 6 degrees of freedom"),
    (22, "<worldbody><joint/></worldbody>", "is not known inside <worldbody>"),
    (23, mesh('file="missing.stl"'), "does not exist"),
    (23, mesh(f'vertex="{BOX}" face="0 1 9"'), "a face names vertex 9"),
    (23, mesh('vertex="0 0 0 1 0 0"'), "at least 3"),
    (23, mesh('vertex="0 0 0 0 0 0 0 0 0 0 0 0"'), "point|coincid|flat|volume|one place"),
    (23, mesh(f'vertex="{BOX}" scale="1e30 1e30 1e30"'), "beyond 1e15|not finite|large"),
    (24, hfield('size="1 1 1 1" nrow="2" ncol="2" elevation="1 2 3"'), "need 4"),
    (24, hfield('size="1 1 1 1" nrow="100000" ncol="100000"'), "20000000 points"),
    (24, hfield('size="1 1 1 1" nrow="2" ncol="2" elevation="1 2 3 nan"'), "not finite"),
    (25, f'{WORLD}<keyframe><key qpos="1 2"/></keyframe>', "the model has 1"),
    (25, f'{WORLD}<keyframe><key ctrl="1"/></keyframe>', "the model has 0"),
    (25, f'{WORLD}<actuator><motor joint="j" gear="1 2 3 4 5 6 7"/></actuator>', "expected at most 6|7 values"),
    (25, f'{WORLD}<actuator><general joint="j" ctrlrange="1"/></actuator>', "expected 2 numbers"),
    (25, f'{WORLD}<equality><joint joint1="j" polycoef="1 2 3 4 5 6"/></equality>', "6 values"),
    (25, f'{WORLD}<tendon><fixed name="t"/></tendon>', "empty"),
    (25, f'{WORLD}<equality><connect body1="b"/></equality>', "anchor"),
]


def fails(text: str, problem: str, **options) -> None:
    """Reading ends in an error as it should be."""
    builder = ModelBuilder()
    tracemalloc.start()
    start = time.process_time()
    with pytest.raises(ParseError, match=problem) as error:
        builder.add_mjcf(text, **options)
    spent, peak = time.process_time() - start, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert KINEMATICS.match(str(error.value)) and "\n" not in str(error.value)
    assert (builder.body_count, builder.shape_count, builder.joint_count, len(builder.custom_frequency_counts)) == (
        0,
        0,
        0,
        len(ModelBuilder().custom_frequency_counts),
    )
    assert spent < SECONDS and peak < BYTES


def named(cases) -> dict:
    """The cases of a test, each with a name that begins with the number of its fault."""
    ids = [f"fault {number:02} {re.sub(r'[^a-z ]', ' ', problem)[:30].strip()}" for number, _, problem in cases]
    return {"argnames": ("number", "text", "problem"), "argvalues": cases, "ids": ids}


def huge_stl() -> bytes:
    """As many corners as are one too many, no two in one place."""
    count = MAX_VERTICES // 3 + 1
    faces = np.zeros(count, np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")]))
    faces["v"] = np.arange(9 * count).reshape(-1, 3, 3)
    return bytes(80) + struct.pack("<I", count) + faces.tobytes()


HUGE = {
    "elements": (
        lambda: "<mujoco><worldbody>" + (MAX_ELEMENTS - 1) * "<geom/>" + "</worldbody></mujoco>",
        ":1:14000006: <geom> the file has more than 2000000 elements",
    ),
    "numbers": (
        lambda: "<mujoco>" + mesh(f"vertex='{(MAX_VERTICES + 1) * '0 1 2 '}'") + "</mujoco>",
        "vertex: has more than 15000000 numbers",
    ),
    "msh": (
        lambda: struct.pack("<4i", MAX_VERTICES + 1, 0, 0, 0) + bytes(12 * MAX_VERTICES + 12),
        "has 5000001 vertices; at most 5000000",
    ),
    "obj": (lambda: (MAX_VERTICES + 1) * b"v 0 0 0\n" + b"f 1 2 3\n", "has 5000001 vertices; at most 5000000"),
    "faces.obj": (lambda: 4 * b"v 0 0 0\n" + (MAX_FACES + 1) * b"f 1 2 3\n", "has 10000001 faces; at most 10000000"),
    "stl": (huge_stl, "has 5000001 vertices; at most 5000000"),
}


@pytest.mark.parametrize("make, problem", HUGE.values(), ids=HUGE)
def test_more_than_is_read(tmp_path, request, make, problem):
    """What is one beyond a limit is refused as soon as other faults are, without being taken apart."""
    data, kind = make(), request.node.callspec.id.split(".")[-1]
    text = data
    if isinstance(data, bytes):
        (tmp_path / f"m.{kind}").write_bytes(data)
        (tmp_path / "m.xml").write_bytes(of_mesh(f"m.{kind}"))
        text = str(tmp_path / "m.xml")
    del data
    builder, start = ModelBuilder(), time.process_time()
    with pytest.raises(ParseError, match=problem) as error:
        builder.add_mjcf(text)
    assert time.process_time() - start < SECONDS
    assert KINEMATICS.match(str(error.value)) and builder.shape_count == 0


def test_files_without_end(tmp_path):
    """A mesh of a terabyte, and a pipe into which nobody writes."""
    with (tmp_path / "big.stl").open("wb") as file:
        file.truncate(1 << 40)
    os.mkfifo(tmp_path / "pipe.stl")
    for name, problem in (("big.stl", "has 1099511627776 bytes; at most"), ("pipe.stl", "a device or a pipe")):
        (tmp_path / "m.xml").write_bytes(of_mesh(name))
        fails(str(tmp_path / "m.xml"), f"file '{name}' .*{problem}")


@pytest.mark.parametrize(**named(RAW))
def test_broken_files(number, text, problem):
    fails(text, problem)


@pytest.mark.parametrize(**named(CASES))
def test_broken_models(number, text, problem):
    fails(f"<mujoco>{text}</mujoco>", problem)


FILES = [
    (1, b"", "is empty"),
    (8, b'<mujoco><include file="m.xml"/></mujoco>', "Circular include: file 'm.xml' includes itself"),
    (8, b'<mujoco><include file="sub"/></mujoco>', "is a folder"),
    (8, b'<mujoco><include file="one.xml"/></mujoco>', "Circular include: file 'one.xml' includes itself"),
    (8, b'<mujoco><include file="deep0.xml"/></mujoco>', "deep"),
    (12, b'<mujoco><include file="../../../etc/passwd"/></mujoco>', "outside the model's root"),
    (
        12,
        b'<mujoco><asset><mesh name="m" file="../../x.stl"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>',
        "outside the model's root",
    ),
    (12, b'<mujoco><include file="/etc/passwd"/></mujoco>', "outside the model's root"),
    (12, b'<mujoco><include file="link.xml"/></mujoco>', "outside the model's root"),
    (13, "<mujoco/>".encode("utf-16"), "is UTF-16"),
    (13, b"<mujoco model='\xff\xfe'/>", "not well-formed"),
    (23, of_mesh("empty.stl"), "too few for a binary STL"),
    (23, of_mesh("lies.stl"), "has room for"),
    (23, of_mesh("sub"), "is a folder"),
]


FILES += [(23, of_mesh("garbage.stl"), "has room for"), (23, of_mesh("nan.stl"), "not finite")]


@pytest.mark.parametrize(**named(FILES))
def test_broken_files_on_disk(tmp_path, number, text, problem):
    fails(str(folder(tmp_path, text) / "m.xml"), problem, allow_outside=False)


def folder(tmp_path, data: bytes):
    """A folder with a model, and files that it may name."""
    home = tmp_path / "a" / "b"
    (home / "sub").mkdir(parents=True)
    triangle = b"\0" * 12 + b"\0\0\xc0\x7f" * 9 + b"\0\0"
    files = {
        "m.xml": data,
        "empty.stl": b"",
        "lies.stl": b"\0" * 80 + (10**6).to_bytes(4, "little") + b"\0" * 500,
        "garbage.stl": random.Random(0).randbytes(5000),
        "nan.stl": b"\0" * 80 + (4).to_bytes(4, "little") + 4 * triangle,
        "one.xml": b'<mujoco><include file="two.xml"/></mujoco>',
        "two.xml": b'<mujoco><include file="one.xml"/></mujoco>',
    } | {f"deep{k}.xml": f'<mujoco><include file="deep{k + 1}.xml"/></mujoco>'.encode() for k in range(34)}
    for name, content in files.items():
        (home / name).write_bytes(content)
    (home / "link.xml").symlink_to("/etc/hostname")
    (tmp_path / "x.xml").write_text("<mujoco><option timestep='.1'/></mujoco>")
    return home


def test_fault_03_is_let_through_with_a_warning_and_listed():
    report = Report()
    text = '<mujoco><worldbody><bodi/><geom siz="2" size="1"/></worldbody></mujoco>'
    builder = ModelBuilder()
    with pytest.warns(NewtonWarning, match="did you mean"):
        builder.add_mjcf(text, report=report, on_unsupported="warn")
    assert builder.shape_count == 1 and {message.partition(" ")[0] for message in report.refused} == {
        "<string>:1:20:",
        "<string>:1:33:",
    }


def test_fault_12_files_outside_are_read_unless_the_model_is_not_trusted(tmp_path, monkeypatch):
    path = str(folder(tmp_path, b'<mujoco><include file="../../x.xml"/></mujoco>') / "m.xml")
    ModelBuilder().add_mjcf(path)
    fails(path, "outside the model's root", allow_outside=False)
    monkeypatch.setenv("NEWTONLITE_ALLOW_OUTSIDE", "0")
    fails(path, "outside the model's root")
    ModelBuilder().add_mjcf(path, allow_outside=True)


STRING = """<worldbody><body><joint/><geom name='g' size='.1'/><site name='s' pos='.2 0 0'/><site name='e'/></body></worldbody>
<tendon><spatial><site site='s'/>{}<site site='e'/></spatial></tendon>""".replace("\n", "")
LEFT_OUT = {
    STRING.format("<geom/>"): "<geom> names no geom; tendon references unknown geom '', skipping element",
    STRING.format("<geom geom='h'/>"): "tendon references unknown geom 'h', skipping element",
    STRING.format("<geom geom='g' sidesite='t'/>"): "there is no site 't'.*sidesite 't' not found",
    STRING.format("<site site='t'/>"): "unknown site 't', skipping element",
    f"{WORLD}<contact><exclude body1='b' body2='c'/></contact>": "there is no body 'c'",
    f"{WORLD}<contact><exclude body1='b'/></contact>": "<exclude> needs the attribute 'body2'",
    f"{WORLD}<sensor><touch site='s'/></sensor>": "there is no site 's'",
    "<include/>": "<include> names no file",
    "<option><flag newest='enable'/></option>": "has no attribute 'newest'",
    "<asset><texture name='t' type='2d' file='none.png'/></asset>": "file 'none.png' does not exist",
}


@pytest.mark.parametrize("text", LEFT_OUT)
def test_fault_07_what_newton_leaves_out_is_left_out_with_a_warning(text):
    report = Report()
    with pytest.warns(NewtonWarning, match=rf"^<string>:1:\d+: .*{LEFT_OUT[text]}.*left out"):
        ModelBuilder().add_mjcf(f"<mujoco>{text}</mujoco>", report=report)
    assert len(report.refused) == 1


UNCOMPILED = [
    (17, moving('<geom size="1" mass="0"/>'), "moves no mass"),
    (17, moving(""), "moves no mass"),
    (18, moving('<inertial pos="0 0 0" mass="1" diaginertia="0 0 0"/>'), "moves no mass"),
    (23, mesh('vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"'), "its mesh has no volume"),
    (23, mesh('vertex="0 0 0 1 0 0 0 1 0 1 1 0"'), "its mesh has no volume"),
]


@pytest.mark.filterwarnings("ignore:.*the points lie in a plane")
@pytest.mark.parametrize(**named(UNCOMPILED))
def test_what_newton_imports_is_refused_when_the_solver_is_made(number, text, problem):
    builder = ModelBuilder()
    builder.add_mjcf(f"<mujoco>{text}</mujoco>")
    with pytest.raises(ModelError, match=problem):
        SolverMuJoCo(builder.finalize("cpu"))
    with pytest.raises(ValueError):
        oracle.compile_xml(f"<mujoco>{text}</mujoco>")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="who is root may read everything")
def test_fault_23_files_that_may_not_be_read(tmp_path):
    home = folder(tmp_path, of_mesh("garbage.stl"))
    (home / "garbage.stl").chmod(0)
    fails(str(home / "m.xml"), "cannot be read")


def test_fault_14_flipped_bytes():
    """``test_fuzz`` and benchmarks/fuzz_import do this to many files."""
    data, rng = oracle.HUMANOID.read_bytes(), random.Random(14)
    for _ in range(100):
        assert judge(lambda text: ModelBuilder().add_mjcf(text), flip(rng, data, ())) in ("read", "refused")


def test_fault_15_what_is_read_and_written_reads_the_same():
    text = f"<mujoco>{WORLD}<actuator><motor joint='j'/></actuator></mujoco>"
    first = compiled(text)
    again = compiled(write_mjcf(first)[0])
    assert write_mjcf(again) == write_mjcf(first)


def compiled(text: str):
    """Our compiled model of a text."""
    builder = ModelBuilder()
    builder.add_mjcf(text)
    return compile_model(builder.finalize(device="cpu"))


READ_BY_MUJOCO = {
    (2, "is not the root of an MJCF model"): "<robot name='x'/>",  # it reads URDF by the same door
    (9, "document type declaration"): "DOCTYPE",
    (5, "not finite"): 'pos="',
    (20, "friction of at least 0"): "friction",
    (20, "not finite"): "solref|range",
    (21, "greater than 0"): "timestep",
    (21, "not finite"): "option",
    (21, "is negative"): "option",
    (17, "not finite"): "mass",
    (23, "beyond 1e15|not finite|large"): "1e30",
    (24, "not finite"): "elevation",
}
"""What MuJoCo lets through to the simulation."""
ENDLESS = re.compile('count="[0-9]{4,}"|nrow="100000"')
"""What it does not finish."""


def test_fault_16_what_we_refuse_mujoco_refuses_but_for_a_few():
    for number, text, problem in RAW + [(n, f"<mujoco>{text}</mujoco>", problem) for n, text, problem in CASES]:
        if ENDLESS.search(text):
            continue
        try:
            oracle.compile_xml(text)
        except ValueError:
            continue
        assert re.search(READ_BY_MUJOCO.get((number, problem), "$^"), text), (number, text)


def test_fault_26_worlds_of_another_structure_are_listed():
    builder = ModelBuilder()
    for shape in ("add_shape_box", "add_shape_sphere"):
        builder.begin_world()
        getattr(builder, shape)(builder.add_body(), label="part")
        builder.end_world()
    with pytest.raises(
        ModelError, match="worlds must have the same structure as world 0, but world 1: shape_type of 'part' is"
    ):
        SolverMuJoCo(builder.finalize(device="cpu"), separate_worlds=True)


def test_every_fault_has_a_case():
    alone = {int(name[11:13]) for name in globals() if name.startswith("test_fault_")}
    assert alone | {number for number, *_ in RAW + CASES + FILES + UNCOMPILED} == set(range(1, 27))


def test_contacts_stiffer_than_numbers_go_have_no_gains():
    builder = newton.ModelBuilder()
    builder.add_mjcf('<mujoco><worldbody><body><joint/><geom size=".1" solref="1e-300"/></body></worldbody></mujoco>')
    usual = newton.ModelBuilder()
    usual.add_mjcf('<mujoco><worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>')
    assert builder.shape_material_ke == usual.shape_material_ke
