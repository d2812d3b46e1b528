"""What doctor says of systems and processors: nothing where the tests run, and facts of the code elsewhere."""

import platform

import pytest

from newtonlite.cli.platform_limits import ARM, LIMITS, X86, platform_limits, processor_limits
from newtonlite.core import compile_queue, files
from newtonlite.core.processor_kinds import KINDS, processor_flags
from newtonlite.solvers.mujoco.executor import fence


def test_there_are_none_where_the_tests_run():
    assert platform_limits("Linux", "x86_64") == []


@pytest.mark.parametrize("system, machine", [("Darwin", "arm64"), ("Windows", "AMD64"), ("Linux", "aarch64")])
def test_other_platforms_are_untested_and_have_limits(system, machine):
    found = platform_limits(system, machine)
    assert found[0].startswith("untested") and len(found) >= 2
    assert any("CUDA" in text for text in found) == (system == "Darwin")
    assert any("background" in text for text in found) == (system == "Windows")


def test_each_limit_holds_somewhere():
    everywhere = [(s, m) for s in ("Linux", "Darwin", "Windows") for m in (*X86, *ARM, "riscv64")]
    assert all(any(limit.holds(*place) for place in everywhere) for limit in LIMITS)


def test_this_platform_has_what_no_limit_takes_away():
    found = " ".join(platform_limits(platform.system(), platform.machine()))
    assert compile_queue.usable == ("background" not in found)
    assert bool(files.FLAGS & getattr(files.os, "O_NONBLOCK", 0)) == ("pipe" not in found)


def test_native_thread_pool_is_for_the_processors_that_are_named():
    pool = fence.opened("thread_pool")
    assert all(
        ("futex" in " ".join(platform_limits("Linux", machine))) != (machine in pool.FUTEX) for machine in (*X86, *ARM)
    )


@pytest.mark.parametrize("features, lacking", [({"sse4_2"}, "no avx and f16c"), ({"avx"}, "no f16c"), (set(), None)])
def test_a_processor_that_lacks_what_warp_takes_for_granted_has_a_limit(features, lacking):
    found = processor_limits(features)
    assert [text.partition(",")[0] for text in found] == ([lacking] if lacking else [])


def test_processors_with_packaged_kernels_have_no_limit():
    assert not processor_limits(processor_flags())
    assert not any(processor_limits(features | {"avx"}) for features in KINDS.values())
