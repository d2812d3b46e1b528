"""Actuator lists: the dofs that each actuator pushes, the kind of its law, and its share in the damping and armature of
joints and tendons."""

import numpy as np

from newtonlite.core.mujoco import MjtBias, MjtDyn, MjtGain, MjtJoint, MjtTrn
from newtonlite.core.plugins import attributes_of, parameters
from newtonlite.solvers.mujoco.derive.history import initial_history, resting_controls
from newtonlite.solvers.mujoco.derive.ragged import flattened, starts
from newtonlite.solvers.mujoco.derive.tendon import tendon_dofs

JOINTS, TENDONS = (MjtTrn.JOINT, MjtTrn.JOINTINPARENT), (MjtTrn.TENDON,)


def derive(mj) -> dict:
    """Outputs by dof and dofs by output, kinds of laws, places of activations, and what a reset puts into controls and
    buffers.
    """
    outputs = [u for u in range(int(mj.nactuator)) for _ in range(int(mj.actuator_outnum[u]))]
    pushed = [pushed_dofs(mj, u) for u in outputs]
    movers = [[o for o, dofs in enumerate(pushed) if i in dofs] for i in range(int(mj.nv))]
    rows = np.array([_keeps_row(mj, u) for u in outputs], bool)
    law = [_law(mj, u) for u in range(int(mj.nactuator))]
    circle = [_circle(mj, u) for u in range(int(mj.nactuator))]
    clamped = np.asarray(mj.tendon_actfrclimited, bool)
    return {
        "nout": len(outputs),
        "nout1": len(outputs) + 1,
        "ctrl_actuator": np.repeat(np.arange(int(mj.nactuator)), mj.actuator_ctrlnum),
        "out_actuator": outputs,
        "out_momentrow": np.where(rows, np.cumsum(rows) - 1, -1),
        "nmomentrow": int(rows.sum()),
        "moment_adr": starts(movers),
        "moment_out": flattened(movers),
        "push_adr": starts(pushed),
        "push_dof": flattened(map(sorted, pushed)),
        "nmoment": sum(map(len, movers)),
        "nsharedpush": sum(len({outputs[o] for o in several}) > 1 for several in movers),
        "actuator_law": law,
        "nlaw": int(np.sum(law)),
        "actuator_circle": circle,
        "ncircle": int(np.count_nonzero(circle)),
        "actuator_slot": [_slots(mj, u) for u in range(int(mj.nactuator))],
        "nuserrate": int(mj.na) if np.any(np.asarray(mj.actuator_dyntype) == MjtDyn.USER) else 0,
        "nuserlaw": int(mj.nactuator) if _has_user_law(mj) else 0,
        "ndelay": int(np.count_nonzero(np.asarray(mj.actuator_history).reshape(-1, 2)[:, 0])),
        "ntendonclamp": int(clamped.sum()),
        "actuator_dampratio": getattr(mj, "actuator_dampratio", np.zeros(int(mj.nactuator))),
        "nhistory": int(getattr(mj, "nhistory", 0)),
        "ctrl0": resting_controls(mj),
        "history0": initial_history(mj),
        **_pid_plugins(mj),
        **shares(mj),
    }


def _pid_plugins(mj) -> dict:
    """Gains of the plugins ``mujoco.pid``: kp, ki, kd, the bound of the integral, the greatest rate; -1 for no bound.

    The bound of the integral is that of its force, divided by its gain.
    """
    n = int(mj.nactuator)
    gains, count = np.zeros((n, 5)), 0
    owner = np.asarray(getattr(mj, "actuator_plugin", np.full(n, -1)), int)
    for u in np.flatnonzero(owner >= 0):
        instance = int(mj.actuator_plugin[u])
        kp, ki, kd, imax, slew = parameters(mj, instance)
        given = attributes_of(mj, instance)[1]
        bound = imax / ki if "imax" in given and ki else -1.0
        gains[u] = kp, ki, kd, bound, slew if "slewmax" in given else -1.0
        count += 1
    return {"npid": count, "actuator_pid": gains, "actuator_pluginid": owner}


def _keeps_row(mj, u: int) -> bool:
    return int(mj.actuator_trntype[u]) not in JOINTS + TENDONS


def pushed_dofs(mj, u: int) -> set:
    """Dofs that an output of actuator ``u`` may push."""
    kind, (target, other) = int(mj.actuator_trntype[u]), map(int, mj.actuator_trnid[u])
    if kind == MjtTrn.TENDON:
        return set(tendon_dofs(mj, target))
    if kind == MjtTrn.BODY:
        return set(range(int(mj.nv)))
    if kind in (MjtTrn.SITE, MjtTrn.SLIDERCRANK) or (
        kind == MjtTrn.SO3 and other >= 0
    ):  # orientation servos on sites have a reference site
        sites = [s for s in (target, other) if s >= 0]
        return set().union(*(chain(mj, int(mj.site_bodyid[s])) for s in sites))
    first = int(mj.jnt_dofadr[target])
    return set(range(first, first + (6, 3, 1, 1)[int(mj.jnt_type[target])]))


def chain(mj, body: int) -> set:
    """Dofs that move a body."""
    found = set()
    while body > 0:
        first = int(mj.body_dofadr[body])
        found |= set(range(first, first + int(mj.body_dofnum[body])))
        body = int(mj.body_parentid[body])
    return found


