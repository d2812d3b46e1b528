"""Contact rows: kept candidates, written as rows of a ``Contacts``."""

from typing import Any

import warp as wp

from newtonlite.collide.contact_budget import NO_WORLD, Offer
from newtonlite.collide.contact_reduction import FoundContacts
from newtonlite.collide.scene import SceneShapes
from newtonlite.collide.speculative import Approach, is_expected
from newtonlite.collide.world_of_pair import owner_of
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtGeom

kernel_module(__name__)


@wp.struct
class ContactRows:
    """The arrays of a ``Contacts``."""

    shape0: wp.array[int]
    shape1: wp.array[int]
    point0: wp.array[wp.vec3]
    point1: wp.array[wp.vec3]
    offset0: wp.array[wp.vec3]
    offset1: wp.array[wp.vec3]
    normal: wp.array[wp.vec3]
    margin0: wp.array[float]
    margin1: wp.array[float]
    force: wp.array[wp.vec3]
    stiffness: wp.array[float]  # may be empty
    damping: wp.array[float]
    friction: wp.array[float]


def contact_arrays(contacts: Any) -> ContactRows:
    """The arrays of a ``Contacts``; those it does not have are empty."""
    rows = ContactRows()
    for name in ContactRows.vars:
        array = getattr(contacts, f"rigid_contact_{name}")
        if array is not None:
            setattr(rows, name, array)
    return rows


@wp.struct
class Side:
    """One of the two shapes of a contact: its number, the way from the world to its body's frame, and how far from its
    core its surface is, and the surface rounded by its margin [m].
    """

    shape: int
    to_body: wp.transformf
    core: float
    margin: float


@wp.func
def write_row(rows: ContactRows, row: int, one: Side, other: Side, pos: wp.vec3, normal: wp.vec3, dist: float):
    """A contact halfway between two surfaces ``dist`` apart: its points lie on the cores, its offsets lead from there
    to the rounded surfaces.
    """
    half = 0.5 * dist
    rows.shape0[row] = one.shape
    rows.shape1[row] = other.shape
    rows.point0[row] = wp.transform_point(one.to_body, pos - (half + one.core) * normal)
    rows.point1[row] = wp.transform_point(other.to_body, pos + (half + other.core) * normal)
    rows.offset0[row] = wp.transform_vector(one.to_body, one.margin * normal)
    rows.offset1[row] = wp.transform_vector(other.to_body, -other.margin * normal)
    rows.normal[row] = normal
    rows.margin0[row] = one.margin
    rows.margin1[row] = other.margin
    rows.force[row] = wp.vec3()


@wp.func
def core(s: SceneShapes, i: int) -> float:
    """Radius of a ball or capsule [m]; 0 for other shapes."""
    radius = float(0.0)
    if s.kind[i] == MjtGeom.SPHERE or s.kind[i] == MjtGeom.CAPSULE:
        radius = s.size[i][0]
    return radius


@wp.func
def side(s: SceneShapes, i: int) -> Side:
    """A shape as a side of a contact."""
    out = Side()
    out.shape = i
    out.to_body = s.local[i] * wp.transform_inverse(s.pose[i])
    out.core = core(s, i)
    out.margin = out.core + s.margin[i]
    return out


@wp.kernel(enable_backward=False)
def offer_found(
    s: SceneShapes,
    ahead: Approach,
    near: wp.array[wp.vec2i],
    near_count: wp.array[int],
    found: FoundContacts,
    owner: wp.array[int],
    kind: int,
    first: int,
    o: Offer,
    lost: wp.array2d[int],
):
    """Offer what was kept as ``k`` of near pair ``i``; entries from number ``first`` on. What is less far comes first.
    What was dropped is counted.
    """
    i, k = wp.tid()
    at = first + i * found.dist.shape[1] + k
    o.world[at] = NO_WORLD
    if i < near_count[0]:
        if k < found.count[i]:
            a = near[i][0]
            b = near[i][1]
            apart = found.dist[i, k] - s.margin[a] - s.margin[b]
            if is_expected(ahead, a, b, found.pos[i, k], found.normal[i, k], apart):
                o.value[at] = found.dist[i, k]
                o.world[at] = owner_of(owner, a, b)
        if k == 0 and found.dropped[i] > 0:
            wp.atomic_add(lost, owner_of(owner, near[i][0], near[i][1]), kind, found.dropped[i])


@wp.kernel(enable_backward=False)
def list_found(s: SceneShapes, near: wp.array[wp.vec2i], found: FoundContacts, first: int, o: Offer, rows: ContactRows):
    """A row for each of the entries from number ``first`` on that stay.

    A piece of a patch has its own stiffness, and its area's share of the damping of the two shapes.
    """
    i, k = wp.tid()
    at = first + i * found.dist.shape[1] + k
    if o.stays[at] == 0:
        return
    row = o.slot[at]
    a = near[i][0]
    b = near[i][1]
    write_row(rows, row, side(s, a), side(s, b), found.pos[i, k], found.normal[i, k], found.dist[i, k])
    if row < rows.stiffness.shape[0] and found.area[i, k] > 0.0:
        total = float(0.0)
        for other in range(found.count[i]):
            total += found.area[i, other]
        rows.stiffness[row] = found.area[i, k] * s.soft[a] * s.soft[b] / wp.max(s.soft[a] + s.soft[b], 1.0e-20)
        rows.damping[row] = found.area[i, k] / total * 0.5 * (s.damping[a] + s.damping[b])
