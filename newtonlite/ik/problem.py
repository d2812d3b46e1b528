"""Problems of one model: their residuals, the sum of the squares, and derivatives."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError, StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.ik.kinds import IKJacobianType
from newtonlite.ik.motion import PoseBuffers, advance_kernel, nudge_kernel
from newtonlite.ik.objectives import IKObjective
from newtonlite.sim.articulation_struct import articulation_struct

kernel_module(__name__)

NUDGE = 1.0e-3
"""Half of what freedoms are moved by for differences."""


@wp.kernel
def cost_kernel(residuals: wp.array2d[float], costs: wp.array[float]):
    """Sum of the squares of a row."""
    row = wp.tid()
    total = float(0.0)
    for i in range(residuals.shape[1]):
        total += residuals[row, i] * residuals[row, i]
    costs[row] = total


@wp.kernel
def difference_kernel(
    ahead: wp.array2d[float], behind: wp.array2d[float], first: int, count: int, scale: float, out: wp.array3d[float]
):
    """Derivatives of some residuals from rows moved ahead and behind along each freedom."""
    problem, dof, i = wp.tid()
    row = problem * out.shape[2] + dof
    out[problem, first + i, dof] = scale * (ahead[row, first + i] - behind[row, first + i])


class Candidates:
    """Candidates that are looked at together: ``source[row]`` is the problem whose coordinates they start from."""

    def __init__(self, model: Any, source: np.ndarray, problems: np.ndarray, residuals: int, with_twists: bool = False):
        device = model.device
        self.count = len(source)
        self.source = wp.array(source, dtype=int, device=device)
        self.problem = wp.array(problems[source], dtype=int, device=device)
        self.joint_q = wp.zeros((self.count, model.joint_coord_count), dtype=float, device=device)
        self.residuals = wp.zeros((self.count, residuals), dtype=float, device=device)
        self.costs = wp.zeros(self.count, dtype=float, device=device)
        self.poses = PoseBuffers(model, self.count, with_twists)


class Problem:
    """``n_batch`` problems with the same objectives; ``problem_idx`` says whose targets each has."""

    def __init__(
        self,
        model: Any,
        n_batch: int,
        objectives: Sequence[IKObjective],
        jacobian_mode: Any,
        problem_idx: Any,
        where: str,
    ):
        check_tree(model)
        self.model, self.n_batch, self.where = model, n_batch, where
        self.objectives = list(objectives)
        mode = IKJacobianType(jacobian_mode)
        self.problems = np.arange(n_batch) if problem_idx is None else problem_idx.numpy()
        sizes = [o.residual_dim() for o in self.objectives]
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(int).tolist()
        for objective, first in zip(self.objectives, self.first, strict=False):
            if mode is IKJacobianType.ANALYTIC and not objective.supports_analytic():
                raise ModelError(
                    f"{where}: Objective {type(objective).__name__} does not support analytic Jacobian; choose mode MIXED"
                )
            objective.bind_device(model.device)
            objective.set_batch_layout(self.first[-1], first, n_batch)
            objective.init_buffers(model, mode)
        self.rows = self.make_rows(np.arange(n_batch), with_twists=True)
        self.jacobian = wp.zeros((n_batch, self.first[-1], model.joint_dof_count), dtype=float, device=model.device)
        self._differenced = [i for i, o in enumerate(self.objectives) if not o.supports_analytic()]
        if self._differenced:
            source = np.repeat(np.arange(n_batch), model.joint_dof_count)
            self._sides = self.make_rows(source), self.make_rows(source)

    def make_rows(self, source: np.ndarray, with_twists: bool = False) -> Candidates:
        """Rows for candidates of the problems in ``source``."""
        return Candidates(self.model, source, self.problems, self.first[-1], with_twists)

    def evaluate(self, rows: Candidates) -> None:
        """Poses, residuals and costs of candidates at their coordinates."""
        rows.poses.find(rows.joint_q)
        for objective, first in zip(self.objectives, self.first, strict=False):
            objective.compute_residuals(
                rows.poses.body_q, rows.joint_q, self.model, rows.residuals, first, rows.problem
            )
        wp.launch(cost_kernel, rows.count, [rows.residuals], [rows.costs], device=self.model.device)

    def differentiate(self) -> None:
        """``jacobian`` of the problems where ``rows`` stand."""
        rows, model = self.rows, self.model
        for objective, first in zip(self.objectives, self.first, strict=False):
            if objective.supports_analytic():
                objective.compute_jacobian_analytic(
                    rows.poses.body_q, rows.joint_q, model, self.jacobian, rows.poses.twists, first
                )
        if not self._differenced or not model.joint_dof_count:
            return
        for side, size in zip(self._sides, (NUDGE, -NUDGE), strict=True):
            inputs = [articulation_struct(model), rows.joint_q, model.joint_dof_count, size]
            wp.launch(nudge_kernel, (side.count, model.joint_count), inputs, [side.joint_q], device=model.device)
            side.poses.find(side.joint_q)
            for i in self._differenced:
                self.objectives[i].compute_residuals(
                    side.poses.body_q, side.joint_q, model, side.residuals, self.first[i], side.problem
                )
        for i in self._differenced:
            count = self.first[i + 1] - self.first[i]
            inputs = [self._sides[0].residuals, self._sides[1].residuals, self.first[i], count, 0.5 / NUDGE]
            wp.launch(
                difference_kernel,
                (self.n_batch, model.joint_dof_count, count),
                inputs,
                [self.jacobian],
                device=model.device,
            )

    def advance(self, rows: Candidates, steps: wp.array, scales: wp.array) -> None:
        """Candidates: the problems' coordinates moved along ``steps`` [n_batch, dofs], times ``scales[row %
        len(scales)]``.
        """
        inputs = [articulation_struct(self.model), self.rows.joint_q, rows.source, steps, scales]
        wp.launch(
            advance_kernel, (rows.count, self.model.joint_count), inputs, [rows.joint_q], device=self.model.device
        )

    def check(self, joint_q: wp.array, name: str) -> None:
        """StateError for coordinates of another shape."""
        wanted = (self.n_batch, self.model.joint_coord_count)
        if joint_q.shape != wanted:
            raise StateError(f"{self.where}: {name} has incompatible shape {joint_q.shape}; give {wanted}")


def check_tree(model: Any) -> None:
    """ModelError for a body that two articulations, or two joints of one, move."""
    child = model.joint_child.numpy()[model.joint_articulation.numpy() >= 0]
    shared = np.flatnonzero(np.bincount(child, minlength=1) > 1)
    if len(shared):
        text = f"body {shared[0]} has multiple incoming articulation joints"
        raise ModelError(
            f"inverse kinematics: {text}; move each body by one, and leave out of the articulation the joint that closes a loop"
        )
