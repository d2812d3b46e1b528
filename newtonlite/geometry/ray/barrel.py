"""Ray against barrel."""

import warp as wp

from newtonlite.geometry.ray.shapes import hit, miss
from newtonlite.geometry.signed_distance.primitive import barrel_field

STEPS = 96
NEAR = wp.constant(1.0e-6)
"""Distance from the surface, of the barrel's size, that counts as on it."""


@wp.func
def ray_barrel(o: wp.vec3, d: wp.vec3, radius: float, half: float, profile: float) -> wp.vec4:
    """(distance, normal) by sphere tracing: steps as long as the surface is away, from outside or inside."""
    speed = wp.length(d)
    size = 2.0 * (radius + half)
    t = wp.max(-wp.dot(o, d) / (speed * speed) - size / speed, 0.0)
    end = t + 2.0 * size / speed + wp.length(o) / speed
    for _k in range(STEPS):
        value = barrel_field(o + t * d, radius, half, profile)
        away = wp.abs(value[3])
        if away <= NEAR * size:
            return hit(t, wp.vec3(value[0], value[1], value[2]))
        t += away / speed
        if t > end:
            return miss()
    return miss()
