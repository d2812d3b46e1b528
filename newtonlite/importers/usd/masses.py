"""Mass, centre of mass and inertia of bodies, by the precedence of UsdPhysics; values that mean "unspecified" count as
such.
"""

import math

import numpy as np

from newtonlite.core.enums import GeoType
from newtonlite.geometry import inertia, surface_inertia
from newtonlite.geometry.inertia import NOTHING, MassProperties, add_solids, move
from newtonlite.geometry.principal import NEAR, NEAR_OF_MESHES, principal
from newtonlite.importers.usd import mjc
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.resolvers import PrimType
from newtonlite.importers.usd.spec import UsdBody, UsdShape, UsdSpec
from newtonlite.math.transform import quat_to_matrix
from newtonlite.schema.asset import ASSET

SOLID = {
    GeoType.SPHERE: (inertia.sphere, surface_inertia.sphere, 1),
    GeoType.ELLIPSOID: (inertia.ellipsoid, surface_inertia.ellipsoid, 3),
    GeoType.BOX: (inertia.box, surface_inertia.box, 3),
    GeoType.CAPSULE: (inertia.capsule, surface_inertia.capsule, 2),
    GeoType.CYLINDER: (inertia.cylinder, surface_inertia.cylinder, 2),
    GeoType.CONE: (inertia.cone, None, 2),
}
HEAVIEST = 1e30
"""Largest mass [kg] and inertia [kg m^2]."""
SMALL_BALL = 0.1
"""Radius [m] of the ball that a mass without any geometry is, as in OpenUSD."""
MESH_MODES = ("convex", "exact", "legacy", "shell")
MESH = ASSET.child("mesh")


def resolve_masses(spec: UsdSpec, default_density: float) -> None:
    """Set mass, com [3, m] and inertia [3, 3, kg m^2, about com, body axes] of every body."""
    for body in spec.bodies:
        parts = [
            (move(of_shape(spec, body, s, default_density), s.pose), s) for s in body.shapes if s.collides and s.enabled
        ]
        parts = [part for part in parts if part[0].mass > 0]
        total = NOTHING
        for part, _ in parts:
            total = add_solids(total, part)
        set_mass(spec, body, total)
        if spec.scene.mjc and body.mass <= 0:  # where MuJoCo has the middle of what weighs nothing
            middle = body.prim.numbers("mjc:body:ipos", 3)
            body.com = body.com if middle is None else middle
        if spec.scene.mjc:
            body.axes = axes_of(body, [shape for _, shape in parts])
    if spec.scene.mjc:
        apply_settings(spec)


def axes_of(body: UsdBody, shapes: list[UsdShape]) -> tuple[float, ...]:
    """The principal axes (w, x, y, z) that MuJoCo would choose: the authored ones, those of a single geom, or those it
    computes.
    """
    turn = authored_axes(body.prim) if body.prim.has("PhysicsMassAPI") else None
    if turn is not None:
        return (float(turn[3]), *(float(x) for x in turn[:3]))
    if len(shapes) == 1 and shapes[0].source is None:
        pose = shapes[0].pose
        return (float(pose[6]), *(float(x) for x in pose[3:6]))
    return tuple(float(x) for x in principal(body.inertia, NEAR_OF_MESHES if len(shapes) == 1 else NEAR)[1])


def apply_settings(spec: UsdSpec) -> None:
    """MuJoCo's compiler settings: least mass and inertia, balance, total mass."""
    settings = spec.scene.compiler
    low, least, total = (
        settings.get("boundmass", 0.0),
        settings.get("boundinertia", 0.0),
        settings.get("settotalmass", -1.0),
    )
    for body in spec.bodies:
        body.mass = max(body.mass, low)
        moments, axes = np.linalg.eigh(body.inertia)
        raised = np.maximum(moments, least)
        if settings.get("balanceinertia") and raised[0] + raised[1] < raised[2] * (1 - 1e-9):
            raised = np.full(3, raised.mean())
        if not np.array_equal(raised, moments):
            body.inertia = (axes * raised) @ axes.T
    mass = sum(body.mass for body in spec.bodies)
    if total > 0 and mass > 0:
        for body in spec.bodies:
            body.mass, body.inertia = body.mass * total / mass, body.inertia * (total / mass)


