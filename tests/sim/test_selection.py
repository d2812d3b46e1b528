"""Views of articulations: what patterns mean, values of all worlds at once, in place."""

import re

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.enums import JointType
from newtonlite.core.errors import ModelError, StateError
from newtonlite.selection import ArticulationView
from tests.harness.sim_scenes import arm, every_joint
from tests.tolerance import assert_close, assert_same

WORLDS = 4


@pytest.fixture
def model(device):
    """Worlds with two arms and another articulation each."""
    one = newton.ModelBuilder()
    for k in range(2):
        one.add_builder(arm(), label_prefix=f"robot{k}")
    one.add_body(mass=1.0, label="ball")
    b = newton.ModelBuilder()
    b.replicate(one, WORLDS)
    return b.finalize(device=device)


@pytest.mark.parametrize(
    "pattern", ["*arm", "robot*/arm", re.compile("robot[01]/arm"), ["robot0/arm", "robot1/arm"]], ids=str
)
def test_patterns_choose_by_label(model, pattern):
    view = ArticulationView(model, pattern)
    assert (view.world_count, view.count_per_world, view.count) == (WORLDS, 2, 2 * WORLDS)
    assert (view.joint_count, view.joint_dof_count, view.joint_coord_count, view.link_count) == (2, 7, 8, 2)
    assert view.joint_names == ["root", "hinge"] and view.body_names == ["base", "upper"]
    assert view.is_floating_base and not view.is_fixed_base
    assert view.articulation_ids.numpy().tolist() == [[3 * w, 3 * w + 1] for w in range(WORLDS)]


def test_whole_labels_come_before_short_names(device):
    """``arm`` means the articulation of that label, and short names where there is none; placements say which rows are
    at uneven distances.
    """
    b = newton.ModelBuilder()
    for prefix in (None, "left", None, None):
        b.add_world(arm(), label_prefix=prefix)
    model = b.finalize(device=device)
    view = ArticulationView(model, "arm", homogeneous=False)
    assert view.world_ids.numpy().tolist() == [0, 2, 3] and view.is_sparse
    assert all(layout.uses_explicit_model_indices for layout in view.frequency_layouts.values())
    assert (
        ArticulationView(model, "left/*", homogeneous=False)
        .frequency_layouts[newton.Model.AttributeFrequency.JOINT]
        .value_count
        == 2
    )
    every = ArticulationView(model, "*arm")
    assert not any(layout.uses_explicit_model_indices for layout in every.frequency_layouts.values())


def test_names_of_dofs_coordinates_and_shapes(model):
    view = ArticulationView(model, "robot1/arm")
    assert (view.joint_dof_counts, view.joint_coord_counts) == ([6, 1], [7, 1])
    assert view.joint_dof_names == [*(f"root:{k}" for k in range(6)), "hinge"] and view.joint_coord_names[6:] == [
        "root:6",
        "hinge",
    ]
    assert (
        view.shape_names == [label.rpartition("/")[2] for label in view.shape_labels]
        and view.link_shapes == view.body_shapes
    )
    assert view.device == model.device


def test_a_dot_stands_before_a_name_of_a_namespace_too(device):
    b = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(b)
    b.add_builder(arm())
    model = b.finalize(device=device)
    view = ArticulationView(model, "arm")
    view.set_attribute("mujoco.limit_margin", model, np.full((1, 1, 7), 0.25, np.float32))
    assert_same(view.get_attribute("mujoco:limit_margin", model).numpy(), np.full((1, 1, 7), 0.25, np.float32))
    assert_same(model.mujoco.limit_margin.numpy(), np.full(7, 0.25, np.float32))


def test_what_is_read_is_the_scenes_own_memory(model):
    view, state = ArticulationView(model, "robot1/arm"), model.state()
    q = view.get_dof_positions(state)
    assert q.shape == (WORLDS, 1, 8)
    state.joint_q.assign(np.arange(model.joint_coord_count))
    width = model.joint_coord_count // WORLDS
    assert_same(q.numpy()[:, 0], np.float32(np.arange(8, 16) + width * np.arange(WORLDS)[:, None]))
    q.fill_(7.0)
    assert (state.joint_q.numpy().reshape(WORLDS, width)[:, 8:16] == 7.0).all()


def test_joints_and_links_can_be_left_out(model):
    view = ArticulationView(model, "robot*", exclude_joint_types=[JointType.FREE], include_links="upper")
    assert (view.joint_names, view.body_names, view.joint_dof_count) == (["hinge"], ["upper"], 1)
    state = model.state()
    view.set_dof_positions(state, np.full((WORLDS, 2, 1), 0.5, np.float32))
    hinge = state.joint_q.numpy().reshape(WORLDS, -1)[:, [7, 15]]
    assert (hinge == 0.5).all()
    assert ArticulationView(model, "robot*", include_joints="root").joint_names == ["root"]


