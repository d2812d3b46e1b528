"""Contact sensor: forces, friction and places of contacts on chosen bodies or shapes, by counterpart."""

import logging
import warnings
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import DeviceError, ModelError, NewtonDeprecationWarning, StateError, external
from newtonlite.core.kernel_module import kernel_module
from newtonlite.sim.sense.frame import shape_pose
from newtonlite.sim.sense.match_labels import match_labels

kernel_module(__name__)
log = logging.getLogger("newtonlite.sensors")
BODY, SHAPE = wp.constant(1), wp.constant(0)


@wp.struct
class Readings:
    """Force sums of a sensor: totals [n], and sums [n, counterparts]."""

    total: wp.array[wp.vec3]
    total_friction: wp.array[wp.vec3]
    force: wp.array2d[wp.vec3]
    friction: wp.array2d[wp.vec3]
    position: wp.array2d[wp.vec3]
    weight: wp.array2d[float]


@wp.struct
class SensedContacts:
    """The rows of contacts that a sensor reads, and where bodies are."""

    count: wp.array[int]
    shape0: wp.array[int]
    shape1: wp.array[int]
    point0: wp.array[wp.vec3]
    point1: wp.array[wp.vec3]
    offset0: wp.array[wp.vec3]
    offset1: wp.array[wp.vec3]
    normal: wp.array[wp.vec3]
    force: wp.array[wp.spatial_vector]
    shape_body: wp.array[int]
    body_q: wp.array[wp.transform]


@wp.func
def surface_point(c: SensedContacts, shape: int, point: wp.vec3) -> wp.vec3:
    """A point of a shape's body in the world."""
    body = c.shape_body[shape]
    if body >= 0:
        return wp.transform_point(c.body_q[body], point)
    return point


@wp.func
def add_reading(r: Readings, row: int, column: int, force: wp.vec3, friction: wp.vec3, middle: wp.vec3):
    """Add a contact to what a sensor feels, and to its share from a counterpart where that is one."""
    if row < 0:
        return
    if r.total:
        r.total[row] = r.total[row] + force
        r.total_friction[row] = r.total_friction[row] + friction
    if column >= 0 and r.force:
        r.force[row, column] = r.force[row, column] + force
        r.friction[row, column] = r.friction[row, column] + friction
        r.position[row, column] = r.position[row, column] + wp.length(force) * middle
        r.weight[row, column] = r.weight[row, column] + wp.length(force)


@wp.kernel
def gather(c: SensedContacts, row_of: wp.array[int], column_of: wp.array[int], world_of: wp.array[int], r: Readings):
    """Sum contacts in their order, a thread per world, so that the sums are the same every time."""
    world = wp.tid()
    for i in range(wp.min(c.count[0], c.shape0.shape[0])):
        a = c.shape0[i]
        b = c.shape1[i]
        if a >= 0 and b >= 0 and wp.max(wp.max(world_of[a], world_of[b]), 0) == world:
            if row_of[a] >= 0 or row_of[b] >= 0:
                force = wp.spatial_top(c.force[i])
                normal = wp.normalize(c.normal[i])
                friction = force - wp.dot(force, normal) * normal
                middle = wp.vec3()
                if c.body_q:
                    first = surface_point(c, a, c.point0[i] + c.offset0[i])
                    middle = 0.5 * (first + surface_point(c, b, c.point1[i] + c.offset1[i]))
                add_reading(r, row_of[a], column_of[b], force, friction, middle)
                add_reading(r, row_of[b], column_of[a], -force, -friction, middle)


@wp.kernel
def average(r: Readings):
    """Sums of weighted positions to means; 0 where no force is."""
    row, column = wp.tid()
    if r.weight[row, column] > 0.0:
        r.position[row, column] = r.position[row, column] / r.weight[row, column]


@wp.kernel
def poses(
    kind: int,
    indices: wp.array[int],
    shape_body: wp.array[int],
    shape_transform: wp.array[wp.transform],
    body_q: wp.array[wp.transform],
    transforms: wp.array[wp.transform],
):
    """Poses of sensing bodies or shapes in the world."""
    i = wp.tid()
    if kind == BODY:
        transforms[i] = body_q[indices[i]]
    else:
        transforms[i] = shape_pose(indices[i], shape_body, shape_transform, body_q)


