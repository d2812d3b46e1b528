"""MJCF soft bodies, spelled out over the bodies that they have."""

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.exporters.mjcf.source import NamedModel
from newtonlite.exporters.mjcf.text import Tag, number_list

PARTS = ("contact", "edge", "elasticity")
DOFS = {1: "trilinear", 2: "quadratic"}


def flex(source: NamedModel, f: int) -> Tag:
    """A soft body. ModelError where its elasticity is not kept, as in models that MuJoCo has compiled."""
    model = source.model
    tag = source.tag("deformable/flex", "flex", f)
    if not source.has("flex_young") and (model.flex_stiffnessadr[f] >= 0 or model.flex_bendingadr[f] >= 0):
        where = source.names["flex"][f] or f
        raise ModelError(f"MJCF writer: flex '{where}': the model does not keep its Young's modulus; compile its file")
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
        if name == "elasticity" and not np.any(model.flex_yield[f]):
            part.xml.attrib.pop("yield", None)
        tag.add(part if part else None)
    return tag


def rows(model, kind: str, f: int) -> slice:
    """The rows of one flex in the arrays of a part of it."""
    first = int(getattr(model, f"flex_{kind}adr")[f])
    return slice(first, first + int(getattr(model, f"flex_{kind}num")[f]))


def frame_of(model, f: int) -> int:
    """The body in whose frame the vertices of an interpolated flex stand: the parent of its first node that moves."""
    nodes = np.asarray(model.flex_nodebodyid)[rows(model, "node", f)]
    moved = nodes[np.asarray(model.body_dofnum)[nodes] > 0] if len(nodes) else nodes
    if len(np.unique(nodes)) == 1 or not len(moved):
        return int(nodes[0])
    return int(
        model.body_parentid[moved[0]] if not np.any(nodes == moved[0]) or len(np.unique(moved)) > 1 else moved[0]
    )


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
