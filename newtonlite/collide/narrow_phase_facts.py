"""Facts of a narrow phase: boxes about the shapes in the world, at the poses that were collided last, and the kinds of
pairs.
"""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.collide.scene import SceneShapes, place_shapes
from newtonlite.core.enums import GeoType, ShapeFlags


class NarrowPhaseFacts:
    """Narrow-phase facts, ``CollisionPipeline.narrow_phase``: ``shape_aabb_lower`` and ``shape_aabb_upper`` [shape_count]
    vec3 [m], boxes in the world, grown by margin and gap, computed when they are read; kinds of ``pairs`` [n, 2], where
    these are listed, else of the shapes that collide; height fields count as meshes. ``split_gjk_mpr`` is False: one kernel collides two convex shapes.
    """

    split_gjk_mpr = False

    def __init__(self, model: Any, pairs: np.ndarray | None):
        self.model, self.body_q, self._shapes = model, None, None
        kind = model.shape_type.numpy() if model.shape_count else np.zeros(0, int)
        flags = model.shape_flags.numpy() if model.shape_count else np.zeros(0, int)
        used = kind[pairs] if pairs is not None else kind[(flags & ShapeFlags.COLLIDE_SHAPES) != 0]
        mesh, field, plane = (used == k for k in (GeoType.MESH, GeoType.HFIELD, GeoType.PLANE))
        self.has_meshes, self.has_heightfields = bool(mesh.any()), bool(field.any())
        of = lambda one, other: int(((one[:, 0] & other[:, 1]) | (one[:, 1] & other[:, 0])).sum())
        self.max_mesh_mesh_pairs, self.max_mesh_plane_pairs = None, None
        if pairs is not None:
            self.max_mesh_mesh_pairs, self.max_mesh_plane_pairs = of(mesh, mesh | field), of(mesh, plane)

    def _corners(self) -> SceneShapes:
        m, s = self.model, self._shapes
        if s is None:
            s = self._shapes = SceneShapes()
            s.body, s.local, s.margin, s.gap = m.shape_body, m.shape_transform, m.shape_margin, m.shape_gap
            s.low, s.high = m.shape_collision_aabb_lower, m.shape_collision_aabb_upper
            s.pose = wp.zeros(m.shape_count, dtype=wp.transformf, device=m.device)
            s.box_low, s.box_high = (wp.zeros(m.shape_count, dtype=wp.vec3, device=m.device) for _ in range(2))
        poses = m.body_q if self.body_q is None else self.body_q
        wp.launch(place_shapes, dim=m.shape_count, inputs=[s, poses], device=m.device)
        return s

    @property
    def shape_aabb_lower(self) -> wp.array:
        """Lower corners."""
        return self._corners().box_low

    @property
    def shape_aabb_upper(self) -> wp.array:
        """Upper corners."""
        return self._corners().box_high


def most_pairs(model: Any) -> int:
    """Pairs of colliding shapes of one world, or of one and what is in all worlds, whatever groups and filters say."""
    flags = model.shape_flags.numpy() if model.shape_count else np.zeros(0, int)
    world = model.shape_world.numpy()[(flags & ShapeFlags.COLLIDE_SHAPES) != 0] if model.shape_count else flags
    shared, own = int((world < 0).sum()), np.bincount(world[world >= 0])
    return shared * (shared - 1) // 2 + int((own * (own - 1) // 2 + own * shared).sum())
