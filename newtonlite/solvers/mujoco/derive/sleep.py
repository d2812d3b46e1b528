"""Sleep tables: kinematic trees of each object, and which trees start asleep."""

import numpy as np

from newtonlite.core.mujoco import (
    MjtBias,
    MjtDisableBit,
    MjtEnableBit,
    MjtEq,
    MjtGain,
    MjtIntegrator,
    MjtObj,
    MjtSensor,
    MjtSleepPolicy,
    MjtSolver,
    MjtTrn,
    MjtWrap,
)
from newtonlite.solvers.mujoco.derive.actuator import pushed_dofs
from newtonlite.solvers.mujoco.derive.coupling import couplings, elastic_partners, is_coupled, is_elastic, soft
from newtonlite.solvers.mujoco.derive.flex_equality import KINDS as FLEX_EQUALITIES
from newtonlite.solvers.mujoco.derive.flex_equality import tied_trees
from newtonlite.solvers.mujoco.derive.ipc import keeps_apart
from newtonlite.solvers.mujoco.derive.ragged import flattened, starts
from newtonlite.solvers.mujoco.iteration_limits import cuts_short

AWAKE = -11
"""``tree_asleep`` of a tree that has just moved: it has to rest for ten steps."""
NEVER = -2
"""In place of a tree: something that never sleeps."""
WATCHFUL = {
    MjtSensor.RANGEFINDER,
    MjtSensor.CLOCK,
    MjtSensor.E_POTENTIAL,
    MjtSensor.E_KINETIC,
    MjtSensor.USER,
    MjtSensor.PLUGIN,
}


def derive(mj) -> dict:
    """Trees by equality, tendon, actuator and sensor; ``tree_asleep`` at the start; sizes, which are 0 where nothing
    sleeps.
    """
    ntree = int(mj.ntree)
    on = bool(int(mj.opt.enableflags) & MjtEnableBit.SLEEP) and ntree > 0
    policy = np.array(getattr(mj, "tree_sleep_policy", np.zeros(ntree)), int)
    policy[free_flex_trees(mj)] = MjtSleepPolicy.AUTO_NEVER
    # with RK4 what starts asleep sleeps until it is woken, and nothing else does
    if int(mj.opt.integrator) == MjtIntegrator.RK4:
        on = on and bool((policy == MjtSleepPolicy.INIT).any())
    carriers = [flex_bodies(mj, f) for f in range(int(getattr(mj, "nflex", 0)))] if on else []
    return {
        "nsleep": int(on),
        "flexsleep_body": flattened(carriers),
        "flexsleep_adr": starts(carriers),
        "nsleepflexbody": sum(map(len, carriers)),
        "nsleepflex1": len(carriers) + 1,
        "nsleeptree": ntree if on else 0,
        "tree_partner": elastic_partners(mj),
        "drive_tree": np.array(driven_trees(mj), int).reshape(-1, 2),
        "ndrivetree": len(driven_trees(mj)),
        "nsleepq": int(mj.nq) if on else 0,
        "nsleepbody": int(mj.nbody) if on else 0,
        "tree_sleep_policy": policy,
        "tree_asleep0": initial_sleep(policy)[: ntree if on else 0],
        "sleep_fresh0": np.array([int((policy == MjtSleepPolicy.INIT).any())])[: int(on)],
        "dof_length": np.asarray(getattr(mj, "dof_length", np.ones(int(mj.nv)))),
        "eq_tree": _pairs([_of_equality(mj, k) for k in range(int(mj.neq))]),
        "tendon_tree": _pairs([_of_tendon(mj, t) for t in range(int(mj.ntendon))]),
        "actuator_tree": _pairs([of_actuator(mj, u) for u in range(_count(mj, "actuator_trntype"))]),
        "sensor_tree": np.array([_of_sensor(mj, s) for s in range(int(getattr(mj, "nsensor", 0)))], int).reshape(-1, 4),
    }


def island_sizes(mj, kind: str) -> dict:
    """Sizes of solvers that go island by island: where MuJoCo's results depend on it, and on a ``"cpu"`` also where they
    do not.
    """
    ntree, disabled = int(mj.ntree), bool(int(mj.opt.disableflags) & MjtDisableBit.ISLAND)
    seen = bool(
        mj.opt.solver == MjtSolver.PGS
        or mj.opt.noslip_iterations
        or cuts_short(mj.opt.iterations, mj.opt.ls_iterations)
    )
    coupled = soft(mj) if seen else couplings(mj)
    apart = (
        ntree if ntree > 1 and not coupled and not keeps_apart(mj) and (not disabled if seen else kind == "cpu") else 0
    )
    return {"nislandtree": apart, "nislandtree1": apart + 1}


