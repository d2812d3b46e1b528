"""Prims on their way to a layer: attributes of UsdPhysics by type, those of MuJoCo's schema by the rows of MJCF."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from lxml.etree import _Element as XmlElement

from newtonlite.core.table import Attr, Element
from newtonlite.schema.convert import PAIRS

FIXED_SIZE = {"wind": "double3", "magnetic": "double3", "rgba": "color4f", "torquescale": "float"}
"""Types of MuJoCo's schema that are neither numbers nor arrays of double."""
OURS = (
    "fluidshape",
    "fluidcoef",
    "surfacevel",
    "adhesion",
    "castshadow",
    "springyield",
    "sleep",
    "nsample",
    "interp",
    "delay",
)
"""Attributes that no schema has; written where they are not the default."""
UNIFORM = (
    "xformOpOrder",
    "axis",
    "subdivisionScheme",
    "physics:approximation",
    "physics:axis",
    "purpose",
    "info:id",
    "newton:massModel",
    "newton:sensor:type",
)


class LayerPrim:
    """One prim: a spec in a layer."""

    __slots__ = ("path", "spec")

    def __init__(self, layer, path: str, kind: str = "", apis: Iterable[str] = (), abstract: bool = False):
        from pxr import Sdf

        self.path = path
        self.spec = Sdf.CreatePrimInLayer(layer, path)
        self.spec.specifier = Sdf.SpecifierClass if abstract else Sdf.SpecifierDef
        if kind:
            self.spec.typeName = kind
        self.apply(*apis)

    @classmethod
    def at(cls, layer, path: str) -> "LayerPrim":
        """The node of a prim that is there already."""
        found = cls.__new__(cls)
        found.path, found.spec = path, layer.GetPrimAtPath(path)
        return found

    def apply(self, *apis: str) -> "LayerPrim":
        """Apply schemas."""
        from pxr import Sdf

        known = self.spec.GetInfo("apiSchemas").prependedItems if self.spec.HasInfo("apiSchemas") else []
        every = [*known, *(api for api in apis if api not in known)]
        if every:
            self.spec.SetInfo("apiSchemas", Sdf.TokenListOp.Create(prependedItems=every))
        return self

    def set(self, kind: str, **values: Any) -> "LayerPrim":
        """Author attributes of a type; a double underscore in their names is a colon, and None stays away."""
        for name, value in values.items():
            if value is not None:
                self.put(kind, name.replace("__", ":"), value)
        return self

    def put(self, kind: str, name: str, value: Any) -> "LayerPrim":
        """Author an attribute of a type."""
        from pxr import Sdf

        uniform = Sdf.VariabilityUniform if name in UNIFORM else Sdf.VariabilityVarying
        attr = self.spec.attributes.get(name) or Sdf.AttributeSpec(
            self.spec, name, Sdf.ValueTypeNames.Find(kind), uniform
        )
        attr.default = converted(kind, value)
        return self

    def declare(self, kind: str, name: str) -> "LayerPrim":
        """Author an attribute without a value, such as a shader's output."""
        from pxr import Sdf

        if name not in self.spec.attributes:
            Sdf.AttributeSpec(self.spec, name, Sdf.ValueTypeNames.Find(kind))
        return self

    def connect(self, kind: str, name: str, source: str) -> "LayerPrim":
        """Author an attribute whose value is that of another."""
        from pxr import Sdf

        self.declare(kind, name)
        self.spec.attributes[name].connectionPathList.explicitItems = [Sdf.Path(source)]
        return self

    def point(self, name: str, *paths: str) -> "LayerPrim":
        """Author a relationship."""
        from pxr import Sdf

        rel = self.spec.relationships.get(name) or Sdf.RelationshipSpec(self.spec, name, custom=False)
        rel.targetPathList.explicitItems = [Sdf.Path(path) for path in paths]
        return self

    def place(self, pos: Sequence[float], quat: Sequence[float], scale: Sequence[float] | None = None) -> "LayerPrim":
        """A pose, quaternion (w, x, y, z), and a scale; what does nothing is not written."""
        ops = []
        if any(pos):
            self.put("double3", "xformOp:translate", pos)
            ops.append("xformOp:translate")
        if tuple(quat) != (1.0, 0.0, 0.0, 0.0):
            self.put("quatd", "xformOp:orient", quat)
            ops.append("xformOp:orient")
        if scale is not None:
            self.put("double3", "xformOp:scale", scale)
            ops.append("xformOp:scale")
        return self.put("token[]", "xformOpOrder", ops) if ops else self

    def author(self, element: Element, tag: XmlElement, only: Iterable[str] | None = None) -> "LayerPrim":
        """All attributes that MuJoCo's schema has of an element, its defaults where the tag has none."""
        for attr in element.attrs:
            if attr.usd and (only is None or attr.name in only):
                text = tag.attrib.get(attr.name)
                if text is None and (attr.default is None or attr.name in OURS):
                    continue
                author_row(self, attr, attr.default if text is None else attr.kind.parse(text), text)
        return self


