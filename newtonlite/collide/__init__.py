"""Collision outside MuJoCo's engine: non-convex meshes, cones, barrels, signed distance fields and hydroelastic shapes.

``scene`` has the shapes as kernels read them, ``pair_dispatch`` chooses a method for each pair, ``near_pairs``
lists the pairs whose boxes overlap, by ``sweep`` or from a list. ``convex_triangle`` collides a convex shape with the triangles of a mesh,
``sdf_contact`` puts corners and edges of one shape into the distance field of the other, ``hydroelastic`` cuts the
surface on which two soft bodies press equally. Each leaves candidates in the buffer of ``contact_reduction``, which
keeps those that matter, and ``contact_rows`` lists them. ``finder`` puts the pieces together.
"""
