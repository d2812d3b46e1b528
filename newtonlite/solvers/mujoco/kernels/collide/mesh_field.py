"""Meshes in distance fields: the points of faces that are inside, found by the starting points of each face in turn.

MuJoCo looks at faces in the order of the mesh's tree of boxes, takes the first 50 points that are inside, and of these each
once; ``search_faces`` leaves them where the search of two fields leaves its own.
"""

import warp as wp

from newtonlite.geometry.contact.convex.number import HALF, ZERO, mat, real, vec
from newtonlite.geometry.contact.field.descent import shape_gradient
from newtonlite.geometry.contact.field.primitive import direction
from newtonlite.geometry.contact.field.triangle import point_from_start, triangle_may_touch
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.field_shape import double3, field_shape, octree_of
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_scan

MOST = wp.constant(50)
"""Points that are looked at."""


@wp.func
def face_in_field(m: ModelFields, face: int, turn: mat, shift: vec) -> mat:
    """Corners of a face, as columns, in the frame of the field."""
    corners = mat()
    for k in range(3):
        x = turn * double3(m.fieldface_corner[face, k]) + shift
        for i in range(3):
            corners[i, k] = x[i]
    return corners


@wp.func
def search_faces(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int, g1: int, g2: int) -> int:
    """Leave the points of mesh ``g1`` inside the field of ``g2`` in ``field_*``; how many. All lanes call it together."""
    # from the mesh into the field
    back = wp.transpose(mat(d.geom_xmat[world, g2]))
    turn = back * mat(d.geom_xmat[world, g1])
    shift = back * (double3(d.geom_xpos[world, g1]) - double3(d.geom_xpos[world, g2]))
    tree = octree_of(m)
    s = field_shape(m, world, g2)
    turn2 = mat(d.geom_xmat[world, g2])
    pos2 = double3(d.geom_xpos[world, g2])
    starts = wp.max(m.nfieldseed, 1)

    # face after face; of each the lanes share the starting points
    count = int(0)
    first = m.geom_fieldfaceadr[g1]
    face = int(first)
    end = first + m.geom_fieldfacenum[g1]
    while face < end and count < MOST:
        triangle = face_in_field(m, face, turn, shift)
        if triangle_may_touch(tree, s, triangle):
            for begin in range(0, starts, nlane):
                inside = int(0)
                x = vec()
                depth = real(0.0)
                if begin + lane < starts:
                    found = point_from_start(tree, s, triangle, begin + lane, m.opt_sdf_iterations)
                    x = found.x
                    depth = found.depth
                    inside = wp.where(depth < ZERO, 1, 0)
                slots = team_scan(d.team_i, world, inside)
                k = count + slots[0]
                if inside != 0 and k < MOST:
                    # into the field, which is second; half way between its surface and the point
                    normal = -(turn2 * direction(shape_gradient(tree, s, x)))
                    d.field_point[world, k] = x
                    d.field_dist[world, k] = float(depth)
                    d.field_pos[world, k] = wp.vec3(turn2 * x + pos2 + normal * (HALF * depth))
                    d.field_normal[world, k] = wp.vec3(normal)
                count += slots[1]
        face += 1
    sync()
    return wp.min(count, MOST)
