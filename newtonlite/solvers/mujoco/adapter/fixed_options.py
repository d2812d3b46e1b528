"""Fixed options: what a solver takes from the scene once, when it is made; later changes are reported.

Comparison happens on the device; whoever reads the result outside of a graph warns, once for each name.
"""

import warnings

import numpy as np
import warp as wp

from newtonlite.core.enums import ModelFlags as Flag
from newtonlite.core.errors import NewtonWarning
from newtonlite.sim.attributes import find_attribute
from newtonlite.solvers.mujoco.bindings import READ
from newtonlite.solvers.mujoco.bindings.actuator import simulated
from newtonlite.solvers.mujoco.bindings.flags import DOF
from newtonlite.solvers.mujoco.compile.worlds import kind_of
from newtonlite.solvers.mujoco.kernels.state_io.structure_check import compare_bytes, compare_changes

EXEMPT = ("mujoco:timestep", "mujoco:autolimits")
"""Values of worlds and scenes that are given anew to each step, or read by files only."""
ONCE = "is read once, when the solver is made, and this change has no effect: make a new solver"
RANGES = "mujoco:actuator_lengthrange"
STAY = "was simulated when the solver was made, and stays as masses, joints and tendons change: give the ranges, or make a new solver"


class FixedOptions:
    """The checks of one engine; ``updater`` knows the compiled model."""

    def __init__(self, updater):
        self.f, self.device, self.warned = updater, updater.device, set()
        model = updater.model
        kinds = {
            name: kind_of(spec.frequency)
            for name, spec in model.attribute_specs.items()
            if name not in READ and name not in EXEMPT and updater.has(name)
        }
        numbers = {n: kind for n, kind in kinds.items() if isinstance(self._array(n), wp.array) and self._array(n).size}
        self.groups = [[n for n, kind in numbers.items() if kind == wanted] for wanted in ("once", "world")]
        self.names = [*self.groups[0], *self.groups[1], RANGES]
        self.tables = [self._expected(names) for names in self.groups]
        self.here: list = [None, None]
        self.found = wp.zeros(len(self.names), dtype=int, device=self.device)
        self.seen = wp.zeros(len(self.names), dtype=int, device="cpu", pinned=self.device.is_cuda)
        self.view = self.seen.numpy()
        self.computed = bool(
            np.any(simulated(updater.mj) & np.any(np.asarray(updater.mj.actuator_lengthrange) != 0, -1))
        )

    def _array(self, name: str) -> wp.array:
        return find_attribute(self.f.model, name)

    def _expected(self, names: list) -> tuple:
        """Bytes, places and sizes of arrays as they are now."""
        kept = [self._array(name).numpy().tobytes() for name in names]
        sizes = np.array([len(x) for x in kept], int)
        flat = wp.array(np.frombuffer(b"".join(kept), np.uint8), dtype=wp.uint8, device=self.device)
        return self.f.table(sizes), self.f.table(np.cumsum(sizes) - sizes), flat, int(sizes.max(initial=0))

    def run(self, flags: int) -> None:
        """Launch what concerns these flags, after the model was followed."""
        self.found.zero_()
        if flags & Flag.MODEL_PROPERTIES:
            for k, names in enumerate(self.groups):
                size, start, expected, most = self.tables[k]
                if names:
                    inputs = [self._addresses(k), size, start, expected, k * len(self.groups[0]), self.found]
                    wp.launch(compare_bytes, dim=(len(names), most), inputs=inputs, device=self.device)
        if self.computed and (flags & DOF or self.f.changes_constants(flags)):
            wp.launch(
                compare_changes,
                dim=self.f.nworld,
                inputs=[self.f.changed, len(self.names) - 1, self.found],
                device=self.device,
            )

    def _addresses(self, k: int) -> wp.array:
        """Addresses of the arrays, which callers may replace."""
        now = [self._array(name).ptr for name in self.groups[k]]
        if self.here[k] is None or self.here[k][0] != now:
            self.here[k] = now, wp.array(now, dtype=wp.uint64, device=self.device)
        return self.here[k][1]

    def fetch(self) -> None:
        """Copy what was found to the host, in the stream's time."""
        wp.copy(self.seen, self.found)

    def tell(self) -> None:
        """Warn of what was fetched, if it is news."""
        for k in np.flatnonzero(self.view):
            name = self.names[k]
            if name not in self.warned:
                self.warned.add(name)
                what = STAY if name == RANGES else ONCE
                warnings.warn(f"model.{name.replace(':', '.')}: {what}", NewtonWarning, stacklevel=5)
