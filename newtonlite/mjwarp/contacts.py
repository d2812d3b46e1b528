"""Contacts of all worlds in one list, and constraint rows, under MuJoCo Warp's names."""

from typing import Any

import warp as wp

from newtonlite.solvers.mujoco.data import FIELDS
from newtonlite.solvers.mujoco.enums import ELLIPTIC

CONTACT = (
    "dist",
    "pos",
    "frame",
    "includemargin",
    "friction",
    "solref",
    "solreffriction",
    "solimp",
    "dim",
    "geom",
    "efc_address",
)
OPTIONAL = ("adhesion", "surfacevel")
"""Fields of contacts that the engine keeps only where contacts may pull or surfaces move; zero elsewhere."""
CONSTRAINT = wp.constant(1)
NEVER = wp.constant(-1.0e10)  # [m] a margin within which nothing is
ROWS = ("J", "pos", "margin", "D", "vel", "aref", "frictionloss", "force", "id", "island")


@wp.kernel(enable_backward=False)
def place(ncon: wp.array[int], start: wp.array[int], nconmax: int, source: wp.array[int], worldid: wp.array[int]):
    """Where each contact of the list is kept, and its world."""
    world, k = wp.tid()
    if k < ncon[world]:
        c = start[world] + k
        source[c] = world * nconmax + k
        worldid[c] = world


@wp.kernel(enable_backward=False)
def scatter(
    values: wp.array(dtype=Any), worldid: wp.array[int], source: wp.array[int], nconmax: int, own: wp.array2d(dtype=Any)
):
    """Contacts of the list back to where they are kept."""
    c = wp.tid()
    if worldid[c] >= 0:
        own[worldid[c], source[c] - worldid[c] * nconmax] = values[c]


for _dtype in dict.fromkeys(FIELDS[f"contact_{name}"].dtype for name in (*CONTACT, *OPTIONAL)):
    wp.overload(scatter, {"values": wp.array(dtype=_dtype), "own": wp.array2d(dtype=_dtype)})


@wp.kernel(enable_backward=False)
def drop(kind: wp.array[int], worldid: wp.array[int], source: wp.array[int], nconmax: int, margin: wp.array2d[float]):
    """Contacts that shall make no rows get a margin that nothing is within."""
    c = wp.tid()
    if worldid[c] >= 0 and (kind[c] & CONSTRAINT) == 0:
        margin[worldid[c], source[c] - worldid[c] * nconmax] = NEVER


@wp.kernel(enable_backward=False)
def row_types(
    ne: wp.array[int],
    nf: wp.array[int],
    nf_dof: wp.array[int],
    nl: wp.array[int],
    nl_jnt: wp.array[int],
    nefc: wp.array[int],
    id: wp.array2d[int],
    dim: wp.array2d[int],
    cone: int,
    kind: wp.array2d[int],
):
    """``mjtConstraint`` of every row; -1 beyond the last.

    Equality 0, friction of dofs 1 and tendons 2, limits of joints 3 and tendons 4, contacts: frictionless 5, pyramidal
    6, elliptic 7.
    """
    world, r = wp.tid()
    friction = ne[world]
    limit = friction + nf[world]
    contact = limit + nl[world]
    t = int(0)
    if r >= nefc[world]:
        t = -1
    elif r >= contact:
        t = 6
        if dim[world, id[world, r]] == 1:
            t = 5
        elif cone == ELLIPTIC:
            t = 7
    elif r >= limit:
        t = 3
        if r >= limit + nl_jnt[world]:
            t = 4
    elif r >= friction:
        t = 1
        if r >= friction + nf_dof[world]:
            t = 2
    kind[world, r] = t


class Contacts:
    """Contacts one after the other, worlds in order: arrays ``[naconmax]`` whose first ``nacon`` entries count.

    Gathered when made, on the device: an entry's number is its id for ``contact_force``.
    """

    def __init__(self, d):
        e = d.engine
        self._engine, self._taken = e, {}
        start = wp.zeros(d.nworld, dtype=int, device=e.device)
        wp.utils.array_scan(e.ncon, start, inclusive=False)
        total = wp.zeros(d.nworld, dtype=int, device=e.device)
        wp.utils.array_scan(e.ncon, total, inclusive=True)
        self.nacon = total[d.nworld - 1 :]
        self.source = wp.zeros(d.naconmax, dtype=int, device=e.device)
        self.worldid = wp.full(d.naconmax, -1, dtype=int, device=e.device)
        if d.naconmax:
            wp.launch(
                place, (d.nworld, e.nconmax), [e.ncon, start, e.nconmax, self.source, self.worldid], device=e.device
            )

    def __getattr__(self, name):
        taken = self.__dict__["_taken"]
        if name not in taken:
            if name not in (*CONTACT, *OPTIONAL, "type"):
                raise AttributeError(
                    f"contact has no field {name!r}; fields: {', '.join((*CONTACT, *OPTIONAL))}, type, worldid, nacon"
                )
            taken[name] = self._gathered(name)
        return taken[name]

    def _gathered(self, name: str) -> wp.array:
        device = self._engine.device
        if name == "type":
            return wp.full(self.source.size, CONSTRAINT, dtype=int, device=device)
        own = getattr(self._engine, f"contact_{name}")
        if not own.size:
            return wp.zeros(self.source.size, dtype=own.dtype, device=device)
        return wp.indexedarray(own.flatten(), [self.source]).contiguous()

    def put_back(self) -> None:
        """Write what was taken, and may have been changed, back to the engine; contacts whose ``type`` lost its first
        bit act no more.
        """
        e = self._engine
        for name, values in self._taken.items():
            own = e.contact_includemargin if name == "type" else getattr(e, f"contact_{name}")
            if own.size:
                wp.launch(
                    drop if name == "type" else scatter,
                    values.size,
                    [values, self.worldid, self.source, e.nconmax],
                    [own],
                    device=e.device,
                )


@wp.kernel(enable_backward=False)
def clear(nefc: wp.array[int], block: wp.array2d[wp.vec4i], J: wp.array3d[float]):
    """Zeros in the columns of a row that lie in none of its blocks, where the engine leaves what was there before."""
    world, r, i = wp.tid()
    if r < nefc[world]:
        b = block[world, r]
        if (i < 16 * b[0] or i >= 16 * b[1]) and (i < 16 * b[2] or i >= 16 * b[3]):
            J[world, r, i] = 0.0


class Rows:
    """``d.efc``: constraint rows ``[nworld, njmax]``, Jacobian ``[nworld, njmax, nv]``; the first ``nefc`` rows of a
    world count.
    """

    def __init__(self, d):
        self._data = d

    def __getattr__(self, name):
        if name == "type":
            return self._types()
        if name not in ROWS:
            raise AttributeError(f"efc has no field {name!r}; fields: {', '.join(ROWS)}, type")
        return getattr(self._data, f"efc_{name}")

    def _types(self) -> wp.array:
        e = self._data.engine
        kind = wp.full((e.nworld, e.njmax), -1, dtype=int, device=e.device)
        inputs = [e.ne, e.nf, e.nf_dof, e.nl, e.nl_jnt, e.nefc, e.efc_id, e.contact_dim, e.model.opt_cone]
        wp.launch(row_types, kind.shape, inputs, [kind], device=e.device)
        return kind
