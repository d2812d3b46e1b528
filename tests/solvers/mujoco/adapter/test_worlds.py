"""Many worlds in one model: what they share, where they may differ, and what is refused."""

import numpy as np
import pytest
import warp as wp

from newtonlite.core.enums import ModelFlags, StateFlags
from newtonlite.core.errors import ModelError, StateError, WrongTypeError
from newtonlite.sim.builder.builder import ModelBuilder
from newtonlite.solvers.mujoco import SolverMuJoCo
from tests.harness.engine_scenes import add_lopsided, builder, every_joint, random_state, run
from tests.tolerance import assert_close, assert_same

WORLDS = 3


def copies(one: ModelBuilder, count: int = WORLDS, ground: bool = True) -> ModelBuilder:
    """A scene of several worlds, with a shared ground."""
    b = builder()
    if ground:
        b.add_ground_plane()
    b.replicate(one, count)
    return b


def test_poses_are_in_the_data_before_the_first_step(device):
    """Those of ``qpos`` there, again after the model changed."""
    model = copies(every_joint()).finalize(device=device)
    solver = SolverMuJoCo(model)
    stepped = SolverMuJoCo(model)
    state = model.state()
    stepped.step(state, model.state(), model.control(), None, 1e-3)
    at_rest = stepped.mjw_data.geom_xpos.numpy()
    solver.mjw_data.qpos.assign(solver.mjw_model.qpos0)
    for shift in (0.0, 0.5):
        poses = model.shape_transform.numpy()
        poses[0, :3] += shift  # the ground's, in all worlds
        model.shape_transform.assign(poses)
        solver.notify_model_changed(ModelFlags.SHAPE_PROPERTIES)
        moved = solver.mjw_data.geom_xpos.numpy() - at_rest
        ground = int(np.flatnonzero(solver.mjc_geom_to_newton_shape.numpy()[0] == 0)[0])
        assert_close(moved[:, ground], np.full((WORLDS, 3), shift), "kinematics", floor=1.0)


def by_world(array, count: int = WORLDS) -> np.ndarray:
    return array.numpy().reshape(count, -1)


def test_a_world_among_others_moves_as_it_would_alone(device):
    """Different states in each; joint_q of each is bit for bit that of the same scene with one world."""
    many = copies(every_joint()).finalize(device=device)
    state = random_state(many)
    after = run(SolverMuJoCo(many), state, steps=20)
    alone = copies(every_joint(), 1).finalize(device=device)
    for world in range(WORLDS):
        own = alone.state()
        own.joint_q.assign(by_world(state.joint_q)[world])
        own.joint_qd.assign(by_world(state.joint_qd)[world])
        got = run(SolverMuJoCo(alone), own, steps=20)
        assert_same(by_world(after.joint_q)[world], got.joint_q.numpy(), f"world {world}")
        assert_same(by_world(after.body_qd)[world], got.body_qd.numpy().ravel(), f"world {world}")


