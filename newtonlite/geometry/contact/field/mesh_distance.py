"""Signed distances of points from a closed triangle mesh, by Warp's tree of triangles; the sign by winding number."""

import numpy as np
import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.kernel
def measure(mesh: wp.uint64, points: wp.array[wp.vec3], most: float, found: wp.array[float]):
    """The distance of every point, negative inside."""
    i = wp.tid()
    p = points[i]
    query = wp.mesh_query_point_sign_winding_number(mesh, p, most)
    nearest = wp.mesh_eval_position(mesh, query.face, query.u, query.v)
    found[i] = query.sign * wp.length(p - nearest)


def signed_distances(points: np.ndarray, vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Distances [n] of points [n, 3] from a mesh [m], negative inside."""
    mesh = wp.Mesh(
        wp.array(vertices.astype(np.float32), dtype=wp.vec3, device="cpu"),
        wp.array(faces.astype(np.int32).reshape(-1), dtype=int, device="cpu"),
        support_winding_number=True,
    )
    given = wp.array(points.astype(np.float32), dtype=wp.vec3, device="cpu")
    found = wp.empty(len(points), dtype=float, device="cpu")
    most = 10.0 * float(np.linalg.norm(np.ptp(np.concatenate([vertices, points]), axis=0)))
    wp.launch(measure, dim=len(points), inputs=[mesh.id, given, most, found], device="cpu")
    return found.numpy().astype(float)