def _law(mj, u: int) -> int:
    """0 for a fixed or affine gain on the control itself, with a bias that is affine or none."""
    simple = (
        mj.actuator_gaintype[u] <= MjtGain.AFFINE
        and mj.actuator_biastype[u] <= MjtBias.AFFINE
        and mj.actuator_dyntype[u] == MjtDyn.NONE
    )
    return 0 if simple and mj.actuator_actnum[u] == 0 and not _has_plugin(mj, u) else 1


def _has_plugin(mj, u: int) -> bool:
    return bool(np.asarray(getattr(mj, "actuator_plugin", np.full(u + 1, -1)))[u] >= 0)


def _has_user_law(mj) -> bool:
    return bool(
        np.any(np.asarray(mj.actuator_gaintype) == MjtGain.USER)
        or np.any(np.asarray(mj.actuator_biastype) == MjtBias.USER)
    )


def _circle(mj, u: int) -> int:
    """Part of the gear that gives the period of a servo's setpoint: turning about a ball joint (1) or between sites
    (2)."""
    gain, bias, kind = (int(getattr(mj, f"actuator_{name}type")[u]) for name in ("gain", "bias", "trn"))
    fixed = gain == MjtGain.FIXED and np.all(
        np.asarray(mj.actuator_gainprm)[..., u, 0] == -np.asarray(mj.actuator_biasprm)[..., u, 1]
    )
    dynamics = int(mj.actuator_dyntype[u])
    known = dynamics <= MjtDyn.FILTEREXACT if gain == MjtGain.FIXED else dynamics in (MjtDyn.NONE, MjtDyn.PID)
    if bias != MjtBias.AFFINE or not known or not (fixed or gain == MjtGain.PID):
        return 0
    target, other = map(int, mj.actuator_trnid[u])
    gear = np.asarray(mj.actuator_gear)[..., int(mj.actuator_outadr[u]), :]
    if kind == MjtTrn.SITE and other >= 0 and not gear[..., :3].any():
        return 2
    return int(kind in (MjtTrn.JOINT, MjtTrn.JOINTINPARENT) and int(mj.jnt_type[target]) == MjtJoint.BALL)


def _slots(mj, u: int) -> list:
    """Addresses of setpoint, integral, temperature, bristle and current of actuator ``u`` among the activations."""
    dyn, gain = np.asarray(mj.actuator_dynprm)[..., u, :], np.asarray(mj.actuator_gainprm)[..., u, :]
    dyn, gain = (x.reshape(-1, x.shape[-1])[0] for x in (dyn, gain))
    kind = int(mj.actuator_dyntype[u])
    if _has_plugin(mj, u):
        place, own = int(mj.actuator_actadr[u]), attributes_of(mj, int(mj.actuator_plugin[u]))[1]
        integral = bool(parameters(mj, int(mj.actuator_plugin[u]))[1])
        return [place + integral if "slewmax" in own else -1, place if integral else -1, -1, -1, -1]
    if kind == MjtDyn.PID:
        there = (dyn[1] > 0, gain[0] > 0, False, False, False)
    elif kind == MjtDyn.DCMOTOR:
        there = (dyn[7] > 0, gain[5] > 0, dyn[2] > 0, dyn[5] > 0, dyn[0] > 0)
    else:
        return [-1] * 5
    place = int(mj.actuator_actadr[u]) + np.cumsum(there) - 1
    return np.where(there, place, -1).tolist()


def shares(mj) -> dict:
    """Damping and armature of joints and tendons together with those of actuators on them, which count with the gear
    squared.

    Arrays may have a leading world dimension. Only fields to which an actuator adds are given.
    """
    total = {}
    for name, of_joint, of_tendon in (
        ("damping", "dof_damping", "tendon_damping"),
        ("dampingpoly", "dof_dampingpoly", "tendon_dampingpoly"),
        ("armature", "dof_armature", "tendon_armature"),
    ):
        own = np.asarray(getattr(mj, f"actuator_{name}", 0.0), float)
        if not own.any():
            continue
        poly = name == "dampingpoly"
        gear = np.asarray(mj.actuator_gear, float)[..., 0]
        for u in range(int(mj.nactuator)):
            weight = gear[..., int(mj.actuator_outadr[u])] ** 2
            share = own[..., u, :] * weight[..., None] if poly else own[..., u] * weight
            where, index = target_of(mj, u, of_joint, of_tendon)
            if where is None or not np.any(share):
                continue
            base = np.asarray(total.get(where, getattr(mj, where)), float)
            world = np.ndim(share) - poly
            if world and base.ndim == 1 + poly:
                base = np.broadcast_to(base, (len(share), *base.shape))
            base = np.array(base)
            if poly:
                base[..., index, :] += share[..., None, :]
            else:
                base[..., index] += share[..., None]
            total[where] = base
    return total


def target_of(mj, u: int, of_joint: str, of_tendon: str):
    """(field, indices) that actuator ``u`` adds its damping or armature to."""
    kind, target = int(mj.actuator_trntype[u]), int(mj.actuator_trnid[u][0])
    if kind in TENDONS:
        return of_tendon, [target]
    if kind in JOINTS:
        return of_joint, sorted(pushed_dofs(mj, u))
    return None, []


def loaded(mj) -> np.ndarray:
    """Whether each actuator has damping or armature, [nactuator]."""
    found = np.zeros(int(mj.nactuator), bool)
    if not len(found):
        return found
    for name, rank in (("damping", 1), ("dampingpoly", 2), ("armature", 1)):
        values = np.asarray(getattr(mj, f"actuator_{name}"), float) != 0
        values = values.any(axis=-1) if rank == 2 else values
        found |= values.reshape(-1, len(found)).any(axis=0) if len(found) else found
    return found
