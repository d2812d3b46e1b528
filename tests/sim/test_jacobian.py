"""The Jacobian and the mass matrix against velocities and kinetic energy."""

import numpy as np
import pytest
import warp as wp

from newtonlite import ModelBuilder, StateError, eval_fk, eval_jacobian, eval_mass_matrix
from newtonlite.core.errors import NewtonDeprecationWarning
from newtonlite.math.transform import quat_to_matrix
from tests.harness.sim_scenes import arm, every_joint
from tests.sim.test_articulation import random_motion
from tests.tolerance import assert_close

INERTIA = np.array([[1.0, 0.1, 0.0], [0.1, 1.5, 0.2], [0.0, 0.2, 2.0]])


@pytest.fixture
def moving(device):
    """A long chain and a short arm, each in its world, at random poses and velocities; every body is heavy."""
    chain, short = every_joint(), arm()
    chain.body_inertia = [INERTIA * (1 + 0.1 * i) for i in range(9)]
    chain.joint_armature = np.linspace(0.1, 0.5, 26)
    motions = [random_motion(chain, 1), random_motion(short, 2)]
    builder = ModelBuilder()
    builder.add_world(chain)
    builder.add_world(short)
    model = builder.finalize(device)
    state = model.state()
    state.joint_q.assign(np.concatenate([q for q, _ in motions]))
    state.joint_qd.assign(np.concatenate([qd for _, qd in motions]))
    eval_fk(model, state.joint_q, state.joint_qd, state)
    return model, state


def velocities(state) -> list[np.ndarray]:
    """The joint velocities of each articulation, padded to the longest."""
    qd = state.joint_qd.numpy()
    return [qd[:26], np.append(qd[26:], np.zeros(19))]


def test_the_jacobian_makes_body_velocities_of_joint_velocities(moving):
    model, state = moving
    J = eval_jacobian(model, state).numpy()
    assert J.shape == (2, 54, 26)
    got = [(J[a] @ qd).reshape(9, 6) for a, qd in enumerate(velocities(state))]
    want = state.body_qd.numpy()
    assert_close(got[0], want[:9], "velocity")
    assert_close(got[1][:2], want[9:], "velocity")
    assert not J[1, 12:].any() and not J[1, :, 7:].any()


def test_the_mass_matrix_gives_the_kinetic_energy(moving):
    """Half qd^T (H - armature) qd is the energy of all bodies."""
    model, state = moving
    with pytest.warns(NewtonDeprecationWarning, match="include_armature"):
        H = eval_mass_matrix(model, state, include_armature=False).numpy().astype(float)
    mass, inertia = model.body_mass.numpy(), model.body_inertia.numpy().astype(float)
    turns = quat_to_matrix(state.body_q.numpy()[:, 3:].astype(float))
    v, w = np.split(state.body_qd.numpy().astype(float), 2, axis=1)
    w = np.einsum("nji,nj->ni", turns, w)
    energy = 0.5 * mass * (v * v).sum(1) + 0.5 * np.einsum("ni,nij,nj->n", w, inertia, w)
    got = [0.5 * qd @ H[a] @ qd for a, qd in enumerate(velocities(state))]
    assert_close(got, [energy[:9].sum(), energy[9:].sum()], "velocity")


def test_armature_stands_on_the_diagonal(moving):
    model, state = moving
    with pytest.warns(NewtonDeprecationWarning, match="include_armature"):
        bare = eval_mass_matrix(model, state, include_armature=False).numpy()
    full = eval_mass_matrix(model, state, J=eval_jacobian(model, state)).numpy()
    added = np.zeros((2, 26))
    added[0], added[1, :7] = model.joint_armature.numpy()[:26], model.joint_armature.numpy()[26:]
    assert_close(full - bare, np.stack([np.diag(a) for a in added]), "inertia", floor=np.abs(bare).max())
    assert_close(full, full.transpose(0, 2, 1), "inertia")


def test_only_the_chosen_articulations_are_computed_and_the_others_zero(moving):
    model, state = moving
    H = wp.full((2, 26, 26), 9.0, dtype=float, device=model.device)
    eval_mass_matrix(model, state, H, mask=wp.array([False, True], dtype=wp.bool, device=model.device))
    assert not H.numpy()[0].any() and H.numpy()[1].any() and not (H.numpy()[1] == 9.0).any()
    J = wp.full((2, 54, 26), 9.0, dtype=float, device=model.device)
    eval_jacobian(model, state, J, mask=wp.array([False, True], dtype=wp.bool, device=model.device))
    assert not J.numpy()[0].any() and J.numpy()[1].any()


def test_wrong_arrays_are_refused(moving):
    model, state = moving
    with pytest.raises(StateError, match="eval_jacobian J: "):
        eval_jacobian(model, state, J=wp.zeros((2, 54, 25), device=model.device))
    with pytest.raises(StateError, match="eval_mass_matrix H: "):
        eval_mass_matrix(model, state, H=wp.zeros((2, 26, 26), dtype=wp.float64, device=model.device))


def test_without_articulations_there_is_nothing(device):
    model = ModelBuilder().finalize(device)
    assert eval_jacobian(model, model.state()) is None and eval_mass_matrix(model, model.state()) is None
