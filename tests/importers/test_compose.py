"""include, replicate, attach: models made of several files and of copies."""

import math

import pytest

from newtonlite.core.errors import NewtonWarning, ParseError
from newtonlite.core.mujoco import MjtSensor
from newtonlite.importers.mjcf import load_mjcf
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests import oracle
from tests.harness import import_fields
from tests.harness.spec_of import spec_of, world
from tests.importers.test_compiled_fields import differences
from tests.tolerance import tolerance

ARM = b"""<mujoco model="arm"><compiler angle="radian"/><default><geom size=".2"/></default>
<worldbody><body name="arm" pos="0 1 0"><joint name="j" ref=".5"/><geom name="g" euler="0 0 1.5"/><site name="s"/></body>
<body name="other"><joint name="k"/><geom/></body></worldbody>
<tendon><fixed name="t"><joint joint="j" coef="2"/></fixed><fixed name="both"><joint joint="j" coef="1"/><joint joint="k" coef="1"/></fixed></tendon>
<actuator><motor name="m" joint="j"/><motor tendon="t"/></actuator>
<keyframe><key name="home" qpos="1 2"/></keyframe></mujoco>"""


def names(items) -> list[str]:
    """The names of some items."""
    return [item.name for item in items]


def test_replicate_numbers_names_and_chains_poses():
    spec = world(
        '<replicate count="3" offset="1 0 0" euler="0 0 90" sep="-"><body name="b"><geom name="g" size=".1"/></body></replicate>'
    )
    assert names(spec.bodies[1:]) == ["b-0", "b-1", "b-2"]
    assert [b.pos for b in spec.bodies[1:]] == [pytest.approx(p) for p in ((0, 0, 0), (1, 0, 0), (1, 1, 0))]
    assert spec.bodies[3].quat == pytest.approx((0, 0, 0, 1))


def test_numbers_have_as_many_digits_as_the_count():
    spec = world(
        '<replicate count="10"><replicate count="2" sep="_"><geom name="g" size=".1"/></replicate></replicate>'
    )
    assert names(spec.geoms)[:3] == ["g_000", "g_100", "g_001"]


def test_what_refers_to_copies_is_copied_after_the_others():
    spec = spec_of(
        """<worldbody><replicate count="2"><body name="b"><joint name="j"/><geom size=".1"/></body></replicate>
        <body><joint name="own"/><geom size=".1"/></body></worldbody>
        <actuator><motor name="m" joint="j"/><motor name="n" joint="own"/></actuator>"""
    )
    assert names(spec.actuators) == ["n", "m0", "m1"]
    assert [a["target"].name for a in spec.actuators] == ["own", "j0", "j1"]


def test_attach_brings_a_body_with_what_belongs_to_it():
    spec = spec_of(
        """<asset><model name="arm" file="arm.xml"/></asset>
        <worldbody><body name="base"><geom size=".1"/><frame pos="1 0 0"><attach model="arm" body="arm" prefix="left_"/></frame></body></worldbody>""",
        assets={"arm.xml": ARM},
    )
    assert names(spec.bodies[1:]) == ["base", "left_arm"]
    assert spec.bodies[2].pos == (1.0, 1.0, 0.0)
    assert spec.geoms[1]["size"][0] == 0.2, "defaults are those of the attached model"
    assert spec.geoms[1].quat[0] == pytest.approx(math.cos(0.75)), "angles are those of the attached model"
    assert names(spec.tendons) == ["left_t"] and names(spec.actuators) == ["left_m", ""]


def test_a_whole_model_is_attached_with_its_keyframes():
    spec = spec_of(
        '<asset><model name="arm" file="arm.xml"/></asset><worldbody><attach model="arm" prefix="a_"/></worldbody>',
        assets={"arm.xml": ARM},
    )
    assert names(spec.tendons) == ["a_t", "a_both"]
    assert (names(spec.keys), spec.keys[0]["qpos"]) == (["a_home"], (1.0, 2.0))


def test_replicated_attachments_have_one_keyframe_that_poses_the_first():
    spec = spec_of(
        '<asset><model name="arm" file="arm.xml"/></asset><worldbody><replicate count="2"><attach model="arm" prefix="a_"/></replicate></worldbody>',
        assets={"arm.xml": ARM},
    )
    assert names(spec.keys) == ["a_home"]
    assert spec.keys[0]["qpos"] == (1.0, 2.0, 0.5, 0.0)