def test_rows_that_do_not_lie_evenly_are_read_and_written_in_place(device):
    b = newton.ModelBuilder()
    b.replicate(every_joint(), 2)
    model = b.finalize(device=device)
    view = ArticulationView(model, "*", include_joint_types=[JointType.REVOLUTE, JointType.D6])
    state = model.state()
    values = np.arange(2 * view.joint_dof_count, dtype=np.float32).reshape(2, 1, -1)
    view.set_dof_velocities(state, values)
    assert_same(view.get_dof_velocities(state).numpy(), values)
    rows = view.layout.rows[model.get_attribute_frequency("joint_qd")]
    assert_same(state.joint_qd.numpy()[rows], values)
    assert state.joint_qd.numpy().sum() == values.sum()


def test_masks_choose_worlds_and_articulations(model):
    view, state = ArticulationView(model, "robot*"), model.state()
    before = state.joint_qd.numpy().copy()
    view.set_dof_velocities(state, np.ones((WORLDS, 2, 7), np.float32), mask=np.arange(WORLDS) == 2)
    assert_same(view.get_dof_velocities(state).numpy()[:, 0, 0], np.float32([0, 0, 1, 0]))
    mask = np.zeros((WORLDS, 2), bool)
    mask[0, 1] = True
    view.set_dof_velocities(
        state, np.ones((WORLDS, 2, 7), np.float32), mask=wp.array(mask, dtype=wp.bool, device=model.device)
    )
    changed = state.joint_qd.numpy() != before
    assert changed.sum() == 21


def test_roots_of_floating_and_fixed_bases(model, device):
    view, state = ArticulationView(model, "robot*"), model.state()
    poses = np.tile(np.float32([1, 2, 3, 0, 0, 0, 1]), (WORLDS, 2, 1))
    poses[..., 0] += np.arange(WORLDS)[:, None]
    view.set_root_transforms(state, poses, mask=np.arange(WORLDS) > 0)
    got = view.get_root_transforms(state).numpy()
    assert_same(got[1:], poses[1:])
    assert_same(view.get_dof_positions(state).numpy()[1:, :, :7], poses[1:])
    assert got[0, 0, 0] != 1.0
    view.set_root_velocities(state, np.ones((WORLDS, 2, 6), np.float32))
    assert (view.get_dof_velocities(state).numpy()[..., :6] == 1.0).all()
    fixed = newton.ModelBuilder()
    link = fixed.add_link(mass=1.0)
    fixed.add_articulation(
        [fixed.add_joint_fixed(-1, link, parent_xform=wp.transform(wp.vec3(4, 5, 6), wp.quat_identity()))]
    )
    view = ArticulationView(fixed.finalize(device=device), "*")
    assert view.is_fixed_base and view.get_root_velocities(view.model.state()) is None
    assert_close(view.get_root_transforms(view.model).numpy()[0], [[4, 5, 6, 0, 0, 0, 1]], "authored")


def test_links_follow_their_joints(model):
    view, state = ArticulationView(model, "robot0/arm"), model.state()
    view.set_dof_positions(state, np.tile(np.float32([0, 0, 1, 0, 0, 0, 1, 0.3]), (WORLDS, 1, 1)))
    before = state.body_q.numpy().copy()
    view.eval_fk(state, mask=np.arange(WORLDS) < 2)
    moved = np.abs(state.body_q.numpy() - before).max(axis=1).reshape(WORLDS, -1) > 0.0
    assert moved[:2, 1].all() and not moved[2:].any() and not moved[:, 2:].any()
    assert view.get_link_transforms(state).shape == (WORLDS, 1, 2)
    J, H = view.eval_jacobian(state), view.eval_mass_matrix(state)
    assert np.abs(J.numpy()[0]).max() > 0.0 and not J.numpy()[1].any()
    assert np.abs(H.numpy()[3]).max() > 0.0 and not H.numpy()[2].any()


def test_any_attribute_of_joints_dofs_links_and_shapes_can_be_viewed(model):
    view = ArticulationView(model, "robot*")
    assert view.get_attribute("body_mass", model).shape == (WORLDS, 2, 2)
    assert view.get_attribute("joint_armature", model).shape == (WORLDS, 2, 7)
    assert view.get_attribute("shape_material_mu", model).shape == (WORLDS, 2, 2)
    view.set_attribute("shape_material_mu", model, np.full((WORLDS, 2, 2), 0.25, np.float32))
    assert (model.shape_material_mu.numpy().reshape(WORLDS, -1)[:, :4] == 0.25).all()
    assert view.body_shapes == [[0], [1]]
    forces = model.control()
    view.set_dof_forces(forces, np.ones((WORLDS, 2, 7), np.float32))
    assert view.get_dof_forces(forces).numpy().sum() == WORLDS * 14


