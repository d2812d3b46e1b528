"""Builtin meshes: their parameters and their bounds."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from newtonlite.geometry import builtin_meshes
from newtonlite.importers.mjcf.read import Node

FINEST = 2000
"""Most points along one direction."""


@dataclass(frozen=True)
class Number:
    """One parameter: its name in messages, its bounds, whether it is a whole number, whether the lower bound itself is
    too low.
    """

    name: str
    low: float
    high: float = math.inf
    whole: bool = False
    above: bool = False

    def check(self, node: Node, value: float) -> float:
        """The value; ParseError where it is out of bounds. Whole numbers lose what is behind the point, as in MuJoCo."""
        value = int(value) if self.whole else value
        if value < self.low or value > self.high or (self.above and value == self.low):
            bound = f"more than {self.low:g}" if self.above else f"at least {self.low:g}"
            raise node.error(
                f"{self.name} is {value:g}; give {bound}{'' if math.isinf(self.high) else f', at most {self.high:g}'}",
                "params",
            )
        return value


def count(name: str, low: int, high: int = FINEST) -> Number:
    """A whole number."""
    return Number(name, low, high, whole=True)


BUILTIN: dict[str, tuple[Callable, tuple[Number, ...]]] = {
    "sphere": (builtin_meshes.sphere, (count("the number of subdivisions", 0, 4),)),
    "hemisphere": (builtin_meshes.hemisphere, (count("the resolution", 0, 10),)),
    "cone": (builtin_meshes.cone, (count("the number of sides", 3), Number("the upper radius", 0.0, 1.0))),
    "supersphere": (
        builtin_meshes.supersphere,
        (count("the resolution", 3), Number("the exponent around", 0.0), Number("the exponent up", 0.0)),
    ),
    "supertorus": (
        builtin_meshes.supertorus,
        (
            count("the resolution", 3),
            Number("the radius", 0.0, 1.0, above=True),
            Number("the exponent of the section", 0.0, above=True),
            Number("the exponent around", 0.0, above=True),
        ),
    ),
    "wedge": (
        builtin_meshes.wedge,
        (
            count("the resolution across", 1),
            count("the resolution along", 1),
            Number("the half angle across", 0.0, 180.0, above=True),
            Number("the half angle along", 0.0, 90.0, above=True),
            Number("the density at the middle", 0.0, 1.0),
        ),
    ),
    **{
        name: (
            make,
            (
                *(count(f"the number of points along {axis}", 2, 200) for axis in "xyz"),
                *(Number(f"the distance of points along {axis}", 0.0, above=True) for axis in "xyz"),
            ),
        )
        for name, make in (
            ("grid", builtin_meshes.grid),
            ("box", builtin_meshes.box),
            ("cylinder", builtin_meshes.cylinder),
            ("ellipsoid", builtin_meshes.ellipsoid),
        )
    },
    "plate": (builtin_meshes.plate, (count("the resolution across", 1), count("the resolution along", 1))),
}


SOLID, FLAT = ("grid", "box", "cylinder", "ellipsoid"), ("square", "disc")
"""Builtin shapes that take a dimension as their last number, and those that have two dimensions only."""


def builtin_surface(node: Node, kind: str) -> builtin_meshes.Surface:
    """Vertices and triangles, or none, of a mesh that is made by formula; ParseError where its parameters do not fit."""
    for other in ("file", "vertex", "face"):
        if other in node.values:
            raise node.error(f"cannot have both 'builtin' and '{other}'; keep one", other)
    if kind in FLAT:
        raise node.error(f"a {kind} is made for soft bodies, which are not supported; use a plate", "builtin")
    make, numbers = BUILTIN[kind]
    given = node.values.get("params")
    if given is not None and kind in SOLID and len(given) == len(numbers) + 1:
        if given[-1] != 3:
            raise node.error(
                f"a {kind} of dimension {given[-1]:g} is made for soft bodies, which are not supported; give 3, or leave it out",
                "params",
            )
        given = given[:-1]
    if given is None:
        raise node.error(f"a {kind} needs the attribute 'params' ({', '.join(n.name for n in numbers)})")
    if len(given) != len(numbers):
        raise node.error(
            f"has {len(given)} numbers; a {kind} needs {len(numbers)}: {', '.join(n.name for n in numbers)}", "params"
        )
    return make(*(number.check(node, value) for number, value in zip(numbers, given, strict=True)))
