"""Pairs that do not collide: filtered pairs and collision groups of UsdPhysics."""

from collections import defaultdict
from typing import Any

from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.spec import UsdBody, UsdShape, UsdSpec, UsdTree

MAX_PAIRS = 5_000_000
"""Pairs of shapes that filters of one stage may come to."""


def read_filters(spec: UsdSpec) -> None:
    """All pairs of colliders that filters name."""
    for prim in spec.walk.prims:
        if prim.has("PhysicsFilteredPairsAPI"):
            one = colliders(spec, prim.path)
            own = spec.body_at.get(prim.path)
            if own is not None and prim.flag("newton:filteredWorld", False):
                spec.excludes.append((own, None))
            for path in prim.targets("physics:filteredPairs"):
                if spec.walk.find(path) is None:
                    left_out(prim, path, f"there is no prim <{path}>")
                    continue
                two, other = colliders(spec, path), spec.body_at.get(path)
                if spec.scene.mjc and own is not None and other is not None:
                    spec.excludes.append((own, other))
                if not one or not two:
                    left_out(prim, path, f"<{path if one else prim.path}> has nothing that collides")
                bounded(spec, prim, len(one) * len(two))
                spec.filters += [(a, b) for a in one for b in two if a is not b]
    read_groups(spec)


def left_out(prim: Prim, path: str, why: str) -> None:
    """Warn of a filtered pair that filters nothing."""
    prim.doubt(f"{prim.path} <-> {path} of filteredPairs was not imported: {why}", "physics:filteredPairs")


def bounded(spec: UsdSpec, prim: Prim, more: int) -> None:
    """ParseError where the pairs become too many."""
    if len(spec.filters) + more > MAX_PAIRS:
        raise prim.error(f"filters more than {MAX_PAIRS} pairs of shapes; use fewer colliders")


def colliders(spec: UsdSpec, path: str) -> list[UsdShape]:
    """Colliding shapes of a collider, of a body, or of an articulation."""
    body = spec.body_at.get(path)
    if body is not None:
        return [shape for shape in body.shapes if shape.collides and shape.enabled]
    shape = spec.shape_at.get(path)
    if shape is not None and shape.collides:
        return [shape] if shape.enabled else []
    tree: UsdTree | None = next((t for t in spec.trees if t.prim is not None and t.prim.path == path), None)
    return [] if tree is None else [s for b in tree.bodies for s in b.shapes if s.collides and s.enabled]


def read_groups(spec: UsdSpec) -> None:
    """Collision groups: two shapes collide where every pair of their groups does."""
    prims = spec.walk.of_type("PhysicsCollisionGroup")
    if not prims:
        return
    from pxr import UsdPhysics

    table = UsdPhysics.CollisionGroup.ComputeCollisionGroupTable(spec.walk.stage)
    groups = [str(path) for path in table.GetGroups()]
    members: dict[frozenset[int], list[UsdShape]] = defaultdict(list)
    queries = []
    for number, path in enumerate(groups):
        prim = spec.walk.stage.GetPrimAtPath(path)
        collection = UsdPhysics.CollisionGroup(prim).GetCollidersCollectionAPI()
        queries.append((number, collection.ComputeMembershipQuery()))
    for shape in spec.shapes:
        if shape.collides and shape.enabled:
            path = shape.prim.usd.GetPath()
            inside = frozenset(number for number, query in queries if included(query, path))
            members[inside].append(shape)
    inverted = {n for n, path in enumerate(groups) if inverts(spec, path)}
    kinds = list(members)
    for i, one in enumerate(kinds):
        for two in kinds[i:]:
            if not apart(table, groups, one, two, inverted):
                continue
            bounded(spec, prims[0], len(members[one]) * len(members[two]))
            spec.filters += [
                (a, b)
                for a in members[one]
                for b in members[two]
                if a is not b and (one is not two or a.prim.index < b.prim.index)
            ]


def included(query, path) -> bool:
    """Whether a collection has a path."""
    found = query.IsPathIncluded(path)
    return bool(found[0] if isinstance(found, tuple) else found)


def inverts(spec: UsdSpec, path: str) -> bool:
    """Whether a group collides only with the groups that it names."""
    prim = spec.walk.find(path)
    return prim is not None and prim.flag("physics:invertFilteredGroups", False)


def apart(table, groups: list[str], one: frozenset[int], two: frozenset[int], inverted: set[int]) -> bool:
    """Whether shapes of two memberships do not collide."""
    if not one or not two:
        return bool((one | two) & inverted)
    return any(not table.IsCollisionEnabled(groups[a], groups[b]) for a in one for b in two)


def exclude_row(one: UsdBody, two: UsdBody | None) -> dict[str, Any]:
    """Two bodies that pass through each other, as MuJoCo has it; None is the world."""
    other = -1 if two is None else two.index
    return {"mujoco:exclude_body1": one.index, "mujoco:exclude_body2": other, "mujoco:exclude_label": ""}
