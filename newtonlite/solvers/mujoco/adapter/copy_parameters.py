"""Copying the parameters of an engine model that was compiled anew from a changed scene; options stay as they were."""

import numpy as np
import warp as wp

from newtonlite.solvers.mujoco.derive.keep_features import FEATURE_PARAMETERS
from newtonlite.solvers.mujoco.fields import MODEL

OPTIONS = [f for f in MODEL if f.name.startswith("opt_")]
LIVE_OPTION = "opt_gravity"
STRUCTURE = [f.name for f in MODEL if f.role in ("index", "size") and not f.name.startswith("opt_")]
PARAMETERS = [f.name for f in MODEL if f.role == "param" and (not f.name.startswith("opt_") or f.name == LIVE_OPTION)]


REAL_OPTIONS = [f.name for f in OPTIONS if f.role == "param"]


def set_rows(m, name: str, rows: np.ndarray) -> None:
    """Write the rows [nworld, ...] of a parameter, which stays one for all worlds where it is that and they agree."""
    if len(m.arrays[name]) == 1 and (rows == rows[:1]).all():
        rows = rows[:1]
    if len(m.arrays[name]) == len(rows):
        m.arrays[name].assign(rows)
    else:
        m.set(name, rows)


def present_options(m) -> dict:
    """Options of an engine model that sizes and lists follow from, as they are now; the largest of its worlds."""
    numbers = {f.name[4:]: m.sizes[f.name] for f in OPTIONS if f.role == "size"}
    return numbers | {f.name[4:]: m.arrays[f.name].numpy().max() for f in OPTIONS if f.name in FEATURE_PARAMETERS}


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
    m.source = fresh.source
    for name in PARAMETERS:
        old, new = m.arrays[name], fresh.arrays[name]
        if old.shape == new.shape:
            wp.copy(old, new)
        else:
            values = new.numpy()
            m.set(name, np.broadcast_to(values, (max(len(old), len(values)), *values.shape[1:])))


def take_over(m, fresh) -> None:
    """Take over sizes, lists and parameters; recorded launches are stale afterwards."""
    m.source = fresh.source
    vars(m).pop("shape", None)  # what lent parameters call for is looked up anew
    m.sizes.update({k: v for k, v in fresh.sizes.items() if not k.startswith("opt_")})
    m.arrays.update({k: v for k, v in fresh.arrays.items() if not k.startswith("opt_") or k == LIVE_OPTION})
