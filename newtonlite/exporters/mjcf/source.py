"""Model source: one way to read a compiled model, ours or one with MuJoCo's layout of names."""

from functools import cache
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from newtonlite.core.table import Attr, Element
from newtonlite.exporters.mjcf.text import Tag, value_text
from newtonlite.schema import MUJOCO
from newtonlite.schema.execute import of_model

NAMES = {
    "body": ("body", "nbody"),
    "joint": ("jnt", "njnt"),
    "geom": ("geom", "ngeom"),
    "site": ("site", "nsite"),
    "camera": ("cam", "ncam"),
    "light": ("light", "nlight"),
    "mesh": ("mesh", "nmesh"),
    "hfield": ("hfield", "nhfield"),
    "texture": ("tex", "ntex"),
    "material": ("mat", "nmat"),
    "pair": ("pair", "npair"),
    "exclude": ("exclude", "nexclude"),
    "equality": ("eq", "neq"),
    "tendon": ("tendon", "ntendon"),
    "actuator": ("actuator", "nactuator"),
    "sensor": ("sensor", "nsensor"),
    "numeric": ("numeric", "nnumeric"),
    "text": ("text", "ntext"),
    "tuple": ("tuple", "ntuple"),
    "key": ("key", "nkey"),
    "flex": ("flex", "nflex"),
    "plugin": ("plugin", "nplugin"),
    "skin": ("skin", "nskin"),
}
"""Prefix in MuJoCo's names and count, for each kind."""


class NamedModel:
    """A model with names for everything that something else speaks of."""

    def __init__(self, model):
        self.model = model
        self.names = {kind: self._names(kind) for kind in NAMES}
        self.called: dict[str, set[int]] = {kind: set() for kind in NAMES}

    def count(self, kind: str) -> int:
        """Number of things of a kind."""
        value = getattr(self.model, NAMES[kind][1], None)
        return int(getattr(self.model, "nu", 0) if value is None and kind == "actuator" else value or 0)

    def has(self, field: str) -> bool:
        """Whether the model has a field."""
        return getattr(self.model, field, None) is not None

    def get(self, field: str, index=None, default: Any = None):
        """A field, or its row; ``default`` where the model has none."""
        value = getattr(self.model, field, None)
        if value is None:
            return default
        return value if index is None else np.asarray(value)[index]

    def ref(self, kind: str, index: int) -> str:
        """The name of something that is spoken of; it gets one where it has none, a mesh that of its file."""
        names = self.names[kind]
        if not names[index]:
            taken = set(names)
            own = PurePosixPath(mesh_file(self.model, index)).stem if kind == "mesh" else ""
            own = own or f"{kind}_{index}"
            names[index] = next(n for k in range(len(names) + 1) if (n := own + f"_{k}" * (k > 0)) not in taken)
        return names[index]

    def tag(self, path: str, kind: str, index: int, **places: int) -> Tag:
        """An element of the schema with the attributes that rows have a field for; defaults are left out.

        ``index`` is its row in all arrays but those whose names start with one of ``places`` (``dof``).
        """
        element = schema(path)
        tag = Tag(element.name)
        if element.attr("name"):
            tag.set(name=self.names[kind][index] or None)
        for attr, value in of_model(element, lambda field: self.get(field, places.get(field.partition("_")[0], index))):
            tag.set(**{attr.name: self.text(element, attr, value, index)})
        return tag

    def text(self, element: Element, attr: Attr, value: Any, index: int) -> str | None:
        """The value of a row as text; None where it is the default, or says nothing."""
        if attr.decides:
            given = bool(np.any(self.get(element.attr(attr.decides).field, index)))
            return None if bool(value) == given else "true" if value else "false"
        if attr.kind.base == "reference":
            return self.ref(attr.kind.of, int(value)) if value >= 0 and self.count(attr.kind.of) else None
        return value_text(attr, value)

    def _names(self, kind: str) -> list[str]:
        prefix, _ = NAMES[kind]
        count = self.count(kind)
        ours = getattr(self.model, f"names_{kind}", None)
        if ours is not None:
            return [str(name) for name in ours]
        addresses = getattr(self.model, f"name_{prefix}adr", None)
        if addresses is None:
            return [""] * count
        raw = bytes(self.model.names)
        return [raw[a : raw.index(b"\0", a)].decode() for a in addresses]


def mesh_file(model, mesh: int) -> str:
    """Name of the file that a mesh came from, without folders; '' for others, and where the model does not know."""
    ours = getattr(model, "mesh_file", None)
    if ours is not None:
        return ours[mesh]
    start = int(model.mesh_pathadr[mesh]) if hasattr(model, "mesh_pathadr") else -1
    path = bytes(model.paths)[start:].split(b"\0")[0].decode("utf-8", "replace") if start >= 0 else ""
    return PurePosixPath(path.replace("\\", "/")).name


@cache
def schema(path: str) -> Element:
    """The schema's element at a path such as ``worldbody/body/geom``."""
    element = MUJOCO
    for part in path.split("/"):
        element = element.child(part)
    return element
