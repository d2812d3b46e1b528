"""Rows N-022 and N-102: what a solver makes of a model that changes, on the device and on the host."""

import numpy as np
import pytest

from newtonlite.core.enums import ModelFlags
from tests.harness.engine_scenes import builder, every_joint, random_state
from tests.harness.newton_scenes import arm, solver, step
from tests.tolerance import assert_close

WORLDS = 3
FOLLOWS = (
    "body_mass",
    "body_ipos",
    "body_subtreemass",
    "body_invweight0",
    "dof_invweight0",
    "dof_armature",
    "jnt_solref",
    "stat_meaninertia",
)


def three(device):
    """Worlds that differ from each other in what a test is about to change."""
    b = builder()
    b.add_ground_plane()
    one = every_joint()
    one.joint_limit_lower[0], one.joint_limit_upper[0] = -0.5, 0.5
    b.replicate(one, WORLDS)
    return b.finalize(device=device)


def change(model) -> None:
    """Other masses, centres of mass, inertias and armatures in each world."""
    rng = np.random.default_rng(4)
    scale = rng.uniform(0.5, 3.0, model.body_count).astype(np.float32)
    model.body_mass.assign(model.body_mass.numpy() * scale)
    turn = np.linalg.qr(rng.normal(size=(model.body_count, 3, 3)))[0]
    tensor = model.body_inertia.numpy() * scale[:, None, None]
    model.body_inertia.assign((turn @ tensor @ turn.transpose(0, 2, 1)).astype(np.float32))
    model.body_com.assign(
        model.body_com.numpy() + rng.normal(scale=0.02, size=(model.body_count, 3)).astype(np.float32)
    )
    model.joint_armature.assign(rng.uniform(0.0, 0.3, model.joint_dof_count).astype(np.float32))


def test_n_102_what_follows_from_masses_is_recomputed_on_the_device(device):
    """A solver notified of new masses has the parameters of one that was made with them, and steps alike."""
    model = three(device)
    s = solver(model)
    step(s, random_state(model))
    change(model)
    pointers = None
    for _ in range(2):
        s.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES | ModelFlags.JOINT_DOF_INERTIAL_PROPERTIES)
        found = {name: array.ptr for name, array in s.mjw_model.arrays.items()}
        assert pointers in (None, found)  # from the second time on nothing is allocated: a recorded graph stays valid
        pointers = found
    fresh = solver(model)
    for name in FOLLOWS:
        got, want = (getattr(x.mjw_model, name).numpy().reshape(-1) for x in (s, fresh))
        assert_close(
            got, np.broadcast_to(want, got.shape) if len(want) == 1 else want, "reference", floor=1.0, what=name
        )
    s.reset(model.state())
    state = random_state(model, seed=2)
    assert_close(step(s, state).joint_qd.numpy()[None], step(fresh, state).joint_qd.numpy()[None], "qacc")
    assert_close(s.mj_model.body_mass, fresh.mj_model.body_mass, "compiled")


def test_n_102_worlds_that_did_not_change_step_as_before(device):
    model = three(device)
    s, untouched, state = solver(model), solver(model), random_state(model)
    mass = model.body_mass.numpy()
    mass[: len(mass) // WORLDS] *= 2.0
    s.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    model.body_mass.assign(mass)
    s.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    got, want = (step(x, state).joint_qd.numpy().reshape(WORLDS, -1) for x in (s, untouched))
    assert_close(got[1:], want[1:], "qacc")
    assert np.abs(got[0] - want[0]).max() > 0.01


@pytest.mark.parametrize("flag", [f for f in ModelFlags if f != ModelFlags.ALL], ids=lambda f: f.name)
def test_n_102_every_flag_is_taken(device, flag):
    """WorkItem of any part, with nothing changed, a solver goes on as before."""
    model = arm(gravity=(0, 0, -9.81), limit_lower=-0.3, limit_upper=0.3, target_ke=3.0, damping=0.1).finalize(
        device=device
    )
    model.joint_q.assign([0.2])
    s, quiet = solver(model), solver(model)
    s.notify_model_changed(flag)
    after, want = step(s, model.state(), steps=5), step(quiet, model.state(), steps=5)
    assert_close(after.joint_q.numpy(), want.joint_q.numpy(), "trajectory")
    s.notify_model_changed(0)
    assert s.nworld == 1
