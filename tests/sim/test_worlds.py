"""Worlds, copies of builders, and what tells copies apart."""

import tracemalloc

import numpy as np
import pytest

from newtonlite import ModelBuilder, ModelError
from newtonlite.math.transform import multiply
from newtonlite.sim.model_table import TABLE
from tests.harness.sim_scenes import arm, every_joint, pose
from tests.tolerance import assert_close


def added_by_hand(builder: ModelBuilder, mass: float) -> None:
    """What ``arm`` holds, put straight into the open world of a builder."""
    first = builder.body_count
    source = arm(mass)
    base = builder.add_link(label="base", mass=mass)
    free = builder.add_joint_free(base, label="root")
    builder.add_shape_box(base, label="trunk", color=list(source.shape_color[0]))
    upper = builder.add_link(label="upper", mass=mass)
    hinge = builder.add_joint_revolute(base, upper, axis="y", label="hinge", parent_xform=pose((0.5, 0, 0)))
    builder.add_shape_sphere(upper, radius=0.1, label="shape_1", color=list(source.shape_color[1]))
    builder.add_articulation([free, hinge], label="arm")
    assert builder.body_count == first + 2


def test_copies_are_what_adding_by_hand_gives():
    """Every column, with the ground before and a body behind, in worlds of different masses."""
    copied, written = ModelBuilder(), ModelBuilder()
    for builder in (copied, written):
        builder.add_ground_plane()
    for world, mass in enumerate((1.0, 2.0, 3.0)):
        copied.add_world(arm(mass))
        written.begin_world()
        added_by_hand(written, mass)
        written.end_world()
        assert copied.world_count == written.world_count == world + 1
    for builder in (copied, written):
        builder.add_body(label="last", mass=1.0)
    for row in TABLE:
        assert np.array_equal(np.array(copied.columns[row.name]), np.array(written.columns[row.name])), row.name
    a, b = copied.finalize("cpu"), written.finalize("cpu")
    for row in TABLE:
        if row.kept:
            got, want = getattr(a, row.name), getattr(b, row.name)
            same = got == want if row.dtype in (str, object) else np.array_equal(got.numpy(), want.numpy())
            assert same, row.name
    assert a.joint_ancestor.numpy().tolist() == b.joint_ancestor.numpy().tolist() == [-1, 0, -1, 2, -1, 4, -1]


def test_many_at_once_are_one_after_another():
    at_once, in_turn = ModelBuilder(), ModelBuilder()
    robot = arm()
    places = [pose((i, 0, 0), (0, 0, 1), 0.3 * i) for i in range(4)]
    names = ["a", None, "c", "d"]
    at_once.replicate(robot, 4, xforms=places, label_prefixes=names)
    for place, name in zip(places, names, strict=True):
        in_turn.add_world(robot, xform=place, label_prefix=name)
    for row in TABLE:
        assert getattr(at_once, row.name) == getattr(in_turn, row.name), row.name


def test_a_copy_is_of_the_moment():
    """What is done to the robot afterwards does not reach the copies made before."""
    robot, world = arm(), ModelBuilder()
    world.add_world(robot)
    robot.joint_q[7] = 0.5
    world.add_world(robot)
    robot.body_com[1] = (0.0, 0.0, 0.1)
    world.add_world(robot)
    assert world.joint_q[7::8] == [0.0, 0.5, 0.5]
    assert [c[2] for c in world.body_com[1::2]] == [0, 0, np.float32(0.1)]


def test_a_copied_value_can_be_changed_alone():
    world = ModelBuilder()
    world.replicate(arm(), 3)
    world.joint_q[15] = 0.7
    world.joint_q[-1:] = [0.9]
    world.add_world(arm())
    assert world.joint_q[7::8] == [0.0, 0.7, 0.9, 0.0]
    assert world.finalize("cpu").joint_q.numpy()[7::8].tolist() == [0, np.float32(0.7), np.float32(0.9), 0]


def test_each_row_knows_its_world():
    builder = ModelBuilder()
    builder.add_shape_sphere(-1)
    builder.begin_world()
    builder.add_body()
    builder.add_shape_sphere(0)
    builder.end_world()
    builder.add_world(arm())
    builder.add_shape_sphere(-1)
    assert builder.body_world == [0, 1, 1] and builder.shape_world == [-1, 0, 1, 1, -1]
    assert builder.joint_world == [0, 1, 1] and builder.articulation_world == [0, 1]
    model = builder.finalize("cpu")
    assert model.world_count == 2
    assert model.body_world_start.numpy().tolist() == [0, 1, 3, 3]
    assert model.shape_world_start.numpy().tolist() == [1, 2, 4, 5]
    assert model.joint_dof_world_start.numpy().tolist() == [0, 6, 13, 13]
    assert model.joint_coord_world_start.numpy().tolist() == [0, 7, 15, 15]


