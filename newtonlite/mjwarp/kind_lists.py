"""Lists by kind: which equalities, joints, tendons, wraps, sensors and bodies of a model are of each kind, under MuJoCo Warp's names."""

from collections.abc import Callable
from typing import Any

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtEq, MjtGeom, MjtJoint, MjtObj, MjtSensor, MjtStage, MjtTrn, MjtWrap
from newtonlite.mjwarp import flex_stiffness_rows, sparsity

LIMIT_SENSORS = {
    "pos": (MjtSensor.JOINTLIMITPOS, MjtSensor.TENDONLIMITPOS),
    "vel": (MjtSensor.JOINTLIMITVEL, MjtSensor.TENDONLIMITVEL),
    "frc": (MjtSensor.JOINTLIMITFRC, MjtSensor.TENDONLIMITFRC),
}
APART = (MjtSensor.CONTACT, MjtSensor.TOUCH, MjtSensor.TENDONACTFRC, *sum(LIMIT_SENSORS.values(), ()))
"""Sensors that have a list of their own."""
OF_BODY_FORCES = tuple(MjtSensor[name] for name in "ACCELEROMETER FORCE TORQUE FRAMELINACC FRAMEANGACC".split())
OF_MOMENTA = (MjtSensor.SUBTREELINVEL, MjtSensor.SUBTREEANGMOM)
ROUND_WRAPS = (MjtWrap.SPHERE, MjtWrap.CYLINDER)


def column(mj, name: str, count: str) -> np.ndarray:
    """A list of the host model; compiled models have none of what there is nothing of."""
    return np.asarray(getattr(mj, name)).ravel() if int(getattr(mj, count)) else np.zeros(0, int)


def where(name: str, count: str, *kinds: int) -> Callable:
    """Numbers of the things whose entry in a list is one of these kinds."""
    return lambda mj: np.flatnonzero(np.isin(column(mj, name, count), kinds))


def limited_joints(*kinds: int) -> Callable:
    """Joints of these types that have limits."""

    def found(mj) -> np.ndarray:
        return np.flatnonzero((column(mj, "jnt_limited", "njnt") != 0) & np.isin(column(mj, "jnt_type", "njnt"), kinds))

    return found


def sensors_of_stage(stage: int, *, all_kinds: bool = False, only: tuple = ()) -> Callable:
    """Sensors that need a stage: all of them, those of some types, or those without a list of their own."""

    def found(mj) -> np.ndarray:
        kinds = column(mj, "sensor_type", "nsensor")
        among = np.isin(kinds, only) if only else ~np.isin(kinds, APART) | all_kinds
        return np.flatnonzero((column(mj, "sensor_needstage", "nsensor") == stage) & among)

    return found


def has_sensor(*kinds: int) -> Callable:
    """Whether a model has a sensor of these types."""
    return lambda mj: bool(np.isin(column(mj, "sensor_type", "nsensor"), kinds).any())


def branches(mj) -> list[list[int]]:
    """Bodies from below the world to each body without children."""
    parent = np.asarray(mj.body_parentid)
    found = []
    for leaf in sorted({*range(1, int(mj.nbody))} - {*parent[1:].tolist()}):
        path = [leaf]
        while parent[path[0]]:
            path.insert(0, int(parent[path[0]]))
        found.append(path)
    return found


def subtree_sizes(mj) -> np.ndarray:
    """Number of bodies in the subtree of each body, itself among them."""
    found = np.ones(int(mj.nbody), int)
    for b in range(int(mj.nbody) - 1, 0, -1):
        found[mj.body_parentid[b]] += found[b]
    return found


def mocap_bodies(mj) -> np.ndarray:
    """Body of each mocap pose."""
    ids = np.asarray(mj.body_mocapid)
    return np.flatnonzero(ids >= 0)[np.argsort(ids[ids >= 0])]


