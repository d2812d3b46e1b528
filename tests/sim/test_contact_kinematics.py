"""``eval_rigid_contact_kinematics``: points and distances of contacts at other poses."""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.errors import StateError
from tests.harness.contacts import found_contacts
from tests.tolerance import assert_close


def test_a_ball_that_was_lifted_is_farther_from_the_ground(device):
    b = newton.ModelBuilder()
    b.add_ground_plane()
    body = b.add_body(xform=wp.transform((0.3, 0.0, 0.09), wp.quat_identity()))
    b.add_shape_sphere(body, radius=0.1)
    model = b.finalize(device=device)
    state = model.state()
    contacts = found_contacts(model, state)
    assert contacts.rigid_contact_count.numpy()[0] == 1
    state.body_q.assign([[0.3, 0.0, 0.15, 0.0, 0.0, 0.0, 1.0]])
    n = contacts.rigid_contact_max
    distance, *points = (
        wp.full(n, 7.0, dtype=float, device=device),
        *(wp.zeros(n, dtype=wp.vec3, device=device) for _ in range(2)),
    )
    newton.eval_rigid_contact_kinematics(
        model, state, contacts, out_distance=distance, out_point0_world=points[0], out_point1_world=points[1]
    )
    assert_close(distance.numpy()[:1], [0.05], "contact")
    heights = sorted(p.numpy()[0, 2] for p in points)
    assert_close(np.array(heights[1:]), [0.15], "contact")
    assert distance.numpy()[1] == 7.0
    with pytest.raises(StateError, match="out_distance: vec3f"):
        newton.eval_rigid_contact_kinematics(model, state, contacts, out_distance=points[0])
