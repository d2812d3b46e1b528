"""Copying the parameters of an engine model that was compiled anew from a changed scene; options stay as they were."""

import numpy as np
import warp as wp

from newtonlite.solvers.mujoco.fields import MODEL

LIVE_OPTION = "opt_gravity"
STRUCTURE = [f.name for f in MODEL if f.role in ("index", "size") and not f.name.startswith("opt_")]
PARAMETERS = [f.name for f in MODEL if f.role == "param" and (not f.name.startswith("opt_") or f.name == LIVE_OPTION)]


def same_structure(a, b) -> bool:
    """Whether two engine models have the same sizes and lists."""
    return all(equal(a, b, name) for name in STRUCTURE)


def equal(a, b, name: str) -> bool:
    """Whether two engine models agree on a size or an index array."""
    if name in a.sizes:
        return a.sizes[name] == b.sizes[name]
    one, two = a.arrays[name], b.arrays[name]
    return one.shape == two.shape and np.array_equal(one.numpy(), two.numpy())


def copy_parameters(m, fresh) -> None:
    """Take over the parameters, in place where they do not become per world only now."""
    for name in PARAMETERS:
        old, new = m.arrays[name], fresh.arrays[name]
        if old.shape == new.shape:
            wp.copy(old, new)
        else:
            values = new.numpy()
            m.set(name, np.broadcast_to(values, (max(len(old), len(values)), *values.shape[1:])))


def take_over(m, fresh) -> None:
    """Take over sizes, lists and parameters; recorded launches are stale afterwards."""
    m.sizes.update({k: v for k, v in fresh.sizes.items() if not k.startswith("opt_")})
    m.arrays.update({k: v for k, v in fresh.arrays.items() if not k.startswith("opt_") or k == LIVE_OPTION})
    m.version += 1
