"""Parameters of actuators, seen by the dofs of a view."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.errors import ModelError, StateError
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.kernel
def take(values: wp.array[Any], slot: wp.array2d[int], out: wp.array2d[Any]):
    """The values of the driven dofs; others keep what they have."""
    world, i = wp.tid()
    if slot[world, i] >= 0:
        out[world, i] = values[slot[world, i]]


@wp.kernel
def give(mask: wp.array[wp.bool], values: wp.array2d[Any], slot: wp.array2d[int], out: wp.array[Any]):
    """Values of the driven dofs of the worlds in the mask."""
    world, i = wp.tid()
    if mask[world] and slot[world, i] >= 0:
        out[slot[world, i]] = values[world, i]


class DriveViewMethods:
    """Reading and writing parameters of actuators dof by dof."""

    def get_actuator_parameter(self, actuator: Any, component: Any, name: str) -> wp.array:
        """``component.name`` [world, dofs of the view's articulations in a row]; 0 for dofs that the actuator does not
        drive.

        ``component`` is its drive, its delay or one of its limits.
        """
        source, slot = getattr(component, name), self._slots(actuator)
        out = wp.zeros(slot.shape, dtype=source.dtype, device=self.model.device)
        if slot.size:
            wp.launch(take, slot.shape, [source, slot], [out], device=self.model.device)
        return out

    def set_actuator_parameter(self, actuator: Any, component: Any, name: str, values: Any, mask: Any = None) -> None:
        """Write ``component.name`` of the dofs that the actuator drives; ``values`` [world, dofs], ``mask`` bool
        [world].
        """
        target, slot = getattr(component, name), self._slots(actuator)
        if not isinstance(values, wp.array):
            values = wp.array(np.ascontiguousarray(values), dtype=target.dtype, device=self.model.device)
        if values.shape[:2] != slot.shape:
            raise StateError(f"{self.where} {name}: Expected values shape {slot.shape}, got {values.shape}")
        if slot.size:
            wp.launch(give, slot.shape, [self._world_mask(mask), values, slot], [target], device=self.model.device)

    def _slots(self, actuator: Any) -> wp.array:
        """Axis of the actuator that drives each dof, int [world, dofs]; -1: none."""
        if F.JOINT_DOF not in self.layout.rows:
            raise ModelError(
                f"{self.where}: Actuator parameter access is unavailable: {self.layout.reasons.get(F.JOINT_DOF)}"
            )
        known = self.__dict__.setdefault("_slot_tables", {})
        if id(actuator.indices) not in known:
            of_dof = np.full(self.model.joint_dof_count + 1, -1)
            of_dof[actuator.indices.numpy().astype(int)] = np.arange(actuator.num_actuators)
            rows = self.layout.rows[F.JOINT_DOF]
            known[id(actuator.indices)] = wp.array(
                of_dof[rows].reshape(len(rows), -1).astype(np.int32), dtype=int, ndim=2, device=self.model.device
            )
        return known[id(actuator.indices)]

    def _world_mask(self, mask: Any) -> wp.array:
        """Bool [world]."""
        if mask is None:
            return self.full_mask
        if not isinstance(mask, wp.array):
            mask = wp.array(np.asarray(mask, bool), dtype=wp.bool, device=self.model.device)
        if mask.dtype != wp.bool or mask.shape != (self.world_count,):
            raise StateError(
                f"{self.where} mask: Expected Boolean mask with shape ({self.world_count},), got {mask.dtype.__name__}{list(mask.shape)}"
            )
        return mask
