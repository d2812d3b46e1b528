"""Contact export: the contacts of the last step, written into a ``Contacts``."""

import warp as wp

from newtonlite.collide.contact_rows import contact_arrays
from newtonlite.core.errors import CapacityError, StateError
from newtonlite.solvers.mujoco.kernels.state_io.export_contacts import (
    EngineContacts,
    ShapesOfGeoms,
    count_contacts,
    force_of_given,
    list_contacts,
)
from newtonlite.solvers.mujoco.kernels.state_io.gather_rows import shift

KEPT = (
    "contact_dist",
    "contact_pos",
    "contact_frame",
    "contact_friction",
    "contact_dim",
    "contact_geom",
    "contact_efc_address",
    "efc_force",
    "xpos",
    "xquat",
)
"""Arrays of the engine that a report needs per world after a step."""


class ContactExport:
    """Lists the engine's contacts in the scene's words; ``shape_of_geom`` is [nworld, ngeom] on the host."""

    def __init__(self, model, data, shape_of_geom):
        self.model, self.data, self.device = model, data, model.device
        self.shape_of_geom = wp.array(shape_of_geom, dtype=int, device=self.device)
        self.start = wp.zeros(data.nworld, dtype=int, device=self.device)
        self.found, self.scene = self._found(), ShapesOfGeoms()
        self.scene.shape_of_geom, self.scene.shape_body, self.scene.body_com = (
            self.shape_of_geom,
            model.shape_body,
            model.body_com,
        )
        self.scene.shape_margin = model.shape_margin

    def _found(self) -> EngineContacts:
        d, found = self.data, EngineContacts()
        found.ncon, found.start, found.cone, found.geom_bodyid = (
            d.ncon,
            self.start,
            d.model.opt_cone,
            d.model.geom_bodyid,
        )
        found.xpos, found.xquat = d.xpos, d.xquat
        for name in ("dist", "pos", "frame", "friction", "dim", "geom", "efc_address"):
            setattr(found, name, getattr(d, f"contact_{name}"))
        found.efc_force = d.efc_force
        return found

    def write(self, contacts, force=None, first: bool = True) -> None:
        """List the contacts of all worlds, in order; as many as fit. ``force`` [rigid_contact_max] where the wrenches
        go.

        Where this is not the ``first`` report into the list, contacts go behind those that are there.
        """
        d = self.data
        wp.utils.array_scan(d.ncon, self.start, inclusive=False)
        if not first:
            wp.launch(shift, dim=d.nworld, inputs=[contacts.rigid_contact_count, self.start], device=self.device)
        wp.launch(
            count_contacts,
            dim=1,
            device=self.device,
            inputs=[d.ncon, self.start, contacts.rigid_contact_max, contacts.rigid_contact_count],
        )
        if not d.nconmax or not contacts.rigid_contact_max:
            return
        inputs = [self.found, self.scene, contact_arrays(contacts), force]
        wp.launch(list_contacts, dim=(d.nworld, d.nconmax), inputs=inputs, device=self.device)

    def write_given(self, contacts, given, force=None, first: bool = True) -> None:
        """Forces of the caller's own contacts, row by row; in the ``first`` report rows that made no contact have none."""
        inputs = [
            self.found,
            self.scene,
            contact_arrays(contacts),
            force,
            contacts.rigid_contact_count,
            given.world_of_shape,
            given.slot,
            first,
        ]
        wp.launch(force_of_given, dim=contacts.rigid_contact_max, inputs=inputs, device=self.device)


def check_report(contacts, device) -> None:
    """Raise StateError unless ``contacts`` is a Contacts on the solver's device."""
    if not hasattr(contacts, "rigid_contact_shape0"):
        raise StateError(
            f"update_contacts: expected a Contacts, got {type(contacts).__name__}; make it with Contacts(solver.get_max_contact_count())"
        )
    if contacts.device != device:
        raise StateError(f"update_contacts: contacts live on {contacts.device}, the solver's model on {device}")


def check_room(contacts, need: int, where: str) -> None:
    """Raise CapacityError unless ``contacts`` has room for all the contacts that the engine may find."""
    if contacts.rigid_contact_max < need:
        raise CapacityError(
            f"{where}: MuJoCo contact capacity ({need}) exceeds Contacts capacity ({contacts.rigid_contact_max}); make "
            "them with Contacts(solver.get_max_contact_count()), or the solver with a smaller nconmax"
        )
