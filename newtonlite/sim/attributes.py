"""Attribute namespaces and specifications of the scene's objects."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import ref

from newtonlite.core.enums import AttributeAssignment, AttributeFrequency
from newtonlite.core.errors import NewtonDeprecationWarning, external
from newtonlite.sim.sealed_arrays import SealedArrays

DEPRECATED = {
    "mujoco": {
        "dof_passive_damping": "joint_damping",
        "dof_passive_stiffness": "joint_stiffness",
        "dof_springref": "joint_rest_q",
    }
}
"""Names in a namespace that stand for an array of the owner itself."""


class AttributeNamespace(SealedArrays):
    """A holder of the custom attributes of one namespace, such as ``model.mujoco``."""

    def __init__(self, name: str, owner: Any = None):
        self._name = name
        self._owner = None if owner is None else ref(owner)

    def __repr__(self) -> str:
        return f"<namespace {self._name}: {', '.join(k for k in vars(self) if not k.startswith('_'))}>"

    def add_deprecated_alias(self, name: str, getter: Callable[[], Any], message: str) -> None:
        """Have ``name`` mean what ``getter()`` returns, with a warning each time."""
        text = "AttributeNamespace.add_deprecated_alias is deprecated; declare the attribute under its new name alone"
        warnings.warn(text, NewtonDeprecationWarning, stacklevel=2)
        self.__dict__.setdefault("_aliases", {})[name] = (getter, message)

    def __setattr__(self, name: str, value: Any) -> None:
        target, message = self.__dict__.get("_aliases", {}).get(name, (None, ""))
        if target is None and name in DEPRECATED.get(self.__dict__.get("_name") or "", {}):
            getattr(self, name).assign(value)
            return
        if target is None:
            super().__setattr__(name, value)
            return
        warnings.warn(message, NewtonDeprecationWarning, stacklevel=2)
        target().assign(value)

    def __getattr__(self, name: str):
        alias, message = self.__dict__.get("_aliases", {}).get(name, (None, ""))
        if alias is not None:
            warnings.warn(message, NewtonDeprecationWarning, stacklevel=2)
            return alias()
        space, owner = self.__dict__.get("_name"), (self.__dict__.get("_owner") or (lambda: None))()
        target = DEPRECATED.get(space or "", {}).get(name)
        if target is not None and getattr(owner, target, None) is not None:
            if name == "dof_springref" and not _rests_are_springrefs(owner):
                raise AttributeError(
                    "mujoco.dof_springref is deprecated and is not there in models with free, ball or distance joints, or "
                    "with dof_ref; use joint_rest_q, which is springref less ref, by joint_q_start"
                )
            text = f"{space}.{name} is the same as {target}; use {target}"
            warnings.warn(text, NewtonDeprecationWarning, stacklevel=2)
            return getattr(owner, target)
        if name in self.__dict__.get("_sealed", ("", (), {}))[2]:
            return super().__getattr__(name)
        raise AttributeError(
            f"namespace {self.__dict__.get('_name')!r} has no attribute {name!r}; it was not declared before finalize"
        )


def _rests_are_springrefs(model: Any) -> bool:
    """Whether ``joint_rest_q`` has a number for each dof, and MuJoCo's reference is 0 everywhere."""
    if model.joint_coord_count != model.joint_dof_count:
        return False
    return not model.mujoco.dof_ref.numpy().any()


class Removed:
    """A name that is gone: reading or setting it says what to use."""

    def __init__(self, successor: str):
        self.successor = successor

    def __set_name__(self, owner: type, name: str) -> None:
        self.text = f"{owner.__name__}.{name} is gone; use {self.successor}"

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        raise AttributeError(self.text)

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(self.text)


class NeverRead:
    """A list that a builder or model had and nothing reads: reading or setting it warns, and says what to use."""

    def __init__(self, successor: str):
        self.successor = successor

    def __set_name__(self, owner: type, name: str) -> None:
        self.place = f"_{name}"
        self.text = f"{owner.__name__}.{name} is deprecated, nothing reads it; use {self.successor}"

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        warnings.warn(self.text, NewtonDeprecationWarning, stacklevel=external())
        return instance.__dict__.get(self.place)

    def __set__(self, instance: Any, value: Any) -> None:
        warnings.warn(self.text, NewtonDeprecationWarning, stacklevel=external())
        instance.__dict__[self.place] = value


@dataclass(frozen=True)
class AttributeSpec:
    """Attribute specification: its frequency, the object that carries it, and the kind that its values refer to."""

    frequency: AttributeFrequency | str
    assignment: AttributeAssignment = AttributeAssignment.MODEL
    references: AttributeFrequency | str | None = None


def place_attribute(owner: Any, key: str, value: Any) -> None:
    """Set ``namespace:name`` as ``owner.namespace.name``, and a plain name as ``owner.name``."""
    namespace, _, name = key.rpartition(":")
    if namespace:
        if not isinstance(owner.__dict__.get(namespace), AttributeNamespace):
            setattr(owner, namespace, AttributeNamespace(namespace, owner))
        owner = getattr(owner, namespace)
    setattr(owner, name, value)


def find_attribute(owner: Any, key: str) -> Any:
    """The value that ``place_attribute`` set."""
    namespace, _, name = key.rpartition(":")
    return getattr(getattr(owner, namespace) if namespace else owner, name)


def namespaces(owner: Any) -> list[AttributeNamespace]:
    """The namespaces that an object carries."""
    return [value for value in vars(owner).values() if isinstance(value, AttributeNamespace)]
