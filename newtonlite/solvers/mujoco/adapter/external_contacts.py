"""External contacts: a ``Contacts`` of the caller, sorted by world for the engine."""

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.solvers.mujoco.graph_capture import outside_capture
from newtonlite.solvers.mujoco.kernels.state_io.external_contacts import world_keys, world_starts

ARRAYS = ("shape0", "shape1", "point0", "point1", "normal", "margin0", "margin1")
PROPERTIES = ("stiffness", "damping", "friction")


class ExternalContacts:
    """Scratch to sort a ``Contacts`` of some size by world, and the arrays that the stage ``load_contacts`` reads.
    ``moves`` [ngeom] says which geoms are on bodies that forces move; contacts of two others are left out.
    """

    def __init__(self, model, shape_of_geom: np.ndarray, worlds: np.ndarray | None, moves: np.ndarray):
        self.nworld, self.device = len(shape_of_geom), model.device
        self.world_of_shape = wp.array(number_of_world(model, worlds), dtype=int, device=self.device)
        margin = model.shape_margin if model.shape_count else wp.zeros(1, dtype=float, device=self.device)
        self.shape_margin = margin.reshape((1, len(margin)))
        self.geom_of_shape = wp.array(
            geoms_of_shapes(shape_of_geom, model.shape_count)[None], dtype=int, device=self.device
        )
        at_rest = np.zeros(max(1, model.shape_count), np.int32)
        at_rest[shape_of_geom] = ~moves
        self.at_rest = wp.array(at_rest, dtype=int, device=self.device)
        self.size = -1

    def prepare(self, contacts) -> dict:
        """StateBinding arrays for these contacts; StateError where there are none. Their rows are sorted anew by
        ``sort``.
        """
        check_contacts(contacts, self.device)
        if contacts.rigid_contact_max != self.size:
            with outside_capture(self.device):
                self._allocate(contacts.rigid_contact_max)
        rows = {f"external_{name}": getattr(contacts, f"rigid_contact_{name}") for name in ARRAYS}
        found = {name: array.reshape((1, array.shape[0])) for name, array in rows.items()}
        starts = wp.array(
            ptr=self.starts.ptr,
            dtype=int,
            shape=(self.nworld, 2),
            strides=(4, 4),
            device=self.device,
            capacity=self.starts.capacity,
        )
        starts.owner = self.starts
        rows = lambda array: array[: self.size].reshape((1, self.size))
        more = {
            "external_order": rows(self.order),
            "external_slot": rows(self.slot),
            "geom_of_shape": self.geom_of_shape,
        }
        more["shape_margin"] = self.shape_margin
        for name in PROPERTIES:
            own = getattr(contacts, f"rigid_contact_{name}", None)
            more[f"external_{name}"] = rows(self.nothing if own is None else own)
        return found | more | {"external_start": starts}

    def _allocate(self, size: int) -> None:
        make = lambda n: wp.zeros(n, dtype=int, device=self.device)
        self.keys, self.order, self.starts = make(2 * max(1, size)), make(2 * max(1, size)), make(self.nworld + 1)
        self.slot = make(max(1, size))
        self.nothing = wp.zeros(max(1, size), dtype=float, device=self.device)
        self.size = size

    def sort(self, contacts) -> None:
        """Sort the rows of the contacts as they are now by world; equal worlds keep their order."""
        if not self.size:
            return
        self.slot.fill_(-1)
        inputs = [contacts.rigid_contact_count, contacts.rigid_contact_shape0, contacts.rigid_contact_shape1]
        inputs += [self.world_of_shape, self.at_rest, self.nworld, self.keys, self.order]
        wp.launch(world_keys, dim=self.size, inputs=inputs, device=self.device)
        wp.utils.radix_sort_pairs(self.keys, self.order, self.size)
        wp.launch(world_starts, dim=self.nworld + 1, inputs=[self.keys, self.size, self.starts], device=self.device)


def number_of_world(model, worlds: np.ndarray | None) -> np.ndarray:
    """Number among ``worlds`` (None: the scene is one world) of each shape's world, -1 where it belongs to none of
    them.
    """
    if worlds is None or model.world_count <= 1:
        return np.zeros(model.shape_count, np.int32)
    number = np.full(model.world_count + 1, -1, np.int32)
    number[worlds] = np.arange(len(worlds))
    return number[model.shape_world.numpy()]


def geoms_of_shapes(shape_of_geom: np.ndarray, count: int) -> np.ndarray:
    """Number within its world of the geom that each of ``count`` shapes became, -1 for those without; from [nworld,
    ngeom] shapes.
    """
    found = np.full(max(1, count), -1, np.int32)
    found[shape_of_geom] = np.arange(shape_of_geom.shape[1])
    return found


def check_contacts(contacts, device) -> None:
    """Raise StateError unless there are contacts on the solver's device."""
    if contacts is None or not hasattr(contacts, "rigid_contact_count"):
        raise StateError(
            "contacts: use_mujoco_contacts=False needs the contacts of this step; pass a Contacts (CollisionPipeline(model).contacts())"
        )
    if contacts.device != device:
        raise StateError(
            f"contacts: live on {contacts.device}, the solver's model on {device}; make them with CollisionPipeline(model).contacts()"
        )