def driven_trees(mj) -> list:
    """Pairs of trees that tendons and actuators tie under the integrator discrete: those whose force follows length or speed,
    whether it does so at the moment or not.
    """
    if not is_coupled(mj):
        return []
    flags = int(mj.opt.disableflags)
    found = [wrapped_trees(mj, t) for t in range(int(mj.ntendon)) if _has_slope(mj, t, flags)]
    for u in range(0 if flags & MjtDisableBit.ACTUATION else _count(mj, "actuator_trntype")):
        if mj.actuator_gaintype[u] != MjtGain.FIXED or mj.actuator_biastype[u] != MjtBias.NONE:
            tendon = mj.actuator_trntype[u] == MjtTrn.TENDON
            by_dofs = {int(mj.dof_treeid[i]) for i in pushed_dofs(mj, u)}
            found.append(sorted(wrapped_trees(mj, int(mj.actuator_trnid[u][0])) if tendon else by_dofs))
    return [pair for trees in found for pair in zip(trees[:-1], trees[1:], strict=True)]


def _has_slope(mj, t: int, flags: int) -> bool:
    """Whether a tendon has a spring or a damper, of its own or of actuators on it, that is enabled."""
    on = (np.asarray(mj.actuator_trntype) == MjtTrn.TENDON) & (np.asarray(mj.actuator_trnid).reshape(-1, 2)[:, 0] == t)
    spring = (mj.tendon_stiffness[t], mj.tendon_stiffnesspoly[t])
    damper = (mj.tendon_damping[t], mj.tendon_dampingpoly[t], mj.actuator_damping[on], mj.actuator_dampingpoly[on])
    enabled = (() if flags & MjtDisableBit.SPRING else spring) + (() if flags & MjtDisableBit.DAMPER else damper)
    return any(np.any(numbers) for numbers in enabled)


def free_flex_trees(mj) -> list:
    """Trees that carry a flex without equality constraints: whatever is asked for, they never sleep, unless the integrator
    discrete ties them by elasticity.
    """
    found = set()
    for f in range(int(getattr(mj, "nflex", 0))):
        if not mj.flex_edgeequality[f] and not (is_coupled(mj) and is_elastic(mj, f)):
            found |= {int(mj.body_treeid[b]) for b in flex_bodies(mj, f)}
    return sorted(t for t in found if t >= 0)


def flex_bodies(mj, f: int) -> list:
    """Bodies that carry a flex, each once, but for those that never move."""
    found = set()
    for part, bodies in (("vert", mj.flex_vertbodyid), ("node", mj.flex_nodebodyid)):
        first = int(getattr(mj, f"flex_{part}adr")[f])
        end = first + int(getattr(mj, f"flex_{part}num")[f])
        found |= {int(b) for b in np.asarray(bodies)[max(first, 0) : end] if b >= 0}
    return sorted(b for b in found if _of_body(mj, b))


def initial_sleep(policy) -> np.ndarray:
    """``tree_asleep`` of a reset: trees with the policy init sleep, each by itself until the first step has found their
    islands.

    Where there are some, all others that may sleep have rested for a step already, as in MuJoCo.
    """
    start = np.full(len(policy), AWAKE)
    init = policy == MjtSleepPolicy.INIT
    if init.any():
        start[~np.isin(policy, (MjtSleepPolicy.AUTO_NEVER, MjtSleepPolicy.NEVER))] = AWAKE + 1
        start[init] = np.flatnonzero(init)
    return start


def _count(mj, name: str) -> int:
    return len(np.atleast_1d(getattr(mj, name, ())))


def _pairs(rows: list) -> np.ndarray:
    return np.array([(list(row) + [-1, -1])[:2] for row in rows], int).reshape(-1, 2)


def _of_body(mj, b: int) -> list:
    """The tree of a body; of a mocap body and what is fixed to it, NEVER; of a static one, none."""
    if mj.body_treeid[b] >= 0:
        return [int(mj.body_treeid[b])]
    return [NEVER] if mj.body_mocapid[mj.body_rootid[b]] >= 0 else []


