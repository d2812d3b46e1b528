"""What actuators add to the damping and armature of joints and tendons: who adds to which, from which of the scene's numbers."""

import numpy as np

from newtonlite.solvers.mujoco.derive.actuator import target_of

KINDS = (("damping", 1), ("dampingpoly", 2), ("armature", 1))
"""Names of the quantities, and how many numbers each has."""


class Loads:
    """``entries[field][thing]`` are (row of the scene's actuator, first output) of the actuators that add to it."""

    def __init__(self, mj):
        self.mj = mj
        self.entries: dict[str, dict[int, list]] = {}
        for name, _ in KINDS:
            own = np.asarray(getattr(mj, f"actuator_{name}"), float) != 0
            for u in range(int(mj.nactuator)):
                loaded = own[..., u, :] if name == "dampingpoly" else own[..., u]
                field, things = target_of(mj, u, f"dof_{name}", f"tendon_{name}")
                for thing in things if loaded.any() else ():
                    row = int(mj.newton_actuator[u])
                    self.entries.setdefault(field, {}).setdefault(int(thing), []).append((row, int(mj.actuator_outadr[u])))

    def touched(self, field: str, count: int) -> np.ndarray:
        """Which of ``count`` things an actuator adds to."""
        found = np.zeros(count, bool)
        found[list(self.entries.get(field, ()))] = True
        return found

    def tables(self, field: str) -> tuple:
        """Word of the field, word of the scene's own number, and, from ``start``, words of actuators' numbers and outputs."""
        kind, _, name = field.partition("_")
        width, rows = dict(KINDS)[name], self.mj.newton_dof if kind == "dof" else self.mj.newton_tendon
        where, own, start, load, output = [], [], [0], [], []
        for thing, adders in self.entries[field].items():
            for c in range(width):
                where.append(thing * width + c)
                own.append(int(rows[thing]) * width + c)
                load += [row * width + c for row, _ in adders]
                output += [out for _, out in adders]
                start.append(len(load))
        return where, own, start, load, output
