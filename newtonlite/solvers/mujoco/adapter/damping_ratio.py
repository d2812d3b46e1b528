"""Damping ratios: the damping of joint targets that a servo's ratio came to."""

from typing import Any

import numpy as np

from newtonlite.solvers.mujoco.compile.actuator_rows import ControlSource


def publish_damping(model: Any, engines: list) -> None:
    """Write what the ratios of position servos came to into ``joint_target_kd`` [N s/m, N m s/rad] of the joints whose
    targets they follow, where it is 0.
    """
    damping = None
    for engine in engines:
        # the servos with a ratio in any world that follow the target of a coordinate
        mj, count = engine.mj_model, int(engine.mj_model.nactuator)
        if not (count and np.any(mj.actuator_dampratio)):
            continue
        ratio = engine.mjw_model.actuator_dampratio.numpy() > 0.0
        first = np.cumsum([0, *np.asarray(mj.actuator_ctrlnum)])[:count]
        followers = ratio.any(axis=0) & (np.asarray(mj.actuator_ctrlnum) > 0)
        followers[followers] = np.asarray(mj.ctrl_from)[first[followers]] == ControlSource.TARGET_Q
        servos = np.flatnonzero(followers)
        dofs = np.asarray(mj.newton_dof)[np.asarray(mj.jnt_dofadr)[np.asarray(mj.actuator_trnid)[servos, 0]]]
        # their dofs in every world, and minus the bias that is proportional to the velocity
        rows = engine.worlds_view.rows("dof")[:, dofs]
        found = -engine.mjw_model.actuator_biasprm.numpy()[:, servos, 2]
        damping = model.joint_target_kd.numpy() if damping is None else damping
        free = np.broadcast_to(ratio[:, servos], rows.shape) & (damping[rows] == 0)
        damping[rows[free]] = np.broadcast_to(found, rows.shape)[free]
    if damping is not None:
        model.joint_target_kd.assign(damping)
