"""Free joint alignment (``alignfree``, ``freejoint align``): the frame of a floating body without children becomes that
of its inertia.
"""

from dataclasses import replace

import numpy as np

from newtonlite.core.mujoco import MjtAlignFree, MjtJoint
from newtonlite.importers.mjcf.frame import chain
from newtonlite.importers.mjcf.spec import Body, Spec
from newtonlite.math.quat import ONE, conjugate, matrix, rotate

PLACED = ("geoms", "sites", "cameras", "lights")


def align_free(spec: Spec) -> None:
    """Move the frames of the bodies that ask for it; what is on them stays where it is in the world."""
    for body in spec.bodies[1:]:
        if wants(body):
            align(body)


def wants(body: Body) -> bool:
    """Whether a body floats by a joint that asks for it, or that leaves it to the compiler settings, and carries no
    other body.
    """
    if body.bodies or len(body.joints) != 1 or body.joints[0]["type"] != MjtJoint.FREE:
        return False
    asked = body.joints[0].values.get("align", MjtAlignFree.AUTO)
    return bool(body.place.document.compiler["alignfree"] if asked == MjtAlignFree.AUTO else asked)


def align(body: Body) -> None:
    """Put the body's frame at its centre of mass, along its principal axes."""
    pos, quat = tuple(float(x) for x in body.com), body.iquat
    back = conjugate(quat)
    at = rotate(back, tuple(-x for x in pos))
    for name in PLACED:
        for item in getattr(body, name):
            item.pos, item.quat = chain(at, back, item.pos, item.quat)
            if name == "lights":
                place = chain(at, back, item.place.pos, item.place.quat)
                item.place = replace(item.place, pos=place[0], quat=place[1])
    body.pos, body.quat = chain(body.pos, body.quat, pos, quat)
    turn = matrix(quat)
    body.inertia = np.diag(np.diagonal(turn.T @ body.inertia @ turn))
    body.com, body.iquat = np.zeros(3), ONE
