"""What a stage says of an axis that its joint does not move along is in the report; nothing vanishes."""

import pytest

from newtonlite.importers.report import Report
from tests.harness.usd_stages import at, body, joint, load, prim, stage
from tests.tolerance import assert_close

ROOT = ("PhysicsArticulationRootAPI",)
DRIVE = ("float drive:{0}:physics:stiffness = 100", "float drive:{0}:physics:damping = 20")
OF_AXES = {
    "drive": ("PhysicsDriveAPI:{0}", "float drive:{0}:physics:stiffness = 100"),
    "limit": ("PhysicsLimitAPI:{0}", "float limit:{0}:physics:low = -1"),
    "state": ("PhysicsJointStateAPI:{0}", "float state:{0}:physics:position = 0.1"),
}
"""Schemas of single axes, and an attribute of each."""


def read(kind: str, *inside: str, apis=()):
    """The builder of one joint, and the lines of the report."""
    report = Report()
    parts = body("a"), body("b", where=at(1)), joint(kind, "j", "/r/a", "/r/b", *inside, apis=apis)
    builder, _ = load(stage(prim("Xform", "r", *parts, apis=ROOT)), report=report)
    return builder, report.lines()


@pytest.mark.parametrize("kind", ["Revolute", "Prismatic", "Fixed", "Spherical"])
@pytest.mark.parametrize("what", OF_AXES)
@pytest.mark.parametrize("axis", ["Y", "Z", "transY", "rotZ", "distance", "nonsense"])
def test_settings_of_an_axis_that_the_joint_lacks_are_reported(kind, what, axis):
    api, attr = (text.format(axis) for text in OF_AXES[what])
    turn = () if kind in ("Fixed", "Spherical") else ('uniform token physics:axis = "X"',)
    _, lines = read(kind, *turn, attr, apis=(api,))
    assert [line for line in lines if f"a {what} of '{axis}' is not followed" in line and "/r/j" in line], lines


@pytest.mark.parametrize("name", ["linear", "X", "transX"])
def test_a_drive_may_be_named_after_the_one_axis(name):
    inside = ('uniform token physics:axis = "X"', *(text.format(name) for text in DRIVE))
    builder, lines = read("Prismatic", *inside, apis=(f"PhysicsDriveAPI:{name}",))
    assert_close([builder.joint_target_ke[-1:]], [[100.0]], "authored")
    assert not [line for line in lines if "not followed" in line]


def test_a_drive_of_a_locked_axis_is_reported():
    inside = (
        "float limit:transX:physics:low = 1",
        "float limit:transX:physics:high = -1",
        *(text.format("transX") for text in DRIVE),
        *(text.format("rotZ") for text in DRIVE),
    )
    apis = ("PhysicsLimitAPI:transX", "PhysicsDriveAPI:transX", "PhysicsDriveAPI:rotZ")
    _, lines = read("", *inside, apis=apis)
    assert [line for line in lines if "a drive of 'transX' is not followed" in line]
    assert not [line for line in lines if "'rotZ'" in line or "a limit of" in line]