def test_include_takes_the_contents_of_a_file(tmp_path):
    (tmp_path / "part.xml").write_text('<any><geom name="inner" size=".1"/><include file="sub/leaf.xml"/></any>')
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "leaf.xml").write_text('<any><geom name="leaf" size=".1"/></any>')
    main = tmp_path / "main.xml"
    main.write_text(
        '<mujoco><worldbody><geom name="a" size=".1"/><include file="part.xml"/><geom name="b" size=".1"/></worldbody></mujoco>'
    )
    assert names(load_mjcf(str(main))[0].geoms) == ["a", "inner", "leaf", "b"]


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"main.xml": '<include file="main.xml"/>'}, "Circular include: file .main.xml. includes itself"),
        (
            {"main.xml": '<include file="b.xml"/>', "b.xml": '<x><include file="main.xml"/></x>'},
            "Circular include: file .main.xml. includes itself",
        ),
        ({"main.xml": '<include file="none.xml"/>'}, "does not exist"),
        ({"main.xml": '<include file="../../../etc/hostname"/>'}, "outside the model's root"),
        ({"main.xml": '<include file="file:///x.xml"/>'}, "is not a path"),
        ({"main.xml": '<include file="b.xml"/>', "b.xml": "<x/>"}, "contains nothing to include"),
    ],
)
def test_includes_that_cannot_be_are_refused(tmp_path, files, problem):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(f"<mujoco>{text}</mujoco>" if name == "main.xml" else text)
    with pytest.raises(ParseError, match=problem) as error:
        load_mjcf(str(folder / "main.xml"), allow_outside=False)
    assert ".xml:1:" in str(error.value)


def test_too_many_copies_are_refused_before_they_are_made():
    for text in (
        '<replicate count="2000000000"><geom size=".1"/></replicate>',
        "<replicate count='9999'>" * 3 + "<geom size='1'/>" + "</replicate>" * 3,
    ):
        with pytest.raises(ParseError, match="copies of"):
            world(text)


def test_a_model_that_attaches_itself_is_refused(tmp_path):
    main = tmp_path / "main.xml"
    main.write_text(
        '<mujoco><asset><model name="m" file="main.xml"/></asset><worldbody><attach model="m" prefix="x"/></worldbody></mujoco>'
    )
    with pytest.raises(ParseError, match="attaches itself"):
        load_mjcf(str(main))


HOST = '<mujoco><compiler conflict="{}"/>{}<asset><model name="c" file="c.xml"/></asset><worldbody><attach model="c" body="b" prefix="c/"/></worldbody></mujoco>'
GUEST = '<mujoco model="c">{}<worldbody><body name="b"><geom size="1"/></body></worldbody></mujoco>'
OPTIONS = [
    *(
        (f'{name}="3e-3"', f'{name}="2e-3"')
        for name in (
            "timestep",
            "tolerance",
            "ls_tolerance",
            "noslip_tolerance",
            "ccd_tolerance",
            "impratio",
            "density",
        )
    ),
    *(
        (f'{name}="7"', f'{name}="8"')
        for name in (
            "iterations",
            "ls_iterations",
            "noslip_iterations",
            "ccd_iterations",
            "sdf_iterations",
            "sdf_initpoints",
        )
    ),
    ('wind="1 0 0"', 'wind="0 1 0"'),
    ('integrator="RK4"', 'integrator="implicit"'),
    ('actuatorgroupdisable="1 2"', 'actuatorgroupdisable="2 3"'),
    ('o_solref=".1"', 'o_solref=".1 1"'),
    ("", 'gravity="1 2 3" cone="elliptic" timestep="0.001"'),
]
TEXTS = [(f"<option {one}/>", f"<option {two}/>") for one, two in OPTIONS]
TEXTS += [
    (f'<option><flag {name}="{one}"/></option>', f'<option><flag {name}="{two}"/></option>')
    for name in ("damper", "energy")
    for one, two in (("enable", "disable"), ("disable", "enable"))
]
TEXTS += [
    ("", '<option><flag damper="disable" sleep="enable"/></option>'),
    ('<size nkey="2"/>', '<size nkey="3" nuserdata="4"/>'),
]


@pytest.mark.parametrize("mode", ["warning", "merge", "error"])
@pytest.mark.parametrize(("host", "guest"), [*TEXTS, *(pair[::-1] for pair in TEXTS)])
def test_conflicts_with_attached_models(mode, host, guest):
    host, guest = HOST.format(mode, host), GUEST.format(guest)
    try:
        reference = oracle.compile_xml(host, {"c.xml": guest.encode()})
    except ValueError:
        with pytest.raises(ParseError, match="1:[0-9]+: <attach> the attached model disagrees"):
            spec_of(host, assets={"c.xml": guest.encode()})
        return
    builder = ModelBuilder()
    builder.add_mjcf(host, assets={"c.xml": guest.encode()})
    ours = compile_model(builder.finalize(device="cpu"))
    assert {name: e for name, e in import_fields.compare(reference, ours).items() if e > tolerance("compiled")} == {}


