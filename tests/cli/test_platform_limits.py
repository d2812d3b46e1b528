"""What doctor says of systems and processors: nothing where the tests run, and facts of the code elsewhere."""

import platform

import pytest

from newtonlite.cli.platform_limits import ARM, LIMITS, X86, platform_limits
from newtonlite.core import compile_queue, files
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
