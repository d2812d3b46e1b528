"""MJCF bodies: inertials, joints, geoms, sites, cameras, lights."""

import numpy as np

from newtonlite.core.mujoco import MjtGeom, MjtJoint, MjtSleepPolicy
from newtonlite.exporters.mjcf.plugins import choose
from newtonlite.exporters.mjcf.source import NamedModel
from newtonlite.exporters.mjcf.text import Tag, number, number_list
from newtonlite.importers.mjcf.frame import chain
from newtonlite.math.quat import conjugate, rotate

SIZES = (3, 0, 1, 2, 3, 2, 3, 0, 0)
"""Number of sizes of each geom type."""
SITE_SIZE = 0.005
"""Each size of a site that a file does not give."""
ROUNDING = 1e-9
SLEEP = {policy: policy.name.lower() for policy in (MjtSleepPolicy.NEVER, MjtSleepPolicy.ALLOWED, MjtSleepPolicy.INIT)}


def worldbody(source: NamedModel) -> Tag:
    """The world with all that is in it."""
    model = source.model
    world = Tag("worldbody")
    on = {kind: by_body(source.get(field), source.count("body")) for kind, field in OWNERS.items() if source.has(field)}
    tags = [world, *(body(source, b) for b in range(1, model.nbody))]
    for b, tag in enumerate(tags):
        for kind, write in WRITERS.items():
            tag.add(*(write(source, index) for index in on.get(kind, {}).get(b, ())))
    for b in range(1, model.nbody):  # shapes before bodies, so that a reader finds a body's own first
        tags[int(model.body_parentid[b])].add(tags[b])
    return world


def by_body(owners, count: int) -> dict[int, list[int]]:
    """Things on each body, in order."""
    found: dict[int, list[int]] = {b: [] for b in range(count)}
    for index, owner in enumerate(np.asarray(owners, int)):
        found[int(owner)].append(index)
    return found


def body(source: NamedModel, b: int) -> Tag:
    """A body and its inertial."""
    model = source.model
    tag = source.tag("worldbody/body", "body", b).set(**pose(model.body_pos[b], model.body_quat[b]))
    tag.set(mocap="true" if source.get("body_mocapid", b, -1) >= 0 else None)
    tree = int(source.get("body_treeid", b, -1))
    if tree >= 0 and source.has("tree_sleep_policy") and b == int(source.get("body_rootid", b, -1)):
        tag.set(sleep=SLEEP.get(int(source.get("tree_sleep_policy", tree))))
    inertial = Tag(
        "inertial",
        pos=number_list(model.body_ipos[b]),
        quat=quat_text(model.body_iquat[b]),
        mass=number(model.body_mass[b]),
    )
    return tag.add(inertial.set(diaginertia=number_list(moments(model.body_inertia[b]))))


def moments(values) -> np.ndarray:
    """Principal moments that MuJoCo accepts: a largest one that exceeds the sum of the others by rounding becomes that
    sum.
    """
    found = np.array(values, float)
    largest = int(found.argmax())
    rest = float(np.delete(found, largest).sum())
    if rest < found[largest] <= rest * (1 + ROUNDING):
        found[largest] = rest
    return found


def joint(source: NamedModel, j: int) -> Tag:
    """A joint, with what its first dof has."""
    model = source.model
    tag = source.tag("worldbody/body/joint", "joint", j, dof=int(model.jnt_dofadr[j]))
    return joint_reference(source, tag, j)


def joint_reference(source: NamedModel, tag: Tag, j: int) -> Tag:
    """Coordinates of the pose of the file and of the rest of the spring, of hinges and slides."""
    model, q = source.model, int(source.model.jnt_qposadr[j])
    if int(model.jnt_type[j]) not in (MjtJoint.SLIDE, MjtJoint.HINGE):
        return tag
    return tag.set(ref=unless(model.qpos0[q], 0.0), springref=unless(model.qpos_spring[q], 0.0))


def geom(source: NamedModel, g: int) -> Tag:
    """A geom; one with a mesh stands where the mesh's own frame is."""
    model = source.model
    kind = int(model.geom_type[g])
    tag = source.tag("worldbody/body/geom", "geom", g)
    pos, quat = tuple(map(float, model.geom_pos[g])), tuple(map(float, model.geom_quat[g]))
    if kind in (MjtGeom.MESH, MjtGeom.SDF):
        mesh = int(model.geom_dataid[g])
        pos, quat = before(pos, quat, model.mesh_pos[mesh], model.mesh_quat[mesh])
        tag.set(
            surfacevel=surface_velocity(source.get("geom_surfacevel", g), model.mesh_pos[mesh], model.mesh_quat[mesh])
        )
        tag.set(mesh=source.ref("mesh", mesh))
        if kind == MjtGeom.SDF and int(source.get("geom_plugin", g, -1)) >= 0:
            tag.add(choose(source, Tag("plugin"), int(source.get("geom_plugin", g))))
    elif kind == MjtGeom.HFIELD:
        tag.set(hfield=source.ref("hfield", int(model.geom_dataid[g])))
    else:
        tag.set(size=sizes(model.geom_size[g], kind))
    fluid_shape(source, tag, g)
    return tag.set(**pose(pos, quat))