class SensorContact:
    """Contact forces [N], friction [N] and places [m], world frame, on sensing bodies or shapes.

    ``total_force`` and ``total_force_friction`` [n] from everything (None without ``measure_total``); ``force_matrix``,
    ``force_matrix_friction`` and ``position_matrix`` [n, most counterparts] from each counterpart (None without them),
    zero beyond a row's own. Row i is ``sensing_indices[i]``, bodies or shapes as ``sensing_type`` says; its column j is
    ``counterpart_indices[i][j]``: what belongs to all worlds first, then its own world's, by index. Friction is the
    part of a force across its normal, a position the mean of contacts' middles weighted by force, 0 where ``update``
    gets no poses. ``sensing_transforms`` [n] are poses.

    Give bodies or shapes, by pattern of labels or by index; counterparts likewise, none for totals only. Forces come
    from ``observables`` (``solver.observables(sensor.solver_observable_kinds, contacts=contacts)``); with
    ``request_contact_attributes``, which is deprecated, from ``contacts.force``: make the sensor before the contacts.
    Raises ModelError for patterns that match nothing, and for sensing objects that belong to all worlds.
    """

    solver_observable_kinds = frozenset({"contact_f"})
    """Observables that ``update`` needs."""

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
        self.model, self.device = model, model.device
        self.sensing_type = "body" if sensing_bodies is not None else "shape"
        self.sensing_indices = self._choose(sensing_bodies, sensing_shapes, "sensing")
        with_any = counterpart_bodies is not None or counterpart_shapes is not None
        self.counterpart_type = ("body" if counterpart_bodies is not None else "shape") if with_any else None
        others = sorted(self._choose(counterpart_bodies, counterpart_shapes, "counterpart")) if with_any else []
        if not (measure_total or others):
            raise ModelError("SensorContact: measure_total=False and no counterparts; ask for one of them")
        if request_contact_attributes:
            text = "SensorContact(request_contact_attributes=True) is deprecated (by Newton since 1.7): make SolverBase.Observables"
            text += " of sensor.solver_observable_kinds, pass them to update, and False here"
            warnings.warn(text, NewtonDeprecationWarning, stacklevel=external())
            model._requested_contacts.add("force")
        self.counterpart_indices, columns = self._columns(others)
        self._row_of = self._by_shape(self.sensing_type, self.sensing_indices, range(len(self.sensing_indices)))
        self._column_of = self._by_shape(self.counterpart_type, others, columns)
        self._readings = self._allocate(max(map(len, self.counterpart_indices), default=0), measure_total)
        self._indices = wp.array(self.sensing_indices, dtype=int, device=self.device)
        self.sensing_transforms = wp.zeros(len(self.sensing_indices), dtype=wp.transform, device=self.device)
        if verbose:
            log.info("SensorContact: %d sensing, %d counterparts", len(self.sensing_indices), len(others))

    def _choose(self, bodies: Any, shapes: Any, what: str) -> list[int]:
        """The chosen bodies or shapes, each once."""
        m, kind = self.model, "shapes" if bodies is None else "bodies"
        labels = m.shape_label if bodies is None else m.body_label
        found = match_labels(labels, shapes if bodies is None else bodies, f"SensorContact {what}_{kind}")
        twice = [index for index in found if found.count(index) > 1] if len(set(found)) < len(found) else []
        if twice:
            raise ModelError(f"SensorContact {what}_{kind}: duplicate index {twice[0]}; give each once")
        if what == "sensing":
            world = self._worlds(kind == "bodies")
            everywhere = [index for index in found if world[index] < 0]
            if everywhere:
                found = f"{labels[everywhere[0]]!r} ({everywhere[0]}) belongs to all worlds"
                raise ModelError(f"SensorContact {what}_{kind}: {found} and cannot sense; leave it out")
        return found

    def _worlds(self, bodies: bool) -> np.ndarray:
        """World of each body or shape, -1 for all; a scene without worlds is one."""
        world = (self.model.body_world if bodies else self.model.shape_world).numpy()
        return world if (world >= 0).any() else np.zeros_like(world)

    def _columns(self, others: list[int]) -> tuple[list[list[int]], list[int]]:
        """Counterparts of each sensing object, and the column of each counterpart."""
        world, own = self._worlds(self.counterpart_type == "body"), self._worlds(self.sensing_type == "body")
        shared = [index for index in others if world[index] < 0]
        lists: dict[int, list[int]] = {}
        for index in others:
            if world[index] >= 0:
                lists.setdefault(int(world[index]), list(shared)).append(index)
        columns = [(shared if world[index] < 0 else lists[int(world[index])]).index(index) for index in others]
        return [lists.get(int(own[index]), shared) for index in self.sensing_indices], columns

    def _by_shape(self, kind: str | None, indices: Any, numbers: Any) -> wp.array:
        """For each shape the number of its body or itself; -1 for none."""
        m = self.model
        found = np.full((m.body_count if kind == "body" else m.shape_count) + 1, -1, np.int32)
        found[list(indices)] = list(numbers)
        of_shape = found[m.shape_body.numpy()] if kind == "body" and m.shape_count else found
        return wp.array(of_shape, dtype=int, device=self.device)

    def _allocate(self, columns: int, totals: bool) -> Readings:
        """Arrays for all readings, None for those that are not measured."""
        n, r = len(self.sensing_indices), Readings()
        total = lambda: wp.zeros(n, dtype=wp.vec3, device=self.device) if totals else None
        matrix = lambda dtype: wp.zeros((n, columns), dtype=dtype, device=self.device) if columns else None
        self.total_force, self.total_force_friction = total(), total()
        self.force_matrix, self.force_matrix_friction, self.position_matrix = (matrix(wp.vec3) for _ in range(3))
        r.total, r.total_friction = self.total_force, self.total_force_friction
        r.force, r.friction, r.position = self.force_matrix, self.force_matrix_friction, self.position_matrix
        r.weight = self._weight = matrix(float)
        return r

    def update(self, state: Any, contacts: Any, *, observables: Any = None) -> None:
        """Sum the forces of ``observables.contact_f``, or those that contacts hold (``update_contacts`` first); poses
        come from ``state``, which may be None.

        Raises StateError where there are no forces, or they belong to another model or other contacts.
        """
        force = self._force(contacts, observables)
        for array in (self.total_force, self.total_force_friction, self.force_matrix, self.force_matrix_friction):
            if array is not None:
                array.zero_()
        if self.force_matrix is not None:
            self.position_matrix.zero_()
            self._weight.zero_()
        m, c = self.model, SensedContacts()
        body_q = getattr(state, "body_q", None)
        c.count, c.force, c.shape_body, c.body_q = contacts.rigid_contact_count, force, m.shape_body, body_q
        for name in ("shape0", "shape1", "point0", "point1", "offset0", "offset1", "normal"):
            setattr(c, name, getattr(contacts, f"rigid_contact_{name}"))
        inputs = [c, self._row_of, self._column_of, m.shape_world]
        wp.launch(gather, dim=max(1, m.world_count), inputs=[*inputs, self._readings], device=self.device)
        if body_q is None:
            return
        if self.force_matrix is not None:
            wp.launch(average, dim=self.force_matrix.shape, inputs=[self._readings], device=self.device)
        kind = int(BODY if self.sensing_type == "body" else SHAPE)
        inputs = [kind, self._indices, m.shape_body, m.shape_transform, body_q]
        wp.launch(poses, dim=len(self._indices), inputs=[*inputs, self.sensing_transforms], device=self.device)

    def _force(self, contacts: Any, observables: Any) -> wp.array:
        """The forces of the contacts' rows."""
        if observables is not None:
            if observables.model is not self.model:
                raise StateError("SensorContact: the observables belong to another model; make them with its solver")
            if observables.contact_f is not None and observables.contacts is not contacts:
                raise StateError(
                    "SensorContact: the observables were filled for a different Contacts; pass those of the step"
                )
        elif contacts.device != self.device:
            raise DeviceError(
                f"SensorContact: contacts live on {contacts.device}, the sensor's device is {self.device}"
            )
        force = contacts.force if observables is None else observables.contact_f
        if force is None:
            raise StateError(
                "SensorContact: there are no contact-force observables; pass solver.observables("
                "sensor.solver_observable_kinds, contacts=contacts), filled by the step"
            )
        return force
