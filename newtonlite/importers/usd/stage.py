"""USD stages: opened from a path, from text, or as given, with variants chosen and composition errors reported."""

from collections.abc import Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from newtonlite.core.errors import FileError, MissingFileError, ParseError
from newtonlite.core.files import check_file
from newtonlite.importers.mjcf.files import may_leave
from newtonlite.importers.report import Report
from newtonlite.importers.usd.layers import KINDS, assets_of, check_layers, first_line, home_of, label_of
from newtonlite.importers.usd.prims import Spot

NOWHERE = Path("/nowhere")
"""Folder of a text, where no file is."""
SMALLEST_UNIT, LARGEST_UNIT = 1e-9, 1e12


class CompositionError(ParseError, RuntimeError):
    """A stage asks for layers or prims that are not there."""


def need_pxr() -> None:
    """ImportError, with what to install, where OpenUSD is missing; Newton's schemas are registered where their package
    is there.
    """
    try:
        import pxr.Usd  # noqa: F401
    except ImportError:
        raise ImportError("add_usd needs OpenUSD; install it with: pip install 'usd-core>=26.5'") from None
    with suppress(ImportError):
        import newton_usd_schemas  # noqa: F401


@contextmanager
def quiet(where: str):
    """Context that keeps back the messages of USD and turns its exceptions into a ParseError."""
    from pxr import Tf, UsdUtils

    delegate = UsdUtils.CoalescingDiagnosticDelegate()
    try:
        yield
    except Tf.ErrorException as problem:
        raise ParseError(f"{where}: {first_line(problem)}") from None
    finally:
        delegate.TakeUncoalescedDiagnostics()


def open_stage(source: Any, allow_outside: bool, variants: Mapping[str, Mapping[str, str]] | None, report: Report):
    """A composed stage from a path, from text beginning with ``#usda``, or from a ``Usd.Stage``; ParseError for what
    cannot be.
    """
    from pxr import Tf, Usd

    try:
        if isinstance(source, Usd.Stage):
            root, session, resolver = source.GetRootLayer(), source.GetSessionLayer(), source.GetPathResolverContext()
        else:
            root, session, resolver = (
                root_layer(source, may_leave(False if allow_outside is None else allow_outside)),
                None,
                None,
            )
        over = variant_layer(variants or {}, session)
        if isinstance(source, Usd.Stage) and not variants:
            stage = source
        else:
            stage = Usd.Stage.Open(root, over, resolver) if resolver is not None else Usd.Stage.Open(root, over)
    except (Tf.ErrorException, RuntimeError) as problem:
        raise ParseError(f"{name_of(source)}: cannot be opened ({first_line(problem)})") from None
    for path, choices in (variants or {}).items():
        check_variants(stage, path, choices)
    for error in stage.GetCompositionErrors():
        where = getattr(error, "rootSite", None)
        prim = f"<{where.path}>" if where is not None else ""
        note = f"{name_of(source)}: {prim} composition errors: {' '.join(str(error).split())}; correct the path, or leave it out"
        report.unsupported(CompositionError(note))
    return stage


def folder_of(source: Any, stage, allow_outside: bool | None) -> Path | None:
    """The folder that pictures of a stage lie in; None where they may lie anywhere: where the caller allows it, or has
    made the stage in memory.
    """
    if may_leave(False if allow_outside is None else allow_outside):
        return None
    return home_of(stage) or (NOWHERE if isinstance(source, (str, Path)) else None)


def root_layer(source: Any, allow_outside: bool):
    """The root layer of a path or of text."""
    from pxr import Sdf, Tf

    if isinstance(source, str) and source.lstrip().startswith("#usda"):
        layer = Sdf.Layer.CreateAnonymous(".usda")
        try:
            done = layer.ImportFromString(source)
        except (Tf.ErrorException, RuntimeError) as problem:
            raise ParseError(f"<text>: cannot be read as USD ({first_line(problem)})") from None
        if not done:
            raise ParseError("<text>: cannot be read as USD")
        asked = assets_of(layer)
        if asked and not allow_outside:
            raise ParseError(
                f"<text>: asset '{asked[0]}': text has no folder to look in; give a path, or allow_outside=True"
            )
        return layer
    try:
        path = Path(source)
        check_file(path, "layers")
    except MissingFileError:
        raise MissingFileError(f"{path}: there is no such file") from None
    except FileError:
        raise
    except (TypeError, ValueError, OSError) as problem:
        raise ParseError(
            f"add_usd source {str(source)[:80]!r}: give a path, text beginning with '#usda', or a Usd.Stage ({problem})"
        ) from None
    if path.suffix.lower() not in KINDS:
        raise ParseError(f"{path}: is no USD file; use one of {', '.join(KINDS)}")
    check_layers(path, allow_outside)
    return Sdf.Layer.FindOrOpen(str(path))