def ellipsoid_bodies(mj) -> np.ndarray:
    """Whether a body with mass feels the fluid as the ellipsoids of its geoms."""
    found = np.zeros(int(mj.nbody), bool)
    if int(mj.ngeom):
        shaped = np.asarray(mj.geom_fluid).reshape(int(mj.ngeom), -1)[:, 0] > 0
        found[np.asarray(mj.geom_bodyid)[shaped]] = True
    return found & (np.asarray(mj.body_mass).ravel() >= MINVAL)


def box_bodies(mj) -> np.ndarray:
    """Bodies with mass that feel the fluid as boxes of their inertia."""
    return np.flatnonzero(~ellipsoid_bodies(mj) & (np.asarray(mj.body_mass).ravel() >= MINVAL))


def largest_condim(mj) -> int:
    """Largest dimension of the contacts that geoms, pairs and flexes ask for."""
    of_flexes = np.asarray(mj.flex_condim) if int(getattr(mj, "nflex", 0)) else np.zeros(0, int)
    return int(max([0, *column(mj, "geom_condim", "ngeom"), *column(mj, "pair_dim", "npair"), *of_flexes]))


def wraps(mj) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """Each tendon, the numbers of its wraps, and their types."""
    found = []
    for t in range(int(mj.ntendon)):
        at = int(mj.tendon_adr[t]) + np.arange(int(mj.tendon_num[t]))
        found.append((t, at, np.asarray(mj.wrap_type)[at]))
    return found


def fixed_tendons(mj) -> tuple[list, list]:
    """Tendon and number of each wrap that is a joint."""
    pairs = [(t, int(w)) for t, at, kinds in wraps(mj) for w in at[kinds == MjtWrap.JOINT]]
    return [t for t, _ in pairs], [w for _, w in pairs]


def straight_pairs(mj) -> tuple[list, list]:
    """Tendon and first wrap of every two sites that follow each other."""
    pairs = [
        (t, int(at[k]))
        for t, at, kinds in wraps(mj)
        for k in range(len(at) - 1)
        if kinds[k] == kinds[k + 1] == MjtWrap.SITE
    ]
    return [t for t, _ in pairs], [w for _, w in pairs]


def round_wraps(mj) -> tuple[list, list]:
    """Tendon and number of each wrap around a sphere or cylinder."""
    pairs = [(t, int(w)) for t, at, kinds in wraps(mj) for w in at[np.isin(kinds, ROUND_WRAPS)]]
    return [t for t, _ in pairs], [w for _, w in pairs]


def site_counts(mj) -> list[int]:
    """Number of wraps of the tendons that run over sites alone, 0 of others."""
    return [len(at) if len(at) and (kinds == MjtWrap.SITE).all() else 0 for _, at, kinds in wraps(mj)]


def pulley_scales(mj) -> np.ndarray:
    """One over the divisor of the pulley that each wrap comes after."""
    found = np.ones(int(mj.nwrap), np.float32)
    for _, at, kinds in wraps(mj):
        for k in np.flatnonzero(kinds == MjtWrap.PULLEY):
            found[at[k] :][: len(at) - k] = 1.0 / np.asarray(mj.wrap_prm)[at[k]]
    return found