PENDULA = """<mujoco><worldbody><body name="root"><joint name="rj"/><geom name="rg" size=".1"/><site name="w"/></body>
<replicate count="2" offset="1 0 0"><body name="b"><joint name="j"/><geom name="g" size=".1"/><site name="a"/></body></replicate></worldbody>%s</mujoco>"""
TENDON = '<tendon><spatial name="t"><site site="w"/><geom geom="g"/><site site="a"/></spatial></tendon>'


@pytest.mark.parametrize(
    "rest",
    [
        TENDON,
        TENDON
        + '<actuator><motor tendon="t" name="m"/></actuator><sensor><tendonpos name="p" tendon="t"/><actuatorpos name="q" actuator="m"/></sensor>',
        '<tendon><fixed name="t"><joint joint="rj" coef="1"/><joint joint="j" coef="2"/></fixed></tendon>',
        '<contact><exclude name="e" body1="root" body2="b"/><pair name="p" geom1="g" geom2="rg"/></contact>',
        '<sensor><framepos name="e" objtype="body" objname="root" reftype="body" refname="b"/></sensor>',
        '<equality><joint name="e" joint1="j"/></equality><actuator><motor name="m" joint="j"/></actuator>',
    ],
)
def test_what_refers_to_replicas_and_to_others_is_replicated(rest):
    assert differences(PENDULA % rest) == {}


@pytest.mark.parametrize(
    "rest",
    ['<equality><joint joint1="rj" joint2="j"/></equality>', '<actuator><motor site="a" refsite="w"/></actuator>'],
)
def test_ties_of_replicas_to_others_are_left_out_as_in_mujoco(rest):
    with pytest.warns(NewtonWarning, match="ties what is replicated to what is not"):
        assert differences(PENDULA % rest) == {}


OWN = '<body name="b"><joint name="j"/><geom name="g" size=".1"/><site name="s"/><body name="c" pos="1 0 0"><joint name="k"/><geom type="mesh" mesh="m"/></body></body>'
SELF = """<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>%s</worldbody>
<actuator><motor name="m" joint="j"/></actuator><tendon><fixed name="t"><joint joint="j" coef="1"/><joint joint="k" coef="1"/></fixed></tendon>
<sensor><jointpos name="sj" joint="j"/></sensor><contact><exclude name="e" body1="b" body2="c"/></contact><equality><joint joint1="j" joint2="k"/></equality>
<keyframe><key name="home" qpos="1 2"/></keyframe></mujoco>"""


@pytest.mark.filterwarnings("ignore:.*ties what is attached a second time")
@pytest.mark.parametrize(
    "inside",
    [
        OWN + '<frame pos="0 0 1"><attach body="b" prefix="x_"/></frame>',
        OWN + '<attach body="b" prefix="x_"/><frame pos="0 0 1"><attach body="x_b" prefix="y_"/></frame>',
        f'<frame name="f" pos="1 2 3">{OWN}</frame><attach frame="f" prefix="x_"/>',
        OWN + '<body name="z"><attach body="c" prefix="x_"/></body>',
    ],
)
def test_a_model_may_attach_its_own_bodies(inside):
    assert differences(SELF % inside) == {}


@pytest.mark.parametrize(
    ("inside", "problem"),
    [
        ('<attach body="b" prefix="x_"/>' + OWN, "there is no body 'b' before it"),
        (OWN + '<attach prefix="x_"/>', "takes a body or a frame of the model itself"),
        (OWN.replace("</body></body>", '<attach body="b" prefix="x_"/></body></body>'), "stands inside the body 'b'"),
        (f'<frame name="f">{OWN}<attach frame="f" prefix="x_"/></frame>', "stands inside the frame 'f'"),
    ],
)
def test_what_a_model_cannot_attach_of_itself(inside, problem):
    with pytest.raises(ParseError, match=rf"<attach> .*{problem}"):
        load_mjcf(SELF % inside)


TOUCHING = b"""<mujoco model="arm"><worldbody><body name="b"><joint name="j"/><geom name="g" size=".1"/><site name="s"/>
<body name="c" pos="1 0 0"><joint/><geom name="h" size=".1"/></body></body></worldbody>
<contact><pair name="p" geom1="g" geom2="h"/><pair geom1="h" geom2="g" condim="1"/><exclude body1="b" body2="c"/></contact></mujoco>"""
TWO_ARMS = """<mujoco><asset><model name="arm" file="arm.xml"/></asset><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<frame pos="1 0 0"><attach model="arm" prefix="l_"/></frame><frame pos="2 0 0"><attach model="arm" body="b" prefix="r_"/></frame></worldbody>
<contact><pair name="x" geom1="l_g" geom2="r_g"/><pair geom1="floor" geom2="r_h"/><exclude body1="l_b" body2="r_c"/></contact>
<equality><connect site1="l_s" site2="r_s"/></equality><actuator><motor joint="l_j"/></actuator>
<sensor><framepos objtype="site" objname="r_s"/></sensor></mujoco>"""


