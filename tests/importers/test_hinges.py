"""Three hinges that become a ball joint: the same body, turned as the hinges would turn it."""

import warnings

import numpy as np
import pytest

from newtonlite.core.enums import JointType
from newtonlite.core.errors import NewtonWarning, ParseError
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from newtonlite.solvers.mujoco.compile.kinematics import dof_motion, pose_at
from tests import oracle
from tests.harness import import_fields
from tests.tolerance import assert_close, tolerance

HINGES = """<joint name="p" axis="0 0 1" pos="0 0 .1" range="-50 50" armature="1" damping=".1"/><joint name="q" axis="-1 0 0" pos="0 0 .1" range="-60 40" armature="2" damping=".2"/>
<joint name="r" axis="0 1 0" pos="0 0 .1" range="-30 30" armature="3" damping=".3"/>"""
SCENE = """<mujoco><worldbody><body name="a" pos="1 2 3" euler="10 20 30"><joint name="lift" type="slide" axis="1 0 0"/><geom size=".1"/>
<body name="b" pos="0 0 1" euler="5 0 0">{}<geom size=".1" pos=".1 .2 0"/><body pos="0 1 0"><joint name="end"/><geom size=".1"/></body></body></body></worldbody>{}</mujoco>"""
KEY = '<keyframe><key qpos=".5 .3 -.4 .2 .1" qvel="1 2 3 4 5"/></keyframe>'


def compiled(hinges: str = HINGES, rest: str = "", balls: bool = True, **options):
    """A model with its hinges made a ball, or left alone."""
    builder = ModelBuilder()
    builder.add_mjcf(SCENE.format(hinges, rest), convert_3d_hinge_to_ball_joints=balls, **options)
    return builder, compile_model(builder.finalize(device="cpu"))


def test_the_ball_has_what_each_hinge_has_about_its_own_axis():
    builder, m = compiled()
    joint = builder.joint_type.index(JointType.BALL)
    first = builder.joint_qd_start[joint]
    own = slice(first, first + 3)
    assert builder.joint_armature[own] == [2.0, 3.0, 1.0] and builder.joint_damping[own] == [0.2, 0.3, 0.1]
    assert np.rad2deg(builder.joint_limit_lower[own]).tolist() == pytest.approx([-60, -30, -50])
    assert np.rad2deg(builder.joint_limit_upper[own]).tolist() == pytest.approx([40, 30, 50])
    assert (m.nq, m.nv, m.njnt) == (6, 5, 3)


def test_springs_of_the_ball_rest_where_the_file_puts_the_body():
    stiff = HINGES.replace("armature", 'stiffness="5" armature')
    with pytest.warns(NewtonWarning, match="identity spring rest orientation"):
        builder, _ = compiled(stiff.replace("axis", 'springref="20" axis', 1))
    joint = builder.joint_type.index(JointType.BALL)
    first = builder.joint_q_start[joint]
    assert list(builder.joint_rest_q)[first : first + 4] == [0.0, 0.0, 0.0, 1.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled(stiff)
        compiled(HINGES.replace("axis", 'ref="20" axis', 1))


def test_equal_hinges_are_mujocos_ball():
    hinges = "".join(f'<joint axis="{axis}" armature="2" frictionloss=".1"/>' for axis in ("0 1 0", "0 0 1", "1 0 0"))
    ball = SCENE.format(
        '<joint type="ball" armature="2" frictionloss=".1"/>', '<actuator><motor joint="lift"/></actuator>'
    )
    _, m = compiled(hinges, '<actuator><motor joint="lift"/></actuator>')
    found, _ = import_fields.differences(oracle.compile_xml(ball), m, tolerance("compiled"))
    assert {name: e for name, e in found.items() if not name.startswith("names_")} == {}


@pytest.mark.parametrize("ref", ["", 'ref="20" '])
def test_keyframes_pose_and_move_the_body_as_before(ref):
    """Coordinates of hinges with ``ref`` count from it, those of the ball from where the file puts the body."""
    seen = []
    for balls in (False, True):
        _, m = compiled(HINGES.replace("axis", ref + "axis", 2), rest=KEY, balls=balls)
        pose = pose_at(m, m.key_qpos[0])
        angular = dof_motion(m, pose)[0]
        moves = [d for d in range(m.nv) if m.dof_bodyid[d] == 2]
        seen.append((pose.xpos, np.abs(pose.xquat), angular[moves].T @ m.key_qvel[0][moves], m.key_qvel[0][-1]))
    for one, two in zip(*seen, strict=True):
        assert_close(np.asarray(two), np.asarray(one), "authored", floor=1.0)


def test_motors_turn_the_ball_about_the_axes_of_their_hinges():
    _, m = compiled(
        rest='<actuator><motor joint="q" gear="3"/><motor joint="r" gear="2"/><motor joint="lift"/></actuator>'
    )
    assert m.actuator_gear[:, :3].tolist() == [[-3, 0, 0], [0, 2, 0], [1, 0, 0]]
    assert m.actuator_trnid[:, 0].tolist() == [1, 1, 0]


REFUSED = [
    (HINGES.replace("-1 0 0", "1 1 0"), "", "turn about x, y and z"),
    (HINGES.replace("0 1 0", "0 0 1"), "", "turn about x, y and z"),
    (HINGES.replace("0 0 .1", "0 0 .2", 1), "", "its anchor is not"),
    (HINGES.replace("damping", "springdamper='1 1' damping", 1), "", "has no springdamper"),
    (HINGES.replace("damping", "stiffness='3' damping", 1), "", "springs or limits that differ"),
    (HINGES, '<sensor><jointpos joint="q"/></sensor>', "speaks of the hinge 'q'"),
    (HINGES, '<tendon><fixed><joint joint="p" coef="1"/></fixed></tendon>', "speaks of the hinge 'p'"),
    (HINGES, '<equality><joint joint1="end" joint2="r"/></equality>', "speaks of the hinge 'r'"),
]


@pytest.mark.parametrize(("hinges", "rest", "problem"), REFUSED)
def test_what_cannot_be_a_ball_is_refused_where_it_stands(hinges, rest, problem):
    with pytest.raises(ParseError, match=f"<string>:[0-9]+:[0-9]+: .*{problem}"):
        compiled(hinges, rest)
