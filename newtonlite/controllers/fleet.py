"""The controlled joints of several robots in one row: whose each is, and which of its robot's."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.controllers.ports import check_array
from newtonlite.core.errors import ModelError, WrongTypeError


class Fleet:
    """Robots with ``counts`` controlled dofs each; rows over dofs have those of the first robot first, then the next
    one's.
    """

    def __init__(self, controlled_dofs_per_robot: Any, device: Any):
        where = "controlled_dofs_per_robot"
        if not isinstance(controlled_dofs_per_robot, wp.array):
            raise WrongTypeError(
                f"{where}: {type(controlled_dofs_per_robot).__name__}; give a Warp array of int32, one number per robot"
            )
        check_array(controlled_dofs_per_robot, where, wp.int32, (controlled_dofs_per_robot.size,), device)
        self.device, self.counts = device, controlled_dofs_per_robot.numpy().astype(np.int32)
        if not len(self.counts) or self.counts.min() < 1:
            raise ModelError(
                f"{where}: {self.counts.tolist()}; give at least one robot, and only robots with a controlled dof"
            )
        self.robots, self.widest, self.dofs = len(self.counts), int(self.counts.max()), int(self.counts.sum())
        first = np.cumsum(self.counts) - self.counts
        robot = np.repeat(np.arange(self.robots), self.counts)
        self.count, self.first = self._ints(self.counts), self._ints(first)
        self.robot_of_dof, self.slot_of_dof = self._ints(robot), self._ints(np.arange(self.dofs) - first[robot])

    def _ints(self, values: np.ndarray) -> wp.array:
        return wp.array(values.astype(np.int32), dtype=int, device=self.device)

    def launch(self, kernel: Any, dim: Any, inputs: list, outputs: list) -> None:
        """Launch a kernel on the fleet's device."""
        wp.launch(kernel, dim, inputs, outputs, device=self.device)

    def rows(self, dtype: Any = float) -> wp.array:
        """Zeros, one per controlled dof."""
        return wp.zeros(self.dofs, dtype=dtype, device=self.device)

    def each(self, dtype: Any) -> wp.array:
        """Zeros, one per robot."""
        return wp.zeros(self.robots, dtype=dtype, device=self.device)

    def blocks(self, height: int, width: int) -> wp.array:
        """Zeros, one matrix per robot."""
        return wp.zeros((self.robots, height, width), dtype=float, device=self.device)

    def sizes(self, value: int) -> wp.array:
        """The same integer for each robot."""
        return wp.full(self.robots, value, dtype=int, device=self.device)
