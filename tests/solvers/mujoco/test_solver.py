"""SolverMuJoCo: joints, drives, prescribed bodies, options and arguments as Newton's interface has them."""

from contextlib import nullcontext

import numpy as np
import pytest
import warp as wp

from newtonlite.core.enums import GeoType, ModelFlags
from newtonlite.core.enums import JointTargetMode as Mode
from newtonlite.core.errors import CapacityError, ModelError, NewtonWarning, StateError
from newtonlite.solvers.mujoco import SolverMuJoCo, pipeline
from newtonlite.solvers.mujoco.adapter.programs import PUSH
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness.engine_scenes import TILT, X, Y, Z, add_lopsided, builder, every_joint, pose, random_state, run
from tests.tolerance import assert_close, assert_same


def arm(b=None, **joint):
    """One link that turns about y at the world's origin."""
    b = b or builder(gravity=(0, 0, 0))
    link = b.add_link(label="arm")
    b.add_shape_box(link, xform=pose(0, 0, -0.2), hx=0.05, hy=0.05, hz=0.2)
    b.add_articulation([b.add_joint_revolute(-1, link, axis=Y, label="hinge", **joint)])
    return b


# joints


def test_newton_joints_become_mujoco_joints(device):
    m = compile_model(every_joint().finalize(device=device))
    assert m.jnt_type.tolist() == [3, 2, 1, 2, 2, 3, 3, 3, 0]
    assert (m.nq, m.nv, m.nbody) == (7 + 4 + 7, 7 + 3 + 6, 8)
    assert m.names_joint[3:7] == ["joint_5_lin0", "joint_5_lin1", "joint_5_ang0", "joint_5_ang1"]


def test_a_fixed_joint_nests_its_child(device):
    m = compile_model(every_joint().finalize(device=device))
    assert m.body_jntnum[4] == 0 and m.body_parentid[4] == 3 and m.body_weldid[4] == 3


def test_a_base_fixed_to_the_world_is_a_mocap_body(device):
    b = builder()
    base, link = b.add_link(label="base"), b.add_link(label="link")
    for body in (base, link):
        b.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    joints = [b.add_joint_fixed(-1, base, parent_xform=pose(1, 2, 3, TILT)), b.add_joint_revolute(base, link, axis=Y)]
    b.add_articulation(joints)
    model = b.finalize(device=device)
    solver = SolverMuJoCo(model)
    assert solver.mj_model.body_mocapid.tolist() == [-1, 0, -1]
    after = run(solver, model.state())
    assert_close(after.body_q.numpy()[:1, :3], [[1, 2, 3]], "kinematics")
    X_p = model.joint_X_p.numpy()
    X_p[0, :3] = [4, 5, 6]
    model.joint_X_p.assign(X_p)
    solver.notify_model_changed(ModelFlags.JOINT_PROPERTIES)
    after = run(solver, model.state())
    assert_close(after.body_q.numpy()[:1, :3], [[4, 5, 6]], "kinematics")


def test_a_kinematic_body_keeps_what_the_caller_writes_and_pushes_others(device):
    """A prescribed floating box moves into a free ball: its own state comes back bit for bit, the ball flies off."""
    b = builder(gravity=(0, 0, 0))
    box = b.add_body(xform=pose(0, 0, 0), is_kinematic=True, label="pusher")
    b.add_shape_box(box, hx=0.1, hy=0.1, hz=0.1)
    ball = b.add_body(xform=pose(0.25, 0, 0), label="ball")
    b.add_shape_sphere(ball, radius=0.1)
    model = b.finalize(device=device)
    solver = SolverMuJoCo(model)
    assert solver.mj_model.stat.meaninertia < 1e3
    first, second = model.state(), model.state()
    for step in range(100):
        q, qd = first.joint_q.numpy(), first.joint_qd.numpy()
        q[0], qd[0] = 0.001 * step, 0.5
        first.joint_q.assign(q)
        first.joint_qd.assign(qd)
        solver.step(first, second, None, None, 0.002)
        assert_same(second.joint_q.numpy()[:7], q[:7])
        assert_same(second.joint_qd.numpy()[:6], qd[:6])
        first, second = second, first
    assert first.joint_qd.numpy()[6] > 0.3


