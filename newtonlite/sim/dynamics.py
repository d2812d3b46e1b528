"""Inverse dynamics of articulations: ``joint_f = M qdd + coriolis + gravity``, term by term."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import JointType
from newtonlite.core.errors import DeviceError, ModelError, StateError
from newtonlite.sim.jacobian import eval_jacobian, eval_mass_matrix, rows_of
from newtonlite.sim.kinematics import BALL, DISTANCE, FREE

wp.set_module_options({"enable_backward": False})


@wp.func
def carried(by: wp.spatial_vector, axis: wp.spatial_vector) -> wp.spatial_vector:
    """Rate of a motion axis that moves with velocity ``by``; both about the world's origin, linear first."""
    w = wp.spatial_bottom(by)
    return wp.spatial_vector(
        wp.cross(w, wp.spatial_top(axis)) + wp.cross(wp.spatial_top(by), wp.spatial_bottom(axis)), wp.cross(w, wp.spatial_bottom(axis))
    )


@wp.kernel
def drift_kernel(
    mask: wp.array(dtype=wp.bool),
    articulation_start: wp.array(dtype=int),
    articulation_end: wp.array(dtype=int),
    joint_qd: wp.array(dtype=float),
    joint_qd_start: wp.array(dtype=int),
    joint_type: wp.array(dtype=int),
    joint_parent: wp.array(dtype=int),
    joint_child: wp.array(dtype=int),
    body_com: wp.array(dtype=wp.vec3),
    body_q: wp.array(dtype=wp.transform),
    joint_S_s: wp.array(dtype=wp.spatial_vector),
    velocity: wp.array(dtype=wp.spatial_vector),
    drift: wp.array(dtype=wp.spatial_vector),
):
    """An articulation per thread: velocities of its links, and their accelerations at ``qdd = 0``, about the world's origin."""
    a = wp.tid()
    if mask:
        if not mask[a]:
            return
    for joint in range(articulation_start[a], articulation_end[a]):
        parent = joint_parent[joint]
        body = joint_child[joint]
        v = wp.spatial_vector()
        acc = wp.spatial_vector()
        if parent >= 0:
            v = velocity[parent]
            acc = drift[parent]
        above = v
        floats = joint_type[joint] == FREE or joint_type[joint] == DISTANCE
        for dof in range(joint_qd_start[joint], joint_qd_start[joint + 1]):
            step = joint_S_s[dof] * joint_qd[dof]
            if joint_type[joint] == BALL:
                acc += carried(above, step)  # its axes are the parent's
            elif not floats:
                acc += carried(v, step)
            v += step
        if floats:
            # its speeds are those of the centre of mass, whose acceleration then is none
            w = wp.spatial_bottom(v)
            com = wp.transform_point(body_q[body], body_com[body])
            acc = wp.spatial_vector(-wp.cross(w, wp.spatial_top(v) + wp.cross(w, com)), wp.vec3())
        velocity[body] = v
        drift[body] = acc


@wp.kernel
def passive_kernel(
    mask: wp.array(dtype=wp.bool),
    articulation_start: wp.array(dtype=int),
    articulation_end: wp.array(dtype=int),
    articulation_world: wp.array(dtype=int),
    joint_qd_start: wp.array(dtype=int),
    joint_child: wp.array(dtype=int),
    body_com: wp.array(dtype=wp.vec3),
    body_mass: wp.array(dtype=float),
    body_inertia: wp.array(dtype=wp.mat33),
    body_q: wp.array(dtype=wp.transform),
    gravity: wp.array(dtype=wp.vec3),
    velocity: wp.array(dtype=wp.spatial_vector),
    drift: wp.array(dtype=wp.spatial_vector),
    J: wp.array3d(dtype=float),
    gravity_force: wp.array(dtype=float),
    coriolis_force: wp.array(dtype=float),
):
    """A degree of freedom per thread: ``-sum Jv^T m g``, and ``sum Jv^T m a + Jw^T (I alpha + w x I w)`` at ``qdd = 0``."""
    a, i = wp.tid()
    if mask:
        if not mask[a]:
            return
    first = articulation_start[a]
    last = articulation_end[a]
    dof = joint_qd_start[first] + i
    if dof >= joint_qd_start[last]:
        return
    world = articulation_world[a]
    if world < 0:
        world = gravity.shape[0] - 1
    weight = float(0.0)
    total = float(0.0)
    for joint in range(first, last):
        body = joint_child[joint]
        row = 6 * (joint - first)
        linear = rows_of(J, a, row, i)
        angular = rows_of(J, a, row + 3, i)
        weight -= body_mass[body] * wp.dot(linear, gravity[world])
        w = wp.spatial_bottom(velocity[body])
        alpha = wp.spatial_bottom(drift[body])
        com = wp.transform_point(body_q[body], body_com[body])
        v = wp.spatial_top(velocity[body]) + wp.cross(w, com)
        acc = wp.spatial_top(drift[body]) + wp.cross(alpha, com) + wp.cross(w, v)
        turn = wp.transform_get_rotation(body_q[body])
        spin = wp.quat_rotate(turn, body_inertia[body] * wp.quat_rotate_inv(turn, w))
        torque = wp.quat_rotate(turn, body_inertia[body] * wp.quat_rotate_inv(turn, alpha)) + wp.cross(w, spin)
        total += body_mass[body] * wp.dot(linear, acc) + wp.dot(angular, torque)
    if gravity_force:
        gravity_force[dof] = weight
    if coriolis_force:
        coriolis_force[dof] = total


