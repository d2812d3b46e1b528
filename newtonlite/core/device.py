"""Device: the one that a name means, of those that Warp has."""

from typing import Any

import warp as wp

from newtonlite.core.errors import DeviceError


def find_device(device: Any = None) -> wp.Device:
    """Warp's device of a name, as "cpu" or "cuda:0"; the default one for None. Raises DeviceError, which names those there
    are.
    """
    try:
        return wp.get_device(device)
    except (ValueError, RuntimeError) as problem:
        there = ", ".join(one.alias for one in wp.get_devices())
        raise DeviceError(f"device {str(device)!r}: there is none; there are: {there}") from problem
