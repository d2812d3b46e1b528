"""Simplex: its point nearest to the origin, as barycentric weights.

Each function first asks whether the projection of the origin lies inside, by signed lengths, areas or volumes, and
otherwise takes the best of the faces that it lies beyond (the signed-volumes method of Montanari et al., 2017).
"""

import warp as wp

from newtonlite.geometry.contact.convex.number import ONE, ZERO, real, vec

weights = wp.vec4d


@wp.func
def on_segment(a: vec, b: vec) -> wp.vec2d:
    """Weights of ``a`` and ``b``."""
    # where the origin's foot lies on the line: before a, behind b, or between
    along = b - a
    length2 = wp.dot(along, along)
    ahead = -wp.dot(a, along)
    if ahead <= ZERO:
        return wp.vec2d(ONE, ZERO)
    if ahead >= length2:
        return wp.vec2d(ZERO, ONE)
    t = ahead / length2
    return wp.vec2d(ONE - t, t)


@wp.func
def on_triangle(a: vec, b: vec, c: vec) -> vec:
    """Weights of ``a``, ``b`` and ``c``."""
    # signed areas opposite the corners, of the origin's projection; all positive inside
    normal = wp.cross(b - a, c - a)
    area2 = wp.dot(normal, normal)
    share = vec(wp.dot(wp.cross(b, c), normal), wp.dot(wp.cross(c, a), normal), wp.dot(wp.cross(a, b), normal))
    if area2 > ZERO and share[0] > ZERO and share[1] > ZERO and share[2] > ZERO:
        return share / (share[0] + share[1] + share[2])

    # outside: the nearest point is on a side that the projection lies beyond; of several the nearest
    best = real(1.0e30)
    found = vec()
    for i in range(3):
        # side i is opposite corner i; a triangle without area asks all three
        opposite = wp.where(i == 0, share[0], wp.where(i == 1, share[1], share[2]))
        if opposite <= ZERO or area2 <= ZERO:
            p = wp.where(i == 0, b, a)
            q = wp.where(i == 2, b, c)
            w = on_segment(p, q)
            spot = w[0] * p + w[1] * q
            far2 = wp.dot(spot, spot)
            # weights of the side's ends, in the order of the triangle's corners
            if far2 < best:
                best = far2
                found = vec(
                    wp.where(i == 0, ZERO, w[0]),
                    wp.where(i == 0, w[0], wp.where(i == 1, ZERO, w[1])),
                    wp.where(i == 2, ZERO, w[1]),
                )
    return found


@wp.func
def on_tetrahedron(a: vec, b: vec, c: vec, d: vec) -> weights:
    """Weights of ``a`` to ``d``; all positive where the origin is inside."""
    # signed volumes with the origin in place of a corner; they add up to the tetrahedron's, which may be negative
    va = wp.dot(b, wp.cross(c, d))
    vb = -wp.dot(a, wp.cross(c, d))
    vc = wp.dot(a, wp.cross(b, d))
    vd = -wp.dot(a, wp.cross(b, c))
    volume = va + vb + vc + vd
    side = wp.where(volume < ZERO, -ONE, ONE)
    share = weights(side * va, side * vb, side * vc, side * vd)
    if volume != ZERO and share[0] > ZERO and share[1] > ZERO and share[2] > ZERO and share[3] > ZERO:
        return share / (side * volume)

    # outside: the nearest point is on a face that the origin lies beyond
    best = real(1.0e30)
    found = weights()
    for i in range(4):
        # face i is opposite corner i; a flat tetrahedron asks all four
        opposite = wp.where(i == 0, share[0], wp.where(i == 1, share[1], wp.where(i == 2, share[2], share[3])))
        if opposite <= ZERO or volume == ZERO:
            p = wp.where(i == 0, b, a)
            q = wp.where(i < 2, c, b)
            r = wp.where(i == 3, c, d)
            w = on_triangle(p, q, r)
            spot = w[0] * p + w[1] * q + w[2] * r
            far2 = wp.dot(spot, spot)
            # weights of the face's corners, in the order of the tetrahedron's
            if far2 < best:
                best = far2
                w0 = wp.where(i == 0, ZERO, w[0])
                w1 = wp.where(i == 0, w[0], wp.where(i == 1, ZERO, w[1]))
                w2 = wp.where(i < 2, w[1], wp.where(i == 2, ZERO, w[2]))
                w3 = wp.where(i == 3, ZERO, w[2])
                found = weights(w0, w1, w2, w3)
    return found


@wp.func
def nearest(n: int, a: vec, b: vec, c: vec, d: vec) -> weights:
    """Weights of the first ``n`` corners."""
    if n == 4:
        return on_tetrahedron(a, b, c, d)
    if n == 3:
        w3 = on_triangle(a, b, c)
        return weights(w3[0], w3[1], w3[2], ZERO)
    if n == 2:
        w2 = on_segment(a, b)
        return weights(w2[0], w2[1], ZERO, ZERO)
    return weights(ONE, ZERO, ZERO, ZERO)
