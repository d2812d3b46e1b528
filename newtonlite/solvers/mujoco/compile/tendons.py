"""Tendons of the ``mujoco`` namespace: fixed ones over joints, spatial ones over sites, geoms and pulleys.

A tendon that MuJoCo's compiler would refuse is left out with a warning, and so is what acts on it.
"""

import warnings

import numpy as np

from newtonlite.core.enums import TendonWrap
from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.core.mujoco import MjtGeom, MjtJoint, MjtLimited, MjtWrap
from newtonlite.solvers.mujoco.bindings import tendon
from newtonlite.solvers.mujoco.bindings.table import fill_fields
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.worlds import Worlds

WRAPPED = {MjtGeom.SPHERE: MjtWrap.SPHERE, MjtGeom.CYLINDER: MjtWrap.CYLINDER}
T = "mujoco:tendon_"


def compile_tendons(m: CompiledModel, w: Worlds) -> None:
    """Fill the tendon and wrap arrays; ``newton_tendon`` are the rows of the tendons that are kept."""
    paths = list_paths(m, w) if w.has(T + "type") or w.has(T + "joint_num") else {}
    m.ntendon = len(paths)
    m.newton_tendon = np.array(list(paths), np.int32)
    names = w.first_labels(T + "label", "mujoco:tendon") if paths else []
    m.names_tendon = [str(names[t]) for t in paths]
    num = np.array([len(path) for path in paths.values()], int)
    steps = [step for path in paths.values() for step in path]
    m.set(tendon_type=np.array([path[0][0] != MjtWrap.JOINT for path in paths.values()], np.int32))
    m.nwrap = len(steps)
    m.set(tendon_num=num, tendon_adr=np.cumsum(num) - num)
    m.set(wrap_type=np.array([s[0] for s in steps], int), wrap_objid=np.array([s[1] for s in steps], int))
    m.set(
        wrap_prm=np.array([0.0 if isinstance(s[2], tuple) else float(s[2]) for s in steps]),
        newton_coef=sources_of(steps, "coef"),
        newton_pulley=sources_of(steps, "wrap_prm"),
    )
    limited, clamped = limits(m, w, "limited", "range"), limits(m, w, "actuator_force_limited", "actuator_force_range")
    m.set(tendon_limited=limited, tendon_actfrclimited=clamped)
    tendon_looks(m, w)
    fill_fields(m, w, tendon.BINDS)
    m.set(**tendon.spring_lengths_np(m, w))
    asked = (m.tendon_lengthspring == -1).all(-1)
    m.set(tendon_slack=asked.all(axis=tuple(range(asked.ndim - 1))))


def tendon_looks(m: CompiledModel, w: Worlds) -> None:
    """Groups, widths and colours, for pictures."""
    for name, default in {"group": 0, "width": 0.003, "rgba": (0.5, 0.5, 0.5, 1.0)}.items():
        given = w.first(T + name)[m.newton_tendon] if m.ntendon and w.has(T + name) else None
        m.set(
            **{f"tendon_{name}": np.broadcast_to(default, (m.ntendon, *np.shape(default))) if given is None else given}
        )


def limits(m: CompiledModel, w: Worlds, flag: str, band: str) -> np.ndarray:
    """0 or 1 for each tendon; ``auto`` means limited where the range is not empty."""
    if not m.ntendon:
        return np.zeros(0, int)
    authored, band = w.first(T + flag)[m.newton_tendon], w.first(T + band)[m.newton_tendon]
    return np.where(authored == MjtLimited.AUTO, band[:, 0] < band[:, 1], authored == 1).astype(np.int32)


def list_paths(m: CompiledModel, w: Worlds) -> dict[int, list]:
    """Steps (wrap type, object, source of its number) of each tendon that can be simulated, by the tendon's row."""
    kinds = w.first(T + "type") if w.has(T + "type") else np.zeros(w.size("mujoco:tendon"), int)
    joints, wraps = (w.first(f"{T}{part}_num") if w.has(f"{T}{part}_num") else 0 * kinds for part in ("joint", "wrap"))
    starts = [np.cumsum(num) - num for num in (joints, wraps)]
    armature = np.asarray(w.get_or(T + "armature", 0.0, "mujoco:tendon"))
    found = {}
    for t, kind in enumerate(kinds):
        spatial = int(kind != 0)
        first, count = starts[spatial][t], (joints, wraps)[spatial][t]
        read = string_step if spatial else joint_step
        path = [read(m, w, row) for row in range(first, first + count)]
        fault = find_fault(path, spatial, bool(np.any(armature[..., t])))
        if fault:
            label = w.first_labels(T + "label", "mujoco:tendon")[t] or t
            warnings.warn(f"tendon '{label}': {fault}; the tendon is left out", NewtonWarning, stacklevel=2)
        else:
            found[t] = path
    return found