def test_without_worlds_there_is_one_and_all_is_global():
    model = arm().finalize("cpu")
    assert model.world_count == 1
    assert model.body_world.numpy().tolist() == [-1, -1]
    assert model.body_world_start.numpy().tolist() == [2, 2, 2]


def test_only_the_last_worlds_may_be_empty():
    builder = ModelBuilder()
    builder.add_world(arm())
    builder.replicate(ModelBuilder(), 2)
    assert builder.finalize("cpu").body_world_start.numpy().tolist() == [0, 2, 2, 2, 2]
    builder.add_world(arm())
    with pytest.raises(ModelError, match=r"not contiguous: nothing is in \[1, 2\]"):
        builder.finalize("cpu")


def test_moving_a_copy_moves_all_its_bodies():
    """A chain with every joint: poses after forward kinematics are the moved poses of the original."""
    from newtonlite import eval_fk

    place = pose((1, -2, 3), (1, 2, 3), 0.8)
    rng = np.random.default_rng(4)
    robot = every_joint()
    robot.joint_q = rng.normal(size=29) * 0.5
    for start in (3, 9, 25):
        robot.joint_q[start : start + 4] = np.array(robot.joint_q[start : start + 4]) / np.linalg.norm(
            robot.joint_q[start : start + 4]
        )
    robot.joint_qd = rng.normal(size=26)
    world = ModelBuilder()
    world.replicate(robot, 2, xforms=[pose((0, 0, 0)), place])
    model = world.finalize("cpu")
    state = model.state()
    eval_fk(model, model.joint_q, model.joint_qd, state)
    here, there = state.body_q.numpy()[:9].astype(float), state.body_q.numpy()[9:]
    assert_close(there, multiply(place, here), "kinematics")
    speed = np.linalg.norm(state.body_qd.numpy().reshape(2, 9, 2, 3), axis=-1)
    assert_close(speed[1], speed[0], "velocity")


def test_a_fixed_root_moves_through_its_joint():
    robot = ModelBuilder()
    body = robot.add_link()
    robot.add_articulation([robot.add_joint_revolute(-1, body, parent_xform=pose((0, 0, 1)))])
    robot.add_shape_sphere(-1, xform=pose((1, 0, 0)))
    robot.add_shape_sphere(body, xform=pose((1, 0, 0)))
    world = ModelBuilder()
    world.add_builder(robot, xform=pose((5, 0, 0), (0, 0, 1), np.pi / 2))
    assert_close([list(world.joint_X_p[0])[:3]], [[5, 0, 1]], "parameter")
    assert_close([list(x)[:3] for x in world.shape_transform], [[5, 1, 0], [1, 0, 0]], "kinematics")


@pytest.mark.parametrize(
    ("count", "spacing", "want"),
    [
        (3, (2, 0, 0), [(-2, 0, 0), (0, 0, 0), (2, 0, 0)]),
        (5, (2, 3, 0), [(-2, -1.5, 0), (0, -1.5, 0), (2, -1.5, 0), (-2, 1.5, 0), (0, 1.5, 0)]),
        (2, (1, 1, 0), [(-0.5, 0, 0), (0.5, 0, 0)]),
        (3, (0, 0, 1), [(0, 0, 0), (0, 0, 1), (0, 0, 2)]),
    ],
)
def test_copies_stand_on_a_centred_grid(count, spacing, want):
    builder = ModelBuilder()
    builder.replicate(arm(), count, spacing=spacing)
    assert [tuple(x)[:3] for x in builder.body_q[::2]] == want


def test_copies_in_one_world_meet():
    builder = ModelBuilder()
    builder.begin_world()
    builder.replicate(arm(), 2, spacing=(1, 0, 0), separate_worlds=False)
    builder.end_world()
    assert builder.world_count == 1 and builder.body_world == [0] * 4
    assert len(builder.finalize("cpu").shape_contact_pairs) == 4


def test_labels_are_led_by_prefixes():
    builder = ModelBuilder()
    builder.add_world(arm(), label_prefix="left")
    builder.add_world(arm())
    want = ["left/base", "left/upper", "base", "upper"]
    model = builder.finalize("cpu")
    assert builder.body_label == want and model.body_label == want
    assert model.body_label[1:3] == want[1:3] and model.body_label[-1] == "upper" and "left/base" in model.body_label
    builder.add_world(arm(), label_prefix="late")
    assert len(model.body_label) == 4