def set_mass(spec: UsdSpec, body: UsdBody, total: MassProperties) -> None:
    """Set the mass properties that the body authors, else the sum over its colliders."""
    prim = body.prim
    has_mass_api = prim.has("PhysicsMassAPI")
    mass = authored_or_zero(prim, "physics:mass") * spec.units.mass if has_mass_api else 0.0
    tensor = tensor_of(spec, prim) if has_mass_api else None
    com = center_of(prim) if has_mass_api else None
    if mass > 0 and tensor is None and has_mass_api and prim.get("physics:density"):
        prim.doubt("stands beside physics:mass, which counts; it is left out", "physics:density")
    if com is not None:
        com = body.rest @ com
    if mass > 0 and total.mass <= 0:
        total = MassProperties(mass, np.zeros(3), 0.4 * mass * SMALL_BALL**2 * np.eye(3))
        if tensor is None:
            spec.report.convert(
                prim, "has a mass and no geometry: its inertia is that of a ball of 0.1 m", "physics:mass"
            )
    factor = mass / total.mass if mass > 0 else 1.0
    body.mass, body.com = total.mass * factor, total.com if com is None else com
    body.inertia = total.inertia * factor if tensor is None else tensor
    if tensor is not None and body.mass <= 0:
        spec.report.ignore(prim, "an inertia without a mass", "physics:diagonalInertia")
        body.inertia = np.zeros((3, 3))
    if has_mass_api and body.mass <= 0 and not body.kinematic:
        prim.doubt("zero mass and zero inertia; give a mass, or colliders with volume", "physics:mass")
    check(prim, body)


def check(prim: Prim, body: UsdBody) -> None:
    """ParseError for an inertia that no mass has."""
    if not (math.isfinite(body.mass) and np.isfinite(body.inertia).all() and np.isfinite(body.com).all()):
        raise prim.error(f"has mass {body.mass:g} and inertia {body.inertia.tolist()}, which are not finite")
    if body.mass > HEAVIEST or np.abs(body.inertia).max() > HEAVIEST:
        raise prim.error(f"has mass {body.mass:g} and inertia {body.inertia.tolist()}, which are beyond {HEAVIEST:g}")
    if np.linalg.eigvalsh(body.inertia)[0] < -1e-6 * np.abs(body.inertia).max():
        raise prim.error(
            f"has inertia {body.inertia.tolist()}, which no mass has; close its meshes, or give it a mass and an inertia"
        )


def authored_or_zero(prim: Prim, name: str) -> float:
    """A mass or density; 0, which means unspecified, for what is negative or not finite, which the report tells."""
    raw = prim.get(name)
    if raw is None:
        return 0.0
    value = float(raw)
    if not math.isfinite(value) or value < 0:
        what = "MassAPI density must be" if name.endswith("density") else "authored mass is not"
        prim.doubt(f"{value:g}: {what} positive and finite; it counts as unspecified", name)
        return 0.0
    return value


def center_of(prim: Prim) -> np.ndarray | None:
    """The authored centre of mass in the prim's frame, unscaled; None where it is unspecified."""
    raw = prim.get("physics:centerOfMass")
    if raw is None:
        return None
    value = np.array(raw, float)
    if np.isneginf(value).all():
        return None
    if not np.isfinite(value).all():
        prim.doubt("has a number that is not finite; it counts as unspecified", "physics:centerOfMass")
        return None
    return value


def tensor_of(spec: UsdSpec, prim: Prim) -> np.ndarray | None:
    """The authored inertia [3, 3] in the prim's axes; None where it is unspecified."""
    full = prim.get("newton:inertia")
    if full is not None and prim.has("NewtonMassAPI"):
        found = full_tensor(np.array(full, float).reshape(-1))
        if found is not None:
            return found * spec.units.inertia
        prim.doubt("is not six numbers of an inertia (xx, yy, zz, xy, xz, yz); it is left out", "newton:inertia")
    raw = prim.get("physics:diagonalInertia")
    moments = None if raw is None else np.array(raw, float)
    if moments is None or not moments.any():
        return None
    if not np.isfinite(moments).all() or moments.min() < 0:
        prim.doubt("has a number that cannot be; it counts as unspecified", "physics:diagonalInertia")
        return None
    axes = authored_axes(prim)
    turn = np.eye(3) if axes is None else quat_to_matrix(axes)
    return (turn * moments) @ turn.T * spec.units.inertia


def authored_axes(prim: Prim) -> np.ndarray | None:
    """The authored principal axes (x, y, z, w); None where they are unspecified."""
    value = prim.get("physics:principalAxes")
    if hasattr(value, "GetReal") and not np.isfinite([*value.GetImaginary(), value.GetReal()]).all():
        prim.doubt("has a number that is not finite; it counts as unspecified", "physics:principalAxes")
        return None
    return prim.turn("physics:principalAxes")


def full_tensor(numbers: np.ndarray) -> np.ndarray | None:
    """Six numbers as a tensor; None where they are none."""
    if numbers.size != 6 or not np.isfinite(numbers).all() or numbers[:3].min() < 0:
        return None
    xx, yy, zz, xy, xz, yz = numbers
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return tensor if np.linalg.eigvalsh(tensor)[0] >= -1e-6 * np.abs(tensor).max() else None


