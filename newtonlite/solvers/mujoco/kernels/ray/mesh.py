"""Ray casting against a triangle mesh, by a bounding volume tree that is walked without a stack.

Boxes are listed depth first; each knows the box that follows when its contents need not be looked at (``bvh_skip``),
and a leaf its triangles.  A ray that hits a box goes on to the next one in the list, else it skips.
"""

import warp as wp

from newtonlite.geometry.ray.shapes import miss, nearer, slab
from newtonlite.geometry.ray.triangle import ray_triangle
from newtonlite.solvers.mujoco.field_types import ModelFields


@wp.func
def meets_box(low: wp.vec3, high: wp.vec3, o: wp.vec3, v: wp.vec3, best: float) -> bool:
    """Whether a ray meets a box before ``best``."""
    middle = 0.5 * (low + high)
    half = 0.5 * (high - low)
    enter = float(0.0)
    leave = best
    for i in range(3):
        span = slab(o[i] - middle[i], v[i], half[i])
        enter = wp.max(enter, span[0])
        leave = wp.min(leave, span[1])
    return enter <= leave


@wp.func
def ray_mesh(m: ModelFields, mesh: int, o: wp.vec3, v: wp.vec3, best: float) -> wp.vec4:
    """The nearest triangle of a mesh, among those nearer than ``best``."""
    answer = miss()
    answer[0] = best
    first = m.bvh_adr[mesh]
    k = first
    last = m.bvh_adr[mesh + 1]
    while k < last:
        follow = m.bvh_skip[k]
        if meets_box(m.bvh_low[k], m.bvh_high[k], o, v, answer[0]):
            follow = k + 1
            for i in range(m.bvh_faceadr[k], m.bvh_faceadr[k] + m.bvh_facenum[k]):
                face = m.bvh_face[i]
                answer = nearer(
                    answer, ray_triangle(o, v, m.bvh_vert[face[0]], m.bvh_vert[face[1]], m.bvh_vert[face[2]])
                )
        k = follow
    return answer
