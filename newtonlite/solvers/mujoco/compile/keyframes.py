"""Keyframes, kept for export and for reset."""

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtJoint
from newtonlite.math.rotation import normalized
from newtonlite.solvers.mujoco.compile.worlds import Worlds

NUMBERS = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat")


def compile_keyframes(m, w: Worlds) -> None:
    """Fill the keyframe arrays. A keyframe leaves out what stays as in the reference pose."""
    m.nkey = w.size("mujoco:key") if w.has("mujoco:key_time") else 0
    m.names_key = w.first_labels("mujoco:key_label", "mujoco:key") if m.nkey else []
    m.set(key_time=w.first("mujoco:key_time") if m.nkey else np.zeros(0))
    for name in NUMBERS:
        missing = reference(m, name)
        texts = w.first_labels(f"mujoco:key_{name}", "mujoco:key") if m.nkey else []
        rows = [filled(m, w, name, k, text.rpartition("/")[2].split(), missing) for k, text in enumerate(texts)]
        m.set(**{f"key_{name}": unit(m, name, np.array(rows, float).reshape(m.nkey, len(missing)))})


def filled(m, w: Worlds, name: str, k: int, numbers: list[str], missing) -> np.ndarray:
    """The numbers of keyframe ``k`` where its file's things have them, those it leaves out from the reference."""
    out, at = np.array(missing, float), start_of(m, w, name, k)
    if at + len(numbers) > len(out):
        where = m.names_key[k] or k
        raise ModelError(
            f"keyframe '{where}': its {name} has {len(numbers)} numbers where the model has {len(out) - at}; keep all of its file, or remove it"
        )
    out[at : at + len(numbers)] = np.array(numbers, float)
    return out


def start_of(m, w: Worlds, name: str, k: int) -> int:
    """First number of keyframe ``k``: at the first dof, mocap body or actuator of its file."""
    kind, what = {"q": ("dof", "dof"), "m": ("body", "body")}.get(name[0], ("mujoco:actuator", "actuator"))
    row = int(w.local(kind, w.first(f"mujoco:key_{what}")[k])) if w.has(f"mujoco:key_{what}") else -1
    if row < 0:
        return 0
    if what == "dof":
        dof = int(np.flatnonzero(m.newton_dof >= row)[0])
        return dof if name == "qvel" else int(m.jnt_qposadr[m.dof_jntid[dof]])
    if what == "body":
        numbers = m.body_mocapid[(np.asarray(m.newton_body) >= row) & (m.body_mocapid >= 0)]
        return int(numbers.min(initial=m.nmocap)) % max(1, m.nmocap) * (3 if name == "mpos" else 4)
    own = np.flatnonzero(m.newton_actuator >= row)
    places = (m.actuator_ctrladr if name == "ctrl" else m.actuator_actadr)[own]
    return int(places[places >= 0].min(initial=len(reference(m, name)))) if len(own) else 0


def reference(m, name: str) -> np.ndarray:
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
    }[name]


def first_world(values, rank: int) -> np.ndarray:
    """One world's values of a field that may have a world dimension."""
    return values if values.ndim == rank else values[0]


def unit(m, name: str, rows) -> np.ndarray:
    """The rows with their quaternions normalised."""
    quats = {
        "qpos": m.jnt_qposadr[m.jnt_type == MjtJoint.BALL].tolist()
        + (m.jnt_qposadr[m.jnt_type == MjtJoint.FREE] + 3).tolist()
    }
    quats["mquat"] = range(0, 4 * m.nmocap, 4)
    for adr in quats.get(name, ()):
        rows[:, adr : adr + 4] = normalized(rows[:, adr : adr + 4])
    return rows
