"""Kernels are found again by what they were made of; damaged entries and stages of others are not taken."""

import numpy as np
import pytest
import warp as wp

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor import specialize
from newtonlite.solvers.mujoco.executor.cpu import kernel_cache, native_call
from newtonlite.solvers.mujoco.executor.cpu.native_call import NativeCall
from newtonlite.solvers.mujoco.executor.fused_kernel import unique_kernel

STAGE, OTHER = pipeline.STEP[0], pipeline.INTEGRATE[0]


@wp.func
def foreign(m: int, d: int, world: int, lane: int, nlane: int): ...


def add_three(address: wp.uint64):
    numbers = wp.array(ptr=address, shape=(1,), dtype=int)
    numbers[0] = numbers[0] + 3


@pytest.fixture
def own_folder(monkeypatch, tmp_path):
    place = tmp_path / "kernels"
    monkeypatch.setattr(kernel_cache, "places", lambda: [place])
    return place


def test_keys_tell_stages_names_and_features_apart():
    keys = [
        kernel_cache.key(*of)
        for of in (
            ("check", (STAGE,)),
            ("other", (STAGE,)),
            ("check", (OTHER,)),
            ("check", (STAGE, OTHER)),
            ("check", (STAGE,), (("nball", 0),)),
            ("check", (STAGE,), (("opt_cone", 1),)),
        )
    ]
    assert len(set(keys)) == len(keys)
    assert keys[0] == kernel_cache.key("check", (STAGE,))


def test_stages_of_others_are_not_kept():
    assert kernel_cache.is_named(STAGE)
    assert not kernel_cache.is_named(foreign)
    folded = specialize.specialized(STAGE, (("opt_cone", 0), ("nq", 0)))
    assert folded is not STAGE and not kernel_cache.is_named(folded)


def test_what_is_kept_is_found_and_runs(own_folder):
    assert kernel_cache.find("add") is None
    kernel_cache.keep("add", unique_kernel(add_three, 1, 0), stages=["a"], m=["nq"])
    found = kernel_cache.find("add")
    assert found["stages"] == ["a"] and found["m"] == ["nq"]
    numbers = np.array([4], np.int32)
    NativeCall(found["code"], [native_call.ctypes.c_uint64(numbers.ctypes.data)], numbers).launch()
    assert numbers[0] == 7


def test_a_kernel_of_which_nothing_is_left_has_no_code(own_folder):
    kernel_cache.keep("nothing", None, stages=[])
    assert kernel_cache.find("nothing") == {"stages": [], "code": None}


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"object": "absent.o", "sha256": ""}'])
def test_a_damaged_entry_is_none(own_folder, damage):
    own_folder.mkdir()
    (own_folder / "add.json").write_bytes(damage)
    assert kernel_cache.find("add") is None


def test_a_damaged_object_file_is_none(own_folder):
    kernel_cache.keep("add", unique_kernel(add_three, 1, 0))
    (file,) = own_folder.glob("*.o")
    file.write_bytes(file.read_bytes()[:-1])
    assert kernel_cache.find("add") is None


def test_a_folder_that_cannot_be_written_to_keeps_nothing(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(kernel_cache, "places", lambda: [tmp_path / "file" / "kernels"])
    assert kernel_cache.keep("add", unique_kernel(add_three, 1, 0))
    assert kernel_cache.find("add") is None


def test_folders_are_of_sources_and_processor(monkeypatch):
    assert kernel_cache.folder(None) != kernel_cache.folder("x86-64-v3") != kernel_cache.folder("x86-64-v2")
    name = kernel_cache.folder.__wrapped__(None)
    assert name == kernel_cache.folder(None)
    monkeypatch.setattr(wp.config, "verify_fp", not wp.config.verify_fp)
    assert kernel_cache.folder.__wrapped__(None) != name


def test_the_oldest_folders_go(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "places", lambda: [tmp_path / "own"])
    for k in range(kernel_cache.MOST_FOLDERS + 3):
        (tmp_path / f"other{k}").mkdir()
        kernel_cache.os.utime(tmp_path / f"other{k}", (k, k))
    kernel_cache.keep("nothing", None)
    left = {f.name for f in tmp_path.iterdir()}
    assert "own" in left and len(left) == kernel_cache.MOST_FOLDERS + 1 and "other0" not in left
