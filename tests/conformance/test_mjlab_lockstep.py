"""Lockstep of mjlab's tasks: what counts as apart."""

import numpy as np

from conformance.mjlab_lockstep import compared, errors
from tests.tolerance import tolerance


def recorded(shift_of_actor=0.0, bytes_of_pixel=0):
    """Three steps of two worlds: a vector, and a grey picture of which one pixel is some bytes brighter."""
    camera = np.full((3, 2, 3, 4, 4), 100.0 / 255.0)
    camera[1, 1, 0, 2, 2] += bytes_of_pixel / 255.0
    return {"reward": np.zeros((3, 2)), "seen_actor": np.ones((3, 2, 5)) + shift_of_actor, "seen_camera": camera}


def test_colours_count_beyond_one_byte_and_numbers_in_full():
    want = recorded()
    for off, same in ((1, True), (-1, True), (2, False)):
        found = errors(recorded(bytes_of_pixel=off), want)
        assert (found["seen_camera"].max() == 0.0) == same
        assert found["seen_camera"].shape == (3, 2) and found["seen_actor"].max() == 0.0
    assert errors(recorded(shift_of_actor=1e-3), want)["seen_actor"].min() > 9e-4


def test_a_task_is_different_where_the_peer_itself_does_not_move_as_far():
    want = recorded()
    found, still = errors(recorded(shift_of_actor=1e-3), want), errors(want, want)
    moved = errors(recorded(shift_of_actor=5e-4), want)
    there, away = np.zeros((3, 2)), np.full((3, 2), 2e-3)
    verdicts = [compared(found, own, there, there)["verdict"] for own in (still, moved)]
    assert verdicts == ["different", "as sensitive"] and compared(still, still, there, away)["verdict"] == "equal"
    assert compared(found, still, there, there)["apart"] == 6 and found["seen_actor"].max() > tolerance("lockstep")


def test_a_task_is_as_mujoco_where_the_peer_leaves_it_in_every_step_that_is_apart():
    want = recorded()
    found, still = errors(recorded(shift_of_actor=1e-3), want), errors(want, want)
    there, away = np.zeros((3, 2)), np.full((3, 2), 2e-3)
    row = compared(found, still, there, away)
    assert (row["verdict"], row["as_mujoco"], row["ours"], row["theirs"]) == ("as MuJoCo", 6, 0.0, 2e-3)
    away[1, 1] = 0.0
    assert compared(found, still, there, away)["verdict"] == "different"
    assert compared(found, still, np.full((3, 2), 1e-3), away + 2e-3)["verdict"] == "different"
