"""Which geoms and pairs make contacts that pull, and which geoms have a surface that moves."""

import numpy as np


def derive(mj) -> dict:
    """Whether contacts may pull and surfaces move, with zeros where a compiled model says nothing of it."""
    shapes = {"geom_adhesion": (int(mj.ngeom),), "pair_adhesion": (int(mj.npair),), "geom_surfacevel": (int(mj.ngeom), 6)}
    return {
        "nadhesion": int(sticks(mj)),
        "nsurfacevel": int(np.any(np.asarray(getattr(mj, "geom_surfacevel", 0.0)))),
        **{name: np.zeros(shape) for name, shape in shapes.items() if not hasattr(mj, name)},
    }


def sticks(mj) -> bool:
    """Whether a geom or a pair of any world makes contacts that pull."""
    return any(np.any(np.asarray(getattr(mj, name, 0.0))) for name in ("geom_adhesion", "pair_adhesion"))
