"""Kinds of processors that compiled kernels are packaged for, and the features of this one."""

from pathlib import Path

WARPS = {"avx", "f16c"}
"""Features that Warp's compiler takes for granted on x86-64, whatever kind of processor it compiles for."""
KINDS = {
    "x86-64-v3": {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"},
    "x86-64-v2": {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3", *WARPS},
}
"""Kinds as the compiler names them, the better first: features that such a processor has, as /proc/cpuinfo names them."""
PORTABLE = "x86-64-v3"
"""The kind that wheels are made for where nothing else is said."""
CPUINFO = Path("/proc/cpuinfo")


def processor_flags() -> set[str]:
    """Features of this processor, as /proc/cpuinfo names them; none where there is no such file."""
    try:
        text = CPUINFO.read_text(encoding="ascii", errors="replace")
    except OSError:
        return set()
    return set(next((line for line in text.splitlines() if line.startswith("flags")), "").split())
