"""Inverse dynamics of articulations: ``joint_f = M qdd + coriolis + gravity``, term by term."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import JointType
from newtonlite.core.errors import DeviceError, ModelError, StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.sim.articulation_struct import ArticulationStruct, articulation_struct, com_of, floats, left_out
from newtonlite.sim.jacobian import column_part, eval_jacobian, eval_mass_matrix

kernel_module(__name__)


@wp.func
def carried(by: wp.spatial_vector, axis: wp.spatial_vector) -> wp.spatial_vector:
    """Rate of a motion axis that moves with velocity ``by``; both about the world's origin, linear first."""
    w = wp.spatial_bottom(by)
    return wp.spatial_vector(
        wp.cross(w, wp.spatial_top(axis)) + wp.cross(wp.spatial_top(by), wp.spatial_bottom(axis)),
        wp.cross(w, wp.spatial_bottom(axis)),
    )


@wp.kernel
def drift_kernel(
    t: ArticulationStruct,
    mask: wp.array[wp.bool],
    joint_qd: wp.array[float],
    body_q: wp.array[wp.transform],
    joint_S_s: wp.array[wp.spatial_vector],
    velocity: wp.array[wp.spatial_vector],
    drift: wp.array[wp.spatial_vector],
):
    """An articulation per thread: velocities of its links, and their accelerations at ``qdd = 0``, about the world's
    origin.
    """
    a = wp.tid()
    if left_out(mask, a):
        return
    for joint in range(t.articulation_start[a], t.articulation_end[a]):
        parent = t.joint_parent[joint]
        body = t.joint_child[joint]
        v = wp.spatial_vector()
        acc = wp.spatial_vector()
        if parent >= 0:
            v = velocity[parent]
            acc = drift[parent]
        above = v
        loose = floats(t.joint_type[joint])
        for dof in range(t.joint_qd_start[joint], t.joint_qd_start[joint + 1]):
            step = joint_S_s[dof] * joint_qd[dof]
            if t.joint_type[joint] == JointType.BALL:
                acc += carried(above, step)  # its axes are the parent's
            elif not loose:
                acc += carried(v, step)
            v += step
        if loose:
            # its speeds are those of the centre of mass, whose acceleration then is none
            w = wp.spatial_bottom(v)
            acc = wp.spatial_vector(-wp.cross(w, wp.spatial_top(v) + wp.cross(w, com_of(t, body_q, body))), wp.vec3())
        velocity[body] = v
        drift[body] = acc


@wp.kernel
def passive_kernel(
    t: ArticulationStruct,
    mask: wp.array[wp.bool],
    gravity: wp.array[wp.vec3],
    body_q: wp.array[wp.transform],
    velocity: wp.array[wp.spatial_vector],
    drift: wp.array[wp.spatial_vector],
    J: wp.array3d[float],
    gravity_force: wp.array[float],
    coriolis_force: wp.array[float],
):
    """A degree of freedom per thread: ``-sum Jv^T m g``, and ``sum Jv^T m a + Jw^T (I alpha + w x I w)`` at ``qdd =
    0``.
    """
    a, i = wp.tid()
    if left_out(mask, a):
        return
    first = t.articulation_start[a]
    last = t.articulation_end[a]
    dof = t.joint_qd_start[first] + i
    if dof >= t.joint_qd_start[last]:
        return
    world = t.articulation_world[a]
    if world < 0:
        world = gravity.shape[0] - 1
    weight = float(0.0)
    total = float(0.0)
    for joint in range(first, last):
        body = t.joint_child[joint]
        mass = t.body_mass[body]
        inertia = t.body_inertia[body]
        row = 6 * (joint - first)
        linear = column_part(J, a, row, i)
        angular = column_part(J, a, row + 3, i)
        weight -= mass * wp.dot(linear, gravity[world])
        w = wp.spatial_bottom(velocity[body])
        alpha = wp.spatial_bottom(drift[body])
        com = com_of(t, body_q, body)
        v = wp.spatial_top(velocity[body]) + wp.cross(w, com)
        acc = wp.spatial_top(drift[body]) + wp.cross(alpha, com) + wp.cross(w, v)
        turn = wp.transform_get_rotation(body_q[body])
        spin = wp.quat_rotate(turn, inertia * wp.quat_rotate_inv(turn, w))
        torque = wp.quat_rotate(turn, inertia * wp.quat_rotate_inv(turn, alpha)) + wp.cross(w, spin)
        total += mass * wp.dot(linear, acc) + wp.dot(angular, torque)
    if gravity_force:
        gravity_force[dof] = weight
    if coriolis_force:
        coriolis_force[dof] = total


