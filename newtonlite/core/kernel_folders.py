"""Folders of compiled kernels: that of this package, these settings and a kind of processor, and those installed with the
package.
"""

import functools
import hashlib
import platform
from pathlib import Path

import warp as wp

from newtonlite.core.processor_kinds import KINDS, processor_flags

PACKAGE = Path(__file__).parents[1]
PACKAGED = PACKAGE / "solvers/mujoco/executor/cpu/packaged_kernels"
"""Folder of kernels that are installed with the package."""
UNUSED = "reference"
"""Folder of sources that no kernel is made of, and that an installed package lacks."""
OPTIONS = ("mode", "verify_fp", "max_unroll")
"""Settings of Warp that change compiled code. Where tiles lie does not: no kernel of the engine has any on a CPU."""


@functools.cache
def sources() -> str:
    """Digest of Warp's version and of the package's sources."""
    total = hashlib.sha256(wp.__version__.encode())
    for file in sorted(f for f in PACKAGE.rglob("*") if f.suffix in (".py", ".h") and UNUSED not in f.parts):
        total.update(f"|{file.relative_to(PACKAGE).as_posix()}|".encode() + file.read_bytes())
    return total.hexdigest()


@functools.cache
def folder(target: str | None) -> str:
    """Name of a folder: of the sources and settings, and of a kind of processor (this one when None)."""
    total = hashlib.sha256(sources().encode())
    total.update(repr([getattr(wp.config, name) for name in OPTIONS]).encode())
    total.update((target or wp.get_cpu_kernel_cache_key(cpu_compiler_flags="-march=native")).encode())
    return total.hexdigest()[:24]


@functools.cache
def packaged_kind() -> str | None:
    """The best kind of processor that this one is, of those that the package has kernels for; None where there is none."""
    if not PACKAGED.is_dir() or platform.machine() not in ("x86_64", "AMD64"):
        return None
    flags = processor_flags()
    return next((kind for kind, needs in KINDS.items() if flags >= needs and (PACKAGED / folder(kind)).is_dir()), None)
