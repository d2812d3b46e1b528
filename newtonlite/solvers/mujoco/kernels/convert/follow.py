"""Numbers of the scene's model written into the engine's parameters, on the device: plain copies, and bodies and joints.

One thread per world and thing. What comes out as it was, but for rounding, is left alone to the bit, and its world is not marked as changed.
"""

import warp as wp

from newtonlite.core.types import vec5
from newtonlite.math.quaternion import quat_conj, quat_mul, quat_normalize, quat_rotate, quat_to_mat
from newtonlite.solvers.mujoco.enums import BALL, FREE
from newtonlite.solvers.mujoco.kernels.convert.given import force_space
from newtonlite.solvers.mujoco.kernels.convert.push import rotation_of

OFF_DIAGONAL = wp.constant(1.0e-6)  # of the largest moment: below it the body's own axes are the principal ones
ROUNDING = wp.constant(2.0e-6)  # relative difference that float32 and float64 may have
FORCE_SPACE = wp.constant(0)
RAW = wp.constant(1)


@wp.func
def settle(old: float, new: float, scale: float, world: int, changed: wp.array(dtype=int)) -> float:
    """``new``, or ``old`` where the two differ by no more than rounding of numbers as large as ``scale``."""
    if wp.abs(new - old) <= ROUNDING * wp.max(scale, wp.abs(old)):
        return old
    changed[world] = 1
    return new


@wp.func
def settle_vec3(old: wp.vec3, new: wp.vec3, scale: float, world: int, changed: wp.array(dtype=int)) -> wp.vec3:
    """``settle`` for a vector as a whole."""
    if wp.length(new - old) <= ROUNDING * wp.max(scale, wp.length(old)):
        return old
    changed[world] = 1
    return new


@wp.func
def settle_quat(old: wp.quat, new: wp.quat, world: int, changed: wp.array(dtype=int)) -> wp.quat:
    """``settle`` for a rotation; ``q`` and ``-q`` are the same one."""
    d = wp.abs(old[0] - new[0]) + wp.abs(old[1] - new[1]) + wp.abs(old[2] - new[2]) + wp.abs(old[3] - new[3])
    s = wp.abs(old[0] + new[0]) + wp.abs(old[1] + new[1]) + wp.abs(old[2] + new[2]) + wp.abs(old[3] + new[3])
    if wp.min(d, s) <= ROUNDING:
        return old
    changed[world] = 1
    return new


@wp.kernel(enable_backward=False)
def move_words(
    where: wp.array(dtype=int),
    first: wp.array(dtype=int),
    scale: wp.array(dtype=float),
    second: wp.array(dtype=int),
    source: wp.array2d(dtype=float),
    offset: wp.array2d(dtype=float),
    changed: wp.array(dtype=int),
    target: wp.array2d(dtype=float),
):
    """``target[where] = scale source[first] + offset[second]``, number by number; no offset where ``second`` is -1."""
    world, k = wp.tid()
    value = scale[k] * source[world, first[k]]
    if second[k] >= 0:
        value += offset[world, second[k]]
        value = settle(target[world, where[k]], value, 0.0, world, changed)
    if value != target[world, where[k]]:
        target[world, where[k]] = value
        changed[world] = 1


@wp.kernel(enable_backward=False)
def move_flags(
    where: wp.array(dtype=int), first: wp.array(dtype=int), source: wp.array2d(dtype=wp.bool), target: wp.array2d(dtype=int)
):  # fmt: skip
    """Switches as 0 and 1."""
    world, k = wp.tid()
    target[world, where[k]] = int(source[world, first[k]])


@wp.kernel(enable_backward=False)
def restore_rows(changed: wp.array(dtype=int), kept: wp.array2d(dtype=float), target: wp.array2d(dtype=float)):
    """Put back the numbers of worlds in which nothing changed."""
    world, k = wp.tid()
    if changed[world] == 0:
        target[world, k] = kept[world, k]


