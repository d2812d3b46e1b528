"""Ray intersection with shapes, in the shape's own frame.

A ray is an origin ``o`` and a direction ``d`` of any length but zero; its points are ``o + t d``, ``t >= 0``.  The
answer is a ``vec4`` (t, n): the nearest point of the surface, seen from outside or inside, and the outward unit normal
there.  A ray that goes by has t = ``MISS``.
"""
