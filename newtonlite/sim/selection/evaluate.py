"""Evaluation methods of an articulation view: kinematics, Jacobian, mass matrix."""

import warnings
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import NewtonDeprecationWarning
from newtonlite.sim.articulation import eval_fk
from newtonlite.sim.dynamics import eval_inverse_dynamics_force, eval_inverse_dynamics_passive
from newtonlite.sim.jacobian import NO_ARMATURE, eval_jacobian, mass_matrix


class EvaluateMethods:
    """The view's methods that compute; ``mask`` is bool [world] or [world, articulation]."""

    def get_model_articulation_mask(self, mask: Any = None) -> wp.array:
        """Bool [articulation_count]: the view's articulations, those of ``mask`` where given."""
        wanted = self._mask(mask).numpy().astype(bool)
        found = np.zeros(self.model.articulation_count, bool)
        found[self.layout.articulations[wanted]] = True
        return wp.array(found, dtype=wp.bool, device=self.model.device)

    def eval_fk(self, target: Any, mask: Any = None, *, joint_mask: wp.array | None = None) -> None:
        """Poses and velocities of the view's links from the joint coordinates of a state (or model)."""
        chosen_ones = self.get_model_articulation_mask(mask)
        eval_fk(self.model, target.joint_q, target.joint_qd, target, mask=chosen_ones, joint_mask=joint_mask)

    def eval_jacobian(self, state: Any, J: Any = None, joint_S_s: Any = None, mask: Any = None) -> Any:
        """``newtonlite.eval_jacobian`` for the view's articulations."""
        return eval_jacobian(self.model, state, J, joint_S_s, self.get_model_articulation_mask(mask))

    def eval_mass_matrix(
        self,
        state: Any,
        H: Any = None,
        J: Any = None,
        body_I_s: Any = None,
        joint_S_s: Any = None,
        mask: Any = None,
        *,
        include_armature: bool = True,
    ) -> Any:
        """``newtonlite.eval_mass_matrix`` for the view's articulations."""
        if not include_armature:
            warnings.warn(NO_ARMATURE, NewtonDeprecationWarning, stacklevel=2)
        return mass_matrix(self.model, state, H, J, joint_S_s, self.get_model_articulation_mask(mask), include_armature)

    def eval_inverse_dynamics_passive(self, state: Any, *, mask: Any = None, **arrays: wp.array) -> None:
        """``newtonlite.eval_inverse_dynamics_passive`` for the view's articulations."""
        eval_inverse_dynamics_passive(self.model, state, mask=self.get_model_articulation_mask(mask), **arrays)

    def eval_inverse_dynamics_force(self, state: Any, *, mask: Any = None, **arrays: wp.array) -> None:
        """``newtonlite.eval_inverse_dynamics_force`` for the view's articulations."""
        eval_inverse_dynamics_force(self.model, state, mask=self.get_model_articulation_mask(mask), **arrays)