def variant_layer(variants: Mapping[str, Mapping[str, str]], session):
    """A session layer of our own that chooses variants over what a session has chosen."""
    from pxr import Sdf

    layer = Sdf.Layer.CreateAnonymous("variants.usda")
    if session is not None:
        layer.subLayerPaths.append(session.identifier)
    for path, choices in variants.items():
        if not Sdf.Path.IsValidPathString(path):
            raise ParseError(f"add_usd variants: '{path}' is no prim path; give one such as '/robot'")
        for name, choice in choices.items():
            Sdf.CreatePrimInLayer(layer, path).variantSelections[name] = choice
    return layer


def check_variants(stage, path: str, choices: Mapping[str, str]) -> None:
    """ParseError where a prim, a variant set or a choice does not exist."""
    prim = stage.GetPrimAtPath(path)
    if not prim:
        raise ParseError(f"add_usd variants: there is no prim '{path}'")
    for name, choice in choices.items():
        known = prim.GetVariantSets().GetNames()
        if name not in known:
            raise ParseError(f"<{path}>: has no variant set '{name}'; it has {', '.join(known) or 'none'}")
        if choice not in prim.GetVariantSet(name).GetVariantNames():
            options = ", ".join(prim.GetVariantSet(name).GetVariantNames())
            raise ParseError(f"<{path}>: variant set '{name}' has no choice '{choice}'; it has {options}")


def name_of(source: Any) -> str:
    """Name of a source in messages."""
    if isinstance(source, (str, Path)):
        return "<text>" if str(source).lstrip().startswith("#usda") else str(source)
    return label_of(source.GetRootLayer()) if hasattr(source, "GetRootLayer") else repr(source)[:80]


@dataclass(frozen=True)
class Units:
    """Units of a stage in metres and kilograms; units of other quantities follow."""

    length: float = 1.0
    mass: float = 1.0
    has_length: bool = True
    """Whether the stage says its unit of length."""

    @property
    def density(self) -> float:
        """[kg/m^3] per unit."""
        return self.mass / self.length**3

    @property
    def inertia(self) -> float:
        """[kg m^2] per unit."""
        return self.mass * self.length**2

    def gain(self, turns: bool) -> float:
        """Stiffness or damping: [N/m] per unit, or [N m/rad] per unit where the axis ``turns``."""
        return self.mass * self.length**2 if turns else self.mass

    def effort(self, turns: bool) -> float:
        """[N] per unit, or [N m] per unit."""
        return self.mass * self.length * (self.length if turns else 1.0)


def units_of(stage, policy: str, report: Report) -> Units:
    """The units of a stage: scaled to SI where it says them, else metres and kilograms; ``policy`` "newton" takes
    numbers as they are.
    """
    from pxr import UsdGeom, UsdPhysics

    if policy not in ("si", "newton"):
        raise ParseError(f"add_usd units={policy!r}: unknown; use 'si' or 'newton'")
    has_length = UsdGeom.StageHasAuthoredMetersPerUnit(stage)
    length = UsdGeom.GetStageMetersPerUnit(stage) if has_length else 1.0
    mass = UsdPhysics.GetStageKilogramsPerUnit(stage) if UsdPhysics.StageHasAuthoredKilogramsPerUnit(stage) else 1.0
    for name, value in (("metersPerUnit", length), ("kilogramsPerUnit", mass)):
        if not SMALLEST_UNIT <= value <= LARGEST_UNIT:
            raise ParseError(
                f"{label_of(stage.GetRootLayer())}: {name} is {value:g}; give a number between {SMALLEST_UNIT:g} and {LARGEST_UNIT:g}"
            )
    if not has_length:
        report.convert(
            Spot("stage", label_of(stage.GetRootLayer())), "is not said; lengths are taken as metres", "metersPerUnit"
        )
    if policy == "newton" and (length, mass) != (1.0, 1.0):
        why = f"units of {length:g} m and {mass:g} kg are read as 1, as units='newton' asks"
        report.convert(Spot("stage", label_of(stage.GetRootLayer())), why, "metersPerUnit")
        return Units(has_length=has_length)
    return Units(length, mass, has_length)
