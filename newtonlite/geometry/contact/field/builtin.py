"""Distance fields of MuJoCo's plugins ``mujoco.sdf.*``: torus, bolt, nut, bowl, gear; in double precision.

The shapes are put together by union (least), intersection (greatest) and subtraction (``max(a, -b)``); what comes out
bounds the distance, and is it near simple parts of the surface.
"""

import math

import warp as wp

from newtonlite.core.plugins import PLUGINS
from newtonlite.geometry.contact.convex.number import HALF, ONE, TINY, ZERO, real, vec

vec5d = wp.types.vector(length=5, dtype=wp.float64)
"""Attributes of a plugin, zeros behind."""
BOLT, BOWL, GEAR, NUT, TORUS = (
    wp.constant(PLUGINS[f"mujoco.sdf.{name}"].slot) for name in ("bolt", "bowl", "gear", "nut", "torus")
)
TWO = wp.constant(real(2.0))
PI = wp.constant(real(math.pi))
ROOT = wp.constant(real(math.sqrt(0.5)))
"""Slope of faces at 45 degrees."""
TURNS = wp.constant(real(12.0))
"""Turns of a thread per metre."""
STEP = wp.constant(real(1.0e-8))
"""Of forward differences [m]."""
FAR = wp.constant(real(-1.0e6))


@wp.func
def less(a: real, b: real) -> real:
    """Subtraction: the first shape without the second."""
    return wp.max(a, -b)


@wp.func
def torus_field(x: vec, a: vec5d) -> real:
    """A ring of radius ``a[0]`` about z, of a tube of radius ``a[1]``."""
    q = wp.sqrt(x[0] * x[0] + x[1] * x[1]) - a[0]
    return wp.sqrt(q * q + x[2] * x[2]) - a[1]


@wp.func
def torus_gradient(x: vec, a: vec5d) -> vec:
    """Gradient of the field of a torus."""
    n = wp.max(wp.sqrt(x[0] * x[0] + x[1] * x[1]), TINY)
    q = n - a[0]
    c = wp.max(wp.sqrt(q * q + x[2] * x[2]), TINY)
    return vec(q / c * x[0] / n, q / c * x[1] / n, x[2] / c)


@wp.func
def thread_field(x: vec, radius: real) -> real:
    """A screw thread about z: a triangle wave around the cylinder whose distance is ``radius``."""
    turn = x[2] * TURNS - wp.atan2(x[1], x[0]) / PI / TWO
    wave = wp.abs(turn - wp.floor(turn) - HALF)
    return (radius - wave / TURNS) * ROOT


@wp.func
def hexagon_head(x: vec, radius: real) -> real:
    """A hexagonal head between z = -0.5 and 0, bevelled below."""
    sixth = real(3.0) / PI
    angle = -wp.floor(wp.atan2(x[1], x[0]) * sixth + HALF) / sixth
    head = wp.cos(angle) * x[0] - wp.sin(angle) * x[1] - HALF
    head = wp.max(head, wp.abs(x[2] + real(0.25)) - real(0.25))
    return wp.max(head, (x[2] + radius - real(0.22)) * ROOT)


@wp.func
def bolt_field(x: vec, a: vec5d) -> real:
    """A bolt of radius ``a[0]`` with its head."""
    radius = wp.sqrt(x[0] * x[0] + x[1] * x[1]) - a[0]
    bolt = less(thread_field(x, radius), HALF - wp.abs(x[2] + HALF))
    bolt = less(bolt, (x[2] - radius) * ROOT + ROOT)
    return wp.min(bolt, hexagon_head(x, radius))


@wp.func
def nut_field(x: vec, a: vec5d) -> real:
    """A nut whose thread has the radius ``a[0]``."""
    radius = wp.sqrt(x[0] * x[0] + x[1] * x[1]) - a[0]
    cone = (x[2] - radius) * ROOT
    hole = less(thread_field(x, radius), cone + HALF * ROOT)
    hole = wp.min(hole, -cone - real(0.05) * ROOT)
    return less(hexagon_head(x, radius), hole)


@wp.func
def bowl_field(x: vec, a: vec5d) -> real:
    """A spherical bowl of radius ``a[1]`` that ends at the height ``a[0]``, half as thick as ``a[2]`` to both sides."""
    width = wp.sqrt(a[1] * a[1] - a[0] * a[0])
    q = wp.sqrt(x[0] * x[0] + x[1] * x[1])
    if a[0] * q < width * x[2]:
        return wp.sqrt((q - width) * (q - width) + (x[2] - a[0]) * (x[2] - a[0])) - a[2]
    return wp.abs(wp.length(x) - a[1]) - a[2]


@wp.func
def smooth_union(a: real, b: real, k: real) -> real:
    """Union with a fillet of size ``k``."""
    h = wp.clamp(HALF + HALF * (b - a) / k, ZERO, ONE)
    return b * (ONE - h) + a * h - k * h * (ONE - h)