@wp.kernel
def force_kernel(
    mask: wp.array(dtype=wp.bool),
    articulation_start: wp.array(dtype=int),
    articulation_end: wp.array(dtype=int),
    joint_qd_start: wp.array(dtype=int),
    mass_matrix: wp.array3d(dtype=float),
    joint_qdd: wp.array(dtype=float),
    coriolis_force: wp.array(dtype=float),
    gravity_force: wp.array(dtype=float),
    joint_f: wp.array(dtype=float),
):
    """A degree of freedom per thread: ``joint_f = M qdd + coriolis + gravity``."""
    a, i = wp.tid()
    if mask:
        if not mask[a]:
            return
    first = joint_qd_start[articulation_start[a]]
    count = joint_qd_start[articulation_end[a]] - first
    if i < count:
        total = coriolis_force[first + i] + gravity_force[first + i]
        for j in range(count):
            total += mass_matrix[a, i, j] * joint_qdd[first + j]
        joint_f[first + i] = total


def eval_inverse_dynamics_passive(
    model: Any,
    state: Any,
    *,
    mass_matrix: wp.array | None = None,
    gravity_force: wp.array | None = None,
    coriolis_force: wp.array | None = None,
    mask: wp.array | None = None,
) -> None:
    """Write what holds articulations against gravity and their own motion, as far as arrays are given.

    ``mass_matrix`` as of ``eval_mass_matrix``, ``gravity_force`` and ``coriolis_force`` [joint_dof_count] [N, N m]: forces that keep
    ``qdd = 0``.  Reads ``state.body_q``, ``joint_q`` and ``joint_qd``; ``mask`` [articulation_count] chooses articulations.  Raises
    ModelError where a joint floats below another body.
    """
    if model.articulation_count == 0:
        return
    check_floating(model)
    for name, array in (("gravity_force", gravity_force), ("coriolis_force", coriolis_force)):
        check_forces(model, array, f"eval_inverse_dynamics_passive {name}")
    device, m = model.device, model
    S = wp.zeros(m.joint_dof_count, dtype=wp.spatial_vectorf, device=device)
    J = eval_jacobian(m, state, None, S, mask)
    if mass_matrix is not None:
        eval_mass_matrix(m, state, mass_matrix, J, mask=mask)
    if gravity_force is None and coriolis_force is None:
        return
    velocity, drift = (wp.zeros(m.body_count, dtype=wp.spatial_vectorf, device=device) for _ in range(2))
    spans = [mask, m.articulation_start, m.articulation_end]
    tree = [m.joint_qd_start, m.joint_type, m.joint_parent, m.joint_child, m.body_com, state.body_q, S]
    wp.launch(drift_kernel, m.articulation_count, [*spans, state.joint_qd, *tree], [velocity, drift], device=device)
    bodies = [m.joint_qd_start, m.joint_child, m.body_com, m.body_mass, m.body_inertia, state.body_q, m.gravity, velocity, drift, J]
    wp.launch(
        passive_kernel, (m.articulation_count, m.max_dofs_per_articulation), [*spans, m.articulation_world, *bodies],
        [gravity_force, coriolis_force], device=device,
    )  # fmt: skip


def eval_inverse_dynamics_force(
    model: Any,
    state: Any,
    *,
    mass_matrix: wp.array,
    joint_qdd: wp.array,
    coriolis_force: wp.array,
    gravity_force: wp.array,
    joint_f: wp.array,
    mask: wp.array | None = None,
) -> None:
    """Write into ``joint_f`` the forces that accelerate the joints by ``joint_qdd``: ``M qdd + coriolis + gravity``.

    The terms are those of ``eval_inverse_dynamics_passive``; ``state`` is not read.
    """
    arrays = {"joint_qdd": joint_qdd, "coriolis_force": coriolis_force, "gravity_force": gravity_force, "joint_f": joint_f}
    for name, array in arrays.items():
        if array is None:
            raise StateError(f"eval_inverse_dynamics_force {name}: missing; pass an array [joint_dof_count]")
        check_forces(model, array, f"eval_inverse_dynamics_force {name}")
    m = model
    if m.articulation_count:
        inputs = [mask, m.articulation_start, m.articulation_end, m.joint_qd_start, mass_matrix, joint_qdd, coriolis_force, gravity_force]
        wp.launch(force_kernel, (m.articulation_count, m.max_dofs_per_articulation), inputs, [joint_f], device=m.device)


def check_floating(model: Any) -> None:
    """Raise ModelError where a joint of an articulation floats below another body."""
    kinds, parent = model.joint_type.numpy(), model.joint_parent.numpy()
    loose = np.flatnonzero(np.isin(kinds, (JointType.FREE, JointType.DISTANCE)) & (parent >= 0) & (model.joint_articulation.numpy() >= 0))
    for joint in loose[:1]:
        label = model.joint_label[int(joint)]
        raise ModelError(f"inverse dynamics: joint '{label}' floats below another body; only roots may, use a D6 joint")


def check_forces(model: Any, array: wp.array | None, where: str) -> None:
    """Raise unless an array, where given, has a number for each degree of freedom, on the model's device."""
    if array is None:
        return
    if array.shape != (model.joint_dof_count,) or array.dtype != wp.float32:
        raise StateError(f"{where}: {array.dtype.__name__}{list(array.shape)}; give float32[{model.joint_dof_count}]")
    if array.device != model.device:
        raise DeviceError(f"{where}: on {array.device}, the model on {model.device}; move it there")
