"""The engine's model: a compiled model's numbers as Warp arrays, shared by all worlds or one copy per world.

``put_model`` takes anything with MuJoCo's field names (``CompiledModel``, or a ``mujoco.MjModel``), derives the walks the
stages need and refuses, by name, what the engine does not do.
"""

import numpy as np
import warp as wp

from newtonlite.core.errors import CapacityError, ModelError
from newtonlite.solvers.mujoco.enums import BALL, BOX, PLANE
from newtonlite.solvers.mujoco.fields import MODEL
from newtonlite.solvers.mujoco.kernels.collide.candidates import candidate_pairs
from newtonlite.solvers.mujoco.support import TENDON_TRANSMISSION, check_supported

FIELDS = {f.name: f for f in MODEL}
PAD = 16  # floats: one AVX-512 register, half a cache line


class Model:
    """Sizes as ints and arrays under MuJoCo's names; ``m.body_mass`` is ``[nworld or 1, nbody]``."""

    def __init__(self, sizes: dict, arrays: dict, device, source):
        self.sizes, self.arrays, self.device, self.source = sizes, arrays, wp.get_device(device), source
        self.version = 0  # counts reallocations: recorded launches made before are stale

    def __getattr__(self, name):
        for table in ("sizes", "arrays"):
            if name in self.__dict__.get(table, ()):
                return self.__dict__[table][name]
        raise AttributeError(f"the engine model has no field {name!r}")

    def __repr__(self):
        s = self.sizes
        return f"Model(nbody={s['nbody']}, nv={s['nv']}, nu={s['nu']}, ngeom={s['ngeom']}, device={self.device})"

    def set(self, name: str, values) -> None:
        """Write a ``param`` field: ``[...]`` for all worlds, or ``[nworld, ...]``, which makes the field per world."""
        field = FIELDS.get(name)
        if field is None or field.role != "param":
            raise ModelError(f"model.{name}: not a parameter; parameters are listed in fields.MODEL")
        old = self.arrays[name]
        values = np.asarray(values, dtype=np.float32)
        one = tuple(old.shape[1:]) + tuple(getattr(field.dtype, "_shape_", ()))
        if values.shape == one:
            values = np.broadcast_to(values, (old.shape[0], *one))
        if values.shape[1:] != one:
            raise ModelError(f"model.{name}: expected shape {one} or (nworld, *{one}), got {values.shape}")
        if values.shape[0] == old.shape[0]:
            old.assign(wp.array(np.ascontiguousarray(values), dtype=field.dtype, device="cpu"))
            return
        self.arrays[name] = wp.array(np.ascontiguousarray(values), dtype=field.dtype, device=self.device)
        self.version += 1


def put_model(mj, nworld: int = 1, device=None, per_world: tuple = ()) -> Model:
    """Engine model on ``device``; fields named in ``per_world`` get ``nworld`` copies that may then differ.

    Raises ModelError for anything the engine does not simulate, CapacityError for sizes beyond int32 indexing.
    """
    check_supported(mj)
    check_count("nworld", nworld, 1)
    values = {**_copied(mj), **_derived(mj)}
    sizes = {f.name: int(values.pop(f.name)) for f in MODEL if f.role == "size"}
    sizes.update(_dims(mj, sizes, values))
    for name in per_world:
        if name not in FIELDS or FIELDS[name].role != "param":
            raise ModelError(f"per_world: {name!r} is not a parameter of the model; see fields.MODEL")
    arrays = {
        f.name: _array(f, values[f.name], sizes, nworld if f.name in per_world else 1, device)
        for f in MODEL
        if f.role != "size"
    }
    return Model(sizes, arrays, device or wp.get_device(), mj)


def check_count(name: str, value, least: int) -> None:
    """Raise CapacityError unless ``value`` is an integer of at least ``least``."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        raise CapacityError(f"{name}: expected an integer of at least {least}, got {value!r}")


def _array(field, value, sizes, copies, device):
    """Warp array of a field, with the world dimension in front for parameters."""
    cell = tuple(getattr(field.dtype, "_shape_", ()))
    shape = field.shape(sizes)
    integer = field.dtype is int or getattr(field.dtype, "_wp_scalar_type_", None) is wp.int32
    data = np.asarray(value, dtype=np.int32 if integer else np.float32).reshape((*shape, *cell))
    if field.role == "param":
        data = np.broadcast_to(data, (copies, *data.shape))
    return wp.array(np.ascontiguousarray(data), dtype=field.dtype, device=device)


def _copied(mj) -> dict:
    """Fields that keep MuJoCo's name and meaning."""
    out = {}
    for f in MODEL:
        if hasattr(mj, f.name):
            out[f.name] = getattr(mj, f.name)
    opt = mj.opt
    for name in ("timestep", "gravity", "ls_tolerance", "iterations", "ls_iterations", "cone", "disableflags", "integrator"):
        out["opt_" + name] = getattr(opt, name)
    out["opt_tolerance"] = opt.tolerance
    out["opt_impratio_invsqrt"] = 1.0 / np.sqrt(opt.impratio)
    out["stat_meaninertia"] = mj.stat.meaninertia
    out["actuator_gainprm"] = np.asarray(mj.actuator_gainprm)[:, :3]
    out["actuator_biasprm"] = np.asarray(mj.actuator_biasprm)[:, :3]
    return out