def rays(mj) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of every ray of range finders its sensor and the body that it passes; of every sensor its first ray, or -1."""
    sensors = np.flatnonzero(column(mj, "sensor_type", "nsensor") == MjtSensor.RANGEFINDER)
    count, body = [], []
    for s in sensors:
        of_site = mj.sensor_objtype[s] == MjtObj.SITE
        i = int(mj.sensor_objid[s])
        body.append(int((mj.site_bodyid if of_site else mj.cam_bodyid)[i]))
        count.append(1 if of_site else int(np.prod(np.asarray(mj.cam_resolution)[i])))
    first = np.full(int(mj.nsensor), -1)
    first[sensors] = np.cumsum([0, *count])[: len(sensors)]
    return np.repeat(sensors, count), np.repeat(np.array(body, int), count), first


def entries_of_rows(mj) -> tuple[list, list, list]:
    """Starts of the rows of the whole symmetric ``M``, and column and address in ``M`` of their entries: a dof's
    ancestors, itself, then the dofs that it is an ancestor of.
    """
    kept = sparsity.inertia(mj)
    at = [(int(i), int(j), k) for k, (i, j) in enumerate(zip(kept.rows, kept.colind, strict=True))]
    rows: list[list] = [[] for _ in range(int(mj.nv))]
    for i, j, k in at:
        rows[i].append((j, k))
        if i != j:
            rows[j].append((i, k))
    flat = [entry for row in rows for entry in sorted(row)]
    return np.cumsum([0, *map(len, rows)]).tolist(), [j for j, _ in flat], [k for _, k in flat]


def derivative_entries(mj) -> tuple[np.ndarray, np.ndarray]:
    """Row and column of the entries of derivatives by velocity; compiled models have them where ``M`` has its own."""
    if hasattr(mj, "D_colind"):
        return np.repeat(np.arange(int(mj.nv)), column(mj, "D_rownnz", "nv")), column(mj, "D_colind", "nv")
    first, columns, _ = entries_of_rows(mj)
    return np.repeat(np.arange(int(mj.nv)), np.diff(first)), np.array(columns, int)


def firsts(counts: list) -> np.ndarray:
    """Starts of runs of these lengths, and the end of the last."""
    return np.cumsum([0, *counts])


def any_number(mj, *names: str) -> bool:
    """Whether any of these numbers of tendons is not zero."""
    return bool(int(mj.ntendon)) and any(np.any(getattr(mj, name, 0)) for name in names)


LISTS: dict[str, tuple[Callable, Any]] = {
    **{
        f"eq_{name}_adr": (where("eq_type", "neq", kind), int)
        for name, kind in {
            "connect": MjtEq.CONNECT,
            "wld": MjtEq.WELD,
            "jnt": MjtEq.JOINT,
            "ten": MjtEq.TENDON,
            "flex": MjtEq.FLEX,
            "flexstrain": MjtEq.FLEXSTRAIN,
        }.items()
    },
    "jnt_limited_slide_hinge_adr": (limited_joints(MjtJoint.SLIDE, MjtJoint.HINGE), int),
    "jnt_limited_ball_adr": (limited_joints(MjtJoint.BALL), int),
    "tendon_limited_adr": (lambda mj: np.flatnonzero(column(mj, "tendon_limited", "ntendon")), int),
    "tendon_jnt_adr": (lambda mj: fixed_tendons(mj)[0], int),
    "wrap_jnt_adr": (lambda mj: fixed_tendons(mj)[1], int),
    "tendon_site_pair_adr": (lambda mj: straight_pairs(mj)[0], int),
    "wrap_site_pair_adr": (lambda mj: straight_pairs(mj)[1], int),
    "tendon_geom_adr": (lambda mj: round_wraps(mj)[0], int),
    "wrap_geom_adr": (lambda mj: round_wraps(mj)[1], int),
    "wrap_site_adr": (where("wrap_type", "nwrap", MjtWrap.SITE), int),
    "ten_wrapnum_site": (site_counts, int),
    "ten_wrapadr_site": (lambda mj: firsts(site_counts(mj)), int),
    "wrap_pulley_scale": (pulley_scales, float),
    "actuator_trntype_body_adr": (where("actuator_trntype", "nu", MjtTrn.BODY), int),
    "mocap_bodyid": (mocap_bodies, int),
    "body_subtreenum": (subtree_sizes, int),
    "body_branches": (lambda mj: sum(branches(mj), []), int),
    "body_branch_start": (lambda mj: firsts([len(path) for path in branches(mj)]), int),
    "body_fluid_ellipsoid": (ellipsoid_bodies, bool),
    "body_fluid_ellipsoid_adr": (lambda mj: np.flatnonzero(ellipsoid_bodies(mj)), int),
    "body_fluid_box_adr": (box_bodies, int),
    **{
        f"sensor_{part}{stage}_adr": (made(MjtStage[stage.upper()]), int)
        for stage in ("pos", "vel", "acc")
        for part, made in {
            "": sensors_of_stage,
            "stage_": lambda kind: sensors_of_stage(kind, all_kinds=True),
            "contact_": lambda kind: sensors_of_stage(kind, only=(MjtSensor.CONTACT,)),
        }.items()
    },
    **{
        f"sensor_limit{name}_adr": (where("sensor_type", "nsensor", *kinds), int)
        for name, kinds in LIMIT_SENSORS.items()
    },
    "sensor_touch_adr": (where("sensor_type", "nsensor", MjtSensor.TOUCH), int),
    "sensor_tendonactfrc_adr": (where("sensor_type", "nsensor", MjtSensor.TENDONACTFRC), int),
    "sensor_rangefinder_adr": (lambda mj: rays(mj)[0], int),
    "sensor_rangefinder_bodyid": (lambda mj: rays(mj)[1], int),
    "rangefinder_sensor_adr": (lambda mj: rays(mj)[2], int),
    "qD_fullm_i": (lambda mj: derivative_entries(mj)[0], int),
    "qD_fullm_j": (lambda mj: derivative_entries(mj)[1], int),
    "M_hinit_i": (lambda mj: sparsity.inertia(mj).rows, int),
    "M_mulm_rowadr": (lambda mj: entries_of_rows(mj)[0], int),
    "M_mulm_col": (lambda mj: entries_of_rows(mj)[1], int),
    "M_mulm_madr": (lambda mj: entries_of_rows(mj)[2], int),
    **{
        f"efm_K_{which}": (lambda mj, which=which: getattr(flex_stiffness_rows.tied_dofs(mj), which), int)
        for which in sparsity.Pattern._fields
    },
    "efm_dofid": (flex_stiffness_rows.triples, int),
    "flex_simple": (
        lambda mj: [flex_stiffness_rows.is_simple(mj, f) for f in range(int(getattr(mj, "nflex", 0)))],
        bool,
    ),
}
"""Arrays of one row per thing: functions of the host model, and types."""
NUMBERS: dict[str, Callable] = {
    "nacttrnbody": lambda mj: len(LISTS["actuator_trntype_body_adr"][0](mj)),
    "nrangefinder": lambda mj: len(rays(mj)[0]),
    "nbranch": lambda mj: len(branches(mj)),
    "neq_flexstrain": lambda mj: len(LISTS["eq_flexstrain_adr"][0](mj)),
    "nmaxcondim": largest_condim,
    "nmaxpyramid": lambda mj: max(1, 2 * (largest_condim(mj) - 1)),
    "max_ten_J_rownnz": lambda mj: int(max(sparsity.tendons(mj).rownnz, default=0)),
    "nefmK": lambda mj: len(flex_stiffness_rows.tied_dofs(mj).colind),
    "nefmdof": lambda mj: len(flex_stiffness_rows.triples(mj)),
    "has_non_simple_flex": flex_stiffness_rows.has_general_flex,
    "has_plane_geom": lambda mj: bool((column(mj, "geom_type", "ngeom") == MjtGeom.PLANE).any()),
    "has_ellipsoid_geom": lambda mj: bool((column(mj, "geom_type", "ngeom") == MjtGeom.ELLIPSOID).any()),
    "has_tendon_stiffness": lambda mj: any_number(mj, "tendon_stiffness", "tendon_stiffnesspoly"),
    "has_tendon_damping": lambda mj: any_number(mj, "tendon_damping", "tendon_dampingpoly"),
    **{
        f"has_{dim}d_flex": lambda mj, dim=dim: bool((np.asarray(getattr(mj, "flex_dim", ())) == dim).any())
        for dim in (1, 2, 3)
    },
    "sensor_e_potential": has_sensor(MjtSensor.E_POTENTIAL),
    "sensor_e_kinetic": has_sensor(MjtSensor.E_KINETIC),
    "sensor_subtree_vel": has_sensor(*OF_MOMENTA),
    "sensor_rne_postconstraint": has_sensor(*OF_BODY_FORCES),
}
"""Sizes and switches: functions of the host model."""
