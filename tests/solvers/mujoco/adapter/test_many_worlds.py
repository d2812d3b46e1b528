"""Rows N-090 to N-103 and N-117: worlds, stepping, options, notification, and where each named step lives."""

import importlib
import warnings

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.enums import ModelFlags
from newtonlite.core.errors import NewtonWarning
from newtonlite.solvers import SolverMuJoCo
from tests.harness.engine_scenes import add_lopsided, builder, every_joint, pose, random_state
from tests.harness.newton_scenes import arm, resting, solver, step
from tests.tolerance import assert_close, assert_same

pytestmark = pytest.mark.filterwarnings("ignore:add_constraint_mimic")


def worlds(one, count: int = 3):
    b = builder()
    b.add_ground_plane()
    b.replicate(one, count)
    return b


def test_n_090_the_first_world_is_the_model_of_all(device):
    model = worlds(every_joint()).finalize(device=device)
    s = solver(model)
    alone = solver(worlds(every_joint(), 1).finalize(device=device))
    assert (s.nworld, s.separate_worlds) == (3, True)
    assert (s.mj_model.nbody, s.mj_model.nv, s.mj_model.ngeom) == (
        alone.mj_model.nbody,
        alone.mj_model.nv,
        alone.mj_model.ngeom,
    )
    together = solver(worlds(add_copies(), 1).finalize(device=device), separate_worlds=False)
    assert together.nworld == 1


def add_copies():
    b = builder()
    add_lopsided(b)
    return b


def test_n_091_worlds_that_differ_are_refused_with_a_list(device):
    b = builder()
    for kind in ("add_shape_box", "add_shape_sphere"):
        b.begin_world()
        getattr(b, kind)(b.add_body(label="thing"), label="part")
        b.end_world()
    with pytest.raises(
        ValueError,
        match="worlds must have the same structure as world 0, but world 1: shape_type of 'part' is 3, not 7",
    ):
        solver(b.finalize(device=device), separate_worlds=True)


@pytest.mark.parametrize("what", ["body", "joint", "equality constraint", "constraint mimic"])
def test_n_092_only_shapes_may_be_global(device, what):
    b = builder()
    b.add_ground_plane()
    b.replicate(every_joint(), 2)
    if what in ("body", "joint"):
        add_lopsided(b, label="stray")
    elif what == "equality constraint":
        b.add_custom_values(**{"mujoco:equality_constraint_body1": 0, "mujoco:equality_constraint_world": -1})
    else:
        b.add_constraint_mimic(0, 1)
    with pytest.raises(ValueError, match="belongs to no world"):
        solver(b.finalize(device=device))


def test_n_093_a_step_reads_state_and_control_and_writes_the_new_state(device):
    model = arm(gravity=(0, 0, -9.81)).finalize(device=device)
    s, first, second, control = solver(model), model.state(), model.state(), model.control()
    first.joint_q.assign([0.3])
    before = {name: getattr(first, name).numpy().copy() for name in ("joint_q", "joint_qd", "body_q")}
    s.step(first, second, control, None, 0.01)
    for name, value in before.items():
        assert_same(getattr(first, name).numpy(), value, name)
    assert second.joint_qd.numpy()[0] != 0.0
    assert_close(second.joint_q.numpy(), 0.3 + 0.01 * second.joint_qd.numpy(), "force")
    fk = model.state()
    newton.eval_fk(model, second.joint_q, second.joint_qd, fk)
    assert_close(second.body_q.numpy(), fk.body_q.numpy(), "kinematics")
    assert_close(second.body_qd.numpy(), fk.body_qd.numpy(), "velocity", floor=1.0)


@pytest.mark.filterwarnings("ignore:.*update_data_interval:DeprecationWarning")
def test_n_094_states_are_read_at_the_interval(device):
    """With interval 3, what a caller writes into the state counts in steps 0, 3, ...; forces count in every step."""
    model = arm(gravity=(0, 0, 0)).finalize(device=device)
    s, control = solver(model, update_data_interval=3), model.control()
    assert s.update_data_interval == 3
    state, seen = model.state(), []
    for _ in range(7):
        state.joint_q.assign([1.0])
        s.step(state, state, control, None, 0.01)
        seen.append(state.joint_q.numpy()[0])
    assert seen == [1.0] * 7  # at rest at 1 from step 0 on
    for k in range(6):
        state.joint_q.assign([2.0])
        s.step(state, state, control, None, 0.01)
        assert state.joint_q.numpy()[0] == (1.0 if k < 2 else 2.0), k
    control.joint_f.assign([5.0])
    s.step(state, state, control, None, 0.01)
    assert state.joint_qd.numpy()[0] > 0.0