def surface_velocity(velocity, mesh_pos, mesh_quat) -> str | None:
    """Velocity of a mesh's surface in the frame of its file, from that in the mesh's own."""
    if velocity is None or not np.any(velocity):
        return None
    turn = tuple(map(float, mesh_quat))
    linear, angular = (np.array(rotate(turn, tuple(map(float, v)))) for v in (velocity[:3], velocity[3:]))
    return number_list((*(linear - np.cross(angular, mesh_pos)), *angular))


def fluid_shape(source: NamedModel, tag: Tag, g: int) -> None:
    """Model of fluid forces, and its coefficients."""
    fluid = source.get("geom_fluid", g)
    if fluid is not None and fluid[0] > 0:
        tag.set(fluidshape="ellipsoid", fluidcoef=number_list(fluid[1:6]))


def site(source: NamedModel, s: int) -> Tag:
    """A site."""
    model = source.model
    tag = source.tag("worldbody/body/site", "site", s).set(**pose(model.site_pos[s], model.site_quat[s]))
    kind = int(model.site_type[s])
    if kind == MjtGeom.MESH:
        mesh = int(model.site_dataid[s])
        tag.set(
            mesh=source.ref("mesh", mesh),
            **pose(*before(model.site_pos[s], model.site_quat[s], model.mesh_pos[mesh], model.mesh_quat[mesh])),
        )
    else:
        tag.set(size=sizes(model.site_size[s], kind, SITE_SIZE))
    return tag


def camera(source: NamedModel, c: int) -> Tag:
    """A camera."""
    model = source.model
    tag = source.tag("worldbody/body/camera", "camera", c).set(**pose(model.cam_pos[c], model.cam_quat[c]))
    return camera_lens(source, tag, c)


def camera_lens(source: NamedModel, tag: Tag, c: int) -> Tag:
    """Focal lengths of a camera with a sensor, else its field of view."""
    if source.has("cam_sensorsize") and np.any(source.model.cam_sensorsize[c]):
        focal = source.get("cam_intrinsic", c)
        return tag.set(focal=number_list(focal[:2]), principal=unless(focal[2:], 0.0))
    return tag.set(fovy=number(source.model.cam_fovy[c]))


def light(source: NamedModel, k: int) -> Tag:
    """A light."""
    return source.tag("worldbody/body/light", "light", k)


def sizes(values, kind: int, unset: float = 0.0) -> str:
    """The sizes of a shape: those that its type has, and what else differs from the ones that are left out."""
    given = np.flatnonzero(np.asarray(values) != unset)
    return number_list(values[: max(SIZES[kind], int(given[-1]) + 1 if len(given) else 0)])


def limits(tag: Tag, flag: str, band: str, limited: bool, values) -> None:
    """A range, and whether it counts where that is not clear."""
    given = bool(np.any(values))
    tag.set(
        **{
            band: number_list(values) if given else None,
            flag: None if limited == given else "true" if limited else "false",
        }
    )


def before(pos, quat, inner_pos, inner_quat) -> tuple:
    """The frame in which another one, given in it, stands at a pose."""
    inverse = conjugate(tuple(map(float, inner_quat)))
    back = tuple(-x for x in rotate(inverse, tuple(map(float, inner_pos))))
    return chain(tuple(map(float, pos)), tuple(map(float, quat)), back, inverse)


def pose(pos, quat) -> dict[str, str | None]:
    """Attributes of a pose."""
    return {"pos": unless(pos, 0.0), "quat": quat_text(quat)}


def quat_text(quat) -> str | None:
    """A rotation; None where it does not turn."""
    return None if tuple(map(float, quat)) == (1.0, 0.0, 0.0, 0.0) else number_list(quat)


def unless(values, default: float) -> str | None:
    """Numbers; None where all are the default."""
    return None if np.all(np.asarray(values) == default) else number_list(values)


OWNERS = {
    "joint": "jnt_bodyid",
    "geom": "geom_bodyid",
    "site": "site_bodyid",
    "camera": "cam_bodyid",
    "light": "light_bodyid",
}
WRITERS = {"joint": joint, "geom": geom, "site": site, "camera": camera, "light": light}
