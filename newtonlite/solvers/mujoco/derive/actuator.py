"""Which actuators push which dofs."""

import numpy as np

from newtonlite.solvers.mujoco.derive.lists import flat, starts
from newtonlite.solvers.mujoco.enums import TRN_TENDON


def derive(mj) -> dict:
    """Actuators by dof, and the leading gain and bias parameters."""
    pushed = [_dofs(mj, u) for u in range(int(mj.nactuator))]
    movers = [[u for u, dofs in enumerate(pushed) if i in dofs] for i in range(int(mj.nv))]
    return {
        "moment_adr": starts(movers),
        "moment_act": flat(movers),
        "nmoment": sum(map(len, movers)),
        "actuator_gainprm": np.asarray(mj.actuator_gainprm)[:, :3],
        "actuator_biasprm": np.asarray(mj.actuator_biasprm)[:, :3],
    }


def _dofs(mj, u: int) -> set:
    """Dofs that actuator ``u`` pushes."""
    target = int(mj.actuator_trnid[u][0])
    if int(mj.actuator_trntype[u]) == TRN_TENDON:
        wraps = range(int(mj.tendon_adr[target]), int(mj.tendon_adr[target]) + int(mj.tendon_num[target]))
        return {int(mj.jnt_dofadr[mj.wrap_objid[k]]) for k in wraps}
    first = int(mj.jnt_dofadr[target])
    return set(range(first, first + (6, 3, 1, 1)[int(mj.jnt_type[target])]))
