"""Signed distance of a triangle mesh: nearest triangle, sign by winding number (Barill et al., 2018)."""

import warp as wp

from newtonlite.geometry.signed_distance.primitive import combined_value

ON_SURFACE = wp.constant(1.0e-6)
ACCURACY = wp.constant(2.0)
HALF_TURN = wp.constant(0.5)


@wp.func
def mesh_field(mesh: wp.uint64, p: wp.vec3, reach: float) -> wp.vec4:
    """Gradient and distance; ``reach`` is the distance up to which triangles are looked for, that of a point farther
    off.

    Open meshes have an inside where they wind more than half around a point. On the surface the gradient is the
    triangle's normal.
    """
    query = wp.mesh_query_point_sign_winding_number(mesh, p, reach, ACCURACY, HALF_TURN)
    if not query.result:
        return wp.vec4(0.0, 0.0, 1.0, reach)
    out = p - wp.mesh_eval_position(mesh, query.face, query.u, query.v)
    distance = wp.length(out)
    if distance < ON_SURFACE * reach:
        return combined_value(wp.mesh_eval_face_normal(mesh, query.face), query.sign * distance)
    return combined_value(query.sign * out / distance, query.sign * distance)
