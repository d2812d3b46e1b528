"""The list of models: own ones always, those of wheels when they were fetched, each once."""

import json
import zipfile

import pytest

from conformance.collection import fetch, manifest, models
from conformance.collection.fetch import fetched, put
from conformance.collection.manifest import Package, listed, packages
from conformance.collection.own import own
from conformance.collection.wheel import digest
from newtonlite.core.errors import FileError
from newtonlite.sim.builder import ModelBuilder

MODEL = "<mujoco/>"
MOST_MEGABYTES = 1000


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """A wheel with one model, its package, and a manifest that lists both."""
    path = tmp_path / "arms-1.whl"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("arms/arm.xml", MODEL)
    package = Package("arms", "1", "MIT", digest(path), ("arms/",))
    (tmp_path / "model.xml").write_text(MODEL)
    rows = {"arms": {"arms/arm.xml": {"sha256": digest(tmp_path / "model.xml"), "nv": 3, "also": "there/arm.xml"}}}
    manifest.write((package,), rows, tmp_path / "manifest.json")
    for module in (fetch, models):
        monkeypatch.setattr(module, "listed", lambda: listed(tmp_path / "manifest.json"))
    monkeypatch.setattr(models, "packages", lambda: (package,))
    monkeypatch.setattr(models, "UNPACKED", tmp_path / "put")
    monkeypatch.setattr(models, "fetched", lambda p: fetched(p, tmp_path / "put"))
    monkeypatch.setattr(models, "beside", lambda kind: {})
    models.unpacked.cache_clear()
    yield path, package, tmp_path / "put"
    models.unpacked.cache_clear()


def test_the_manifest_has_what_it_promises():
    kinds = [row["format"] for row in listed()]
    assert kinds.count("mjcf") >= 300 and kinds.count("urdf") >= 80 and kinds.count("usd") >= 30
    assert len({package.name for package in packages()}) == len(packages())
    assert all(len(package.sha256) == 64 and package.licence and package.version for package in packages())
    assert {row["package"] for row in listed()} == {package.name for package in packages()}
    assert len({row["sha256"] for row in listed()}) == len(listed())


def test_the_manifest_names_no_registry():
    assert "://" not in manifest.MANIFEST.read_text()


def test_thirty_own_models_can_be_read():
    found = {kind: own(kind) for kind in ("mjcf", "urdf", "usd")}
    assert sum(map(len, found.values())) == 30
    for kind, entries in found.items():
        for entry in entries.values():
            getattr(ModelBuilder(), f"add_{kind}")(entry["file"])


def test_models_of_a_wheel_are_listed_once_it_is_fetched(wheel):
    path, package, folder = wheel
    assert not [name for name in models.models() if name.startswith("arms/")]
    assert put(package, path, folder) == 1
    models.unpacked.cache_clear()
    assert models.files()["arms/arm.xml"] == str(folder / "arms" / "arms" / "arm.xml")
    assert "arms/arm.xml" not in models.models(nv=2)
    assert models.named(["there/arm.xml", "nowhere.xml"]) == {"there/arm.xml": models.files()["arms/arm.xml"]}


def test_another_wheel_than_that_of_the_manifest_is_refused(wheel):
    path, package, folder = wheel
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("arms/more.xml", MODEL)
    with pytest.raises(FileError, match="not the wheel of the manifest"):
        put(package, path, folder)
    assert not folder.exists()


def test_a_model_that_is_not_that_of_the_manifest_is_refused(wheel, monkeypatch):
    path, package, folder = wheel
    monkeypatch.setattr(fetch, "listed", lambda: ({"package": "arms", "path": "arms/arm.xml", "sha256": "0"},))
    with pytest.raises(FileError, match=r"arms/arm\.xml is not the file"):
        put(package, path, folder)
    assert not fetched(package, folder)


def test_a_wheel_of_an_older_manifest_counts_as_not_fetched(wheel):
    path, package, folder = wheel
    put(package, path, folder)
    assert fetched(package, folder)
    assert not fetched(Package("arms", "2", "MIT", "0" * 64, ("arms/",)), folder)


def test_a_package_that_cannot_be_had_is_said(monkeypatch, capsys):
    monkeypatch.setattr(fetch, "packages", lambda: (Package("arms", "1", "MIT", "0", ("arms/",)),))
    monkeypatch.setattr(fetch, "fetch", lambda package: (_ for _ in ()).throw(FileError("no such version")))
    assert fetch.main([]) == 1
    assert "1/1 arms 1 (MIT): not fetched: no such version" in capsys.readouterr().out
    assert fetch.main(["legs"]) == 2
    assert "legs" in capsys.readouterr().err


def test_the_manifest_is_written_as_it_is_read(tmp_path):
    again = tmp_path / "manifest.json"
    known = json.loads(manifest.MANIFEST.read_text())
    manifest.write(packages(), known["models"], again)
    assert again.read_text() == manifest.MANIFEST.read_text()
