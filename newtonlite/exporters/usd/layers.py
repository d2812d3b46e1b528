"""A stage as an asset of layers: an interface with a payload, in which materials, physics and geometry are layers of
their own, and a scene of physics beside it.
"""

from contextlib import ExitStack
from pathlib import Path

from newtonlite.core.errors import ModelError
from newtonlite.core.replacing import replacing

FOLDER = "payload"
PARTS = ("materials", "physics", "geometry")
"""Layers of the payload, the strongest first."""
PHYSICAL = ("Physics", "Newton", "Mjc")
"""Starts of the names of types and schemas that are physics."""
SPACES = ("physics:", "newton:", "mjc:", "drive:", "limit:", "state:", "material:binding:physics")
SHADING = ("Material", "Shader")
BINDING = "MaterialBindingAPI"
STAGE = ("metersPerUnit", "kilogramsPerUnit", "upAxis")
PRIM_FIELDS = ("kind", "displayName", "instanceable")


def save_layers(flat, path: Path) -> list[Path]:
    """Write a flat layer as an asset of layers; ``path`` is the interface, the rest stands in a folder beside it.
    Returns the paths, the interface first.
    """
    from pxr import Sdf

    folder, suffix = path.parent / FOLDER, path.suffix
    parts = {name: Sdf.Layer.CreateAnonymous(".usda") for name in PARTS}
    contents, interface = Sdf.Layer.CreateAnonymous(".usda"), Sdf.Layer.CreateAnonymous(".usda")
    for layer in (*parts.values(), contents, interface):
        for name in STAGE:
            layer.pseudoRoot.SetInfo(name, flat.pseudoRoot.GetInfo(name))
        layer.defaultPrim = flat.defaultPrim
    for prim in flat.rootPrims:
        split_layers(prim, parts)
    contents.subLayerPaths = [f"./{name}{suffix}" for name in PARTS]
    for prim in flat.rootPrims:
        outer = Sdf.CreatePrimInLayer(interface, prim.path)
        outer.specifier, outer.typeName = Sdf.SpecifierDef, prim.typeName
        if prim.HasInfo("kind"):
            outer.SetInfo("kind", prim.GetInfo("kind"))
        outer.payloadList.Prepend(Sdf.Payload(f"./{FOLDER}/contents{suffix}", prim.path))
    files = {path: interface, folder / f"contents{suffix}": contents}
    files |= {folder / f"{name}{suffix}": layer for name, layer in parts.items()}
    export_layers(files)
    return list(files)


def export_layers(layers: dict) -> None:
    """Write layers to files by their endings, all or none; the first names the others. ModelError where one cannot be
    written.
    """
    from pxr import Sdf

    with ExitStack() as opened:
        for file, layer in layers.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            part = opened.enter_context(replacing(file))
            if not layer.Export(str(part), args={"format": "usda" if file.suffix.lower() == ".usda" else "usdc"}):
                raise ModelError(f"{file}: cannot be written")
    for file in layers:
        known = Sdf.Layer.Find(str(file))
        if known:  # somebody has it open
            known.Reload(force=True)


def split_layers(prim, parts: dict) -> None:
    """Spread a prim and all below it over the layers, each of which has what is its own and ``over`` for the rest; no
    recursion, since bodies may be nested deeply.
    """
    from pxr import Sdf

    left = [prim]
    while left:
        here = left.pop()
        home = owner(here)
        spec = Sdf.CreatePrimInLayer(parts[home], here.path)
        spec.specifier = here.specifier
        if here.typeName:
            spec.typeName = here.typeName
        for name in PRIM_FIELDS:
            if here.HasInfo(name):
                spec.SetInfo(name, here.GetInfo(name))
        for reference in here.referenceList.prependedItems:
            spec.referenceList.Prepend(reference)
        for prop in here.properties:
            place = home if home != "geometry" else owner_of_property(prop.name)
            Sdf.CreatePrimInLayer(parts[place], here.path)
            Sdf.CopySpec(here.layer, prop.path, parts[place], prop.path)
        if here.HasInfo("apiSchemas"):
            apply(here, home, parts)
        left += reversed(here.nameChildren)


def owner(prim) -> str:
    """The layer that a prim is defined in."""
    if prim.typeName in SHADING or prim.name == "Looks":
        physical = prim.typeName == "Material" and any(
            api.startswith("Physics") for api in prim.GetInfo("apiSchemas").prependedItems
        )
        return "physics" if physical else "materials"
    return "physics" if prim.typeName.startswith(PHYSICAL) or prim.name == "Physics" else "geometry"


def owner_of_property(name: str) -> str:
    """The layer of a property of geometry."""
    if name.startswith(SPACES):
        return "physics"
    return "materials" if name.startswith("material:binding") else "geometry"


def apply(prim, home: str, parts: dict) -> None:
    """Spread the schemas of a prim; a binding is one wherever a material is bound."""
    from pxr import Sdf

    for name, layer in parts.items():
        mine = []
        for api in prim.GetInfo("apiSchemas").prependedItems:
            if api == BINDING and home == "geometry":
                wanted = {owner_of_property(p.name) for p in prim.properties if p.name.startswith("material:binding")}
                if name in wanted:
                    mine.append(api)
            elif name == (home if home != "geometry" or not api.startswith(PHYSICAL) else "physics"):
                mine.append(api)
        if mine:
            spec = Sdf.CreatePrimInLayer(layer, prim.path)
            spec.SetInfo("apiSchemas", Sdf.TokenListOp.Create(prependedItems=mine))
