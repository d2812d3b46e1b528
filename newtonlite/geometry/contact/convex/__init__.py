"""Convex collision (GJK, EPA): contacts with ellipsoids, cylinders and meshes.

A shape is known by its support function (``support``). ``gjk`` finds the distance of two shapes, ``epa`` how deep they
are inside each other, starting from the ``polytope`` that ``gjk`` ends with. Where flat faces or straight edges meet,
``patch`` replaces the one point by up to four (``feature`` finds the faces, ``clip`` cuts them). ``pair`` puts the
pieces together.

All of it computes in float64, in the frame of the first shape: the volumes of thin simplices that decide what is
nearest cancel to nothing in float32. Poses come in, and contacts go out, as float32.
"""