def joint_step(m: CompiledModel, w: Worlds, row: int) -> tuple:
    """A joint and the row of its coefficient."""
    return MjtWrap.JOINT, scalar_joint(m, w, row), ("coef", row)


def string_step(m: CompiledModel, w: Worlds, row: int) -> tuple:
    """A site, a geom with the site it keeps to (-1: none), or a pulley; the object is None where the scene has none."""
    kind = int(w.cell(T + "wrap_type", row))
    if kind == TendonWrap.PULLEY:
        return MjtWrap.PULLEY, -1, ("wrap_prm", row)
    shape = int(w.local("shape", w.cell(T + "wrap_shape", row)))
    if kind == TendonWrap.SITE:
        return MjtWrap.SITE, shape_index(m.newton_site, shape), 0.0
    geom = shape_index(m.newton_geom, shape)
    side = int(w.local("shape", w.cell(T + "wrap_sidesite", row)))
    around = WRAPPED.get(int(m.geom_type[geom])) if geom is not None else None
    return around, geom, -1.0 if side < 0 else shape_index(m.newton_site, side)


def shape_index(table, shape: int) -> int | None:
    """Number of a shape among sites or geoms."""
    found = np.flatnonzero(np.asarray(table) == shape)
    return int(found[0]) if len(found) and shape >= 0 else None


def find_fault(path: list, spatial: bool, armature: bool) -> str:
    """Reason why MuJoCo's compiler would refuse a path; '' for a good one."""
    kinds = [step[0] for step in path]
    if not path:
        return "it has no path"
    if not spatial:
        return ""
    if any(step[1] is None or step[2] is None for step in path):
        return "its path names a site or geom that is not in the scene"
    if None in kinds:
        return "strings run only around spheres and cylinders"
    if armature and any(kind in (MjtWrap.SPHERE, MjtWrap.CYLINDER) for kind in kinds):
        return "a tendon with armature cannot run around geoms"
    if any(a[:2] == b[:2] and a[0] != MjtWrap.PULLEY for a, b in zip(path, path[1:])):
        return "its path names the same site twice in a row"
    before, after = [MjtWrap.PULLEY, *kinds[:-1]], [*kinds[1:], MjtWrap.PULLEY]
    for last, kind, follower in zip(before, kinds, after, strict=True):
        if kind in (MjtWrap.SPHERE, MjtWrap.CYLINDER) and (last, follower) != (MjtWrap.SITE, MjtWrap.SITE):
            return "a geom on its path is not between two sites"
        if kind == MjtWrap.SITE and (last, follower) == (MjtWrap.PULLEY, MjtWrap.PULLEY):
            return "a site on its path stands alone"
    if kinds[-1] == MjtWrap.PULLEY or (MjtWrap.PULLEY, MjtWrap.PULLEY) in zip(kinds, kinds[1:]):
        return "nothing follows a pulley on its path"
    return ""


def sources_of(steps: list, name: str) -> np.ndarray:
    """Rows that the numbers of steps come from, where it is the attribute ``name``; -1 elsewhere."""
    return np.array([s[2][1] if isinstance(s[2], tuple) and s[2][0] == name else -1 for s in steps], int)


def scalar_joint(m: CompiledModel, w: Worlds, row: int) -> int:
    """The MuJoCo joint that one row of a tendon runs over; it must be a slide or a hinge."""
    joint = int(w.local("joint", w.cell(T + "joint", row)))
    dof = int(w.local("dof", w.cell(T + "joint_dof", row))) if w.has(T + "joint_dof") else -1
    found = np.flatnonzero(m.newton_joint == joint) if dof < 0 else m.dof_jntid[m.newton_dof == dof]
    if not len(found) or m.jnt_type[found[0]] <= MjtJoint.BALL:
        raise ModelError(f"joint '{w.label('joint', joint)}': a fixed tendon needs a revolute or prismatic joint")
    return int(found[0])
