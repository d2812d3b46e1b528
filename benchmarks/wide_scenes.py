"""Scenes of many dofs as MJCF: cloths of sliding points, chains, heaps of free bodies, of any size."""

import numpy as np

SLIDES = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/>'
GROUND = 'contype="2" conaffinity="1"'
PLATE = f'<body pos=".15 .15 .074"><freejoint/><geom {GROUND} type="box" size=".17 .17 .02" mass=".5"/></body>'
"""A free plate on all points of a cloth of 7 by 7."""


def cloth(side: int, options: str, ties: str = "connect", spacing: float = 0.05, extra: str = "") -> str:
    """``side x side`` points that slide along three axes, tied to their neighbours by ``connect`` or by ``tendon``, over a
    plane and a sphere.
    """
    # points in rows, with a little height each, so that contacts do not all begin at once
    names, pairs = [(i, j) for i in range(side) for j in range(side)], []
    points = "".join(
        f'<body name="b{i * side + j}" pos="{i * spacing:.4f} {j * spacing:.4f} {0.04 + 0.002 * ((i + j) % 3):.4f}">{SLIDES}'
        f'<geom contype="1" conaffinity="2" size="{0.3 * spacing}" mass=".01" condim="3"/><site name="s{i * side + j}"/></body>'
        for i, j in names
    )
    for i, j in names:
        k = i * side + j
        pairs += [(k, k + 1)] * (j + 1 < side) + [(k, k + side)] * (i + 1 < side)

    # rows of equality that are always there, or bounds that act where the cloth is taut
    tied = "".join(f'<connect body1="b{a}" body2="b{b}" anchor="0 0 0" solref=".01 1"/>' for a, b in pairs)
    rest = f"<equality>{tied}</equality>"
    if ties == "tendon":
        bounds = f'limited="true" range="0 {spacing:.4f}" solreflimit=".01 1" margin=".0005"'
        tied = "".join(f'<spatial {bounds}><site site="s{a}"/><site site="s{b}"/></spatial>' for a, b in pairs)
        rest = f"<tendon>{tied}</tendon>"
    middle = side * spacing / 2
    ground = f'<geom {GROUND} type="plane" size="9 9 .1"/><geom {GROUND} size=".05" pos="{middle} {middle} -.01"/>'
    return f'<mujoco><option {options} jacobian="sparse"/><worldbody>{ground}{points}{extra}</worldbody>{rest}</mujoco>'


def flex_cloth(side: int, options: str) -> str:
    """A flex of ``side x side`` points whose edges keep their lengths, over a plane and a sphere."""
    touch = '<contact selfcollide="none"/><edge equality="true" solref=".01 1"/>'
    part = f'<flexcomp name="f" type="grid" dim="2" count="{side} {side} 1" spacing=".05 .05 .05" mass="1" radius=".01" pos="0 0 .1">{touch}</flexcomp>'
    ground = '<geom type="plane" size="9 9 .1"/><geom size=".1" pos=".01 .02 -.02"/>'
    return f'<mujoco><option {options} jacobian="sparse"/><worldbody>{ground}{part}</worldbody></mujoco>'


def chain(count: int, options: str) -> str:
    """Sliders in a row, each of which follows the one before by an equality of joints; some have dry friction, some bounds."""
    bodies = "".join(
        f'<body pos="{0.1 * k} 0 0"><joint name="j{k}" type="slide" axis="0 0 1" frictionloss="{0.01 * (k % 3 == 0)}" '
        f'limited="{"true" if k % 4 == 0 else "false"}" range="-.02 .02"/><geom size=".02" mass=".1" contype="0" conaffinity="0"/></body>'
        for k in range(count)
    )
    ties = "".join(
        f'<joint joint1="j{k}" joint2="j{k + 1}" polycoef="0 {0.9 + 0.01 * (k % 7)} 0 0 0"/>' for k in range(count - 1)
    )
    return f'<mujoco><option {options} jacobian="sparse"/><worldbody>{bodies}</worldbody><equality>{ties}</equality></mujoco>'


def heap(count: int, options: str, apart: float = 0.19) -> str:
    """Free boxes and spheres in layers, which touch each other unless they are further ``apart``."""
    rng = np.random.default_rng(count)
    side = max(2, round(count ** (1 / 3)))
    shapes = ('type="box" size=".1 .09 .08"', 'type="sphere" size=".1"')
    bodies = "".join(
        f'<body pos="{k % side * apart:.3f} {k // side % side * apart:.3f} {0.09 + k // side**2 * 0.17:.3f}" '
        f'euler="0 0 {rng.uniform(-5, 5):.2f}"><freejoint/><geom {shapes[k % 5 == 4]} condim="3"/></body>'
        for k in range(count)
    )
    ground = '<geom type="plane" size="9 9 .1"/>'
    return f'<mujoco><option {options} jacobian="sparse"/><worldbody>{ground}{bodies}</worldbody></mujoco>'
