"""Contacts of two analytic shapes: MuJoCo's points, distances, normals and tangents, in float32.

Over random poses of every pair of shapes nothing differs but rounding. What may differ are ties, where two features are
equally near and rounding decides on both sides: which of two faces at exactly 45 degrees is clipped, which end of a
capsule counts as nearest, the normal of coincident centres. A capsule flat on a box, off by less than a millionth of
its length, is treated as exactly flat.

``hits`` says how results are handed over; then one file per family: ``plane``, ``sphere``, ``capsule``,
``capsule_box``, ``box_axis`` and ``box``.
"""
