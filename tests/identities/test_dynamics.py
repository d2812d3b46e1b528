"""What must hold among the engine's own numbers, whoever else computes them."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco.kernels.solve.newton import smooth_acceleration
from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close

MODELS = [
    "humanoid",
    "many_small_trees",
    "tendon_fixed_coupled",
    "elliptic_condim_1_3_4_6",
    "spider_over_fifty_joints",
    "slide_friction_loss",
]


@pytest.fixture(scope="module", params=MODELS)
def engine(request, device):
    """Forwarded states of a model, all intermediate results kept."""
    mj = oracle.named_model(request.param)
    states = oracle.rollout_states(mj, 32)
    return Engine(mj, states, device, mode="staged").forward()


def rows(engine, name):
    return engine.read(name).astype(float)


def mass(engine):
    return rows(engine, "M")


def jacobian_force(engine):
    """J' f over the rows in use."""
    J, f, n = rows(engine, "efc_J"), rows(engine, "efc_force"), engine.read("nefc")
    return np.array([J[w, : n[w]].T @ f[w, : n[w]] for w in range(engine.nworld)])


def test_mass_times_acceleration_balances_the_forces(engine):
    """M qacc = passive - bias + actuator + J' f."""
    inertial = np.einsum("wij,wj->wi", mass(engine), rows(engine, "qacc"))
    forces = (
        rows(engine, "qfrc_passive")
        - rows(engine, "qfrc_bias")
        + rows(engine, "qfrc_actuator")
        + jacobian_force(engine)
    )
    size = sum(np.linalg.norm(rows(engine, name), axis=1) for name in ("qfrc_passive", "qfrc_bias", "qfrc_actuator"))
    assert_close(inertial, forces, "balance", size + np.linalg.norm(jacobian_force(engine), axis=1))


def test_free_acceleration_solves_the_free_equation(engine):
    """M qacc_smooth = qfrc_smooth, by the stage that is left out of a step because nothing there needs it."""
    engine.run((smooth_acceleration,))
    assert_close(
        np.einsum("wij,wj->wi", mass(engine), rows(engine, "qacc_smooth")), rows(engine, "qfrc_smooth"), "identity"
    )


def test_constraint_force_on_the_dofs_is_the_sum_of_its_rows(engine):
    want = jacobian_force(engine)
    assert_close(rows(engine, "qfrc_constraint"), want, "identity", np.linalg.norm(rows(engine, "qfrc_smooth"), axis=1))


def test_mass_matrix_is_symmetric_and_positive(engine):
    M = mass(engine)
    assert_close(M, M.transpose(0, 2, 1), "same")
    assert (np.linalg.eigvalsh(M) > 0).all()


def test_the_padding_of_rows_stays_zero(engine):
    for name in ("qvel", "qacc", "qfrc_smooth", "qfrc_constraint", "M", "efc_J"):
        assert not getattr(engine.d, name).numpy()[..., engine.mj.nv :].any(), name


def test_unilateral_rows_only_push(engine):
    """Limits, frictionless contacts and edges of pyramids never pull."""
    force, count, kind = rows(engine, "efc_force"), engine.read("nefc"), engine.read("efc_cost")
    for world in range(engine.nworld):
        used = slice(0, count[world])
        assert (force[world, used][kind[world, used] == ONE_SIDED] >= 0).all()


ONE_SIDED = 2