def test_a_floating_joint_needs_the_world_as_parent(device):
    b = builder()
    base, link = b.add_link(label="base"), b.add_link(label="link")
    for body in (base, link):
        b.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    b.add_articulation([b.add_joint_revolute(-1, base, axis=Y), b.add_joint_free(link, parent=base, label="loose")])
    with pytest.raises(ModelError, match="joint 'loose': a FREE or DISTANCE joint needs the world as parent"):
        SolverMuJoCo(b.finalize(device=device))


def test_a_plane_on_a_body_is_refused(device):
    b = builder()
    body = b.add_body()
    b.add_shape_sphere(body, radius=0.1)
    model = b.finalize(device=device)
    model.shape_type.assign([1])
    with pytest.raises(ModelError, match="a plane must be attached to the world"):
        SolverMuJoCo(model)


def test_shapes_that_cannot_be_simulated_are_refused(device):
    b = builder()
    body = b.add_body()
    b.add_shape_sphere(body, radius=0.1, label="hat")
    model = b.finalize(device=device)
    model.shape_type.assign([GeoType.GAUSSIAN])
    with pytest.raises(ModelError, match="shape 'hat': GAUSSIAN is not supported"):
        SolverMuJoCo(model)


# drives


def test_position_drives_make_one_servo_and_both_make_two(device):
    modes = {Mode.NONE: 0, Mode.EFFORT: 0, Mode.POSITION: 1, Mode.VELOCITY: 1, Mode.POSITION_VELOCITY: 2}
    for mode, count in modes.items():
        m = compile_model(arm(target_ke=30.0, target_kd=4.0, actuator_mode=mode).finalize(device=device))
        assert m.nu == count, mode
    assert m.actuator_gainprm[:, 0].tolist() == [30.0, 4.0]
    assert m.actuator_biasprm[:, :3].tolist() == [[0, -30, 0], [0, 0, -4]]
    m = compile_model(arm(target_ke=30.0, target_kd=4.0, actuator_mode=Mode.POSITION).finalize(device=device))
    assert m.actuator_biasprm[:, :3].tolist() == [[0, -30, -4]]


def test_a_position_drive_reaches_its_target(device):
    model = arm(target_ke=300.0, target_kd=20.0, actuator_mode=Mode.POSITION).finalize(device=device)
    control = model.control()
    control.joint_target_q.assign([0.7])
    after = run(SolverMuJoCo(model), model.state(), control, steps=2000)
    assert_close(after.joint_q.numpy(), [0.7], "qacc")


def test_a_velocity_drive_reaches_its_target(device):
    model = arm(target_kd=20.0, actuator_mode=Mode.VELOCITY).finalize(device=device)
    control = model.control()
    control.joint_target_qd.assign([0.7])
    after = run(SolverMuJoCo(model), model.state(), control, steps=2000)
    assert_close(after.joint_qd.numpy(), [0.7], "qacc")


def test_a_ball_drive_turns_to_its_target_orientation(device):
    b = builder(gravity=(0, 0, 0))
    link = b.add_link()
    b.add_shape_box(link, hx=0.2, hy=0.2, hz=0.2)
    frames = dict(
        parent_xform=pose(0, 0, 1, TILT), child_xform=pose(0, 0, 0, wp.quat_from_axis_angle(wp.vec3(*X), 0.4))
    )
    joint = b.add_joint_ball(-1, link, actuator_mode=Mode.POSITION, **frames)
    b.add_articulation([joint])
    model = b.finalize(device=device)
    model.joint_target_ke.fill_(100.0)
    model.joint_target_kd.fill_(20.0)
    control = model.control()
    target = wp.quat_from_axis_angle(wp.normalize(wp.vec3(1.0, -1.0, 0.5)), 0.8)
    control.joint_target_q.assign(list(target))
    after = run(SolverMuJoCo(model), model.state(), control, steps=2000)
    assert_close([abs(np.dot(after.joint_q.numpy(), list(target)))], [1.0], "qacc")


