"""MJCF writer: a compiled model as canonical MJCF, with angles in rad, local frames, explicit inertials, no default
classes.
"""

from pathlib import Path

from newtonlite.core.errors import ModelError
from newtonlite.core.replacing import replace_files
from newtonlite.exporters.mjcf import settings
from newtonlite.exporters.mjcf.asset_files import AssetFiles
from newtonlite.exporters.mjcf.assets import hfield, material, mesh, texture
from newtonlite.exporters.mjcf.bodies import worldbody
from newtonlite.exporters.mjcf.flexes import flex
from newtonlite.exporters.mjcf.plugins import extension
from newtonlite.exporters.mjcf.records import custom, key, sensor
from newtonlite.exporters.mjcf.relations import actuator, equality, exclude, pair, tendon
from newtonlite.exporters.mjcf.skins import skin
from newtonlite.exporters.mjcf.source import NamedModel
from newtonlite.exporters.mjcf.text import Tag, section

HEAD = "<!-- written by newtonlite -->"


def write_mjcf(model, name: str = "", folder: str = "", inline: bool = False) -> tuple[str, dict[str, bytes]]:
    """The text of a compiled model, and the files that it names, by their paths beside it: textures in
    ``{folder}textures``, meshes, under the names of their own files, and height fields in ``{folder}meshes``.

    ``model`` is a CompiledModel, or anything with the fields of ``mujoco.MjModel``.  ``inline`` meshes and height
    fields stand in the text.  Meshes have no normals and texture coordinates.  What has no name and is spoken of gets
    one.  Raises ModelError for what MJCF of ours does not hold: models whose worlds differ.
    """
    root, files = model_tag(model, name, folder, inline)
    return f"{HEAD}\n{root.text()}", files


def model_tag(model, name: str = "", folder: str = "", inline: bool = False) -> tuple[Tag, dict[str, bytes]]:
    """The ``mujoco`` element of a compiled model, and the files that it names; as for ``write_mjcf``."""
    if getattr(model.body_mass, "ndim", 1) > 1:
        raise ModelError("MJCF writer: the model's worlds differ; compile one of them")
    source, files = NamedModel(model), AssetFiles(f"{folder}textures", f"{folder}meshes", inline)
    count = source.count
    assets = [texture(source, i, files) for i in range(count("texture"))]
    assets += [material(source, i) for i in range(count("material"))]
    assets += [mesh(source, i, files) for i in range(count("mesh"))]
    assets += [hfield(source, i, files) for i in range(count("hfield"))]
    contacts = [pair(source, i) for i in range(count("pair"))] + [exclude(source, i) for i in range(count("exclude"))]
    equalities = [equality(source, i) for i in range(count("equality"))]
    tendons = [tendon(source, i) for i in range(count("tendon"))]
    actuators = [actuator(source, i) for i in range(count("actuator"))]
    sensors = [sensor(source, i) for i in range(count("sensor"))]
    keys = [key(source, i) for i in range(count("key"))]
    extras = custom(source)
    flexes = [flex(source, i) for i in range(count("flex"))]
    skins = [skin(source, i) for i in range(count("skin"))]
    world = worldbody(source)  # last: now everything that is spoken of has a name
    root = Tag("mujoco", model=name or None)
    root.add(
        settings.compiler(source),
        settings.option(source),
        settings.size(source),
        settings.visual(source),
        settings.statistic(source),
    )
    root.add(
        extension(source),
        section("custom", extras),
        section("asset", assets),
        world,
        section("deformable", [*flexes, *skins]),
        section("contact", contacts),
    )
    root.add(section("equality", equalities), section("tendon", tendons), section("actuator", actuators))
    root.add(section("sensor", sensors), section("keyframe", keys))
    return root, files.found


def save_mjcf(model, path, inline: bool = False) -> Path:
    """Write a compiled model to an MJCF file, its textures and, unless they are ``inline``, its meshes and height fields
    into folders beside it; returns the path. All files are written, or none.
    """
    path = Path(path)
    text, files = write_mjcf(model, path.stem, f"{path.stem}_", inline)
    replace_files({path: text} | {path.parent / name: data for name, data in files.items()})
    return path
