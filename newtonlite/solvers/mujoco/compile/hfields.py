"""Height fields as MuJoCo keeps them: heights in [0, 1], above a base."""

import numpy as np

from newtonlite.core.enums import GeoType

from .worlds import Worlds

FLAT = 1.0e-4
"""Height [m] that a field without hills is given, so that it has a scale."""


def compile_hfields(m, w: Worlds, shapes) -> None:
    """Fill the height-field arrays, and ``geom_dataid`` of the geoms that use them; ``hfield_low`` [m] is where height 0 is."""
    kinds, scales, sources = w.first("shape_type"), w.first("shape_scale"), w.first("shape_source")
    table: dict[tuple, int] = {}
    used = []
    for g, s in enumerate(shapes):
        if kinds[s] != GeoType.HFIELD:
            continue
        key = (id(sources[s]), *scales[s].tolist())
        if key not in table:
            table[key] = len(used)
            used.append((sources[s], scales[s]))
        m.geom_dataid[g] = table[key]
    m.nhfield, m.names_hfield = len(used), [f.name for f, _ in used]
    size = [(f.hx * k[0], f.hy * k[1], max((f.max_z - f.min_z) * k[2], FLAT), f.base) for f, k in used]
    count = np.array([f.nrow * f.ncol for f, _ in used], np.int32)
    m.nhfielddata = int(count.sum())
    m.set(
        hfield_size=np.array(size, float).reshape(-1, 4),
        hfield_low=np.array([f.min_z * k[2] for f, k in used], float),
        hfield_nrow=np.array([f.nrow for f, _ in used], np.int32),
        hfield_ncol=np.array([f.ncol for f, _ in used], np.int32),
        hfield_adr=(np.cumsum(count) - count).astype(np.int32),
        hfield_data=np.concatenate([np.zeros(0), *[np.asarray(f.data, float).ravel() for f, _ in used]]),
    )
