"""Every public name of MuJoCo Warp 4.0 is there with its parameters, or docs/mjwarp.md says why it is not; and what
those names do.
"""

import inspect
import re

import numpy as np
import pytest
import warp as wp

import newtonlite.mjwarp as mjw
from newtonlite.core.errors import ModelError, StateError
from tests import oracle
from tests.harness import questions
from tests.house.project import ROOT
from tests.tolerance import assert_close, tolerance

PAGE = (ROOT / "docs" / "mjwarp.md").read_text()
CLASSES = """BiasType BroadphaseFilter BroadphaseType Callback ConDataField ConeType Constraint Contact CtrlChart CtrlInput Data DeterminismType DisableBit
    DynType EnableBit GainType GeomType IntegratorType JointType Model ObjType Option OverflowType RayDataField RenderContext SetConstGroup SolverType
    State TrnType""".split()
FUNCTIONS = {
    name: words.split()
    for name, words in {
        **dict.fromkeys(
            """camlight com_pos com_vel crb discrete energy_pos energy_vel euler factor_m flex forward fwd_actuation fwd_kinematics fwd_velocity
            implicit inverse island kinematics make_constraint passive rne_postconstraint rungekutta4 sensor_pos sensor_vel set_const_fixed solve step
            step1 step2 subtree_vel tendon transmission""".split(),
            "m d",
        ),
        "collision": "m d awake_prev",
        "contact_force": "m d contact_ids to_world_frame force",
        "create_render_context": """mjm nworld cam_res render_rgb render_depth render_seg use_textures use_fast_math use_shadows
            use_ambient_lighting enabled_geom_groups cam_active background_color flex_render_smooth use_precomputed_rays render_skybox
            enable_backface_culling shadow_light_fraction samples_per_pixel enable_vertex_normals enable_specular enable_emission
            enable_per_light_ambient splat_position splat_rotation splat_scale splat_rgba splat_adr splat_group_id deterministic""",
        "deriv_smooth_vel": "m d out",
        "fwd_acceleration": "m d factorize",
        "fwd_position": "m d factorize",
        "get_data_into": "result mjm d world_id",
        "get_depth": "rc camera_index depth_scale depth_out",
        "get_rgb": "rc camera_index rgb_out",
        "get_segmentation": "rc camera_index seg_out",
        "get_state": "m d state sig active",
        "init_ctrl_history": "m d ctrlid times values",
        "init_sensor_history": "m d sensorid times values phase",
        "jac": "m d jacp jacr point body",
        "make_data": "mjm nworld nconmax nccdmax njmax njmax_nnz naconmax naccdmax nvmax",
        "mul_m": "m d res vec skip M",
        "nxn_broadphase": "m d ctx",
        "primitive_narrowphase": "m d ctx",
        "put_data": "mjm mjd nworld nconmax nccdmax njmax njmax_nnz naconmax naccdmax nvmax",
        "put_model": "mjm batch_sizes",
        "ray": "m d pnt vec geomgroup flg_static bodyexclude rc",
        "rays": "m d pnt vec geomgroup flg_static bodyexclude dist geomid normal rc",
        "read_ctrl": "m d ctrlid time interp result",
        "read_sensor": "m d sensorid time interp result",
        "refit_bvh": "m d rc",
        "refit_splat_bvh": "rc",
        "render": "m d rc",
        "reset_data": "m d reset",
        "reset_data_keyframe": "m d key",
        "reset_history": "m d reset",
        "rne": "m d flg_acc",
        "sap_broadphase": "m d ctx",
        "sdf_narrowphase": "m d ctx",
        "sensor_acc": "m d skip_rne_postconstraint",
        "set_const": "m d groups restore",
        "set_const_0": "m d restore",
        "set_length_range": "m d index",
        "set_state": "m d state sig active",
        "solve_m": "m d x y x_scratch",
        "xfrc_accumulate": "m d qfrc",
    }.items()
}
"""Public functions and their parameters, as ``mujoco_warp/__init__.py`` of version 4.0 has them."""


