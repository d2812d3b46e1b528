"""Bodies: frames in their parents, masses, principal axes, gravity compensation, mocap poses."""

from dataclasses import replace

import numpy as np
import warp as wp

from newtonlite.core.enums import ModelFlags as Flag
from newtonlite.geometry.principal import principal, principal_double
from newtonlite.math.quat import matrix
from newtonlite.math.quaternion import quat_conj, quat_mul, quat_normalize, quat_rotate, quat_to_mat
from newtonlite.solvers.mujoco.bindings.flags import FRAME
from newtonlite.solvers.mujoco.bindings.table import Bind, Watch, derived, formula, sized
from newtonlite.solvers.mujoco.kernels.state_io.model_update import ROUNDING, write
from newtonlite.solvers.mujoco.kernels.state_io.push import rotation_of
from newtonlite.solvers.mujoco.kernels.state_io.structure_check import NONZERO

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
OFF_DIAGONAL = wp.constant(1.0e-6)  # of the largest moment: below it authored axes are principal ones


# frames


def frame_tables(m) -> dict:
    """Bodies but the world, their joints, and whether they float."""
    return dict(
        to=np.arange(1, m.nbody), link=m.newton_body[1:], carrier=m.newton_carrier[1:], floats=m.newton_floating[1:]
    )


@formula("body_pos body_quat", FRAME, frame_tables)
def frames(m, s, t, k):
    """Bodies in their parents, ``X_p inverse(X_c)``: where the joint's frame in the child lies on that in the parent; of
    those that float the initial pose.
    """
    X_p, X_c, start = s.joint_X_p[t.carrier[k]], s.joint_X_c[t.carrier[k]], s.body_q[t.link[k]]
    quat = quat_mul(rotation_of(X_p), quat_conj(rotation_of(X_c)))
    arm = quat_rotate(quat, wp.transform_get_translation(X_c))
    pos = wp.transform_get_translation(X_p) - arm
    floats, scale = t.floats[k] != 0, wp.length(arm) + wp.length(pos)
    return sized(wp.transform_get_translation(start) if floats else pos, scale), rotation_of(start) if floats else quat


def tied_tables(m) -> dict:
    """Bodies whose frames others follow from: all but mocap bodies, which are ``mocap_poses``."""
    tied = m.body_mocapid[1:] < 0
    return {name: value[tied] for name, value in frame_tables(m).items()}


frames = replace(frames, tables=tied_tables)


def root_tables(m) -> dict:
    """Mocap bodies, their numbers, and their joints."""
    root = np.flatnonzero(m.body_mocapid >= 0)
    return dict(to=m.body_mocapid[root], body=root, carrier=m.newton_carrier[root])


@derived("mocap_pos mocap_quat body_pos body_quat", Flag.JOINT_PROPERTIES, None, root_tables)
def mocap_poses(m, s, t, changed):
    """Poses of mocap bodies, ``X_p inverse(X_c)``: those of the roots that are fixed to the world, wherever these are
    moved. Nothing follows from them: what is tied to a root stays as it was in the reference pose.
    """
    world, k = wp.tid()
    X_c = s.joint_X_c[world, t.carrier[k]]
    X = s.joint_X_p[world, t.carrier[k]] * wp.transform_inverse(X_c)
    pos = wp.transform_get_translation(X)
    scale = wp.length(pos) + wp.length(wp.transform_get_translation(X_c))
    write(m.mocap_pos, world, t.to[k], pos, scale, changed)
    write(m.mocap_quat, world, t.to[k], rotation_of(X), 0.0, changed)
    write(m.body_pos, world, t.body[k], pos, scale, changed)
    write(m.body_quat, world, t.body[k], rotation_of(X), 0.0, changed)


# masses


def inertia_np(m, w) -> dict:
    """Masses, centres of mass, principal moments and axes."""
    link = m.newton_body[1:]
    own = w.read("mujoco:body_iquat")[..., link, :]
    moments, iquat = principal_axes(w.get("body_inertia")[..., link, :, :], own)
    return {
        "body_mass": with_world(w.get("body_mass")[..., link], np.zeros(())),
        "body_ipos": with_world(w.get("body_com")[..., link, :], np.zeros(3)),
        "body_iquat": with_world(iquat, IDENTITY),
        "body_inertia": with_world(moments, np.zeros(3)),
    }


