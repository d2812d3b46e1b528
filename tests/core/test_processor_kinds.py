"""Kinds of processors: which packaged kernels a processor takes."""

import re
from pathlib import Path

import pytest
import warp as wp

from newtonlite.core import kernel_folders, processor_kinds
from newtonlite.core.processor_kinds import KINDS, WARPS

V3, V2 = KINDS


@pytest.fixture
def processor(monkeypatch, tmp_path):
    """A package with kernels for some kinds, on a processor with some features."""

    def made(features: set[str], packaged: tuple[str, ...]) -> str | None:
        info = tmp_path / "cpuinfo"
        info.write_text(f"processor : 0\nflags\t\t: fpu {' '.join(sorted(features))}\n")
        monkeypatch.setattr(processor_kinds, "CPUINFO", info)
        monkeypatch.setattr(kernel_folders, "PACKAGED", tmp_path / "packaged")
        monkeypatch.setattr(kernel_folders.platform, "machine", lambda: "x86_64")
        for kind in packaged:
            (tmp_path / "packaged" / kernel_folders.folder(kind)).mkdir(parents=True)
        return kernel_folders.packaged_kind.__wrapped__()

    return made


@pytest.mark.parametrize(
    "features, packaged, taken",
    [
        (KINDS[V3] | KINDS[V2], (V3, V2), V3),
        (KINDS[V3] | KINDS[V2], (V2,), V2),
        (KINDS[V2], (V3, V2), V2),
        (KINDS[V2], (V3,), None),
        (KINDS[V2] - WARPS, (V3, V2), None),
        (set(), (V3, V2), None),
        (KINDS[V3] | KINDS[V2], (), None),
    ],
)
def test_the_best_kind_that_there_are_kernels_for_is_taken(features, packaged, taken, processor):
    assert processor(features, packaged) == taken


def test_a_system_without_cpuinfo_has_no_flags(monkeypatch, tmp_path):
    monkeypatch.setattr(processor_kinds, "CPUINFO", tmp_path / "absent")
    assert processor_kinds.processor_flags() == set()


def test_kernels_of_kinds_are_in_folders_of_their_own():
    assert len({kernel_folders.folder(kind) for kind in (None, *KINDS)}) == 1 + len(KINDS)


def test_every_kind_has_what_warps_compiler_takes_for_granted():
    source = Path(wp.__file__).parent / "native" / "clang" / "clang.cpp"
    if not source.is_file():
        pytest.skip("Warp's sources are not installed")
    added = set(re.findall(r'push_back\("\+(\w+)"\)', source.read_text(encoding="utf-8")))
    assert added == WARPS - {"avx"}, "features that Warp adds to those of the processor"
    assert all(features | {"avx"} >= WARPS for features in KINDS.values())  # AVX2 and F16C entail AVX
