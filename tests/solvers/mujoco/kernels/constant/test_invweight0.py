"""Parameters recomputed on the device are those MuJoCo computes for each world's own masses and geometry."""

import numpy as np
import pytest

from newtonlite.core.errors import StateError
from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.executor.schedule import Schedule
from newtonlite.solvers.mujoco.model import put_model
from newtonlite.solvers.mujoco.model_constants import prepare, set_const
from tests import oracle
from tests.tolerance import assert_close

FIELDS = (
    "body_subtreemass",
    "body_invweight0",
    "dof_invweight0",
    "tendon_length0",
    "tendon_invweight0",
    "actuator_acc0",
)
NAMES = [
    "humanoid",
    "tendon_fixed_coupled",
    "stacked_joints_on_one_body",
    "many_small_trees",
    "slide_friction_loss",
    "two_trees_touching",
]


def randomised(name: str, rng):
    """The model with other masses, inertias, armatures and offsets, and what MuJoCo makes of it."""
    mj = oracle.named_model(name)
    for field in ("body_mass", "body_inertia", "dof_armature"):
        getattr(mj, field)[:] *= rng.uniform(0.5, 2.0, getattr(mj, field).shape)
    mj.body_pos[1:] += 0.01 * rng.standard_normal(mj.body_pos[1:].shape)
    oracle.set_const(mj)
    return mj


@pytest.mark.parametrize("mode", ["fused", "staged"])
@pytest.mark.parametrize("name", NAMES)
def test_constants_are_mujocos_in_every_world(name, mode, device):
    rng = np.random.default_rng(4)
    worlds = [randomised(name, rng) for _ in range(3)]
    changed = ("body_mass", "body_inertia", "dof_armature", "body_pos")
    m = put_model(oracle.named_model(name), 3, device, per_world=changed)
    for field in changed:
        m.set(field, np.stack([getattr(mj, field) for mj in worlds]))
    prepare(m, 3)
    d = make_data(m, 3, scratch="per_world")
    before = d.qpos.numpy()
    schedule = Schedule(m, d, mode=mode, threads=2)
    pointers = {field: m.arrays[field].ptr for field in FIELDS}
    set_const(m, d, schedule)
    for field in (f for f in FIELDS if m.arrays[f].size):
        expected = np.stack([getattr(mj, field) for mj in worlds])
        assert_close(m.arrays[field].numpy().reshape(3, -1), expected.reshape(3, -1), "constant", what=field)
    assert_close(m.stat_meaninertia.numpy(), [mj.dof_M0.mean() for mj in worlds], "constant", what="meaninertia")
    np.testing.assert_array_equal(d.qpos.numpy(), before)
    assert pointers == {field: m.arrays[field].ptr for field in FIELDS}


def test_worlds_that_differ_need_room_of_their_own(device):
    m = put_model(oracle.named_model("pendulum_double_hinge"), 2, device, per_world=("body_mass",))
    d = make_data(m, 2)
    with pytest.raises(StateError, match="prepare"):
        set_const(m, d, Schedule(m, d))
