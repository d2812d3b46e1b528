"""Rest poses, springs, drives and what actuators add to joints and tendons, from the scene's numbers, on the device."""

import warp as wp

from newtonlite.solvers.mujoco.enums import BALL, FREE
from newtonlite.solvers.mujoco.kernels.convert.follow import settle

POSITION = wp.constant(1)
VELOCITY = wp.constant(2)
STIFF = wp.constant(3)


@wp.kernel(enable_backward=False)
def follow_rest(
    first: wp.array(dtype=int),
    coord: wp.array(dtype=int),
    asked: wp.array(dtype=int),
    jnt_type: wp.array(dtype=int),
    qposadr: wp.array(dtype=int),
    bodyid: wp.array(dtype=int),
    ref: wp.array2d(dtype=float),
    stiffness: wp.array2d(dtype=float),
    rest: wp.array2d(dtype=float),
    raw: wp.array2d(dtype=float),
    raw_rest: wp.array2d(dtype=float),
    body_pos: wp.array2d(dtype=wp.vec3),
    body_quat: wp.array2d(dtype=wp.quat),
    changed: wp.array(dtype=int),
    jnt_stiffness: wp.array2d(dtype=float),
    qpos0: wp.array2d(dtype=float),
    qpos_spring: wp.array2d(dtype=float),
):
    """Reference and spring coordinates, and stiffness where no time constant is ``asked`` for; two springs add up to one between their rests."""
    world, j = wp.tid()
    i = first[j]
    total = stiffness[world, i] + raw[world, i]
    if asked[j] == 0:
        jnt_stiffness[world, j] = settle(jnt_stiffness[world, j], total, 0.0, world, changed)
    adr = qposadr[j]
    if jnt_type[j] == FREE:
        for k in range(7):
            value = float(0.0)
            if k < 3:
                value = body_pos[world, bodyid[j]][k]
            else:
                value = body_quat[world, bodyid[j]][k - 3]
            qpos0[world, adr + k] = settle(qpos0[world, adr + k], value, 0.0, world, changed)
            qpos_spring[world, adr + k] = settle(qpos_spring[world, adr + k], value, 0.0, world, changed)
    elif jnt_type[j] > BALL:
        zero = ref[world, i]
        at = zero + rest[world, coord[j]]
        if stiffness[world, i] > 0.0:
            at = (stiffness[world, i] * at + raw[world, i] * raw_rest[world, i]) / total
        elif raw[world, i] > 0.0 or raw_rest[world, i] != 0.0:
            at = raw_rest[world, i]
        scale = wp.abs(zero) + wp.abs(rest[world, coord[j]]) + wp.abs(raw_rest[world, i])
        qpos0[world, adr] = settle(qpos0[world, adr], zero, 0.0, world, changed)
        qpos_spring[world, adr] = settle(qpos_spring[world, adr], at, scale, world, changed)


@wp.kernel(enable_backward=False)
def tune_springs(
    joint: wp.array(dtype=int),
    first: wp.array(dtype=int),
    dofadr: wp.array(dtype=int),
    count: wp.array(dtype=int),
    asked: wp.array2d(dtype=wp.vec2),
    invweight: wp.array2d(dtype=float),
    changed: wp.array(dtype=int),
    jnt_stiffness: wp.array2d(dtype=float),
    dof_damping: wp.array2d(dtype=float),
):
    """Springs by time constant and damping ratio: ``k = I / (timeconst dampratio)^2``, ``b = 2 I / timeconst`` for the inertia ``I`` felt."""
    world, k = wp.tid()
    j = joint[k]
    mean = float(0.0)
    for i in range(dofadr[j], dofadr[j] + count[k]):
        mean += invweight[world, i] / float(count[k])
    time = asked[world, first[k]][0]
    ratio = asked[world, first[k]][1]
    stiffness = 1.0 / (mean * time * ratio * time * ratio)
    jnt_stiffness[world, j] = settle(jnt_stiffness[world, j], stiffness, 0.0, world, changed)
    for i in range(dofadr[j], dofadr[j] + count[k]):
        dof_damping[world, i] = settle(dof_damping[world, i], 2.0 / (mean * time), 0.0, world, changed)


@wp.kernel(enable_backward=False)
def follow_drives(
    actuator: wp.array(dtype=int),
    kind: wp.array(dtype=int),
    dof: wp.array(dtype=int),
    ke: wp.array2d(dtype=float),
    kd: wp.array2d(dtype=float),
    changed: wp.array(dtype=int),
    gainprm: wp.array3d(dtype=float),
    biasprm: wp.array3d(dtype=float),
):
    """Gains of actuators that follow joint targets: servos, dampers, and springs without damping."""
    world, k = wp.tid()
    u = actuator[k]
    stiff = ke[world, dof[k]]
    damp = kd[world, dof[k]]
    gain = stiff
    if kind[k] == VELOCITY:
        gain = damp
        stiff = 0.0
    if kind[k] == STIFF:
        damp = 0.0
    gainprm[world, u, 0] = settle(gainprm[world, u, 0], gain, 0.0, world, changed)
    biasprm[world, u, 1] = settle(biasprm[world, u, 1], -stiff, 0.0, world, changed)
    biasprm[world, u, 2] = settle(biasprm[world, u, 2], -damp, 0.0, world, changed)


@wp.kernel(enable_backward=False)
def follow_loads(
    where: wp.array(dtype=int),
    own: wp.array(dtype=int),
    start: wp.array(dtype=int),
    load: wp.array(dtype=int),
    output: wp.array(dtype=int),
    source: wp.array2d(dtype=float),
    loads: wp.array2d(dtype=float),
    gear: wp.array3d(dtype=float),
    changed: wp.array(dtype=int),
    target: wp.array2d(dtype=float),
):
    """Damping or armature of joints or tendons with that of actuators on them, which counts with the gear squared."""
    world, k = wp.tid()
    total = source[world, own[k]]
    for e in range(start[k], start[k + 1]):
        g = gear[world, output[e], 0]
        total += loads[world, load[e]] * g * g
    target[world, where[k]] = settle(target[world, where[k]], total, 0.0, world, changed)