def test_worlds_with_their_own_masses_move_as_scenes_with_those_masses(device):
    """Masses edited before the solver is made: fields that differ get a copy per world, and so does what follows from
    them.
    """
    scales = [1.0, 3.0, 0.5]
    many = copies(every_joint()).finalize(device=device)
    scale_masses(many, np.repeat(scales, many.body_count // WORLDS))
    solver = SolverMuJoCo(many)
    assert solver.mjw_model.body_mass.shape[0] == WORLDS
    assert solver.mjw_model.dof_invweight0.shape[0] == WORLDS
    assert solver.groups[0].mjw_model.body_ipos.shape[0] == 1 and solver.mjw_model.body_ipos.shape[0] == WORLDS
    check_against_scenes_alone(solver, random_state(many), scales, device)


def test_masses_edited_after_notification_count(device):
    """notify_model_changed recomputes what follows from a mass, for each world."""
    scales = [1.0, 3.0, 0.5]
    many = copies(every_joint()).finalize(device=device)
    solver = SolverMuJoCo(many)
    run(solver, random_state(many), steps=1)
    scale_masses(many, np.repeat(scales, many.body_count // WORLDS))
    solver.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    solver.reset(many.state())
    check_against_scenes_alone(
        solver, random_state(many), scales, device, "trajectory"
    )  # weights are recomputed in float32


def scale_masses(model, scale) -> None:
    model.body_mass.assign(model.body_mass.numpy() * scale)
    model.body_inertia.assign(model.body_inertia.numpy() * np.reshape(scale, (-1, 1, 1)))


def check_against_scenes_alone(solver, state, scales, device, quantity="next") -> None:
    after = run(solver, state, steps=10)
    for world, scale in enumerate(scales):
        alone = copies(every_joint(), 1).finalize(device=device)
        scale_masses(alone, np.full(alone.body_count, scale))
        own = alone.state()
        own.joint_q.assign(by_world(state.joint_q)[world])
        own.joint_qd.assign(by_world(state.joint_qd)[world])
        got = run(SolverMuJoCo(alone), own, steps=10)
        assert_close(by_world(after.joint_q)[world], got.joint_q.numpy(), quantity, floor=1.0, what=f"world {world}")


def test_gravity_may_differ_between_worlds(device):
    b = builder()
    for pull in (-9.81, -1.62, 0.0):
        b.begin_world(gravity=(0.0, 0.0, pull))
        add_lopsided(b)
        b.end_world()
    model = b.finalize(device=device)
    after = run(SolverMuJoCo(model), model.state(), steps=100, dt=0.001)
    fall = by_world(after.joint_qd)[:, 2]
    assert_close(fall[:, None], np.array([[-0.981], [-0.162], [0.0]]), "force", floor=1.0)


def test_dry_friction_that_appears_later_is_felt(device):
    """A dof without friction has no row; the engine gets one when friction is set."""
    b = builder(gravity=(0, 0, 0))
    link = b.add_link()
    b.add_shape_box(link, hx=0.1, hy=0.1, hz=0.1)
    b.add_articulation([b.add_joint_prismatic(-1, link, axis=(1, 0, 0))])
    many = copies(b, ground=False).finalize(device=device)
    solver = SolverMuJoCo(many)
    state = many.state()
    state.joint_qd.assign([1.0, 1.0, 1.0])
    assert_close(by_world(run(solver, state, steps=50).joint_qd), np.ones((3, 1)), "force")
    many.joint_friction.assign([0.0, 200.0, 0.0])
    solver.notify_model_changed(ModelFlags.JOINT_DOF_PROPERTIES)
    after = by_world(run(solver, state, steps=50).joint_qd).ravel()
    assert_close(after[[0, 2]], [1.0, 1.0], "force")
    assert abs(after[1]) < 0.1


def test_reset_restores_chosen_worlds_and_leaves_the_others(device):
    many = copies(every_joint()).finalize(device=device)
    solver = SolverMuJoCo(many)
    state = run(solver, random_state(many), steps=5)
    before = {name: getattr(state, name).numpy().copy() for name in ("joint_q", "joint_qd", "body_q", "body_qd")}
    inputs = ("qfrc_applied", "xfrc_applied", "overflow")
    for name in inputs:
        getattr(solver.mjw_data, name).fill_(1)
    solver.reset(state, wp.array([False, True, False], dtype=wp.bool, device=device))
    for name in inputs:
        assert [bool(row.any()) for row in getattr(solver.mjw_data, name).numpy()] == [True, False, True], name
    initial = many.state()
    for name, old in before.items():
        now, first = (x.reshape(WORLDS, -1) for x in (getattr(state, name).numpy(), getattr(initial, name).numpy()))
        assert_same(now[1], first[1], name)
        assert_same(now[[0, 2]], old.reshape(WORLDS, -1)[[0, 2]], name)
    assert not solver.mjw_data.qacc_warmstart.numpy()[1].any()
    assert solver.mjw_data.qacc_warmstart.numpy()[0].any()


@pytest.mark.filterwarnings("ignore:.*update_data_interval:DeprecationWarning")
@pytest.mark.parametrize("interval", [0, 1, 3])
def test_a_reset_does_not_touch_the_bits_of_other_worlds(interval, device):
    """Not even of those that the engine carries itself, with speeds and coordinates read at intervals."""
    results = []
    for reset in (False, True):
        model = copies(every_joint()).finalize(device=device)
        solver = SolverMuJoCo(model, update_data_interval=interval)
        state = run(solver, random_state(model), steps=4)
        if reset:
            solver.reset(state, wp.array([False, True, False], dtype=wp.bool, device=device))
        state = run(solver, state, steps=4)
        results.append([by_world(array) for array in (state.joint_q, state.joint_qd, state.body_q, state.body_qd)])
    for without, after in zip(*results, strict=True):
        assert_same(after[[0, 2]], without[[0, 2]])
        assert (after[1] != without[1]).any()


def test_a_world_that_was_reset_repeats_its_first_run(device):
    many = copies(every_joint()).finalize(device=device)
    solver = SolverMuJoCo(many)
    first = run(solver, many.state(), steps=10)
    state = many.state()
    state.assign(first)
    solver.reset(state)
    again = run(solver, state, steps=10)
    assert_same(again.joint_q.numpy(), first.joint_q.numpy())


def test_reset_flags_choose_what_is_restored(device):
    many = copies(every_joint()).finalize(device=device)
    solver = SolverMuJoCo(many)
    state = random_state(many)
    speeds = state.joint_qd.numpy().copy()
    solver.reset(state, flags=StateFlags.JOINT_Q)
    assert_same(state.joint_q.numpy(), many.joint_q.numpy())
    assert_same(state.joint_qd.numpy(), speeds)


def test_a_mask_that_does_not_fit_is_refused(device):
    solver = SolverMuJoCo(copies(every_joint()).finalize(device=device))
    for mask in (
        wp.zeros(2, dtype=wp.bool, device=device),
        wp.zeros(3, dtype=wp.int32, device=device),
        [True, False, True],
    ):
        with pytest.raises((StateError, WrongTypeError), match=r"world_mask: expected a wp.bool array \[3\]"):
            solver.reset(solver.model.state(), mask)


def test_worlds_of_different_structure_are_refused_with_the_difference(device):
    b = builder()
    for kind in ("add_shape_box", "add_shape_sphere"):
        b.begin_world()
        body = b.add_body(label="thing")
        getattr(b, kind)(body, label="part")
        b.end_world()
    with pytest.raises(ModelError, match="world 1: shape_type of 'part' is 3, not 7"):
        SolverMuJoCo(b.finalize(device=device), separate_worlds=True)


def test_worlds_with_different_numbers_of_bodies_are_refused(device):
    b = builder()
    for count in (1, 2):
        b.begin_world()
        for _ in range(count):
            add_lopsided(b)
        b.end_world()
    with pytest.raises(ModelError, match="world 1 has 2 body entries and world 0 has 1"):
        SolverMuJoCo(b.finalize(device=device), separate_worlds=True)


def test_a_body_of_no_world_is_refused_beside_worlds(device):
    b = builder()
    add_lopsided(b, label="stray")
    b.replicate(every_joint(), 2)
    with pytest.raises(ModelError, match="body 'stray' belongs to no world"):
        SolverMuJoCo(b.finalize(device=device))


def test_without_separate_worlds_the_scene_is_one(device):
    """Bodies of different worlds share one engine world, and may differ in structure."""
    b = builder()
    for count in (1, 2):
        b.begin_world()
        for _ in range(count):
            add_lopsided(b)
        b.end_world()
    solver = SolverMuJoCo(b.finalize(device=device), separate_worlds=False)
    assert (solver.nworld, solver.mj_model.nv) == (1, 18)


def test_a_bad_world_harms_only_itself(device):
    """NaN, infinity or a huge number in one world: it restarts from the model's pose, the others do not notice."""
    for bad in (np.nan, np.inf, 1e12):
        many = copies(every_joint()).finalize(device=device)
        state = random_state(many)
        healthy = run(SolverMuJoCo(many), state, steps=3)
        solver = SolverMuJoCo(many)
        q = state.joint_q.numpy()
        q.reshape(WORLDS, -1)[1, 0] = bad
        state.joint_q.assign(q)
        after = run(solver, state, steps=3)
        assert_same(by_world(after.joint_q)[[0, 2]], by_world(healthy.joint_q)[[0, 2]])
        assert np.isfinite(after.joint_q.numpy()).all() and np.isfinite(after.body_qd.numpy()).all()
        assert (solver.mjw_data.bad_count.numpy() > 0).tolist() == [False, True, False]


def test_worlds_with_other_filter_pairs_are_refused(device):
    b = builder()
    for extra in (False, True):
        b.begin_world()
        first = b.shape_count
        for z in (1.0, 2.0):
            add_lopsided(b, z=z)
        if extra:
            b.add_shape_collision_filter_pair(first, first + 2)
        b.end_world()
    with pytest.raises(ModelError, match="world 1: its collision filter pairs are others"):
        SolverMuJoCo(b.finalize(device=device), separate_worlds=True)


def test_shapes_shared_by_all_worlds_may_be_added_first_or_last(device):
    results = []
    for ground_first in (True, False):
        b = builder()
        if ground_first:
            b.add_ground_plane()
        b.replicate(every_joint(), 2)
        if not ground_first:
            b.add_ground_plane()
        solver = SolverMuJoCo(b.finalize(device=device))
        assert solver.mj_model.names_geom[0] == "ground_plane"
        results.append(run(solver, solver.model.state(), steps=20).joint_q.numpy())
    assert_same(*results)
