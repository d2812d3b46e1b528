"""Contact kinematics: positions and separations of contact points at new body poses."""

import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.func
def in_world(shape: int, point: wp.vec3, shape_body: wp.array[int], body_q: wp.array[wp.transformf]) -> wp.vec3:
    """A point in the frame of a shape's body, world axes."""
    body = shape_body[shape]
    if body < 0:
        return point
    return wp.transform_point(body_q[body], point)


@wp.kernel
def place_contacts(
    count: wp.array[int],
    shapes: wp.array2d[int],
    points: wp.array2d[wp.vec3],
    normal: wp.array[wp.vec3],
    margins: wp.array2d[float],
    shape_body: wp.array[int],
    body_q: wp.array[wp.transformf],
    distance: wp.array[float],
    point0: wp.array[wp.vec3],
    point1: wp.array[wp.vec3],
):
    """One contact's points and distance."""
    row = wp.tid()
    if row >= count[0] or shapes[0, row] < 0 or shapes[1, row] < 0:
        return
    a = in_world(shapes[0, row], points[0, row], shape_body, body_q)
    b = in_world(shapes[1, row], points[1, row], shape_body, body_q)
    if distance:
        distance[row] = wp.dot(normal[row], b - a) - margins[0, row] - margins[1, row]
    if point0:
        point0[row] = a
    if point1:
        point1[row] = b


def eval_rigid_contact_kinematics(
    model, state, contacts, *, out_distance=None, out_point0_world=None, out_point1_world=None
) -> None:
    """Distances [m] of contacts along their normals, margins taken off, and their two points in the world, at the poses
    ``state.body_q``.

    Each array has a row per contact, ``rigid_contact_max``; rows beyond the contacts there are stay as they are. Raises
    StateError for arrays of another length or type.
    """
    most = contacts.rigid_contact_max
    for name, array, dtype in (
        ("out_distance", out_distance, wp.float32),
        ("out_point0_world", out_point0_world, wp.vec3),
        ("out_point1_world", out_point1_world, wp.vec3),
    ):
        if array is not None and (array.dtype != dtype or array.shape != (most,)):
            raise StateError(
                f"eval_rigid_contact_kinematics {name}: {array.dtype.__name__}{list(array.shape)}; give {dtype.__name__}[{most}]"
            )
    if not most:
        return
    pair = lambda name: [getattr(contacts, f"rigid_contact_{name}{k}") for k in (0, 1)]
    two = lambda name: side_by_side(*pair(name))
    poses = state.body_q if state.body_q is not None else wp.empty(0, dtype=wp.transformf, device=model.device)
    inputs = [
        contacts.rigid_contact_count,
        two("shape"),
        two("point"),
        contacts.rigid_contact_normal,
        two("margin"),
        model.shape_body,
        poses,
    ]
    wp.launch(
        place_contacts,
        dim=most,
        inputs=[*inputs, out_distance, out_point0_world, out_point1_world],
        device=model.device,
    )


def side_by_side(first: wp.array, second: wp.array) -> wp.array:
    """Two arrays as the rows of one."""
    both = wp.empty((2, len(first)), dtype=first.dtype, device=first.device)
    wp.copy(both[0], first)
    wp.copy(both[1], second)
    return both
