"""Irregular attributes: angles, orientation alternatives, fromto."""

import math

from newtonlite.core.mujoco import MjtGeom
from newtonlite.importers.mjcf.document import Document
from newtonlite.importers.mjcf.frame import from_axes, from_z
from newtonlite.importers.mjcf.read import Node
from newtonlite.math.quat import ONE, Vec, about, cross, dot, product, unit_tuple

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def euler(angles: Vec, document: Document) -> Vec:
    """Three turns: about the axes of ``eulerseq``, moving ones in lower case, fixed ones in upper case."""
    quat = ONE
    for angle, letter in zip(angles, document.eulerseq):
        step = about(AXES[letter.lower()], document.radians(angle))
        quat = product(quat, step) if letter.islower() else product(step, quat)
    return quat


def orientation(node: Node, values: dict, document: Document) -> Vec:
    """The quaternion (w, x, y, z) of an element, by whichever way it was given."""
    if "quat" in values:
        quat = unit_tuple(values["quat"])
        if quat is None:
            raise node.error("has length zero; give a unit quaternion (w, x, y, z)", "quat")
        return quat
    if "axisangle" in values:
        axis = direction(node, "axisangle", values["axisangle"][:3])
        return about(axis, document.radians(values["axisangle"][3]))
    if "euler" in values:
        return euler(values["euler"], document)
    if "zaxis" in values:
        return from_z(direction(node, "zaxis", values["zaxis"]))
    if "xyaxes" in values:
        x = direction(node, "xyaxes", values["xyaxes"][:3])
        y = values["xyaxes"][3:]
        y = unit_tuple(tuple(b - dot(x, y) * a for a, b in zip(x, y)))
        if y is None:
            raise node.error("the y axis is along the x axis; give two different directions", "xyaxes")
        return from_axes(x, y, cross(x, y))
    return ONE


def direction(node: Node, attr: str, vector: Vec) -> Vec:
    """A unit vector; ParseError where it has no direction."""
    found = unit_tuple(vector)
    if found is None:
        raise node.error("the axis has length zero; give a direction", attr)
    return found


def from_ends(node: Node, values: dict, kind: int) -> tuple[Vec, Vec, Vec]:
    """Position, orientation and size of a shape between two points; its z axis points from the second to the first."""
    if kind not in (MjtGeom.CAPSULE, MjtGeom.ELLIPSOID, MjtGeom.CYLINDER, MjtGeom.BOX):
        raise node.error("needs the type capsule, cylinder, box or ellipsoid", "fromto")
    a, b = values["fromto"][:3], values["fromto"][3:]
    along = tuple(x - y for x, y in zip(a, b))
    axis = unit_tuple(along)
    if axis is None:
        raise node.error("zero-length fromto: the two ends are the same point; give two different ones", "fromto")
    half = 0.5 * math.sqrt(dot(along, along))
    radius, _, rest = values["size"]
    size = (radius, half, rest) if kind in (MjtGeom.CAPSULE, MjtGeom.CYLINDER) else (radius, radius, half)
    return tuple(0.5 * (x + y) for x, y in zip(a, b)), from_z(axis), size
