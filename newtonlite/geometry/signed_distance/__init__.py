"""Signed distance: distance of a point from a shape (negative inside) and its gradient.

``primitive`` has closed forms, ``mesh`` the nearest triangle of a mesh, ``grid`` a table of distances made beforehand
by ``build`` and kept on disk by ``cache``. Every field is a ``vec4``: the unit gradient, then the distance.
"""
