"""Stiffness and damping in force space, and MuJoCo's (timeconst, dampratio).

A limit or contact that MuJoCo softens by the inverse weight ``w`` of what it holds and by its impedance ``d`` has stiffness
``k / (w (1 - d))``. Scaling the wanted gains by ``w (1 - d)`` makes it ``ke`` [N/m], whatever the masses are.
"""

import numpy as np

DEFAULT_SOLREF = (0.02, 1.0)
DEFAULT_SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
FORCE_SPACE, RAW, MJCF_DEFAULT = range(3)
"""Where a solref comes from: gains, the author's own numbers, or the default of a file that says nothing."""


def solref_from_gains(ke, kd, factor=1.0) -> np.ndarray:
    """(timeconst [s], dampratio) [..., 2] of gains scaled by ``factor``; the default where a gain is not positive.

    Positive on purpose: MuJoCo then bounds timeconst by two time steps, which its direct form (negative) would evade.
    """
    ke, kd, factor = np.broadcast_arrays(ke, kd, factor)
    usable = (ke > 0) & (kd > 0) & (factor > 0)
    k, b = np.where(usable, ke * factor, 1.0), np.where(usable, kd * factor, 1.0)
    solref = np.stack([2.0 / b, b / (2.0 * np.sqrt(k))], axis=-1)
    return np.where(usable[..., None], solref, DEFAULT_SOLREF)


def limit_solref(w, m, first) -> np.ndarray:
    """``jnt_solref`` [..., njnt, 2]; needs ``dof_invweight0``. ``first`` is the first Newton dof of each joint.

    Joints of files that say nothing keep the default until someone changes their gains.
    """
    ke, kd = w.get("joint_limit_ke")[..., first], w.get("joint_limit_kd")[..., first]
    mode = w.get_or("mujoco:solreflimit_mode", FORCE_SPACE, "dof")[..., first]
    raw = w.get_or("mujoco:solreflimit", (0.0, 0.0), "dof")[..., first, :]
    baseline = w.get_or("mujoco:solreflimit_gain_baseline", (-np.inf, -np.inf), "dof")[..., first, :]
    untouched = (ke == baseline[..., 0]) & (kd == baseline[..., 1])
    factor = m.dof_invweight0[..., m.jnt_dofadr] * (1.0 - m.jnt_solimp[..., 1])
    gains = solref_from_gains(ke, kd, factor)
    gains = np.where(((mode == MJCF_DEFAULT) & untouched)[..., None], DEFAULT_SOLREF, gains)
    return np.where((mode == RAW)[..., None], raw, gains)


def tendon_limit_solref(w, m) -> np.ndarray:
    """``tendon_solref_lim`` [..., ntendon, 2]; needs ``tendon_invweight0``. Gains [N/m, N s/m] count where the mode is FORCE_SPACE."""
    if not m.ntendon:
        return m.tendon_solref_lim
    kept = m.newton_tendon
    mode = w.get_or("mujoco:tendon_solref_limit_mode", RAW, "mujoco:tendon")[..., kept]
    ke, kd = (w.get_or(f"mujoco:tendon_limit_{name}", 0.0, "mujoco:tendon")[..., kept] for name in ("ke", "kd"))
    factor = m.tendon_invweight0 * (1.0 - m.tendon_solimp_lim[..., 1])
    gains = solref_from_gains(ke, kd, factor)
    return np.where((mode == FORCE_SPACE)[..., None], gains, m.tendon_solref_lim)


def shape_solref(w, shapes) -> np.ndarray:
    """``geom_solref`` [..., ngeom, 2]: the author's numbers where RAW, else from the shape's gains, unscaled."""
    mode = w.get_or("mujoco:solref_mode", MJCF_DEFAULT, "shape")[..., shapes]
    raw = w.get_or("mujoco:solref", (0.0, 0.0), "shape")[..., shapes, :]
    ke, kd = w.get("shape_material_ke")[..., shapes], w.get("shape_material_kd")[..., shapes]
    return np.where((mode == RAW)[..., None], raw, solref_from_gains(ke, kd))


def shape_gains(w, shapes) -> np.ndarray:
    """``geom_gains`` [..., ngeom, 3]: stiffness [N/m], damping [N s/m], and 1 where a shape's gains are forces per displacement."""
    mode = w.get_or("mujoco:solref_mode", MJCF_DEFAULT, "shape")[..., shapes]
    ke, kd = w.get("shape_material_ke")[..., shapes], w.get("shape_material_kd")[..., shapes]
    return np.stack(np.broadcast_arrays(ke, kd, mode == FORCE_SPACE), axis=-1).astype(float)
