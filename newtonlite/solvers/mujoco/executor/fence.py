"""Fence: the one door to ``executor/cpu``, which knows more of Warp than its public interface.

It is open where the package's tests pass with the version of Warp at hand (``core/warp_internals.py``); nothing of the
folder is imported otherwise. docs/reference/warp_contract.md lists what is known, and the test that fails first.
"""

import importlib

from newtonlite.core import warp_internals
from newtonlite.solvers.mujoco.executor.backend import Backend
from newtonlite.solvers.mujoco.executor.partition import Partition
from newtonlite.solvers.mujoco.model import EngineModel

CPU = f"{__package__}.cpu"


def backend(model: EngineModel, spread: Partition) -> Backend:
    """Backend for a model's worlds, spread over its device. Warns where the door is shut by the version of Warp."""
    # teams of several lanes are for the emulation of a GPU: a native kernel has one lane a world
    warp_internals.warn_if_untested()
    entered = model.device.is_cpu and spread.nlane == 1
    return opened("backend").CpuBackend(model, spread) if entered and warp_internals.used() else Backend(model, spread)


def opened(module: str):
    """A module of ``executor/cpu``; to be asked for where ``warp_internals.used()``."""
    return importlib.import_module(f"{CPU}.{module}")