def test_an_effort_limit_clamps_the_sum_of_a_joints_actuators(device):
    """Against a limit of 2 N m a box of inertia I gains speed at 2/I, however strong the drive."""
    model = arm(target_ke=1e4, actuator_mode=Mode.POSITION, effort_limit=2.0).finalize(device=device)
    solver = SolverMuJoCo(model)
    assert solver.mj_model.jnt_actfrcrange.tolist() == [[-2.0, 2.0]]
    control = model.control()
    control.joint_target_q.assign([3.0])
    after = run(solver, model.state(), control, steps=1, dt=0.001)
    assert_close(after.joint_qd.numpy(), [0.001 * 2.0 / solver.mj_model.dof_M0[0]], "force")


def test_a_limit_in_force_space_yields_by_torque_over_stiffness(device):
    """Pressed against its limit by 1 N m, with ke = 50 N m/rad, a hinge settles 0.02 rad beyond it, whatever its
    inertia.
    """
    for scale in (1.0, 20.0):
        b = arm(limit_lower=-0.1, limit_upper=0.1, limit_ke=50.0, limit_kd=30.0 * np.sqrt(scale))
        b.body_mass[0] *= scale
        b.body_inertia[0] = b.body_inertia[0] * scale
        model = b.finalize(device=device)
        model.mujoco.solimplimit.assign([[0.95, 0.95, 0.001, 0.5, 2.0]])
        control = model.control()
        control.joint_f.assign([1.0])
        after = run(SolverMuJoCo(model), model.state(), control, steps=8000)
        assert_close(after.joint_q.numpy(), [0.12], "limit")


def test_a_limit_that_changes_is_felt(device):
    model = arm(limit_lower=-0.1, limit_upper=0.1, damping=2.0).finalize(device=device)
    solver = SolverMuJoCo(model)
    model.joint_limit_upper.assign([0.5])
    solver.notify_model_changed(ModelFlags.JOINT_DOF_PROPERTIES)
    control = model.control()
    control.joint_f.assign([1.0])
    after = run(solver, model.state(), control, steps=2000)
    assert 0.45 < after.joint_q.numpy()[0] < 0.55


def test_a_friction_that_changes_is_felt_through_unchanged_arrays(device):
    """Numbers go into the engine's arrays in place, so that recorded launches and graphs stay valid."""
    b = builder()
    b.add_ground_plane()
    body = b.add_body(xform=pose(0, 0, 0.1))
    b.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    model = b.finalize(device=device)
    solver = SolverMuJoCo(model)
    before = {name: array.ptr for name, array in solver.mjw_model.arrays.items()}
    model.shape_material_mu.fill_(0.01)
    solver.notify_model_changed(ModelFlags.SHAPE_PROPERTIES)
    assert {name: array.ptr for name, array in solver.mjw_model.arrays.items()} == before
    state = model.state()
    state.joint_qd.assign([1.0, 0, 0, 0, 0, 0])
    after = run(solver, state, steps=50)
    assert 0.98 < after.joint_qd.numpy()[0] < 0.995


def test_a_drive_that_is_switched_on_later_acts(device):
    """Another target mode makes other actuators: the engine is rebuilt."""
    model = arm(target_ke=300.0, target_kd=20.0, actuator_mode=Mode.NONE).finalize(device=device)
    solver, control = SolverMuJoCo(model), model.control()
    control.joint_target_q.assign([0.7])
    assert not run(solver, model.state(), control, steps=5).joint_q.numpy().any()
    model.joint_target_mode.assign([Mode.POSITION])
    solver.notify_model_changed(ModelFlags.JOINT_DOF_PROPERTIES)
    after = run(solver, model.state(), control, steps=2000)
    assert_close(after.joint_q.numpy(), [0.7], "qacc")


def test_a_body_may_become_kinematic_later(device):
    model = arm(builder()).finalize(device=device)
    model.joint_q.assign([0.5])
    solver = SolverMuJoCo(model)
    assert abs(run(solver, model.state(), steps=5).joint_qd.numpy()[0]) > 0.01
    model.body_flags.assign([2])
    solver.notify_model_changed(ModelFlags.BODY_PROPERTIES)
    assert run(solver, model.state(), steps=5).joint_q.numpy()[0] == np.float32(0.5)