@wp.kernel(enable_backward=False)
def follow_bodies(
    link: wp.array(dtype=int),
    mass: wp.array2d(dtype=float),
    com: wp.array2d(dtype=wp.vec3),
    inertia: wp.array2d(dtype=wp.mat33),
    told: wp.array2d(dtype=wp.vec4),
    changed: wp.array(dtype=int),
    body_mass: wp.array2d(dtype=float),
    body_ipos: wp.array2d(dtype=wp.vec3),
    body_iquat: wp.array2d(dtype=wp.quat),
    body_inertia: wp.array2d(dtype=wp.vec3),
):
    """Masses, centres of mass, principal moments and axes (w, x, y, z) of bodies; ``told`` axes where they are principal ones."""
    world, b = wp.tid()
    i = link[b]
    if i < 0:
        return
    body_mass[world, b] = settle(body_mass[world, b], mass[world, i], 0.0, world, changed)
    body_ipos[world, b] = settle_vec3(body_ipos[world, b], com[world, i], 0.0, world, changed)
    tensor = inertia[world, i]
    old = quat_to_mat(quat_normalize(body_iquat[world, b]))
    largest = largest_of(tensor)
    if largest_of(old * wp.diag(body_inertia[world, b]) * wp.transpose(old) - tensor) <= ROUNDING * largest:
        return
    changed[world] = 1
    moments = wp.get_diag(tensor)
    axes = wp.quat(1.0, 0.0, 0.0, 0.0)
    given = quat_normalize(wp.quat(told[world, i][0], told[world, i][1], told[world, i][2], told[world, i][3]))
    turned = wp.transpose(quat_to_mat(given)) * tensor * quat_to_mat(given)
    if wp.length(told[world, i]) > 0.0 and off_diagonal(turned) <= OFF_DIAGONAL * wp.max(wp.abs(wp.get_diag(turned))):
        moments = wp.get_diag(turned)
        axes = given
    elif off_diagonal(tensor) > OFF_DIAGONAL * wp.max(wp.abs(moments)):
        turn, moments = wp.eig3(tensor)
        if wp.determinant(turn) < 0.0:
            turn = -turn
        q = wp.quat_from_matrix(turn)
        axes = wp.quat(q[3], q[0], q[1], q[2])
    body_inertia[world, b] = moments
    body_iquat[world, b] = axes


@wp.func
def largest_of(a: wp.mat33) -> float:
    """Largest entry of a matrix, by size."""
    return wp.max(wp.max(wp.max(wp.abs(a[0])), wp.max(wp.abs(a[1]))), wp.max(wp.abs(a[2])))


@wp.func
def off_diagonal(a: wp.mat33) -> float:
    """Largest entry above the diagonal, by size."""
    return wp.max(wp.abs(a[0, 1]), wp.max(wp.abs(a[0, 2]), wp.abs(a[1, 2])))


@wp.kernel(enable_backward=False)
def follow_frames(
    link: wp.array(dtype=int),
    carrier: wp.array(dtype=int),
    floats: wp.array(dtype=int),
    X_p: wp.array2d(dtype=wp.transformf),
    X_c: wp.array2d(dtype=wp.transformf),
    start: wp.array2d(dtype=wp.transformf),
    changed: wp.array(dtype=int),
    body_pos: wp.array2d(dtype=wp.vec3),
    body_quat: wp.array2d(dtype=wp.quat),
):
    """Bodies in their parents, ``X_p inverse(X_c)``; of those that float, the initial pose."""
    world, b = wp.tid()
    if link[b] < 0:
        return
    j = carrier[b]
    quat = quat_mul(rotation_of(X_p[world, j]), quat_conj(rotation_of(X_c[world, j])))
    arm = quat_rotate(quat, wp.transform_get_translation(X_c[world, j]))
    pos = wp.transform_get_translation(X_p[world, j]) - arm
    scale = wp.length(arm) + wp.length(pos)
    if floats[b] != 0:
        pos = wp.transform_get_translation(start[world, link[b]])
        quat = rotation_of(start[world, link[b]])
    body_pos[world, b] = settle_vec3(body_pos[world, b], pos, scale, world, changed)
    body_quat[world, b] = settle_quat(body_quat[world, b], quat, world, changed)