@pytest.mark.filterwarnings("ignore:.*update_data_interval:DeprecationWarning")
def test_n_094_an_interval_does_not_change_a_simulation_left_alone(device):
    model = every_joint().finalize(device=device)
    results = [
        step(solver(model, update_data_interval=n), random_state(model), steps=6).joint_q.numpy() for n in (1, 2, 0)
    ]
    assert_close(results[1][None], results[0][None], "trajectory")
    assert_close(results[2][None], results[0][None], "trajectory")


@pytest.mark.filterwarnings("ignore:.*update_data_interval:DeprecationWarning")
def test_n_094_a_reset_is_read_whatever_the_interval(device):
    model = arm(gravity=(0, 0, -9.81)).finalize(device=device)
    model.joint_q.assign([0.5])
    s, state = solver(model, update_data_interval=0), model.state()
    first = [advance(s, state) for _ in range(4)]
    s.reset(state)
    assert [advance(s, state) for _ in range(4)] == first


def advance(s, state) -> float:
    s.step(state, state, None, None, 0.01)
    return float(state.joint_q.numpy()[0])


def test_n_096_an_argument_beats_the_attribute_which_beats_the_default(device):
    model = worlds(arm()).finalize(device=device)
    assert solver(model).mj_model.opt.integrator == 3
    model.mujoco.impratio.assign([1.0, 4.0, 16.0])
    assert_close(solver(model).mjw_model.opt_impratio_invsqrt.numpy(), [1.0, 0.5, 0.25], "compiled")
    assert_close(solver(model, impratio=100.0).mjw_model.opt_impratio_invsqrt.numpy(), [0.1] * 3, "compiled")
    model.mujoco.iterations.assign([7])
    assert solver(model).mj_model.opt.iterations == 7
    assert solver(model, iterations=5, integrator="euler").mj_model.opt.iterations == 5


