"""What all tests share: caches inside the project, a quiet Warp, the device, and the folder of real robots."""

import os
import sys
from collections import Counter
from pathlib import Path

import pytest
import warp as wp

from conformance.sources import closure, imported
from newtonlite.core import warp_internals
from newtonlite.solvers.mujoco.executor import specialize
from tests.harness import durations

ROOT = Path(__file__).parents[1]

wp.config.kernel_cache_dir = os.environ.get("WARP_CACHE_PATH", str(ROOT / ".cache" / "warp"))
os.environ.setdefault("NEWTONLITE_CACHE_PATH", str(ROOT / ".cache" / "newtonlite"))
os.environ.setdefault("NEWTONLITE_PROGRESS", "0")
os.environ.setdefault("NEWTONLITE_KERNELS", "general")  # programs that tests start have nothing compiled beside them
wp.config.log_level = wp.LOG_WARNING
if os.environ.get("NEWTONLITE_TEST_KERNELS") == "real":
    os.environ["NEWTONLITE_KERNELS"] = "wait"  # kernels of each model's features, as users run them (`make test-real`)
else:
    specialize.disable()  # one set of kernels for all models; test_specialize.py has the others

LONGEST = (
    "test_determinism.py",
    "test_rows.py",
    "test_compile_cuda_modules.py",
    "test_compile_cuda.py",
    "test_emulated.py",
    "test_lanes.py",
    "test_commands.py",
    "test_kernel_chain.py",
    "test_page.py",
    "test_schedule.py",
    "test_extremes.py",
    "test_specialize.py",
    "test_readme.py",
    "test_variants.py",
)
"""Files that take longest for their number of tests; one that compiles beside one that does not."""


FENCED = ROOT / "tests" / "solvers" / "mujoco" / "executor" / "cpu"
"""Tests of what is not imported where Warp's internals are not used (``make test-public``)."""


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out tests of ``executor/cpu`` with the fence down, and those that need a newer Python than there is."""
    if collection_path == FENCED and not warp_internals.used():
        return True
    return True if sys.version_info < (3, 11) and needs_python_311(collection_path) else None


def needs_python_311(path: Path) -> bool:
    """Whether a file of tests needs MuJoCo 4 or a module of Python's that 3.10 lacks, itself or by what it imports."""
    if path.suffix != ".py":
        return False
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    if name in ("tests.house.test_pages", "tests.conformance.test_verify"):  # import all comparisons, by their names
        return True
    modules = closure(name)
    return "tests.oracle_functions" in modules or any("tomllib" in imported(name) for name in modules)


def pytest_configure(config) -> None:
    """Measure files where that is asked for."""
    if os.environ.get("NEWTONLITE_TEST_DURATIONS"):
        config.pluginmanager.register(durations.Durations())


def pytest_collection_modifyitems(items: list) -> None:
    """Files that compile most come first, then those of most tests, so that workers end together (``make test`` keeps
    this order). Tests of fast files are marked so.
    """
    quick = {str(ROOT / name) for name in durations.fast(durations.known())}
    for item in items:
        if str(item.path) in quick and not item.get_closest_marker("nightly"):
            item.add_marker(pytest.mark.fast)
    counts = Counter(item.path for item in items)
    long = {name: i for i, name in enumerate(LONGEST)}
    items.sort(key=lambda item: (long.get(item.path.name, len(long)), -counts[item.path], str(item.path)))


@pytest.fixture(scope="session")
def device() -> str:
    """The device under test: NEWTONLITE_TEST_DEVICE, or the CPU."""
    return os.environ.get("NEWTONLITE_TEST_DEVICE", "cpu")


@pytest.fixture(scope="session")
def assets() -> Path:
    """The folder of real robots beside the project; tests that ask for it skip where it is absent."""
    folder = ROOT.parent / "shared" / "assets"
    if not folder.is_dir():
        pytest.skip("no folder of real robots beside the project")
    return folder