def test_gravity_that_changes_is_felt(device):
    b = builder()
    add_lopsided(b)
    model = b.finalize(device=device)
    solver = SolverMuJoCo(model)
    model.set_gravity((0.0, 0.0, -1.62))
    solver.notify_model_changed(ModelFlags.MODEL_PROPERTIES)
    after = run(solver, model.state(), steps=10, dt=0.001)
    assert_close(after.joint_qd.numpy()[2:3], [-0.0162], "force")
    assert_close(solver.mj_model.opt.gravity[None], [[0.0, 0.0, -1.62]], "authored")


# collision filters


def test_groups_and_filter_pairs_decide_who_collides(device):
    """Group 0 meets nothing, 1 meets 1, -1 all but itself; a filter pair overrules."""
    b = builder()
    cfg = {g: b.ShapeConfig(collision_group=g) for g in (0, 1, 2, -1)}
    for group in (0, 1, 1, 2, -1, -1):
        body = b.add_body()
        b.add_shape_sphere(body, radius=0.1, cfg=cfg[group])
    b.add_shape_collision_filter_pair(1, 4)
    solver = SolverMuJoCo(b.finalize(device=device))
    pairs = {tuple(sorted(p)) for p in solver.mjw_model.cand_geom.numpy().tolist()}
    assert pairs == {(1, 2), (2, 4), (3, 4), (1, 5), (2, 5), (3, 5)}


def test_visual_shapes_are_left_out_unless_asked_for(device):
    b = builder()
    body = b.add_body()
    b.add_shape_sphere(body, radius=0.1)
    b.add_shape_sphere(body, radius=0.2, cfg=b.ShapeConfig(has_shape_collision=False, density=0.0))
    model = b.finalize(device=device)
    assert SolverMuJoCo(model).mj_model.ngeom == 1
    assert SolverMuJoCo(model, skip_visual_only_geoms=False).mj_model.ngeom == 2


def test_sites_are_kept_unless_left_out(device):
    b = builder()
    body = b.add_body()
    b.add_shape_sphere(body, radius=0.1)
    b.add_site(body, xform=pose(0.1, 0.2, 0.3), label="tip")
    model = b.finalize(device=device)
    m = SolverMuJoCo(model).mj_model
    assert (m.names_site, m.ngeom) == (["tip"], 1)
    assert_close(m.site_pos, [[0.1, 0.2, 0.3]], "kinematics")
    assert SolverMuJoCo(model, include_sites=False).mj_model.nsite == 0


# options and arguments


def test_an_argument_beats_the_model_which_beats_the_default(device):
    model = arm().finalize(device=device)
    assert SolverMuJoCo(model).mj_model.opt.integrator == 3
    assert SolverMuJoCo(model).mj_model.opt.iterations == 100
    model.mujoco.iterations.assign([7])
    assert SolverMuJoCo(model).mj_model.opt.iterations == 7
    assert SolverMuJoCo(model, iterations=5).mj_model.opt.iterations == 5
    assert SolverMuJoCo(model, cone="elliptic").mj_model.opt.cone == 1


def test_options_may_differ_between_worlds(device):
    b = builder()
    b.replicate(arm(), 2)
    model = b.finalize(device=device)
    model.mujoco.impratio.assign([1.0, 4.0])
    assert_close(SolverMuJoCo(model).mjw_model.opt_impratio_invsqrt.numpy(), [1.0, 0.5], "compiled")


def test_groups_of_actuators_can_be_switched_off(device):
    model = arm().finalize(device=device)
    model.mujoco.actuator_group_disabled.assign([6])
    assert SolverMuJoCo(model).mjw_model.opt_disableactuator == 6


def test_options_are_read_once(device):
    model = arm().finalize(device=device)
    solver = SolverMuJoCo(model)
    model.mujoco.iterations.assign([7])
    with pytest.warns(NewtonWarning, match="iterations: is read once"):
        solver.notify_model_changed(ModelFlags.ALL)
    assert solver.mj_model.opt.iterations == 100


@pytest.mark.parametrize(
    "argument",
    [
        {"sleep_tolerance": -1.0},
        {"update_data_interval": -1},
        {"njmax_nnz": 0},
        {"overflow": "ignore"},
        {"cone": "round"},
        {"iterations": 0},
        {"tolerance": float("nan")},
        {"integrator": "leapfrog"},
    ],
    ids=str,
)
def test_arguments_that_are_not_supported_are_refused_by_name(device, argument):
    with pytest.raises(ModelError, match=next(iter(argument))):
        SolverMuJoCo(arm().finalize(device=device), **argument)


