"""Contacts of all worlds in one list, and constraint rows, under MuJoCo Warp's names."""

from typing import Any

import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtCone
from newtonlite.core.types import vec5
from newtonlite.mjwarp.declared import of_constraint, of_contact
from newtonlite.mjwarp.products import columns, multiply
from newtonlite.mjwarp.sparse_rows import RowEntries, dense_rows, entries_of, no_entries
from newtonlite.mjwarp.sparsity import is_sparse
from newtonlite.mjwarp.written_rows import follow_row
from newtonlite.solvers.mujoco.data import FIELDS
from newtonlite.solvers.mujoco.kernels.solve.cost import INSIDE, ON_CONE, cone_zone

kernel_module(__name__)

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
FRICTION, ONE_SIDED, CONE_NORMAL = (wp.constant(i) for i in range(1, 4))  # cost of rows; 0: equality
SOFT = ("flex", "elem", "vert")
"""Fields of contacts of flexes; empty where a model has none."""
NEVER = wp.constant(-1.0e10)  # [m] a margin within which nothing is
ROWS = ("J", "pos", "margin", "D", "vel", "aref", "frictionloss", "force", "id", "island")


@wp.kernel(enable_backward=False)
def find_contact_places(
    ncon: wp.array[int], start: wp.array[int], nconmax: int, source: wp.array[int], worldid: wp.array[int]
):
    """World of each contact of the list, and its place among the engine's."""
    world, k = wp.tid()
    if k < ncon[world]:
        c = start[world] + k
        source[c] = world * nconmax + k
        worldid[c] = world


@wp.kernel(enable_backward=False)
def scatter(values: wp.array[Any], worldid: wp.array[int], source: wp.array[int], nconmax: int, own: wp.array2d[Any]):
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
        elif cone == MjtCone.ELLIPTIC:
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


@of_contact
class ContactView:
    """Contacts one after the other, worlds in order: arrays ``[naconmax]`` whose first ``nacon`` entries count.

    Gathered when made, on the device: an entry's number is its id for ``contact_force``.
    """

    def __init__(self, d):
        e = d.engine
        self._engine, self._taken, self._handed = e, {}, d.handed
        start = wp.zeros(d.nworld, dtype=int, device=e.device)
        wp.utils.array_scan(e.ncon, start, inclusive=False)
        total = wp.zeros(d.nworld, dtype=int, device=e.device)
        wp.utils.array_scan(e.ncon, total, inclusive=True)
        self.nacon = total[d.nworld - 1 :]
        self.source = wp.zeros(d.naconmax, dtype=int, device=e.device)
        self.worldid = wp.full(d.naconmax, -1, dtype=int, device=e.device)
        if d.naconmax:
            wp.launch(
                find_contact_places,
                (d.nworld, e.nconmax),
                [e.ncon, start, e.nconmax, self.source, self.worldid],
                device=e.device,
            )

    def __getattr__(self, name):
        taken = self.__dict__["_taken"]
        if name not in taken:
            if name not in (*CONTACT, *OPTIONAL, *SOFT, "type"):
                raise AttributeError(
                    f"contact has no field {name!r}; fields: {', '.join((*CONTACT, *OPTIONAL, *SOFT))}, type, worldid, nacon"
                )
            taken[name] = self._gathered(name)
            self._handed[name] = self
        return taken[name]

    def _gathered(self, name: str) -> wp.array:
        device = self._engine.device
        if name == "type":
            return wp.full(self.source.size, CONSTRAINT, dtype=int, device=device)
        if name == "efc_address":
            return self._addresses()
        own = getattr(self._engine, f"contact_{name}")
        if not own.size and name in SOFT:
            return wp.empty(0, dtype=wp.vec2i, device=device)
        if not own.size:
            return wp.zeros(self.source.size, dtype=own.dtype, device=device)
        return wp.indexedarray(own.flatten(), [self.source]).contiguous()

    def _addresses(self) -> wp.array:
        """Rows of each contact, ``[naconmax, rows of one at most]``."""
        e = self._engine
        found = wp.zeros((self.source.size, max(1, 2 * (e.model.max_condim - 1))), dtype=int, device=e.device)
        if self.source.size:
            first = wp.indexedarray(e.contact_efc_address.flatten(), [self.source]).contiguous()
            inputs = [first, self.dim, self.nacon, e.model.opt_cone != MjtCone.ELLIPTIC]
            wp.launch(row_addresses, found.shape, inputs, [found], device=e.device)
        return found

    def put_back(self, only: str | None = None) -> None:
        """Write what was taken, and may have been changed, back to the engine; contacts whose ``type`` lost its first
        bit act no more. ``only`` names the one field to write.
        """
        e = self._engine
        for name, values in self._taken.items():
            if name == "efc_address" or name in SOFT or only not in (None, name):
                continue
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