@wp.func
def smooth_intersection(a: real, b: real, k: real) -> real:
    """Intersection with a rounding of size ``k``."""
    return less(wp.max(a, b), smooth_union(less(a, b), less(b, a), k))


@wp.func
def modulo(x: real, y: real) -> real:
    """``x`` less whole multiples of ``y``, from 0 on."""
    return x - y * wp.floor(x / y)


@wp.func
def gear_profile(x: vec, a: vec5d) -> real:
    """Involute gear in the plane: phase ``a[0]``, pitch diameter ``a[1]``, teeth ``a[2]``, bore ``a[4]`` (< 0: by size)."""
    # radii of tips, roots and bore from the diametral pitch, teeth per length of diameter
    pitch = a[2] / a[1]
    radius = a[1] / TWO
    outer = radius + ONE / pitch
    tall = real(2.2) / pitch
    bore = outer - tall - real(0.14) * a[1]
    if a[4] >= ZERO:
        bore = a[4] / TWO
    rho = wp.sqrt(x[0] * x[0] + x[1] * x[1])
    if bore - rho > ZERO:
        return bore - rho
    if outer - rho < real(-0.2):
        return rho - outer

    # both flanks of the tooth at hand: angles to where the involutes of the base circle start
    pressure = real(3.096e-5) * a[2] * a[2] - real(6.557e-3) * a[2] + real(0.551)
    base = radius * wp.cos(pressure)
    phase = wp.atan2(x[1], x[0]) + a[0]
    stride = PI / pitch / radius
    slope = wp.acos(base / radius)
    shift = stride / TWO - TWO * (wp.tan(slope) - slope)
    ahead = modulo(phase + shift / TWO, stride) - shift / TWO
    behind = modulo(-phase - shift + shift / TWO, stride) - shift / TWO
    flank1 = FAR
    flank2 = FAR
    if base < rho:
        wound = wp.acos(base / rho)
        tangent = wp.sqrt(rho * rho - base * base)
        flank1 = tangent - base * (ahead + wound)
        flank2 = tangent - base * (behind + wound)

    # teeth between the circles of tips and roots, less the bore
    walls = wp.max(ahead - (stride - shift), behind - (stride - shift))
    teeth = wp.max(walls, wp.max(flank1, flank2))
    teeth = smooth_intersection(rho - outer, teeth, real(0.0035) * a[1])
    root = rho - (outer - tall)
    fillet = base - outer + tall
    # of many teeth, whose base circle is within that of the roots, without a fillet
    if fillet > ZERO:
        teeth = smooth_union(root, teeth, fillet)
    else:
        teeth = wp.min(root, teeth)
    return less(teeth, rho - bore)


@wp.func
def gear_field(x: vec, a: vec5d) -> real:
    """A gear wheel of thickness ``a[3]`` about z."""
    flat = gear_profile(x, a)
    tall = wp.abs(x[2]) - a[3] / TWO
    out1 = wp.max(flat, ZERO)
    out2 = wp.max(tall, ZERO)
    return wp.min(wp.max(flat, tall), ZERO) + wp.sqrt(out1 * out1 + out2 * out2)


@wp.func
def builtin_field(slot: int, x: vec, a: vec5d) -> real:
    """Field of a plugin, by its slot, at a point."""
    if slot == TORUS:
        return torus_field(x, a)
    if slot == BOLT:
        return bolt_field(x, a)
    if slot == NUT:
        return nut_field(x, a)
    if slot == BOWL:
        return bowl_field(x, a)
    return gear_field(x, a)


@wp.func
def builtin_gradient(slot: int, x: vec, a: vec5d) -> vec:
    """Gradient of that field: of a torus in closed form, of others by forward differences, as MuJoCo has them."""
    if slot == TORUS:
        return torus_gradient(x, a)
    f = builtin_field(slot, x, a)
    fx = builtin_field(slot, vec(x[0] + STEP, x[1], x[2]), a)
    fy = builtin_field(slot, vec(x[0], x[1] + STEP, x[2]), a)
    fz = builtin_field(slot, vec(x[0], x[1], x[2] + STEP), a)
    return vec((fx - f) / STEP, (fy - f) / STEP, (fz - f) / STEP)


def bounds(slot: int, a) -> tuple[float, float, float]:
    """Half-sizes [3] of the box about the origin in which the surface of a plugin's field is looked for [m]."""
    if slot == int(TORUS):
        return (a[0] + a[1], a[0] + a[1], a[1])
    if slot == int(BOWL):
        return (a[1] + a[2],) * 3
    if slot == int(GEAR):
        radius = max(0.625 * a[1], 1.05 * (0.5 * a[1] + a[1] / a[2]))  # of few teeth, those of the tips
        return (radius, radius, 0.55 * a[3])
    return (0.6, 0.6, 1.0)
