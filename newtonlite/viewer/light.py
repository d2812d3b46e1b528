"""Lighting: sky, floor pattern, brightness of a surface."""

import warp as wp

from newtonlite.viewer.scene import RayScene, blocked

SUN = wp.constant(wp.vec3(-0.369, -0.508, 0.778))  # a unit vector
SUN_COLOR = wp.constant(wp.vec3(2.9, 2.55, 2.05))
SUN_WIDTH = wp.constant(0.035)
ZENITH = wp.constant(wp.vec3(0.22, 0.36, 0.60))
HORIZON = wp.constant(wp.vec3(0.70, 0.77, 0.84))
NIGHTSIDE = wp.constant(wp.vec3(0.10, 0.095, 0.09))
LIFT = wp.constant(1.0e-3)
ROOM = wp.constant(1.6)


@wp.func
def sky(d: wp.vec3) -> wp.vec3:
    """Radiance from direction ``d``: blue above, pale at the horizon, warm near the sun."""
    height = wp.clamp(d[2], 0.0, 1.0)
    base = wp.lerp(HORIZON, ZENITH, wp.pow(height, 0.55))
    glow = wp.pow(wp.max(wp.dot(d, SUN), 0.0), 24.0)
    return base + glow * wp.vec3(0.22, 0.17, 0.09)


@wp.func
def around(n: wp.vec3, u: float, v: float) -> wp.vec3:
    """A direction about ``n``, with a density that falls as the cosine; u, v in [0, 1) (Malley's method)."""
    side = wp.where(wp.abs(n[2]) < 0.9, wp.vec3(0.0, 0.0, 1.0), wp.vec3(1.0, 0.0, 0.0))
    a = wp.normalize(wp.cross(side, n))
    b = wp.cross(n, a)
    r = wp.sqrt(u)
    angle = 2.0 * wp.pi * v
    return wp.normalize(r * wp.cos(angle) * a + r * wp.sin(angle) * b + wp.sqrt(1.0 - u) * n)


@wp.func
def toward_sun(u: float, v: float) -> wp.vec3:
    """A direction to a point of the sun's disc: a wide sun makes soft shadows."""
    return wp.normalize(SUN + SUN_WIDTH * (around(SUN, u, v) - wp.dot(around(SUN, u, v), SUN) * SUN))


@wp.func
def tiles(p: wp.vec3, blur: float) -> wp.vec3:
    """The floor: tiles of one metre in two greys with fine seams; ``blur`` [m] is the width of a pixel there."""
    x = wp.floor(p[0])
    y = wp.floor(p[1])
    odd = wp.abs((x + y) - 2.0 * wp.floor(0.5 * (x + y)))
    tile = wp.lerp(wp.vec3(0.24, 0.26, 0.29), wp.vec3(0.175, 0.19, 0.215), odd)
    edge = wp.min(wp.min(p[0] - x, x + 1.0 - p[0]), wp.min(p[1] - y, y + 1.0 - p[1]))
    seam = 1.0 - wp.smoothstep(0.006, 0.006 + wp.max(0.006, blur), edge)
    faint = wp.exp(-6.0 * blur)
    return wp.lerp(wp.vec3(0.207, 0.225, 0.252), wp.lerp(tile, wp.vec3(0.11, 0.12, 0.14), 0.8 * seam), faint)


@wp.func
def lit(
    scene: RayScene, p: wp.vec3, n: wp.vec3, view: wp.vec3, color: wp.vec3, gloss: float, u: float, v: float
) -> wp.vec3:
    """Radiance from point ``p`` of a surface towards -view: sun with shadow and highlight, sky where it is open.

    One ray to the sun and one into the hemisphere, chosen by u, v; averaged over many samples they give soft shadows
    and the darkening of corners. Directions that a shape within ROOM bars get a little light from that shape.
    """
    start = p + LIFT * n
    open_to = around(n, u, v)
    ambient = sky(open_to)
    if open_to[2] < 0.0:
        ambient = wp.vec3(0.26, 0.26, 0.26)
    if blocked(scene, start, open_to, ROOM):
        ambient = NIGHTSIDE
    light = wp.cw_mul(color, ambient)
    to_sun = toward_sun(v, u)
    cosine = wp.dot(n, to_sun)
    if cosine > 0.0 and not blocked(scene, start, to_sun, 50.0):
        half = wp.normalize(to_sun - view)
        shine = gloss * wp.pow(wp.max(wp.dot(n, half), 0.0), 60.0)
        light = light + wp.cw_mul(SUN_COLOR, cosine * color * 0.62 + wp.vec3(shine, shine, shine))
    rim = gloss * wp.pow(1.0 - wp.clamp(-wp.dot(n, view), 0.0, 1.0), 4.0)
    return light + rim * sky(view - 2.0 * wp.dot(view, n) * n)
