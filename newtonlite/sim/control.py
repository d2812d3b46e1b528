"""Control: joint targets, forces and controls applied to a scene."""

from typing import Any

import warp as wp

from newtonlite.sim.attributes import Removed, namespaces


class Control:
    """Forces and targets of the joints; made by ``Model.control()``.

    ``joint_f`` [joint_dof_count] forces [N or N m]; ``joint_target_q`` [joint_coord_count] and ``joint_target_qd``
    [joint_dof_count] what the drives follow; ``joint_act`` [joint_dof_count] feed-forward.  Custom attributes assigned
    to the control, such as ``control.mujoco.ctrl``, stand beside them.
    """

    joint_target_pos = Removed("joint_target_q")
    joint_target_vel = Removed("joint_target_qd")

    def __init__(self) -> None:
        self.joint_f: wp.array | None = None
        self.joint_target_q: wp.array | None = None
        self.joint_target_qd: wp.array | None = None
        self.joint_act: wp.array | None = None
        self.tri_activations = None
        self.tet_activations = None
        self.muscle_activations = None

    def clear(self, model: Any = None) -> None:
        """Set all forces, targets and custom values to zero; targets that are rotations to those of ``model``, where
        given.
        """
        for owner in (self, *namespaces(self)):
            for value in vars(owner).values():
                if isinstance(value, wp.array):
                    value.zero_()
        if model is not None and self.joint_target_q is not None:
            wp.copy(self.joint_target_q, model.joint_target_q)