def wrapped_trees(mj, t: int) -> list:
    """Trees on the path of a tendon, in their order there."""
    bodies = []
    for w in range(int(mj.tendon_adr[t]), int(mj.tendon_adr[t]) + int(mj.tendon_num[t])):
        kind, id = int(mj.wrap_type[w]), int(mj.wrap_objid[w])
        if kind == MjtWrap.JOINT:
            bodies.append(mj.jnt_bodyid[id])
        elif kind == MjtWrap.SITE:
            bodies.append(mj.site_bodyid[id])
        elif kind in (MjtWrap.SPHERE, MjtWrap.CYLINDER):
            bodies.append(mj.geom_bodyid[id])
    trees = [int(mj.body_treeid[b]) for b in bodies]
    return list(dict.fromkeys(t for t in trees if t >= 0))


def _of_tendon(mj, t: int) -> list:
    trees = wrapped_trees(mj, t)
    return trees if len(trees) <= 2 else [NEVER]


def _of_equality(mj, k: int) -> list:
    one, two = int(mj.eq_obj1id[k]), int(mj.eq_obj2id[k])
    kind = int(mj.eq_type[k])
    if kind in FLEX_EQUALITIES:
        return tied_trees(mj, k)
    if kind in (MjtEq.CONNECT, MjtEq.WELD):
        bodies = mj.site_bodyid if mj.eq_objtype[k] == MjtObj.SITE else np.arange(int(mj.nbody))
        ends = [_of_body(mj, int(bodies[one])), _of_body(mj, int(bodies[two]))]
    elif kind == MjtEq.JOINT:
        ends = [_of_body(mj, int(mj.jnt_bodyid[j])) if j >= 0 else [] for j in (one, two)]
    else:
        return [NEVER]
    return [(end or [-1])[0] for end in ends]


def of_actuator(mj, u: int) -> list:
    """Trees that an actuator acts on."""
    kind, ids = int(mj.actuator_trntype[u]), [int(i) for i in np.asarray(mj.actuator_trnid)[u]]
    if kind in (MjtTrn.JOINT, MjtTrn.JOINTINPARENT) or kind == MjtTrn.SO3 and ids[1] < 0:
        return _of_body(mj, int(mj.jnt_bodyid[ids[0]]))
    if kind == MjtTrn.TENDON:
        return _of_tendon(mj, ids[0])
    if kind == MjtTrn.BODY:
        return _of_body(mj, ids[0])
    # a site and the one that it is moved against, a crank and its slider
    return [tree for s in ids if s >= 0 for tree in _of_body(mj, int(mj.site_bodyid[s]))]


def _of_object(mj, kind: int, id: int) -> list | None:
    """Trees of what a sensor looks at; None for nothing in particular."""
    bodies = {
        MjtObj.JOINT: "jnt_bodyid",
        MjtObj.SITE: "site_bodyid",
        MjtObj.GEOM: "geom_bodyid",
        MjtObj.CAMERA: "cam_bodyid",
    }
    if kind == MjtObj.UNKNOWN or id < 0:
        return None
    if kind in (MjtObj.BODY, MjtObj.XBODY):
        return _of_body(mj, id)
    if kind in bodies:
        return _of_body(mj, int(getattr(mj, bodies[kind])[id]))
    if kind == MjtObj.TENDON:
        return _of_tendon(mj, id)
    if kind == MjtObj.ACTUATOR:
        return of_actuator(mj, id)
    return [NEVER]


def _of_sensor(mj, s: int) -> list:
    """Trees without which a sensor rests; NEVER where it always measures."""
    kind = int(mj.sensor_type[s])
    ends = [(int(mj.sensor_objtype[s]), int(mj.sensor_objid[s])), (int(mj.sensor_reftype[s]), int(mj.sensor_refid[s]))]
    zone = kind == MjtSensor.CONTACT and any(k == MjtObj.SITE for k, _ in ends)
    if kind in WATCHFUL or zone:
        return [NEVER, -1, -1, -1]
    found = [trees for trees in (_of_object(mj, *end) for end in ends) if trees is not None]
    trees = [tree for end in found for tree in end] if found else [NEVER]
    return (trees + [-1] * 4)[:4]
