"""Sleep policy of kinematic trees."""

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtSleepPolicy
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.tree import BodyTree
from newtonlite.solvers.mujoco.compile.worlds import Worlds
from newtonlite.solvers.mujoco.derive.sleep import of_actuator, wrapped_trees


def compile_sleep(m: CompiledModel, w: Worlds, tree: BodyTree) -> None:
    """``tree_sleep_policy``: what the first bodies of trees say; where they leave it open, trees with actuators and
    stiff ties never sleep.

    Raises ModelError for a policy on a body that is not the first of a tree, and for sleep where a tendon forbids it.
    """
    authored = np.zeros(m.nbody, int)
    if w.has("mujoco:sleep_policy"):
        authored[1:] = w.first("mujoco:sleep_policy")[tree.body[1:]]
    for b in np.flatnonzero(authored):
        if b not in m.tree_bodyadr:
            raise ModelError(f"{m.name('body', b)}: sleep is for the first body of a tree that moves; remove it here")
    policy = authored[m.tree_bodyadr] if m.ntree else np.zeros(0, int)
    left_open = set(np.flatnonzero(policy == MjtSleepPolicy.AUTO).tolist())
    for u in range(len(m.actuator_trntype)):
        if not left_open:
            break
        for t in left_open.intersection(of_actuator(m, u)):
            policy[t] = MjtSleepPolicy.AUTO_NEVER
            left_open.remove(t)
    for k in range(m.ntendon):
        _keep_tied_awake(m, k, policy)
    for t in loose_trees(m):
        if policy[t] == MjtSleepPolicy.AUTO:
            policy[t] = MjtSleepPolicy.AUTO_NEVER
    policy[policy == MjtSleepPolicy.AUTO] = MjtSleepPolicy.AUTO_ALLOWED
    m.tree_sleep_policy = policy.astype(np.int32)


def loose_trees(m) -> list[int]:
    """Trees that carry points or nodes of flexes which no constraint and no elasticity moves: those never sleep."""
    found = []
    for f in range(m.nflex):
        idle = m.flex_dim[f] == 2 and not m.flex_interp[f] and not m.flex_elastic2d[f]
        elastic = (m.flex_stiffnessadr[f] >= 0 and not idle) or m.flex_bendingadr[f] >= 0
        if (m.flex_edgeequality[f] or elastic) and not m.flex_rigid[f]:
            continue
        kind = "node" if m.flex_interp[f] else "vert"
        first, count = int(getattr(m, f"flex_{kind}adr")[f]), int(getattr(m, f"flex_{kind}num")[f])
        found += m.body_treeid[getattr(m, f"flex_{kind}bodyid")[first : first + count]].tolist()
    return sorted({t for t in found if t >= 0})


def _keep_tied_awake(m, k: int, policy) -> None:
    """Trees that a spring or damper between them, or a tendon over more than two, ties never sleep."""
    trees = wrapped_trees(m, k)
    stiff = bool(np.any(m.tendon_stiffness[..., k]) or np.any(m.tendon_damping[..., k]))
    if len(trees) < 2 or (len(trees) == 2 and not stiff):
        return
    for t in trees:
        if policy[t] in (MjtSleepPolicy.ALLOWED, MjtSleepPolicy.INIT):
            what = "which spans more than two trees" if len(trees) > 2 else "which has stiffness or damping"
            raise ModelError(
                f"{m.name('body', m.tree_bodyadr[t])}: sleep is not possible with {m.name('tendon', k)}, {what}; remove one"
            )
        if policy[t] == MjtSleepPolicy.AUTO:
            policy[t] = MjtSleepPolicy.AUTO_NEVER
