"""Contact sensor: forces on chosen bodies or shapes, in total and from chosen counterparts."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError, StateError
from newtonlite.sim.sense.match_labels import match_labels

wp.set_module_options({"enable_backward": False})


@wp.func
def add_force(row: int, column: int, force: wp.vec3, total: wp.array(dtype=wp.vec3), matrix: wp.array2d(dtype=wp.vec3)):
    """Add a force to what a sensor feels, and to its share from a counterpart where that is one."""
    if row >= 0:
        if total:
            total[row] = total[row] + force
        if column >= 0:
            matrix[row, column] = matrix[row, column] + force


@wp.kernel
def gather(
    count: wp.array(dtype=int),
    shape0: wp.array(dtype=int),
    shape1: wp.array(dtype=int),
    force: wp.array(dtype=wp.spatial_vector),
    row_of: wp.array(dtype=int),
    column_of: wp.array2d(dtype=int),
    world_of: wp.array(dtype=int),
    total: wp.array(dtype=wp.vec3),
    matrix: wp.array2d(dtype=wp.vec3),
):
    """Sum forces in the order of the contacts, a thread per world, so that the sums are the same every time."""
    world = wp.tid()
    for i in range(wp.min(count[0], shape0.shape[0])):
        a = shape0[i]
        b = shape1[i]
        if a >= 0 and b >= 0:
            if wp.max(wp.max(world_of[a], world_of[b]), 0) == world:
                f = wp.spatial_top(force[i])
                if row_of[a] >= 0:
                    add_force(row_of[a], column_of[row_of[a], b], f, total, matrix)
                if row_of[b] >= 0:
                    add_force(row_of[b], column_of[row_of[b], a], -f, total, matrix)


class SensorContact:
    """Net contact forces [N], world frame, on sensing bodies or shapes.

    ``total_force`` [n] from everything (None without ``measure_total``), ``force_matrix`` [n, most counterparts] from
    each counterpart of the sensor's world, in the order of their indices. Give bodies or shapes, by pattern of labels
    or by index; counterparts likewise, none for totals only. ``force`` is requested of the model's contacts on
    construction: make the sensor before them.
    """

    def __init__(
        self,
        model: Any,
        *,
        sensing_bodies: Any = None,
        sensing_shapes: Any = None,
        counterpart_bodies: Any = None,
        counterpart_shapes: Any = None,
        measure_total: bool = True,
        verbose: bool | None = None,
        request_contact_attributes: bool = True,
    ):
        if (sensing_bodies is None) == (sensing_shapes is None):
            raise ModelError("SensorContact: give sensing_bodies or sensing_shapes, one of them")
        if counterpart_bodies is not None and counterpart_shapes is not None:
            raise ModelError("SensorContact: give counterpart_bodies or counterpart_shapes, not both")
        self.model = model
        self.sensing_kind = "body" if sensing_bodies is not None else "shape"
        self.sensing, row_of = self._choose(sensing_bodies, sensing_shapes, "sensing")
        self.counterparts, other = self._choose(counterpart_bodies, counterpart_shapes, "counterpart")
        self.counterpart_lists, column_of = self._columns(other, counterpart_bodies is not None)
        if request_contact_attributes:
            model.request_contact_attributes("force")
        device, n = model.device, len(self.sensing)
        self._row_of = wp.array(row_of, dtype=int, device=device)
        self._column_of = wp.array(column_of, dtype=int, device=device)
        self.total_force = wp.zeros(n, dtype=wp.vec3, device=device) if measure_total else None
        self.force_matrix = wp.zeros(
            (n, max(map(len, self.counterpart_lists), default=0)), dtype=wp.vec3, device=device
        )
        if verbose:
            print(f"SensorContact: {n} sensing, {len(self.counterparts)} counterparts")

    def _choose(self, bodies: Any, shapes: Any, what: str) -> tuple[list[int], np.ndarray]:
        """The chosen bodies or shapes, and for each shape its place among them (-1: none)."""
        m = self.model
        place = np.full(max(1, m.shape_count), -1, np.int32)
        if bodies is None and shapes is None:
            return [], place
        if shapes is not None:
            chosen = match_labels(m.shape_label, shapes, f"SensorContact {what}_shapes")
            place[chosen] = np.arange(len(chosen))
            return chosen, place
        chosen = match_labels(m.body_label, bodies, f"SensorContact {what}_bodies")
        of_body = np.full(m.body_count + 1, -1, np.int32)
        of_body[chosen] = np.arange(len(chosen))
        return chosen, of_body[m.shape_body.numpy()]

    def _columns(self, other: np.ndarray, bodies: bool) -> tuple[list[list[int]], np.ndarray]:
        """For each sensor its counterparts, those of its own world and the global ones; for each sensor and shape the
        column.
        """
        m = self.model
        world_of = (m.body_world if bodies else m.shape_world).numpy() if self.counterparts else np.zeros(0, int)
        own = (m.body_world if self.sensing_kind == "body" else m.shape_world).numpy()
        lists, column_of = [], np.full((len(self.sensing), len(other)), -1, np.int32)
        for row, thing in enumerate(self.sensing):
            mine = [
                k
                for k, c in enumerate(self.counterparts)
                if world_of[c] < 0 or own[thing] < 0 or world_of[c] == own[thing]
            ]
            lists.append([self.counterparts[k] for k in mine])
            number = np.full(len(self.counterparts) + 1, -1, np.int32)
            number[mine] = np.arange(len(mine))
            column_of[row] = number[other]
        return lists, column_of

    def update(self, state: Any, contacts: Any, *, observables: Any = None) -> None:
        """Sum the forces of contacts (``update_contacts`` first), or those of ``observables.contact_f``."""
        force = getattr(observables, "contact_f", None)
        force = contacts.force if force is None else force
        if force is None:
            raise StateError(
                "SensorContact: contacts have no force; make the sensor before model.contacts(), or pass observables with contact_f"
            )
        if self.total_force is not None:
            self.total_force.zero_()
        self.force_matrix.zero_()
        m = self.model
        inputs = [contacts.rigid_contact_count, contacts.rigid_contact_shape0, contacts.rigid_contact_shape1, force]
        inputs += [self._row_of, self._column_of, m.shape_world, self.total_force, self.force_matrix]
        wp.launch(gather, dim=max(1, m.world_count), inputs=inputs, device=m.device)
