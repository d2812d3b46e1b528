"""Contacts in the world: forces of resting boxes carry their weight."""

import numpy as np

from newtonlite.sim.contacts import Contacts
from newtonlite.viewer.touching import contacts_in_world
from tests.harness.viewer_scenes import session
from tests.tolerance import tolerance


def test_forces_on_a_resting_stack_carry_its_weight():
    one = session("box_stack", 2)
    for _ in range(400):
        one.step()
    contacts = Contacts(one.solver.get_max_contact_count(), requested_attributes={"force"}, device="cpu")
    one.solver.update_contacts(contacts)
    found = contacts_in_world(one.model, contacts, one.state.body_q.numpy())
    where, mass = one.model.body_world.numpy(), one.model.body_mass.numpy()
    for world in (0, 1):
        on_floor = (found.world == world) & (found.position[:, 2] < 1e-2)
        assert np.isclose(
            found.force[on_floor, 2].sum(), 9.81 * mass[where == world].sum(), rtol=tolerance("drawn_weight")
        )
    assert np.allclose(np.linalg.norm(found.normal, axis=1), 1.0, atol=tolerance("drawn_corner"))
