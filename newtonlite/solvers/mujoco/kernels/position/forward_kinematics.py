"""Forward kinematics: poses of all bodies from joint positions, root to leaf; the engine's kinematics and a solver's
pull share it.

One lane takes bodies in order, in vectors of four, with the sines of 16 half angles at a time; a team takes them level
by level.
"""

import warp as wp

from newtonlite.core.mujoco import MjtJoint
from newtonlite.core.native import header
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1, INDEX, QUAT, SPATIAL, VEC3

native = header(__file__, FREE=MjtJoint.FREE, SLIDE=MjtJoint.SLIDE, HINGE=MjtJoint.HINGE)


@wp.func_native(native("forward_kinematics"))
def forward_kinematics(
    body_parentid: INDEX,
    body_jntadr: INDEX,
    body_jntnum: INDEX,
    body_mocapid: INDEX,
    jnt_type: INDEX,
    jnt_qposadr: INDEX,
    jnt_dofadr: INDEX,
    level_adr: INDEX,
    level_body: INDEX,
    body_pos: VEC3,
    body_quat: QUAT,
    jnt_pos: VEC3,
    jnt_axis: VEC3,
    qpos0: A1,
    qpos: A1,
    qvel: A1,
    mocap_pos: VEC3,
    mocap_quat: QUAT,
    xpos: VEC3,
    xquat: QUAT,
    xanchor: VEC3,
    xaxis: VEC3,
    xvel: SPATIAL,
    moving: int,
    world: int,
    lane: int,
    nlane: int,
):
    """``x_b = x_parent o X_b o prod_j exp(S_j (q_j - q0_j))`` for all bodies but the world, which must be there in
    ``xpos`` and ``xquat``.

    ``moving`` 0: with the joints' anchors and axes; 1: with the velocities of the bodies' origins and their angular
    ones in the world frame, ``xvel``, instead; the world's must be there.
    """
    ...
