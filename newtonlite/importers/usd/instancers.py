"""Point instancers, unfolded: each instance of a prototype becomes prims of its own."""

import numpy as np

from newtonlite.core.errors import ParseError
from newtonlite.importers.usd.prims import MAX_INSTANCES, Prim, Walk


def unfold(walk: Walk, instancer: Prim, depth: int = 0) -> None:
    """Add the prims of all instances, at ``<instancer>/<prototype>_<i>``."""
    from pxr import Usd, UsdGeom

    if depth > 8:
        raise instancer.error("point instancers lie in each other more than 8 deep")
    schema = UsdGeom.PointInstancer(instancer.usd)
    indices = schema.GetProtoIndicesAttr().Get(walk.time)
    prototypes = [walk.stage.GetPrimAtPath(p) for p in schema.GetPrototypesRel().GetForwardedTargets()]
    if indices is None or not len(indices):
        walk.report.ignore(instancer, "a point instancer without instances")
        return
    if len(indices) > MAX_INSTANCES:
        raise instancer.error(f"has {len(indices)} instances; at most {MAX_INSTANCES} are read", "protoIndices")
    positions = schema.GetPositionsAttr().Get(walk.time)
    if positions is None or len(positions) != len(indices):
        raise instancer.error(
            f"has {0 if positions is None else len(positions)} positions for {len(indices)} instances", "positions"
        )
    low, high = min(indices), max(indices)
    if low < 0 or high >= len(prototypes) or not all(prototypes):
        raise instancer.error(
            f"names prototype {high if low >= 0 else low}; there are {len(prototypes)}", "protoIndices"
        )
    places = schema.ComputeInstanceTransformsAtTime(
        walk.time, walk.time, UsdGeom.PointInstancer.IncludeProtoXform, UsdGeom.PointInstancer.IgnoreMask
    )
    mask = schema.ComputeMaskAtTime(walk.time)
    for i, (kind, place) in enumerate(zip(indices, places, strict=True)):
        if len(mask) and not mask[i]:
            continue
        matrix = np.array(place).T
        if not np.isfinite(matrix).all():
            raise instancer.error(f"instance {i} has a transform that is not finite", "positions")
        prototype = prototypes[kind]
        path = f"{instancer.path}/{prototype.GetName()}_{i}"
        old = str(prototype.GetPath())
        parents: dict[str, Prim] = {}
        root_matrix = None
        for usd in Usd.PrimRange(prototype, Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)):
            if not usd.IsActive() or not (usd.IsDefined() or usd == prototype):
                continue
            there = str(usd.GetPath())
            parent = parents.get(there.rpartition("/")[0], instancer)
            if root_matrix is None:
                root_matrix = instancer.matrix @ matrix
                prim = Prim(walk, usd, path, instancer, root_matrix, (old, path))
            else:
                prim = Prim(walk, usd, path + there[len(old) :], parent, None, (old, path))
            parents[there] = prim
            if walk.ignored(prim.path):
                continue
            walk.add(prim)
            if prim.tag == "PointInstancer":
                raise ParseError(
                    f"{prim.where()}: a point instancer inside a prototype is not supported; unfold it in the file"
                )
