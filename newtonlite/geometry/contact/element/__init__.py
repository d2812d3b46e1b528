"""Contacts of flex elements: capsules, triangles and tetrahedra with a radius around them.

An element of a flex is the set of points that are no farther than its radius from a segment, a triangle or a
tetrahedron. ``closest`` has the nearest point of one as weights of its vertices, by which a contact moves them;
``triangle`` and ``tetrahedron`` the contacts with a closed form. What is left takes GJK and EPA (``convex``), in which an
element is a shape like any other.
"""
