"""The manifest, made from wheels: which files are models by themselves, and how large they are.

    python -m conformance.collection measure FOLDER_OF_WHEELS

A file that MuJoCo does not load by itself is part of another one, and stays out, as do URDF without links and USD
without physics. Of equal files the first one counts; ``also`` is the name of the same file in the folder beside the
project, where that is there.
"""

import multiprocessing
import zipfile
from email.parser import HeaderParser
from pathlib import Path
from xml.etree import ElementTree

from conformance.collection.manifest import FORMATS, Package, write
from conformance.collection.models import beside
from conformance.collection.places import UNPACKED
from conformance.collection.wheel import digest, unpack

SIZES = ("nv", "nmeshvert")
SECONDS = 60
PHYSICS = ("Physics", "Mjc", "Newton")
"""How types and schemas of USD begin that make a picture a model."""


def package_of(wheel: Path) -> Package:
    """What a wheel says of itself; roots are the first folders that have models."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        head = next(name for name in names if name.endswith(".dist-info/METADATA"))
        said = HeaderParser().parsestr(archive.read(head).decode())
        text = next((name for name in names if name.endswith("LICENSE")), head)
        texts = archive.read(text).decode().strip().splitlines()[0]  # its title
    models = [name for name in names if name.rpartition(".")[2].lower() in FORMATS]
    roots = sorted({name.split("/")[0] + "/" for name in models})
    licence = said["License-Expression"] or next(
        (text.rpartition(" :: ")[2] for text in said.get_all("Classifier", []) if text.startswith("License ::")),
        " ".join((said["License"] or texts).split()),
    )
    return Package(said["Name"].lower(), said["Version"], licence, digest(wheel), tuple(roots))


def sizes(path: Path) -> dict | None:
    """Degrees of freedom and mesh vertices of a model of MJCF; None where a file is no model by itself."""
    kind = FORMATS[path.suffix[1:].lower()]
    if kind == "usd":
        from pxr import Usd

        stage = Usd.Stage.Open(str(path))
        words = (str(word) for prim in stage.Traverse() for word in (prim.GetTypeName(), *prim.GetAppliedSchemas()))
        return {} if any(word.startswith(PHYSICS) for word in words) else None
    if kind == "urdf":  # MuJoCo refuses what it finds no meshes for, which is no sign of a part
        root = ElementTree.parse(path).getroot()
        return {} if root.tag == "robot" and root.find("link") is not None else None
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    found = {key: int(getattr(model, key)) for key in SIZES}
    return {key: size for key, size in found.items() if size}


def judged(path: Path) -> tuple[dict | None, str]:
    """Sizes of a model, and why it has none."""
    try:
        return sizes(path), ""
    except Exception as problem:  # whatever the readers raise
        return None, " ".join(str(problem).split())[:120]


def main(folder: Path) -> int:
    """Write the manifest of the wheels of a folder."""
    chosen, models, seen = [], {}, set()
    also = {row["sha256"]: {"also": name} for kind in ("mjcf", "urdf", "usd") for name, row in beside(kind).items()}
    with multiprocessing.get_context("spawn").Pool(2, maxtasksperchild=50) as pool:
        for wheel in sorted(folder.glob("*.whl")):
            package = package_of(wheel)
            target = UNPACKED / package.name
            target.parent.mkdir(parents=True, exist_ok=True)
            files = [p for p in unpack(wheel, target, package.roots) if p.suffix[1:].lower() in FORMATS]
            jobs = {path: pool.apply_async(judged, (path,)) for path in sorted(files)}
            rows = {}
            for path, job in jobs.items():
                try:
                    row, _ = job.get(SECONDS)
                except multiprocessing.TimeoutError:
                    continue
                mark = digest(path)
                if row is None or mark in seen:
                    continue
                seen.add(mark)
                rows[path.relative_to(target).as_posix()] = {"sha256": mark} | row | also.get(mark, {})
            if rows:
                chosen.append(package)
                models[package.name] = rows
                print(
                    f"{package.name} {package.version} ({package.licence}): {len(rows)} of {len(files)} files",
                    flush=True,
                )
    write(tuple(chosen), models)
    return 0
