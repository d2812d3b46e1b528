"""Fields of MuJoCo Warp's model that the engine does not read: sparsity, names of lists, looks of things."""

from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtDyn, MjtJoint
from newtonlite.core.types import cell_shape
from newtonlite.mjwarp import kind_lists, sparsity
from newtonlite.mjwarp import structure_lists as lists
from newtonlite.solvers.mujoco.assigned import parameter

vec2, vec3, vec4, quat, vec2i, vec3i = wp.vec2, wp.vec3, wp.vec4, wp.quat, wp.vec2i, wp.vec3i

PER_WORLD = {
    **dict.fromkeys("actuator_armature actuator_damping light_cutoff light_exponent".split(), float),
    **dict.fromkeys("mat_emission mat_specular mat_shininess".split(), float),
    "geom_aabb": vec3,
    **dict.fromkeys("light_attenuation light_ambient light_diffuse light_specular".split(), vec3),
    **dict.fromkeys(("geom_rgba", "mat_rgba"), vec4),
    **dict.fromkeys("dof_armature dof_damping tendon_armature tendon_damping".split(), float),
    **dict.fromkeys("actuator_dampingpoly dof_dampingpoly tendon_dampingpoly mat_texrepeat".split(), vec2),
    **dict.fromkeys("geom_matid light_type mat_texid".split(), int),
    **dict.fromkeys("light_active light_castshadow mat_texuniform".split(), bool),
}
"""Arrays ``[nworld or 1, ...]``."""
SHARED = {
    **dict.fromkeys(
        "body_weldid body_geomnum body_geomadr body_simple body_contype body_conaffinity jnt_limited jnt_actuatorid "
        "geom_contype geom_conaffinity exclude_signature pair_geom1 pair_geom2 eq_obj1id eq_obj2id eq_objtype "
        "tendon_limited tendon_actuatorid dof_Madr "
        "mesh_vertadr mesh_vertnum mesh_faceadr mesh_normaladr mesh_normalnum mesh_graphadr mesh_graph mesh_polynum "
        "mesh_polyadr mesh_polyvertadr mesh_polyvertnum mesh_polyvert mesh_polymapadr mesh_polymapnum mesh_polymap "
        "D_rownnz D_rowadr D_diag D_colind mapM2M mapM2D mapD2M "
        "flex_shell flex_shelldataadr flex_shellnum flex_vertcell mesh_octadr plugin tendon_type".split(),
        int,
    ),
    **dict.fromkeys("key_time key_qpos key_qvel key_act key_ctrl key_plastic".split(), float),
    **dict.fromkeys("mesh_vert mesh_normal mesh_pos mesh_polynormal key_mpos flex_size".split(), vec3),
    "flex_centered": bool,
    **dict.fromkeys(("mesh_quat", "key_mquat"), quat),
    "mesh_face": vec3i,
}
"""Arrays that all worlds share."""
BY_KEY = ("key_mpos", "key_mquat")
"""Poses ``[nkey, nmocap]``."""
NO_TILES = {"M_tiles": (), "qLD_block_total": 0, "has_sdf_geom": False}
"""Tile settings of MuJoCo Warp's kernels: factors are not tiled here."""


FLAGS = {
    "has_fluid": "nfluid",
    "has_actuator_wrap": "ncircle",
    "flg_adhesion": "nadhesion",
    "flg_surfacevel": "nsurfacevel",
}
"""Whether the model has something, by its size in the engine."""


def interpolated_cells(mj) -> int:
    """Cells of interpolated flexes, and outer faces of the grids of shells, that resist being stretched."""
    kind, (x, y, z) = np.asarray(mj.flex_interp), np.asarray(mj.flex_cellnum, int).reshape(-1, 3).T
    cells = np.where(kind > 0, x * y * z, np.where(kind < 0, 2 * (y * z + x * z + x * y), 0))
    return int(cells[np.asarray(mj.flex_stiffnessadr) >= 0].sum())


