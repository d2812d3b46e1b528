"""Tangent space of configurations: ``integrate_pos``, ``differentiate_pos``, and moving one coordinate."""

import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtJoint
from newtonlite.math.quaternion import axis_angle_to_quat, quat_conj, quat_mul, quat_normalize, quat_to_rotvec

kernel_module(__name__)


@wp.func
def load_quat(q: wp.array2d[float], world: int, adr: int):
    """Normalised quaternion at ``q[world, adr:adr+4]``."""
    return quat_normalize(wp.quat(q[world, adr], q[world, adr + 1], q[world, adr + 2], q[world, adr + 3]))


@wp.func
def turn(q: wp.array2d[float], world: int, adr: int, rotation: wp.vec3):
    """Turn a quaternion by a rotation vector in its own frame."""
    angle = wp.length(rotation)
    if angle > 0.0:
        out = quat_normalize(quat_mul(load_quat(q, world, adr), axis_angle_to_quat(rotation / angle, angle)))
        for c in range(4):
            q[world, adr + c] = out[c]


@wp.func
def shift_coordinate(
    jntid: wp.array[int],
    jnt_type: wp.array[int],
    qposadr: wp.array[int],
    dofadr: wp.array[int],
    q: wp.array2d[float],
    world: int,
    c: int,
    h: float,
):
    """Move coordinate ``c`` of the tangent by ``h``."""
    j = jntid[c]
    adr = qposadr[j]
    i = c - dofadr[j]
    if jnt_type[j] > MjtJoint.BALL or (jnt_type[j] == MjtJoint.FREE and i < 3):
        q[world, adr + i] = q[world, adr + i] + h
    else:
        if jnt_type[j] == MjtJoint.FREE:
            adr += 3
            i -= 3
        axis = wp.vec3(0.0, 0.0, 0.0)
        axis[i] = h
        turn(q, world, adr, axis)


@wp.func
def move_joint(
    jnt_type: wp.array[int],
    qposadr: wp.array[int],
    dofadr: wp.array[int],
    j: int,
    q: wp.array2d[float],
    v: wp.array2d[float],
    world: int,
    dt: float,
):
    """``q (+) v dt`` on the coordinates of one joint."""
    adr = qposadr[j]
    i = dofadr[j]
    kind = jnt_type[j]
    if kind > MjtJoint.BALL:
        q[world, adr] = q[world, adr] + v[world, i] * dt
    else:
        if kind == MjtJoint.FREE:
            for c in range(3):
                q[world, adr + c] = q[world, adr + c] + v[world, i + c] * dt
            adr += 3
            i += 3
        turn(q, world, adr, wp.vec3(v[world, i], v[world, i + 1], v[world, i + 2]) * dt)


@wp.kernel(enable_backward=False)
def integrate(
    jnt_type: wp.array[int],
    qposadr: wp.array[int],
    dofadr: wp.array[int],
    dt: float,
    v: wp.array2d[float],
    q: wp.array2d[float],
):
    """``q (+) v dt``, a joint per thread."""
    world, j = wp.tid()
    move_joint(jnt_type, qposadr, dofadr, j, q, v, world, dt)


@wp.func
def joint_difference(
    jnt_type: wp.array[int],
    qposadr: wp.array[int],
    dofadr: wp.array[int],
    j: int,
    dt: float,
    a: wp.array2d[float],
    b: wp.array2d[float],
    wa: int,
    wb: int,
    v: wp.array2d[float],
    world: int,
):
    """The velocity of one joint that leads from row ``wa`` of ``a`` to row ``wb`` of ``b`` in ``dt``."""
    adr = qposadr[j]
    i = dofadr[j]
    kind = jnt_type[j]
    if kind > MjtJoint.BALL:
        v[world, i] = (b[wb, adr] - a[wa, adr]) / dt
    else:
        if kind == MjtJoint.FREE:
            for c in range(3):
                v[world, i + c] = (b[wb, adr + c] - a[wa, adr + c]) / dt
            adr += 3
            i += 3
        between = quat_to_rotvec(quat_mul(quat_conj(load_quat(a, wa, adr)), load_quat(b, wb, adr)))
        for c in range(3):
            v[world, i + c] = between[c] / dt


@wp.kernel(enable_backward=False)
def differentiate(
    jnt_type: wp.array[int],
    qposadr: wp.array[int],
    dofadr: wp.array[int],
    dt: float,
    a: wp.array2d[float],
    b: wp.array2d[float],
    v: wp.array2d[float],
):
    """The velocity that leads from ``a`` to ``b`` in ``dt``, a joint per thread."""
    world, j = wp.tid()
    joint_difference(jnt_type, qposadr, dofadr, j, dt, a, b, world, world, v, world)


def integrate_pos(m, qpos: wp.array, qvel: wp.array, dt: float) -> None:
    """``qpos (+) qvel dt`` in place: ``qpos [n, nq]``, ``qvel [n, nv]``; quaternions turn and stay of unit length
    (``mj_integratePos``).
    """
    _check(m, qpos=qpos, qvel=qvel)
    wp.launch(
        integrate,
        (len(qpos), m.njnt),
        [m.jnt_type, m.jnt_qposadr, m.jnt_dofadr, float(dt), qvel, qpos],
        device=m.device,
    )


def differentiate_pos(m, qvel: wp.array, dt: float, qpos1: wp.array, qpos2: wp.array) -> None:
    """``qvel [n, nv]`` that leads from ``qpos1`` to ``qpos2 [n, nq]`` in ``dt`` seconds (``mj_differentiatePos``)."""
    _check(m, qpos1=qpos1, qpos2=qpos2, qvel=qvel)
    inputs = [m.jnt_type, m.jnt_qposadr, m.jnt_dofadr, float(dt), qpos1, qpos2]
    wp.launch(differentiate, (len(qpos1), m.njnt), inputs, [qvel], device=m.device)


def _check(m, **arrays) -> None:
    count = len(next(iter(arrays.values())))
    for name, array in arrays.items():
        width = m.nv if name.startswith("qvel") else m.nq
        if array.shape != (count, width):
            raise StateError(f"{name}: expected shape ({count}, {width}), got {array.shape}")