@wp.kernel(enable_backward=False)
def follow_anchors(
    joint: wp.array(dtype=int),
    first: wp.array(dtype=int),
    jnt_type: wp.array(dtype=int),
    X_c: wp.array2d(dtype=wp.transformf),
    axis: wp.array2d(dtype=wp.vec3),
    own: wp.array2d(dtype=wp.vec3),
    changed: wp.array(dtype=int),
    jnt_pos: wp.array2d(dtype=wp.vec3),
    jnt_axis: wp.array2d(dtype=wp.vec3),
):
    """Anchors of joints, their own where one was authored, and axes of hinges and slides, in the body's frame."""
    world, j = wp.tid()
    if jnt_type[j] == FREE:
        return
    pos = own[world, first[j]]
    if wp.isnan(pos[0]):
        pos = wp.transform_get_translation(X_c[world, joint[j]])
    jnt_pos[world, j] = settle_vec3(jnt_pos[world, j], pos, 0.0, world, changed)
    if jnt_type[j] > BALL:
        turned = wp.normalize(quat_rotate(rotation_of(X_c[world, joint[j]]), axis[world, first[j]]))
        jnt_axis[world, j] = settle_vec3(jnt_axis[world, j], turned, 1.0, world, changed)


@wp.kernel(enable_backward=False)
def follow_limits(
    first: wp.array(dtype=int),
    dofadr: wp.array(dtype=int),
    ke: wp.array2d(dtype=float),
    kd: wp.array2d(dtype=float),
    mode: wp.array2d(dtype=int),
    raw: wp.array2d(dtype=wp.vec2),
    baseline: wp.array2d(dtype=wp.vec2),
    solimp: wp.array2d(dtype=vec5),
    invweight: wp.array2d(dtype=float),
    changed: wp.array(dtype=int),
    solref: wp.array2d(dtype=wp.vec2),
):
    """``jnt_solref``: gains in force space, the author's own numbers, or the default of files that say nothing."""
    world, j = wp.tid()
    i = first[j]
    told = mode[world, i]
    untouched = ke[world, i] == baseline[world, i][0] and kd[world, i] == baseline[world, i][1]
    factor = invweight[world, dofadr[j]] * (1.0 - solimp[world, j][1])
    found = wp.vec2(0.02, 1.0)
    if told == RAW:
        found = raw[world, i]
    elif (told == FORCE_SPACE or not untouched) and ke[world, i] > 0.0 and kd[world, i] > 0.0 and factor > 0.0:
        found = force_space(ke[world, i], kd[world, i], factor)
    write_pair(solref, world, j, found, changed)


@wp.func
def write_pair(target: wp.array2d(dtype=wp.vec2), world: int, k: int, value: wp.vec2, changed: wp.array(dtype=int)):
    """Two numbers, each settled."""
    old = target[world, k]
    target[world, k] = wp.vec2(settle(old[0], value[0], 0.0, world, changed), settle(old[1], value[1], 0.0, world, changed))


@wp.kernel(enable_backward=False)
def tendon_limits(
    row: wp.array(dtype=int),
    ke: wp.array2d(dtype=float),
    kd: wp.array2d(dtype=float),
    mode: wp.array2d(dtype=int),
    raw: wp.array2d(dtype=wp.vec2),
    solimp: wp.array2d(dtype=vec5),
    invweight: wp.array2d(dtype=float),
    changed: wp.array(dtype=int),
    solref: wp.array2d(dtype=wp.vec2),
):
    """``tendon_solref_lim``: gains in force space, or the author's own numbers."""
    world, t = wp.tid()
    i = row[t]
    found = raw[world, i]
    if mode[world, i] == FORCE_SPACE:
        factor = invweight[world, t] * (1.0 - solimp[world, t][1])
        found = wp.vec2(0.02, 1.0)
        if ke[world, i] > 0.0 and kd[world, i] > 0.0 and factor > 0.0:
            found = force_space(ke[world, i], kd[world, i], factor)
    write_pair(solref, world, t, found, changed)
