"""Schema resolvers: where physics that UsdPhysics has no word for is authored, by vendor and in an order of priority."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, ClassVar


class PrimType(IntEnum):
    """Prim type of a resolver, with Newton's values."""

    SCENE = 0
    JOINT = 1
    SHAPE = 2
    BODY = 3
    MATERIAL = 4
    ACTUATOR = 5
    ARTICULATION = 6


@dataclass
class SchemaAttribute:
    """One authored attribute: its name, the schema's default, what turns its value into the builder's.

    ``usd_value_getter(prim)`` takes the place of reading ``name``; ``attribute_names`` are those it looks at.
    """

    name: str
    default: Any = None
    usd_value_transformer: Callable[[Any], Any] | None = None
    usd_value_getter: Callable[[Any], Any] | None = None
    attribute_names: Sequence[str] = ()

    @property
    def names(self) -> Sequence[str]:
        """All attributes that it reads."""
        return self.attribute_names or (self.name,)


class SchemaResolver:
    """A vendor's names: ``mapping[prim type][key]`` is a ``SchemaAttribute``; subclasses give ``name`` and ``mapping``."""

    SchemaAttribute = SchemaAttribute
    name: ClassVar[str] = ""
    mapping: ClassVar[dict[PrimType, dict[str, SchemaAttribute]]] = {}
    extra_attr_namespaces: ClassVar[list[str]] = []
    deformable_attr_namespaces: ClassVar[list[str]] = []

    def get_value(self, prim: Any, prim_type: PrimType, key: str) -> Any:
        """The authored value of a key on a ``Usd.Prim``, in the builder's form; None where nothing is authored."""
        spec = self.mapping.get(prim_type, {}).get(key)
        if prim is None or spec is None:
            return None
        value = spec.usd_value_getter(prim) if spec.usd_value_getter else authored(prim, spec.name)
        if value is None:
            return None
        return spec.usd_value_transformer(value) if spec.usd_value_transformer else value

    def collect_prim_attrs(self, prim: Any) -> dict[str, Any]:
        """All authored attributes of a prim that the resolver knows by name or by namespace."""
        if prim is None:
            return {}
        starts, known = self._known
        found = {}
        for attr in prim.GetAuthoredAttributes():
            name = attr.GetName()
            if (name.startswith(starts) or name in known) and attr.HasAuthoredValue():
                value = attr.Get()
                if value is not None or name.startswith(starts):
                    found[name] = value
        return found

    @cached_property
    def _known(self) -> tuple[tuple[str, ...], set[str]]:
        """Starts of names, and names, that it collects."""
        starts = tuple(f"{space.rstrip(':')}:" for space in (self.name, *self.extra_attr_namespaces) if space)
        return starts, {name for keys in self.mapping.values() for spec in keys.values() for name in spec.names}

    def validate_custom_attributes(self, builder: Any) -> None:
        """Raise RuntimeError where the builder lacks custom attributes that the resolver needs."""


class Resolvers:
    """Several resolvers in order of priority."""

    def __init__(self, resolvers: Sequence[SchemaResolver]):
        self.all = list(resolvers)
        self.collected: dict[str, dict[str, dict[str, Any]]] = {r.name: {} for r in self.all}
        """``{resolver: {path: {attribute: value}}}`` of all prims that were asked about."""

    def names(self) -> list[str]:
        """The resolvers' names, in order."""
        return [r.name for r in self.all]

    def source(self, prim, kind: PrimType, key: str) -> tuple[Any, str]:
        """The first authored value of a key in order of priority, and whose it is; (None, "") where nobody authored it."""
        for resolver in self.all:
            spec = resolver.mapping.get(kind, {}).get(key)
            if spec is None or not (spec.usd_value_getter or any(name in prim.authored for name in spec.names)):
                continue
            try:
                value = resolver.get_value(prim.usd, kind, key)
            except (TypeError, ValueError):
                raise prim.error("has a value of another type than the schema's", spec.name) from None
            if value is not None:
                return value, resolver.name
        return None, ""

    def get(self, prim, kind: PrimType, key: str, default: Any = None) -> Any:
        """The first authored value of a key, else ``default``, else the first default of a schema."""
        value, _ = self.source(prim, kind, key)
        return value if value is not None else default if default is not None else self.default(kind, key)

    def default(self, kind: PrimType, key: str) -> Any:
        """The first default that a resolver's schema has for a key; None where none has."""
        for resolver in self.all:
            spec = resolver.mapping.get(kind, {}).get(key)
            if spec is not None and spec.default is not None:
                return spec.usd_value_transformer(spec.default) if spec.usd_value_transformer else spec.default
        return None

    def collect(self, prim) -> None:
        """Keep what is authored on a prim in the namespaces of the resolvers."""
        for resolver in self.all:
            if prim.path not in self.collected[resolver.name]:
                self.collected[resolver.name][prim.path] = resolver.collect_prim_attrs(prim.usd)


def authored(prim: Any, name: str) -> Any:
    """The authored value of an attribute of a ``Usd.Prim``; None where there is none or it is blocked."""
    attr = prim.GetAttribute(name)
    return attr.Get() if attr and attr.HasAuthoredValue() else None