def of_chains(m, field: str) -> wp.array:
    """Whether a flex is a rod with frames along it, and that table of its chain has something (``edgeadr``: any chain)."""
    found = np.zeros(int(m.source.nflex), bool)
    if m.sizes["nflexchain"]:
        there = getattr(m, f"flexchain_{field}").numpy()[: m.sizes["nflexchain"]] >= 0
        owner = m.flexrod_flexid.numpy()[m.flexrodedge_hinge.numpy()[m.flexchain_edgeadr.numpy()[:-1]]]
        found[owner[there]] = True
    return wp.array(found, dtype=bool, device=m.device)


def rod_hinges(m) -> np.ndarray:
    """Flex and first number of the record of each hinge of a rod."""
    tables = (getattr(m, f"flexrod_{name}").numpy() for name in ("flexid", "adr"))
    return np.stack([*tables], 1)[: m.sizes["nflexrod"]].astype(np.int32)


OF_SIZE = {
    "is_sparse": lambda m: sparsity.is_sparse(m.source),
    "nflexrodhinge": lambda m: m.sizes["nflexrod"],
    "nflexintcell": lambda m: interpolated_cells(m.source),
    "max_flex_dim": lambda m: int(np.max(m.source.flex_dim, initial=0)),
    "flex_rodhinge_map": lambda m: wp.array(rod_hinges(m), dtype=wp.vec2i, device=m.device),
    "flex_rod_is_chain": lambda m: of_chains(m, "edgeadr"),
    "flex_rod_root_clamped": lambda m: of_chains(m, "root"),
    "flex_rod_tail_clamped": lambda m: of_chains(m, "tail"),
    "has_flex_edge_stiff_damp": lambda m: m.sizes["nflexspring"] > 0,
    "has_flex_passive": lambda m: bool(np.any(m.source.flex_passive)),
}
"""Sizes and switches that the engine has under other names or not at all."""


def host_field(m, name: str):
    """A field by its name in MuJoCo Warp; AttributeError where the host model has none either."""
    if name in NO_TILES:
        return NO_TILES[name]
    if name in OF_SIZE:
        return OF_SIZE[name](m)
    if name in FLAGS:
        return m.sizes[FLAGS[name]] > 0
    if name in kind_lists.NUMBERS:
        return kind_lists.NUMBERS[name](m.source)
    if name in COMPUTED:
        return _kept(m, name, COMPUTED[name])
    value = getattr(m.source, name)
    if name in PER_WORLD or name in SHARED:
        return _kept(m, name, lambda m: host_array(m, value, name))
    return value


def _kept(m, name: str, make):
    if name not in m.host_arrays:
        m.host_arrays[name] = make(m)
    return m.host_arrays[name]


def host_array(m, value, name: str) -> wp.array:
    """Numbers of a host field on the device: ``[...]``, or ``[nworld, ...]`` where worlds may differ."""
    dtype = PER_WORLD.get(name) or SHARED[name]
    kind = {int: np.int32, bool: bool}.get(dtype, np.int32 if dtype is vec3i else np.float32)
    value = np.asarray(value, kind)
    cell = cell_shape(dtype)
    if cell and value.shape[-1:] != cell:
        value = value.reshape(-1, *cell)
    if name in PER_WORLD and value.ndim == np.ndim(getattr(m.source, name)):
        value = value[None]
    if name in BY_KEY:
        value = value.reshape(int(m.source.nkey), m.nmocap, *cell)
    return wp.array(np.ascontiguousarray(value), dtype=dtype, device=m.device)


def host_numbers(m, name: str, value: Any, old: wp.array) -> wp.array:
    """A value of a field that the engine does not read, ``[nworld, ...]`` as ``old``. ModelError for another shape."""
    if isinstance(value, wp.array) and value.dtype == old.dtype and value.device == old.device:
        made = value
    else:
        found = parameter(f"model.{name}", value, old.dtype)
        cell = cell_shape(old.dtype)
        shape = (*old.shape[1:], *cell)
        if found.shape not in (shape, (*found.shape[:1], *shape)):
            raise ModelError(f"model.{name}: expected shape {shape} or (nworld, *{shape}), got {found.shape}")
        made = host_array(m, found, name)
    if made.shape[1:] != old.shape[1:] or made.ndim != old.ndim or not made.shape[0]:
        raise ModelError(f"model.{name}: expected shape [nworld, *{list(old.shape[1:])}], got {list(made.shape)}")
    return made


def _index(values: Callable, dtype: Any = int) -> Callable:
    return lambda m: wp.array(np.asarray(values(m)), dtype=dtype, device=m.device)