def _derived(mj) -> dict:
    """Walks and lists that the stages follow."""
    out = dict(_tree_walks(mj))
    out["friction_dof"] = np.flatnonzero(np.asarray(mj.dof_frictionloss) > 0)
    out["limit_jnt"] = np.flatnonzero(np.asarray(mj.jnt_limited))
    out["nfriction"], out["nlimit"] = len(out["friction_dof"]), len(out["limit_jnt"])
    out["lone_free_dof"] = np.array(
        [a for a, n in zip(mj.tree_dofadr, mj.tree_dofnum) if n == 6 and mj.jnt_type[mj.dof_jntid[a]] == 0], int
    )
    out["nlonefree"] = len(out["lone_free_dof"])
    wrap_jnt = np.asarray(mj.wrap_objid, dtype=int)
    out["wrap_dofadr"] = np.asarray(mj.jnt_dofadr)[wrap_jnt]
    out["wrap_qposadr"] = np.asarray(mj.jnt_qposadr)[wrap_jnt]
    pushed = [_actuated_dofs(mj, u) for u in range(int(mj.nactuator))]
    movers = [[u for u, dofs in enumerate(pushed) if i in dofs] for i in range(int(mj.nv))]
    out["moment_adr"], out["moment_act"] = _starts(movers), np.array([u for us in movers for u in us], int)
    out.update(candidate_pairs(mj))
    out["ncandidate"] = len(out["cand_pairid"])
    types = np.asarray(mj.geom_type)[np.asarray(out["cand_geom"], int).reshape(-1, 2)]
    out["nboxpair"] = np.sum((types[:, 0] != PLANE) & (types[:, 1] == BOX))
    out["nball"] = np.sum(np.asarray(mj.jnt_type) == BALL)
    return out


def _actuated_dofs(mj, u: int) -> set:
    """Dofs that actuator ``u`` pushes."""
    target = int(mj.actuator_trnid[u][0])
    if int(mj.actuator_trntype[u]) == TENDON_TRANSMISSION:
        wraps = range(int(mj.tendon_adr[target]), int(mj.tendon_adr[target]) + int(mj.tendon_num[target]))
        return {int(mj.jnt_dofadr[mj.wrap_objid[k]]) for k in wraps}
    first = int(mj.jnt_dofadr[target])
    return set(range(first, first + (6, 3, 1, 1)[int(mj.jnt_type[target])]))


def _tree_walks(mj) -> dict:
    """Bodies by level, children by parent, dof chains, ancestor mask and column blocks of each tree."""
    nbody, nv, parent = int(mj.nbody), int(mj.nv), np.asarray(mj.body_parentid)
    depth = np.zeros(nbody, int)
    for b in range(1, nbody):
        depth[b] = depth[parent[b]] + 1
    levels = [np.flatnonzero(depth == k) for k in range(1, depth.max() + 1)]
    children = [np.flatnonzero(parent[1:] == b) + 1 for b in range(nbody)]
    chains = [[] for _ in range(nbody)]
    for b in range(1, nbody):
        start = int(mj.body_dofadr[b])
        chains[b] = chains[parent[b]] + list(range(start, start + int(mj.body_dofnum[b])))
    nvp = padded(nv)
    ancestor = np.zeros((nv, nvp), np.float32)
    block = np.zeros((nv, 2), np.int32)
    for i in range(nv):
        chain = chains[mj.dof_bodyid[i]]
        ancestor[i, [j for j in chain if j <= i]] = 1.0
        first = int(mj.tree_dofadr[mj.dof_treeid[i]])
        last = first + int(mj.tree_dofnum[mj.dof_treeid[i]])
        block[i] = first // PAD, (last + PAD - 1) // PAD
    end = np.arange(1, nv + 1)
    for i in range(nv - 1, -1, -1):  # dofs are numbered depth first
        if mj.dof_parentid[i] >= 0:
            end[mj.dof_parentid[i]] = max(end[mj.dof_parentid[i]], end[i])
    return {
        "nlevel": len(levels),
        "dof_end": end,
        "level_adr": _starts(levels),
        "level_body": np.concatenate([*levels, [0]]),
        "child_adr": _starts(children),
        "child_body": np.concatenate([*children, [0]]),
        "chain_adr": _starts(chains),
        "chain_dof": np.array([i for c in chains for i in c], int),
        "dof_ancestor": ancestor,
        "dof_block": block,
        "nblock": nvp // PAD,
    }


def _starts(groups) -> np.ndarray:
    return np.concatenate([[0], np.cumsum([len(g) for g in groups])]).astype(int)


def padded(n: int) -> int:
    """``n`` rounded up to whole vector registers."""
    return max(PAD, (n + PAD - 1) // PAD * PAD)


def _dims(mj, sizes, values) -> dict:
    """Sizes that only shapes need."""
    return {
        "nvp": padded(sizes["nv"]),
        "nlevel1": sizes["nlevel"] + 1,
        "nbody1": sizes["nbody"] + 1,
        "nchain": len(values["chain_dof"]),
        "nv1": sizes["nv"] + 1,
        "nmoment": len(values["moment_act"]),
        "ncell": len(values["cand_cell"]),
        "nwrap": int(mj.nwrap),
        **_contact_bounds(mj, values["cand_geom"]),
    }


def _contact_bounds(mj, pairs) -> dict:
    """Most contacts the candidates can make, and most dimensions one contact can have."""
    types = np.asarray(mj.geom_type)[np.asarray(pairs, int).reshape(-1, 2)]
    most = np.select(
        [(types == (6, 6)).all(1), types[:, 1] == 6, types[:, 1] == 5, (types == 3).any(1)], [8, 4, 4, 2], default=1
    )
    dims = [1, *np.asarray(mj.geom_condim), *np.asarray(mj.pair_dim)]
    return {"max_contacts": int(most.sum()), "max_condim": int(max(dims))}