def absent() -> set:
    """Names that the page lists as absent, each in a row with a reason."""
    rows = PAGE.split("## Absent")[1].splitlines()
    cells = [line.split("|") for line in rows if line.startswith("| `")]
    assert all(len(row) == 4 and row[2].strip() for row in cells)
    return {name for row in cells for name in re.findall(r"`(\w+)`", row[1])}


@pytest.mark.parametrize("name", [*CLASSES, *FUNCTIONS])
def test_a_name_is_there_or_absent_for_a_reason(name):
    assert hasattr(mjw, name) != (name in absent())


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if hasattr(mjw, name)])
def test_parameters_have_their_places_and_names(name):
    parameters = inspect.signature(getattr(mjw, name)).parameters
    ours = [p for p in parameters.values() if p.kind is not p.KEYWORD_ONLY]
    if any(p.kind is p.VAR_POSITIONAL for p in ours):
        assert any(p.kind is p.VAR_KEYWORD for p in ours)
        ours = ours[:2]
    assert [p.name for p in ours] == FUNCTIONS[name][: len(ours)]
    assert len(ours) == len(FUNCTIONS[name]) or any(p.kind is p.VAR_POSITIONAL for p in parameters.values())


@pytest.mark.parametrize(
    "name",
    [
        "TrnType",
        "DynType",
        "GainType",
        "BiasType",
        "ConDataField",
        "RayDataField",
        "CtrlInput",
        "EnableBit",
        "IntegratorType",
    ],
)
def test_enumerations_are_mujocos(name):
    mine = {member.name: int(member) for member in getattr(mjw, name)}
    table = {
        "ConDataField": ("ConDataField", "mjCONDATA_"),
        "RayDataField": ("RayDataField", "mjRAYDATA_"),
        "EnableBit": ("EnableBit", "mjENBL_"),
        "CtrlInput": ("CtrlInput", "mjINPUT_"),
        "IntegratorType": ("Integrator", "mjINT_"),
    }
    short = name.removesuffix("Type")
    theirs, prefix = table.get(name, (short, f"mj{short.upper()}_"))
    for key, value in mine.items():
        assert questions.enum_members(f"mjt{theirs}")[prefix + key] == value, key


def test_runge_and_kutta_make_the_step(device):
    mj = oracle.small_model("rk4_chain_with_activations")
    with wp.ScopedDevice(device):
        m, whole, parts = mjw.put_model(mj), mjw.make_data(mj, 2), mjw.make_data(mj, 2)
        for d in (whole, parts):
            d.qvel.fill_(0.3)
        mjw.step(m, whole)
        mjw.forward(m, parts)
        mjw.rungekutta4(m, parts)
    np.testing.assert_array_equal(parts.qpos.numpy(), whole.qpos.numpy())
    np.testing.assert_array_equal(parts.time.numpy(), whole.time.numpy())


def test_slopes_of_smooth_forces(device):
    mj = oracle.small_model("implicitfast_damped_arm")
    states = oracle.rollout_states(mj, 3)
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, 3, device=device)
    for name in ("qpos", "qvel", "ctrl"):
        getattr(d, name).assign(getattr(states, name))
    mjw.forward(m, d)
    out = wp.zeros((3, m.nv, m.nv), dtype=float, device=device)
    mjw.deriv_smooth_vel(m, d, out)
    for w in range(3):
        host = oracle.forward(mj, states, w)
        want = oracle.dense_mass_matrix(mj, host) - mj.opt.timestep * questions.velocity_slopes(mj, host)
        assert_close(out.numpy()[w].reshape(1, -1), want.reshape(1, -1), "mjwarp", floor=1.0)
    m.opt.integrator = mjw.IntegratorType.EULER
    entries = wp.zeros((3, m.nC), dtype=float, device=device)
    mjw.deriv_smooth_vel(m, d, entries)
    rows = np.repeat(np.arange(m.nv), m.M_rownnz.numpy())
    assert_close(entries.numpy(), out.numpy()[:, rows, m.M_colind.numpy()], "mjwarp", floor=1.0)
    m.opt.density = 1.0
    with pytest.raises(StateError, match="choose implicit"):
        mjw.deriv_smooth_vel(m, d, out)