def author_row(node: LayerPrim, attr: Attr, value: Any, text: str | None) -> None:
    """Author one row of MJCF's schema."""
    kind = attr.kind
    if attr.kind.base in ("name", "reference", "text"):
        return
    if kind.words:
        flags = all(isinstance(v, bool) for v in kind.words.values())
        word = text or next(w for w, v in kind.words.items() if v == value)
        node.put("bool" if flags else "token", attr.usd, bool(value) if flags else word.lower())
        return
    numbers = np.atleast_1d(np.asarray(value)).ravel().tolist()
    if attr.usd.endswith(":min"):
        for end, number in zip(("min", "max"), numbers, strict=True):
            node.put("double", attr.usd[:-3] + end, number)
    elif attr.name in FIXED_SIZE:
        node.put(FIXED_SIZE[attr.name], attr.usd, numbers if len(numbers) > 1 else numbers[0])
    elif " " in attr.usd:
        (first, higher), names = PAIRS[attr.convert].split((numbers + [0.0, 0.0])[:3]), attr.usd.split()
        node.put("double", names[0], first)
        if any(higher):
            node.put("double[]", names[1], higher)
    elif kind.scalar:
        node.put("int" if kind.base == "integer" else "double", attr.usd, numbers[0])
    else:
        filled = numbers + list(attr.default[len(numbers) :] if attr.default is not None else ())
        node.put("int[]" if kind.base == "integer" else "double[]", attr.usd, filled)


def converted(kind: str, value: Any) -> Any:
    """A value in the form that a type of USD wants."""
    from pxr import Gf, Sdf, Vt

    vectors = {
        "double3": Gf.Vec3d,
        "float3": Gf.Vec3f,
        "point3f": Gf.Vec3f,
        "vector3f": Gf.Vec3f,
        "color3f": Gf.Vec3f,
        "color4f": Gf.Vec4f,
        "float4": Gf.Vec4f,
    }
    if kind in vectors:
        return vectors[kind](*(float(x) for x in value))
    if kind in ("quatf", "quatd"):
        return (Gf.Quatf if kind == "quatf" else Gf.Quatd)(*(float(x) for x in value))
    arrays = {"double[]": (Vt.DoubleArray, float), "int[]": (Vt.IntArray, int), "token[]": (Vt.TokenArray, str)}
    if kind in arrays:
        make, each = arrays[kind]
        return make([each(x) for x in value])
    if kind in ("point3f[]", "color3f[]", "float3[]"):
        return Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(np.asarray(value, np.float32).reshape(-1, 3)))
    if kind == "texCoord2f[]":
        return Vt.Vec2fArray.FromNumpy(np.ascontiguousarray(np.asarray(value, np.float32).reshape(-1, 2)))
    if kind == "asset":
        return Sdf.AssetPath(value)
    if kind == "quatf[]":
        return Vt.QuatfArray.FromNumpy(np.asarray(value, np.float32).reshape(-1, 4))
    if kind == "float[]":
        return Vt.FloatArray([float(x) for x in value])
    return {"double": float, "float": float, "int": int, "bool": bool, "token": str, "string": str}[kind](value)


class Names:
    """Prim names: valid and unique among siblings; paths of what has a name in MJCF, by kind."""

    def __init__(self):
        self.taken: dict[str, set[str]] = {}
        self.paths: dict[tuple[str, str], str] = {}
        self.display: dict[str, str] = {}
        """Names that are no identifiers, by path."""

    def path(self, parent: str, kind: str, name: str, fallback: str = "") -> str:
        """The path of a new prim below a parent; ``name`` may be empty, or a path itself, of whose last part it is made."""
        taken = self.taken.setdefault(parent, set())
        short = name.rpartition("/")[2] if name.startswith("/") else name
        plain = identifier(short or fallback or kind)
        found, number = plain, 0
        while found in taken:
            number += 1
            found = f"{plain}_{number}"
        taken.add(found)
        path = f"{parent}/{found}"
        if name:
            self.paths[kind, name] = path
            if found != short:
                self.display[path] = name
        return path

    def of(self, kind: str, name: str) -> str:
        """The path of something that is spoken of."""
        return self.paths[kind, name]


def identifier(name: str) -> str:
    """A name that USD takes for a prim."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"_{plain}" if not plain or plain[0].isdigit() else plain
