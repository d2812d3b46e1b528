"""Joints: kinds that may stand together, angles, limits."""

from newtonlite.core.mujoco import MjtJoint, MjtLimited
from newtonlite.core.table import Element
from newtonlite.importers.mjcf.frame import chain
from newtonlite.importers.mjcf.irregular import direction
from newtonlite.importers.mjcf.spec import Body, Item, Spec
from newtonlite.math.quat import rotate

DOFS = {MjtJoint.FREE: 6, MjtJoint.BALL: 3, MjtJoint.SLIDE: 1, MjtJoint.HINGE: 1}


def resolve_joints(spec: Spec) -> None:
    """Settle all joints in place, or raise ParseError."""
    for body in spec.bodies:
        check_mocap(body)
        if body.joints:
            for item in body.joints:
                resolve_joint(item)
            check_together(body)


def resolve_joint(item: Item) -> None:
    """Units to rad, pose to the body frame, limits to yes or no."""
    node, values = item.node, item.values
    if node.tag == "freejoint":
        values["type"] = MjtJoint.FREE
        return
    kind = values["type"]
    if kind in (MjtJoint.SLIDE, MjtJoint.HINGE):
        item.pos, _ = chain(item.place.pos, item.place.quat, values["pos"], (1.0, 0.0, 0.0, 0.0))
        values["axis"] = rotate(item.place.quat, direction(node, "axis", values["axis"]))
    else:
        item.pos, _ = chain(item.place.pos, item.place.quat, values["pos"], (1.0, 0.0, 0.0, 0.0))
    check_signs(item)
    limited = kind == MjtJoint.BALL and values["limited"] == 1
    item.limits["range"] = 0 if kind == MjtJoint.FREE else 1 if limited else decide(item, "limited", "range")
    if kind in (MjtJoint.HINGE, MjtJoint.BALL):
        radians = item.place.document.radians
        if item.limits["range"]:
            values["range"] = tuple(radians(x) for x in values["range"])
        values["springyield"] = radians(values["springyield"])
        if kind == MjtJoint.HINGE:
            values["ref"], values["springref"] = radians(values["ref"]), radians(values["springref"])
    if kind == MjtJoint.BALL and item.limits["range"] and values["range"][0] != 0:
        raise node.error("the range of a ball joint starts at 0; give '0 angle'", "range")
    if kind in (MjtJoint.SLIDE, MjtJoint.HINGE):
        item.limits["actuatorfrcrange"] = decide(item, "actuatorfrclimited", "actuatorfrcrange")


def check_signs(item: Item) -> None:
    """Losses, inertias and yields that cannot be."""
    pair = item["springdamper"]
    if any(pair) and min(pair) <= 0:
        raise item.node.error(
            f"{pair[0]:g} {pair[1]:g}; time constant and damping ratio have to be positive", "springdamper"
        )
    for name in ("damping", "armature", "frictionloss", "springyield"):
        value = item[name][0] if name == "damping" else item[name]
        if value < 0:
            raise item.node.error(f"{value:g} is negative; give at least 0", name)
    if item["springyield"] and item["type"] == MjtJoint.FREE:
        raise item.node.error("the spring of a free joint does not yield; leave it out", "springyield")


def decide_all(item: Item, element: Element | None = None) -> None:
    """Whether each range of an element counts that a row switches, in the order of the rows."""
    for attr in (element or item.node.element).attrs:
        if attr.decides and attr.decides in item.values and attr.name in item.values:
            item.limits[attr.decides] = decide(item, attr.name, attr.decides)


def decide(item: Item, flag: str, band: str) -> int:
    """Whether a range counts: 0 or 1. ParseError for an empty one that is asked for."""
    low, high = item[band]
    state = item[flag]
    if state == MjtLimited.AUTO:
        if band in item.given and (low, high) != (0.0, 0.0) and not item.place.document.compiler["autolimits"]:
            raise item.node.error(
                f"has a '{band}' but does not say '{flag}', and compiler autolimits is off; give {flag}", band
            )
        return int(low < high)
    if state and not low < high:
        raise item.node.error(
            f"{low:g} is not less than {high:g}; give the lower bound first", band if band in item.node.values else flag
        )
    return state


def check_together(body: Body) -> None:
    """Check that one body may have its joints together."""
    kinds = [item["type"] for item in body.joints]
    last = body.joints[-1].node
    if sum(DOFS[k] for k in kinds) > 6:
        raise last.error("the body has more than 6 degrees of freedom; remove joints, or put a body in between")
    if MjtJoint.BALL in kinds and any(
        k in (MjtJoint.BALL, MjtJoint.HINGE) for k in kinds[kinds.index(MjtJoint.BALL) + 1 :]
    ):
        raise last.error("a rotation follows a ball joint on the same body; put a body in between")
    if body.parent is None:
        raise last.error("the world has no joints; put this one into a body")


def check_mocap(body: Body) -> None:
    """A body that the user moves hangs on the world and has no joints."""
    if body.values.get("mocap") and (body.joints or body.parent.parent is not None):
        raise body.node.error("a mocap body needs the world as parent, and no joints", "mocap")


def check_free(spec: Spec) -> None:
    """Floating bodies hang on the world, once static ones are fused."""
    for body in spec.bodies:
        for item in body.joints:
            if item["type"] == MjtJoint.FREE and (body.parent is None or body.parent.parent is not None):
                raise item.node.error("a free joint needs a body whose parent is the world")
