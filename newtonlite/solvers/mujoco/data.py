"""The engine's data: everything that changes, world-major, under MuJoCo's names."""

import math

import numpy as np
import warp as wp

from newtonlite.core.errors import CapacityError, StateError
from newtonlite.core.mujoco import MjtSolver
from newtonlite.core.types import cell_shape
from newtonlite.core.versioned import Version, VersionedDict
from newtonlite.geometry.contact.convex.hfield import MOST_GROUND_HITS
from newtonlite.solvers.mujoco.derive.ragged import padded
from newtonlite.solvers.mujoco.field_types import EngineDataFields
from newtonlite.solvers.mujoco.fields import DATA
from newtonlite.solvers.mujoco.model import EngineModel, check_count
from newtonlite.solvers.mujoco.solver_path import dual_rows

FIELDS = {f.name: f for f in DATA}
KEPT = ("state", "input", "output")
PRIVATE = frozenset(
    "link_vel nbp near bp_geom bp_pairid bp_key bp_depth sap_sphere sap_key convex_hits convex_lost convex_dist convex_pos "
    "convex_normal hfield_dist hfield_prism ten_force ten_actuatorforce island_row island_adr island_tree island_treeadr "
    "island_done island_alpha island_before pgs_force pgs_force_previous pgs_force_start pgs_residual "
    "pgs_residual_previous cg_search cg_Mgrad efc_A efc_b efc_K K_block efc_index efc_root rhs rhs_work dual A_dual target "
    "A_target jar_target H H_block block_lo efc_active jar jv Ma Mv grad cone_W work B".split()
)
"""Scratch that no stage reads before it, or one that always runs with it, has written it: collision, the solvers, and
vectors to work in.
"""
LASTING = ("noise_seed",)  # what no reset touches
INT32_MAX = 2**31 - 1
NEAR_PER_GEOM = 16  # spheres around equal boxes that lie close together overlap those of some dozen others
CONTACTS_PER_GEOM = {"cpu": 10, "gpu": 4}
"""Contacts that there is room for, where nobody says how many; a CPU thread has room for one world."""
CONTACTS_PER_VERTEX = {"cpu": 8, "gpu": 2}
PAIRS_PER_ROW = 8
"""Pairs of surfaces, with the flag ipc, that there is room for by rows."""
LEAST_CONTACTS = {"cpu": 128, "gpu": 32}
PROFILE_WIDTH = 512
"""Columns that rows of a sparse Hessian have room for on average; Newton's method leaves to conjugate gradients what needs
more.
"""
MOST_SQUARED_ROWS = {"cpu": 8192, "gpu": 1024}
"""Rows of these contacts, where a matrix has as many rows as columns (Gauss-Seidel, noslip, diagexact)."""


class EngineData(EngineDataFields):
    """State, inputs, results and, when asked for, every intermediate array of ``nworld`` worlds.

    ``d.qpos`` is ``[nworld, nq]``; vectors over dofs have rows padded to a multiple of 16 with zeros. ``kept_fields``
    are intermediate arrays that are there whatever ``scratch`` is, ``own_capacities`` has those that the caller chose, None
    for those that follow from the model. ``changes`` counts arrays that were replaced, as that of the model does.
    """

    private: frozenset = frozenset()  # arrays that a whole step or forward pass need not leave per world

    def __init__(
        self, model: EngineModel, nworld: int, sizes: dict, arrays: dict, scratch: str, keep=(), chosen=(None,) * 3
    ):
        self.changes = Version()
        self.sizes, self.arrays = VersionedDict(sizes, self.changes), VersionedDict(arrays, self.changes)
        self.model, self.nworld, self.scratch, self.kept_fields, self.own_capacities = (
            model,
            nworld,
            scratch,
            keep,
            chosen,
        )
        self.device, self.model_version = model.device, model.version

    def __getattr__(self, name):
        own = self.__dict__
        for table in ("arrays", "sizes"):
            if name in own.get(table, ()):
                return own[table][name]
        if name in FIELDS:
            raise StateError(
                f"data.{name}: not kept per world by this schedule; make the data with scratch='per_world' to read it"
            )
        raise AttributeError(f"the engine data has no field {name!r}")

    def __setattr__(self, name, value):
        if name in FIELDS and name not in self.__dict__:
            raise StateError(f"data.{name}: arrays stay where they are; write into it with data.{name}.assign(values)")
        super().__setattr__(name, value)

    def __repr__(self):
        kept = sum(a.capacity for a in self.arrays.values())
        return f"Data(nworld={self.nworld}, nconmax={self.nconmax}, njmax={self.njmax}, bytes={kept}, device={self.device})"

    def clear_counters(
        self, names: tuple = ("nbp_max", "ncon_max", "nefc_max", "overflow", "lost", "bad", "bad_count", "lost_digits")
    ) -> None:
        """Set counters of all worlds to zero."""
        for name in names:
            self.arrays[name].zero_()


