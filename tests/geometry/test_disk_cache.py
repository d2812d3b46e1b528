"""Results on disk: the same content gives the same result, whatever happens to the files, and no matter who writes at
once.
"""

import multiprocessing
import os

import numpy as np
import pytest

from newtonlite.core.errors import ModelError
from newtonlite.geometry import disk_cache
from newtonlite.geometry.mesh import Mesh
from newtonlite.solvers.mujoco.compile import compile_model
from newtonlite.solvers.mujoco.compile.binary import save_model
from tests.harness.engine_scenes import builder

POINTS = np.random.default_rng(3).normal(size=(200, 3))


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A folder of its own for each test."""
    monkeypatch.setenv("NEWTONLITE_CACHE_PATH", str(tmp_path / "kept"))
    disk_cache.tidy.cache_clear()
    return tmp_path / "kept"


def counted(calls: list) -> dict:
    """A result that notes that it was made."""
    calls.append(1)
    return {"a": np.arange(5), "b": np.array(0.1)}


def test_a_result_is_made_once_for_the_same_content(place):
    calls: list = []
    first = disk_cache.kept("x", (POINTS, 3), lambda: counted(calls))
    again = disk_cache.kept("x", (POINTS.copy(), 3), lambda: counted(calls))
    assert len(calls) == 1 and all(np.array_equal(first[name], again[name]) for name in first)
    for other in ((POINTS, 4), (POINTS.astype(np.float32), 3), (POINTS[:-1], 3), (POINTS.reshape(-1), 3)):
        disk_cache.kept("x", other, lambda: counted(calls))
    disk_cache.kept("y", (POINTS, 3), lambda: counted(calls))
    assert len(calls) == 6 and len(list(place.glob("*.npz"))) == 6


@pytest.mark.parametrize(
    "damage",
    [
        lambda d: b"",
        lambda d: d[:50],
        lambda d: d[:-9],
        lambda d: d[:90] + bytes([d[90] ^ 255]) + d[91:],
        lambda d: b"no archive",
    ],
)
def test_damaged_files_are_made_anew(place, damage):
    calls: list = []
    disk_cache.kept("x", (POINTS,), lambda: counted(calls))
    file = next(place.glob("*.npz"))
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    found = disk_cache.kept("x", (POINTS,), lambda: counted(calls))
    assert len(calls) == 2 and found["a"].tolist() == [0, 1, 2, 3, 4]
    assert file.read_bytes() == whole


def test_no_folder_and_one_that_cannot_be_are_no_trouble(monkeypatch, tmp_path):
    calls: list = []
    for name in ("", str(tmp_path / "file" / "below")):
        (tmp_path / "file").write_text("in the way")
        monkeypatch.setenv("NEWTONLITE_CACHE_PATH", name)
        for _ in range(2):
            assert disk_cache.kept("x", (POINTS,), lambda: counted(calls))["a"].tolist() == [0, 1, 2, 3, 4]
    assert len(calls) == 4


def test_the_oldest_results_go_where_there_are_too_many(place, monkeypatch):
    for k in range(4):
        disk_cache.kept("x", (k,), lambda: {"a": np.zeros(1000)})
    for age, file in enumerate(sorted(place.glob("*.npz"))):
        os.utime(file, (age, age))
    monkeypatch.setattr(disk_cache, "MOST_BYTES", 20_000)
    disk_cache.tidy.cache_clear()
    disk_cache.kept("x", (9,), lambda: {"a": np.zeros(1000)})
    left = {int(file.stat().st_mtime) for file in place.glob("*.npz")}
    assert len(left) == 2 and 3 in left


def test_errors_are_not_kept(place):
    def fails():
        raise ModelError("no")

    with pytest.raises(ModelError):
        disk_cache.kept("x", (1,), fails)
    assert not place.exists()


def writer(number: int) -> bool:
    """Write and read the same results many times, in a process of its own."""
    for k in range(30):
        found = disk_cache.kept("x", (k % 3,), lambda k=k: {"a": np.full(20_000, k % 3)})
        disk_cache.keep_arrays(
            disk_cache.folder() / (disk_cache.key("x", (k % 3,)) + disk_cache.ENDING), {"a": np.full(20_000, k % 3)}
        )
        if not (found["a"] == k % 3).all():
            return False
    return True


def test_processes_do_not_disturb_each_other(place):
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map(writer, range(3)) == [True] * 3
    assert not list(place.glob("*.part"))


def compiled(monkeypatch, path: str, file):
    """The bytes of a compiled model with a mesh, with results kept in a folder or nowhere."""
    monkeypatch.setenv("NEWTONLITE_CACHE_PATH", path)
    b = builder()
    b.add_shape_mesh(b.add_body(), mesh=Mesh(*tetrahedra(), maxhullvert=40))
    return save_model(compile_model(b.finalize(device="cpu")), file).read_bytes()


def tetrahedra() -> tuple[np.ndarray, np.ndarray]:
    """A closed surface with many corners."""
    made = Mesh.create_sphere(0.3, num_latitudes=9, num_longitudes=13)
    return np.asarray(made.vertices) * [1.0, 2.0, 3.0], np.asarray(made.triangles).reshape(-1)


def test_hulls_from_the_disk_are_those_that_are_made(place, monkeypatch, tmp_path):
    without = compiled(monkeypatch, "", tmp_path / "a")
    assert compiled(monkeypatch, str(place), tmp_path / "b") == without
    assert len(list(place.glob("hull-*.npz"))) == 1
    monkeypatch.setattr("newtonlite.solvers.mujoco.compile.meshes.find_hull", None)
    assert compiled(monkeypatch, str(place), tmp_path / "c") == without
