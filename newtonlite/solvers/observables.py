"""Observables: arrays that a solver fills in a step beyond the state, declared as fields of a dataclass, asked for by
kind.
"""

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, fields
from dataclasses import field as plain_field
from typing import Any

import warp as wp

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.errors import DeviceError, ModelError, StateError, UnknownNameError, WrongTypeError
from newtonlite.sim.contacts import Contacts

CONTACT_ROWS = {
    F.CONTACT_RIGID: lambda contacts: contacts.rigid_contact_max,
    F.CONTACT_SOFT: lambda contacts: contacts.soft_contact_max,
    F.CONTACT: lambda contacts: contacts.rigid_contact_max + contacts.soft_contact_max,
}
"""Rows of observables that have one per contact."""
COUNTS = {
    F.BODY: "body_count",
    F.SHAPE: "shape_count",
    F.JOINT: "joint_count",
    F.JOINT_DOF: "joint_dof_count",
    F.JOINT_COORD: "joint_coord_count",
    F.ARTICULATION: "articulation_count",
    F.WORLD: "world_count",
}
"""Counts of the model, by what an observable has one row of."""


class ObservableKind:
    """Names of observables that any solver may have, as strings; solvers add their own in a subclass.

    A subclass whose names are no strings raises WrongTypeError; one that gives a known name another meaning, or a known
    meaning another name, ModelError.
    """

    BODY_QDD = "body_qdd"
    BODY_PARENT_F = "body_parent_f"
    CONTACT_F = "contact_f"

    def __init_subclass__(cls, **options: Any):
        super().__init_subclass__(**options)
        meaning: dict[str, str] = {}
        for base in reversed(cls.__mro__):
            for name, kind in vars(base).items():
                if not name.startswith("_"):
                    _declare(cls, meaning, name, kind)


def _declare(cls: type, meaning: dict[str, str], name: str, kind: Any) -> None:
    """Note one name; raise where it contradicts those there are."""
    if not isinstance(kind, str) or not kind:
        raise WrongTypeError(f"{cls.__qualname__}.{name}: {kind!r}; expected a nonempty string")
    if meaning.get(name, kind) != kind:
        raise ModelError(
            f"Conflicting meanings of {name} in {cls.__qualname__}: {meaning[name]!r} and {kind!r}; use another name"
        )
    other = next((n for n, k in meaning.items() if k == kind and n != name), None)
    if other:
        raise ModelError(f"Duplicate names of {kind!r} in {cls.__qualname__}: {other} and {name}; use the first")
    meaning[name] = kind


@dataclass(frozen=True)
class DeclaredObservable:
    """An observable: its array's name, its kind, its element type, and what it has one row of."""

    name: str
    kind: str
    dtype: Any
    frequency: F | str


def observable(*, dtype: Any, frequency: F | str, kind: str | None = None) -> Any:
    """A field of an ``Observables`` dataclass: an array that is None until its kind (the field's name by default) is
    asked for.
    """
    if kind is not None and (not isinstance(kind, str) or not kind):
        raise WrongTypeError(f"observable kind: {kind!r}; kinds are nonempty strings")
    if not isinstance(frequency, (F, str)) or frequency == "":
        raise WrongTypeError(
            f"Invalid observable frequency {frequency!r}; give a Model.AttributeFrequency or a custom frequency's key"
        )
    return plain_field(default=None, init=False, repr=False, metadata={"observable": (kind, dtype, frequency)})


