"""Geoms and sites: sizes, fromto, and checks."""

from newtonlite.core.mujoco import MjtGeom
from newtonlite.importers.mjcf.frame import chain
from newtonlite.importers.mjcf.irregular import from_ends
from newtonlite.importers.mjcf.plugins import plugin_of
from newtonlite.importers.mjcf.spec import Body, Item, Spec

USED = {
    MjtGeom.PLANE: 0,
    MjtGeom.HFIELD: 0,
    MjtGeom.SPHERE: 1,
    MjtGeom.CAPSULE: 2,
    MjtGeom.ELLIPSOID: 3,
    MjtGeom.CYLINDER: 2,
    MjtGeom.BOX: 3,
    MjtGeom.MESH: 0,
    MjtGeom.SDF: 0,
}
"""Number of sizes of each type that have to be positive."""
GREY = (0.5, 0.5, 0.5, 1.0)
CONDIMS = (1, 3, 4, 6)
INT32 = range(-(2**31), 2**31)


def resolve_shapes(spec: Spec) -> None:
    """Settle the geometry of all geoms and sites, or raise ParseError."""
    for item in spec.geoms:
        resolve_geom(item, item.body)
        resolve_material(item)
    for item in spec.sites:
        resolve_ends(item)
        check_size(item)
        resolve_material(item)


def resolve_ends(item: Item) -> None:
    """Replace ``fromto`` by pose and size."""
    if "fromto" in item.given:
        pos, quat, size = from_ends(item.node, item.values, item["type"])
        item.pos, item.quat = chain(item.place.pos, item.place.quat, pos, quat)
        item.values["size"] = size


def resolve_material(item: Item) -> None:
    """The material of the mesh, and the look: the material's colour and opacity, where the element has none of its own."""
    item.values["look"] = item.values.get("rgba", GREY)
    document = item.place.document
    if not item.values.get("material") and item.values.get("mesh"):
        item.values["material"] = document.asset("mesh", item["mesh"], item.node, "mesh").values.get("material", "")
    if not item.values.get("material"):
        return
    material = document.asset("material", item["material"], item.node, "material")
    if "rgba" not in item.given:
        values = {**document.classes.of(material, "main"), **material.values}
        item.values["look"] = values.get("rgba", item["look"])


def resolve_geom(item: Item, body: Body) -> None:
    """Size, type-dependent references, and what no geom may be."""
    node, values = item.node, item.values
    kind = values["type"]
    if "mesh" not in values:
        resolve_ends(item)
        if kind in (MjtGeom.MESH, MjtGeom.SDF):
            raise node.error(f"a geom of type {'mesh' if kind == MjtGeom.MESH else 'sdf'} needs the attribute 'mesh'")
        check_size(item)
    if any(child.tag == "plugin" for child in node.children):
        if kind != MjtGeom.SDF:
            raise node.error("a plugin goes with type sdf only", "type" if "type" in node.values else None)
        values["plugin"] = plugin_of(node, item.place, "geom")
    if (kind == MjtGeom.HFIELD) != ("hfield" in values):
        raise node.error("type 'hfield' and the attribute 'hfield' go together; give both or neither")
    if kind == MjtGeom.PLANE and (min(values["size"]) < 0 or values["size"][2] <= 0):
        raise node.error(
            "the third size of a plane has to be positive, the others not negative",
            "size" if "size" in node.values else None,
        )
    if kind in (MjtGeom.PLANE, MjtGeom.HFIELD) and not body.static:
        raise node.error(
            "planes and height fields stand on static bodies only; this one moves",
            "type" if "type" in node.values else None,
        )
    if values["condim"] not in CONDIMS:
        raise node.error(f"{values['condim']} is no dimension of contacts; give 1, 3, 4 or 6", "condim")
    for name in ("mass", "density"):
        if values.get(name) is not None and values[name] < 0:
            raise node.error(f"{values[name]:g} is negative; give at least 0", name)
    for name in ("contype", "conaffinity"):
        if values[name] not in INT32:
            raise node.error(f"{values[name]} does not fit into 32 bits", name)
    if min(values["friction"]) < 0:
        raise node.error(f"{min(values['friction']):g} is negative; give friction of at least 0", "friction")


def check_size(item: Item) -> None:
    """The sizes that the type uses have to be positive."""
    for i, value in enumerate(item["size"][: USED.get(item["type"], 0)]):
        if value <= 0:
            given = "size" if "size" in item.node.values else None
            raise item.node.error(
                f"size {i + 1} is {value:g}; a {kind_name(item)} needs {USED[item['type']]} positive size{'s' * (USED[item['type']] > 1)}",
                given,
            )


def kind_name(item: Item) -> str:
    """The word for the type of a geom or site."""
    words = item.node.element.attr("type").kind.words
    return next(word for word, value in words.items() if value == item["type"])