def make_data(
    m: EngineModel,
    nworld: int,
    nconmax: int | None = None,
    njmax: int | None = None,
    scratch: str = "auto",
    keep: tuple = (),
    nbpmax: int | None = None,
) -> EngineData:
    """Data for ``nworld`` worlds at qpos0.

    ``nconmax``, ``njmax`` and ``nbpmax`` (pairs of geoms that the broad phase keeps, in models with too many to list;
    others have capacity for all) are capacities per world (estimated when None).  ``scratch`` is ``"per_world"`` (every
    intermediate array can be read) or ``"shared"`` (``"auto"`` too: copies only for worlds that are on their way at a
    time); arrays named in ``keep`` are there per world in any case. Raises CapacityError for counts that are not
    positive or exceed int32 indexing, StateError for an unknown scratch.
    """
    if scratch not in ("auto", "shared", "per_world"):
        raise StateError(f"scratch: expected 'auto', 'shared' or 'per_world', got {scratch!r}")
    scratch = "shared" if scratch == "auto" else scratch
    sizes = {**capacities(m, nworld, nconmax, njmax, nbpmax), "nposedgeom": posed_geoms(m, scratch, keep)}
    fields = [f for f in DATA if kept(f, scratch, keep)]
    check_elements(f"nworld={nworld}", fields, nworld, {**m.sizes, **sizes})
    arrays = {f.name: allocate(m, f, nworld, sizes) for f in fields}
    data = EngineData(m, nworld, sizes, arrays, scratch, keep, (nconmax, njmax, nbpmax))
    reset_data(m, data)
    if m.nseed:
        data.noise_seed.assign(np.arange(nworld, dtype=np.int32)[:, None])
    return data


def fit(m: EngineModel, d: EngineData) -> None:
    """Use the data with this model as it is now: arrays whose size has changed are made anew, capacities that nobody
    chose grow where they have to.
    """
    if m.origin or d.model.changes is m.changes and d.model_version == m.version:
        return
    d.model = m
    wanted = capacities(m, d.nworld, *d.own_capacities)
    room = [
        max(d.sizes[n], wanted[n]) if own is None else own for n, own in zip(("nconmax", "njmax"), d.own_capacities)
    ]
    sizes = {
        **capacities(m, d.nworld, *room, d.own_capacities[2]),
        "nposedgeom": posed_geoms(m, d.scratch, d.kept_fields),
    }
    check_elements(f"nworld={d.nworld}", [f for f in DATA if f.name in d.arrays], d.nworld, {**m.sizes, **sizes})
    shapes = {f.name: (d.nworld, *f.shape({**m.sizes, **sizes})) for f in DATA if f.name in d.arrays}
    made = {name: allocate(m, FIELDS[name], d.nworld, sizes) for name, s in shapes.items() if d.arrays[name].shape != s}
    if sizes != d.sizes:
        d.sizes.update(sizes)
    if made:
        d.arrays.update(made)
        set_initial(m, d, tuple(made))
    d.model_version = m.version


