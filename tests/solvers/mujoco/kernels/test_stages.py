"""Each stage by itself: inputs from MuJoCo, outputs poisoned, everything else untouched."""

from typing import NamedTuple

import numpy as np
import pytest

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.kernels.actuate.actuation import fwd_actuation
from newtonlite.solvers.mujoco.kernels.actuate.smooth import smooth_force
from newtonlite.solvers.mujoco.kernels.actuate.transmission import actuator_velocity, transmission
from newtonlite.solvers.mujoco.kernels.collide.broadphase import broadphase
from newtonlite.solvers.mujoco.kernels.collide.narrowphase import narrowphase
from newtonlite.solvers.mujoco.kernels.position.inertia import com_pos, crb, mass_matrix, subtree_com
from newtonlite.solvers.mujoco.kernels.position.kinematics import kinematics
from newtonlite.solvers.mujoco.kernels.position.tendon import tendon_armature, tendon_position
from newtonlite.solvers.mujoco.kernels.velocity.adhesion import adhesion_force
from newtonlite.solvers.mujoco.kernels.velocity.bias import com_vel, rne
from newtonlite.solvers.mujoco.kernels.velocity.passive import passive
from newtonlite.solvers.mujoco.kernels.velocity.tendon import tendon_bias, tendon_passive
from tests import oracle
from tests.harness.comparing import FLOOR, pair, read
from tests.harness.engine import Engine
from tests.harness.expected import expected
from tests.tolerance import assert_close


class Case(NamedTuple):
    """Stages that run together, the arrays they write, and the tolerance of those that MuJoCo has too."""

    stages: tuple
    compared: dict
    private: tuple = ()


CASES = {
    "kinematics": Case(
        (kinematics,),
        dict.fromkeys(
            [
                "xpos",
                "xquat",
                "xmat",
                "xipos",
                "ximat",
                "xanchor",
                "xaxis",
                "geom_xpos",
                "geom_xmat",
                "site_xpos",
                "site_xmat",
            ],
            "kinematics",
        ),
    ),
    "subtree_com": Case((subtree_com,), {"subtree_com": "kinematics"}),
    "com_pos": Case((com_pos,), {"cinert": "inertia", "cdof": "inertia"}),
    "tendon_position": Case(
        (tendon_position,), {"ten_length": "kinematics", "ten_J": "inertia"}, ("wrap_length", "wrap_first", "wrap_last")
    ),
    "crb": Case((crb, mass_matrix, tendon_armature), {"crb": "inertia", "M": "inertia"}, ("cdof_force",)),
    "collision": Case(
        (broadphase, narrowphase),
        {
            "ncon": "same",
            "contact_dist": "contact",
            "contact_pos": "contact",
            "contact_frame": "contact",
            "contact_dim": "same",
            "contact_geom": "same",
            "contact_includemargin": "parameter",
            "contact_friction": "parameter",
            "contact_solref": "parameter",
            "contact_solreffriction": "parameter",
            "contact_solimp": "parameter",
            "contact_adhesion": "parameter",
            "contact_surfacevel": "contact",
        },
        ("nbp", "near", "bp_geom", "bp_pairid", "bp_key", "bp_depth", "nbp_needed", "nbp_max", "ncon_needed", "lost"),
    ),
    "com_vel": Case((com_vel,), {"cvel": "velocity"}, ("cacc",)),
    "bias": Case((com_vel, rne, tendon_bias), {"qfrc_bias": "force"}, ("cvel", "cacc", "cfrc", "ten_bias")),
    "passive": Case(
        (passive, tendon_passive, adhesion_force),
        {
            "qfrc_passive": "force",
            "qfrc_spring": "force",
            "qfrc_damper": "force",
            "qfrc_adhesion": "force",
            "ten_velocity": "velocity",
        },
        ("ten_spring", "ten_damper", "qfrc_gravcomp", "qfrc_fluid", "cfrc_applied"),
    ),
    "transmission": Case(
        (transmission, actuator_velocity),
        {"actuator_length": "kinematics", "actuator_velocity": "kinematics", "actuator_moment": "velocity"},
    ),
    "actuation": Case(
        (fwd_actuation,),
        {"act_dot": "force", "actuator_force": "force", "qfrc_actuator": "force"},
        ("control", "ten_actuatorforce"),
    ),
    "smooth_force": Case((smooth_force,), {"qfrc_smooth": "force"}),
    "rows": Case(
        pipeline.CONSTRAINT,
        {
            "nefc": "same",
            "ne": "same",
            "nf": "same",
            "nl": "same",
            "efc_cost": "same",
            "efc_J": "row",
            "efc_pos": "row",
            "efc_margin": "parameter",
            "efc_D": "reference",
            "efc_R": "reference",
            "efc_vel": "row",
            "efc_aref": "reference",
            "efc_frictionloss": "parameter",
            "contact_efc_address": "same",
        },
        (
            "B",
            "H",
            "efc_active",
            "efc_id",
            "efc_block",
            "eq_efc_address",
            "nf_dof",
            "nl_jnt",
            "nefc_needed",
            "contact_mu",
            "ncon_max",
            "nefc_max",
            "overflow",
        ),
    ),
}

