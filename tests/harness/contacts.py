"""Contact buffers of a scene, and the contacts that a collision pipeline finds in it."""

import newtonlite as newton


def contacts_of(model) -> newton.Contacts:
    """An empty contact buffer, of as many rows as the scene suggests."""
    asked = model.get_requested_contact_attributes()
    return newton.Contacts(model.contact_capacity, device=model.device, requested_attributes=asked)


def found_contacts(model, state, contacts=None, collision_pipeline=None) -> newton.Contacts:
    """The contacts at the poses of a state, found by a pipeline of its own where none is given."""
    pipeline = collision_pipeline or newton.CollisionPipeline(model)
    contacts = contacts or pipeline.contacts()
    pipeline.collide(state, contacts)
    return contacts
