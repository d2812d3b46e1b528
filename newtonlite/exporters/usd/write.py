"""USD writer: a compiled model as a stage of UsdPhysics with the attributes of Newton's and MuJoCo's schemas, by way of
its canonical MJCF.
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from lxml.etree import Element
from lxml.etree import _Element as XmlElement

from newtonlite.core.errors import ModelError
from newtonlite.core.replacing import replace_files, replacing
from newtonlite.exporters.mjcf.write import model_tag
from newtonlite.exporters.usd.bodies import Bodies
from newtonlite.exporters.usd.flexes import write_flexes
from newtonlite.exporters.usd.layers import FOLDER, export_layers, save_layers
from newtonlite.exporters.usd.node import LayerPrim, Names, identifier
from newtonlite.exporters.usd.plugins import write_instances
from newtonlite.exporters.usd.relations import Relations
from newtonlite.exporters.usd.sensors import Sensors
from newtonlite.exporters.usd.skins import write_skin
from newtonlite.exporters.usd.tags import quick
from newtonlite.importers.report import Report
from newtonlite.importers.usd.prims import Spot
from newtonlite.importers.usd.stage import need_pxr
from newtonlite.schema.option import FLAG, OPTION

SUFFIXES = (".usda", ".usdc", ".usdz", ".usd")
LOST = {
    "custom": "no schema has it",
    "visual": "settings of MuJoCo's viewer",
    "statistic": "settings of MuJoCo's viewer",
    "size": "the user's own numbers",
}
"""Sections that have no place in USD."""


def save_usd(model: Any, path: Any, name: str = "", report: Report | None = None, *, layers: bool = False) -> Path:
    """Write a compiled model to a USD file and return its path: ``.usda`` as text, ``.usdc`` or ``.usd`` as binary,
    ``.usdz`` as a package.

    ``model`` is a CompiledModel, or anything with the fields of ``mujoco.MjModel``. Numbers are in metres, kilograms
    and Z-up. Textures are image files in the folder ``textures`` beside the file. With ``layers`` the file is an
    interface alone, and materials, physics and geometry are files in the folder ``payload`` beside it. Contact pairs,
    sensors, flexes, skins, plugins and equalities of tendons and flexes, which no schema has, get types of our own, which ``add_usd`` reads; cameras,
    lights and settings of the picture are left out, which the ``report`` tells. Raises ModelError for an unknown
    ending, layers in a package, and for what ``write_mjcf`` raises it for.
    """
    need_pxr()
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise ModelError(f"{path}: ends in '{path.suffix}'; give one of {', '.join(SUFFIXES)}")
    if layers and path.suffix.lower() == ".usdz":
        raise ModelError(f"{path}: a package has one layer; give a .usda or .usdc file for several")
    report = Report("warn") if report is None else report
    layer, pictures = usd_layer(model, name or path.stem, report)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix.lower() == ".usdz":
        pack(layer, path, pictures)
        return path
    folder = path.parent / FOLDER if layers else path.parent
    replace_files({folder / file: data for file, data in pictures.items()})
    if layers:
        save_layers(layer, path)
    else:
        export_layers({path: layer})
    return path


def usd_layer(model: Any, name: str, report: Report):
    """The layer of a compiled model, in memory, and the image files that it names, by their paths beside it."""
    from pxr import Kind, Sdf

    mjcf, files = model_tag(model, inline=True)
    sections = {tag.tag: tag for tag in mjcf.xml}
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.pseudoRoot.SetInfo("metersPerUnit", 1.0)
    layer.pseudoRoot.SetInfo("kilogramsPerUnit", 1.0)
    layer.pseudoRoot.SetInfo("upAxis", "Z")
    layer.defaultPrim = identifier(name)
    root = LayerPrim(layer, f"/{layer.defaultPrim}", "Xform")
    root.spec.SetInfo("kind", Kind.Tokens.component)
    names = Names()
    scene(layer, sections.get("option", Element("option")))
    bodies = Bodies(layer, root.path, names, sections, report, model, files)
    bodies.write(sections["worldbody"])
    write_instances(layer, bodies.physics, names, sections.get("extension"))
    relations = Relations(layer, root.path, names, bodies, report)
    write_flexes(relations, sections.get("deformable"))
    for tag in sections.get("deformable", ()):
        if tag.tag == "skin":
            write_skin(relations, tag)
    for section in ("contact", "tendon", "equality", "actuator", "keyframe"):
        relations.write(sections.get(section))
    Sensors(layer, names, bodies, report).write(sections.get("sensor"))
    report_unused(sections, report)
    for section, why in LOST.items():
        for tag in sections.get(section, ()):
            report.ignore(Spot(tag.tag, f"<{section}>"), why)
    for prim, text in names.display.items():
        layer.GetPrimAtPath(prim).SetInfo("displayName", text)
    return layer, bodies.surfaces.used


def report_unused(sections: dict[str, XmlElement], report: Report) -> None:
    """Tell of meshes and height fields that no geom has: the file does not hold them."""
    geoms = list(sections["worldbody"].iter("geom"))
    for tag in sections.get("asset", ()):
        name = tag.attrib.get("name", "")
        if tag.tag in ("mesh", "hfield") and all(geom.attrib.get(tag.tag) != name for geom in geoms):
            report.ignore(Spot(tag.tag, f"<{name}>"), "no geom uses it")


def scene(layer, option: XmlElement) -> None:
    """The physics scene: gravity, options, flags."""
    node = LayerPrim(layer, "/PhysicsScene", "PhysicsScene", ("NewtonSceneAPI", "MjcSceneAPI"))
    gravity = np.array(quick(option, "gravity", (0.0, 0.0, -9.81)))
    strength = float(np.linalg.norm(gravity))
    node.set("vector3f", physics__gravityDirection=gravity / strength if strength else (0.0, 0.0, -1.0))
    node.set("float", physics__gravityMagnitude=strength)
    step = quick(option, "timestep", (0.002,))[0]
    node.set("int", newton__timeStepsPerSecond=max(1, round(1.0 / step)))
    node.set("int", newton__maxSolverIterations=int(quick(option, "iterations", (100,))[0]))
    node.set("token", mjc__compiler__angle="radian")
    node.author(OPTION, option, {attr.name for attr in OPTION.attrs} - {"gravity"})
    node.author(FLAG, next((tag for tag in option if tag.tag == "flag"), Element("flag")))


def pack(layer, path: Path, pictures: dict[str, bytes]) -> None:
    """A package of one binary layer and the image files that it names."""
    from pxr import Sdf

    with tempfile.TemporaryDirectory() as folder:
        inner = Path(folder) / f"{identifier(path.stem)}.usdc"
        layer.Export(str(inner))
        with replacing(path) as part, Sdf.ZipFileWriter.CreateNew(str(part)) as package:
            package.AddFile(str(inner), inner.name)
            for file, data in pictures.items():
                (Path(folder) / file).parent.mkdir(exist_ok=True)
                (Path(folder) / file).write_bytes(data)
                package.AddFile(str(Path(folder) / file), file)
