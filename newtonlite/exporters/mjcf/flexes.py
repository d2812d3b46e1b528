"""MJCF soft bodies, spelled out over the bodies that they have."""

import numpy as np

from newtonlite.core.doors import open_door
from newtonlite.core.errors import ModelError
from newtonlite.exporters.mjcf.source import NamedModel, schema
from newtonlite.exporters.mjcf.text import Tag, number_list, value_text

PARTS = ("contact", "edge", "elasticity")
DOFS = {1: "trilinear", 2: "quadratic"}


def flex(source: NamedModel, f: int) -> Tag:
    """A soft body. ModelError where its elasticity is neither kept, as in models that MuJoCo has compiled, nor follows from
    its stiffness.
    """
    model = source.model
    tag = source.tag("deformable/flex", "flex", f)
    order = abs(int(model.flex_interp[f]))
    vert, node = (rows(model, kind, f) for kind in ("vert", "node"))
    bodies = np.full(vert.stop - vert.start, frame_of(model, f)) if order else model.flex_vertbodyid[vert]
    tag.set(dof=DOFS.get(order), cellcount=number_list(model.flex_cellnum[f]) if order else None)
    tag.set(**placed(source, bodies, model.flex_vert[vert], "body", "vertex"))
    if order:
        tag.set(**placed(source, model.flex_nodebodyid[node], model.flex_node[node], "node", "nodecoord"))
    elements(source, tag, f)
    material(source, tag, f)
    for name in PARTS:
        part = source.tag(f"deformable/flex/{name}", "flex", f)
        if name == "elasticity":
            constants(source, part, f, bodies)
        tag.add(part if part else None)
    return tag


def constants(source: NamedModel, tag: Tag, f: int, bodies: np.ndarray) -> None:
    """Constants of the material, by its stiffness where the model does not keep them; no strain of yield of 0."""
    model = source.model
    if source.has("flex_elastic3d") and model.flex_elastic3d[f]:
        raise ModelError(
            f"MJCF writer: flex '{source.names['flex'][f] or f}': a Neo-Hookean solid, which no attribute says; set elastic3d to 0"
        )
    if not np.any(model.flex_yield[f]):
        tag.xml.attrib.pop("yield", None)
    if source.has("flex_young") or max(int(model.flex_stiffnessadr[f]), int(model.flex_bendingadr[f])) < 0:
        return
    try:
        found = open_door("recover_elasticity")(model, f, bodies)
    except ModelError as problem:
        raise ModelError(f"MJCF writer: flex '{source.names['flex'][f] or f}': {problem}") from problem
    rows_found = (attr for attr in schema("deformable/flex/elasticity").attrs if attr.name in found)
    tag.set(**{attr.name: value_text(attr, found[attr.name]) for attr in rows_found})


def rows(model, kind: str, f: int) -> slice:
    """The rows of one flex in the arrays of a part of it."""
    first = int(getattr(model, f"flex_{kind}adr")[f])
    return slice(first, first + int(getattr(model, f"flex_{kind}num")[f]))


def frame_of(model, f: int) -> int:
    """The body in whose frame the vertices of an interpolated flex stand: the node that carries others, or the parent of
    those that move.
    """
    nodes = np.asarray(model.flex_nodebodyid)[rows(model, "node", f)]
    parents = np.asarray(model.body_parentid)[nodes]
    moved = np.asarray(model.body_dofnum)[nodes] > 0
    carriers = nodes[np.isin(nodes, parents[moved])]
    if len(np.unique(nodes)) == 1 or not moved.any():
        return int(nodes[0])
    return int(carriers[0] if len(carriers) else parents[moved][0])


def placed(source: NamedModel, bodies, places, body: str, place: str) -> dict[str, str | None]:
    """Attributes of bodies, one for each place, and of places in them, none where all are at the origin."""
    names = [source.ref("body", int(b)) for b in bodies]
    return {body: " ".join(names), place: number_list(places) if np.any(places) else None}


def elements(source: NamedModel, tag: Tag, f: int) -> None:
    """Elements, and texture coordinates where there are some."""
    model = source.model
    count = int(model.flex_elemnum[f]) * (int(model.flex_dim[f]) + 1)
    first = int(model.flex_elemdataadr[f])
    own = slice(first, first + count)
    tag.set(element=number_list(model.flex_elem[own]))
    start = int(model.flex_texcoordadr[f])
    if start < 0:
        return
    after = [int(a) for a in model.flex_texcoordadr[f + 1 :] if a >= 0]
    tag.set(texcoord=number_list(model.flex_texcoord[start : after[0] if after else None]))
    if not np.array_equal(model.flex_elemtexcoord[own], model.flex_elem[own]):
        tag.set(elemtexcoord=number_list(model.flex_elemtexcoord[own]))


def material(source: NamedModel, tag: Tag, f: int) -> None:
    """The material, or that of each element."""
    ids = np.asarray(source.model.flex_matid)[rows(source.model, "elem", f)]
    if len(ids) and ids.min() >= 0 and source.count("material"):
        names = [source.ref("material", int(i)) for i in (ids[:1] if (ids == ids[0]).all() else ids)]
        tag.set(material=" ".join(names))
