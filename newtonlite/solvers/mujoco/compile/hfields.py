"""Height fields as MuJoCo keeps them: heights in [0, 1], above a base."""

import numpy as np

from newtonlite.core.enums import GeoType
from newtonlite.core.packed_array import unpack_array
from newtonlite.geometry.heightfield import Heightfield
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.records import read_records, whole_record
from newtonlite.solvers.mujoco.compile.worlds import Worlds

FLAT = 1.0e-4
"""Height [m] that a field without hills is given, so that it has a scale."""


def in_order(w: Worlds, names: list[str]) -> list:
    """Numbers of the height fields in the order of their files, those that no file names last; and the ones that no
    geom has.
    """
    places: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        places.setdefault(name, []).append(k)
    order: list = []
    for name, values in read_records(w)["hfield"]:
        with whole_record("hfield", name):
            order += [unused(name, values)] if values else places.pop(name, [])
    return order + sorted(k for rest in places.values() for k in rest)


def unused(name: str, values: dict) -> Heightfield:
    """A height field that the file has and no geom uses."""
    rx, ry, high, base = values["size"]
    heights = unpack_array(values["heights"], float, values["shape"])
    field = Heightfield(heights, *heights.shape, hx=rx, hy=ry, min_z=0.0, max_z=high)
    field.name, field.base = name, base
    return field


def compile_hfields(m: CompiledModel, w: Worlds, shapes) -> None:
    """Fill the height-field arrays, and ``geom_dataid`` of the geoms that use them; ``hfield_low`` [m] is where height
    0 is.
    """
    kinds, scales, sources = w.first("shape_type"), w.first("shape_scale"), w.first("shape_source")
    table: dict[tuple, int] = {}
    used = []
    fields = kinds[np.asarray(shapes, int)] == GeoType.HFIELD
    for g in np.flatnonzero(fields):
        s = shapes[g]
        key = (id(sources[s]), *scales[s].tolist())
        if key not in table:
            table[key] = len(used)
            used.append((sources[s], scales[s]))
        m.geom_dataid[g] = table[key]
    order = in_order(w, [field.name for field, _ in used])
    rank = {k: place for place, k in enumerate(order) if isinstance(k, int)}
    m.geom_dataid[fields] = [rank[int(k)] for k in m.geom_dataid[fields]]
    used = [used[k] if isinstance(k, int) else (k, np.ones(3)) for k in order]
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
