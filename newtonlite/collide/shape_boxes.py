"""Shape boxes: bounding boxes of a scene's shapes in the world, at the poses that were collided last."""

from typing import Any

import warp as wp

from newtonlite.collide.scene import Shapes, place


class ShapeBoxes:
    """What scripts read of ``CollisionPipeline.narrow_phase``: ``shape_aabb_lower`` and ``shape_aabb_upper`` [shape_count]
    vec3 [m], boxes in the world, grown by margin and gap, computed when they are read. ``split_gjk_mpr`` is False: one
    kernel collides two convex shapes.
    """

    split_gjk_mpr = False

    def __init__(self, model: Any):
        self.model, self.body_q, self._shapes = model, None, None

    def _corners(self) -> Shapes:
        m, s = self.model, self._shapes
        if s is None:
            s = self._shapes = Shapes()
            s.body, s.local, s.margin, s.gap = m.shape_body, m.shape_transform, m.shape_margin, m.shape_gap
            s.low, s.high = m.shape_collision_aabb_lower, m.shape_collision_aabb_upper
            s.pose = wp.zeros(m.shape_count, dtype=wp.transformf, device=m.device)
            s.box_low, s.box_high = (wp.zeros(m.shape_count, dtype=wp.vec3, device=m.device) for _ in range(2))
        poses = m.body_q if self.body_q is None else self.body_q
        wp.launch(place, dim=m.shape_count, inputs=[s, poses], device=m.device)
        return s

    @property
    def shape_aabb_lower(self) -> wp.array:
        """Lower corners."""
        return self._corners().box_low

    @property
    def shape_aabb_upper(self) -> wp.array:
        """Upper corners."""
        return self._corners().box_high