@wp.kernel
def force_kernel(
    t: ArticulationStruct,
    mask: wp.array[wp.bool],
    mass_matrix: wp.array3d[float],
    joint_qdd: wp.array[float],
    coriolis_force: wp.array[float],
    gravity_force: wp.array[float],
    joint_f: wp.array[float],
):
    """A degree of freedom per thread: ``joint_f = M qdd + coriolis + gravity``."""
    a, i = wp.tid()
    if left_out(mask, a):
        return
    first = t.joint_qd_start[t.articulation_start[a]]
    count = t.joint_qd_start[t.articulation_end[a]] - first
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

    ``mass_matrix`` as of ``eval_mass_matrix``, ``gravity_force`` and ``coriolis_force`` [joint_dof_count], [N, N m]:
    forces that keep ``qdd = 0``.  Reads ``state.body_q``, ``joint_q`` and ``joint_qd``; ``mask`` [articulation_count]
    chooses articulations.  Raises ModelError where a joint floats below another body.
    """
    if mass_matrix is None and gravity_force is None and coriolis_force is None:
        text = "At least one inverse-dynamics output is needed"
        raise StateError(
            f"eval_inverse_dynamics_passive: {text}; pass an array for mass_matrix, gravity_force or coriolis_force"
        )
    if model.articulation_count == 0:
        return
    check_floating(model)
    check_articulation_mask(model, mask, "eval_inverse_dynamics_passive")
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
    tree = articulation_struct(m)
    wp.launch(
        drift_kernel,
        m.articulation_count,
        [tree, mask, state.joint_qd, state.body_q, S],
        [velocity, drift],
        device=device,
    )
    inputs = [tree, mask, m.gravity, state.body_q, velocity, drift, J]
    dim = (m.articulation_count, m.max_dofs_per_articulation)
    wp.launch(passive_kernel, dim, inputs, [gravity_force, coriolis_force], device=device)


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
    arrays = {
        "joint_qdd": joint_qdd,
        "coriolis_force": coriolis_force,
        "gravity_force": gravity_force,
        "joint_f": joint_f,
    }
    for name, array in arrays.items():
        if array is None:
            raise StateError(f"eval_inverse_dynamics_force {name}: missing; pass an array [joint_dof_count]")
        check_forces(model, array, f"eval_inverse_dynamics_force {name}")
    m = model
    check_articulation_mask(model, mask, "eval_inverse_dynamics_force")
    wanted = (m.articulation_count, m.max_dofs_per_articulation, m.max_dofs_per_articulation)
    if mass_matrix is None or (m.articulation_count and mass_matrix.shape != wanted):
        found = None if mass_matrix is None else mass_matrix.shape
        raise StateError(f"eval_inverse_dynamics_force mass_matrix: {found}; give {wanted}, as eval_mass_matrix does")
    if m.articulation_count:
        inputs = [articulation_struct(m), mask, mass_matrix, joint_qdd, coriolis_force, gravity_force]
        wp.launch(force_kernel, (m.articulation_count, m.max_dofs_per_articulation), inputs, [joint_f], device=m.device)


def check_floating(model: Any) -> None:
    """Raise ModelError where a joint of an articulation floats below another body."""
    kinds, parent = model.joint_type.numpy(), model.joint_parent.numpy()
    loose = np.flatnonzero(
        np.isin(kinds, (JointType.FREE, JointType.DISTANCE)) & (parent >= 0) & (model.joint_articulation.numpy() >= 0)
    )
    for joint in loose[:1]:
        label = model.joint_label[int(joint)]
        raise ModelError(f"inverse dynamics: joint '{label}' floats below another body; only roots may, use a D6 joint")


def check_articulation_mask(model: Any, mask: wp.array | None, where: str) -> None:
    """Raise unless a mask, where given, has a value for each articulation."""
    if mask is not None and mask.shape != (model.articulation_count,):
        raise StateError(f"{where} mask: {mask.dtype.__name__}{mask.shape}; give bool{(model.articulation_count,)}")


def check_forces(model: Any, array: wp.array | None, where: str) -> None:
    """Raise unless an array, where given, has a number for each degree of freedom, on the model's device."""
    if array is None:
        return
    if array.shape != (model.joint_dof_count,) or array.dtype != wp.float32:
        raise StateError(f"{where}: {array.dtype.__name__}{array.shape}; give float32{(model.joint_dof_count,)}")
    if array.device != model.device:
        raise DeviceError(f"{where}: on {array.device}, the model on {model.device}; move it there")