def of_shape(spec: UsdSpec, body: UsdBody, shape: UsdShape, default_density: float) -> MassProperties:
    """A collider's mass in its own frame: its mass, its density, the body's, the material's, the default one, in this
    order.
    """
    prim = shape.prim
    solid = unit_solid(spec, shape)
    has_mass_api = prim.has("PhysicsMassAPI")
    mass = authored_or_zero(prim, "physics:mass") * spec.units.mass if has_mass_api else 0.0
    if has_mass_api and mass == 0.0 and prim.has("MjcCollisionAPI") and prim.get("physics:mass") == 0.0:
        return NOTHING  # MuJoCo's mass="0" weighs nothing
    if mass > 0:
        return with_mass(spec, shape, solid, mass)
    if solid.mass <= 0:
        if shape.kind is not GeoType.PLANE:
            prim.walk.report.ignore(prim, "has no volume and weighs nothing")
        return NOTHING
    density = authored_or_zero(prim, "physics:density") * spec.units.density if has_mass_api else 0.0
    if density <= 0 and body.prim.has("PhysicsMassAPI"):
        density = authored_or_zero(body.prim, "physics:density") * spec.units.density
    if density <= 0 and shape.material is not None:
        density = shape.material.density
    density = density if density > 0 else default_density
    return MassProperties(solid.mass * density, solid.com, solid.inertia * density)


def with_mass(spec: UsdSpec, shape: UsdShape, solid: MassProperties, mass: float) -> MassProperties:
    """A collider of a mass: its own inertia and centre where it gives them, else those of its geometry."""
    tensor, com = tensor_of(spec, shape.prim), center_of(shape.prim)
    if solid.mass <= 0:
        solid = MassProperties(1.0, np.zeros(3), 0.4 * SMALL_BALL**2 * np.eye(3))
    found = solid.inertia * (mass / solid.mass) if tensor is None else tensor
    place = solid.com if com is None else com * shape.scale * spec.units.length
    return MassProperties(mass, place, found)


def unit_solid(spec: UsdSpec, shape: UsdShape) -> MassProperties:
    """Mass properties at density 1, solid or a shell."""
    model = spec.resolvers.source(shape.prim, PrimType.SHAPE, "mass_model")[0] or "solid"
    hollow = model == "shell"
    thickness = spec.resolvers.source(shape.prim, PrimType.SHAPE, "shell_thickness")[0]
    if thickness is not None and not 0.0 < float(thickness) < math.inf:
        what = "negative shell thickness" if float(thickness) < 0 else "no shell thickness"
        shape.prim.doubt(f"{float(thickness):g}: {what}; the contact margin counts", "newton:shellThickness")
        thickness = None
    thick = float(thickness) * spec.units.length if thickness is not None else shape.settings.get("margin", 0.0)
    if shape.kind in (GeoType.MESH, GeoType.CONVEX_MESH):
        return of_mesh(spec, shape, hollow, thick)
    if shape.kind not in SOLID:
        return NOTHING
    solid, surface, count = SOLID[shape.kind]
    sizes = shape.size[:count]
    if not hollow:
        return solid(1.0, *sizes)
    if shape.prim.has("MjcCollisionAPI") and thickness is None and surface is not None:
        return surface(1.0, *sizes)
    if thick <= 0 or np.any(sizes <= thick):
        return solid(1.0, *sizes)
    return inertia.subtract(solid(1.0, *sizes), solid(1.0, *(sizes - thick)))


def of_mesh(spec: UsdSpec, shape: UsdShape, hollow: bool, thick: float) -> MassProperties:
    """A mesh as it is drawn; where MuJoCo's schema says how, as MuJoCo has it."""
    points, triangles = shape.source.exact_vertices * shape.size, shape.source.triangles
    if np.prod(shape.size) < 0:
        triangles = triangles[:, ::-1]
    if hollow:
        return inertia.surface(1.0, points, triangles, thick or 1.0e-3)
    mode = mesh_mode(shape.prim, spec.scene.mjc)
    if mode:
        shape.source.inertia_mode = mode
    if mode == "shell":
        return inertia.surface(1.0, points, triangles, 1.0)
    if mode == "convex":
        from newtonlite.geometry.hull import convex_hull

        vertices, faces = convex_hull(points)
        return inertia.mesh(1.0, np.asarray(vertices, float), faces)
    if mode == "legacy":
        return inertia.legacy_mesh(points, triangles)
    found = inertia.mesh(1.0, points, triangles)
    if np.linalg.eigvalsh(found.inertia)[0] >= -NEAR_OF_MESHES * max(found.inertia.max(), 0.0):
        return found
    shape.prim.walk.report.convert(
        shape.prim,
        "is open or partly inside out; every part of its surface weighs as if it faced outwards",
        "faceVertexIndices",
    )
    return inertia.legacy_mesh(points, triangles)


def mesh_mode(prim: Prim, mujoco: bool) -> str:
    """Inertia mode of a mesh by MuJoCo's name; empty where the file does not speak of MuJoCo."""
    asked = mjc.values(prim, MESH, ("inertia",)).get("inertia") if "mjc:inertia" in prim.authored else None
    if asked is not None:
        return MESH_MODES[asked] if isinstance(asked, int) else str(asked)
    return "legacy" if prim.has("MjcMeshCollisionAPI") or (mujoco and prim.has("MjcCollisionAPI")) else ""
