"""Inverse dynamics of articulations against the engine's own, and against the motion it makes."""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.errors import ModelError, StateError
from newtonlite.sim.dynamics import eval_inverse_dynamics_force, eval_inverse_dynamics_passive
from tests.harness.engine_scenes import builder, every_joint, random_state
from tests.harness.newton_scenes import solver, step
from tests.harness.sim_scenes import every_joint as chain
from tests.tolerance import assert_close


def moving(model):
    """A random state with its body poses."""
    state = random_state(model)
    newton.eval_fk(model, state.joint_q, state.joint_qd, state)
    return state


def terms(model, state, mask=None):
    """Mass matrix, gravity and Coriolis forces."""
    n, dofs = model.articulation_count, model.max_dofs_per_articulation
    H = wp.zeros((n, dofs, dofs), dtype=float, device=model.device)
    gravity, coriolis = (wp.zeros(model.joint_dof_count, dtype=float, device=model.device) for _ in range(2))
    eval_inverse_dynamics_passive(
        model, state, mass_matrix=H, gravity_force=gravity, coriolis_force=coriolis, mask=mask
    )
    return H, gravity, coriolis


def test_gravity_and_coriolis_forces_are_the_engines_bias(device):
    """Every type of joint, in two worlds with gravity of their own: their sum is qfrc_bias in the scene's words.

    Not so for a floating body off its origin: there the engine's bias is that without acceleration of the origin.
    """
    b = builder()
    b.replicate(every_joint(), 2)
    model = b.finalize(device=device)
    model.set_gravity([[0.0, 0.0, -9.81], [1.0, 2.0, 3.0]])
    state, s = moving(model), solver(model, disable_contacts=True)
    seen = s.observables(["qfrc_bias"])
    step(s, state, observables=seen)
    _, gravity, coriolis = terms(model, state)
    total = (gravity.numpy() + coriolis.numpy()).reshape(2, -1)
    assert_close(total[:, :10], seen.qfrc_bias.numpy().reshape(2, -1)[:, :10], "force")
    assert not coriolis.numpy().reshape(2, -1)[:, 10:13].any()


def test_forces_make_the_acceleration_they_were_computed_for(device):
    """joint_f of inverse dynamics, applied for a short Euler step, changes the speeds by dt qdd."""
    model = every_joint().finalize(device=device)
    state = moving(model)
    H, gravity, coriolis = terms(model, state)
    wanted = np.random.default_rng(3).normal(size=model.joint_dof_count).astype(np.float32)
    control, dt = model.control(), 1e-3
    qdd = wp.array(wanted, dtype=float, device=device)
    eval_inverse_dynamics_force(
        model,
        state,
        mass_matrix=H,
        joint_qdd=qdd,
        coriolis_force=coriolis,
        gravity_force=gravity,
        joint_f=control.joint_f,
    )
    after = step(solver(model, integrator="euler", disable_contacts=True), state, control, dt=dt)
    change = (after.joint_qd.numpy() - state.joint_qd.numpy()) / dt
    hinges = np.array([0, 1, 5, 6, 7, 8, 9])  # speeds of balls and floating bodies turn with their frames
    assert_close(change[hinges], wanted[hinges], "difference", floor=1.0)


def test_masks_leave_other_articulations_alone(device):
    model = every_joint().finalize(device=device)
    mask = wp.array([False, True], dtype=wp.bool, device=device)
    H, gravity, _ = terms(model, moving(model), mask)
    assert not gravity.numpy()[:10].any() and gravity.numpy()[10:].any()
    assert not H.numpy()[0].any() and H.numpy()[1].any()


def test_mistakes_are_named(device):
    model = chain().finalize(device=device)
    with pytest.raises(ModelError, match="floats below another body"):
        eval_inverse_dynamics_passive(model, model.state(), gravity_force=wp.zeros_like(model.joint_qd))
    model = every_joint().finalize(device=device)
    with pytest.raises(StateError, match=r"gravity_force: float32\(3,\); give float32\(16,\)"):
        eval_inverse_dynamics_passive(model, model.state(), gravity_force=wp.zeros(3, dtype=float, device=device))
    with pytest.raises(StateError, match="At least one inverse-dynamics output"):
        eval_inverse_dynamics_passive(model, model.state())
    with pytest.raises(StateError, match=r"mask: bool\(9,\)"):
        eval_inverse_dynamics_passive(
            model,
            model.state(),
            gravity_force=wp.zeros_like(model.joint_qd),
            mask=wp.zeros(9, dtype=wp.bool, device=device),
        )