@wp.kernel(enable_backward=False)
def row_addresses(
    first: wp.array[int], dim: wp.array[int], nacon: wp.array[int], pyramidal: bool, address: wp.array2d[int]
):
    """Rows of a contact, -1 beyond the last."""
    c, k = wp.tid()
    count = dim[c]
    if pyramidal and count > 1:
        count = 2 * (count - 1)
    address[c, k] = -1
    if c < nacon[0] and first[c] >= 0 and k < count:
        address[c, k] = first[c] + k


@wp.kernel(enable_backward=False)
def row_velocities(nefc: wp.array[int], J: wp.array3d[float], qvel: wp.array2d[float], nv: int, out: wp.array2d[float]):
    """``J qvel``, whatever velocity surfaces have of their own."""
    world, r = wp.tid()
    if r < nefc[world]:
        total = float(0.0)
        for i in range(nv):
            total += J[world, r, i] * qvel[world, i]
        out[world, r] = total


@wp.func
def residual(
    J: wp.array3d[float], aref: wp.array2d[float], qacc: wp.array2d[float], nv: int, world: int, r: int
) -> float:
    """``J qacc - aref`` of a row, in double: beside large accelerations its sign is what counts."""
    total = -wp.float64(aref[world, r])
    for i in range(nv):
        total += wp.float64(J[world, r, i]) * wp.float64(qacc[world, i])
    return float(total)


@wp.kernel(enable_backward=False)
def row_states(
    nefc: wp.array[int],
    cost: wp.array2d[int],
    J: wp.array3d[float],
    aref: wp.array2d[float],
    R: wp.array2d[float],
    bound: wp.array2d[float],
    id: wp.array2d[int],
    dim: wp.array2d[int],
    friction: wp.array2d[vec5],
    mus: wp.array2d[float],
    qacc: wp.array2d[float],
    nv: int,
    state: wp.array2d[int],
):
    """``mjtConstraintState``: 0 satisfied, 1 quadratic, 2 and 3 friction at its lower and upper bound, 4 on a cone."""
    world, r = wp.tid()
    if r >= nefc[world]:
        return
    s = int(1)
    kind = cost[world, r]
    if kind > CONE_NORMAL:
        return
    jar = residual(J, aref, qacc, nv, world, r)
    if kind == FRICTION:
        if jar <= -R[world, r] * bound[world, r]:
            s = 2
        elif jar >= R[world, r] * bound[world, r]:
            s = 3
    elif kind == ONE_SIDED:
        s = wp.where(jar < 0.0, 1, 0)
    elif kind == CONE_NORMAL:
        c = id[world, r]
        mu = mus[world, c]
        tangent = float(0.0)
        for k in range(1, dim[world, c]):
            side = residual(J, aref, qacc, nv, world, r + k) * friction[world, c][k - 1]
            tangent += side * side
        zone = cone_zone(jar * mu, wp.sqrt(tangent), mu)
        s = wp.where(zone == ON_CONE, 4, wp.where(zone == INSIDE, 1, 0))
        for k in range(1, dim[world, c]):
            state[world, r + k] = s
    state[world, r] = s