def test_slopes_of_a_free_body_in_a_fluid_are_the_mean_of_both_halves():
    mj = oracle.compile_xml("""<mujoco><option integrator="implicitfast" density="100" viscosity="2e-5"/><worldbody><body><freejoint/>
        <geom type="capsule" size=".05 .15" pos=".03 .04 .05" euler="15 25 35" fluidshape="ellipsoid"/></body></worldbody></mujoco>""")
    m, d = mjw.put_model(mj, device="cpu"), mjw.make_data(mj, 1, device="cpu")
    d.qvel.assign(np.array([[1.0, 2.0, 3.0, 5.0, 8.0, 12.0]]))
    mjw.forward(m, d)
    entries = wp.zeros((1, m.nC), dtype=float, device="cpu")
    mjw.deriv_smooth_vel(m, d, entries)
    host = oracle.mujoco.MjData(mj)
    host.qvel[:] = d.qvel.numpy()[0]
    oracle.mujoco.mj_forward(mj, host)
    want = oracle.dense_mass_matrix(mj, host) - mj.opt.timestep * questions.velocity_slopes(mj, host)
    rows, columns = np.repeat(np.arange(m.nv), m.M_rownnz.numpy()), m.M_colind.numpy()
    assert np.abs(want - want.T).max() > 1e-4
    assert_close(entries.numpy(), 0.5 * (want + want.T)[rows, columns][None], "mjwarp", floor=1.0)


def test_length_ranges_are_those_of_limits(device):
    text = """<mujoco><worldbody><body><joint name="a" axis="0 1 0" range="-57.3 114.6"/><geom size=".1"/><body pos="0 0 1"><joint name="b"/><geom size=".1"/></body></body>
      </worldbody><tendon><fixed name="t" range="-1 3"><joint joint="a" coef="2"/></fixed></tendon>
      <actuator><motor joint="a" gear="-2"/><motor joint="b"/><motor tendon="t" gear="3"/></actuator></mujoco>"""
    m = mjw.put_model(oracle.compile_xml(text), batch_sizes={"tendon_range": 2}, device=device)
    d = mjw.make_data(m, 2)
    m.tendon_range = np.array([[[-1.0, 3.0]], [[0.0, 1.0]]])
    mjw.set_length_range(m, d)
    want = np.array([[[-4.0, 2.0], [0.0, 0.0], [-3.0, 9.0]], [[-4.0, 2.0], [0.0, 0.0], [0.0, 3.0]]])
    np.testing.assert_allclose(m.actuator_lengthrange.numpy(), want, rtol=tolerance("limit"))
    with pytest.raises(StateError, match="index=3"):
        mjw.set_length_range(m, d, 3)


@pytest.mark.parametrize("name", ["opt_density", "opt_viscosity", "geom_adhesion", "geom_surfacevel"])
@pytest.mark.parametrize("how", ["replaced", "numbers", "in_place"])
def test_what_was_zero_can_be_set_later(name, how, device):
    mj = oracle.small_model("boxes_tumbling")
    value = 900.0 if name == "opt_density" else 0.7
    other = oracle.small_model("boxes_tumbling")
    if name.startswith("opt_"):
        setattr(other.opt, name[4:], value)
    else:
        getattr(other, name)[...] = value
        other.flg_surfacevel = other.flg_adhesion = True
    states = oracle.rollout_states(mj, 4)
    m = mjw.put_model(mj, device=device)
    d = mjw.make_data(mj, 4, device=device)
    array = getattr(m, name)
    if how == "replaced":
        setattr(m, name, wp.full_like(array, value))
    elif how == "numbers":
        setattr(m, name, np.full((*array.shape[1:], *getattr(array.dtype, "_shape_", ())), value))
    else:
        array.fill_(value)
    for field in ("qpos", "qvel", "qacc_warmstart"):
        getattr(d, field).assign(getattr(states, field))
    mjw.step(m, d)
    want = oracle.step(other, states)
    assert_close(d.qvel.numpy(), want.qvel, "next", floor=1.0)


