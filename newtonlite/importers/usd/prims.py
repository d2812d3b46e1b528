"""Prims of a stage, walked once: paths, types, applied schemas, authored values, world matrices."""

import math
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from newtonlite.core.errors import NewtonWarning, ParseError
from newtonlite.core.limits import SINGLE
from newtonlite.importers.report import Report
from newtonlite.importers.usd.applied import applied, outside
from newtonlite.importers.usd.frames import pose_and_rest
from newtonlite.importers.usd.layers import label_of


@dataclass(frozen=True)
class Spot:
    """A place that the report speaks of and that is no prim, or no longer one."""

    tag: str
    place: str

    def where(self, attr: str | None = None) -> str:
        """The place, and the attribute."""
        return f"{self.place} {attr}" if attr else self.place


MAX_PRIMS = 400_000
LARGEST = 1e15
"""Largest length, in the stage's units, that arithmetic of squares and cubes keeps finite."""
MAX_INSTANCES = 100_000
"""Bounds of what one stage may hold, instances counted as often as they occur."""


class Prim:
    """One prim, or one instance of one: what it is, what is authored on it, and where it stands."""

    __slots__ = (
        "apis",
        "authored",
        "index",
        "local_signs",
        "matrix",
        "parent",
        "path",
        "renamed",
        "tag",
        "usd",
        "walk",
    )

    def __init__(
        self,
        walk: "Walk",
        usd,
        path: str,
        parent: "Prim | None",
        matrix: np.ndarray | None,
        renamed: tuple[str, str] | None,
    ):
        self.walk, self.usd, self.path, self.parent = walk, usd, path, parent
        self.tag: str = str(usd.GetTypeName())
        self.apis: frozenset[str] = applied(usd)
        self.authored: frozenset[str] = frozenset(usd.GetAuthoredPropertyNames())
        self.renamed = renamed
        self.index = len(walk.prims)
        self.local_signs = (-1.0, -1.0, -1.0)
        self.matrix = self._world() if matrix is None else matrix

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    def has(self, api: str) -> bool:
        """Whether a schema is applied, by itself or brought along by another."""
        return api in self.apis

    def instances(self, api: str) -> list[str]:
        """The names under which a schema that can be applied several times is applied, in order."""
        start = api + ":"
        return [a[len(start) :] for a in self.usd.GetPrimTypeInfo().GetAppliedAPISchemas() if a.startswith(start)]

    def get(self, name: str) -> Any:
        """The authored value of an attribute; None where there is none, or where it is blocked."""
        if name not in self.authored:
            return None
        attr = self.usd.GetAttribute(name)
        if not attr or not attr.HasAuthoredValue():
            return None
        value = attr.Get(self.walk.time)
        if value is None and attr.GetNumTimeSamples():
            value = attr.Get(attr.GetTimeSamples()[0])
            self.walk.report.ignore(self, "has only time samples; the first one is taken", name)
        if type(value).__name__ == "UnregisteredValue":
            raise self.error("has a value of no known type", name)
        return value

    def number(self, name: str, default: float | None = None) -> float | None:
        """An authored number, which may be infinite; ParseError for anything else, NaN among it."""
        value = self.get(name)
        if value is None:
            return default
        try:
            value = float(value)
        except (TypeError, ValueError):
            raise self.error(f"{value!r} is not a number", name) from None
        if math.isnan(value):
            raise self.error("is not a number (NaN)", name)
        return value

    def finite(self, name: str, default: float | None = None) -> float | None:
        """An authored number that is finite."""
        value = self.number(name, default)
        if value is not None and math.isinf(value):
            raise self.error(f"{value:g} is not finite", name)
        if value is not None and abs(value) > SINGLE:
            raise self.error(f"{value:g} is beyond single precision; give a number up to {SINGLE:.3g}", name)
        return value

    def numbers(self, name: str, count: int | None = None) -> np.ndarray | None:
        """Authored finite numbers, ``count`` of them where one is given."""
        value = self.get(name)
        if value is None:
            return None
        try:
            array = np.array(value, float).reshape(-1)
        except (TypeError, ValueError):
            raise self.error(f"{str(value)[:60]} are no numbers", name) from None
        if count is not None and array.size != count:
            raise self.error(f"has {array.size} numbers; {count} are needed", name)
        if not np.isfinite(array).all():
            raise self.error("has a number that is not finite", name)
        if (np.abs(array) > SINGLE).any():
            raise self.error(f"has a number beyond single precision; give numbers up to {SINGLE:.3g}", name)
        return array

    def flag(self, name: str, default: bool) -> bool:
        """An authored truth value."""
        value = self.get(name)
        return default if value is None else bool(value)

    def word(self, name: str, default: str = "") -> str:
        """An authored token or text."""
        value = self.get(name)
        return default if value is None else str(value)

    def turn(self, name: str) -> np.ndarray | None:
        """An authored quaternion as (x, y, z, w) of length one; None where there is none, or a zero one."""
        value = self.get(name)
        if value is None:
            return None
        if not hasattr(value, "GetReal"):
            raise self.error(f"{value!r} is no quaternion", name)
        q = np.array([*value.GetImaginary(), value.GetReal()], float)
        if not np.isfinite(q).all():
            raise self.error("has a number that is not finite", name)
        length = np.linalg.norm(q)
        return None if length < 1e-12 else q / length

    def targets(self, name: str) -> list[str]:
        """The paths a relationship points at."""
        if name not in self.authored:
            return []
        rel = self.usd.GetRelationship(name)
        paths = [str(p) for p in rel.GetTargets()] if rel else []
        if self.renamed is None:
            return paths
        old, new = self.renamed
        return [new + p[len(old) :] if p == old or p.startswith(old + "/") else p for p in paths]

    def frame(self) -> tuple[np.ndarray, np.ndarray]:
        """Pose [7] in the stage, in metres, and what is left of the matrix; ParseError for one without extent."""
        found = pose_and_rest(self.matrix, self.local_signs)
        if found is None:
            raise self.error("is scaled to nothing; give a scale that is not zero", "xformOpOrder")
        return found

    def above(self) -> Iterator["Prim"]:
        """This prim and those it lies in, from the inside out."""
        prim: Prim | None = self
        while prim is not None:
            yield prim
            prim = prim.parent

    def where(self, attr: str | None = None) -> str:
        """``layer: <path> attribute``, the layer being the strongest that speaks of it."""
        return f"{self.layer(attr)}: <{self.path}>" + (f" {attr}" if attr else "")

    def layer(self, attr: str | None = None) -> str:
        """Identifier of the strongest layer with an opinion about an attribute, or the prim."""
        stack = []
        if attr and attr in self.authored:
            stack = self.usd.GetProperty(attr).GetPropertyStack(self.walk.time)
        stack = stack or self.usd.GetPrimStack()
        return label_of(stack[0].layer if stack else self.walk.stage.GetRootLayer())

    def error(self, problem: str, attr: str | None = None) -> ParseError:
        """ParseError for an attribute, or for the prim, with its place."""
        return ParseError(f"{self.where(attr)}: {problem}")

    def doubt(self, text: str, attr: str | None = None) -> None:
        """Warn of a value that cannot be meant, and that counts as not given."""
        self.walk.report.ignore(self, text, attr)
        warnings.warn(f"{self.where(attr)}: {text}", NewtonWarning, stacklevel=outside())

    def _world(self) -> np.ndarray:
        """World matrix [4, 4], acting on columns."""
        from pxr import Tf, UsdGeom

        above = self.walk.base if self.parent is None else self.parent.matrix
        form = UsdGeom.Xformable(self.usd)
        if not form or not any(name.startswith("xformOp") for name in self.authored):
            return above
        ops = form.GetOrderedXformOps()
        time = self._time(ops)
        try:
            local = np.array(form.GetLocalTransformation(time)).T
        except Tf.ErrorException:
            raise self.error("names an operation that is not there", "xformOpOrder") from None
        if not np.isfinite(local).all():
            bad = next(
                (op.GetOpName() for op in ops if not np.isfinite(np.array(op.GetOpTransform(time))).all()),
                "xformOpOrder",
            )
            raise self.error("has a number that is not finite", bad)
        if np.abs(local).max() > LARGEST:
            raise self.error(f"moves or scales beyond {LARGEST:g}", "xformOpOrder")
        self._mirrors(ops, time)
        return (self.walk.base if form.GetResetXformStack() else above) @ local

    def _time(self, ops: list):
        """Time code of the transform: the time asked for, or the first sample where it has nothing else."""
        from pxr import Usd

        time = self.walk.time
        if time != Usd.TimeCode.Default():
            return time
        sampled = [op.GetAttr() for op in ops if op.GetNumTimeSamples() and op.GetAttr().Get() is None]
        if not sampled:
            return time
        self.walk.report.ignore(self, "has only time samples; the first one is taken", sampled[0].GetName())
        return Usd.TimeCode(min(attr.GetTimeSamples()[0] for attr in sampled))

    def _mirrors(self, ops: list, time) -> None:
        """Remember along which axes the prim's own scale mirrors."""
        from pxr import UsdGeom

        for op in ops:
            if op.GetOpType() == UsdGeom.XformOp.TypeScale:
                value = op.Get(time)
                signs = tuple(math.copysign(1.0, x) for x in value) if value is not None else (1.0, 1.0, 1.0)
                if math.prod(signs) < 0:
                    self.local_signs = signs


