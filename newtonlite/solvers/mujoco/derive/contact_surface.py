"""Contact surfaces: geoms and pairs with adhesion, and geoms with a surface velocity."""

import numpy as np


def derive(mj) -> dict:
    """Whether contacts may pull and surfaces move, with zeros where a compiled model says nothing of it."""
    shapes = {
        "geom_adhesion": (int(mj.ngeom),),
        "pair_adhesion": (int(mj.npair),),
        "geom_surfacevel": (int(mj.ngeom), 6),
    }
    return {
        "nadhesion": int(has_adhesion(mj)),
        "nsurfacevel": int(np.any(np.asarray(getattr(mj, "geom_surfacevel", 0.0)))),
        **{name: np.zeros(shape) for name, shape in shapes.items() if not hasattr(mj, name)},
    }


def has_adhesion(mj) -> bool:
    """Whether a geom or a pair of any world makes contacts that pull."""
    return any(np.any(np.asarray(getattr(mj, name, 0.0))) for name in ("geom_adhesion", "pair_adhesion"))
