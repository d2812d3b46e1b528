"""Poses of bodies that somebody wrote into a state, and that no step reads: joint coordinates and frames say where bodies
are.
"""

import warnings

import numpy as np

from newtonlite.core.errors import NewtonWarning, external
from newtonlite.sim.articulation import eval_fk

NEAR = 1e-4
"""Difference [m, or of quaternions] of poses that rounding of kinematics may make."""
MOST_NAMED = 3


class IgnoredPoses:
    """Looks at each state when a solver is given it for the first time, unless the solver has filled it before: nothing
    is looked at while states go round.
    """

    def __init__(self, model):
        self.model = model
        self.known: set[int] = set()
        self.frames = [a.numpy().copy() for a in (model.joint_X_p, model.joint_X_c) if a is not None]

    def look(self, state_in, state_out) -> None:
        """Warn of bodies whose poses were changed in ``state_in`` without their coordinates. Waits for the device."""
        poses = state_in.body_q
        known = poses is None or poses.ptr in self.known
        self.known |= {a.ptr for a in (poses, state_out.body_q) if a is not None}
        if known or self.model.device.is_capturing or not self.model.body_count:
            return
        moved = differ(poses.numpy(), self.model.body_q.numpy()) & self._left(state_in)
        if moved.any():
            seen = self.model.state()
            eval_fk(self.model, state_in.joint_q, state_in.joint_qd, seen)
            self._warn(np.flatnonzero(moved & differ(poses.numpy(), seen.body_q.numpy())))

    def _left(self, state) -> np.ndarray:
        """Bodies whose own coordinates are the model's still, and so are those of all above them; but for roots that were
        moved by their joints, whose earlier poses may be in copies of states.
        """
        m = self.model
        left = np.ones(m.body_count, bool)
        if not m.joint_count:
            return left
        starts = m.joint_q_start.numpy()
        changed = np.zeros(max(m.joint_coord_count, 1) + 1, int)
        if m.joint_coord_count:
            changed[1 : m.joint_coord_count + 1] = np.cumsum(state.joint_q.numpy() != m.joint_q.numpy())
        ends = np.append(starts[1 : m.joint_count], m.joint_coord_count)
        own = changed[ends] == changed[starts[: m.joint_count]]
        for frame, now in zip(self.frames, (m.joint_X_p, m.joint_X_c), strict=True):
            own &= (frame == now.numpy()).all(1)
        children, parents = m.joint_child.numpy(), m.joint_parent.numpy()
        root = parents < 0
        left[children[root]] = own[root]
        left[children[~root]] = changed[m.joint_coord_count] == 0
        return left

    def _warn(self, bodies: np.ndarray) -> None:
        """Say which bodies stay where they are, and how they are moved."""
        if not len(bodies):
            return
        names = ", ".join(f"'{self.model.body_label[b]}'" for b in bodies[:MOST_NAMED])
        more = f" and {len(bodies) - MOST_NAMED} more" if len(bodies) > MOST_NAMED else ""
        text = (
            f"state.body_q: poses were written for {names}{more}, which has no effect; set state.joint_q (eval_ik makes it "
            "of poses), or, of a body fixed to the world, model.joint_X_p, and call notify_model_changed"
        )
        warnings.warn(text, NewtonWarning, stacklevel=external())


def differ(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Mask of the poses [n, 7] that are not the same, but for the sign of their quaternions."""
    size = 1.0 + np.abs(one[:, :3]).max(1)
    apart = np.abs(one[:, :3] - two[:, :3]).max(1) > NEAR * size
    same = np.abs(one[:, 3:] - two[:, 3:]).max(1) <= NEAR
    opposite = np.abs(one[:, 3:] + two[:, 3:]).max(1) <= NEAR
    return apart | ~(same | opposite)
