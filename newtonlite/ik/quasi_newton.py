"""Limited-memory BFGS."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.ik.kinds import IKJacobianType
from newtonlite.ik.objectives import IKObjective
from newtonlite.ik.problem import Problem

kernel_module(__name__)

ALPHAS = (0.1, 0.2, 0.5, 0.8, 1.0, 1.5, 2.0, 3.0)
"""Lengths that a line search tries."""


@wp.kernel
def gradient_kernel(jacobian: wp.array3d[float], residuals: wp.array2d[float], gradient: wp.array2d[float]):
    """``2 J^T r``."""
    problem, i = wp.tid()
    total = float(0.0)
    for k in range(residuals.shape[1]):
        total += jacobian[problem, k, i] * residuals[problem, k]
    gradient[problem, i] = 2.0 * total


@wp.func
def dot(a: wp.array[float], b: wp.array[float]) -> float:
    """Inner product."""
    total = float(0.0)
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@wp.kernel
def direction_kernel(
    gradient: wp.array2d[float],
    previous: wp.array2d[float],
    moved: wp.array2d[float],
    steps: wp.array3d[float],
    changes: wp.array3d[float],
    used: wp.array[int],
    next_slot: wp.array[int],
    scale: wp.array[float],
    weights: wp.array2d[float],
    direction: wp.array2d[float],
    slope: wp.array[float],
):
    """Remember what the last step did to the gradient, then go down along it by the two-loop recursion; ``moved`` is
    that step, 0: none.
    """
    problem = wp.tid()
    dofs = gradient.shape[1]
    room = steps.shape[1]
    curvature = float(0.0)
    square = float(0.0)
    for i in range(dofs):
        curvature += moved[problem, i] * (gradient[problem, i] - previous[problem, i])
        square += moved[problem, i] * moved[problem, i]
    if curvature > 1.0e-6 * square and square > 0.0:
        slot = next_slot[problem]
        for i in range(dofs):
            steps[problem, slot, i] = moved[problem, i]
            changes[problem, slot, i] = gradient[problem, i] - previous[problem, i]
        next_slot[problem] = (slot + 1) % room
        used[problem] = wp.min(used[problem] + 1, room)

    for i in range(dofs):
        direction[problem, i] = gradient[problem, i]
        previous[problem, i] = gradient[problem, i]
    first = scale[problem]
    for back in range(used[problem]):
        slot = (next_slot[problem] - 1 - back + 2 * room) % room
        sy = dot(steps[problem, slot], changes[problem, slot])
        if back == 0:
            first = sy / dot(changes[problem, slot], changes[problem, slot])
        weight = dot(steps[problem, slot], direction[problem]) / sy
        weights[problem, slot] = weight
        for i in range(dofs):
            direction[problem, i] = direction[problem, i] - weight * changes[problem, slot, i]
    for i in range(dofs):
        direction[problem, i] = first * direction[problem, i]
    for forth in range(used[problem]):
        slot = (next_slot[problem] - used[problem] + forth + 2 * room) % room
        weight = weights[problem, slot] - dot(changes[problem, slot], direction[problem]) / dot(
            steps[problem, slot], changes[problem, slot]
        )
        for i in range(dofs):
            direction[problem, i] = direction[problem, i] + weight * steps[problem, slot, i]
    for i in range(dofs):
        direction[problem, i] = -direction[problem, i]
    slope[problem] = dot(direction[problem], gradient[problem])


@wp.kernel
def choose_kernel(
    alphas: wp.array[float],
    trial_q: wp.array2d[float],
    trial_costs: wp.array[float],
    direction: wp.array2d[float],
    slope: wp.array[float],
    armijo: float,
    start: float,
    joint_q: wp.array2d[float],
    costs: wp.array[float],
    moved: wp.array2d[float],
    used: wp.array[int],
    scale: wp.array[float],
):
    """Go the length with the lowest cost of those that lower it enough; where none does, forget the past and try
    shorter steps.
    """
    problem = wp.tid()
    count = alphas.shape[0]
    best = int(-1)
    lowest = costs[problem]
    for k in range(count):
        cost = trial_costs[problem * count + k]
        if cost < lowest and cost <= costs[problem] + armijo * alphas[k] * slope[problem]:
            best = k
            lowest = cost
    length = float(0.0)
    if best >= 0:
        length = alphas[best]
        for i in range(joint_q.shape[1]):
            joint_q[problem, i] = trial_q[problem * count + best, i]
        costs[problem] = lowest
        scale[problem] = wp.min(2.0 * scale[problem], start)
    else:
        if used[problem] == 0:
            scale[problem] = 0.1 * scale[problem]
        used[problem] = 0
    for i in range(moved.shape[1]):
        moved[problem, i] = length * direction[problem, i]


class IKOptimizerLBFGS:
    """Quasi-Newton steps from the last ``history_len`` steps, each as long as the best of ``line_search_alphas``.

    ``h0_scale`` is the inverse of the curvature where nothing is known of it, ``wolfe_c1`` the share of the slope's
    decrease that a length has to reach. ``wolfe_c2`` is taken for Newton's sake: of the lengths that do, the one with
    the lowest cost is gone, whatever its slope.
    """

    def __init__(
        self,
        model: Any,
        n_batch: int,
        objectives: Sequence[IKObjective],
        jacobian_mode: IKJacobianType = IKJacobianType.AUTODIFF,
        history_len: int = 10,
        h0_scale: float = 1.0,
        line_search_alphas: Sequence[float] | None = None,
        wolfe_c1: float = 1e-4,
        wolfe_c2: float = 0.9,
        *,
        problem_idx: wp.array | None = None,
    ):
        if history_len < 1:
            raise ModelError(f"IKOptimizerLBFGS history_len: {history_len}; keep at least one step")
        self.problem = Problem(model, n_batch, objectives, jacobian_mode, problem_idx, "IKOptimizerLBFGS")
        self.model, self.n_batch, self.h0_scale = model, n_batch, h0_scale
        self.wolfe_c1, self.wolfe_c2 = wolfe_c1, wolfe_c2
        dofs, device = model.joint_dof_count, model.device
        lengths = list(ALPHAS if line_search_alphas is None else line_search_alphas)
        self.alphas = wp.array(lengths, dtype=float, device=device)
        self.costs = self.problem.rows.costs
        self.trial = self.problem.make_rows(np.repeat(np.arange(n_batch), len(lengths)))
        self.gradient, self.previous, self.moved, self.direction = (
            wp.zeros((n_batch, dofs), dtype=float, device=device) for _ in range(4)
        )
        self.steps, self.changes = (
            wp.zeros((n_batch, history_len, dofs), dtype=float, device=device) for _ in range(2)
        )
        self.weights = wp.zeros((n_batch, history_len), dtype=float, device=device)
        self.used, self.next_slot = (wp.zeros(n_batch, dtype=int, device=device) for _ in range(2))
        self.scale = wp.full(n_batch, h0_scale, dtype=float, device=device)
        self.slope = wp.zeros(n_batch, dtype=float, device=device)

    def reset(self) -> None:
        """Reset the history of steps."""
        for array in (self.used, self.next_slot, self.moved):
            array.zero_()
        self.scale.fill_(self.h0_scale)

    def compute_costs(self, joint_q: wp.array) -> wp.array:
        """Sum of the squared residuals of each problem at ``joint_q`` [n_batch, joint_coord_count]."""
        self.problem.check(joint_q, "joint_q")
        wp.copy(self.problem.rows.joint_q, joint_q)
        self.problem.evaluate(self.problem.rows)
        return self.costs

    def step(self, joint_q_in: wp.array, joint_q_out: wp.array, iterations: int = 50) -> None:
        """Improve ``joint_q_in`` [n_batch, joint_coord_count] that often; the arrays may be one."""
        for name, array in (("joint_q_in", joint_q_in), ("joint_q_out", joint_q_out)):
            self.problem.check(array, name)
        rows, device = self.problem.rows, self.model.device
        wp.copy(rows.joint_q, joint_q_in)
        for _ in range(iterations):
            self.problem.evaluate(rows)
            self.problem.differentiate()
            wp.launch(
                gradient_kernel,
                self.gradient.shape,
                [self.problem.jacobian, rows.residuals],
                [self.gradient],
                device=device,
            )
            inputs = [
                self.gradient,
                self.previous,
                self.moved,
                self.steps,
                self.changes,
                self.used,
                self.next_slot,
                self.scale,
            ]
            wp.launch(direction_kernel, self.n_batch, inputs, [self.weights, self.direction, self.slope], device=device)
            self.problem.advance(self.trial, self.direction, self.alphas)
            self.problem.evaluate(self.trial)
            inputs = [
                self.alphas,
                self.trial.joint_q,
                self.trial.costs,
                self.direction,
                self.slope,
                self.wolfe_c1,
                self.h0_scale,
            ]
            outputs = [rows.joint_q, rows.costs, self.moved, self.used, self.scale]
            wp.launch(choose_kernel, self.n_batch, inputs, outputs, device=device)
        wp.copy(joint_q_out, rows.joint_q)
