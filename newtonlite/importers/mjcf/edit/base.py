"""Base joint: what carries the bodies on the file's world, by ``floating``, ``base_joint``, ``parent_body``."""

from dataclasses import dataclass
from typing import Any

from newtonlite.core.enums import JointType
from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtJoint
from newtonlite.importers.mjcf.check import element_of
from newtonlite.importers.mjcf.edit.select import leave_out
from newtonlite.importers.mjcf.joints import check_free
from newtonlite.importers.mjcf.keys import move_keys, move_world, slots
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.mjcf.spec import Body, Item, Spec
from newtonlite.math.quat import ONE, ZERO, conjugate, rotate
from newtonlite.sim.namespace.registration import register

WORLD = -1
TAKEN = ("parent", "child", "parent_xform", "child_xform")
"""Arguments of ``add_joint`` that the file settles."""


@dataclass
class BaseJoint:
    """Base of the bodies on the world: a free joint, none, a joint of the caller's, or as in the file."""

    floating: bool | None = None
    joint: dict[str, Any] | None = None
    parent: int = WORLD
    override: bool = False
    """Whether the only body on the world stands where the whole model is put, instead of where the file puts it."""

    @property
    def asked(self) -> bool:
        """Whether the caller decides anything about joints."""
        return self.floating is not None or self.joint is not None or self.parent != WORLD


def checked(
    builder, floating: bool | None, base_joint: dict | None, parent_body: int, override: bool, placed: bool, where: str
) -> BaseJoint:
    """The caller's wishes, or ModelError for those that contradict each other or that no joint can fulfil."""
    if floating is not None and not isinstance(floating, bool):
        raise ModelError(f"{where} floating={floating!r}: give True, False or None")
    if floating is not None and base_joint is not None:
        raise ModelError(f"{where}: both 'floating' and 'base_joint' are given, which exclude each other; give one")
    if floating and parent_body != WORLD:
        raise ModelError(
            f"{where}: floating=True is a FREE joint, which needs the world as parent; leave parent_body at -1, or floating at None or False"
        )
    if override and not placed:
        raise ModelError(f"{where} override_root_xform: needs xform, the pose that counts instead of the file's")
    if parent_body != WORLD:
        builder.articulation_of(parent_body, f"{where} parent_body")
    return BaseJoint(
        floating,
        None if base_joint is None else joint_settings(builder, base_joint, where),
        parent_body,
        bool(override),
    )


def joint_settings(builder, given: dict, where: str) -> dict[str, Any]:
    """Arguments of ``add_joint``, tried on a scene of their own; ModelError for what it does not take."""
    taken = [name for name in TAKEN if name in given]
    if taken:
        raise ModelError(f"{where} base_joint dict cannot specify {taken[0]!r}: the file settles it; leave it out")
    settings = {"joint_type": JointType.D6} | dict(given)
    trial = type(builder)()
    register(trial)
    try:
        trial.add_joint(parent=WORLD, child=trial.add_link(), **settings)
    except (ModelError, TypeError) as problem:
        raise ModelError(f"{where} base_joint: {problem}") from None
    return settings


def set_base(spec: Spec, options: Any) -> None:
    """Give the bodies on the world their joints in place of the file's, and leave out what refers to those; the
    caller's own joint carries the bodies that ``spec.carried`` then names.  Keyframes get the coordinates of new joints.
    """
    base: BaseJoint = options.base
    if base.override:
        override_pose(spec)
    if not base.asked:
        return
    roots = [body for body in spec.world.bodies if not body.values["mocap"]]
    mocap = next((body for body in spec.world.bodies if body.values["mocap"]), None)
    if base.parent != WORLD and mocap is not None:
        raise mocap.node.error("a mocap body needs the world as parent; leave parent_body at -1", "mocap")
    floats = lambda body: [j["type"] for j in body.joints] == [MjtJoint.FREE]
    if base.floating is None and base.joint is None:  # parent_body alone: joints of the file that hold there stay
        roots = [body for body in roots if not body.joints or floats(body)]
    taken = {id(joint) for body in roots if not (base.floating and floats(body)) for joint in body.joints}
    if taken:
        leave_out(spec, taken, "it refers to the joint of a root, which floating, base_joint or parent_body replace")
    before = slots(spec)
    for body in roots:
        if base.floating and not body.joints:
            body.joints = [free_joint(body)]
    carried = roots if base.joint is not None else []
    spec.joints = [item for body in spec.bodies for item in body.joints]
    for index, item in enumerate(spec.joints):
        item.index = index
    check_free(spec)
    own = {id(body): base.joint for body in carried}
    starts = {id(j): [*body.pos, *body.quat] for body in roots for j in body.joints if base.floating}
    move_keys(spec, before, slots(spec, own, starts))
    spec.carried = {id(body) for body in carried}


def override_pose(spec: Spec) -> None:
    """Put the only body on the world at the world's origin, in keyframes too; ParseError where there are several."""
    roots = spec.world.bodies
    if len(roots) != 1:
        where = roots[1].node.error if roots else spec.document.root.error
        raise where(f"override_root_xform needs one body on the world; here there are {len(roots)}")
    turn = conjugate(roots[0].quat)
    move_world(spec, rotate(turn, tuple(-x for x in roots[0].pos)), turn)
    roots[0].pos, roots[0].quat = ZERO, ONE


def free_joint(body: Body) -> Item:
    """A free joint of a body, as ``<freejoint/>`` in it would be."""
    node = Node("freejoint", {}, body.node.source, body.node.offset)
    node.element = element_of("worldbody/body/freejoint")
    values = {attr.name: attr.default for attr in node.element.attrs} | {"type": MjtJoint.FREE}
    return Item(node, body.place, values, pos=ZERO, quat=ONE, body=body)
