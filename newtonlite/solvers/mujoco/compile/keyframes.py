"""Keyframes, kept for export and for reset."""

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtJoint
from newtonlite.math.quat import normalized, product, rotate, to_wxyz
from newtonlite.math.transform import IDENTITY
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.worlds import Worlds
from newtonlite.solvers.mujoco.derive.passive import plastic_springs

NUMBERS = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat", "plastic")
SPLIT = ";"
"""Between the numbers of joints and those of tendons, where a keyframe has both."""


def compile_keyframes(m: CompiledModel, w: Worlds) -> None:
    """Fill the keyframe arrays. A keyframe leaves out what stays as in the reference pose."""
    m.nplastic = plastic_springs(m)["nplastic"]
    m.nkey = w.size("mujoco:key") if w.has("mujoco:key_time") else 0
    m.names_key = w.first_labels("mujoco:key_label", "mujoco:key") if m.nkey else []
    m.set(key_time=w.first("mujoco:key_time") if m.nkey else np.zeros(0))
    for name in NUMBERS:
        missing = reference(m, name)
        texts = w.first_labels(f"mujoco:key_{name}", "mujoco:key") if m.nkey else []
        rows = [filled(m, w, name, k, text.rpartition("/")[2], missing) for k, text in enumerate(texts)]
        m.set(**{f"key_{name}": normalize_quaternions(m, name, np.array(rows, float).reshape(m.nkey, len(missing)))})


def filled(m: CompiledModel, w: Worlds, name: str, k: int, text: str, missing) -> np.ndarray:
    """The numbers of keyframe ``k`` where its file's things have them, those it leaves out from the reference."""
    out = np.array(missing, float)
    for part, kind in zip(text.split(SPLIT), (name, "bands"), strict=False):
        numbers, at = part.split(), start_of(m, w, kind, k)
        if at + len(numbers) > len(out):
            where = m.names_key[k] or k
            raise ModelError(
                f"keyframe '{where}': its {name} has {len(numbers)} numbers where the model has {len(out) - at}; keep all of its file, or remove it"
            )
        given = slice(at, at + len(numbers))
        out[given] = np.array(numbers, float)
        place_keyframe(m, w, name, k, out, given)
    return out


def place_keyframe(m: CompiledModel, w: Worlds, name: str, k: int, out: np.ndarray, given: slice) -> None:
    """Put what a keyframe says of floating and mocap bodies where its file's world is placed; in place."""
    X = w.first("mujoco:key_xform")[k].astype(float) if w.has("mujoco:key_xform") else IDENTITY
    if (X == IDENTITY).all():
        return
    free = m.jnt_type == MjtJoint.FREE
    starts = {
        "qpos": m.jnt_qposadr[free],
        "qvel": m.jnt_dofadr[free],
        "mpos": range(0, 3 * m.nmocap, 3),
        "mquat": range(0, 4 * m.nmocap, 4),
    }
    turn = to_wxyz(X[3:])
    for adr in starts.get(name, ()):
        if not given.start <= adr < given.stop:
            continue
        if name in ("qpos", "mpos"):
            out[adr : adr + 3] = X[:3] + rotate(turn, out[adr : adr + 3])
        if name == "qvel":
            out[adr : adr + 3] = rotate(turn, out[adr : adr + 3])
        if name in ("qpos", "mquat"):
            quat = slice(adr + 3, adr + 7) if name == "qpos" else slice(adr, adr + 4)
            out[quat] = product(turn, out[quat])


def start_of(m: CompiledModel, w: Worlds, name: str, k: int) -> int:
    """First number of keyframe ``k``: at the first dof, mocap body, actuator or tendon of its file."""
    kinds = {"q": ("dof", "dof"), "p": ("dof", "dof"), "m": ("body", "body"), "b": ("mujoco:tendon", "tendon")}
    kind, what = kinds.get(name[0], ("mujoco:actuator", "actuator"))
    row = int(w.local(kind, w.first(f"mujoco:key_{what}")[k])) if w.has(f"mujoco:key_{what}") else -1
    if name == "bands":
        adr = plastic_springs(m)["tendon_plasticadr"]
        return first_of(adr[np.asarray(m.newton_tendon) >= max(row, 0)], len(reference(m, "plastic")))
    if row < 0:
        return 0
    if name == "plastic":
        joints = np.asarray(m.newton_dof)[m.jnt_dofadr] >= row
        return first_of(plastic_springs(m)["jnt_plasticadr"][joints], len(reference(m, "plastic")))
    if what == "dof":
        dof = int(np.flatnonzero(m.newton_dof >= row)[0])
        return dof if name == "qvel" else int(m.jnt_qposadr[m.dof_jntid[dof]])
    if what == "body":
        numbers = m.body_mocapid[(np.asarray(m.newton_body) >= row) & (m.body_mocapid >= 0)]
        return int(numbers.min(initial=m.nmocap)) % max(1, m.nmocap) * (3 if name == "mpos" else 4)
    own = np.flatnonzero(m.newton_actuator >= row)
    places = (m.actuator_ctrladr if name == "ctrl" else m.actuator_actadr)[own]
    return int(places[places >= 0].min(initial=len(reference(m, name)))) if len(own) else 0


def first_of(addresses, missing: int) -> int:
    """The least address that there is; -1 stands for none."""
    return int(addresses[addresses >= 0].min(initial=missing))


def reference(m: CompiledModel, name: str) -> np.ndarray:
    """Default values of a keyframe."""
    mocap = np.argsort(m.body_mocapid, kind="stable")[m.nbody - m.nmocap :]
    pos, quat, qpos0 = first_world(m.body_pos, 2), first_world(m.body_quat, 2), first_world(m.qpos0, 1)
    return {
        "qpos": qpos0,
        "qvel": np.zeros(m.nv),
        "act": np.zeros(m.na),
        "ctrl": np.zeros(m.nu),
        "mpos": pos[mocap].ravel(),
        "mquat": quat[mocap].ravel(),
        "plastic": first_world(plastic_springs(m)["plastic0"], 1),
    }[name]


def first_world(values, rank: int) -> np.ndarray:
    """One world's values of a field that may have a world dimension."""
    return values if values.ndim == rank else values[0]


def normalize_quaternions(m: CompiledModel, name: str, rows) -> np.ndarray:
    """The rows with their quaternions normalised."""
    quats = {
        "qpos": m.jnt_qposadr[m.jnt_type == MjtJoint.BALL].tolist()
        + (m.jnt_qposadr[m.jnt_type == MjtJoint.FREE] + 3).tolist()
    }
    quats["mquat"] = range(0, 4 * m.nmocap, 4)
    if name == "plastic":
        adr = np.asarray(plastic_springs(m)["jnt_plasticadr"])
        quats["plastic"] = adr[(adr >= 0) & (m.jnt_type == MjtJoint.BALL)]
    for adr in quats.get(name, ()):
        rows[:, adr : adr + 4] = normalized(rows[:, adr : adr + 4])
    return rows
