"""Mass, centre of mass and inertia of bodies: from ``inertial``, or from geoms, then MuJoCo's compiler settings."""

import numpy as np

from newtonlite.core.limits import SINGLE
from newtonlite.core.mujoco import MjtGeom, MjtInertiaFromGeom
from newtonlite.geometry import inertia, surface_inertia
from newtonlite.geometry.inertia import NOTHING, MassProperties
from newtonlite.geometry.principal import NEAR_OF_MESHES, principal
from newtonlite.importers.mjcf.spec import Body, Item, Spec
from newtonlite.math.quat import ONE, Vec, matrix, product

SOLID = {
    MjtGeom.SPHERE: inertia.sphere,
    MjtGeom.CAPSULE: inertia.capsule,
    MjtGeom.ELLIPSOID: inertia.ellipsoid,
    MjtGeom.CYLINDER: inertia.cylinder,
    MjtGeom.BOX: inertia.box,
}
SHELL = {
    MjtGeom.SPHERE: surface_inertia.sphere,
    MjtGeom.CAPSULE: surface_inertia.capsule,
    MjtGeom.ELLIPSOID: surface_inertia.ellipsoid,
    MjtGeom.CYLINDER: surface_inertia.cylinder,
    MjtGeom.BOX: surface_inertia.box,
}
SHELL = {
    MjtGeom.SPHERE: surface_inertia.sphere,
    MjtGeom.CAPSULE: surface_inertia.capsule,
    MjtGeom.ELLIPSOID: surface_inertia.ellipsoid,
    MjtGeom.CYLINDER: surface_inertia.cylinder,
    MjtGeom.BOX: surface_inertia.box,
}
SIZES = {MjtGeom.SPHERE: 1, MjtGeom.CAPSULE: 2, MjtGeom.ELLIPSOID: 3, MjtGeom.CYLINDER: 2, MjtGeom.BOX: 3}
EPS = 1e-14
"""Least eigenvalue of a tensor that is not bounded."""


def resolve_masses(spec: Spec, meshes) -> None:
    """Set mass, com [3, m] and inertia [3, 3, kg m^2, about com, body axes] of every body; ParseError for what cannot
    be.
    """
    for body in spec.bodies[1:]:
        weigh(body, meshes)


def weigh(body: Body, meshes) -> None:
    """Set the mass properties of one body."""
    settings = body.place.document.compiler
    found, quat = of_body(body, meshes)
    body.mass, body.com, body.iquat = found.mass, np.asarray(found.com, float), tuple(quat)
    body.inertia = bounded(body, np.asarray(found.inertia, float), settings)
    body.mass = max(body.mass, settings["boundmass"])
    check_single(body)


def check_single(body: Body) -> None:
    """ParseError for a body whose mass, centre of mass or inertia single precision does not hold."""
    if not max(body.mass, np.abs(body.inertia).max(), np.abs(body.com).max()) <= SINGLE:  # also where it is NaN
        raise body.node.error(
            f"its mass of {body.mass:g} kg, or its inertia, is beyond single precision; make its geoms smaller or lighter"
        )


def of_body(body: Body, meshes) -> tuple[MassProperties, Vec]:
    """Mass properties of a body by its inertial or its geoms, as the compiler settings say, and the orientation of
    their axes.
    """
    settings = body.place.document.compiler
    mode = settings["inertiafromgeom"]
    found, quat = NOTHING, ONE
    if mode == MjtInertiaFromGeom.TRUE or (mode == MjtInertiaFromGeom.AUTO and body.inertial is None):
        found, quat = from_geoms(body, settings["inertiagrouprange"], meshes)
    if body.inertial is not None and found.mass <= 0:
        return from_inertial(body.inertial)
    if found.mass <= 0:  # where there is nothing to place, MuJoCo takes the frame of the body in its parent
        return MassProperties(0.0, np.array(body.pos), np.zeros((3, 3))), body.quat
    return found, quat


