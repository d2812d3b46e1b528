"""The package's modules of kernels are listed, found compiled in the package, and load without Warp's lines."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import warp as wp

from newtonlite.core import kernel_folders, kernel_module
from newtonlite.core.errors import NewtonWarning
from newtonlite.core.processor_kinds import KINDS, PORTABLE, processor_flags

ROOT = Path(__file__).parents[2]


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty cache, and an empty folder of the package's kernels."""
    wp.init()
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path / "cache"))
    monkeypatch.setattr(kernel_module, "PACKAGED", tmp_path / "packaged")
    monkeypatch.setattr(kernel_module, "packaged_kind", lambda: PORTABLE)
    (tmp_path / "cache").mkdir()
    return tmp_path


def adding(number: int):
    """A module of the package with one kernel, which adds a number."""

    def add(x: wp.array[float]):
        x[wp.tid()] = x[wp.tid()] + float(wp.static(number))

    made = wp.kernel(add, enable_backward=False, module="unique")
    return kernel_module.adopted(made.module), made


def result(kernel) -> float:
    x = wp.zeros(2, dtype=float, device="cpu")
    wp.launch(kernel, dim=2, inputs=[x], device="cpu")
    return float(x.numpy()[1])


def test_every_file_of_kernels_has_a_module_of_ours():
    listed = {module.name for module in kernel_module.modules()}
    files = {
        ".".join(("newtonlite", *file.relative_to(kernel_folders.PACKAGE).with_suffix("").parts))
        for file in kernel_folders.PACKAGE.rglob("*.py")
        if "\n@wp.kernel" in file.read_text()
    }
    assert len(files) > 80 and not files - listed, f"without kernel_module(__name__): {files - listed}"
    assert any(name.startswith("newtonlite.solvers.mujoco.bindings.") for name in listed)
    from warp._src.context import user_modules

    ours = {name: m for name, m in user_modules.items() if name.startswith("newtonlite.") and m._get_live_kernels()}
    assert ours.keys() <= kernel_module._named.keys()


def test_launches_of_a_loaded_module_cost_what_warps_do(cache):
    module, kernel = adding(14)
    assert type(module) is kernel_module.KernelModule
    result(kernel)
    assert type(module) is wp.Module or wp.get_cuda_device_count()


def test_a_module_of_a_stranger_stays_warps():
    @wp.kernel(module="unique")
    def foreign(x: wp.array[float]):
        x[0] = 1.0

    assert type(foreign.module) is wp.Module


@pytest.mark.parametrize("number, kind", list(enumerate(KINDS, 100)))
def test_a_packaged_module_is_found_and_nothing_is_compiled(number, kind, cache, monkeypatch):
    if not processor_flags() >= KINDS[kind]:
        pytest.skip(f"this processor is not {kind}")
    module, kernel = adding(number)
    monkeypatch.setattr(kernel_module, "modules", lambda: [module])
    monkeypatch.setattr(kernel_module, "packaged_kind", lambda: kind)
    flags = module.options["cpu_compiler_flags"]
    assert kernel_module.compile_modules(kind) == 1
    assert kernel_module.compile_modules(kind) == 1  # again, where they are there
    assert not [*(cache / "cache").iterdir()]
    module.options["cpu_compiler_flags"] = flags
    kernel_module.adopted(module).unload()
    assert result(kernel) == number
    assert not [*(cache / "cache").iterdir()]


@pytest.mark.parametrize("ending", [".o", ".sha256"])
def test_a_damaged_packaged_module_is_compiled_anew(ending, cache, monkeypatch):
    module, kernel = adding(4)
    monkeypatch.setattr(kernel_module, "modules", lambda: [module])
    flags = module.options["cpu_compiler_flags"]
    kernel_module.compile_modules(PORTABLE)
    module.options["cpu_compiler_flags"] = flags
    kernel_module.adopted(module).unload()
    (file,) = (cache / "packaged").rglob("*" + ending)
    file.write_bytes(file.read_bytes()[:-1])
    assert result(kernel) == 4.0
    assert [*(cache / "cache").iterdir()]


