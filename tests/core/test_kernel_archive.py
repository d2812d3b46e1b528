"""Archives of GPU kernels: what one machine packs, another one finds in its cache; nothing else comes out of them."""

import json
import zipfile

import pytest
import warp as wp

from newtonlite import models
from newtonlite.cli.convert import compile_source
from newtonlite.core import kernel_archive
from newtonlite.core.errors import FileError
from newtonlite.core.kernel_archive import MADE_OF, made_of, pack, take
from newtonlite.importers.report import Report
from newtonlite.solvers.mujoco.executor import specialize
from newtonlite.solvers.mujoco.executor.ahead_of_time import compile_ahead, step_kernels

NAME = "wp_fused_integrate_1a2b3c4"


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty cache of Warp's."""
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def archive(tmp_path):
    """An archive of a module that was compiled for two architectures."""
    folder = tmp_path / "elsewhere" / NAME
    folder.mkdir(parents=True)
    for ending in (".meta", ".cu", ".sm80.cubin", ".sm90.cubin"):
        (folder / (NAME + ending)).write_bytes(ending.encode() * 100)
    file = tmp_path / "gpu.zip"
    assert pack([folder / f"{NAME}.sm80.cubin", folder / f"{NAME}.sm90.cubin"], file) == file.stat().st_size
    return file


def written(file, **members):
    """An archive of these members beside those of a sound one."""
    with zipfile.ZipFile(file, "w") as out:
        for name, data in ({MADE_OF: json.dumps(made_of())} | members).items():
            out.writestr(name, data)
    return file


def test_another_machine_has_binaries_and_facts_without_sources(archive, cache):
    assert take(archive) == 1
    assert {path.name for path in cache.rglob("*") if path.is_file()} == {
        f"{NAME}{ending}" for ending in (".meta", ".sm80.cubin", ".sm90.cubin")
    }
    assert (cache / NAME / f"{NAME}.sm90.cubin").read_bytes() == b".sm90.cubin" * 100


def test_the_same_kernels_give_the_same_file(archive, tmp_path):
    other = tmp_path / "other.zip"
    pack(sorted((tmp_path / "elsewhere" / NAME).glob("*.cubin")), other)
    assert other.read_bytes() == archive.read_bytes()


def test_kernels_of_other_sources_are_refused(archive, cache, monkeypatch):
    monkeypatch.setattr(kernel_archive, "made_of", lambda: made_of() | {"warp": "0.1"})
    with pytest.raises(FileError, match=r"gpu\.zip.*warp .* and not 0\.1.*make it anew"):
        take(archive)
    assert not cache.exists()


@pytest.mark.parametrize(
    "name", ["../x.cubin", f"{NAME}/{NAME}.py", f"{NAME}/other.sm90.cubin", "/etc/x", f"a/../{NAME}/{NAME}.meta"]
)
def test_members_of_other_names_are_refused(name, cache, tmp_path):
    good = {f"{NAME}/{NAME}.meta": "{}"}
    with pytest.raises(FileError, match="is no part of one"):
        take(written(tmp_path / "bad.zip", **good, **{name: "x"}))
    assert not cache.exists()


@pytest.mark.parametrize("data", [b"", b"PK\3\4", b"no archive"])
def test_what_is_no_archive_is_refused(data, cache, tmp_path):
    (tmp_path / "bad.zip").write_bytes(data)
    with pytest.raises(FileError, match=r"bad\.zip.*no archive of kernels"):
        take(tmp_path / "bad.zip")


def test_a_damaged_archive_leaves_the_cache_as_it_was(archive, cache):
    data = bytearray(archive.read_bytes())
    data[len(data) // 3] ^= 0xFF
    archive.write_bytes(data)
    with pytest.raises(FileError):
        take(archive)
    assert not cache.exists()


def test_a_kernel_of_a_step_is_found_by_the_name_that_warp_looks_for(cache, tmp_path, monkeypatch):
    monkeypatch.setattr(specialize, "enabled", True)  # a kernel of few features is compiled soon
    mj = compile_source(models.path("box_stack"), "raise", Report())
    kernel = next(k for k in step_kernels(mj) if "integrate" in k.name)
    ((_, files),) = compile_ahead([kernel], (90,))
    pack(files, tmp_path / "gpu.zip")
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path / "there"))
    assert take(tmp_path / "gpu.zip") == 1
    module = kernel.kernel.module
    place = tmp_path / "there" / module.get_module_identifier(kernel.block)
    assert (place / module._get_compile_output_name(None, 90, block_dim=kernel.block)).stat().st_size > 1000
    assert (place / module._get_meta_name(kernel.block)).is_file()


def test_a_part_before_the_beginning_of_the_file_is_refused(archive, cache):
    data = archive.read_bytes()
    place = int.from_bytes(data[-6:-2], "little") + 10  # where the list of parts is said to be
    archive.write_bytes(data[:-6] + place.to_bytes(4, "little") + data[-2:])
    with pytest.raises(FileError, match="is no archive of kernels"):
        take(archive)
