"""Contacts of a scene: buffers of contact pairs, points, normals and margins."""

import warnings
from typing import Any, ClassVar

import warp as wp

from newtonlite.core.errors import ModelError, NewtonDeprecationWarning, external
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)

EXTENDED = ("force",)
"""Arrays of contacts that are there when they are requested."""

# name, element type, value of an empty row
TABLE = (
    ("rigid_contact_point_id", wp.int32, 0),
    ("rigid_contact_shape0", wp.int32, -1),
    ("rigid_contact_shape1", wp.int32, -1),
    ("rigid_contact_point0", wp.vec3, 0),
    ("rigid_contact_point1", wp.vec3, 0),
    ("rigid_contact_offset0", wp.vec3, 0),
    ("rigid_contact_offset1", wp.vec3, 0),
    ("rigid_contact_normal", wp.vec3, 0),
    ("rigid_contact_margin0", wp.float32, 0),
    ("rigid_contact_margin1", wp.float32, 0),
    ("rigid_contact_tids", wp.int32, -1),
    ("rigid_contact_force", wp.vec3, 0),
)
SOFT_TABLE = (
    ("soft_contact_indices", wp.vec3i, -1),
    ("soft_contact_rigid_indices", wp.vec3i, -1),
    ("soft_contact_particle", wp.int32, -1),
    ("soft_contact_barycentric", wp.vec3, 0),
    ("soft_contact_shape", wp.int32, -1),
    ("soft_contact_body_pos", wp.vec3, 0),
    ("soft_contact_body_vel", wp.vec3, 0),
    ("soft_contact_normal", wp.vec3, 0),
    ("soft_contact_tids", wp.int32, -1),
)
"""Arrays of contacts of particles, of which nothing here finds any."""
PROPERTIES = tuple((f"rigid_contact_{name}", wp.float32, 0) for name in ("stiffness", "damping", "friction"))
"""Arrays of contacts that have properties of their own."""


MATCHED = (("rigid_contact_match_index", "rigid_contact_max", -1), ("rigid_contact_match_generation", 1, -1))
"""Whole numbers of contacts that are matched from call to call: name, size, value at first."""
REPORTED = (
    ("rigid_contact_new_indices", "rigid_contact_max", 0),
    ("rigid_contact_new_count", 1, 0),
    ("rigid_contact_broken_indices", "rigid_contact_max", 0),
    ("rigid_contact_broken_count", 1, 0),
)
"""And of those that list what came and went."""


KINEMATICS = ("distance", "normal", "point0_world", "point1_world")
"""Kinematics of contacts that arrays ``rigid_contact_diff_*`` had for gradients; ``eval_rigid_contact_kinematics`` gives them."""


@wp.kernel
def count_up(counter: wp.array[int]):
    """Add one to a counter, on the device."""
    counter[0] += 1


