"""``m.opt``: options as MuJoCo Warp has them."""

import operator

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.mjwarp.declared import of_option
from newtonlite.mjwarp.enums import BroadphaseFilter, BroadphaseType, DeterminismType, OverflowType
from newtonlite.solvers.mujoco.live_model import LiveOptions

WARP_ONLY = {
    "graph_conditional": True,
    "run_collision_detection": True,
    "run_rne_postconstraint": False,
    "run_qacc_smooth": True,
}
"""Switches of MuJoCo Warp's, with what they are at first."""
MOST_MATCHES = "contact_sensor_maxmatch"
REMOVED = ("ls_parallel", "ls_parallel_min_step")


@of_option
class Option(LiveOptions):
    """Numbers are ints, reals are arrays ``[nworld or 1]`` on the device. What is set takes effect with the next call,
    by another program where the one in use cannot do it.

    ``graph_conditional``, ``contact_sensor_maxmatch``, ``warn_overflow`` and ``run_qacc_smooth`` are kept for programs
    that set them: there are no conditional nodes, no limit of matches, no warnings from kernels, and an acceleration
    that is computed when it is read. ``deterministic`` likewise: results never depend on run, batch or threads.
    """

    @property
    def broadphase(self) -> BroadphaseType:
        """Broad phase that finds the pairs that may touch; contacts are the same. Both kinds of sweeping are one
        here."""
        return BroadphaseType.SAP_TILE if self._model.nsap else BroadphaseType.NXN

    @broadphase.setter
    def broadphase(self, value: int) -> None:
        kinds = {BroadphaseType.NXN: "nxn", BroadphaseType.SAP_TILE: "sap", BroadphaseType.SAP_SEGMENTED: "sap"}
        if value not in kinds:
            raise ModelError(f"opt.broadphase: {value!r}; expected a BroadphaseType")
        self._model.choose_broadphase(kinds[value])

    @property
    def broadphase_filter(self) -> BroadphaseFilter:
        """Broad-phase filter of pairs before they are collided, as MuJoCo Warp names its own: kept for programs that
        set it. Contacts do not depend on it."""
        return BroadphaseFilter(self._switches["broadphase_filter"])

    @broadphase_filter.setter
    def broadphase_filter(self, value: int) -> None:
        self._switches["broadphase_filter"] = int(BroadphaseFilter(value))

    @property
    def warn_overflow(self) -> int:
        """Overflows to warn of, a combination of ``OverflowType``; true and false stand for all and none."""
        return self._switches["warn_overflow"]

    @warn_overflow.setter
    def warn_overflow(self, value: int | bool) -> None:
        flags = OverflowType.ALL if value is True else OverflowType(0 if value is False else int(value))
        self._switches["warn_overflow"] = int(flags)

    @property
    def deterministic(self) -> int:
        """Determinism of results under the order of threads, a combination of ``DeterminismType``: no result ever
        depends on it."""
        return self._switches["deterministic"]

    @deterministic.setter
    def deterministic(self, value: int | bool | None) -> None:
        if value is None or isinstance(value, (bool, np.bool_)):
            value = DeterminismType.ALL if value else DeterminismType.NONE
        number = operator.index(value)
        number = number & int(DeterminismType.ALL) if number < 0 else number
        if number & ~int(DeterminismType.ALL):
            raise ModelError(f"opt.deterministic: {value!r}; expected a combination of DeterminismType")
        self._switches["deterministic"] = number

    @property
    def _switches(self) -> dict:
        return self._model.switches

    def __getattr__(self, name):
        m = self.__dict__["_model"]
        if name in REMOVED:
            raise AttributeError(f"opt.{name}: removed from MuJoCo Warp; the line search is exact")
        if name in m.switches:
            return m.switches[name]
        return super().__getattr__(name)

    def __setattr__(self, name, value):
        if isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        elif name in REMOVED:
            raise AttributeError(f"opt.{name}: removed from MuJoCo Warp; the line search is exact")
        elif name in self._switches:
            self._switches[name] = type(self._switches[name])(value)
        else:
            super().__setattr__(name, value)

    def __dir__(self):
        return sorted({*super().__dir__(), *self._switches, "broadphase", "broadphase_filter"})


def switches(source) -> dict:
    """The switches of a new model; a ``<numeric>`` of its file may say how many contacts a contact sensor matches."""
    most = 64
    for i in range(int(getattr(source, "nnumeric", 0))):
        if source.numeric(i).name == MOST_MATCHES:
            most = int(source.numeric(i).data[0])
    return {
        **WARP_ONLY,
        MOST_MATCHES: most,
        "warn_overflow": int(OverflowType.ALL),
        "deterministic": int(DeterminismType.NONE),
        "broadphase_filter": int(BroadphaseFilter.PLANE | BroadphaseFilter.SPHERE | BroadphaseFilter.OBB),
    }