def with_world(values, world) -> np.ndarray:
    """Put the world body's value in front of the others': axis 0, or 1 where there is a world dimension."""
    axis = values.ndim - world.ndim - 1
    shape = values.shape[:axis] + (1,) + world.shape
    return np.concatenate([np.broadcast_to(world, shape), values], axis=axis)


def principal_axes(inertia, authored=None) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments [..., 3] and their axes (w, x, y, z) of inertia tensors [..., 3, 3].

    ``authored`` [..., 4] are axes to take where they are principal ones, zero where there are none; else a diagonal
    tensor stays as it is, and others get MuJoCo's axes, however small their products of inertia.
    """
    inertia = np.asarray(inertia, float)
    authored = np.zeros(4) if authored is None else np.asarray(authored, float)
    shape = np.broadcast_shapes(inertia.shape[:-2], authored.shape[:-1])
    inertia, authored = np.broadcast_to(inertia, (*shape, 3, 3)), np.broadcast_to(authored, (*shape, 4))
    has_axes = authored.any(-1)
    quat = np.where(has_axes[..., None], authored, IDENTITY)
    turn = matrix(quat)
    seen = np.swapaxes(turn, -1, -2) @ inertia @ turn
    moments = np.diagonal(seen, axis1=-2, axis2=-1).copy()
    off = np.abs(seen - moments[..., None] * np.eye(3)).max((-2, -1))
    for place in map(tuple, np.argwhere(off > np.where(has_axes, 1e-6, 0.0) * np.abs(moments).max(-1))):
        tensor = inertia[place]
        moments[place], quat[place] = tensor.diagonal(), IDENTITY
        if (tensor != np.diag(moments[place])).any():
            moments[place], quat[place] = principal(0.5 * (tensor + tensor.T))
    return moments, quat


@derived(
    "body_mass body_ipos body_iquat body_inertia",
    Flag.BODY_INERTIAL_PROPERTIES,
    inertia_np,
    lambda m: dict(link=m.newton_body),
)
def inertia(m, s, mjc, t, changed):
    """Masses, centres of mass, principal moments and axes (w, x, y, z), the authored axes where they are
    principal, else those that MuJoCo chooses."""
    world, b = wp.tid()
    i = t.link[b]
    if i < 0:
        return
    write(m.body_mass, world, b, s.body_mass[world, i], 0.0, changed)
    write(m.body_ipos, world, b, s.body_com[world, i], 0.0, changed)
    tensor = s.body_inertia[world, i]
    old = quat_to_mat(quat_normalize(m.body_iquat[world, b]))
    difference = old * wp.diag(m.body_inertia[world, b]) * wp.transpose(old) - tensor
    if largest_of(difference) <= ROUNDING * largest_of(tensor):
        return
    changed[world] = 1
    moments = wp.get_diag(tensor)
    axes = wp.quat(1.0, 0.0, 0.0, 0.0)
    own = mjc.body_iquat[world, i]
    given = quat_normalize(wp.quat(own[0], own[1], own[2], own[3]))
    turned = wp.transpose(quat_to_mat(given)) * tensor * quat_to_mat(given)
    if wp.length(own) > 0.0 and off_diagonal(turned) <= OFF_DIAGONAL * wp.max(wp.abs(wp.get_diag(turned))):
        moments = wp.get_diag(turned)
        axes = given
    elif off_diagonal(tensor) > 0.0:
        exact, turn = principal_double(wp.mat33d(0.5 * (tensor + wp.transpose(tensor))))
        moments = wp.vec3(exact)
        axes = wp.quat(float(turn[0]), float(turn[1]), float(turn[2]), float(turn[3]))
    m.body_inertia[world, b] = moments
    m.body_iquat[world, b] = axes


@wp.func
def largest_of(a: wp.mat33) -> float:
    """Largest entry of a matrix, by size."""
    return wp.max(wp.max(wp.max(wp.abs(a[0])), wp.max(wp.abs(a[1]))), wp.max(wp.abs(a[2])))


@wp.func
def off_diagonal(a: wp.mat33) -> float:
    """Largest entry above the diagonal, by size."""
    return wp.max(wp.abs(a[0, 1]), wp.max(wp.abs(a[0, 2]), wp.abs(a[1, 2])))


BINDS = (Bind("body_gravcomp", "mujoco:gravcomp", "newton_body", Flag.BODY_PROPERTIES | Flag.BODY_INERTIAL_PROPERTIES),)
DERIVED = (frames, inertia, mocap_poses)
WATCHES = (Watch("mujoco:gravcomp", NONZERO, one=True),)
