"""MJCF sensors, keyframes and custom data."""

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import OBJECT_ELEMENTS, ContactReduce, MjtObj
from newtonlite.exporters.mjcf.plugins import choose
from newtonlite.exporters.mjcf.source import NamedModel
from newtonlite.exporters.mjcf.text import Tag, number, number_list
from newtonlite.schema.groups import INTERPOLATIONS
from newtonlite.schema.sensor import CONTACT_FIELDS, RAY_FIELDS, TYPES

FRAMES = (
    "framepos",
    "framequat",
    "framexaxis",
    "frameyaxis",
    "framezaxis",
    "framelinvel",
    "frameangvel",
    "framelinacc",
    "frameangacc",
)
PAIRED = ("distance", "normal", "fromto")


def sensor(source: NamedModel, i: int) -> Tag:
    """A sensor."""
    model = source.model
    name = TYPES[int(model.sensor_type[i])]
    tag = source.tag(f"sensor/{name}", "sensor", i)
    one, two = (
        (int(model.sensor_objtype[i]), int(model.sensor_objid[i])),
        (int(model.sensor_reftype[i]), int(model.sensor_refid[i])),
    )
    if name == "tactile":
        check_taxels(source, i, one[1])
    if name in PAIRED:
        tag.set(**{f"{kind_of(end)}{k}": source.ref(kind_of(end), end[1]) for k, end in enumerate((one, two), 1)})
    elif name == "contact":
        contact(source, tag, one, two, [int(x) for x in model.sensor_intprm[i]])
    elif name in FRAMES or name in ("insidesite", "user", "plugin"):
        if one[0]:
            tag.set(objtype=MjtObj(one[0]).name.lower(), objname=source.ref(kind_of(one), one[1]))
        if name == "insidesite":
            tag.set(site=source.ref("site", two[1]), enclosed="true" if model.sensor_intprm[i][0] else None)
        elif two[1] >= 0:
            tag.set(reftype=MjtObj(two[0]).name.lower(), refname=source.ref(kind_of(two), two[1]))
    else:
        for end in (one, two):
            if end[0] and end[1] >= 0:
                tag.set(**{kind_of(end): source.ref(kind_of(end), end[1])})
    if name == "plugin":
        choose(source, tag, int(model.sensor_plugin[i]))
    if name == "rangefinder":
        tag.set(data=words(RAY_FIELDS, int(model.sensor_intprm[i][0])))
    return history(source, tag, i)


def check_taxels(source: NamedModel, i: int, mesh: int) -> None:
    """ModelError where a tactile sensor feels along directions, which a mesh cannot be written with."""
    first, count = int(source.model.mesh_vertadr[mesh]), int(source.model.mesh_vertnum[mesh])
    if np.any(source.get("mesh_tangent", default=np.zeros(0))[first : first + count]):
        raise ModelError(
            f"sensor {i}: a tactile sensor over a wedge or a plate cannot be written; remove it, or keep the file it came from"
        )


def history(source: NamedModel, tag: Tag, i: int) -> Tag:
    """Past values that a sensor keeps."""
    samples, order = source.get("sensor_history", i, (0, 0))
    if samples > 0:
        tag.set(nsample=str(int(samples)))
    return tag.set(interp=INTERPOLATIONS[int(order)]) if order or samples > 0 else tag


def contact(source: NamedModel, tag: Tag, one, two, prm) -> None:
    """Two ends, each a geom, body, subtree or site; the data that are wanted, how many contacts, and which."""
    for k, (kind, index) in enumerate((one, two), 1):
        if kind == 0 or index < 0:
            continue
        what = kind_of((kind, index))
        attr = "site" if what == "site" else f"subtree{k}" if kind == MjtObj.XBODY else f"{what}{k}"
        tag.set(**{attr: source.ref(what, index)})
    tag.set(data=words(CONTACT_FIELDS, prm[0]), reduce=ContactReduce(prm[1]).name.lower(), num=str(prm[2]))


def words(names: list, bits: int) -> str:
    """The words of the bits that are set."""
    return " ".join(name for k, name in enumerate(names) if bits >> k & 1)


def kind_of(end: tuple[int, int]) -> str:
    """The kind of an object."""
    return OBJECT_ELEMENTS[MjtObj(end[0])]


def key(source: NamedModel, k: int) -> Tag:
    """A keyframe."""
    return source.tag("keyframe/key", "key", k)


def custom(source: NamedModel) -> list[Tag]:
    """Numbers, texts and lists with names."""
    model, found = source.model, []
    for i in range(source.count("numeric")):
        start, size = int(model.numeric_adr[i]), int(model.numeric_size[i])
        found.append(
            Tag("numeric", name=source.ref("numeric", i), data=number_list(model.numeric_data[start : start + size]))
        )
    for i in range(source.count("text")):
        start, size = int(model.text_adr[i]), int(model.text_size[i])
        data = bytes(model.text_data[start : start + size]).rstrip(b"\0")
        found.append(Tag("text", name=source.ref("text", i), data=data.decode()))
    for i in range(source.count("tuple")):
        start, size = int(model.tuple_adr[i]), int(model.tuple_size[i])
        found.append(
            Tag("tuple", name=source.ref("tuple", i)).add(*(element(source, k) for k in range(start, start + size)))
        )
    return found


def element(source: NamedModel, k: int) -> Tag:
    """One entry of a tuple."""
    model = source.model
    kind, index = int(model.tuple_objtype[k]), int(model.tuple_objid[k])
    if kind not in OBJECT_ELEMENTS:
        raise ModelError(
            f"MJCF writer: tuple entry {k} names an object of type {kind}, which MJCF cannot name; remove it"
        )
    return Tag(
        "element",
        objtype=MjtObj(kind).name.lower(),
        objname=source.ref(OBJECT_ELEMENTS[MjtObj(kind)], index),
        prm=number(float(model.tuple_objprm[k])),
    )
