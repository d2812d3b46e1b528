"""Tree order: which Newton body becomes which MuJoCo body, and which joint carries it.

MuJoCo numbers bodies depth first, the world being 0; children come in the order of their joints.
"""

import warnings
from dataclasses import dataclass, field

import numpy as np

from newtonlite.core.enums import JointType
from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.solvers.mujoco.compile.worlds import Worlds

NOT_CLOSED = (JointType.PRISMATIC, JointType.FREE, JointType.DISTANCE, JointType.ROD)


@dataclass
class BodyTree:
    """MuJoCo's bodies in terms of one world's Newton bodies and joints; index 0 is the world."""

    body: list[int] = field(default_factory=lambda: [-1])  # Newton body
    joint: list[int] = field(default_factory=lambda: [-1])  # Newton joint that carries it
    parent: list[int] = field(default_factory=lambda: [0])  # MuJoCo body
    loops: list[int] = field(default_factory=list)  # Newton joints that close loops
    more: dict[int, list[int]] = field(
        default_factory=dict
    )  # further Newton joints of a MuJoCo body, below massless links
    links: dict[int, int] = field(default_factory=dict)  # MuJoCo body of each massless link

    def mujoco_body(self) -> np.ndarray:
        """MuJoCo body of each Newton body; the last entry, which Newton's -1 reaches, is the world."""
        table = np.zeros(len(self.body) + len(self.links), np.int32)
        table[self.body[1:]] = np.arange(1, len(self.body))
        for link, body in self.links.items():
            table[link] = body
        return table

    def joints(self, body: int) -> list[int]:
        """The Newton joints of a MuJoCo body, from its parent outwards."""
        return [self.joint[body], *self.more.get(body, ())]


def order_bodies(w: Worlds) -> BodyTree:
    """The tree of a world. Raises ModelError for bodies without a joint, or joints that hang in a circle."""
    parent, child = w.local("body", w.first("joint_parent")), w.local("body", w.first("joint_child"))
    link = w.first("mujoco:body_link") if w.has("mujoco:body_link") else np.zeros(w.size("body"), int)
    carrier = carriers(w, child)
    children: dict[int, list[int]] = {}
    for j in sorted(carrier.values()):
        children.setdefault(int(parent[j]), []).append(j)
    tree = BodyTree(loops=closing_joints(w, set(carrier.values())))
    stack = [(j, 0) for j in reversed(children.get(-1, []))]
    while stack:
        j, above = stack.pop()
        body, here = int(child[j]), len(tree.body)
        tree.joint.append(j)
        tree.parent.append(above)
        while link[body]:
            tree.links[body] = here
            below = children[body][0]
            tree.more.setdefault(here, []).append(below)
            body = int(child[below])
        tree.body.append(body)
        stack += [(k, here) for k in reversed(children.get(body, []))]
    check_complete(w, tree)
    return tree


def carriers(w: Worlds, child) -> dict[int, int]:
    """The joint that carries each body: the one of an articulation, else the first that has it as child."""
    in_articulation = w.first("joint_articulation") >= 0
    order = np.argsort(~in_articulation, kind="stable")
    found: dict[int, int] = {}
    for j in order:
        found.setdefault(int(child[j]), int(j))
    return found


def closing_joints(w: Worlds, carrying: set[int]) -> list[int]:
    """Joints beyond the tree. Those of a type that cannot be closed are left open, with a warning."""
    loops = []
    for j in range(w.size("joint")):
        if j in carrying or not w.first("joint_enabled")[j]:
            continue
        kind = JointType(w.first("joint_type")[j])
        if kind in NOT_CLOSED:
            text = f"joint '{w.label('joint', j)}': a {kind.name} joint cannot close a loop; the loop stays open"
            warnings.warn(text, NewtonWarning, stacklevel=2)
        else:
            loops.append(j)
    return loops


def check_complete(w: Worlds, tree: BodyTree) -> None:
    """Every body must have been reached from the world."""
    missing = sorted(set(range(w.size("body"))) - set(tree.body) - set(tree.links))
    if missing:
        name = w.label("body", missing[0]) or missing[0]
        raise ModelError(
            f"body '{name}' is not connected to the world by joints; add a joint (add_joint_free lets it float)"
        )