def test_gravity_is_that_of_what_was_added():
    light = arm()
    light.gravity = (0, 0, -1.6)
    builder = ModelBuilder(gravity=(0, 0, -3.0))
    builder.add_world(light)
    builder.begin_world(gravity=(1, 0, 0))
    builder.end_world()
    builder.begin_world()
    builder.end_world()
    model = builder.finalize("cpu")
    assert_close(model.gravity.numpy(), [[0, 0, -1.6], [1, 0, 0], [0, 0, -3], [0, 0, -3]], "parameter")


def test_gravity_points_down_the_up_axis():
    assert_close([list(ModelBuilder(up_axis="y").gravity)], [[0, -9.81, 0]], "parameter")


def test_a_shape_added_to_a_copied_body_knows_its_neighbours():
    """World 1's arm: its trunk is body 2, shape 2; its sphere is shape 3."""
    builder = ModelBuilder()
    builder.replicate(arm(), 2)
    builder._current_world = 1
    shape = builder.add_shape_sphere(3)
    builder.end_world()
    assert builder.shape_collision_filter_pairs[-1] == (2, shape)
    assert builder.body_shapes[3] == [3, shape]


@pytest.mark.parametrize("how", ["replicate", "add_world"])
def test_what_copies_share_is_kept_once(how):
    """8192 copies of a robot take less memory than a hundred bytes each, whatever the robot holds."""
    robot = arm()
    for _ in range(50):
        robot.add_shape_sphere(1)
    builder = ModelBuilder()
    builder.add_world(robot)
    tracemalloc.start()
    if how == "replicate":
        builder.replicate(robot, 8192)
    else:
        for _ in range(8192):
            builder.add_world(robot)
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert builder.shape_count == 52 * 8193
    assert grown < 8192 * 100


@pytest.mark.parametrize(
    ("act", "problem"),
    [
        (lambda b: b.end_world(), "not currently in a world context"),
        (lambda b: (b.begin_world(), b.begin_world()), "already in world context 0"),
        (lambda b: (b.begin_world(), b.add_world(arm())), "do not nest"),
        (lambda b: (b.begin_world(), b.replicate(arm(), 2)), "do not nest"),
        (lambda b: b.add_builder(b), "cannot hold itself"),
        (lambda b: b.add_world("robot"), "no ModelBuilder"),
        (lambda b: b.add_world(ModelBuilder(up_axis="x")), "up axes differ"),
        (lambda b: b.replicate(arm()), "how many copies"),
        (lambda b: b.replicate(arm(), 2, world_count=2), "how many copies"),
        (lambda b: b.replicate(arm(), -1), "does not exist"),
        (lambda b: b.replicate(arm(), 2.5), "whole number"),
        (lambda b: b.replicate(arm(), 2, xforms=[pose((0, 0, 0))]), "1 for 2 copies"),
        (lambda b: b.replicate(arm(), 2, label_prefixes=["a"]), "1 for 2 copies"),
        (lambda b: b.replicate(arm(), 2, spacing=(1, 2)), "shape"),
        (lambda b: b.replicate(arm(), 2**29), "more than int32"),
        (lambda b: b.add_world(arm(), xform=(0, 0, 0, 0, 0, 0, 0)), "no rotation"),
        (lambda b: b.begin_world(gravity=(0, 0, np.nan)), "not finite"),
    ],
)
def test_wrong_use_of_worlds_is_refused(act, problem):
    builder = ModelBuilder()
    with pytest.raises(ModelError, match=problem):
        act(builder)
    assert builder.body_count == 0


def test_worlds_that_are_interleaved_are_refused():
    builder = ModelBuilder()
    builder.add_world(arm())
    builder.add_body()
    builder.add_world(arm())
    with pytest.raises(ModelError, match="between worlds"):
        builder.finalize("cpu")


def test_a_scene_of_worlds_can_be_added_to_one_world():
    """What was in worlds of its own comes to the open one."""
    inner = ModelBuilder()
    inner.replicate(arm(), 2)
    builder = ModelBuilder()
    builder.add_world(inner)
    builder.add_world(inner, label_prefix="again")
    model = builder.finalize("cpu")
    assert model.world_count == 2 and model.body_world.numpy().tolist() == [0] * 4 + [1] * 4
    assert model.joint_parent.numpy().tolist() == [-1, 0, -1, 2, -1, 4, -1, 6]
    assert model.body_label[4:] == ["again/base", "again/upper"] * 2


def test_an_open_world_is_taken_as_it_is():
    """What was added since ``begin_world`` belongs to that world, and the builder goes on where it was."""
    builder = ModelBuilder()
    builder.begin_world()
    builder.add_body(mass=1.0, inertia=np.eye(3))
    model = builder.finalize("cpu")
    assert model.world_count == 1 and model.body_world.numpy().tolist() == [0] and builder.current_world == 0