def test_a_contact_filter_drops_contacts(device):
    mj = oracle.small_model("boxes_tumbling")
    states = oracle.rollout_states(mj, 4)
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, 4, device=device)

    def nothing_on_the_floor(m, d):
        geom, kind = d.contact.geom.numpy(), d.contact.type.numpy()
        kind[(geom == 0).any(1)] = 0
        d.contact.type.assign(kind)

    m.callback.contactfilter = nothing_on_the_floor
    for field in ("qpos", "qvel", "qacc_warmstart"):
        getattr(d, field).assign(getattr(states, field))
    mjw.step(m, d)
    other = oracle.small_model("boxes_tumbling")
    other.geom_contype[0] = other.geom_conaffinity[0] = 0
    assert (oracle.step(mj, states).ncon > 0).any()
    assert_close(d.qvel.numpy(), oracle.step(other, states).qvel, "next", floor=1.0)


@pytest.mark.parametrize("name", ["tendon_around_geoms", "tendon_fixed_coupled"])
def test_a_host_data_gets_its_tendons(name, device):
    mj = oracle.small_model(name)
    states = oracle.rollout_states(mj, 2)
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, 2, device=device)
    d.qpos.assign(states.qpos)
    mjw.forward(m, d)
    result, want = oracle.empty_data(mj), oracle.forward(mj, states, 1)
    mjw.get_data_into(result, mj, d, 1)
    for field in ("ten_wrapadr", "ten_wrapnum", "wrap_obj"):
        np.testing.assert_array_equal(getattr(result, field), getattr(want, field), err_msg=field)
    for field in ("wrap_xpos", "ten_J", "ten_length"):
        assert_close(
            getattr(result, field).reshape(1, -1),
            getattr(want, field).reshape(1, -1),
            "wrap_point",
            floor=1.0,
            what=field,
        )


OPTIONS = (
    {"cone": 1},
    {"integrator": 1},
    {"integrator": 3, "cone": 1},
    {"solver": 1, "iterations": 30},
    {"solver": 0},
    {"noslip_iterations": 3},
    {"disableflags": int(mjw.DisableBit.GRAVITY)},
    {"enableflags": int(mjw.EnableBit.ENERGY)},
    {"wind": (3.0, 1.0, 0.0), "density": 50.0},
    {"tolerance": 1e-5, "timestep": 0.003},
)


def test_options_set_later_take_effect(device):
    mj = oracle.small_model("boxes_tumbling")
    states = oracle.rollout_states(mj, 4)
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, 4, device=device)
    start = {name: getattr(mj.opt, name) for options in OPTIONS for name in options}
    start["wind"] = np.array(start["wind"])
    for options in OPTIONS:
        other = oracle.small_model("boxes_tumbling")
        for name, value in (start | options).items():
            setattr(m.opt, name, value)
            setattr(other.opt, name, value)
        for field in ("qpos", "qvel", "qacc_warmstart"):
            getattr(d, field).assign(getattr(states, field))
        mjw.step(m, d)
        want = oracle.step(other, states)
        assert_close(d.qvel.numpy(), want.qvel, "next", floor=1.0, what=str(options))


def test_options_nobody_has_are_refused(device):
    m = mjw.put_model(oracle.small_model("boxes_tumbling"), device=device)
    with pytest.raises(ModelError, match=r"opt\.gravitas: not an option"):
        m.opt.gravitas = 1
    with pytest.raises(ModelError, match="integrator"):
        m.opt.integrator = 9
    with pytest.raises(AttributeError, match="removed"):
        m.opt.ls_parallel = True
    assert (m.opt.integrator, m.opt.graph_conditional) == (0, True)


def test_an_implicit_step_is_the_models_own(device):
    mj = oracle.small_model("implicitfast_damped_arm")
    states = oracle.rollout_states(mj, 2)
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, 2, device=device)
    for name in ("qpos", "qvel", "ctrl"):
        getattr(d, name).assign(getattr(states, name))
    mjw.forward(m, d)
    mjw.implicit(m, d)
    assert_close(d.qvel.numpy(), oracle.step(mj, states).qvel, "next", floor=1.0)
    still = oracle.small_model("pendulum_double_hinge")
    with pytest.raises(StateError, match="implicit"):
        mjw.implicit(mjw.put_model(still, device=device), mjw.make_data(still, 1, device=device))
