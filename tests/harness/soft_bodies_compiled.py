"""Elastic soft bodies of every kind, by name; MuJoCo's models of them keep the stiffness and no constant."""

SHEET = 'type="grid" dim="2" count="4 4 1" spacing=".1 .1 .1" radius=".01" mass=".1"'
LINE = 'type="grid" dim="1" count="6 1 1" spacing=".1 .1 .1" mass=".1"'
BLOCK = 'type="grid" dim="3" count="4 4 4" spacing=".1 .1 .1" radius=".01" mass=".1"'
BALL = 'type="ellipsoid" dim="3" count="4 4 4" spacing=".1 .1 .1" radius=".01" mass=".1" euler="10 20 30"'
FOLDED = """<mujoco><worldbody><body name="a"><freejoint/><geom size=".01"/></body><body name="b" pos="1 0 0"><freejoint/><geom size=".01"/></body>
  <body name="c" pos="0 1 .2"><freejoint/><geom size=".01"/></body><body name="d" pos="1 1 0"><freejoint/><geom size=".01"/></body></worldbody><deformable>
  <flex name="f" dim="2" body="a b c d" element="0 1 2 1 3 2"><elasticity young="300" poisson=".2" elastic2d="both" thickness=".01"/></flex></deformable></mujoco>"""
KINDS = {
    "solid": (BALL, 'young="1e4" poisson=".45" damping=".1" yield=".2"'),
    "stretched sheet": (SHEET, 'young="1e4" poisson=".3" thickness=".02" elastic2d="stretch"'),
    "bent sheet": (SHEET, 'young="1e4" poisson=".3" thickness=".02" elastic2d="bend"'),
    "sheet that bends and stretches": (SHEET, 'young="1e4" poisson=".3" thickness=".03" elastic2d="both"'),
    "sheet that yields": (SHEET, 'young="1e4" poisson=".3" thickness=".03" elastic2d="both" yield=".1 .2"'),
    "sheet whose folds yield": (SHEET, 'young="1e4" poisson=".3" thickness=".03" elastic2d="bend" yield=".1"'),
    "sheet without elasticity": (SHEET, 'young="1e4" poisson=".3"'),
    "cells": (BLOCK + ' dof="trilinear" cellcount="2 1 1"', 'young="1e4" poisson=".3"'),
    "cut cells": (BALL + ' dof="trilinear" cellcount="2 2 2"', 'young="1e4" poisson=".3"'),
    "shell of cells": (BLOCK + ' dof="trilinear" cellcount="2 2 2"', 'young="1e4" poisson=".3" elastic2d="both" thickness=".02"'),
    "quadratic shell that bends": (BLOCK + ' dof="quadratic"', 'young="1e4" poisson=".3" elastic2d="bend" thickness=".02"'),
    "rod": (LINE + ' radius=".01"', 'young="1e6" poisson=".3" damping=".01"'),
    "rod with a shear modulus": (LINE + ' radius=".01"', 'young="1e6" shear="1e5"'),
    "flat rod": (LINE, 'young="1e6" poisson=".3" section="box" sectionsize=".01 .02"'),
    "upright rod": (LINE, 'young="1e6" poisson=".3" section="box" sectionsize=".02 .01"'),
    "ring": ('type="circle" dim="1" count="8 1 1" spacing=".1 .1 .1" radius=".01" mass=".1"', 'young="1e6" poisson=".3"'),
    "cells with constrained strain": (BLOCK + ' dof="trilinear"', None),
    "shell with constrained strain": (BLOCK + ' dof="trilinear" cellcount="2 2 2"', 'young="1e4" elastic2d="bend" thickness=".02"'),
}  # fmt: skip
"""Attributes of a flexcomp and of its elasticity."""


def soft_body(name: str) -> str:
    """A whole model."""
    if name == "folded":
        return FOLDED
    attributes, elasticity = KINDS[name]
    inner = f"<elasticity {elasticity}/>" if elasticity else ""
    inner += '<edge equality="strain"/>' * ("constrained" in name)
    body = f'<body name="base" pos="0 0 1"><joint type="slide"/><geom size=".1"/><flexcomp name="r" {attributes}>{inner}<pin id="0"/></flexcomp></body>'
    return f"<mujoco><worldbody>{body}</worldbody></mujoco>"
