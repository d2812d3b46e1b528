"""Speculative contacts: contacts of surfaces that are apart but approach each other fast enough to touch before the next
search.
"""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError, UnsupportedError
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)

NAME = "speculative_contact_gap_max"


@wp.struct
class Approach:
    """Motion of bodies over the next ``dt`` [s], and how far apart surfaces may be that it brings together: ``most`` [m],
    below 0 where only ``gap`` counts. ``reach`` [nshape] are gaps widened by what a shape's fastest point can travel.
    """

    dt: float
    most: float
    shape_body: wp.array[int]
    shape_transform: wp.array[wp.transformf]
    radius: wp.array[float]
    gap: wp.array[float]
    reach: wp.array[float]
    body_q: wp.array[wp.transformf]
    body_qd: wp.array[wp.spatial_vectorf]
    body_com: wp.array[wp.vec3]


@wp.func
def point_velocity(a: Approach, shape: int, point: wp.vec3) -> wp.vec3:
    """Velocity of a shape at a point of the world [m/s]."""
    body = a.shape_body[shape]
    if body < 0:
        return wp.vec3()
    arm = point - wp.transform_point(a.body_q[body], a.body_com[body])
    return wp.spatial_top(a.body_qd[body]) + wp.cross(wp.spatial_bottom(a.body_qd[body]), arm)


@wp.kernel(enable_backward=False)
def find_reach(a: Approach):
    """Gap of a shape, widened by the way of its fastest point, at most by ``most``."""
    shape = wp.tid()
    body = a.shape_body[shape]
    speed = float(0.0)
    if body >= 0:
        middle = wp.transform_point(a.body_q[body], wp.transform_get_translation(a.shape_transform[shape]))
        spin = wp.length(wp.spatial_bottom(a.body_qd[body]))
        speed = wp.length(point_velocity(a, shape, middle)) + spin * a.radius[shape]
    a.reach[shape] = a.gap[shape] + wp.min(speed * a.dt, a.most)


@wp.kernel(enable_backward=False)
def set_geom_gap(a: Approach, shape_of_geom: wp.array2d[int], geom_gap: wp.array2d[float]):
    """Gaps of the engine's geoms."""
    world, g = wp.tid()
    geom_gap[world, g] = a.reach[shape_of_geom[world, g]]


@wp.func
def is_expected(a: Approach, one: int, other: int, pos: wp.vec3, normal: wp.vec3, distance: float) -> bool:
    """Whether a contact is listed: two surfaces, rounded by their margins, are at most both gaps apart, or come together
    at ``pos`` within ``dt`` along the normal, which points from the first to the second.
    """
    if a.most < 0.0 or distance <= a.gap[one] + a.gap[other]:
        return True
    half = 0.5 * distance * normal
    approach = wp.dot(point_velocity(a, one, pos - half) - point_velocity(a, other, pos + half), normal)
    return distance <= wp.min(approach * a.dt, a.most)


def checked_most(value: Any) -> float | None:
    """The widest gap [m], None for no speculative contacts; ModelError for what is no distance."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 <= value < np.inf:
        raise ModelError(f"CollisionPipeline: {NAME} must be a non-negative finite number or None, not {value!r}")
    return float(value)


def check_rigid(model: Any, soft: np.ndarray) -> None:
    """Raise UnsupportedError where shapes [nshape] bool are hydroelastic, whose patches begin where shapes overlap."""
    if soft.any():
        label = model.shape_label[int(np.flatnonzero(soft)[0])]
        raise UnsupportedError(
            f"CollisionPipeline {NAME}: does not yet support hydroelastic shapes, such as '{label}'; leave it out"
        )


class Speculation:
    """Speculative contacts of a pipeline: ``approach`` for its kernels; None as ``most`` leaves gaps as they are."""

    def __init__(self, model: Any, most: float | None):
        self.model, self.most, self.approach = model, most, Approach()
        self.approach.most = -1.0
        if most is not None:
            a = self.approach
            a.shape_body, a.shape_transform, a.body_com = model.shape_body, model.shape_transform, model.body_com
            a.radius, a.gap = model.shape_collision_radius, model.shape_gap
            a.reach = wp.clone(model.shape_gap)

    def look_ahead(self, state: Any, body_q: wp.array, dt: float | None) -> None:
        """Take the motion of a state over ``dt`` [s]; ValueError for a time that is missing or makes no sense."""
        if self.most is None:
            return
        if dt is None:
            raise ModelError(
                f"CollisionPipeline.collide: dt must be provided with {NAME}; pass the time to the next call"
            )
        if not 0.0 <= dt < np.inf:
            raise ModelError(f"CollisionPipeline.collide: dt must be a non-negative finite number [s], not {dt!r}")
        a = self.approach
        a.dt, a.most, a.body_q, a.body_qd = float(dt), self.most, body_q, state.body_qd
        wp.launch(find_reach, dim=a.reach.shape, inputs=[a], device=self.model.device)