@dataclass(eq=False)
class Observables:
    """Arrays that ``step(..., observables=...)`` fills; those that were not asked for are None. Made by
    ``SolverBase.observables``.

    ``body_qdd`` [body_count] acceleration of the centre of mass [m/s^2] and angular [rad/s^2], world frame.
    ``body_parent_f`` [body_count] force [N] and torque [N m] that the parent's joint exerts at the centre of mass,
    world frame. ``contact_f`` [contacts] force and torque of each contact on the body of its first shape, at its centre
    of mass. Solvers add theirs in subclasses that are dataclasses with ``eq=False``, by ``Observables.field``.
    """

    field = staticmethod(observable)

    body_qdd: Any = observable(dtype=wp.spatial_vector, frequency=F.BODY)
    body_parent_f: Any = observable(dtype=wp.spatial_vector, frequency=F.BODY)
    contact_f: Any = observable(dtype=wp.spatial_vector, frequency=F.CONTACT)
    _kinds: frozenset = plain_field(default=frozenset(), init=False, repr=False)
    _solver: Any = plain_field(default=None, init=False, repr=False)
    _contacts: dict = plain_field(default_factory=dict, init=False, repr=False)

    @classmethod
    def declared(cls) -> dict[str, DeclaredObservable]:
        """All observables of this type by kind; ModelError for kinds and names that clash."""
        if "_declared" in vars(cls):
            return cls._declared
        if cls.__eq__ is not object.__eq__ or cls.__hash__ is not object.__hash__:
            raise WrongTypeError(
                f"{cls.__name__}: decorate it with @dataclass(eq=False), observables are distinguished by identity"
            )
        found: dict[str, DeclaredObservable] = {}
        for base in cls.__mro__:
            loose = [n for n, v in vars(base).items() if hasattr(v, "metadata") and "observable" in v.metadata]
            if loose:
                raise WrongTypeError(
                    f"{base.__name__}.{loose[0]}: is not registered; decorate the class with @dataclass(eq=False)"
                )
        for one in fields(cls):
            if "observable" in one.metadata:
                kind, dtype, frequency = one.metadata["observable"]
                _add(found, DeclaredObservable(one.name, one.name if kind is None else kind, dtype, frequency))
        cls._declared = found
        return found

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds that were asked for."""
        return self._kinds

    @property
    def model(self) -> Any:
        """The model whose rows the arrays have; None before a solver made them."""
        return None if self._solver is None else self._solver.model

    @property
    def contacts(self) -> Contacts | None:
        """The contacts whose rows ``contact_f`` has; None where it was not asked for."""
        return self.contacts_for_kind(ObservableKind.CONTACT_F)

    def is_requested(self, kind: str) -> bool:
        """Whether a kind was asked for."""
        return kind in self._kinds

    def select(self, kinds: Iterable[str]) -> "Observables":
        """Some of the kinds, with the same arrays: what a step with these fills. Nothing is allocated."""
        if self._solver is None:
            raise StateError("Observables.select: not allocated by a solver; make them with solver.observables(kinds)")
        wanted = checked_kinds(kinds)
        if wanted - self._kinds:
            raise StateError(
                f"Observables.select: {', '.join(sorted(wanted - self._kinds))} was not requested; there are {sorted(self._kinds)}"
            )
        chosen = copy(self)
        chosen._kinds = wanted
        for kind in self._kinds - wanted:
            setattr(chosen, self.declared()[kind].name, None)
        return chosen

    def contacts_for_kind(self, kind: str) -> Contacts | None:
        """The contacts that the array of a kind was last filled for; None where it is not asked for or has no rows of
        contacts.
        """
        if kind not in self.declared():
            raise UnknownNameError(f"No observable declared for {kind!r}; there are {', '.join(self.declared())}")
        return self._contacts.get(kind) if kind in self._kinds else None

    def get_attribute_frequency(self, name: str) -> F | str:
        """Frequency of an array."""
        for one in self.declared().values():
            if one.name == name:
                return one.frequency
        raise UnknownNameError(
            f"No observable has the name {name!r}; there are {', '.join(d.name for d in self.declared().values())}"
        )

    def of_contacts(self) -> list[DeclaredObservable]:
        """Observables asked for that have one row per contact."""
        return [one for kind, one in self.declared().items() if kind in self._kinds and one.frequency in CONTACT_ROWS]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {', '.join(sorted(self._kinds))}>"


def _add(found: dict[str, DeclaredObservable], one: DeclaredObservable) -> None:
    """Note one observable; ModelError where its name or kind is taken."""
    if one.name.startswith("_") or (one.name in vars(Observables) and one.name not in Observables.__dataclass_fields__):
        raise ModelError(f"observable '{one.name}' conflicts with the container's own names; use another")
    if one.kind in found:
        raise ModelError(
            f"Duplicate observable kind {one.kind!r}: fields '{found[one.kind].name}' and '{one.name}'; give one another kind"
        )
    found[one.kind] = one


def checked_kinds(kinds: Any) -> frozenset[str]:
    """Kinds as a set; WrongTypeError unless they are a collection of nonempty strings."""
    if isinstance(kinds, str) or not isinstance(kinds, Iterable):
        raise WrongTypeError(f"observables: {kinds!r}; give a collection of strings, {{'body_qdd'}}")
    found = list(kinds)
    if not all(isinstance(kind, str) and kind for kind in found):
        raise WrongTypeError(f"observables: {found}; kinds are nonempty strings")
    return frozenset(found)


def check_contacts(contacts: Any, device: Any) -> None:
    """Raise unless these are contacts on the device."""
    if contacts is None:
        raise ModelError(
            "observables: some have a row per contact; pass contacts=Contacts(solver.get_max_contact_count())"
        )
    if not isinstance(contacts, Contacts):
        raise WrongTypeError(f"observables: {type(contacts).__name__} given for Contacts")
    if contacts.device != device:
        raise DeviceError(
            f"observables: Contacts on {contacts.device}, the solver on {device}; make them on the solver's device"
        )


class ObservableMethods:
    """Observable methods of solvers."""

    ObservableKind, Observables = ObservableKind, Observables
    SUPPORTED_OBSERVABLES: frozenset[str] = frozenset()

    @property
    def supported_observables(self) -> frozenset[str]:
        """Kinds of observables that this solver fills."""
        return self.SUPPORTED_OBSERVABLES

    def observables(
        self, kinds: Iterable[str], *, contacts: Any = None, requires_grad: bool | None = None
    ) -> Observables:
        """Arrays for ``step`` to fill, of kinds in ``supported_observables``; those with a row per contact go with
        ``contacts``.

        Raises StateError for kinds that the solver does not have, ModelError where contacts are missing.
        """
        wanted = checked_kinds(kinds)
        unknown = sorted(wanted - frozenset(self.supported_observables))
        if unknown:
            raise StateError(
                f"observables: {type(self).__name__} does not support {unknown}; it has {sorted(self.supported_observables)}"
            )
        if not (isinstance(self.Observables, type) and issubclass(self.Observables, Observables)):
            raise WrongTypeError("Observables: has to be derived from SolverBase.Observables")
        declared = self.Observables.declared()
        if wanted - declared.keys():
            raise ModelError(
                f"No observable field declared for {sorted(wanted - declared.keys())}; add it to {self.Observables.__name__}"
            )
        made = self.Observables()
        made._kinds, made._solver = wanted, self
        grad = self.model.requires_grad if requires_grad is None else requires_grad
        if made.of_contacts():
            contacts = self.contacts if contacts is None else contacts
            check_contacts(contacts, self.device)
            made._contacts.update({one.kind: contacts for one in made.of_contacts()})
        for one in declared.values():
            if one.kind in wanted:
                setattr(
                    made,
                    one.name,
                    wp.zeros(self._rows_of(one, contacts), dtype=one.dtype, device=self.device, requires_grad=grad),
                )
        return made

    def _rows_of(self, one: DeclaredObservable, contacts: Any) -> int:
        if one.frequency in CONTACT_ROWS:
            return CONTACT_ROWS[one.frequency](contacts)
        if isinstance(one.frequency, str):
            return self.model.get_custom_frequency_count(one.frequency)
        return getattr(self.model, COUNTS[one.frequency])

    def validate_observables(self, observables: Any, contacts: Any = None) -> None:
        """Check what a step is to fill, and note the contacts whose rows it will have; for the start of a custom
        solver's ``step``.

        Raises WrongTypeError for another type, StateError for those of another solver, ModelError for contacts that are
        missing or too many.
        """
        if observables is None:
            return
        if not isinstance(observables, self.Observables):
            raise WrongTypeError(
                f"observables: {type(observables).__name__}; give {self.Observables.__name__}, made by solver.observables(kinds)"
            )
        if observables._solver is not self:
            raise StateError(
                "observables: were made by another solver instance; make them with this solver's observables(kinds)"
            )
        chosen = observables.of_contacts()
        if not chosen:
            return
        contacts = self.contacts if contacts is None else contacts
        check_contacts(contacts, self.device)
        for one in chosen:
            need, has = CONTACT_ROWS[one.frequency](contacts), getattr(observables, one.name).shape[0]
            if need > has:
                raise ModelError(
                    f"observables.{one.name}: has {has} rows, Contacts capacities need {need}; make it with the largest Contacts"
                )
        observables._contacts.update({one.kind: contacts for one in chosen})