def _free_bodies(m) -> np.ndarray:
    """Mask of the bodies that have a free joint and are the only thing in their tree that moves."""
    mj = m.source
    free = np.zeros(m.nbody, bool)
    for j in np.flatnonzero(np.asarray(mj.jnt_type) == MjtJoint.FREE):
        tree = mj.dof_treeid[mj.jnt_dofadr[j]]
        free[mj.jnt_bodyid[j]] = mj.tree_dofnum[tree] == 6
    return free


def _places(m) -> np.ndarray:
    """Address in ``M`` of the entry at each row and column, -1: none."""
    kept = sparsity.inertia(m.source)
    out = np.full((m.nv, m.nv), -1)
    out[kept.rows, kept.colind] = np.arange(len(kept.colind))
    return out


def upwards(mj) -> tuple[np.ndarray, np.ndarray]:
    """Row and column of the entries of ``M``: every dof, its parent, and so on to the root."""
    found = sparsity.ancestors(mj)
    rows = [np.sort(found.colind[a : a + n])[::-1] for a, n in zip(found.rowadr, found.rownnz, strict=True)]
    return found.rows, np.concatenate([np.zeros(0, int), *rows])


COMPUTED = {
    "nC": lambda m: len(sparsity.inertia(m.source).colind),
    "nJten": lambda m: len(sparsity.tendons(m.source).colind),
    "nJmom": lambda m: m.push_dof.size,
    "nv_pad": lambda m: -(-m.nv // 16) * 16,
    "geom_aabb": lambda m: wp.array(np.asarray(m.source.geom_aabb, np.float32).reshape(1, -1, 2, 3), dtype=vec3),
    "has_actuator_dcmotor": lambda m: bool((m.arrays["actuator_dyntype"].numpy() == MjtDyn.DCMOTOR).any()),
    "M_elemid": _index(_places),
    "M_fullm_i": _index(lambda m: upwards(m.source)[0]),
    "M_fullm_j": _index(lambda m: upwards(m.source)[1]),
    "nxn_geom_pair": _index(lambda m: lists.geom_pairs(m.source), vec2i),
    "nxn_geom_pair_filtered": _index(lambda m: lists.geom_pairs(m.source)[lists.included(m.source)], vec2i),
    "nxn_pairid": _index(lambda m: lists.pair_ids(m.source), vec2i),
    "nxn_pairid_filtered": _index(lambda m: lists.pair_ids(m.source)[lists.included(m.source)], vec2i),
    "nsensorcollision": lambda m: len({*lists.measured_pairs(m.source)}),
    "body_isdofancestor": _index(lambda m: lists.dofs_above(m.source)),
    "dof_tri_row": _index(lambda m: np.triu_indices(m.nv)[0]),
    "dof_tri_col": _index(lambda m: np.triu_indices(m.nv)[1]),
    "body_tree": lambda m: tuple(wp.array(level, dtype=int, device=m.device) for level in lists.levels(m.source)),
    "nsensortaxel": lambda m: len(lists.taxels(m.source)),
    "taxel_sensorid": _index(lambda m: lists.taxels(m.source)[:, 0]),
    "taxel_vertadr": _index(lambda m: lists.taxels(m.source)[:, 1]),
    "ntactileweld": lambda m: len(lists.tactile_welds(m.source)),
    "weld_tactile_id": _index(lambda m: lists.tactile_numbers(m.source)),
    "body_is_free": lambda m: wp.array(_free_bodies(m), dtype=bool, device=m.device),
    "body_freeadr": _index(lambda m: np.flatnonzero(_free_bodies(m))),
    **{
        name: _index(lambda m, values=values: values(m.source), dtype)
        for name, (values, dtype) in kind_lists.LISTS.items()
    },
    **{
        f"{prefix}_{which}": _index(lambda m, made=made, which=which: getattr(made(m.source), which))
        for prefix, made in (("M", sparsity.inertia), ("ten_J", sparsity.tendons))
        for which in sparsity.Pattern._fields
    },
}
"""Fields that follow from others."""
COMPUTED_PER_WORLD = ("geom_aabb",)
"""Fields among them that are ``[nworld or 1, ...]``."""
