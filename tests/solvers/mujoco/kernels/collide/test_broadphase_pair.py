"""Bounding boxes drop pairs of geoms that bounding spheres alone would keep, and no others."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco.kernels.collide.broadphase import broadphase
from newtonlite.solvers.mujoco.kernels.position.kinematics import kinematics
from tests import oracle
from tests.harness.engine import Engine

PYRAMID = "-.5 -.4 0  .5 -.4 0  .5 .4 0  -.5 .4 0  0 0 .03"
SIZES = {"plane": "1 1 1", "box": ".5 .4 .01", "cylinder": ".5 .01", "ellipsoid": ".5 .4 .01", "sphere": ".01"}
PAIRS = (
    ("plane", "mesh"),
    ("box", "box"),
    ("mesh", "box"),
    ("mesh", "mesh"),
    ("cylinder", "ellipsoid"),
    ("capsule", "mesh"),
    ("sphere", "box"),
)
MARGIN, STEP = 0.02, 1e-3


def geom(kind: str) -> str:
    """A flat shape, its thickness along z; a capsule lies across."""
    if kind == "capsule":
        return '<geom type="capsule" size=".01 .5" euler="90 0 0"/>'
    return f'<geom type="{kind}" ' + ('mesh="m"/>' if kind == "mesh" else f'size="{SIZES[kind]}"/>')


def stack(below: str, above: str, pair: str) -> str:
    """One shape that slides along the normal of another, both turned."""
    fixed = geom(below).replace("<geom", f'<geom name="a" margin="{MARGIN}"')
    moving = geom(above).replace("<geom", '<geom name="b"')
    return (
        f'<mujoco><asset><mesh name="m" vertex="{PYRAMID}"/></asset><worldbody><body pos=".3 -.2 .1" euler="20 -35 50">{fixed}'
        f'<body><joint type="slide" axis="0 0 1"/>{moving}</body></body></worldbody>{pair}</mujoco>'
    )


def reach(mj, g: int, side: int) -> float:
    """How far a geom extends up (1) or down (-1) from its body."""
    if mj.geom_type[g] == 0:
        return 0.0
    turn = np.zeros(9)
    oracle.mujoco.mju_quat2Mat(turn, mj.geom_quat[g])
    turn, box = turn.reshape(3, 3), mj.geom_aabb[g]
    return side * (mj.geom_pos[g] + turn @ box[:3])[2] + (np.abs(turn) @ box[3:])[2]


@pytest.mark.parametrize("broad", ("nxn", "sap", "explicit pair"))
@pytest.mark.parametrize("below,above", PAIRS)
def test_pairs_are_near_up_to_where_their_boxes_meet(below, above, broad, device):
    pair = f'<contact><pair geom1="a" geom2="b" margin="{MARGIN}"/></contact>' if broad == "explicit pair" else ""
    mj = oracle.compile_xml(stack(below, above, pair))
    touching = reach(mj, 0, 1) + reach(mj, 1, -1) + MARGIN
    states = oracle.rollout_states(mj, 2, length=1)
    states.qpos[:, 0] = [touching + STEP, touching - STEP]
    engine = Engine(mj, states, device, mode="staged", broadphase="sap" if broad == "sap" else "nxn")
    engine.run((kinematics, broadphase))
    plane = mj.geom_type[0] == oracle.mujoco.mjtGeom.mjGEOM_PLANE
    apart = (engine.read("geom_xpos")[:, 1] - engine.read("geom_xpos")[:, 0]) @ engine.read("geom_xmat")[0, 0]
    far = np.abs(apart[:, 2]) if plane else np.linalg.norm(apart, axis=1)
    assert (far < mj.geom_rbound.sum() + MARGIN).all()  # their spheres meet
    np.testing.assert_array_equal(engine.read("nbp"), [0, 1])
