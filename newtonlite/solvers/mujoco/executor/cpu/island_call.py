"""Island call: the solvers of a world, called for one of its islands after the other.

Neither inertia nor constraint rows tie the trees of one island to those of another, so an island is a problem like that
of a world, only smaller. A CPU thread copies its inertia, rows and contacts side by side, calls the kernels of
``pipeline.SOLVERS`` with views of the copies, and gives the world the results; trees without constraints get the smooth
acceleration (docs/decisions/0023).
"""

import ctypes
from collections.abc import Callable
from pathlib import Path

import warp as wp
from warp._src.types import array_t

from newtonlite.core.mujoco import MjtSolver
from newtonlite.core.native import header
from newtonlite.solvers.mujoco.executor.cpu.c_struct import c_struct
from newtonlite.solvers.mujoco.executor.cpu.native_call import NativeCall
from newtonlite.solvers.mujoco.executor.cpu.native_kernel import NativeKernel, native_code
from newtonlite.solvers.mujoco.executor.views import TABLES
from newtonlite.solvers.mujoco.iteration_limits import cuts_short

PLACES = {"dofs": ("nvp", "nvcg"), "rows": ("njmax", "njp"), "contacts": ("nconmax",)}
"""First dimensions of fields that have numbers for every dof, constraint row or contact."""
COPIED = ("qfrc_smooth", "qacc_warmstart", "efc_D", "efc_R", "efc_aref", "efc_frictionloss", "efc_cost")
COPIED += ("contact_dim", "contact_friction", "contact_mu", "contact_geom")
"""Fields of which an island has the numbers of its world."""
TABLES_H = Path(__file__).with_name("island_tables.h")
FieldPlace, FieldCopy, Copies, Problem, Tables = (
    c_struct(TABLES_H, name) for name in ("Place", "Copy", "Copies", "Problem", "IslandCall")
)
PROBLEM = tuple(name for name, _ in Problem._fields_)
"""Fields of which an island has numbers of its own."""
WORLD = tuple(name for name, kind in Tables._fields_ if kind is array_t)
"""Fields that only a world has."""
OF_ISLANDS = ("island_row", "efc_island")
"""Rows by island, of which an island has none."""
SIZES = {"nv": 0, "ntree": 1, "nblock": 2, "ndual": 3}
ROW_BYTES = {"nvp": 4, "nMcol": 4, "nJcol": 4, "nda": 5}
"""Sizes, and last dimensions of matrices, that depend on the island: the enumeration in ``island_tables.h``."""
native = header(__file__)


@wp.func_native(native("solve_islands"))
def solve_islands(call: wp.uint64, world: int):
    """Run the solvers for the islands of a world, by the address of a ``struct IslandCall``."""
    ...


def solve_island_worlds(call: wp.uint64, unused: wp.uint64, first: int, last: int):
    """Worlds ``first`` to ``last - 1``, island by island."""
    for world in range(first, last):
        solve_islands(call, world)


def solves_apart(value: Callable) -> bool:
    """Whether a world's islands are solved by calls of their own. Solvers that may be stopped early choose the start of
    their iterations by the cost of all islands together, as MuJoCo does.
    """
    # one comparison for all islands cannot be made island by island
    # wide models are solved whole: matrices of an island are dense. An effective inertia is made for all trees together
    return (
        value("m", "nislandtree") > 0
        and not value("m", "nsparse")
        and not value("m", "ncoupling")
        and not cuts_short(value("m", "opt_iterations"), value("m", "opt_ls_iterations"))
    )