@pytest.mark.parametrize("argument", [{"nconmax": -1}, {"njmax": 2.5}], ids=str)
def test_capacities_that_make_no_sense_are_refused(device, argument):
    with pytest.raises(CapacityError, match=next(iter(argument))):
        SolverMuJoCo(arm().finalize(device=device), **argument)


def test_arrays_of_another_model_are_refused_before_anything_runs(device):
    model, other = arm().finalize(device=device), every_joint().finalize(device=device)
    solver, good = SolverMuJoCo(model), model.state()
    with pytest.raises(StateError, match=r"state_in.joint_q: expected float32\[1\], got float32\[18\]"):
        solver.step(other.state(), good, None, None, 0.002)
    with pytest.raises(StateError, match="state_out.joint_q"):
        solver.step(good, other.state(), None, None, 0.002)
    with pytest.raises(StateError, match="joint_f"):
        solver.step(good, good, other.control(), None, 0.002)
    strange = model.state()
    strange.joint_qd = wp.zeros(1, dtype=wp.float64, device=device)
    with pytest.raises(StateError, match=r"state_in.joint_qd: expected float32\[1\], got float64\[1\]"):
        solver.step(strange, good, None, None, 0.002)
    with pytest.raises(StateError, match="expected a Warp array, got ndarray"):
        strange.joint_qd = np.zeros(1, np.float32)
        solver.step(strange, good, None, None, 0.002)


@pytest.mark.parametrize("dt", [0.0, -0.001, float("nan"), float("inf")])
def test_a_time_step_that_is_not_positive_is_refused(device, dt):
    model = arm().finalize(device=device)
    with pytest.raises(StateError, match="dt: expected a positive number"):
        SolverMuJoCo(model).step(model.state(), model.state(), None, None, dt)


def test_the_time_step_may_change_between_steps(device):
    b = builder()
    add_lopsided(b)
    model = b.finalize(device=device)
    solver, state = SolverMuJoCo(model), model.state()
    for dt in (0.001, 0.003, 0.001):
        solver.step(state, state, None, None, dt)
    assert_close(state.joint_qd.numpy()[2:3], [-9.81 * 0.005], "force")
    assert_close(solver.mjw_data.time.numpy(), [0.005], "kinematics")


# capacity


def heap():
    """Boxes on a plane: each has four contacts."""
    b = builder()
    b.add_ground_plane()
    for k in range(4):
        body = b.add_body(xform=pose(k, 0, 0.0999))
        b.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    return b


def looked_at(device):
    """On the CPU a step that loses contacts warns, once; on a GPU no step looks."""
    return pytest.warns(NewtonWarning, match="16 contacts") if wp.get_device(device).is_cpu else nullcontext()


def crowded(device, **options):
    """(solver made while the boxes of a heap hang above the plane, a state in which they stand on it)."""
    model = heap().finalize(device=device)
    state, high = model.state(), model.joint_q.numpy()
    model.joint_q.assign(high + np.tile([0, 0, 1, 0, 0, 0, 0], 4).astype(np.float32))
    return SolverMuJoCo(model, **options), state


@pytest.mark.parametrize("policy", ["raise", "grow"])
def test_a_step_on_the_cpu_follows_the_policy(policy):
    solver, state = crowded("cpu", nconmax=6, overflow=policy)
    with pytest.raises(CapacityError, match="16 contacts") if policy == "raise" else nullcontext():
        state = run(solver, state, steps=100)
        assert_close(state.joint_q.numpy().reshape(4, 7)[:, 2:3], np.full((4, 1), 0.1), "contact_rest")


