"""Levenberg-Marquardt."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import JointType
from newtonlite.core.errors import DeviceError, ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.ik.kinds import IKJacobianType
from newtonlite.ik.objectives import IKObjective
from newtonlite.ik.problem import Problem

kernel_module(__name__)


@wp.kernel
def normal_kernel(
    jacobian: wp.array3d[float],
    residuals: wp.array2d[float],
    damping: wp.array[float],
    free: wp.array[wp.bool],
    matrix: wp.array3d[float],
    slope: wp.array2d[float],
):
    """A row of ``J^T J + damping`` and of ``J^T r`` per thread, of the freedoms that may move."""
    problem, i = wp.tid()
    total = float(0.0)
    for k in range(residuals.shape[1]):
        total += jacobian[problem, k, i] * residuals[problem, k]
    if not free[i]:
        total = 0.0
    slope[problem, i] = total
    for j in range(i + 1):
        entry = float(0.0)
        if free[i] and free[j]:
            for k in range(residuals.shape[1]):
                entry += jacobian[problem, k, i] * jacobian[problem, k, j]
        if i == j:
            entry += damping[problem]
        matrix[problem, i, j] = entry


@wp.kernel
def solve_kernel(
    matrix: wp.array3d[float],
    slope: wp.array2d[float],
    damping: wp.array[float],
    free: wp.array[wp.bool],
    step: wp.array2d[float],
    predicted: wp.array[float],
):
    """``step = -(J^T J + damping)^-1 J^T r`` of a problem, by Cholesky in place, and the decrease it promises."""
    problem = wp.tid()
    n = slope.shape[1]
    for j in range(n):
        pivot = matrix[problem, j, j]
        for k in range(j):
            pivot -= matrix[problem, j, k] * matrix[problem, j, k]
        pivot = wp.sqrt(wp.max(pivot, 1.0e-7 * matrix[problem, j, j] + 1.0e-12))
        matrix[problem, j, j] = pivot
        for i in range(j + 1, n):
            total = matrix[problem, i, j]
            for k in range(j):
                total -= matrix[problem, i, k] * matrix[problem, j, k]
            matrix[problem, i, j] = total / pivot
    for i in range(n):
        total = -slope[problem, i]
        for k in range(i):
            total -= matrix[problem, i, k] * step[problem, k]
        step[problem, i] = total / matrix[problem, i, i]
    promise = float(0.0)
    for back in range(n):
        i = n - 1 - back
        total = step[problem, i]
        for k in range(i + 1, n):
            total -= matrix[problem, k, i] * step[problem, k]
        value = total / matrix[problem, i, i]
        if not free[i]:
            value = 0.0
        step[problem, i] = value
        promise += value * (damping[problem] * value - slope[problem, i])
    predicted[problem] = promise


@wp.kernel
def judge_kernel(
    trial_q: wp.array2d[float],
    trial_costs: wp.array[float],
    predicted: wp.array[float],
    factor: float,
    smallest: float,
    largest: float,
    threshold: float,
    joint_q: wp.array2d[float],
    costs: wp.array[float],
    damping: wp.array[float],
):
    """Take a step that keeps enough of its promise, and damp less; else damp more."""
    problem = wp.tid()
    gain = costs[problem] - trial_costs[problem]
    if gain >= threshold * predicted[problem] and gain > 0.0:
        for i in range(joint_q.shape[1]):
            joint_q[problem, i] = trial_q[problem, i]
        costs[problem] = trial_costs[problem]
        damping[problem] = wp.max(damping[problem] / factor, smallest)
    else:
        damping[problem] = wp.min(damping[problem] * factor, largest)


class IKOptimizerLM:
    """Damped Gauss-Newton: each problem has its own damping, divided by ``lambda_factor`` after a good step and
    multiplied after a bad one.

    ``rho_min`` is the share of the promised decrease that makes a step good. Freedoms that are False in
    ``joint_dof_mask`` stay.
    """

    def __init__(
        self,
        model: Any,
        n_batch: int,
        objectives: Sequence[IKObjective],
        lambda_initial: float = 0.1,
        jacobian_mode: IKJacobianType = IKJacobianType.AUTODIFF,
        lambda_factor: float = 2.0,
        lambda_min: float = 1e-5,
        lambda_max: float = 1e10,
        rho_min: float = 1e-3,
        *,
        problem_idx: wp.array | None = None,
        joint_dof_mask: wp.array | None = None,
    ):
        self.free = wp.full(model.joint_dof_count, True, dtype=wp.bool, device=model.device)
        if joint_dof_mask is not None:
            check_mask(model, joint_dof_mask)
            self.free = joint_dof_mask
        self.problem = Problem(model, n_batch, objectives, jacobian_mode, problem_idx, "IKOptimizerLM")
        self.model, self.n_batch = model, n_batch
        self.lambda_initial, self.lambda_factor, self.rho_min = lambda_initial, lambda_factor, rho_min
        self.lambda_min, self.lambda_max = lambda_min, lambda_max
        count, device = model.joint_dof_count, model.device
        self.costs = self.problem.rows.costs
        self.trial = self.problem.make_rows(np.arange(n_batch))
        self.lambda_values = wp.full(n_batch, lambda_initial, dtype=float, device=device)
        self.matrix = wp.zeros((n_batch, count, count), dtype=float, device=device)
        self.slope, self.steps = (wp.zeros((n_batch, count), dtype=float, device=device) for _ in range(2))
        self.predicted = wp.zeros(n_batch, dtype=float, device=device)

    def reset(self) -> None:
        """Damp as in the beginning."""
        self.lambda_values.fill_(self.lambda_initial)

    def compute_costs(self, joint_q: wp.array) -> wp.array:
        """Sum of the squared residuals of each problem at ``joint_q`` [n_batch, joint_coord_count]."""
        self.problem.check(joint_q, "joint_q")
        wp.copy(self.problem.rows.joint_q, joint_q)
        self.problem.evaluate(self.problem.rows)
        return self.costs

    def step(self, joint_q_in: wp.array, joint_q_out: wp.array, iterations: int = 10, step_size: float = 1.0) -> None:
        """Improve ``joint_q_in`` [n_batch, joint_coord_count] that often, each time by ``step_size`` of the step; the
        arrays may be one.
        """
        for name, array in (("joint_q_in", joint_q_in), ("joint_q_out", joint_q_out)):
            self.problem.check(array, name)
        rows, device = self.problem.rows, self.model.device
        scale = wp.full(1, step_size, dtype=float, device=device)
        wp.copy(rows.joint_q, joint_q_in)
        for _ in range(iterations):
            self.problem.evaluate(rows)
            self.problem.differentiate()
            inputs = [self.problem.jacobian, rows.residuals, self.lambda_values, self.free]
            wp.launch(normal_kernel, self.slope.shape, inputs, [self.matrix, self.slope], device=device)
            inputs = [self.matrix, self.slope, self.lambda_values, self.free]
            wp.launch(solve_kernel, self.n_batch, inputs, [self.steps, self.predicted], device=device)
            self.problem.advance(self.trial, self.steps, scale)
            self.problem.evaluate(self.trial)
            inputs = [
                self.trial.joint_q,
                self.trial.costs,
                self.predicted,
                self.lambda_factor,
                self.lambda_min,
                self.lambda_max,
                self.rho_min,
            ]
            wp.launch(judge_kernel, self.n_batch, inputs, [rows.joint_q, rows.costs, self.lambda_values], device=device)
        wp.copy(joint_q_out, rows.joint_q)


def check_mask(model: Any, mask: wp.array) -> None:
    """Raise for a mask of another kind, or one that lets a rotation turn in part."""
    if mask.dtype != wp.bool:
        raise ModelError(f"joint_dof_mask must have dtype wp.bool, not {mask.dtype.__name__}")
    if mask.shape != (model.joint_dof_count,):
        raise ModelError(
            f"joint_dof_mask must have shape [joint_dof_count] = [{model.joint_dof_count}], not {list(mask.shape)}"
        )
    if mask.device != model.device:
        raise DeviceError(f"joint_dof_mask must be on the model device {model.device}, not on {mask.device}")
    starts, kinds, values = model.joint_qd_start.numpy(), model.joint_type.numpy(), mask.numpy()
    for joint in np.flatnonzero(np.isin(kinds, (JointType.FREE, JointType.DISTANCE, JointType.BALL))):
        part = values[starts[joint] : starts[joint + 1]]
        if part.any() and not part.all():
            raise ModelError(
                f"joint_dof_mask: dofs of joint {joint}, a {JointType(int(kinds[joint])).name} joint, must all be masked together"
            )