class IslandCall(NativeCall):
    """A call of solvers for the islands of worlds. ``value(owner, field)`` gives arrays of worlds; ``read`` are the
    fields of the data that others read of the results. Those that are kept for every world are given back too.
    """

    def __init__(self, kernels: list[NativeKernel], value: Callable, nworld: int, read: set):
        self.value, self.memory = value, []
        self.used = {f for k in kernels for f in k.fields["d"] if TABLES["d"][f].role != "size"}
        # fields that every world has for itself, not scratch of a thread: somebody reads them after the step
        kept = {f for f in self.used if self._of_world(f).strides[0] != 0}
        given, own = given_back(self.used, read | kept), own_fields(self.used, read, kept)
        # arrays of an island, once per thread, and the kernels' views of them
        self.own = {name: self._of_island(name) for name in own}
        calls = [self._call_for_islands(k) for k in kernels]
        # the call itself takes one address and the worlds to go through
        self.tables = self._struct(kernels, calls, given)
        values = [
            ctypes.c_uint64(ctypes.addressof(self.tables)),
            ctypes.c_uint64(0),
            ctypes.c_int32(0),
            ctypes.c_int32(nworld),
        ]
        super().__init__(native_code(solve_island_worlds), values, calls)

    def _of_world(self, name: str):
        """Descriptor of a world's array."""
        return self.value(*_key(name)).__ctype__()

    def _of_island(self, name: str):
        """Descriptor of an island's array, which is there once."""
        # one array for all islands: a world stride of 0, but for lists of the model, which have no dimension of worlds
        array = self.value("island", name).__ctype__()
        found = type(array).from_buffer_copy(array)
        if _key(name)[0] == "d" or TABLES["m"][name].role != "index":
            found.strides[0] = 0
        return found

    def _call_for_islands(self, kernel: NativeKernel) -> NativeCall:
        """A call of a solver with views of an island."""
        views = []
        for owner in "md":
            view = kernel.views[owner].ctype()
            for name in kernel.fields[owner]:
                # sizes are numbers in the view; an island has no islands of its own
                if TABLES[owner][name].role == "size":
                    found = 0 if name == "nislandtree" else self.value(owner, name)
                else:
                    # fields without an array of the island's own are the world's
                    found = self.own.get(name, self._of_world(name))
                setattr(view, name, found)
            views.append(view)
        addresses = [ctypes.c_uint64(ctypes.addressof(v)) for v in views]
        return NativeCall(kernel.code, [*addresses, ctypes.c_int32(0), ctypes.c_int32(0)], views)

    def _struct(self, kernels: list, calls: list, given: list) -> ctypes.Structure:
        """``struct IslandCall``."""
        # what the header does not know: where sizes are in views, which fields to copy, what to call
        value, of_world = self.value, self._of_world
        places = [p for kernel, call in zip(kernels, calls) for p in _places(kernel, call.kept)]
        copied = [f for f in COPIED if f in self.used]
        entries = [address for call in calls for address in call.addresses]
        ntree = value("m", "ntree")
        return Tables(
            of=Problem(*map(of_world, PROBLEM)),
            island=Problem(*(self.own[f] for f in PROBLEM)),
            **{name: of_world(name) for name in WORLD},
            **{f"{k}_in": self._copies(k, copied) for k in PLACES},
            **{f"{k}_out": self._copies(k, given) for k in PLACES},
            dofs_cleared=self._copies("dofs", sorted(self.used)),
            places=self._address(FieldPlace, places),
            kernels=self._address(ctypes.c_void_p, entries),
            **{name: self._address(ctypes.c_int32, [0] * ntree) for name in ("first_dof", "trees", "order")},
            graph=self._address(ctypes.c_uint64, [0] * ((ntree + 1) * ((ntree + 63) // 64))),
            nplace=len(places),
            nkernel=len(calls),
            nv=value("m", "nv"),
            ndual=value("d", "ndual"),
            by_dofs=value("m", "opt_solver") != MjtSolver.PGS,
        )

    def _copies(self, place: str, names: list) -> ctypes.Structure:
        """``struct Copies`` of the vectors among these fields that have numbers for dofs, rows or contacts."""
        # a field without elements, as of a model without contacts, has nothing to copy
        found = []
        for name in names:
            if _place(name) == place and self.value("d", name).size:
                world, size = self._of_world(name), wp.types.type_size_in_bytes(TABLES["d"][name].dtype)
                found.append(FieldCopy(world, self.own.get(name, world), size))
        return Copies(self._address(FieldCopy, found), len(found))

    def _address(self, kind: type, numbers: list) -> ctypes.c_void_p:
        """Address of an array of these."""
        self.memory.append((kind * max(1, len(numbers)))(*numbers))
        return ctypes.c_void_p(ctypes.addressof(self.memory[-1]))


def given_back(used: set, read: set) -> list[str]:
    """Fields that a world gets back, of those that its solvers use and others read."""
    # what solvers only read stays as it is; the problem itself is the island's
    known = (*COPIED, *PROBLEM, *OF_ISLANDS)
    return sorted(f for f in used & read if _place(f) and f not in known)


def own_fields(used: set, read: set, kept: set) -> list[str]:
    """Fields of which an island has arrays of its own: what it shares with worlds is scratch that nobody reads but its
    solvers. ``kept`` are those that every world has.
    """
    # results, copies and the problem; and fields that every world has, whose rows are as long as a world's
    copied = {f for f in COPIED if f in used}
    return sorted({*given_back(used, read | kept), *copied, *PROBLEM, *(used & kept)})


def _key(name: str) -> tuple[str, str]:
    """A field with its owner."""
    return ("d" if name in TABLES["d"] else "m"), name


def _place(name: str) -> str | None:
    """Dofs, rows or contacts: what a vector of the data has numbers for."""
    return next((place for place, names in PLACES.items() if TABLES["d"][name].dims in names), None)


def _places(kernel: NativeKernel, views: list) -> list[FieldPlace]:
    """Numbers in views of an island that depend on its size."""
    found = []

    # sizes themselves, and row lengths of matrices, which are strides
    for owner, view in zip("md", views):
        for name in kernel.fields[owner]:
            place = ctypes.addressof(view) + getattr(type(view), name).offset
            dims = (TABLES[owner][name].dims or "").split()
            if name in SIZES:
                found.append(FieldPlace(place, SIZES[name]))
            elif len(dims) == 2 and dims[1] in ROW_BYTES:
                strides = type(getattr(view, name)).strides
                found.append(FieldPlace(place + strides.offset + 4, ROW_BYTES[dims[1]]))
    return found
