"""Contacts on the page: discs where bodies touch, arrows for forces."""

import numpy as np

from newtonlite.sim.contacts import Contacts
from newtonlite.viewer.page.overlays.glyphs import ARROW, DISC, Glyphs, z_to_directions
from newtonlite.viewer.page.overlays.overlay import Overlay
from newtonlite.viewer.touching import ContactArrays, contacts_in_world

LENGTH = 0.5  # of an arrow that carries the weight of a world, in its radii


class Touching(Overlay):
    """Contact overlay, the base of both kinds: the contacts of the shown worlds, asked for once a frame."""

    def possible(self) -> bool:
        """Whether there is a solver to ask."""
        session = self.viewer.simulation
        return session is not None and hasattr(session.solver, "update_contacts")

    def touch(self, state) -> ContactArrays | None:
        """The contacts of shown worlds."""
        viewer = self.viewer
        if getattr(viewer, "touch_of", None) == viewer.frames:
            return viewer.touch
        if not hasattr(viewer, "contacts"):
            solver = viewer.simulation.solver
            viewer.contacts = Contacts(
                solver.get_max_contact_count(), requested_attributes={"force"}, device=viewer.model.device
            )
        viewer.simulation.solver.update_contacts(viewer.contacts)
        found = contacts_in_world(viewer.model, viewer.contacts, viewer.body_q)
        shown = viewer.layout.is_shown[found.world]
        viewer.touch_of, viewer.touch = viewer.frames, ContactArrays(*(values[shown] for values in found))
        return viewer.touch


class ContactOverlay(Touching):
    """A disc at each contact, across its normal."""

    title = "Contacts"

    def __init__(self, viewer):
        super().__init__(viewer)
        self.glyphs = Glyphs(viewer.api, "/contacts/points", DISC, (255, 170, 0))

    def draw(self, state) -> None:
        """Discs."""
        found = self.touch(state)
        size = 0.03 * self.viewer.radius
        self.glyphs.set(
            found.position + self.viewer.layout.offsets[found.world],
            z_to_directions(found.normal),
            np.full((len(found.world), 3), size),
        )

    def clear(self) -> None:
        """Clear the discs."""
        self.glyphs.clear()


class ForceOverlay(Touching):
    """An arrow for the force of each contact; its length is the force over the weight of the world."""

    title = "Contact forces"

    def __init__(self, viewer):
        super().__init__(viewer)
        self.glyphs = Glyphs(viewer.api, "/contacts/forces", ARROW, (220, 40, 40))

    def draw(self, state) -> None:
        """Arrows, on the side of the second shape; those of planes and other fixed things point up."""
        found, model = self.touch(state), self.viewer.model
        if not hasattr(self, "weight"):
            mass = model.body_mass.numpy()[
                self.viewer.look.body_world == self.viewer.look.body_world.max(initial=0)
            ].sum()
            self.weight = max(float(mass) * 9.81, 1e-9)
        strength = np.linalg.norm(found.force, axis=1)
        strong = strength > 1e-4 * self.weight
        force, strength = found.force[strong], strength[strong]
        length = LENGTH * self.viewer.radius * np.minimum(strength / self.weight, 4.0)
        thick = np.minimum(0.6 * self.viewer.radius, np.maximum(length, 0.15 * self.viewer.radius))
        place = found.position[strong] + self.viewer.layout.offsets[found.world[strong]]
        self.glyphs.set(place, z_to_directions(force), np.stack([thick, thick, length], axis=1))

    def clear(self) -> None:
        """Clear the arrows."""
        self.glyphs.clear()
