"""Scenes in which flexes touch things: each geom type under a rope, a cloth and a block, and flexes against flexes."""

import numpy as np

SHAPES = {
    "plane": 'type="plane" size="1 1 1" pos="0 0 -.01" euler="2 3 0"',
    "sphere": 'type="sphere" size=".12" pos=".03 .02 -.08"',
    "capsule": 'type="capsule" size=".05 .1" euler="0 80 10" pos=".01 .02 -.03"',
    "box": 'type="box" size=".16 .15 .05" pos=".01 .02 -.05" euler="3 5 9"',
    "cylinder": 'type="cylinder" size=".15 .06" pos=".01 .02 -.05" euler="4 3 0"',
    "ellipsoid": 'type="ellipsoid" size=".15 .17 .06" pos=".01 .02 -.05"',
    "mesh": 'type="mesh" mesh="m" pos=".01 .02 -.05"',
}
MESH = '<asset><mesh name="m" vertex=".1 .1 .05 -.1 .1 .04 .1 -.1 .03 -.1 -.1 .06 0 0 -.1 .05 .02 .09"/></asset>'
COUNTS = {1: "6 1 1", 2: "5 5 1", 3: "4 4 3"}


def flex(name: str = "f", dim: int = 2, selfcollide: str = "none", contact: str = "", inside: str = "", **given) -> str:
    """A ``flexcomp``: a grid, unless it is said otherwise."""
    kept = {"type": "grid", "count": COUNTS[dim], "spacing": ".1 .1 .1", "mass": "1", "radius": ".01", **given}
    written = " ".join(f'{key}="{value}"' for key, value in kept.items())
    touch = f'<contact selfcollide="{selfcollide}" {contact}/>'
    return f'<flexcomp name="{name}" dim="{dim}" {written}>{touch}{inside}</flexcomp>'


def world(*things: str, option: str = "", extra: str = "") -> str:
    """MJCF of a world."""
    return f"<mujoco>{option}{MESH}<worldbody>{''.join(things)}</worldbody>{extra}</mujoco>"


def on_shape(shape: str, dim: int) -> str:
    """A flex on a free geom, or on a fixed plane."""
    geom = f"<geom {SHAPES[shape]}/>"
    if shape != "plane":
        geom = f'<body name="o"><freejoint/>{geom}</body>'
    return world(geom, flex(dim=dim, pos="0 0 .1" if dim == 3 else "0 0 0"))


def folded(dim: int, selfcollide: str) -> str:
    """A flex that touches itself once it is bent."""
    counts = {1: "9 1 1", 2: "6 3 1", 3: "3 3 3"}
    return world(flex(dim=dim, selfcollide=selfcollide, count=counts[dim], spacing=".05 .05 .05"))


TWO_CLOTHS = world(flex(), flex("g", count="4 6 1", pos=".03 .04 .01"))
TWO_ROPES = world(flex(dim=1), flex("g", dim=1, count="5 1 1", pos=".03 .04 .01", euler="0 0 50"))
BLOCK_AND_CLOTH = world(flex(dim=3, count="3 3 3"), flex("g", count="4 6 1", pos=".03 .04 .11"))

IDS = ("geom", "flex", "elem", "vert")


def own_contacts(softened, w: int) -> dict:
    """The engine's contacts of a world, under MuJoCo's names; frames as 9 numbers."""
    e = softened.d.engine
    n = int(e.ncon.numpy()[w])
    names = (*IDS, "dist", "pos", "frame", "dim", "includemargin", "solref", "solimp", "friction")
    found = {name: getattr(e, f"contact_{name}").numpy()[w, :n] for name in names}
    return {**found, "frame": found["frame"].reshape(n, 9)}


def same_ids(own: dict, data) -> bool:
    """Whether the same things touch, in the same order."""
    return all(np.array_equal(own[name], np.asarray(getattr(data.contact, name))) for name in IDS)


def contact_errors(own: dict, data, name: str) -> np.ndarray:
    """Largest difference of each contact in one of its fields."""
    want = np.asarray(getattr(data.contact, name))
    if not len(want):
        return np.zeros(0)
    return np.abs(own[name].reshape(len(want), -1) - want.reshape(len(want), -1)).max(axis=1, initial=0.0)
