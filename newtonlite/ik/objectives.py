"""Objectives of inverse kinematics."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import JointType
from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.kernel
def place_residuals(
    body_q: wp.array2d[wp.transform],
    link: int,
    offset: wp.vec3,
    targets: wp.array[wp.vec3],
    problem: wp.array[int],
    weight: float,
    at: int,
    out: wp.array2d[float],
):
    """Position error: from a point of a link to its target."""
    row = wp.tid()
    error = weight * (targets[problem[row]] - wp.transform_point(body_q[row, link], offset))
    for i in range(3):
        out[row, at + i] = error[i]


@wp.kernel
def place_jacobian(
    body_q: wp.array2d[wp.transform],
    link: int,
    offset: wp.vec3,
    moves: wp.array[int],
    twists: wp.array2d[wp.spatial_vector],
    weight: float,
    at: int,
    out: wp.array3d[float],
):
    """Jacobian of the position error."""
    row, dof = wp.tid()
    slope = wp.vec3()
    if moves[dof] != 0:
        twist = twists[row, dof]
        point = wp.transform_point(body_q[row, link], offset)
        slope = -weight * (wp.spatial_top(twist) + wp.cross(wp.spatial_bottom(twist), point))
    for i in range(3):
        out[row, at + i, dof] = slope[i]


@wp.kernel
def turn_residuals(
    body_q: wp.array2d[wp.transform],
    link: int,
    offset: wp.quat,
    targets: wp.array[wp.vec4],
    problem: wp.array[int],
    shortest: wp.bool,
    weight: float,
    at: int,
    out: wp.array2d[float],
):
    """Rotation vector from the target to how a link is turned."""
    row = wp.tid()
    target = targets[problem[row]]
    error = (
        wp.transform_get_rotation(body_q[row, link])
        * offset
        * wp.quat_inverse(wp.quat(target[0], target[1], target[2], target[3]))
    )
    if shortest and error[3] < 0.0:
        error = -error
    v = wp.vec3(error[0], error[1], error[2])
    sine = wp.length(v)
    scale = float(2.0)
    if sine > 1.0e-8:
        scale = 2.0 * wp.atan2(sine, error[3]) / sine
    for i in range(3):
        out[row, at + i] = weight * scale * v[i]


@wp.kernel
def turn_jacobian(
    moves: wp.array[int], twists: wp.array2d[wp.spatial_vector], weight: float, at: int, out: wp.array3d[float]
):
    """Jacobian of the orientation error: the turn of the link, which leaves ``J^T r`` exact and the rest so near the
    target.
    """
    row, dof = wp.tid()
    turn = weight * float(moves[dof]) * wp.spatial_bottom(twists[row, dof])
    for i in range(3):
        out[row, at + i, dof] = turn[i]


@wp.kernel
def limit_residuals(
    joint_q: wp.array2d[float],
    coordinate: wp.array[int],
    lower: wp.array[float],
    upper: wp.array[float],
    weight: float,
    at: int,
    out: wp.array2d[float],
):
    """Distance of a coordinate beyond its limits."""
    row, dof = wp.tid()
    beyond = float(0.0)
    if coordinate[dof] >= 0:
        q = joint_q[row, coordinate[dof]]
        beyond = wp.max(q - upper[dof], 0.0) + wp.max(lower[dof] - q, 0.0)
    out[row, at + dof] = weight * beyond


@wp.kernel
def limit_jacobian(
    joint_q: wp.array2d[float],
    coordinate: wp.array[int],
    lower: wp.array[float],
    upper: wp.array[float],
    weight: float,
    at: int,
    out: wp.array3d[float],
):
    """Jacobian of the distance beyond limits."""
    row, dof, other = wp.tid()
    slope = float(0.0)
    if dof == other and coordinate[dof] >= 0:
        q = joint_q[row, coordinate[dof]]
        slope = weight * (float(q > upper[dof]) - float(q < lower[dof]))
    out[row, at + dof, other] = slope


@wp.kernel
def put(values: wp.array[Any], out: wp.array[Any]):
    """Copy values."""
    i = wp.tid()
    out[i] = values[i]


class IKObjective:
    """Residuals of a problem, whose squares are added up; subclasses say which.

    ``residual_dim`` rows are written from column ``start_idx`` on by ``compute_residuals``; rows of ``residuals``,
    ``body_q`` and ``joint_q`` are candidates of problem ``problem_idx[row]``. An objective with ``supports_analytic``
    also writes ``jacobian[row, start_idx + i, dof]``, with ``joint_S_s[row, dof]`` the twist of a freedom at the
    world's origin (linear, angular). A step along the three angular freedoms of a free or ball joint turns it by that
    rotation vector about its own frame's origin.
    """

    def __init__(self) -> None:
        self.device: Any = None
        self.total_residuals = self.residual_offset = self.n_batch = None

    def set_batch_layout(self, total_residuals: int, residual_offset: int, n_batch: int) -> None:
        """Called before the first solve: residuals of all objectives, the first of this one, and the rows."""
        self.total_residuals, self.residual_offset, self.n_batch = total_residuals, residual_offset, n_batch

    def bind_device(self, device: Any) -> None:
        """Called before the first solve: where arrays are."""
        self.device = device

    def init_buffers(self, model: Any, jacobian_mode: Any) -> None:
        """Called before the first solve: the model; make what is needed."""

    def residual_dim(self) -> int:
        """Number of residuals."""
        raise NotImplementedError(f"{type(self).__name__}.residual_dim")

    def compute_residuals(self, body_q, joint_q, model, residuals, start_idx, problem_idx) -> None:
        """Write them."""
        raise NotImplementedError(f"{type(self).__name__}.compute_residuals")

    def supports_analytic(self) -> bool:
        """Whether there is ``compute_jacobian_analytic``."""
        return False

    def compute_jacobian_analytic(self, body_q, joint_q, model, jacobian, joint_S_s, start_idx) -> None:
        """Write their derivatives."""
        raise NotImplementedError(f"{type(self).__name__}.compute_jacobian_analytic")

    def compute_jacobian_autodiff(self, tape, model, jacobian, start_idx, dq_dof) -> None:
        """Never called here: derivatives of objectives without an analytic Jacobian are differences of their residuals."""
        raise NotImplementedError(f"{type(self).__name__}.compute_jacobian_autodiff")


class OfLink(IKObjective):
    """An objective about one link."""

    link_index: int

    def init_buffers(self, model: Any, jacobian_mode: Any) -> None:
        """Find the freedoms that move the link."""
        self._moves = wp.array(freedoms_of(model, self.link_index), dtype=int, device=model.device)

    def residual_dim(self) -> int:
        return 3

    def supports_analytic(self) -> bool:
        return True

    def _set(self, targets: wp.array, new: Any, what: str) -> None:
        if new.shape[0] != targets.shape[0]:
            raise ModelError(
                f"{type(self).__name__}: Expected {targets.shape[0]} target {what}, got {new.shape[0]}; give one for each problem"
            )
        wp.copy(targets, new)


class IKObjectivePosition(OfLink):
    """A point ``link_offset`` of a link is to be at a target [m]; ``target_positions`` has one per problem."""

    def __init__(self, link_index: int, link_offset: Any, target_positions: wp.array, weight: float = 1.0):
        super().__init__()
        self.link_index, self.link_offset, self.weight = link_index, wp.vec3(link_offset), weight
        self.target_positions = target_positions

    def set_target_position(self, problem_idx: int, new_position: Any) -> None:
        """Another target for one problem."""
        self.target_positions[problem_idx : problem_idx + 1].fill_(wp.vec3(new_position))

    def set_target_positions(self, new_positions: wp.array) -> None:
        """Other targets."""
        self._set(self.target_positions, new_positions, "positions")

    def compute_residuals(self, body_q, joint_q, model, residuals, start_idx, problem_idx) -> None:
        """``weight (target - point)``."""
        inputs = [body_q, self.link_index, self.link_offset, self.target_positions, problem_idx, self.weight, start_idx]
        wp.launch(place_residuals, body_q.shape[0], inputs, [residuals], device=model.device)

    def compute_jacobian_analytic(self, body_q, joint_q, model, jacobian, joint_S_s, start_idx) -> None:
        """Minus the velocity of the point."""
        inputs = [body_q, self.link_index, self.link_offset, self._moves, joint_S_s, self.weight, start_idx]
        wp.launch(place_jacobian, (body_q.shape[0], model.joint_dof_count), inputs, [jacobian], device=model.device)


class IKObjectiveRotation(OfLink):
    """A frame of a link, turned by ``link_offset_rotation`` in it, is to be turned as a target (x, y, z, w); one per
    problem.
    """

    def __init__(
        self,
        link_index: int,
        link_offset_rotation: Any,
        target_rotations: wp.array,
        canonicalize_quat_err: bool = True,
        weight: float = 1.0,
    ):
        super().__init__()
        self.link_index, self.link_offset_rotation, self.weight = link_index, wp.quat(link_offset_rotation), weight
        self.target_rotations, self.canonicalize_quat_err = target_rotations, canonicalize_quat_err

    def set_target_rotation(self, problem_idx: int, new_rotation: Any) -> None:
        """Another target for one problem."""
        self.target_rotations[problem_idx : problem_idx + 1].fill_(wp.vec4(new_rotation))

    def set_target_rotations(self, new_rotations: wp.array) -> None:
        """Other targets."""
        self._set(self.target_rotations, new_rotations, "rotations")

    def compute_residuals(self, body_q, joint_q, model, residuals, start_idx, problem_idx) -> None:
        """The rotation vector from the target, the shorter way with ``canonicalize_quat_err``."""
        inputs = [body_q, self.link_index, self.link_offset_rotation, self.target_rotations, problem_idx]
        inputs += [self.canonicalize_quat_err, self.weight, start_idx]
        wp.launch(turn_residuals, body_q.shape[0], inputs, [residuals], device=model.device)

    def compute_jacobian_analytic(self, body_q, joint_q, model, jacobian, joint_S_s, start_idx) -> None:
        """The angular velocity of the link."""
        inputs = [self._moves, joint_S_s, self.weight, start_idx]
        wp.launch(turn_jacobian, (body_q.shape[0], model.joint_dof_count), inputs, [jacobian], device=model.device)


class IKObjectiveJointLimit(IKObjective):
    """Coordinates of slides and hinges are to be within limits, one of each per dof; free and ball joints have none."""

    def __init__(self, joint_limit_lower: wp.array, joint_limit_upper: wp.array, weight: float = 0.1):
        super().__init__()
        self.joint_limit_lower, self.joint_limit_upper, self.weight = joint_limit_lower, joint_limit_upper, weight
        self.n_dofs = len(joint_limit_lower)

    def init_buffers(self, model: Any, jacobian_mode: Any) -> None:
        """Find the coordinate of each dof."""
        self._coordinate = wp.array(coordinates_of_dofs(model), dtype=int, device=model.device)

    def residual_dim(self) -> int:
        return self.n_dofs

    def supports_analytic(self) -> bool:
        return True

    def compute_residuals(self, body_q, joint_q, model, residuals, start_idx, problem_idx) -> None:
        """Distances beyond the limits, weighted."""
        inputs = [joint_q, self._coordinate, self.joint_limit_lower, self.joint_limit_upper, self.weight, start_idx]
        wp.launch(limit_residuals, (joint_q.shape[0], self.n_dofs), inputs, [residuals], device=model.device)

    def compute_jacobian_analytic(self, body_q, joint_q, model, jacobian, joint_S_s, start_idx) -> None:
        """1 or -1 beyond a limit."""
        inputs = [joint_q, self._coordinate, self.joint_limit_lower, self.joint_limit_upper, self.weight, start_idx]
        wp.launch(limit_jacobian, (joint_q.shape[0], self.n_dofs, self.n_dofs), inputs, [jacobian], device=model.device)


def freedoms_of(model: Any, link: int) -> np.ndarray:
    """1 for the dofs that move a link, int [joint_dof_count]; ModelError for a link that no articulation moves."""
    if not 0 <= link < model.body_count:
        raise ModelError(
            f"IK objective: link index {link} is out of range [0, {model.body_count}); name a body of the model"
        )
    child, owner = model.joint_child.numpy(), model.joint_articulation.numpy()
    incoming = np.flatnonzero((child == link) & (owner >= 0))
    if len(incoming) != 1:
        found = f"link {link} has {len(incoming)} incoming articulation joints"
        raise ModelError(f"IK objective: {found}; it needs one, see ModelBuilder.add_articulation")
    starts, parent = model.joint_qd_start.numpy(), model.joint_parent.numpy()
    mover = np.full(model.body_count + 1, -1)
    mover[child[owner >= 0]] = np.flatnonzero(owner >= 0)
    mover[-1] = -1
    moves, joint = np.zeros(model.joint_dof_count, np.int32), int(incoming[0])
    while joint >= 0:
        moves[starts[joint] : starts[joint + 1]] = 1
        joint = int(mover[parent[joint]])
    return moves


def coordinates_of_dofs(model: Any) -> np.ndarray:
    """The coordinate of each dof of slides and hinges, int [joint_dof_count]; -1 for those of free and ball joints."""
    found = np.full(model.joint_dof_count, -1, np.int32)
    q, d, kinds = model.joint_q_start.numpy(), model.joint_qd_start.numpy(), model.joint_type.numpy()
    for joint in range(model.joint_count):
        if kinds[joint] not in (JointType.FREE, JointType.DISTANCE, JointType.BALL):
            found[d[joint] : d[joint + 1]] = np.arange(q[joint], q[joint + 1])
    return found