class Contacts:
    """Contacts between shapes, as a ``CollisionPipeline`` finds or a solver reports them; made by ``CollisionPipeline.contacts()``.

    The first ``rigid_contact_count[0]`` of ``rigid_contact_max`` rows count: ``rigid_contact_shape0/1`` the shapes,
    ``rigid_contact_point0/1`` [m] the points in the bodies' frames, ``rigid_contact_normal`` from shape 0 to shape 1 in
    the world, ``rigid_contact_margin0/1`` [m] how far the surfaces, rounded by the shapes' margins, are from the
    points, ``rigid_contact_offset0/1`` [m] from the points to there in the bodies' frames, ``rigid_contact_force`` [N].
    ``force`` [N, N m] is there when requested. With ``per_contact_shape_properties`` there are
    ``rigid_contact_stiffness`` [N/m], ``rigid_contact_damping`` [N s/m] and ``rigid_contact_friction``; 0 leaves it to
    the shapes.

    With ``contact_matching``, ``rigid_contact_match_index`` is the row that each contact had when the pipeline was
    called before: -1 where its shapes did not touch then, -2 where none of their contacts is this one. These rows are
    those of ``contact_generation`` ``rigid_contact_match_generation`` of the same ``Contacts``; -1 where another held
    them. With ``contact_report`` the first ``rigid_contact_new_count[0]`` of ``rigid_contact_new_indices`` are the rows
    that were not there before, and the first ``rigid_contact_broken_count[0]`` of ``rigid_contact_broken_indices``
    those of the call before that are no more.

    ``soft_contact_max`` is the capacity for contacts of particles, ``soft_contact_*``, of which there are none:
    ``soft_contact_count`` stays 0. Rows of ``force`` are those of both kinds, contacts between shapes first.
    """

    EXTENDED_ATTRIBUTES: ClassVar = frozenset(EXTENDED)
    rigid_contact_surface_velocity = None
    """None: surfaces of meshes do not move; those of geoms do (``geom_surfacevel``)."""

    def __init__(
        self,
        rigid_contact_max: int,
        soft_contact_max: int = 0,
        *,
        requires_grad: bool = False,
        device: Any = None,
        clear_buffers: bool = False,
        requested_attributes: set[str] | None = None,
        per_contact_shape_properties: bool = False,
        contact_matching: bool = False,
        contact_report: bool = False,
        **options: Any,
    ):
        refused = [name for name, value in options.items() if value]
        if refused:
            raise ModelError(f"Contacts: {refused[0]} is not supported; leave it out")
        for name, count in (("rigid_contact_max", rigid_contact_max), ("soft_contact_max", soft_contact_max)):
            if count < 0:
                raise ModelError(f"Contacts {name}: {count}; give a number of at least 0")
        self.validate_extended_attributes(tuple(requested_attributes or ()))
        self.rigid_contact_max = int(rigid_contact_max)
        self.soft_contact_max = int(soft_contact_max)
        self.requires_grad = requires_grad
        self.clear_buffers = clear_buffers
        self.contact_counters = wp.zeros(4, dtype=wp.int32, device=device)
        self.rigid_contact_count = self.contact_counters[0:1]
        self.soft_contact_count = self.contact_counters[1:2]
        self.contact_generation = wp.zeros(1, dtype=wp.int32, device=device)
        self.per_contact_shape_properties = bool(per_contact_shape_properties)
        self._table = TABLE + PROPERTIES * self.per_contact_shape_properties
        self.rigid_contact_stiffness = self.rigid_contact_damping = self.rigid_contact_friction = None
        for table, rows in ((self._table, self.rigid_contact_max), (SOFT_TABLE, self.soft_contact_max)):
            for name, dtype, empty in table:
                setattr(self, name, wp.full(rows, dtype(empty), dtype=dtype, device=device))
        self.contact_matching, self.contact_report = bool(contact_matching), bool(contact_report)
        self.contact_matching_mode = "latest" if contact_matching else "disabled"
        for table, asked in ((MATCHED, self.contact_matching), (REPORTED, self.contact_report)):
            for name, size, value in table:
                size = self.rigid_contact_max if isinstance(size, str) else size
                setattr(self, name, wp.full(size, value, dtype=wp.int32, device=device) if asked else None)
        self.force: wp.array | None = None
        if "force" in (requested_attributes or ()):
            rows = self.rigid_contact_max + self.soft_contact_max
            self.force = wp.zeros(rows, dtype=wp.spatial_vectorf, device=device)

    rigid_contact_body_pair_reduced = False

    @property
    def device(self) -> wp.Device:
        """Device of the arrays."""
        return self.contact_counters.device

    def clear(self, bump_generation: bool = True) -> None:
        """Clear all contacts; with ``clear_buffers`` their rows as well."""
        self.contact_counters.zero_()
        if self.per_contact_shape_properties:
            for name, _, _ in PROPERTIES:
                getattr(self, name).zero_()
        if bump_generation:
            wp.launch(count_up, dim=1, outputs=[self.contact_generation], device=self.device)
        if self.clear_buffers:
            for name, dtype, empty in self._table + SOFT_TABLE:
                getattr(self, name).fill_(dtype(empty))
            if self.force is not None:
                self.force.zero_()

    def unmatch(self) -> None:
        """Remove the matches of these rows, which are others than before: for what lists contacts without matching
        them."""
        for table, asked in ((MATCHED, self.contact_matching), (REPORTED, self.contact_report)):
            for name, _, value in table if asked else ():
                getattr(self, name).fill_(value)
        wp.launch(count_up, dim=1, outputs=[self.contact_generation], device=self.device)

    @classmethod
    def validate_extended_attributes(cls, attributes: tuple[str, ...]) -> None:
        """Raise ModelError for a name that is not an attribute one can request."""
        for name in attributes:
            if name not in EXTENDED:
                raise ModelError(f"contact attribute {name!r}: cannot be requested; known are {', '.join(EXTENDED)}")


def _differentiable(name: str) -> property:
    """A deprecated array of contacts that carried gradients: None."""

    def get(contacts: Contacts) -> None:
        text = f"Contacts.rigid_contact_diff_{name} is deprecated and None; eval_rigid_contact_kinematics gives it"
        warnings.warn(text, NewtonDeprecationWarning, stacklevel=external())

    return property(get, doc=f"None; deprecated: ``eval_rigid_contact_kinematics`` gives {name}.")


for _name in KINEMATICS:
    setattr(Contacts, f"rigid_contact_diff_{_name}", _differentiable(_name))