def test_n_097_options_are_read_once_and_later_changes_reported(device):
    """Of each option by name, once; nothing is said as long as none changes."""
    model = arm().finalize(device=device)
    s = solver(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        s.notify_model_changed(ModelFlags.ALL)
    for name, value in (("iterations", 7), ("impratio", 9.0), ("flag_contact", False)):
        getattr(model.mujoco, name).assign([value])
        with pytest.warns(NewtonWarning, match=rf"model.mujoco.{name}: is read once.*make a new solver"):
            s.notify_model_changed(ModelFlags.MODEL_PROPERTIES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        s.notify_model_changed(ModelFlags.JOINT_PROPERTIES)
    assert (s.mj_model.opt.iterations, s.mj_model.opt.impratio) == (100, 1.0)
    assert s.mjw_model.opt_impratio_invsqrt.numpy().tolist() == [1.0]


def test_n_098_the_constructor_takes_newtons_arguments():
    import inspect

    names = """separate_worlds njmax njmax_nnz nconmax iterations ls_iterations ccd_iterations sdf_iterations sdf_initpoints solver integrator cone
        jacobian impratio tolerance ls_tolerance ccd_tolerance density viscosity wind magnetic use_mujoco_cpu enable_multiccd enable_sleeping
        nvmax sleep_tolerance disable_contacts disable_sensors update_data_interval save_to_mjcf use_mujoco_contacts use_speculative_contacts
        include_sites skip_visual_only_geoms deterministic strict_capacity kinematic_switchable_roots""".split()
    given = inspect.signature(SolverMuJoCo).parameters
    assert list(given)[: len(names) + 1] == ["model", *names]


def test_n_099_the_namespace_is_registered_with_names_types_and_defaults(device):
    b = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(b)
    SolverMuJoCo.register_custom_attributes(b)  # again changes nothing
    attribute = b.custom_attributes["mujoco:condim"]
    assert (attribute.default, attribute.mjcf_attribute_name, attribute.usd_attribute_name) == (
        3,
        "condim",
        "mjc:condim",
    )
    b.add_shape_sphere(b.add_body(), radius=0.1, custom_attributes={"mujoco:condim": 6})
    b.add_shape_sphere(b.add_body(), radius=0.1)
    model = b.finalize(device=device)
    assert model.mujoco.condim.numpy().tolist() == [6, 3]
    assert SolverMuJoCo(model, mode="staged").mj_model.geom_condim.tolist() == [6, 3]


def test_n_100_damping_and_armature_of_a_file_are_built_in_fields(device):
    b = builder()
    b.add_mjcf(
        '<mujoco><worldbody><body><joint damping="2" armature="3" frictionloss="4"/><geom size="1"/></body></worldbody></mujoco>'
    )
    model = b.finalize(device=device)
    got = [getattr(model, f"joint_{name}").numpy()[0] for name in ("damping", "armature", "friction")]
    assert got == [2.0, 3.0, 4.0]
    m = solver(model).mj_model
    assert (m.dof_damping[0], m.dof_armature[0], m.dof_frictionloss[0]) == (2.0, 3.0, 4.0)


def test_n_101_dof_passive_damping_is_joint_damping_with_a_warning(device):
    model = arm(damping=2.0).finalize(device=device)
    with pytest.warns(DeprecationWarning, match="dof_passive_damping"):
        assert model.mujoco.dof_passive_damping is model.joint_damping
    with pytest.raises(AttributeError, match="has no attribute 'dof_active_damping'"):
        _ = model.mujoco.dof_active_damping


FILE = """<mujoco><visual><map znear=".1"/></visual><worldbody><light pos="0 0 3"/><camera name="eye" pos="1 0 0"/><site name="s"/>
<body><freejoint/><geom size=".1"/></body></worldbody><sensor><framepos objtype="site" objname="s"/></sensor>
<keyframe><key name="k" qpos="0 0 1 1 0 0 0"/></keyframe><custom><numeric name="n" data="1 2"/><text name="t" data="words"/></custom></mujoco>"""


def test_n_103_what_newton_does_not_import_does_not_hurt(device):
    """Sensors, cameras, lights, keyframes and custom data: the file loads and runs; newtonlite keeps them, which Newton
    does not.
    """
    b = builder()
    with warnings.catch_warnings():
        warnings.simplefilter("error", NewtonWarning)
        b.add_mjcf(FILE)
    s = solver(b.finalize(device=device))
    step(s, s.model.state())
    assert (s.mj_model.ncam, s.mj_model.nlight, s.mj_model.nkey) == (1, 1, 1)


HOMES = {
    "_convert_to_mjc": "newtonlite.solvers.mujoco.compile.compile_worlds",
    "_init_pairs": "newtonlite.solvers.mujoco.compile.contacts.compile_pairs",
    "_init_actuators": "newtonlite.solvers.mujoco.compile.actuators.compile_actuators",
    "_init_tendons": "newtonlite.solvers.mujoco.compile.tendons.compile_tendons",
    "_apply_mjc_control": "newtonlite.solvers.mujoco.kernels.state_io.push.push_input",
    "_update_mjc_data": "newtonlite.solvers.mujoco.kernels.state_io.push.push_state",
    "_update_newton_state": "newtonlite.solvers.mujoco.kernels.state_io.pull.pull",
    "quat_wxyz_to_xyzw": "newtonlite.solvers.mujoco.kernels.state_io.push.to_xyzw",
    "convert_mj_coords_to_warp_kernel": "newtonlite.solvers.mujoco.kernels.state_io.pull.pull_joints",
    "convert_newton_contacts_to_mjwarp_kernel": "newtonlite.solvers.mujoco.kernels.state_io.external_contacts.load_contacts",
    "convert_solref": "newtonlite.solvers.mujoco.bindings.gains.solref_from_gains",
    "update_geom_properties_kernel": "newtonlite.solvers.mujoco.compile.geoms.geom_parameters",
}
"""Entry points that Newton's document names, and what does their work here."""


@pytest.mark.parametrize("name", HOMES)
def test_n_117_every_named_step_has_its_home(name):
    module, _, attribute = HOMES[name].rpartition(".")
    assert getattr(importlib.import_module(module), attribute).__doc__ or True


def test_n_102_a_moved_joint_frame_of_a_fixed_root_moves_its_mocap_body(device):
    b = builder()
    base = b.add_link(label="base")
    b.add_shape_box(base, hx=0.1, hy=0.1, hz=0.1)
    b.add_articulation([b.add_joint_fixed(-1, base, parent_xform=pose(1, 2, 3))])
    model = worlds(b).finalize(device=device)
    s = solver(model)
    frames = model.joint_X_p.numpy()
    frames[1, :3] = [4, 5, 6]
    model.joint_X_p.assign(frames)
    s.notify_model_changed(ModelFlags.JOINT_PROPERTIES)
    after = step(s, model.state())
    assert_close(after.body_q.numpy()[:, :3], [[1, 2, 3], [4, 5, 6], [1, 2, 3]], "kinematics")
    assert_close(s.mjw_data.mocap_pos.numpy()[:, 0], [[1, 2, 3], [4, 5, 6], [1, 2, 3]], "kinematics")


def test_n_102_gravity_per_world_is_felt_after_notification(device):
    model = worlds(add_copies()).finalize(device=device)
    s = solver(model)
    model.set_gravity([[0, 0, -9.81], [0, 0, -1.0], [0, 0, 0]])
    s.notify_model_changed(ModelFlags.MODEL_PROPERTIES)
    after = step(s, model.state(), steps=10, dt=0.001).joint_qd.numpy().reshape(3, -1)
    assert_close(after[:, 2:3], [[-0.0981], [-0.01], [0.0]], "force", floor=1.0)


def test_n_102_contact_parameters_are_felt_after_notification(device):
    model = resting().finalize(device=device)
    s = solver(model)
    model.shape_material_mu.fill_(0.01)
    model.shape_material_ke.fill_(400.0)
    model.shape_material_kd.fill_(20.0)
    s.notify_model_changed(ModelFlags.SHAPE_PROPERTIES)
    assert_close(s.mjw_model.geom_friction.numpy()[0, :, 0], [0.01, 0.01], "authored")
    assert_close(s.mjw_model.geom_solref.numpy()[0], [[0.1, 0.5]] * 2, "authored")


OPTIONS = {
    "impratio": (1.0, 5.0),
    "tolerance": (1e-6, 1e-4),
    "ls_tolerance": (0.01, 0.05),
    "ccd_tolerance": (1e-6, 1e-4),
    "sleep_tolerance": (1e-4, 1e-2),
    "density": (0.0, 900.0),
    "viscosity": (0.0, 0.5),
    "wind": ((0, 0, 0), (3, 1, 0)),
    "magnetic": ((0, -0.5, 0), (1, 2, 0)),
}
"""Values of two worlds."""


def windy(worlds: range, device):
    """Bodies in the wind that fall on a floor, with a compass; the options of these worlds."""
    one, b = builder(), builder()
    one.add_mjcf(
        '<mujoco><worldbody><geom type="plane" size="5 5 1"/><body pos="0 0 .3"><freejoint/><geom type="ellipsoid" size=".1 .2 .3" mass="1"/><site name="s"/></body>'
        '<body pos="1 0 .09"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody><sensor><magnetometer site="s"/></sensor></mujoco>'
    )
    b.replicate(one, len(worlds))
    model = b.finalize(device=device)
    for name, values in OPTIONS.items():
        getattr(model.mujoco, name).assign([values[k] for k in worlds])
    return model


def test_n_096_every_option_that_worlds_may_have_of_their_own_is_each_worlds(device):
    """The worlds step as models of their own."""
    together, *alone = (
        solver(windy(worlds, device), enable_sleeping=True) for worlds in (range(2), range(1), range(1, 2))
    )
    for name, values in OPTIONS.items():
        if name != "impratio":
            assert_same(together.mjw_model.arrays[f"opt_{name}"].numpy(), np.float32(values))
            assert_same(*(np.float32(getattr(s.mj_model.opt, name)) for s in (together, alone[0])))
    qd = [step(s, s.model.state(), steps=40).joint_qd.numpy() for s in (together, *alone)]
    assert_same(qd[0], np.concatenate(qd[1:]))
    assert np.abs(qd[1] - qd[2]).max() > 0.1
    assert_same(together.mjw_data.sensordata.numpy(), np.concatenate([s.mjw_data.sensordata.numpy() for s in alone]))


def test_n_096_what_a_fluid_flows_round_is_each_worlds(device):
    """Sizes and coefficients of ellipsoids, when the solver is made and when it is notified that they changed."""

    def swimming(worlds: range):
        one, b = builder(), builder()
        one.add_mjcf(
            '<mujoco><option density="900" viscosity=".1"/><worldbody><body><freejoint/><geom type="box" size=".1 .2 .3" mass="1" fluidshape="ellipsoid"/></body>'
            '<body pos="1 0 0"><freejoint/><geom type="capsule" size=".1 .2" mass="1" fluidshape="ellipsoid"/></body></worldbody></mujoco>'
        )
        b.replicate(one, len(worlds))
        return b.finalize(device=device)

    def vary(model, worlds: range):
        scale, coefficients = model.shape_scale.numpy(), model.mujoco.geom_fluidcoef.numpy()
        for row, world in enumerate(worlds):
            scale[2 * row : 2 * row + 2] *= 1.0 + 0.5 * world
            coefficients[2 * row : 2 * row + 2] += 0.25 * world
        model.shape_scale.assign(scale)
        model.mujoco.geom_fluidcoef.assign(coefficients)
        return model

    together, authored = solver(vary(swimming(range(2)), range(2))), solver(swimming(range(2)))
    alone = [solver(vary(swimming(worlds), worlds)) for worlds in (range(1), range(1, 2))]
    vary(authored.model, range(2))
    authored.notify_model_changed(ModelFlags.SHAPE_PROPERTIES)
    want = np.stack([s.mjw_model.geom_fluid.numpy() for s in alone])
    assert np.abs(want[1] - want[0]).max() > 1e-3
    for s in (together, authored):
        assert_same(s.mjw_model.geom_fluid.numpy(), want)
    assert_same(
        step(together, together.model.state(), steps=5).joint_qd.numpy(),
        np.concatenate([step(s, s.model.state(), steps=5).joint_qd.numpy() for s in alone]),
    )