def posed_geoms(m: EngineModel, scratch: str, keep: tuple) -> int:
    """Geoms whose poses a step computes: all where somebody may read them, or anything may meet a ray, a fluid or a site."""
    read = scratch == "per_world" or not {"geom_xpos", "geom_xmat"}.isdisjoint(keep)
    sensed = m.nfluid + m.nsenseray + m.nsensedistance + m.nsenseenclosed + m.ntaxel
    return m.ngeom if read or sensed else m.nneededgeom


def kept(field, scratch: str, keep: tuple) -> bool:
    """Whether an array is there per world after a step."""
    return field.role in KEPT or field.role == "scratch" and (scratch == "per_world" or field.name in keep)


def capacities(m: EngineModel, nworld: int, nconmax: int | None, njmax: int | None, nbpmax: int | None = None) -> dict:
    """Sizes of the arrays of near pairs, contacts and rows; checked before anything is allocated."""
    check_count("nworld", nworld, 1)
    for name, value in (("nconmax", nconmax), ("njmax", njmax), ("nbpmax", nbpmax)):
        if value is not None:
            check_count(name, value, 0)
    elliptic = m.opt_cone == 1
    kind = "cpu" if m.device.is_cpu else "gpu"
    sweeps, exact = m.opt_noslip_iterations > 0 or m.opt_solver == MjtSolver.PGS, m.ndiagexact > 0
    dim = m.max_condim
    each = 1 if dim == 1 else dim if elliptic else 2 * (dim - 1)
    room = LEAST_CONTACTS[kind] + CONTACTS_PER_GEOM[kind] * m.ngeom
    if m.nflexgroup:
        room += CONTACTS_PER_VERTEX[kind] * m.nflexvert
    if sweeps or exact:
        room = min(room, MOST_SQUARED_ROWS[kind] // each)
    nconmax = min(m.max_contacts + m.most_flexcontacts, room) if nconmax is None else nconmax
    rows = sum(n for name, n in m.sizes.items() if name.startswith("rows_"))
    rows += nconmax * each
    njmax = rows if njmax is None else njmax
    limits = m.opt_iterations, m.opt_ls_iterations
    ndual = (
        0 if m.nsparse or m.ncoupling else dual_rows(m.opt_solver, m.opt_cone, *limits, m.device.is_cpu, m.nv, njmax)
    )
    ngram = njmax if sweeps or exact else ndual
    if not m.nsap:
        nbpmax = m.ncandidate
    elif nbpmax is None:
        nbpmax = min(NEAR_PER_GEOM * m.nsap, m.nsap * (m.nsap - 1) // 2)
    near = {"nbpmax": nbpmax, "nsapbp": nbpmax if m.nsap else 0, "nconvexhit": nbpmax if m.nconvexpair else 0}
    near["nspeculativepair"] = nbpmax if m.nspeculative else 0
    near["ngroundheap"] = MOST_GROUND_HITS if m.nhfielddeep else 0
    shares = {"ncone": elliptic, "nsticky": m.nadhesion, "nmoving": m.nsurfacevel}
    shares |= {"nconvexcon": m.nconvexpair, "nsoft": m.nflexgroup, "nspeculativehit": m.nspeculative}
    shares = {name: nconmax if used else 0 for name, used in shares.items()}
    # hits are found before it is known which of them are deepest
    shares["nflexhit"] = max(nconmax, min(m.most_flexcontacts, room)) + m.nflexreducehit if m.nflexgroup else 0
    shares["nflexfar"] = shares["nflexhit"] if m.nflexreduce else 0
    shares["njmax64"] = njmax + 1 if m.nfloat64 else 0
    rows = {"njmax": njmax, "njp": padded(njmax), "npgs": padded(njmax) if sweeps else 0}
    entries = m.nnz_rows + nconmax * each * m.nnz_contact if m.nsparse else 0
    rows |= {"nJrow": 1 if m.nsparse else njmax, "nJcol": padded(entries) if m.nsparse else m.nvp}
    rows |= {"njnnz": padded(entries) if m.nsparse else 0, "nsparserow": njmax if m.nsparse else 0}
    rows |= {"nadjacent": rows["njnnz"] + m.npartlink, "nprofile": profile_numbers(m) if m.nsparse else 0}
    rows |= {"nipcpair": PAIRS_PER_ROW * (njmax or 0) if m.nipcpoint else 0}
    dual = {"ndual": ndual, "nda": padded(ngram + 4), "nka": padded(ndual + 4)}
    return {**near, "nconmax": nconmax, "nposedgeom": m.ngeom, **shares, **rows, **dual}


def profile_numbers(m: EngineModel) -> int:
    """Numbers that the profile of a sparse Hessian has room for: rows of PROFILE_WIDTH, or no more than all of them, but at
    least those of the blocks of trees.
    """
    return m.nplace * max(min(PROFILE_WIDTH, m.nplace), m.nMcol)


def check_elements(what: str, fields: list, count: int, sizes: dict) -> None:
    """Raise CapacityError, beginning with ``what``, for fields that have more numbers in so many worlds than int32 counts."""
    numbers = {f.name: count * math.prod(f.shape(sizes)) * wp.types.type_size(f.dtype) for f in fields}
    largest = max(numbers, key=numbers.__getitem__, default=None)
    if largest and numbers[largest] > INT32_MAX:
        raise CapacityError(
            f"{what}: {largest} would have {numbers[largest]} numbers, more than int32 indexing holds ({INT32_MAX}); "
            "use fewer worlds, or smaller nconmax and njmax"
        )


def allocate(m: EngineModel, field, nworld: int, sizes: dict) -> wp.array:
    """Zeroed array ``[nworld, ...]`` of a data field."""
    shape = (nworld, *field.shape({**m.sizes, **sizes}))
    return wp.zeros(shape, dtype=field.dtype, device=m.device)


def reset_data(m: EngineModel, d: EngineData) -> None:
    """All worlds to qpos0 at rest: inputs, warm start, time and counters zero, mocap bodies at their model pose,
    equalities as authored.
    """
    for f in DATA:
        if f.role in KEPT and f.name in d.arrays and f.name not in LASTING:
            d.arrays[f.name].zero_()
    set_initial(m, d, tuple(d.arrays))


def set_initial(m: EngineModel, d: EngineData, names: tuple) -> None:
    """Write what fields start from into those named, where that is not zero."""
    for name, initial in INITIAL.items():
        if name in names:
            _spread(d.arrays[name], initial(m), d.nworld)


def _mocap(name: str):
    """Reference poses of mocap bodies, ``[nworld or 1, nmocap * size]``."""

    def rows(m: EngineModel) -> np.ndarray:
        bodies = np.flatnonzero(np.asarray(m.source.body_mocapid) >= 0)
        bodies = bodies[np.argsort(np.asarray(m.source.body_mocapid)[bodies])]
        values = m.arrays[name].numpy()[:, bodies]
        return values.reshape(len(values), -1)

    return rows


INITIAL_PARAMETERS = {
    "qpos": "qpos0",
    "eq_active": "eq_active0",
    "plastic": "plastic0",
    "history": "history0",
    "tree_asleep": "tree_asleep0",
    "sleep_fresh": "sleep_fresh0",
    "asleep_qpos": "qpos0",
}
"""Fields that start at a parameter of the model, or at as much of its beginning as they have numbers."""
INITIAL = {
    **{field: lambda m, name=name: m.arrays[name].numpy() for field, name in INITIAL_PARAMETERS.items()},
    "asleep_qpos": lambda m: m.qpos0.numpy()[:, : m.sizes["nsleepq"]],
    "mocap_pos": _mocap("body_pos"),
    "mocap_quat": _mocap("body_quat"),
    "tree_awake": lambda m: m.tree_asleep0.numpy() < 0,
    "user_gain": lambda m: np.ones((1, m.nuserlaw), np.float32),
}
"""Initial values of kept fields, ``[nworld or 1, numbers]``; all others start from zero."""


def _spread(target: wp.array, values: np.ndarray, nworld: int) -> None:
    """Write rows for every world, or one row for all, into a data array."""
    if target.size:
        rows = np.broadcast_to(values, (nworld, values.shape[1]))
        target.assign(rows.reshape((*target.shape, -1)) if cell_shape(target.dtype) else rows)