def test_another_kernel_has_another_digest(cache):
    one, two, again = adding(1), adding(2), adding(1)
    digests = [kernel_module.digest(module, 1).split("-")[1] for module, _ in (one, two, again)]
    assert digests[0] == digests[2] != digests[1]


def test_a_cache_that_cannot_be_written_to_is_told_and_does_without(cache, monkeypatch):
    module, kernel = adding(5)
    (cache / "cache").rmdir()
    (cache / "cache").write_text("")  # no folder
    with pytest.warns(NewtonWarning, match="cannot be written to.*WARP_CACHE_PATH"):
        assert result(kernel) == 5.0
    assert wp.config.kernel_cache_dir == str(cache / "cache")


def test_a_full_disk_is_told_and_does_without(cache, monkeypatch):
    module, kernel = adding(6)
    monkeypatch.setattr(kernel_module, "reason", lambda place: "No space left on device")
    warps = wp.Module.load

    def load(self, device, block_dim=None, *places, **named):
        if wp.config.kernel_cache_dir == str(cache / "cache"):
            raise RuntimeError("CPU kernel build failed with error code -1")
        return warps(self, device, block_dim, *places, **named)

    monkeypatch.setattr(wp.Module, "load", load)
    with pytest.warns(NewtonWarning, match="No space left on device.*make room"):
        assert result(kernel) == 6.0


def test_an_error_of_the_compiler_stays_one(cache):
    def wrong(x: wp.array[float]):
        x[0] = absent  # noqa: F821

    kernel = wp.kernel(wrong, enable_backward=False, module="unique")
    kernel_module.adopted(kernel.module)
    with pytest.raises(Exception, match="absent"):
        result(kernel)


@pytest.mark.parametrize(("level", "lines"), [("LOG_INFO", 0), ("LOG_DEBUG", 1), ("LOG_WARNING", 0)])
def test_warp_announces_modules_only_where_it_was_asked_to(level, lines, cache, monkeypatch, capfd):
    monkeypatch.setattr(wp.config, "log_level", getattr(wp, level))
    number = 20 + getattr(wp, level)
    module, kernel = adding(number)
    assert result(kernel) == number
    out = capfd.readouterr()
    assert ("load on device" in out.out + out.err) == lines
    assert wp.config.log_level == getattr(wp, level)


def test_a_first_call_in_a_fresh_process_says_nothing_on_standard_output(cache):
    code = (
        "import numpy as np, warp as wp\nwp.config.log_level = wp.LOG_WARNING\nwp.init()\nwp.config.log_level = wp.LOG_INFO\n"
        "from newtonlite.controllers import task, poses\nfrom newtonlite.core.kernel_module import load_all\n"
        "load_all([wp.get_module(task.__name__)], 'cpu')\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "WARP_CACHE_PATH": str(cache / "other")},
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "" and "load on device" not in run.stderr


def test_what_killed_programs_left_half_compiled_goes(cache):
    old, new, other = (cache / "cache" / f"wp_{name}_p1_t2" for name in ("newtonlite.a", "newtonlite.b", "strangers"))
    for folder in (old, new, other):
        folder.mkdir()
    for folder in (old, other):
        os.utime(folder, (0, 0))
    assert result(adding(10)[1]) == 10.0
    assert not old.exists() and new.exists() and other.exists()


def test_modules_load_in_threads_where_the_cache_cannot_be_written_to(cache):
    (cache / "cache").rmdir()
    (cache / "cache").write_text("")
    found = [adding(number) for number in (11, 12, 13)]
    with pytest.warns(NewtonWarning, match="cannot be written to"):
        kernel_module.load_all([module for module, _ in found], "cpu")
    assert [result(kernel) for _, kernel in found] == [11.0, 12.0, 13.0]
    assert wp.config.kernel_cache_dir == str(cache / "cache")


def test_threads_load_the_same_module(cache):
    module, kernel = adding(15)
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(lambda _: result(kernel), range(8))] == [15.0] * 8


def test_modules_load_in_threads(cache):
    found = [adding(number) for number in (8, 9)]
    kernel_module.load_all([module for module, _ in found], "cpu")
    np.testing.assert_array_equal([result(kernel) for _, kernel in found], [8.0, 9.0])
    assert wp.config.log_level == wp.LOG_WARNING
