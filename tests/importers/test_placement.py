"""What a placement must move: all that a model has, by the fields of compiled models."""

import numpy as np
import pytest
import warp as wp

from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco import SolverMuJoCo
from newtonlite.solvers.mujoco.compile import compile_model
from tests.tolerance import assert_close, relative_error, tolerance

TEXT = """<mujoco><worldbody><light pos="0 0 3" dir="1 0 -1"/><light mode="track" pos="1 0 3" dir="1 0 -1"/>
<camera pos="1 2 3" xyaxes="0 1 0 0 0 1"/><camera mode="targetbody" target="a" pos="1 2 3"/>
<geom type="plane" size="1 1 1"/><site name="w" pos="1 0 2"/><geom type="box" size=".1 .1 .1" pos="3 0 0"/>
<body name="a" pos="0 0 1"><freejoint/><geom size=".1"/><site name="s"/><camera pos=".1 0 0"/></body>
<body name="still" pos="0 4 0"><geom size=".1"/></body><body name="m" mocap="true" pos="1 0 0"><geom size=".1"/></body>
<body name="h" pos="0 1 1"><joint name="j" axis="1 0 0" springyield="1" stiffness="1"/><geom size=".1" pos="0 0 .2"/><site name="e"/></body></worldbody>
<tendon><spatial springlength="-1" stiffness="1"><site site="w"/><site site="e"/></spatial></tendon>
<equality><weld body1="a"/><weld body1="a" relpose="1 2 3 1 1 0 0"/><weld body1="a" body2="h"/><connect body1="a" anchor="1 2 3"/>
<connect body1="m" body2="a" anchor="0 0 .1"/><weld site1="w" site2="s"/></equality>
<keyframe><key qpos="1 2 3 1 1 0 0 .1" qvel="1 0 0 0 0 1 2" mpos="4 5 6" mquat="1 1 0 0" plastic=".2"/><key/></keyframe></mujoco>"""
PLACE = wp.transform(wp.vec3(10.0, 0.0, 0.0), wp.quat_from_axis_angle(wp.normalize(wp.vec3(1.0, 2.0, 3.0)), 1.0))


def added(text: str = TEXT, into: ModelBuilder | None = None, **options) -> ModelBuilder:
    """A builder with the file."""
    builder = into or ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(text, **options)
    return builder


def copied(builder: ModelBuilder, *places) -> ModelBuilder:
    """A builder with a builder in it, in another one for each place."""
    for place in places:
        outer = ModelBuilder()
        SolverMuJoCo.register_custom_attributes(outer)
        outer.add_builder(builder, xform=place)
        builder = outer
    return builder


def compiled(builder: ModelBuilder):
    return compile_model(builder.finalize(device="cpu"))


def numbers(m) -> dict:
    """All arrays of a compiled model."""
    return {n: np.asarray(v, float) for n, v in vars(m).items() if isinstance(v, np.ndarray) and v.dtype.kind in "fi"}


def different(one: dict, two: dict) -> list[str]:
    """Arrays that are not the same."""
    pairs = {n: (one[n].reshape(1, -1), two[n].reshape(1, -1)) for n in one}
    return [n for n, (a, b) in pairs.items() if a.shape != b.shape or far(a, b)]


def far(a, b) -> bool:
    """Whether numbers differ by more than rounding of what a builder keeps."""
    return bool(a.size and relative_error(a, b, floor=10.0).max() > tolerance("authored"))


def test_a_copy_of_a_builder_is_placed_as_a_file_is():
    """Every field of the compiled model: what one of the two ways forgets shows."""
    one, two = numbers(compiled(added(xform=PLACE))), numbers(compiled(copied(added(), PLACE)))
    assert one.keys() == two.keys() and len(one) > 100
    assert different(one, two) == []
    plain = numbers(compiled(added()))
    assert {"key_qpos", "key_qvel", "key_mpos", "key_mquat", "cam_pos", "light_pos", "light_dir", "eq_data"} <= {
        *different(one, plain)
    }


def test_places_of_copies_in_copies_follow_each_other():
    one, two = numbers(compiled(copied(added(), PLACE, PLACE))), numbers(compiled(added(xform=PLACE * PLACE)))
    assert different(one, two) == []


@pytest.mark.parametrize("place", ["xform", "up_axis", "copy"])
def test_keyframes_stand_where_the_file_does(place):
    """A floating body of a keyframe sees a mocap one of it as in the file; so do its velocities see both."""
    options = {"xform": {"xform": PLACE}, "up_axis": {"up_axis": "y"}, "copy": {}}[place]
    builder = added(**options)
    m, plain = compiled(copied(builder, PLACE) if place == "copy" else builder), compiled(added())
    X = {"up_axis": wp.transform(wp.vec3(), wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), np.pi / 2))}.get(
        place, PLACE
    )
    turn = np.array(wp.quat_to_matrix(wp.transform_get_rotation(X))).reshape(3, 3)
    shift = np.array(wp.transform_get_translation(X))
    for k in range(2):
        assert_close(m.key_qpos[k : k + 1, :3], (shift + turn @ plain.key_qpos[k, :3])[None], "authored", floor=1.0)
        assert_close(
            m.key_mpos.reshape(2, 3)[k : k + 1],
            (shift + turn @ plain.key_mpos.reshape(2, 3)[k])[None],
            "authored",
            floor=1.0,
        )
        assert_close(m.key_qvel[k : k + 1, :3], (turn @ plain.key_qvel[k, :3])[None], "authored", floor=1.0)
        assert_close(m.key_qvel[k : k + 1, 3:], plain.key_qvel[k : k + 1, 3:], "authored", floor=1.0)
        for name, at in (("key_qpos", 3), ("key_mquat", 0)):
            got, was = (np.asarray(getattr(x, name)).reshape(2, -1)[k, at : at + 4] for x in (m, plain))
            assert_close(rotation(got), turn @ rotation(was), "authored", floor=1.0)
    assert_close(m.key_plastic, plain.key_plastic, "authored", floor=1.0)


def rotation(q) -> np.ndarray:
    """Matrix of a quaternion (w, x, y, z)."""
    w, x, y, z = map(float, q)
    return np.array(wp.quat_to_matrix(wp.quat(x, y, z, w))).reshape(3, 3)


def test_two_files_have_keyframes_with_springs_that_yield_of_their_own():
    """Numbers of joints and of tendons go to the places of their file."""
    text = """<mujoco><worldbody><body><joint name="x" type="slide" stiffness="1" springyield="1"/><geom size=".1"/><site name="p"/></body><site name="q" pos="0 0 1"/></worldbody>
    <tendon><spatial stiffness="1" springyield="1" springlength=".5"><site site="p"/><site site="q"/></spatial></tendon><keyframe><key plastic="{} {} {}"/></keyframe></mujoco>"""
    builder = added(text.format(0.1, 0.2, 0.3))
    added(text.format(0.4, 0.6, 0.7), builder)
    assert_close(
        compiled(builder).key_plastic, [[0.1, 0, 0.2, 0.3, 0.5, 0.5], [0, 0.4, 0.5, 0.5, 0.6, 0.7]], "authored"
    )
