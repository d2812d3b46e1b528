"""newtonlite convert and inspect, on MJCF and URDF."""

import json

import numpy as np
import pytest

from newtonlite.cli.audit import audit
from newtonlite.cli.convert import compile_source
from newtonlite.cli.main import main
from newtonlite.importers.files import root_tag
from tests.oracle import MODELS, compile_xml

ROBOT = MODELS / "urdf" / "every_joint.urdf"


def test_urdf_becomes_mjcf(tmp_path, capsys):
    out = tmp_path / "robot.xml"
    assert main(["convert", str(ROBOT), str(out)]) == 0
    assert f"{compile_xml(ROBOT).nbody} bodies" in capsys.readouterr().out
    assert np.array_equal(compile_xml(out).jnt_type, compile_xml(ROBOT).jnt_type)


def test_binary_and_back(tmp_path):
    binary, one, two = tmp_path / "m.bin", tmp_path / "m.xml", tmp_path / "again" / "m.xml"
    two.parent.mkdir()
    assert main(["convert", "humanoid", str(binary)]) == 0
    assert main(["convert", str(binary), str(two)]) == 0
    assert main(["convert", "humanoid", str(one)]) == 0
    assert one.read_text() == two.read_text()


@pytest.mark.parametrize(
    "arguments, message", [(["humanoid", "x.json"], "ends in '.json'"), (["none.xml", "x.xml"], "none.xml")]
)
def test_mistakes_are_told_in_one_line(arguments, message, capsys):
    assert main(["convert", *arguments]) == 2
    reported = capsys.readouterr().err
    assert message in reported and reported.count("\n") == 1


def test_inspect_tells_what_the_import_did(capsys):
    main(["inspect", str(ROBOT)])
    reported = capsys.readouterr().out
    assert (
        "import: used:" in reported
        and "transmission: drives of real robots" in reported
        and "check: masses and inertias look right" in reported
    )


INERTIAL = '<inertial><mass value="{}"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial>'
WALKER = f"""<robot name="walker"><link name="trunk">{INERTIAL.format(3)}</link><link name="leg">{INERTIAL.format(1)}</link>
<joint name="hip" type="continuous"><parent link="trunk"/><child link="leg"/><axis xyz="0 1 0"/></joint></robot>"""


def test_inspect_shows_the_root_of_a_robot_that_floats(tmp_path, capsys):
    file = tmp_path / "walker.urdf"
    file.write_text(WALKER)
    for option, bodies, joints in (((), ["leg"], ["hinge"]), (("--floating",), ["trunk", "leg"], ["free", "hinge"])):
        assert main(["inspect", str(file), "--json", *option]) == 0
        found = json.loads(capsys.readouterr().out)
        assert [b["name"] for b in found["bodies"]] == bodies
        assert [j["type"] for j in found["joints"]] == joints
        assert found["mass"] == (4.0 if option else 1.0)


def audited(inertial: str, more: str = "") -> list[str]:
    """Findings about a body with an inertial."""
    path = f'<mujoco><compiler balanceinertia="false"/><worldbody><body name="b"><joint/>{inertial}<geom size=".1"/></body>{more}</worldbody></mujoco>'
    from newtonlite.sim.builder import ModelBuilder
    from newtonlite.solvers.mujoco.compile import compile_model

    builder = ModelBuilder()
    builder.add_mjcf(path)
    return audit(compile_model(builder.finalize(device="cpu")))


@pytest.mark.parametrize(
    "inertial, finding",
    [
        ("<inertial pos='0 0 0' mass='1' diaginertia='.004 .004 .004'/>", ""),
        ("<inertial pos='0 0 0' mass='1' diaginertia='1e-6 .004 .004'/>", "differ by more than"),
        ("<inertial pos='0 0 0' mass='1' diaginertia='90 90 90'/>", "its inertia is that of a mass"),
    ],
)
def test_audit_of_a_body(inertial, finding):
    found = audited(inertial)
    assert any(finding in line for line in found) if finding else not found


def test_audit_compares_masses():
    heavy = "<body name='h' pos='5 0 0'><joint/><geom size='1' mass='1e5'/></body>"
    assert any(
        "times as heavy as body 'b'" in line
        for line in audited("<inertial pos='0 0 0' mass='1' diaginertia='.004 .004 .004'/>", heavy)
    )


def test_a_format_is_told_by_its_root():
    assert root_tag(b"<?xml version='1.0'?><!-- <mujoco> --><robot name='x'><link/>") == "robot"
    assert root_tag(b"\n <mujoco/>") == "mujoco" and root_tag(b"nothing") == "" and root_tag(b"") == ""


def test_packaged_models_look_right():
    from newtonlite import models

    assert audit(compile_source(models.path("humanoid"))) == []