def test_pairs_and_others_name_what_is_attached_by_its_prefix():
    assert differences(TWO_ARMS, {"arm.xml": TOUCHING}) == {}


def test_nested_replicas_have_a_tendon_each():
    body = '<body name="b"><joint name="j"/><geom name="g" size=".1"/><site name="a"/><site name="c" pos=".1 0 .2"/></body>'
    path = '<spatial name="t" limited="true" range="0 1"><site site="a"/><geom geom="g" sidesite="c"/><site site="c"/></spatial>'
    rows = f'<replicate count="2" offset="0 1 0"><replicate count="3" offset="1 0 0" sep="_">{body}</replicate></replicate>'
    rest = '<equality><tendon tendon1="t"/></equality><sensor><tendonpos tendon="t"/></sensor><actuator><motor tendon="t"/>'
    assert differences(f"<mujoco><worldbody>{rows}</worldbody><tendon>{path}</tendon>{rest}</actuator></mujoco>") == {}


def test_replicas_leave_sensors_without_an_object_alone():
    """MuJoCo doubles them with every copy (docs/files.md)."""
    ball = '<body name="b"><freejoint/><geom size=".1"/></body>'
    text = f"""<mujoco><worldbody><replicate count="3" offset="1 0 0">{ball}</replicate></worldbody>
        <sensor><clock/><e_potential/><framepos objtype="body" objname="b"/></sensor></mujoco>"""
    builder = ModelBuilder()
    builder.add_mjcf(text)
    kinds = [MjtSensor(kind) for kind in compile_model(builder.finalize(device="cpu")).sensor_type]
    assert kinds == [MjtSensor.CLOCK, MjtSensor.E_POTENTIAL, *[MjtSensor.FRAMEPOS] * 3]
    assert oracle.compile_xml(text).nsensor == 2 * 2**3 + 3


ARM_OF_REPLICAS = """<mujoco model="k"><worldbody>%s</worldbody><tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>
<equality><joint name="e" joint1="j"/><joint joint1="rj" joint2="j"/></equality><sensor><jointpos name="s" joint="j"/></sensor>
<actuator><motor name="m" joint="j"/><motor name="rm" joint="rj"/><motor name="tm" tendon="t"/></actuator></mujoco>"""
COPIES = '<replicate count="2" offset="1 0 0"><body name="b"><joint name="j"/><geom size=".1"/></body></replicate><body name="r"><joint name="rj"/><geom size=".1"/></body>'
FINGER = '<mujoco model="i"><worldbody><body><joint name="ij"/><geom size=".1"/></body><replicate count="2"><body><joint name="cj"/><geom size=".1"/></body></replicate></worldbody><actuator><motor name="c" joint="cj"/><motor name="i" joint="ij"/></actuator></mujoco>'
NESTED = '<attach model="i" prefix="n_"/>'


@pytest.mark.filterwarnings("ignore:.*ties what is")
@pytest.mark.parametrize("order", [COPIES, COPIES + NESTED, NESTED + COPIES])
@pytest.mark.parametrize(
    "attach",
    [
        '<attach model="k" prefix="p_"/>',
        '<attach model="k" prefix="p_"/><attach model="k" prefix="q_"/>',
        '<replicate count="2" offset="0 1 0"><attach model="k" prefix="p_"/></replicate>',
    ],
)
def test_what_refers_to_replicas_of_an_attached_model_is_replicated(attach, order):
    arm = (ARM_OF_REPLICAS % order).replace("<worldbody>", '<asset><model name="i" file="i.xml"/></asset><worldbody>')
    host = f'<mujoco><asset><model name="k" file="k.xml"/></asset><worldbody>{attach}</worldbody></mujoco>'
    assert differences(host, {"k.xml": arm.encode(), "i.xml": FINGER.encode()}) == {}


@pytest.mark.parametrize(
    "inside",
    [
        f'<body name="o">{COPIES}</body><attach body="o" prefix="x_"/>',
        f'<frame name="o">{COPIES}</frame><replicate count="2"><attach frame="o" prefix="x_"/></replicate>',
    ],
)
@pytest.mark.parametrize("attached", [False, True])
def test_replicas_that_a_model_attaches_of_itself_come_along(inside, attached):
    arm = (ARM_OF_REPLICAS % inside).replace('<joint joint1="rj" joint2="j"/>', "")
    host = '<mujoco><asset><model name="k" file="k.xml"/></asset><worldbody><replicate count="2"><attach model="k" prefix="p_"/></replicate></worldbody></mujoco>'
    assert differences(*((host, {"k.xml": arm.encode()}) if attached else (arm,))) == {}
