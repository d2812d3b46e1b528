"""Collision outside MuJoCo's engine: non-convex meshes, cones, signed distance fields and hydroelastic shapes.

``scene`` has the shapes as kernels read them, ``route`` says which pairs are found how, ``near`` lists the pairs whose
boxes meet. ``triangles`` lets a convex shape meet the triangles of a mesh, ``features`` puts corners and edges of one
shape into the distance field of the other, ``patch`` cuts the surface on which two soft bodies press equally. Each
leaves candidates in a ``heap``, which keeps those that matter, and ``rows`` lists them. ``finder`` puts the pieces
together.
"""
