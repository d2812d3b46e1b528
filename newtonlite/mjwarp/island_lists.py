"""Island lists of the data: what MuJoCo sorts by island, and which bodies and dofs are awake, made on the host when read.

Rows, dofs and trees that are in no island come last in the maps, in their own order, as MuJoCo has them.
"""

from collections.abc import Callable

import numpy as np
import warp as wp

from newtonlite.mjwarp.islands import island_lists
from newtonlite.solvers.mujoco.derive import sleep

PER_TREE = "island_nv island_ne island_nf island_nefc island_iefcadr island_idofadr island_dofadr".split()
PER_DOF = "map_dof2idof map_idof2dof dof_islandid".split()
PER_ROW = "map_efc2iefc map_iefc2efc efc_islandid".split()
LISTS = ("nidof", *PER_TREE, *PER_DOF, *PER_ROW)
AWAKE = ("body_awake_ind", "dof_awake_ind")
SLEEP = ("tree_asleep", "tree_awake", "body_awake")


def island_list(name: str) -> Callable:
    """Maker of a list of all worlds: [nworld] for ``nidof``, else [nworld, ntree, nv or njmax]; StateError for data that
    does not keep its rows.
    """

    def make(d, last) -> wp.array:
        e = d.engine
        width = {**dict.fromkeys(PER_TREE, e.model.ntree), **dict.fromkeys(PER_DOF, e.model.nv)}.get(name, e.njmax)
        rows = np.zeros((d.nworld, width), np.int32) if name != "nidof" else np.zeros(d.nworld, np.int32)
        read = ("nisland", "tree_island", "dof_island", "efc_island", "ne", "nf")
        found = {field: getattr(d, field).numpy() for field in read} | {"nefc": e.nefc.numpy()}
        for world in range(d.nworld):
            fill(rows[world : world + 1], name, **{field: values[world] for field, values in found.items()})
        return _kept(last, rows, e.device)

    return make


def fill(out: np.ndarray, name: str, *, nisland, tree_island, dof_island, efc_island, ne, nf, nefc) -> None:
    """One world's list, into ``out`` [1, ...]."""
    if name == "nidof":
        out[0] = np.count_nonzero(dof_island >= 0)
        return
    kind = np.digitize(np.arange(nefc), np.cumsum([ne, nf]))
    lists = island_lists(tree_island, dof_island, efc_island[:nefc], kind, int(nisland))
    sorted_by = {"dof_islandid": ("dof_island", "map_idof2dof"), "efc_islandid": ("efc_island", "map_iefc2efc")}
    if name in sorted_by:
        out[0] = -1
    values = lists[sorted_by[name][0]][lists[sorted_by[name][1]]] if name in sorted_by else lists[name]
    out[0, : len(values)] = values


def awake_list(name: str) -> Callable:
    """Maker of the indices of bodies, or of dofs, that are awake or static [nworld, n], in order; -1 behind the last."""

    def make(d, last) -> wp.array:
        m = d.engine.model
        asleep = d.engine.tree_asleep.numpy() >= 0
        tree = (m.body_treeid if name == "body_awake_ind" else m.dof_treeid).numpy()
        sleeps = np.zeros((d.nworld, len(tree)), bool)
        if asleep.size:
            sleeps = asleep[:, np.maximum(tree, 0)] & (tree >= 0)
        # a stable sort by whether they sleep keeps those that are awake in order
        order = np.argsort(sleeps, axis=1, kind="stable")
        return _kept(last, np.where(np.sort(sleeps, axis=1), -1, order).astype(np.int32), d.engine.device)

    return make


def never_asleep(name: str) -> Callable:
    """Maker of an array of sleep [nworld, ntree or nbody] for models whose trees do not sleep: all is awake, or static."""

    def make(d, last) -> wp.array:
        m = d.engine.model
        row = {
            "tree_asleep": np.full(m.ntree, sleep.AWAKE, np.int32),
            "tree_awake": np.ones(m.ntree, np.int32),
            "body_awake": np.where(m.body_treeid.numpy() >= 0, 1, -1),
        }[name]
        return _kept(last, np.tile(row.astype(np.int32), (d.nworld, 1)), d.engine.device)

    return make


def _kept(last: wp.array | None, rows: np.ndarray, device) -> wp.array:
    """The array of last time with new numbers, or a new one."""
    if last is None or last.shape != rows.shape:
        return wp.array(rows, dtype=int, device=device)
    last.assign(rows)
    return last
