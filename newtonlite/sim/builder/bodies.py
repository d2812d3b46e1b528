"""Rigid body methods of the builder."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.enums import BodyFlags
from newtonlite.geometry.inertia import MassProperties, add_solids, inverse, move
from newtonlite.sim.builder import check


class BodyMethods:
    """Adding links and bodies."""

    def add_link(
        self,
        *,
        xform: Any = None,
        com: Any = None,
        inertia: Any = None,
        mass: float = 0.0,
        label: str | None = None,
        lock_inertia: bool = False,
        is_kinematic: bool = False,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a rigid body that joints will connect; returns its index.

        ``xform`` is its pose in the world, ``com`` [m] its centre of mass and ``inertia`` [kg m^2] its inertia about
        it, both in the body frame.  Shapes with density add to all three, unless ``lock_inertia``.  What no solid has
        is set right, with a warning, when the model is made.
        """
        body = self.body_count
        where = f"add_link {label or f'body_{body}'!r}"
        pose = check.pose(xform, f"{where} xform")
        com = check.vector(com, f"{where} com")
        tensor = np.zeros((3, 3)) if inertia is None else check.tensor(inertia, f"{where} inertia")
        mass = check.real(mass, f"{where} mass")
        cells = self._check_custom(custom_attributes, {F.BODY: (body, 1)}, where)
        self._add_row(
            F.BODY,
            body_q=tuple(pose.tolist()),
            body_qd=(0.0,) * 6,
            body_com=tuple(com.tolist()),
            body_inertia=tuple(tensor.ravel().tolist()),
            body_mass=mass,
            body_flags=int(BodyFlags.KINEMATIC if is_kinematic else BodyFlags.DYNAMIC),
            body_lock_inertia=bool(lock_inertia),
            body_label=label or f"body_{body}",
            body_world=self.current_world,
        )
        self._store_custom(cells)
        return body

    def add_body(
        self,
        *,
        xform: Any = None,
        com: Any = None,
        inertia: Any = None,
        mass: float = 0.0,
        label: str | None = None,
        lock_inertia: bool = False,
        is_kinematic: bool = False,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Add a body that floats: a link, a free joint to the world, and an articulation of the two; returns its index."""
        body = self.add_link(
            xform=xform,
            com=com,
            inertia=inertia,
            mass=mass,
            label=label,
            lock_inertia=lock_inertia,
            is_kinematic=is_kinematic,
            custom_attributes=custom_attributes,
        )
        joint = self.add_joint_free(child=body, label=f"{label}_free_joint" if label else None)
        self.add_articulation([joint], label=f"{label}_articulation" if label else None)
        return body

    @property
    def body_inv_mass(self) -> list[float]:
        """One over the mass of each body, 0 for massless ones [1/kg]."""
        return [1.0 / m if m > 0.0 else 0.0 for m in self.body_mass]

    @property
    def body_inv_inertia(self) -> list[wp.mat33f]:
        """The inverse of the inertia of each body, 0 for massless ones [1/(kg m^2)]."""
        inverses = inverse(self.columns["body_inertia"].array(), self.columns["body_mass"].array() > 0.0)
        return [wp.mat33f(*m) for m in inverses.reshape(-1, 9).tolist()]

    def _add_mass(self, body: int, mass: MassProperties, pose: np.ndarray) -> None:
        """Add what a shape weighs, posed in the body, to the body it is on."""
        if body < 0 or mass.mass <= 0.0 or self.body_lock_inertia[body]:
            return
        inertia = np.array(self.body_inertia[body], float).reshape(3, 3)
        has = MassProperties(self.body_mass[body], np.array(self.body_com[body], float), inertia)
        total = add_solids(has, move(mass, pose))
        self.body_mass[body] = total.mass
        self.body_com[body] = total.com
        self.body_inertia[body] = total.inertia