@pytest.mark.parametrize("order", ["BABBA", "ABAB"])
def test_articulations_that_are_in_some_worlds_only(order, device):
    """Rows are of the worlds that have them, wherever these lie; masks are of those worlds, or of all."""
    b, other = newton.ModelBuilder(), newton.ModelBuilder()
    other.add_body(mass=1.0, label="ball")
    two = newton.ModelBuilder()
    for k in range(2):
        two.add_builder(arm(), label_prefix=f"robot{k}")
    for letter in order:
        b.add_world({"A": other, "B": two}[letter])
    model = b.finalize(device=device)
    here = [w for w, letter in enumerate(order) if letter == "B"]
    view, state = ArticulationView(model, "robot*", homogeneous=False), model.state()
    assert (view.world_ids.numpy().tolist(), view.world_count, view.count_per_world) == (here, len(here), 2)
    rows = view.layout.rows[model.get_attribute_frequency("joint_q")]
    values = np.arange(rows.size, dtype=np.float32).reshape(rows.shape)
    view.set_dof_positions(state, values)
    assert_same(state.joint_q.numpy()[rows], values)
    assert_same(view.get_dof_positions(state).numpy(), values)
    poses = np.tile(np.float32([1, 2, 3, 0, 0, 0, 1]), (len(here), 2, 1))
    mask = np.zeros(len(order), bool)
    mask[here[-1]] = True
    view.set_root_transforms(state, poses, mask=mask)  # of all worlds
    got = view.get_root_transforms(state).numpy()
    assert_same(got[-1], poses[-1])
    assert_same(got[:-1], values[:-1, :, :7])
    view.set_root_velocities(state, np.ones((len(here), 2, 6), np.float32), mask=mask[here])
    speed = view.get_root_velocities(state).numpy()
    assert (speed[-1] == 1).all() and not speed[:-1].any()
    assert_same(
        view.get_attribute("body_mass", model).numpy(),
        model.body_mass.numpy()[view.layout.rows[model.get_attribute_frequency("body_mass")]],
    )


def test_articulations_with_other_shapes_are_viewed_without_them(device):
    b = newton.ModelBuilder()
    for count in (1, 2):
        b.begin_world()
        body = b.add_body(label="thing")
        for _ in range(count):
            b.add_shape_box(body)
        b.end_world()
    model = b.finalize(device=device)
    with pytest.raises(ModelError, match="Articulation SHAPE layout is unavailable"):
        ArticulationView(model, "thing*")
    view = ArticulationView(model, "thing*", homogeneous=False)
    assert view.shape_count is None and view.link_count == 1
    with pytest.raises(ModelError, match="shape_margin: is unavailable: selected count differs"):
        view.get_attribute("shape_margin", model)


def test_mistakes_are_named(model):
    with pytest.raises(ModelError, match="'cat': matches no articulation"):
        ArticulationView(model, "cat")
    with pytest.raises(ModelError, match="Articulation JOINT layout is unavailable.*'ball_articulation'"):
        _ = ArticulationView(model, ["robot0/arm", "ball*"]).count
    view = ArticulationView(model, "robot*")
    with pytest.raises(StateError, match=r"values are float32\[4, 2, 3\]; give float32\[4, 2, 7\]"):
        view.set_dof_velocities(model.state(), np.zeros((WORLDS, 2, 3), np.float32))
    with pytest.raises(StateError, match=r"mask: bool\[3\]"):
        view.set_dof_velocities(model.state(), np.zeros((WORLDS, 2, 7), np.float32), mask=np.ones(3, bool))
    with pytest.raises(ModelError, match="gravity: Unable to determine the layout: it has no rows per joint"):
        view.get_attribute("gravity", model)
    with pytest.raises(AttributeError, match="articulation_start: Unable to determine the layout"):
        view.get_attribute("articulation_start", model)


@wp.kernel(enable_backward=True)
def weighted(values: wp.array3d[float], out: wp.array[float]):
    """Sum of values, each world's times its number."""
    w, k, i = wp.tid()
    wp.atomic_add(out, 0, float(w + 1) * values[w, k, i])


@pytest.mark.parametrize(
    "order, kept", [("BABBA", None), ("ABAB", None), ("BB", None), ("BB", [JointType.REVOLUTE, JointType.D6])]
)
def test_derivatives_of_what_is_read_are_those_of_the_scenes_rows(order, kept, device):
    """Of two reads: worlds at uneven places, at even ones, all of them, and joints that do not lie evenly."""
    b, other = newton.ModelBuilder(), newton.ModelBuilder()
    other.add_body(mass=1.0, label="ball")
    chain = every_joint()
    for letter in order:
        b.add_world({"A": other, "B": chain}[letter])
    model = b.finalize(device=device, requires_grad=True)
    label = model.articulation_label[-1]
    view = ArticulationView(model, label, homogeneous=False, include_joint_types=kept)
    state, total = model.state(requires_grad=True), wp.zeros(1, dtype=float, device=device, requires_grad=True)
    with wp.Tape() as tape:
        for _ in range(2):
            values = view.get_dof_positions(state)
            wp.launch(weighted, values.shape, [values], [total], device=device)
    tape.backward(total)
    want = np.zeros(model.joint_coord_count, np.float32)
    rows = view.layout.rows[model.get_attribute_frequency("joint_q")]
    want[rows] = 2.0 * np.arange(1, len(rows) + 1)[:, None, None]
    assert_same(state.joint_q.grad.numpy(), want)