MODELS = [
    "humanoid",
    "stacked_joints_on_one_body",
    "every_pair_of_shapes",
    "mixed_pairs_with_priorities",
    "elliptic_condim_1_3_4_6",
    "free_bodies_condim_1_3_4_6",
    "ball_joint_limit",
    "slide_friction_loss",
    "tendon_fixed_coupled",
    "spring_damper_joints",
    "gravity_compensated_links",
    "general_actuators_with_limits",
    "many_small_trees",
    "static_bodies_and_filters",
    "actuator_on_site",
    "actuator_between_sites",
    "slider_crank",
    "orientation_servos",
    "servo_on_a_circle",
    "activations_of_every_kind",
    "muscles_on_joints",
    "dc_motors",
    "pid_servos",
    "delayed_controls",
    "disabled_actuator_groups",
    "tendon_force_limit",
    "actuator_damping_and_armature",
    "adhesion_of_contacts",
    "surfaces_that_stick",
    "surfaces_that_move",
    "weights_of_rows_exact",
    "weights_of_cones_exact",
    "belts_under_pyramids",
    "equality_connect",
    "equality_weld",
    "equality_joint",
    "equality_with_contacts",
    "tendon_over_sites",
    "tendon_around_geoms",
    "tendon_limits_and_friction",
    "tendon_with_inertia",
]
WORLDS = 12
NOISE = {"work"}  # scratch that any stage may use
POISON = -77


@pytest.fixture(scope="module", params=MODELS)
def loaded(request, device):
    """An engine that has run once, and what MuJoCo has for its states."""
    mj = oracle.named_model(request.param)
    states = oracle.rollout_states(mj, WORLDS)
    return mj, states, Engine(mj, states, device, mode="staged"), expected(mj, states)


@pytest.mark.parametrize("name", CASES)
def test_a_stage_computes_what_mujoco_does_and_nothing_else(name, loaded):
    mj, states, engine, want = loaded
    case = CASES[name]
    written = {*case.compared, *case.private}
    fill_inputs(engine, states, want)
    for field in written - {"ncon_max", "nefc_max", "nbp_max", "overflow", "lost"}:
        poison(engine, field)
    before = engine.arrays()
    engine.run(case.stages)
    after = engine.arrays()
    for field, quantity in case.compared.items():
        if field in want and want[field].size:
            compare(engine, field, want, quantity)
    changed = [field for field in before if before[field].tobytes() != after[field].tobytes()]
    assert set(changed) <= written | NOISE


def fill_inputs(engine, states, want):
    """A forward pass for what only the engine knows, then MuJoCo's numbers wherever it has them."""
    engine.load(states)
    engine.forward()
    for field, values in want.items():
        engine.fill(field, values)


def poison(engine, field):
    """NaN, or a number no stage produces, in every entry but the pad and what of M is outside its trees' blocks:
    nothing writes those.
    """
    array = getattr(engine.d, field)
    values = array.numpy()
    body = values[..., : engine.mj.nv] if engine.is_padded(field) else values
    for i, (first, last) in enumerate(16 * engine.m.dof_block.numpy() if field == "M" else ()):
        body[:, i, first:last] = np.nan
    if field != "M":
        body[...] = np.nan if values.dtype == np.float32 else POISON
    array.assign(values)


def compare(engine, field, want, quantity):
    """Entries in use, against MuJoCo's; errors are relative to the largest entry of a world's array."""
    assert_close(*pair(read(engine, field), field, want), quantity, FLOOR.get(field, 0.0), field)


def test_the_solver_stage_finds_mujocos_forces(loaded):
    """With MuJoCo's rows as input, the same accelerations and, where they are unique, the same forces."""
    mj, states, engine, want = loaded
    fill_inputs(engine, states, want)
    for field in ("qacc", "qfrc_constraint", "solver_niter"):
        poison(engine, field)
    engine.run(pipeline.SOLVE)
    pull = oracle.step(mj, states).pull
    assert_close(engine.read("qacc"), want["qacc"], "qacc", pull)
    size = np.linalg.norm(want["qfrc_smooth"], axis=1)
    assert_close(engine.read("qfrc_constraint"), want["qfrc_constraint"], "qacc", size)


def test_the_integrator_takes_mujocos_step_from_mujocos_acceleration(loaded):
    mj, states, engine, want = loaded
    fill_inputs(engine, states, want)
    engine.run(pipeline.INTEGRATE)
    after = oracle.step(mj, states)
    assert_close(engine.read("qvel"), after.qvel, "integrator", after.pull * mj.opt.timestep)
    assert_close(engine.read("qpos"), after.qpos, "integrator")
    assert_close(engine.read("act"), after.act, "integrator")
    assert_close(engine.read("history"), after.history, "integrator")
    start = states.time[:, 0] if states.time.shape[1] else np.zeros(WORLDS)
    assert_close(engine.read("time"), start + mj.opt.timestep, "parameter")
