"""Unsupported features of flexes: checks like those of ``unsupported``."""

import numpy as np

from newtonlite.core.mujoco import MjtEq


def flex_checks(mj):
    """(name of a feature, whether the model has it)."""
    if not getattr(mj, "nflex", 0):
        return
    yield "contacts of flexes (set contype and conaffinity of the flexes to 0)", may_touch(mj)
    yield (
        "edge springs of flexes",
        bool(np.any(np.asarray(mj.flex_edgestiffness)) or np.any(np.asarray(mj.flex_edgedamping))),
    )
    yield "elasticity of flexes", bool(mj.nflexstiffness or mj.nflexbending)
    yield "flexes that yield", bool((np.asarray(mj.flex_plasticadr) >= 0).any())
    yield "equality constraints of flexes", bool(np.any(np.asarray(mj.eq_type) > MjtEq.TENDON))


def may_touch(mj) -> bool:
    """Whether a flex may have contacts: with a geom, with another flex, or with itself."""
    kind, meets = (np.asarray(getattr(mj, f"flex_{bits}"), int) for bits in ("contype", "conaffinity"))
    geoms = [np.asarray(getattr(mj, f"geom_{bits}"), int) for bits in ("contype", "conaffinity")]
    with_geoms = (kind[:, None] & geoms[1]) | (meets[:, None] & geoms[0])
    pairs = np.triu((kind[:, None] & meets) | (meets[:, None] & kind), 1)
    alone = (kind & meets != 0) & (np.asarray(mj.flex_selfcollide) != 0) & (np.asarray(mj.flex_rigid) == 0)
    return bool(with_geoms.any() or pairs.any() or alone.any())