class Walk:
    """Prims of a stage in the order they were walked, and others that are found by path."""

    def __init__(
        self,
        stage,
        report: Report,
        length: float = 1.0,
        time=None,
        ignore: Sequence[str] = (),
        folder: Path | None = None,
    ):
        from pxr import Usd

        self.stage, self.report = stage, report
        self.time = Usd.TimeCode.Default() if time is None else Usd.TimeCode(time)
        self.base = np.diag([length, length, length, 1.0])
        self.ignore = [re.compile(pattern) for pattern in ignore]
        self.prims: list[Prim] = []
        self.at: dict[str, Prim] = {}
        self.folder = folder
        """Folder that files which the stage names lie in; None where they may lie anywhere."""
        self.others: dict[str, Prim] = {}
        """Prims outside the walk that something refers to."""

    def release(self) -> None:
        """Let go of the stage: prims and walk refer to each other, and hold its layers; the report keeps the places it
        names.
        """
        for group in (*self.report.converted, *self.report.ignored):
            if isinstance(group.node, Prim):
                group.node = Spot(group.node.tag, group.node.where())
        for prim in (*self.prims, *self.others.values()):
            prim.usd = prim.parent = prim.walk = None
        self.prims, self.at, self.others, self.stage = [], {}, {}, None

    def of_type(self, *tags: str) -> list[Prim]:
        """Prims of some types, in order."""
        return [prim for prim in self.prims if prim.tag in tags]

    def find(self, path: str) -> Prim | None:
        """The prim at a path, also one outside the walk; None where there is none."""
        if path in self.at:
            return self.at[path]
        if path in self.others:
            return self.others[path]
        usd = self.stage.GetPrimAtPath(path) if path and path != "/" else None
        if not usd or not usd.IsActive() or not usd.IsDefined():
            return None
        parent = self.find(str(usd.GetPath().GetParentPath()))
        prim = self.others[path] = Prim(self, usd, path, parent, None, None)
        return prim

    def ignored(self, path: str) -> bool:
        """Whether the caller wants nothing of a path."""
        return any(pattern.match(path) for pattern in self.ignore)

    def add(self, prim: Prim) -> None:
        """Take in a prim."""
        if len(self.prims) >= MAX_PRIMS:
            raise ParseError(
                f"{label_of(self.stage.GetRootLayer())}: more than {MAX_PRIMS} prims; import parts of it with root_path"
            )
        prim.index = len(self.prims)
        self.prims.append(prim)
        self.at[prim.path] = prim
