"""IKSolver: problems solved from one start each, or from the best of several."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError, StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.ik.damped import IKOptimizerLM
from newtonlite.ik.kinds import IKJacobianType, IKOptimizer, IKSampler
from newtonlite.ik.objectives import IKObjective, coordinates_of_dofs
from newtonlite.ik.quasi_newton import IKOptimizerLBFGS

kernel_module(__name__)

WIDE = 1.0e5
"""Limits that are further apart than this [m, rad] are none."""

_NONE, _GAUSS, _UNIFORM, _ROBERTS = (wp.constant(i) for i in range(4))
_KINDS = {IKSampler.NONE: _NONE, IKSampler.GAUSS: _GAUSS, IKSampler.UNIFORM: _UNIFORM, IKSampler.ROBERTS: _ROBERTS}


@wp.kernel
def sample_kernel(
    kind: int,
    joint_q: wp.array2d[float],
    seeds: int,
    noise: float,
    lower: wp.array[float],
    upper: wp.array[float],
    basis: wp.array[float],
    draw: wp.array[wp.uint32],
    out: wp.array2d[float],
):
    """A coordinate of a seed per thread. Coordinates without limits (``lower`` above ``upper``) get noise or stay; so
    do rotations.
    """
    row, i = wp.tid()
    seed = row % seeds
    value = joint_q[row / seeds, i]
    low = lower[i]
    high = upper[i]
    state = wp.rand_init(int(draw[0]), row * out.shape[1] + i)
    if kind == _GAUSS and seed > 0:
        value += noise * wp.randn(state)
        if low <= high:
            value = wp.clamp(value, low, high)
    elif low <= high and kind == _UNIFORM:
        value = low + wp.randf(state) * (high - low)
    elif low <= high and kind == _ROBERTS:
        turns = float(seed) * basis[i]
        value = low + (turns - wp.floor(turns)) * (high - low)
    out[row, i] = value


@wp.kernel
def unit_kernel(rotations: wp.array[int], out: wp.array2d[float]):
    """Give quaternions their length back."""
    row, k = wp.tid()
    at = rotations[k]
    turn = wp.normalize(wp.quat(out[row, at], out[row, at + 1], out[row, at + 2], out[row, at + 3]))
    for i in range(4):
        out[row, at + i] = turn[i]


@wp.kernel
def count_kernel(draw: wp.array[wp.uint32]):
    """The next draw."""
    draw[0] = draw[0] + wp.uint32(1)


@wp.kernel
def best_kernel(
    costs: wp.array[float], seeds: int, joint_q: wp.array2d[float], best: wp.array[int], out: wp.array2d[float]
):
    """The coordinates of the seed with the lowest cost."""
    problem = wp.tid()
    chosen = int(0)
    for seed in range(1, seeds):
        if costs[problem * seeds + seed] < costs[problem * seeds + chosen]:
            chosen = seed
    best[problem] = chosen
    for i in range(out.shape[1]):
        out[problem, i] = joint_q[problem * seeds + chosen, i]


class IKSolver:
    """Inverse kinematics of ``n_problems`` poses of one model, which share the objectives and differ in their targets.

    Each problem starts from ``n_seeds`` places, which ``sampler`` chooses (``IKSampler``), and keeps the best. Poses
    follow the joints of articulations; loops are not closed. ``lambda_*``, ``rho_min`` and ``joint_dof_mask`` are for
    ``IKOptimizerLM``, ``history_len``, ``h0_scale``, ``line_search_alphas`` and ``wolfe_*`` for ``IKOptimizerLBFGS``.
    """

    def __init__(
        self,
        model: Any,
        n_problems: int,
        objectives: Sequence[IKObjective],
        *,
        optimizer: IKOptimizer | str = IKOptimizer.LM,
        jacobian_mode: IKJacobianType | str = IKJacobianType.AUTODIFF,
        sampler: IKSampler | str = IKSampler.NONE,
        n_seeds: int = 1,
        noise_std: float = 0.1,
        rng_seed: int = 12345,
        lambda_initial: float = 0.1,
        lambda_factor: float = 2.0,
        lambda_min: float = 1e-5,
        lambda_max: float = 1e10,
        rho_min: float = 1e-3,
        joint_dof_mask: wp.array | None = None,
        history_len: int = 10,
        h0_scale: float = 1.0,
        line_search_alphas: Sequence[float] | None = None,
        wolfe_c1: float = 1e-4,
        wolfe_c2: float = 0.9,
    ):
        optimizer, sampler, jacobian_mode = IKOptimizer(optimizer), IKSampler(sampler), IKJacobianType(jacobian_mode)
        if n_seeds < 1:
            raise ModelError(f"IKSolver: n_seeds must be >= 1, not {n_seeds}")
        if sampler is IKSampler.NONE and n_seeds != 1:
            raise ModelError(f"IKSolver: sampler 'none' requires n_seeds == 1, not {n_seeds}; choose another sampler")
        if joint_dof_mask is not None and optimizer is not IKOptimizer.LM:
            raise ModelError("IKSolver: joint_dof_mask is only supported by the LM optimizer; choose it")
        if joint_dof_mask is not None and sampler is not IKSampler.NONE:
            raise ModelError("IKSolver: joint_dof_mask requires sampler='none'; others move all joints")
        self.model, self.objectives, self.n_problems, self.n_seeds = model, objectives, n_problems, n_seeds
        self.optimizer_type, self.sampler, self.noise_std, self.rng_seed = optimizer, sampler, noise_std, rng_seed
        self.device = model.device
        count = n_problems * n_seeds
        problem_idx = wp.array(np.repeat(np.arange(n_problems), n_seeds), dtype=int, device=model.device)
        common = {"jacobian_mode": jacobian_mode, "problem_idx": problem_idx}
        if optimizer is IKOptimizer.LM:
            damping = {
                "lambda_initial": lambda_initial,
                "lambda_factor": lambda_factor,
                "lambda_min": lambda_min,
                "lambda_max": lambda_max,
            }
            self._impl = IKOptimizerLM(
                model, count, objectives, rho_min=rho_min, joint_dof_mask=joint_dof_mask, **damping, **common
            )
        else:
            search = {"line_search_alphas": line_search_alphas, "wolfe_c1": wolfe_c1, "wolfe_c2": wolfe_c2}
            self._impl = IKOptimizerLBFGS(
                model, count, objectives, history_len=history_len, h0_scale=h0_scale, **search, **common
            )
        self._seeds = wp.zeros((count, model.joint_coord_count), dtype=float, device=model.device)
        self.best_indices = wp.zeros(n_problems, dtype=int, device=model.device)
        self._draw = wp.full(1, rng_seed, dtype=wp.uint32, device=model.device)
        self._find_limits()

    def _find_limits(self) -> None:
        """Limits of each coordinate, the first one above the second where there are none; and where quaternions are."""
        model, count = self.model, self.model.joint_coord_count
        lower, upper, coordinate = np.ones(count, np.float32), -np.ones(count, np.float32), coordinates_of_dofs(model)
        low, high = model.joint_limit_lower.numpy(), model.joint_limit_upper.numpy()
        own = (coordinate >= 0) & (high - low < WIDE)
        lower[coordinate[own]], upper[coordinate[own]] = low[own], high[own]
        q = model.joint_q_start.numpy()
        turns = np.array(
            [
                q[j + 1] - 4
                for j in range(model.joint_count)
                if q[j + 1] - q[j] >= 4 and not np.isin(np.arange(q[j], q[j + 1]), coordinate).any()
            ],
            int,
        )
        self._lower, self._upper = (wp.array(a, dtype=float, device=model.device) for a in (lower, upper))
        self._turns = wp.array(turns, dtype=int, device=model.device)
        self._basis = wp.array(roberts_basis(count), dtype=float, device=model.device)

    def step(self, joint_q_in: wp.array, joint_q_out: wp.array, iterations: int = 50, step_size: float = 1.0) -> None:
        """Solve all problems from ``joint_q_in`` [n_problems, joint_coord_count] into ``joint_q_out``, which may be the
        same array.
        """
        shape = (self.n_problems, self.model.joint_coord_count)
        for name, array in (("joint_q_in", joint_q_in), ("joint_q_out", joint_q_out)):
            if array.shape != shape:
                raise StateError(f"IKSolver: {name} has incompatible shape {array.shape}; give {shape}")
        self._sample(joint_q_in)
        self._impl.reset()
        options = {"step_size": step_size} if self.optimizer_type is IKOptimizer.LM else {}
        self._impl.step(self._seeds, self._seeds, iterations=iterations, **options)
        self._impl.compute_costs(self._seeds)
        outputs = [self.best_indices, joint_q_out]
        wp.launch(best_kernel, self.n_problems, [self.costs, self.n_seeds, self._seeds], outputs, device=self.device)

    def reset(self) -> None:
        """Reset the optimizer's memory, and start the random numbers again."""
        self._impl.reset()
        self.best_indices.zero_()
        self._draw.fill_(self.rng_seed)

    def compute_costs(self, joint_q: wp.array) -> wp.array:
        """Sum of the squared residuals of each seed at ``joint_q`` [n_problems * n_seeds, joint_coord_count]."""
        return self._impl.compute_costs(joint_q)

    @property
    def joint_q(self) -> wp.array:
        """Coordinates of all seeds, [n_problems * n_seeds, joint_coord_count]."""
        return self._seeds

    @property
    def costs(self) -> wp.array:
        """Their costs after the last ``step``."""
        return self._impl.costs

    def _sample(self, joint_q: wp.array) -> None:
        inputs = [
            _KINDS[self.sampler],
            joint_q,
            self.n_seeds,
            self.noise_std,
            self._lower,
            self._upper,
            self._basis,
            self._draw,
        ]
        wp.launch(sample_kernel, self._seeds.shape, inputs, [self._seeds], device=self.device)
        if self.sampler is IKSampler.GAUSS and len(self._turns):
            wp.launch(
                unit_kernel, (len(self._seeds), len(self._turns)), [self._turns], [self._seeds], device=self.device
            )
        wp.launch(count_kernel, 1, [], [self._draw], device=self.device)


def roberts_basis(count: int) -> np.ndarray:
    """``1 / x, 1 / x^2, ...`` with ``x^(count + 1) = x + 1``, of which multiples fill a box evenly."""
    x = 1.5
    for _ in range(64):
        x = (1.0 + x) ** (1.0 / (count + 1))
    return x ** -(1.0 + np.arange(count))
