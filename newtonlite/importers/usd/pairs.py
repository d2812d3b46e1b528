"""Contact pairs: prims of our own type, since MuJoCo's schema has none."""

from dataclasses import dataclass, field
from typing import Any

from newtonlite.importers.usd import mjc
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.spec import UsdShape, UsdSpec
from newtonlite.schema.contact import PAIR
from newtonlite.schema.execute import scene_values

TYPE = "NewtonContactPair"


@dataclass(eq=False)
class ContactPair:
    """Two shapes that may touch whatever their masks say, with parameters of their own."""

    prim: Prim
    shapes: tuple[UsdShape, UsdShape]
    values: dict[str, Any] = field(default_factory=dict)


def read_pairs(spec: UsdSpec) -> None:
    """All contact pairs, in the order of the stage."""
    for prim in spec.walk.of_type(TYPE):
        ends = [end_of(spec, prim, f"newton:geom{k}") for k in (1, 2)]
        if ends[0] is ends[1]:
            raise prim.error("names one shape twice; give two", "newton:geom2")
        spec.report.used["contact pair"] += 1
        spec.pairs.append(ContactPair(prim, (ends[0], ends[1]), mjc.values(prim, PAIR, defaults=True)))


def end_of(spec: UsdSpec, prim: Prim, name: str) -> UsdShape:
    """The shape that a relationship names."""
    paths = prim.targets(name)
    shape = spec.shape_at.get(paths[0]) if len(paths) == 1 else None
    if shape is None or shape.site:
        raise prim.error("has to name one shape that is imported", name)
    return shape


def pair_row(pair: ContactPair) -> dict[str, Any]:
    """The row of the ``mujoco`` namespace."""
    ends = {f"mujoco:pair_geom{k}": shape.index for k, shape in enumerate(pair.shapes, 1)}
    return scene_values(PAIR, pair.values, name=pair.prim.path) | ends
