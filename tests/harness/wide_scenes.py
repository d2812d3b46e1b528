"""Scenes of many dofs: cloths of sliding points, chains, heaps of free bodies, of any size."""

import numpy as np

from tests import oracle

SLIDES = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/>'


def cloth(side: int, options: str, ties: str = "connect", spacing: float = 0.05, extra: str = "") -> object:
    """``side x side`` points that slide along three axes, tied to their neighbours, over a plane and a sphere."""
    points, pairs = [], []
    for i in range(side):
        for j in range(side):
            name = i * side + j
            points.append(
                f'<body name="b{name}" pos="{i * spacing:.4f} {j * spacing:.4f} {0.04 + 0.002 * ((i + j) % 3):.4f}">{SLIDES}'
                f'<geom size="{0.3 * spacing}" mass=".01" condim="3"/><site name="s{name}"/></body>'
            )
            pairs += [(name, name + 1)] * (j + 1 < side) + [(name, name + side)] * (i + 1 < side)
    middle = side * spacing / 2
    ground = (
        f'<geom type="plane" size="9 9 .1"/><geom type="sphere" size=".05" pos="{middle} {middle} -.01"/>'
        f"{''.join(points)}{extra}"
    )
    if ties == "connect":
        tied = "".join(f'<connect body1="b{a}" body2="b{b}" anchor="0 0 0" solref=".01 1"/>' for a, b in pairs)
        rest = f"<equality>{tied}</equality>"
    else:
        tied = "".join(
            f'<spatial name="t{k}" limited="true" range="0 {spacing:.4f}" solreflimit=".01 1" margin=".0005"><site site="s{a}"/><site site="s{b}"/></spatial>'
            for k, (a, b) in enumerate(pairs)
        )
        rest = f"<tendon>{tied}</tendon>"
    return oracle.compile_xml(
        f'<mujoco><option {options} jacobian="sparse"/><default><geom contype="1" conaffinity="2"/></default>'
        f"<worldbody>{ground.replace('<geom type', '<geom contype=' + chr(34) + '2' + chr(34) + ' conaffinity=' + chr(34) + '1' + chr(34) + ' type')}</worldbody>{rest}</mujoco>"
    )


def chain(count: int, options: str) -> object:
    """Sliders in a row, each of which follows the one before by an equality of joints, some with dry friction and bounds."""
    bodies = "".join(
        f'<body pos="{0.1 * k} 0 0"><joint name="j{k}" type="slide" axis="0 0 1" frictionloss="{0.01 * (k % 3 == 0)}" '
        f'limited="{"true" if k % 4 == 0 else "false"}" range="-.02 .02"/><geom size=".02" mass=".1" contype="0" conaffinity="0"/></body>'
        for k in range(count)
    )
    ties = "".join(
        f'<joint joint1="j{k}" joint2="j{k + 1}" polycoef="0 {0.9 + 0.01 * (k % 7)} 0 0 0"/>' for k in range(count - 1)
    )
    return oracle.compile_xml(
        f'<mujoco><option {options} jacobian="sparse"/><worldbody>{bodies}</worldbody><equality>{ties}</equality></mujoco>'
    )


def heap(count: int, options: str, apart: float = 0.19) -> object:
    """Free boxes and spheres in layers that touch each other: one island."""
    rng = np.random.default_rng(count)
    side = max(2, round(count ** (1 / 3)))
    shapes = ('type="box" size=".1 .09 .08"', 'type="sphere" size=".1"')
    bodies = "".join(
        f'<body pos="{k % side * apart:.3f} {k // side % side * apart:.3f} {0.09 + k // side**2 * 0.17:.3f}" '
        f'euler="0 0 {rng.uniform(-5, 5):.2f}"><freejoint/><geom {shapes[k % 5 == 4]} condim="3"/></body>'
        for k in range(count)
    )
    return oracle.compile_xml(
        f'<mujoco><option {options} jacobian="sparse"/><worldbody><geom type="plane" size="9 9 .1"/>{bodies}</worldbody></mujoco>'
    )
