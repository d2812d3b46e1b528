"""Flexes: contacts, radius, damping, springs of edges, Young's modulus, places of vertices and nodes in their bodies."""

import numpy as np
import warp as wp

from newtonlite.core.enums import ModelFlags as Flag
from newtonlite.solvers.mujoco.bindings.table import Bind, Watch, formula, named, sized
from newtonlite.solvers.mujoco.kernels.state_io.structure_check import NONZERO

F = "mujoco:flex_"
SHAPES = Flag.SHAPE_PROPERTIES

COUNTED = "contype conaffinity condim priority selfcollide activelayers passive flatskin group"
"""Numbers that decide which contacts there are, or how it is drawn; they are read once."""
NUMBERS = "solmix solref solimp friction margin gap radius damping edgestiffness edgedamping"
STRUCTURE = (*named(f"{COUNTED} rgba", "newton_flex", 0, "flex_", F),)
BINDS = (
    *named(NUMBERS, "newton_flex", SHAPES, "flex_", F),
    Bind("flex_vert", F + "vert_pos", "newton_flexvert", SHAPES),
    Bind("flex_node", F + "node_pos", "newton_flexnode", SHAPES),
)
EDGES, STRAIN = 1, 3
"""Values of ``flex_edgeequality``: edges keep their lengths, or cells their shape."""
RECORD = 10
"""Numbers of a record of a hinge of a shell or of a rod, behind their count."""
STIFF, BENT, TWISTED = (6,), (4, 5), (8,)
"""Numbers of a record that are stiffnesses: of a hinge; of a rod against bending, and against twisting."""
PAIR_TWISTED = (8, 9)
"""Numbers against twisting of a record of two neighbours of a rod."""


def span(m, name: str, f: int) -> slice:
    """The numbers of a flex in ``flex_stiffness`` or ``flex_bending``; none where it has no address."""
    start = np.asarray(getattr(m, f"flex_{name}adr"))
    after = start[f + 1 :][start[f + 1 :] >= 0]
    end = int(after[0]) if len(after) else int(getattr(m, f"nflex{name}"))
    return slice(int(start[f]), end) if start[f] >= 0 else slice(0, 0)


def stretching(m, f: int, numbers: np.ndarray) -> np.ndarray:
    """Mask of the stiffness of a flex: numbers in proportion to Young's modulus; no modes of strain, and no thickness."""
    chosen = np.full(len(numbers), int(m.flex_edgeequality[f]) != STRAIN)
    if len(chosen) and int(m.flex_dim[f]) == 2 and not m.flex_interp[f]:
        chosen[6] = False  # the thickness, where bending yields
    if int(m.flex_dim[f]) == 3 and not m.flex_interp[f]:
        chosen[23::24] = False  # one over the determinant of a Neo-Hookean tetrahedron
    return chosen


def bending(m, f: int, numbers: np.ndarray) -> np.ndarray:
    """Mask of the bending of a flex: numbers in proportion to Young's modulus."""
    if int(m.flex_dim[f]) == 2 and not m.flex_interp[f]:
        return np.full(len(numbers), True)
    chosen = np.full(len(numbers), False)
    for at in range(1, len(numbers), RECORD):
        twisted = TWISTED if numbers[at + 3] < 0 else PAIR_TWISTED
        rod = (*BENT, *(twisted if m.flex_shear[f] == 0 else ()))
        chosen[[at + k for k in (rod if int(m.flex_dim[f]) == 1 else STIFF)]] = True
    return chosen


def of_young(name: str, chosen):
    """Tables of a field: places of the numbers that follow Young's modulus, their flex, and what they are for a modulus of 1."""

    def tables(m) -> dict:
        whole = np.asarray(getattr(m, f"flex_{name}"), float)
        first = whole if whole.ndim == 1 else whole[0]
        to, flex, unit = [], [], []
        for f in np.flatnonzero(np.asarray(m.flex_young) > 0).tolist():
            own = span(m, name, f)
            places = own.start + np.flatnonzero(chosen(m, f, first[own]))
            to.append(places)
            flex.append(np.full(len(places), m.newton_flex[f]))
            unit.append(first[places] / m.flex_young[f])
        joined = lambda parts, kind: np.concatenate([np.zeros(0), *parts]).astype(kind)
        return dict(to=joined(to, int), flex=joined(flex, int), unit=joined(unit, float))

    return tables


@formula("flex_stiffness", SHAPES, of_young("stiffness", stretching), unit=float)
def stretching_stiffness(mjc, t, m, k):
    """Stiffness of elements and cells, in proportion to Young's modulus."""
    stiffness = t.unit[k] * mjc.flex_young[t.flex[k]]
    return sized(stiffness, wp.abs(stiffness))


@formula("flex_bending", SHAPES, of_young("bending", bending), unit=float)
def bending_stiffness(mjc, t, m, k):
    """Stiffness against bending and twisting, in proportion to Young's modulus."""
    stiffness = t.unit[k] * mjc.flex_young[t.flex[k]]
    return sized(stiffness, wp.abs(stiffness))


DERIVED = (stretching_stiffness, bending_stiffness)
WATCHES = (Watch(F + "edgestiffness", NONZERO), Watch(F + "edgedamping", NONZERO), Watch(F + "young", NONZERO))