def test_lost_contacts_warn_raise_or_make_room(device):
    solver, start = crowded(device, nconmax=6)
    with looked_at(device):
        state = run(solver, start, steps=2)
    assert np.isfinite(state.joint_q.numpy()).all()
    with pytest.raises(CapacityError, match=r"up to 16 contacts \(nconmax=6\)"):
        solver.check_capacity("raise")
    with pytest.warns(NewtonWarning, match="16 contacts"):
        assert not solver.check_capacity("warn")
    with looked_at(device):
        state = run(solver, start, steps=2)
    assert not solver.check_capacity("grow")
    assert solver.mjw_data.nconmax >= 16
    state = run(solver, start, steps=100)
    assert solver.check_capacity("raise")
    assert_close(state.joint_q.numpy().reshape(4, 7)[:, 2:3], np.full((4, 1), 0.1), "contact_rest")


def test_strict_capacity_raises_in_the_step_that_loses_contacts(device):
    model = heap().finalize(device=device)
    solver = SolverMuJoCo(model, nconmax=6, strict_capacity=True)
    with pytest.raises(CapacityError, match="16 contacts"):
        run(solver, model.state())


def limited():
    """Five hinges that begin below their ranges."""
    b = builder()
    for _ in range(5):
        b.add_articulation(
            [b.add_joint_revolute(-1, b.add_link(mass=1.0, inertia=np.eye(3)), limit_lower=1.0, limit_upper=2.0)]
        )
    return b


def test_capacities_below_what_the_models_own_state_needs_are_raised_with_a_warning(device):
    """Newton's: each is then what the state needs, contacts with the rows that they bring."""
    with pytest.warns(NewtonWarning, match="nconmax is changed from 6 to 16"):
        solver = SolverMuJoCo(heap().finalize(device=device), nconmax=6)
    assert solver.mjw_data.nconmax == 16 and solver.get_max_contact_count() == 16
    with pytest.warns(NewtonWarning) as said:
        solver = SolverMuJoCo(heap().finalize(device=device), nconmax=6, njmax=3)
    rows = solver.mjw_data.njmax
    assert [str(w.message).split(",")[0] for w in said] == [
        "SolverMuJoCo: Value for nconmax is changed from 6 to 16",
        f"SolverMuJoCo: Value for njmax is changed from 3 to {rows}",
    ]
    with pytest.warns(NewtonWarning, match="njmax is changed from 1 to 5"):
        solver = SolverMuJoCo(limited().finalize(device=device), use_mujoco_contacts=False, nconmax=1, njmax=1)
    assert solver.mjw_data.njmax == 5


def test_a_solver_whose_capacity_was_raised_steps_as_one_with_room(device):
    model = heap().finalize(device=device)
    with pytest.warns(NewtonWarning, match="nconmax"):
        tight = SolverMuJoCo(model, nconmax=6)
    states = [run(s, model.state(), steps=20).joint_q.numpy() for s in (SolverMuJoCo(model), tight)]
    np.testing.assert_array_equal(*states)
    assert tight.check_capacity("raise") and tight.mjw_data.time.numpy() == pytest.approx(
        20 * tight.mj_model.opt.timestep
    )


def test_counting_takes_the_kernels_of_a_step():
    """So that a capacity costs no compilation."""
    schedule = SolverMuJoCo(heap().finalize(device="cpu"), nconmax=6, overflow="raise").groups[0].schedule
    schedule.add("rows", pipeline.ROWS, prologue=PUSH)
    rows, step = ({kernel for part in schedule.programs[name] for kernel in part.kernels} for name in ("rows", "step"))
    assert rows and rows < step


def test_everything_is_said_in_one_line(device):
    solver = SolverMuJoCo(arm().finalize(device=device), nconmax=3, njmax=9)
    assert repr(solver) == f"<SolverMuJoCo 1 worlds: <Engine 1 worlds, nv=1, nconmax=3, njmax=9, {solver.device}>>"


def test_a_body_without_mass_is_refused(device):
    b = builder()
    link = b.add_link(label="ghost")
    b.add_articulation([b.add_joint_revolute(-1, link, axis=Z)])
    model = b.finalize(device=device)
    with pytest.raises(ModelError, match="body 'ghost'"):
        SolverMuJoCo(model)


def test_random_states_are_reproducible(device):
    model = every_joint().finalize(device=device)
    first, second = (run(SolverMuJoCo(model), random_state(model), steps=5) for _ in range(2))
    assert_same(first.joint_q.numpy(), second.joint_q.numpy())
