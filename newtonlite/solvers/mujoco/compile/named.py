"""Named access to a compiled model: ``m.body("torso").mass``, ``m.joint(0).range``, ids from names and back."""

from newtonlite.core.errors import UnknownNameError
from newtonlite.core.mujoco import MjtJoint

KINDS = {
    "body": "body",
    "joint": "jnt",
    "geom": "geom",
    "site": "site",
    "camera": "cam",
    "light": "light",
    "mesh": "mesh",
    "hfield": "hfield",
    "texture": "tex",
    "material": "mat",
    "pair": "pair",
    "exclude": "exclude",
    "equality": "eq",
    "tendon": "tendon",
    "actuator": "actuator",
    "sensor": "sensor",
    "numeric": "numeric",
    "text": "text",
    "tuple": "tuple",
    "key": "key",
}
"""Kinds of things that have names, with the prefix of their arrays."""
SHORT = {"jnt": "joint", "cam": "camera", "tex": "texture", "mat": "material", "eq": "equality", "keyframe": "key"}
"""Other names of the methods."""


class NamedRow:
    """One thing of a model: ``id``, ``name``, and a row of each of the arrays of its kind, which may be written into."""

    def __init__(self, model, kind: str, index: int):
        self.__dict__.update(_model=model, _kind=kind, id=index)

    @property
    def name(self) -> str:
        """Its name; '' where it has none."""
        return name_of(self._model, self._kind, self.id)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if self._kind == "joint" and name in ("qpos0", "qpos_spring"):
            return getattr(self._model, name)[self._coordinates()]
        return self._array(name)[self.id : self.id + 1] if self._array(name).ndim == 1 else self._array(name)[self.id]

    def __setattr__(self, name, value):
        self._array(name)[self.id] = value

    def _coordinates(self) -> slice:
        """The coordinates of a joint."""
        start = int(self._model.jnt_qposadr[self.id])
        return slice(start, start + {MjtJoint.FREE: 7, MjtJoint.BALL: 4}.get(int(self._model.jnt_type[self.id]), 1))

    def _array(self, name: str):
        array = getattr(self._model, f"{KINDS[self._kind]}_{name}", None)
        if array is None and self._kind == "joint":
            array = self._of_joint(name)
        if array is None or len(array) != count_of(self._model, self._kind):
            raise AttributeError(f"{self._kind} has no array {name!r}")
        return array

    def _of_joint(self, name: str):
        """The first dof's row of an array over dofs."""
        array = getattr(self._model, f"dof_{name}", None)
        return None if array is None else array[self._model.jnt_dofadr]

    def __repr__(self):
        return f"<{self._kind} {self.id} {self.name!r}>"


def count_of(model, kind: str) -> int:
    """Number of things of a kind in a model."""
    special = {
        "joint": "njnt",
        "equality": "neq",
        "camera": "ncam",
        "material": "nmat",
        "texture": "ntex",
        "actuator": "nactuator",
    }
    count = getattr(model, special.get(kind, f"n{kind}"), None)
    return len(getattr(model, f"names_{kind}", ())) if count is None else int(count)


def name_of(model, kind: str, index: int) -> str:
    """Name of a thing; '' where it has none."""
    names = getattr(model, f"names_{kind}", ())
    return str(names[index]) if 0 <= index < len(names) and names[index] else ""


def id_of(model, kind: str, name: str) -> int:
    """Number of the thing with a name; -1 where there is none."""
    names = list(getattr(model, f"names_{kind}", ()))
    return names.index(name) if name and name in names else -1


class NamedAccess:
    """Methods that find one thing of a model by name or number; KeyError lists the names there are."""


def _finder(kind: str):
    def find(self, which) -> NamedRow:
        index = id_of(self, kind, which) if isinstance(which, str) else int(which)
        if not 0 <= index < count_of(self, kind):
            known = ", ".join(repr(n) for n in getattr(self, f"names_{kind}", ()) if n) or "none has a name"
            raise UnknownNameError(f"{kind} {which!r}: not in the model; {known}")
        return NamedRow(self, kind, index)

    find.__name__ = find.__qualname__ = kind
    find.__doc__ = f"The {kind} with this name or number."
    return find


for _kind in KINDS:
    setattr(NamedAccess, _kind, _finder(_kind))
for _short, _kind in SHORT.items():
    setattr(NamedAccess, _short, getattr(NamedAccess, _kind))
