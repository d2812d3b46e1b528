"""Contact override (flag ``override``): all contacts get the option's margin, solref, solimp and friction."""

import numpy as np

from newtonlite.core.mujoco import MjtEnableBit


def derive(mj) -> dict:
    """Parameters of geoms, flexes and pairs, such that any mixture of them is the option's; margins of two sides add up."""
    opt = mj.opt
    friction = np.asarray(getattr(opt, "o_friction", (1.0, 1.0, 0.005, 0.0001, 0.0001)), float)
    if not int(opt.enableflags) & MjtEnableBit.OVERRIDE:
        return {"noverride": 0, "opt_o_friction": friction}
    values = {"noverride": 1, "opt_o_friction": friction}
    for kind, share in (("geom", 0.5), ("flex", 0.5), ("pair", 1.0)):
        count = int(getattr(mj, f"n{kind}", 0))
        values[f"{kind}_margin"] = np.full(count, share * opt.o_margin)
        values[f"{kind}_solref"] = np.tile(opt.o_solref, (count, 1))
        values[f"{kind}_solimp"] = np.tile(opt.o_solimp, (count, 1))
    values["pair_solreffriction"] = np.tile(opt.o_solref, (int(mj.npair), 1))
    return values
