"""Platform limits: what an operating system and a processor lack of what the package uses elsewhere, and what follows."""

from collections.abc import Callable
from typing import NamedTuple

from newtonlite.core.processor_kinds import WARPS

LINUX, MACOS, WINDOWS = "Linux", "Darwin", "Windows"
"""Systems as ``platform.system()`` names them."""
X86, ARM = ("x86_64", "AMD64"), ("aarch64", "arm64")
"""Processors as ``platform.machine()`` names them."""
TESTED = LINUX, X86


class PlatformLimit(NamedTuple):
    """Whether a limit holds on a system and a processor, and what it is."""

    holds: Callable[[str, str], bool]
    text: str


LIMITS = (
    PlatformLimit(
        lambda system, machine: system != TESTED[0] or machine not in TESTED[1],
        "untested: the project's tests run on Linux with x86-64",
    ),
    PlatformLimit(
        lambda system, machine: machine not in (*X86, *ARM), "no wheel of Warp, which compiles and runs the kernels"
    ),
    PlatformLimit(
        lambda system, machine: system == MACOS and machine in X86,
        "no wheel of Warp after version 1.9: only those for Apple's processors",
    ),
    PlatformLimit(
        lambda system, machine: system != LINUX or machine not in X86,
        "no compiled kernels in the package: the first step compiles them once (`newtonlite warmup` does it ahead)",
    ),
    PlatformLimit(lambda system, machine: system == MACOS, "no CUDA: simulations run on the CPU cores"),
    PlatformLimit(
        lambda system, machine: system == WINDOWS,
        "no worker compiles in the background, which needs file locks: a first step waits for all its kernels",
    ),
    PlatformLimit(
        lambda system, machine: system != LINUX or machine not in ("x86_64", "aarch64"),
        "no native thread pool, which needs futexes: threads are started from Python, which costs time in each step",
    ),
    PlatformLimit(
        lambda system, machine: system != LINUX,
        "workers (--workers) are not bound to cores of their own, and the viewer measures its load by the clock alone",
    ),
    PlatformLimit(
        lambda system, machine: system == WINDOWS,
        "a file that another program has open cannot be replaced, so that writing it is an error",
    ),
    PlatformLimit(
        lambda system, machine: system == WINDOWS,
        "opening waits where a pipe takes the place of a file just then: do not read folders that strangers write to",
    ),
)


def platform_limits(system: str, machine: str) -> list[str]:
    """Limits on a system and a processor, by the names that ``platform`` gives them; none on those that are tested."""
    return [limit.text for limit in LIMITS if limit.holds(system, machine)]


def processor_limits(features: set[str]) -> list[str]:
    """Limits on an x86-64 processor with these features, as /proc/cpuinfo names them; none where nothing is known of it."""
    lacking = sorted(WARPS - features) if features else []
    text = "which Warp's compiler takes for granted: kernels on the CPU end with an illegal instruction"
    return [f"no {' and '.join(lacking)}, {text}"] if lacking else []
