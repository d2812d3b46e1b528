"""Floating joints: below a link that stands still they are free joints of the world; below others they are refused."""

import warnings

import numpy as np
import pytest

from newtonlite import eval_fk
from newtonlite.core.enums import JointType
from newtonlite.core.errors import ParseError
from newtonlite.importers.report import Report
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness.urdf_robots import joint, link, robot
from tests.tolerance import tolerance

PLACE = '<origin xyz="0 0 1" rpy="0 0 1.5707963"/>'
SLIDE = "<axis xyz='1 0 0'/><limit lower='0' upper='1' effort='1' velocity='1'/>"
BELOW_WORLD = robot(
    link("world", ""),
    link("a"),
    link("b"),
    joint("f", "floating", "world", "a", PLACE),
    joint("j", "prismatic", "a", "b", SLIDE),
)


def imported(text: str, **options) -> ModelBuilder:
    builder = ModelBuilder()
    builder.add_urdf(text, **options)
    return builder


@pytest.mark.parametrize("convention", ["newton", "mujoco"])
@pytest.mark.parametrize("options", [{}, {"floating": True}], ids=str)
def test_below_the_link_world_a_robot_floats(convention, options):
    model = imported(BELOW_WORLD, convention=convention, **options).finalize(device="cpu")
    state = model.state()
    eval_fk(model, model.joint_q, model.joint_qd, state)
    row = next(i for i, label in enumerate(model.body_label) if label.endswith("/a"))
    assert model.joint_dof_count == 7
    assert np.allclose(state.body_q.numpy()[row], [0, 0, 1, 0, 0, 0.5**0.5, 0.5**0.5], atol=tolerance("authored"))
    assert compile_model(model).nv == 7


def test_it_moves_with_the_place_of_the_robot_and_is_in_the_report():
    report = Report()
    builder = imported(BELOW_WORLD, xform=((1, 2, 3), (0, 0, 0, 1)), report=report)
    assert list(builder.joint_q[:3]) == [1, 2, 4] and JointType.FREE in builder.joint_type
    assert [group.what for group in report.converted] == ["joint"]


def test_floating_false_fixes_it():
    builder = imported(BELOW_WORLD, floating=False)
    assert JointType.FREE not in builder.joint_type and builder.joint_dof_count == 1


def test_several_parts_float_on_a_base_that_stands_still():
    text = robot(
        link("base"),
        link("plate"),
        link("a"),
        link("b"),
        joint("p", "fixed", "base", "plate", PLACE),
        joint("f", "floating", "plate", "a", PLACE),
        joint("g", "floating", "base", "b"),
    )
    model = imported(text).finalize(device="cpu")
    assert model.joint_dof_count == 12 and model.articulation_count == 3
    assert sorted(model.joint_q.numpy()[[2, 9]].tolist()) == [0.0, 2.0]


REFUSED = {
    "below a link that moves": (
        BELOW_WORLD.replace("prismatic", "floating"),
        {},
        "which the joint 'f' moves; hang its child on the root link 'world'",
    ),
    "with a base that floats": (BELOW_WORLD.replace("world", "base"), {"floating": True}, "leave these out"),
    "with a joint of the caller's": (BELOW_WORLD, {"base_joint": {}}, "leave these out"),
}


@pytest.mark.parametrize("how", REFUSED)
def test_elsewhere_the_error_says_what_to_do_in_the_urdf(how):
    text, options, message = REFUSED[how]
    builder = ModelBuilder()
    with (
        pytest.raises(ParseError, match=rf"^<string>:1:\d+: <joint .*floating below link .*{message}"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        builder.add_urdf(text, **options)
    assert builder.body_count == 0