def from_inertial(item: Item) -> tuple[MassProperties, Vec]:
    """Mass properties of an ``inertial`` element, and the orientation (w, x, y, z) of its axes."""
    node, values, quat = item.node, item.values, item.quat
    mass, bounds = values["mass"], item.place.document.compiler
    if mass < 0 and bounds["boundmass"] <= 0:
        raise node.error(f"{mass:g} is negative; give at least 0", "mass")
    if "fullinertia" in values:
        if "diaginertia" in node.values:
            raise node.error("cannot have both 'fullinertia' and 'diaginertia'; keep one", "diaginertia")
        if any(other in node.values for other in ("quat", "axisangle", "euler", "xyaxes", "zaxis")):
            item.place.document.report.convert(
                node, "its 'fullinertia' is turned by its orientation, as in Newton; MuJoCo refuses the two together"
            )
        xx, yy, zz, xy, xz, yz = values["fullinertia"]
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        least = np.linalg.eigvalsh(tensor)[0]
        if least < (EPS if bounds["boundinertia"] <= 0 else -EPS):
            raise node.error(
                "the inertia is not positive definite; correct it, or set compiler boundinertia (1e-9)", "fullinertia"
            )
        quat = product(quat, tuple(principal(tensor)[1]))
    else:
        moments = values.get("diaginertia", (0.0, 0.0, 0.0))
        if min(moments) < 0 and bounds["boundinertia"] <= 0:
            raise node.error(f"{min(moments):g} is negative; give at least 0", "diaginertia")
        tensor = np.diag(moments)
    turn = matrix(item.quat)
    return MassProperties(mass, np.array(item.pos), turn @ tensor @ turn.T), quat


def from_geoms(body: Body, groups: tuple[int, int], meshes) -> tuple[MassProperties, Vec]:
    """The sum over the geoms whose group counts, and the orientation of its axes: that of the geom, where one is all."""
    parts = [of_geom(geom, meshes) for geom in body.geoms if groups[0] <= geom["group"] <= groups[1]]
    parts = [part for part in parts if part[0].mass > 0]
    if len(parts) == 1:
        return parts[0]
    total = NOTHING
    for part, _ in parts:
        total = inertia.add_solids(total, part)
    return total, tuple(principal(total.inertia)[1]) if parts else ONE


def of_geom(geom: Item, meshes) -> tuple[MassProperties, Vec]:
    """A geom's mass, posed in its body, and the orientation of its axes."""
    kind, mass = geom["type"], geom.values.get("mass")
    meshed = kind in (MjtGeom.MESH, MjtGeom.SDF)
    if meshed:
        solid = meshes.mass(geom)
    elif kind == MjtGeom.HFIELD:
        rx, ry, high, base = (meshes.scale * x for x in meshes.node(geom).values["size"])
        solid = inertia.box(1.0, rx, ry, 0.25 * high + 0.5 * base)
    elif kind not in SOLID:
        return NOTHING, ONE
    else:
        solid = (SHELL if geom["shellinertia"] else SOLID)[kind](1.0, *geom["size"][: SIZES[kind]])
    factor = geom["density"] if mass is None else (mass / solid.mass if solid.mass > 0 else 0.0)
    if factor <= 0:
        return NOTHING, ONE
    turn = matrix(geom.quat)
    recentred = meshed and not meshes.keeps_frame(geom)
    quat = geom.quat if not recentred else product(geom.quat, tuple(principal(solid.inertia, NEAR_OF_MESHES)[1]))
    return MassProperties(
        solid.mass * factor, np.array(geom.pos) + turn @ solid.com, turn @ (solid.inertia * factor) @ turn.T
    ), quat


def bounded(body: Body, tensor: np.ndarray, settings: dict) -> np.ndarray:
    """Principal moments raised to ``boundinertia`` and, where allowed, made to satisfy A + B >= C."""
    low, balance = settings["boundinertia"], settings["balanceinertia"]
    if not tensor.any() and low <= 0:
        return tensor
    axes = matrix(body.iquat)
    moments = np.einsum("ij,ik,kj->j", axes, tensor, axes)
    raised = np.maximum(moments, low)
    least, middle, most = np.sort(raised)
    if least + middle < most * (1 - 1e-9) - 1e-12 and not (body.static and not body.joints and body.inertial is None):
        if not balance:
            node = body.inertial.node if body.inertial else body.node
            raise node.error(
                f"principal inertias {', '.join(f'{m:.6g}' for m in raised)} break A + B >= C; correct them, or set compiler balanceinertia"
            )
        raised = np.full(3, raised.mean())
    if np.array_equal(raised, moments):
        return tensor
    return (axes * raised) @ axes.T


def rescale(spec: Spec) -> None:
    """``settotalmass``: one factor on all masses and inertias."""
    total = spec.document.compiler["settotalmass"]
    mass = sum(body.mass for body in spec.bodies[1:])
    if total > 0 and mass > 0:
        for body in spec.bodies[1:]:
            body.mass *= total / mass
            body.inertia = body.inertia * (total / mass)
