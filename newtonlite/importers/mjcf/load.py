"""Loading: from a file to a ``Spec`` by read, check, compose, resolve. Nothing is built before all of it has succeeded."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from newtonlite.core.mujoco import MjtGeom
from newtonlite.importers.mjcf.align import align_free
from newtonlite.importers.mjcf.compose import Composer
from newtonlite.importers.mjcf.document import Document
from newtonlite.importers.mjcf.edit.fuse import fuse_static
from newtonlite.importers.mjcf.files import Files, load_root
from newtonlite.importers.mjcf.fit import fit
from newtonlite.importers.mjcf.joints import check_free, resolve_joints
from newtonlite.importers.mjcf.masses import rescale, resolve_masses
from newtonlite.importers.mjcf.meshes import Meshes
from newtonlite.importers.mjcf.relations import resolve_relations
from newtonlite.importers.mjcf.scale import scale_lengths
from newtonlite.importers.mjcf.sections import collect
from newtonlite.importers.mjcf.shapes import resolve_shapes
from newtonlite.importers.mjcf.sizes import check_sizes
from newtonlite.importers.mjcf.skins import resolve_skins
from newtonlite.importers.mjcf.spec import Item, Spec
from newtonlite.importers.report import Report

DENSITY = 1000.0
"""Of water, [kg/m^3]: what geoms are made of that say nothing."""


def load_mjcf(
    source: str,
    *,
    assets: Mapping[str, bytes] | None = None,
    path_resolver: Callable[[str | None, str], str] | None = None,
    allow_outside: bool | None = None,
    on_unsupported: str = "raise",
    ignore_inertial: bool = False,
    scale: float = 1.0,
    density: float = DENSITY,
    report: Report | None = None,
) -> tuple[Spec, Meshes, Report]:
    """A resolved model from a path, or from XML text that starts with ``<``.

    ``assets`` are files in memory, by name.  ``on_unsupported="warn"`` leaves out, with a warning, what is not
    supported. ``scale`` multiplies all lengths; ``density`` [kg/m^3] is that of geoms that say nothing.  ``report`` is
    filled, where one is given.  Raises ParseError ``file:line:column: <element name="x"> attribute: problem; hint``.
    """
    report = Report() if report is None else report
    report.expect(on_unsupported)
    root, files = load_root(str(source), lambda folder: _files(folder, assets, path_resolver, allow_outside))
    document = Document(root, files, report)
    if ignore_inertial:
        document.compiler["inertiafromgeom"] = 1
    return *resolve(document, scale, density), report


def resolve(document: Document, scale: float = 1.0, density: float = DENSITY) -> tuple[Spec, Meshes]:
    """All that a checked document says, settled, its lengths times ``scale``; ParseError for what cannot be."""
    composer = Composer(document)
    spec = composer.compose()
    for geom in (geom for body in spec.bodies for geom in body.geoms if "density" not in geom.given):
        geom.values["density"] = density
    meshes = Meshes()
    resolve_shapes(spec)
    resolve_joints(spec)
    spec.attached = composer.attached
    collect(spec, composer.attached)
    resolve_relations(spec)
    resolve_skins(spec)
    check_sizes(spec)
    scale_lengths(spec, meshes, scale)
    fit_meshes(spec, meshes)
    meshes.check([document, *(found for found, _ in spec.attached)], document.compiler["discardvisual"])
    discard_visual(spec)
    resolve_masses(spec, meshes)
    fuse_static(spec)
    align_free(spec)
    check_free(spec)
    rescale(spec)
    return spec, meshes


def _files(folder: Path | None, assets, resolver, allow_outside: bool | None) -> Files:
    return Files(folder, assets, resolver, allow_outside)


MESHES = (MjtGeom.MESH, MjtGeom.SDF)


def fit_meshes(spec: Spec, meshes: Meshes) -> None:
    """Load the meshes and height fields of all geoms, and fit primitives to meshes."""
    for geom in spec.geoms:
        if "mesh" in geom.values and geom["type"] not in MESHES:
            fit(geom, meshes)
        if geom["type"] in MESHES:
            meshes.surface(geom)
        elif geom["type"] == MjtGeom.HFIELD:
            meshes.hfield(geom)


def discard_visual(spec: Spec) -> None:
    """Drop geoms that collide with nothing, where the compiler settings say so; they still weigh."""
    if not spec.document.compiler["discardvisual"]:
        return
    used = {id(end) for pair in spec.pairs for end in pair["ends"]}
    used |= {id(thing) for tendon in spec.tendons for _, thing, _ in tendon["path"]}
    names = {name for item in spec.sensors + spec.customs for name in named_geoms(item)}
    used |= {id(geom) for geom in spec.geoms if geom.name and geom.name in names}
    spec.geoms = [g for g in spec.geoms if g["contype"] or g["conaffinity"] or id(g) in used]
    for index, geom in enumerate(spec.geoms):
        geom.index = index


def named_geoms(item: Item) -> Iterator[str]:
    """The names of geoms that a sensor or tuple speaks of."""
    for node in item.node.walk():
        for name, value in node.values.items():
            if name in ("geom", "geom1", "geom2") or (name == "objname" and node.attrs.get("objtype") == "geom"):
                yield item.place.full(value)