def rows_of(e) -> wp.array:
    """``efc_J [nworld, njmax, nv]`` or more columns: the engine's, with zeros where it leaves what was there before; of
    sparse rows a copy.
    """
    if e.model.nsparse:
        return dense_rows(e)
    wp.launch(clear, e.efc_J.shape, [e.nefc, e.efc_block], [e.efc_J], device=e.device)
    return e.efc_J


@of_constraint
class EfcRows:
    """``d.efc``: constraint rows ``[nworld, njmax]``; the first ``nefc`` of a world count.

    The Jacobian ``J`` is ``[nworld, njmax, nv]``, or by its entries ``[nworld, 1, njmax_nnz]`` where ``m.is_sparse``
    (``J_rownnz``, ``J_rowadr`` and ``J_colind`` say which); ``d.efc_J`` has all columns of either.
    """

    def __init__(self, d):
        self._data = d

    def __getattr__(self, name):
        if name == "type":
            return self._types()
        if name == "state":
            return self._states()
        if name == "Ma":
            return self._momentum()
        if name == "Jqvel":
            return self._velocities()
        if name in RowEntries._fields and (name != "J" or is_sparse(self._data.engine.model.source)):
            return getattr(self._entries(), name)
        if name not in ROWS:
            known = (*ROWS, *RowEntries._fields[1:], "type", "state", "Ma", "Jqvel")
            raise AttributeError(f"efc has no field {name!r}; fields: {', '.join(known)}")
        return getattr(self._data, f"efc_{name}")

    def __setattr__(self, name, value):
        if name == "_data":
            super().__setattr__(name, value)
        elif name == "Ma":  # all forces together: what constraints add is what the other forces leave
            d = self._data
            d.qfrc_constraint = value.numpy() - d.qfrc_smooth.numpy()
        elif name in ROWS and (name != "J" or not is_sparse(self._data.engine.model.source)):
            setattr(self._data, f"efc_{name}", value)
            follow_row(self._data, name)
        else:
            raise StateError(f"efc.{name}: follows from other fields; nothing can be written into it")

    def _entries(self) -> RowEntries:
        """The Jacobian by its entries, anew."""
        e = self._data.engine
        if not is_sparse(e.model.source):
            return no_entries(e)
        return entries_of(e, None if e.model.nsparse else rows_of(e))

    def _types(self) -> wp.array:
        e = self._data.engine
        kind = wp.full((e.nworld, e.njmax), -1, dtype=int, device=e.device)
        inputs = [e.ne, e.nf, e.nf_dof, e.nl, e.nl_jnt, e.nefc, e.efc_id, e.contact_dim, e.model.opt_cone]
        wp.launch(row_types, kind.shape, inputs, [kind], device=e.device)
        return kind

    def _states(self) -> wp.array:
        e = self._data.engine
        state = wp.zeros((e.nworld, e.njmax), dtype=int, device=e.device)
        rows = [e.nefc, e.efc_cost, rows_of(e), e.efc_aref, e.efc_R, e.efc_frictionloss, e.efc_id]
        inputs = [*rows, e.contact_dim, e.contact_friction, e.contact_mu, e.qacc, e.model.nv]
        wp.launch(row_states, state.shape, inputs, [state], device=e.device)
        return state

    def _momentum(self) -> wp.array:
        """``M qacc [nworld, nv]``."""
        e = self._data.engine
        found = wp.zeros((e.nworld, e.model.nv), dtype=float, device=e.device)
        inputs = [e.M, *columns(self._data), e.qacc, wp.empty(0, dtype=bool, device=e.device), found]
        wp.launch(multiply, found.shape, inputs, device=e.device)
        return found

    def _velocities(self) -> wp.array:
        e = self._data.engine
        found = wp.zeros((e.nworld, e.njmax), dtype=float, device=e.device)
        wp.launch(row_velocities, found.shape, [e.nefc, rows_of(e), e.qvel, e.model.nv, found], device=e.device)
        return found
