"""Signed distances: how far a point is outside a shape (negative inside), and in which direction that grows.

``primitive`` has closed forms, ``mesh`` the nearest triangle of a mesh, ``grid`` a table of distances made beforehand by ``build``
and kept on disk by ``cache``. Every field is a ``vec4``: the unit gradient, then the distance.
"""
