"""Joints that follow others."""

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.errors import ModelError, StateError


def chain(count=2):
    b = newton.ModelBuilder()
    parent, joints = -1, []
    for _ in range(count):
        body = b.add_link(mass=1.0)
        joints.append(b.add_joint_revolute(parent, body))
        parent = body
    b.add_articulation(joints)
    return b


def test_followers_get_their_coordinates(device):
    b = chain()
    b.set_joint_mimic(1, 0, coeffs=(0.5, 2.0))
    model = b.finalize(device)
    here, there = model.state(), model.state()
    here.joint_q.assign([1.25, 9.0])
    here.joint_qd.assign([2.0, 9.0])
    newton.eval_mimic(model, here, there)
    np.testing.assert_allclose(here.joint_q.numpy(), [1.25, 9.0])
    np.testing.assert_allclose(there.joint_q.numpy(), [1.25, 3.0])
    np.testing.assert_allclose(there.joint_qd.numpy(), [2.0, 4.0])
    newton.eval_mimic(model, here)
    np.testing.assert_allclose(here.joint_q.numpy(), [1.25, 3.0])
    with pytest.raises(StateError, match="states of the same model"):
        newton.eval_mimic(model, chain(3).finalize(device).state())


def test_a_follower_is_not_followed():
    b = chain(3)
    b.set_joint_mimic(1, 0)
    with pytest.raises(ModelError, match="Reference joint 1 is already a mimic joint"):
        b.set_joint_mimic(2, 1)
    with pytest.raises(ModelError, match="Follower joint 0 is already referenced"):
        b.set_joint_mimic(0, 2)
    b.set_joint_mimic(1, None)
    assert b.joint_mimic_joint[1] == -1


def test_followers_stay_in_their_articulation():
    b = newton.ModelBuilder()
    for _ in range(2):
        b.add_articulation([b.add_joint_revolute(-1, b.add_link(mass=1.0))])
    b.set_joint_mimic(1, 0)
    with pytest.raises(ModelError, match="Mimic joints must belong to the same articulation"):
        b.finalize("cpu")


def test_removed_names_say_what_to_use():
    b = chain()
    model = b.finalize("cpu")
    for owner in (b, model, model.control()):
        with pytest.raises(AttributeError, match="joint_target_pos is gone; use joint_target_q"):
            owner.joint_target_pos = [1.0]
        assert not hasattr(owner, "joint_target_vel")
