"""Outputs of a step under Newton's names: contacts, observables, extended attributes of states."""

import warnings
from typing import Any

from newtonlite.core.errors import ModelError, NewtonWarning, StateError, external
from newtonlite.sim.model import USUAL
from newtonlite.solvers.mujoco.adapter.export_contacts import check_report, check_room
from newtonlite.solvers.mujoco.adapter.observables import KINDS, OF_BODIES, MuJoCoObservableKind, MuJoCoObservables


class OutputMethods:
    """The solver's methods that report."""

    _settings: Any
    ObservableKind, Observables, SUPPORTED_OBSERVABLES = MuJoCoObservableKind, MuJoCoObservables, frozenset(KINDS)

    def update_contacts(self, contacts, state=None) -> None:
        """Write the contacts of the last step, as they were found at its start, with their forces.

        Materials are those of the shapes that a row names; properties that rows had of their own become 0, which says
        so. Where the caller's contacts are used, only forces are written. ``state`` is not needed: the engine knows
        where bodies were. The engine matches no contacts from step to step: ``rigid_contact_match_index`` becomes -1
        where there is one. Raises CapacityError where the list has less room than the engine
        (``get_max_contact_count``); with ``use_mujoco_cpu`` only the first contacts are written then, with a warning.
        """
        check_report(contacts, self.device)
        if self._settings.own_contacts:
            self._check_room(contacts)
            contacts.unmatch()
        self._write_forces(contacts, contacts.force, own=self._settings.own_contacts)

    def _check_room(self, contacts) -> None:
        if not self.use_mujoco_cpu:
            check_room(contacts, self.get_max_contact_count(), "update_contacts")
            return
        found, room = sum(int(e.mjw_data.ncon.numpy().sum()) for e in self.groups), contacts.rigid_contact_max
        if found > room:
            text = f"update_contacts: {found} contacts and room for {room}; exporting only the first {room}"
            warnings.warn(f"{text}; make a larger Contacts", NewtonWarning, stacklevel=external())

    def _write_forces(self, contacts, force, own: bool = False) -> None:
        """Wrenches of the contacts into ``force``; with ``own`` all else of the list too."""
        for k, engine in enumerate(self.groups):
            engine.write_forces(contacts, force, own, k == 0)

    def _watched(self, state_out, observables) -> dict:
        """Arrays that the stage ``write_observables`` is to fill, by field: what was asked for, and the extended attributes of
        the new state.
        """
        found = {
            f"out_{name}": getattr(observables, name) for name in KINDS if getattr(observables, name, None) is not None
        }
        found.pop("out_contact_f", None)
        for name in self._requested:
            space, _, key = name.rpartition(":")
            array = getattr(getattr(state_out, space, None) if space else state_out, key, None)
            if array is not None:
                found.setdefault(f"out_{key}", array)
        return found

    def observables(self, kinds, *, contacts=None, requires_grad: bool | None = None) -> MuJoCoObservables:
        """Arrays for ``step`` to fill, of the kinds in ``supported_observables``; ``contact_f`` goes with a
        ``contacts``.
        """
        if requires_grad:
            raise StateError("observables: requires_grad is not supported; leave it out")
        found = super().observables(kinds, contacts=contacts, requires_grad=False)
        if found.contacts is not None and self._settings.own_contacts:
            check_room(found.contacts, self.get_max_contact_count(), "observables")
        if found.kinds & set(OF_BODIES) and not self._settings.watch_bodies:
            self._settings.watch_bodies = True
            for engine in self.groups:
                engine.compile_anew()
        return found

    @property
    def supported_observables(self) -> frozenset[str]:
        """Kinds of observables there are; ``overflow`` is a fact of batches, and not there with ``use_mujoco_cpu``."""
        return self.SUPPORTED_OBSERVABLES - ({"overflow"} if self.use_mujoco_cpu else set())


def requested(model) -> tuple[str, ...]:
    """State attributes that the model asks for; ModelError for those that this solver does not fill."""
    names = model.get_requested_state_attributes() if hasattr(model, "get_requested_state_attributes") else ()
    names = tuple(name for name in names if name not in USUAL)
    unknown = [name for name in names if name.rpartition(":")[2] not in KINDS]
    if unknown:
        raise ModelError(
            f"state attributes {', '.join(unknown)}: SolverMuJoCo does not compute them; do not request them"
        )
    return names
