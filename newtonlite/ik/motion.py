"""Poses of many problems at once, how each freedom moves the links, and steps along the freedoms."""

from typing import Any

import warp as wp

from newtonlite.core.enums import JointType
from newtonlite.core.kernel_module import kernel_module
from newtonlite.sim.articulation_struct import ArticulationStruct, articulation_struct, base_frame, floats
from newtonlite.sim.euler_angles import axis_angle
from newtonlite.sim.kinematics import joint_motion

kernel_module(__name__)


@wp.func
def hinge(frame: wp.transform, axis: wp.vec3, anchor: wp.vec3) -> wp.spatial_vector:
    """Twist at the world's origin of a turn about an axis of a frame, through a point."""
    turn = wp.transform_vector(frame, axis)
    return wp.spatial_vector(wp.cross(anchor, turn), turn)


@wp.func
def slide(frame: wp.transform, axis: wp.vec3) -> wp.spatial_vector:
    """Twist of a slide along an axis of a frame."""
    return wp.spatial_vector(wp.transform_vector(frame, axis), wp.vec3())


@wp.func
def basis_vector(i: int) -> wp.vec3:
    """A basis vector."""
    return wp.vec3(float(i == 0), float(i == 1), float(i == 2))


@wp.kernel
def pose_kernel(
    t: ArticulationStruct,
    joint_q: wp.array2d[float],
    still: wp.array2d[float],
    body_q: wp.array2d[wp.transform],
    twists: wp.array2d[wp.spatial_vector],
):
    """An articulation of a problem per thread: poses of its bodies, and the twist of each freedom where there is room
    for them.
    """
    problem, articulation = wp.tid()
    for joint in range(t.articulation_start[articulation], t.articulation_end[articulation]):
        if t.joint_articulation[joint] == articulation:
            frame = base_frame(t, body_q[problem], joint)
            pose = joint_motion(t, joint_q[problem], still[0], joint).pose
            body_q[problem, t.joint_child[joint]] = frame * pose * wp.transform_inverse(t.joint_X_c[joint])
            if twists.shape[0] > 0:
                kind = t.joint_type[joint]
                at = t.joint_qd_start[joint]
                anchor = wp.transform_get_translation(frame * pose)
                if floats(kind):
                    for i in range(3):
                        twists[problem, at + i] = slide(frame, basis_vector(i))
                        twists[problem, at + 3 + i] = hinge(frame, basis_vector(i), anchor)
                elif kind == JointType.BALL:
                    for i in range(3):
                        twists[problem, at + i] = hinge(frame, basis_vector(i), anchor)
                else:
                    slides = t.joint_dof_dim[joint, 0]
                    for i in range(slides):
                        twists[problem, at + i] = slide(frame, t.joint_axis[at + i])
                    turn = wp.quat_identity()
                    for i in range(t.joint_dof_dim[joint, 1]):
                        axis = t.joint_axis[at + slides + i]
                        twists[problem, at + slides + i] = hinge(frame, wp.quat_rotate(turn, axis), anchor)
                        turn = turn * axis_angle(axis, joint_q[problem, t.joint_q_start[joint] + slides + i])


@wp.func
def rotate_by_vector(rotation: wp.quat, by: wp.vec3) -> wp.quat:
    """A rotation followed by a rotation vector; unchanged, to the last bit, by none."""
    angle = wp.length(by)
    out = rotation
    if angle > 0.0:
        out = wp.normalize(axis_angle(by / angle, angle) * rotation)
    return out


@wp.kernel
def advance_kernel(
    t: ArticulationStruct,
    joint_q: wp.array2d[float],
    source: wp.array[int],
    steps: wp.array2d[float],
    scales: wp.array[float],
    out: wp.array2d[float],
):
    """A joint of a row per thread: coordinates of problem ``source[row]``, moved by the scaled step of that problem."""
    row, joint = wp.tid()
    problem = source[row]
    scale = scales[row % scales.shape[0]]
    q = t.joint_q_start[joint]
    d = t.joint_qd_start[joint]
    if floats(t.joint_type[joint]) or t.joint_type[joint] == JointType.BALL:
        if floats(t.joint_type[joint]):
            for i in range(3):
                out[row, q + i] = joint_q[problem, q + i] + scale * steps[problem, d + i]
            q += 3
            d += 3
        rotation = wp.quat(
            joint_q[problem, q], joint_q[problem, q + 1], joint_q[problem, q + 2], joint_q[problem, q + 3]
        )
        rotation = rotate_by_vector(
            rotation, scale * wp.vec3(steps[problem, d], steps[problem, d + 1], steps[problem, d + 2])
        )
        for i in range(4):
            out[row, q + i] = rotation[i]
    else:
        for i in range(t.joint_dof_dim[joint, 0] + t.joint_dof_dim[joint, 1]):
            out[row, q + i] = joint_q[problem, q + i] + scale * steps[problem, d + i]


@wp.kernel
def nudge_kernel(t: ArticulationStruct, joint_q: wp.array2d[float], dofs: int, size: float, out: wp.array2d[float]):
    """A joint of a row per thread: coordinates of problem ``row / dofs``, with freedom ``row % dofs`` moved by
    ``size``.
    """
    row, joint = wp.tid()
    problem = row / dofs
    dof = row % dofs
    q = t.joint_q_start[joint]
    d = t.joint_qd_start[joint]
    if floats(t.joint_type[joint]) or t.joint_type[joint] == JointType.BALL:
        if floats(t.joint_type[joint]):
            for i in range(3):
                out[row, q + i] = joint_q[problem, q + i] + size * float(dof == d + i)
            q += 3
            d += 3
        rotation = wp.quat(
            joint_q[problem, q], joint_q[problem, q + 1], joint_q[problem, q + 2], joint_q[problem, q + 3]
        )
        rotation = rotate_by_vector(rotation, size * wp.vec3(float(dof == d), float(dof == d + 1), float(dof == d + 2)))
        for i in range(4):
            out[row, q + i] = rotation[i]
    else:
        for i in range(t.joint_dof_dim[joint, 0] + t.joint_dof_dim[joint, 1]):
            out[row, q + i] = joint_q[problem, q + i] + size * float(dof == d + i)


class PoseBuffers:
    """Buffers for the poses of ``count`` rows, and for the twists of their freedoms where ``with_twists``."""

    def __init__(self, model: Any, count: int, with_twists: bool):
        self.model, self.count = model, count
        start = model.body_q.numpy()[None].repeat(max(count, 1), 0)[:count]
        self.body_q = wp.array(start, dtype=wp.transform, ndim=2, device=model.device)
        self.twists = wp.zeros(
            (count if with_twists else 0, model.joint_dof_count), dtype=wp.spatial_vector, device=model.device
        )
        self._still = wp.zeros((1, max(model.joint_dof_count, 1)), dtype=float, device=model.device)

    def find(self, joint_q: wp.array) -> None:
        """Poses at coordinates [count, joint_coord_count]."""
        dim = (self.count, self.model.articulation_count)
        wp.launch(
            pose_kernel,
            dim,
            [articulation_struct(self.model), joint_q, self._still],
            [self.body_q, self.twists],
            device=self.model.device,
        )
