"""Geoms and ties from the scene's numbers, on the device."""

import warp as wp

from newtonlite.math.quaternion import quat_conj, quat_mul, quat_normalize, quat_rotate
from newtonlite.solvers.mujoco.enums import BOX, CAPSULE, CYLINDER, ELLIPSOID, EQ_WELD, SPHERE
from newtonlite.solvers.mujoco.kernels.convert.follow import FORCE_SPACE, RAW, settle, settle_quat, settle_vec3, write_pair
from newtonlite.solvers.mujoco.kernels.convert.given import force_space
from newtonlite.solvers.mujoco.kernels.convert.push import rotation_of

FROM_POSE = wp.constant(11)


@wp.kernel(enable_backward=False)
def follow_geoms(
    shape: wp.array(dtype=int),
    geom_type: wp.array(dtype=int),
    offset: wp.array(dtype=wp.vec3),
    turn: wp.array(dtype=wp.quat),
    transform: wp.array2d(dtype=wp.transformf),
    size: wp.array2d(dtype=wp.vec3),
    changed: wp.array(dtype=int),
    geom_pos: wp.array2d(dtype=wp.vec3),
    geom_quat: wp.array2d(dtype=wp.quat),
    geom_rbound: wp.array2d(dtype=float),
):
    """Frames of geoms, those of meshes and height fields ``offset`` and turned in their shapes, and radii about primitives."""
    world, g = wp.tid()
    X = transform[world, shape[g]]
    quat = rotation_of(X)
    arm = quat_rotate(quat, offset[g])
    pos = wp.transform_get_translation(X) + arm
    geom_pos[world, g] = settle_vec3(geom_pos[world, g], pos, wp.length(arm) + wp.length(pos), world, changed)
    geom_quat[world, g] = settle_quat(geom_quat[world, g], quat_mul(quat, turn[g]), world, changed)
    s = size[world, g]
    kind = geom_type[g]
    radius = geom_rbound[world, g]
    if kind == SPHERE:
        radius = s[0]
    elif kind == CAPSULE:
        radius = s[0] + s[1]
    elif kind == ELLIPSOID:
        radius = wp.max(s)
    elif kind == CYLINDER:
        radius = wp.sqrt(s[0] * s[0] + s[1] * s[1])
    elif kind == BOX:
        radius = wp.length(s)
    geom_rbound[world, g] = settle(geom_rbound[world, g], radius, 0.0, world, changed)


@wp.kernel(enable_backward=False)
def follow_gains(
    shape: wp.array(dtype=int),
    mode: wp.array2d(dtype=int),
    raw: wp.array2d(dtype=wp.vec2),
    ke: wp.array2d(dtype=float),
    kd: wp.array2d(dtype=float),
    changed: wp.array(dtype=int),
    geom_solref: wp.array2d(dtype=wp.vec2),
    geom_gains: wp.array2d(dtype=wp.vec3),
):
    """References of contacts: the author's numbers, or from a shape's gains; and the gains for contacts in force space."""
    world, g = wp.tid()
    i = shape[g]
    told = mode[world, i]
    found = wp.vec2(0.02, 1.0)
    if told == RAW:
        found = raw[world, i]
    elif ke[world, i] > 0.0 and kd[world, i] > 0.0:
        found = force_space(ke[world, i], kd[world, i], 1.0)
    write_pair(geom_solref, world, g, found, changed)
    geom_gains[world, g] = wp.vec3(ke[world, i], kd[world, i], wp.where(told == FORCE_SPACE, 1.0, 0.0))


@wp.kernel(enable_backward=False)
def follow_welds(
    tie: wp.array(dtype=int),
    row: wp.array(dtype=int),
    pose: wp.array2d(dtype=wp.transformf),
    changed: wp.array(dtype=int),
    data: wp.array3d(dtype=float),
):
    """Relative poses of welds where they were authored; the others are marked, and follow from the reference coordinates."""
    world, k = wp.tid()
    X = pose[world, row[k]]
    q = rotation_of(X)
    e = tie[k]
    data[world, e, FROM_POSE] = 1.0
    if q[0] != 0.0 or q[1] != 0.0 or q[2] != 0.0 or q[3] != 0.0:
        data[world, e, FROM_POSE] = 0.0
        write_vec3(data, world, e, 3, wp.transform_get_translation(X), 0.0, changed)
        write_quat(data, world, e, quat_normalize(q), changed)


@wp.func
def write_vec3(data: wp.array3d(dtype=float), world: int, e: int, at: int, v: wp.vec3, scale: float, changed: wp.array(dtype=int)):
    """Three numbers of a tie, settled."""
    old = wp.vec3(data[world, e, at], data[world, e, at + 1], data[world, e, at + 2])
    new = settle_vec3(old, v, scale, world, changed)
    for c in range(3):
        data[world, e, at + c] = new[c]


@wp.func
def write_quat(data: wp.array3d(dtype=float), world: int, e: int, q: wp.quat, changed: wp.array(dtype=int)):
    """The relative orientation of a tie, settled."""
    old = wp.quat(data[world, e, 6], data[world, e, 7], data[world, e, 8], data[world, e, 9])
    new = settle_quat(old, q, world, changed)
    for c in range(4):
        data[world, e, 6 + c] = new[c]


@wp.kernel(enable_backward=False)
def follow_loops(
    tie: wp.array(dtype=int),
    joint: wp.array(dtype=int),
    dof: wp.array(dtype=int),
    arm: wp.array(dtype=float),
    eq_type: wp.array(dtype=int),
    X_p: wp.array2d(dtype=wp.transformf),
    X_c: wp.array2d(dtype=wp.transformf),
    axis: wp.array2d(dtype=wp.vec3),
    changed: wp.array(dtype=int),
    data: wp.array3d(dtype=float),
):
    """Ties of joints that close loops: a weld of the two frames, or a point of both, ``arm`` along the axis."""
    world, k = wp.tid()
    e = tie[k]
    P = X_p[world, joint[k]]
    C = X_c[world, joint[k]]
    parent = wp.transform_get_translation(P)
    child = wp.transform_get_translation(C)
    if eq_type[e] == EQ_WELD:
        write_vec3(data, world, e, 0, child, 0.0, changed)
        write_vec3(data, world, e, 3, parent, 0.0, changed)
        write_quat(data, world, e, quat_mul(rotation_of(P), quat_conj(rotation_of(C))), changed)
        return
    shift = wp.vec3(0.0, 0.0, 0.0)
    if arm[k] > 0.0:
        shift = arm[k] * wp.normalize(axis[world, dof[k]])
    write_vec3(data, world, e, 0, parent + quat_rotate(rotation_of(P), shift), arm[k] + wp.length(parent), changed)
    write_vec3(data, world, e, 3, child + quat_rotate(rotation_of(C), shift), arm[k] + wp.length(child), changed)


@wp.kernel(enable_backward=False)
def follow_spring_bands(
    row: wp.array(dtype=int), given: wp.array2d(dtype=wp.vec2), changed: wp.array(dtype=int), band: wp.array2d(dtype=wp.vec2)
):  # fmt: skip
    """Dead bands of tendons' springs: one number stands for both ends; those that follow from the reference pose are left for later."""
    world, t = wp.tid()
    told = given[world, row[t]]
    if told[0] >= 0.0 or told[1] >= 0.0:
        write_pair(band, world, t, wp.vec2(told[0], wp.where(told[1] < 0.0, told[0], told[1])), changed)
