"""A file that went through importer, builder and compiler equals what MuJoCo compiles from it, field by field."""

import numpy as np
import pytest

from newtonlite.math.quat import matrix
from newtonlite.solvers.mujoco.compile import compile_model
from newtonlite.solvers.mujoco.compile.geoms import USED_SIZES
from newtonlite.solvers.mujoco.kernels.collide.geom_pairs import candidate_pairs
from tests.harness.engine_scenes import builder
from tests.oracle import MODELS, compile_xml, model_names
from tests.tolerance import assert_close

COUNTS = "nq nv nu nbody njnt ngeom nsite ntendon nwrap neq npair nkey nmocap ntree ncam nlight nsensor nsensordata nhistory".split()
INTEGERS = """
    body_parentid body_rootid body_weldid body_mocapid body_jntnum body_jntadr body_dofnum body_dofadr body_geomnum body_geomadr body_treeid
    jnt_type jnt_qposadr jnt_dofadr jnt_bodyid jnt_limited jnt_actfrclimited jnt_actgravcomp
    dof_bodyid dof_jntid dof_parentid dof_treeid tree_bodyadr tree_bodynum tree_dofadr tree_dofnum
    geom_type geom_bodyid geom_condim geom_priority geom_contype geom_conaffinity geom_group site_bodyid exclude_signature
    tendon_adr tendon_num tendon_limited tendon_actfrclimited wrap_type wrap_objid pair_dim
    eq_type eq_obj1id eq_obj2id eq_objtype eq_active0
    actuator_group actuator_trntype actuator_trnid actuator_dyntype actuator_gaintype actuator_biastype actuator_ctrllimited actuator_forcelimited
    cam_bodyid cam_targetbodyid cam_mode cam_projection cam_resolution cam_output light_bodyid light_targetbodyid light_mode light_type
    sensor_type sensor_datatype sensor_needstage sensor_objtype sensor_objid sensor_reftype sensor_refid sensor_intprm sensor_dim sensor_adr
    sensor_history sensor_historyadr
""".split()
REALS = """
    body_pos body_ipos body_mass body_subtreemass body_invweight0 body_gravcomp
    jnt_pos jnt_stiffness jnt_margin jnt_solref jnt_solimp jnt_actfrcrange qpos0 qpos_spring
    dof_armature dof_damping dof_frictionloss dof_invweight0 dof_M0 dof_solref dof_solimp
    geom_pos geom_rbound geom_friction geom_margin geom_gap geom_solmix geom_solref geom_solimp geom_adhesion geom_surfacevel site_pos site_size
    tendon_range tendon_stiffness tendon_damping tendon_frictionloss tendon_margin tendon_armature tendon_length0 tendon_invweight0
    tendon_lengthspring tendon_stiffnesspoly tendon_dampingpoly tendon_actfrcrange tendon_solref_lim tendon_solimp_lim
    tendon_solref_fri tendon_solimp_fri wrap_prm eq_data eq_solref eq_solimp pair_friction pair_solref pair_solreffriction pair_solimp pair_margin pair_gap pair_adhesion
    actuator_gear actuator_gainprm actuator_biasprm actuator_ctrlrange actuator_forcerange actuator_acc0 actuator_length0
    key_time key_qpos key_qvel key_ctrl
    cam_pos cam_pos0 cam_poscom0 cam_mat0 cam_fovy cam_ipd cam_sensorsize cam_intrinsic light_pos light_dir light_pos0 light_poscom0 light_dir0
    light_attenuation light_cutoff light_exponent light_ambient light_diffuse light_specular light_bulbradius light_intensity light_range
    light_softness sensor_cutoff sensor_noise sensor_delay sensor_interval
""".split()
OPTIONS = """
    timestep gravity integrator cone solver jacobian iterations ls_iterations tolerance ls_tolerance impratio disableflags enableflags
    density viscosity wind magnetic noslip_iterations ccd_iterations ccd_tolerance
""".split()
STATISTICS = ("meaninertia", "meanmass", "meansize", "extent", "center")
NAMES = {
    "body": "body",
    "joint": "jnt",
    "geom": "geom",
    "site": "site",
    "actuator": "actuator",
    "tendon": "tendon",
    "equality": "eq",
}
ASSETS = ("mjcf/mjwarp_bench/humanoid/humanoid.xml", "mjcf/mjwarp_bench/humanoid/three_humanoids.xml")


def imported(path, device):
    """A file as MuJoCo compiles it, and as we do."""
    b = builder()
    b.add_mjcf(str(path))
    return compile_xml(path), compile_model(b.finalize(device=device))


def check(oracle, m):
    for name in COUNTS:
        assert getattr(m, name) == getattr(oracle, name), name
    for name in INTEGERS:
        if hasattr(m, name):
            np.testing.assert_array_equal(getattr(m, name), getattr(oracle, name), err_msg=name)
    for name in REALS:
        if hasattr(m, name):
            assert_close(getattr(m, name), getattr(oracle, name), "authored", floor=1.0, what=name)
    check_orientations(oracle, m)
    check_where_used(oracle, m)
    for name in OPTIONS:
        got, want = (np.atleast_2d(getattr(x.opt, name)) for x in (m, oracle))
        assert_close(got, want, "authored", floor=1e-3, what=f"opt.{name}")
    for name in STATISTICS:
        got, want = (np.atleast_2d(getattr(x.stat, name)) for x in (m, oracle))
        assert_close(got, want, "authored", floor=1.0, what=f"stat.{name}")
    check_names(oracle, m)
    np.testing.assert_array_equal(candidate_pairs(m)["cand_geom"], candidate_pairs(oracle)["cand_geom"])


def check_orientations(oracle, m):
    """Frames as matrices, inertia as a tensor: quaternions have two signs, principal axes six orders."""
    for name in ("body_quat", "geom_quat", "site_quat"):
        turns = [matrix(getattr(x, name)).reshape(-1, 9) for x in (m, oracle)]
        assert_close(*turns, "authored", what=name)
    tensors = []
    for x in (m, oracle):
        R = matrix(x.body_iquat)
        tensors.append((R @ (x.body_inertia[:, :, None] * np.eye(3)) @ np.swapaxes(R, -1, -2)).reshape(-1, 9))
    assert_close(*tensors, "authored", what="body inertia")


def check_where_used(oracle, m):
    """Fields that mean something for some types only."""
    scalar = oracle.jnt_type >= 2
    assert_close(m.jnt_axis[scalar], oracle.jnt_axis[scalar], "authored", what="jnt_axis")
    limited = oracle.jnt_limited.astype(bool)
    assert_close(m.jnt_range[limited], oracle.jnt_range[limited], "authored", floor=1.0, what="jnt_range")
    used = np.arange(3) < np.array([USED_SIZES[kind] for kind in oracle.geom_type])[:, None]
    assert_close(
        np.where(used, m.geom_size, 0.0), np.where(used, oracle.geom_size, 0.0), "authored", floor=1.0, what="geom_size"
    )


def check_names(oracle, m):
    for kind, access in NAMES.items():
        for i, got in enumerate(getattr(m, f"names_{kind}", ())):
            want = getattr(oracle, access)(i).name
            assert not want or got.endswith(want), f"{kind} {i}: {got!r}, expected {want!r}"


@pytest.mark.parametrize("name", model_names())
def test_small_models(name, device):
    check(*imported(MODELS / f"{name}.xml", device))


@pytest.mark.parametrize("name", ASSETS)
def test_robots(name, assets, device):
    check(*imported(assets / name, device))
