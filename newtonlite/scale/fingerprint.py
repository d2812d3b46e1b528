"""Fingerprint of a worker: all that decides on the bits of its results besides the job.

Kernels are compiled for the processor they run on, so that another one, another Warp or other sources may round
otherwise. Two workers with one fingerprint give the same bits.
"""

import functools
import platform

from newtonlite import __version__
from newtonlite.core.kernel_folders import folder


@functools.cache
def fingerprint(device: str | None = None, torch: bool = False) -> dict[str, str]:
    """Properties of this process on a device, by name. ``kernels`` is a digest of the package's sources, of Warp's
    settings and of the kind of processor.
    """
    import warp as wp

    found = wp.get_device(device)
    own = {
        "newtonlite": __version__,
        "warp": wp.__version__,
        "machine": platform.machine(),
        "processor": wp.get_cpu_kernel_cache_key(cpu_compiler_flags="-march=native"),
        "kernels": folder(None),
        "device": "cpu" if found.is_cpu else f"{found.name}, sm_{found.arch}",
    }
    if torch:
        import torch as learning

        own["torch"] = f"{learning.__version__}, {learning.backends.cpu.get_cpu_capability()}"
    return own


def differences(own: dict, other: dict) -> str:
    """Properties in which two fingerprints differ, as text; empty where they are the same."""
    names = [name for name in {**own, **other} if own.get(name) != other.get(name)]
    return "; ".join(f"{name}: {other.get(name, 'none')}, not {own.get(name, 'none')}" for name in names)
