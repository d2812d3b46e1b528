"""Differential inverse kinematics: joint velocities that take a tool to a pose, by the inverse of its Jacobian.

``qd = bandwidth J^T (J J^T + damping^2)^-1 e + N wish``, ``q_target = q + qd dt``: ``e`` is the error of the pose,
``wish`` pulls to a posture and away from limits as far as the task is not disturbed.

Y. Nakamura and H. Hanafusa 1986; A. A. Maciejewski and C. A. Klein 1988 (damping near singular poses).
"""

from enum import Enum
from typing import Any

import numpy as np
import warp as wp

from newtonlite.controllers import singular
from newtonlite.controllers.controller import Law, OfModel
from newtonlite.controllers.fleet import Fleet
from newtonlite.controllers.ports import Port, Ports, Struct, baked, check_array, is_number
from newtonlite.controllers.poses import pose_error
from newtonlite.core.errors import ModelError, WrongTypeError


class DifferentialIKMethod(Enum):
    """Method that inverts the Jacobian."""

    DAMPED_LEAST_SQUARES = "damped_least_squares"
    PSEUDO_INVERSE = "pseudo_inverse"
    TRANSPOSE = "transpose"
    ADAPTIVE_DAMPING = "adaptive_damping"
    TRUNCATED_SVD = "truncated_svd"


METHOD_ARGUMENTS = {
    "damping": DifferentialIKMethod.DAMPED_LEAST_SQUARES,
    "adaptive_damping_min": DifferentialIKMethod.ADAPTIVE_DAMPING,
    "adaptive_damping_max": DifferentialIKMethod.ADAPTIVE_DAMPING,
    "adaptive_damping_threshold": DifferentialIKMethod.ADAPTIVE_DAMPING,
    "truncated_svd_threshold": DifferentialIKMethod.TRUNCATED_SVD,
}
"""Arguments that belong to one method."""
ALL_AXES = wp.spatial_vector(1.0, 1.0, 1.0, 1.0, 1.0, 1.0)


class ControllerDifferentialIKModelFree(Law):
    """The law with tool poses and Jacobians passed in.

    ``axis_weight`` (a ``wp.spatial_vector`` or an array of such per robot) weighs the axes of the task, three linear
    and three angular; an axis of weight 0 is no part of it. ``bandwidth`` [1/s] is a number, an array per controlled
    dof, or None to be read from the inputs; ``damping`` a number, an array per robot, or None. The other arguments of a
    method (see ``DifferentialIKMethod``) are numbers.

    ``use_joint_limit_avoidance`` pulls joints that are within ``joint_limit_avoidance_margin`` of ``joint_pos_lower``
    or ``joint_pos_upper`` to the middle between them, ``use_null_space_posture_control`` all joints to
    ``inputs.q_des_null``, both as far as the axes of ``null_space_axes`` (those of the task by default) do not move;
    ``null_space_damping`` is that projection's own.
    """

    class Inputs(Struct):
        """Inputs of ``step``."""

    class Outputs(Struct):
        """``joint_qd_target`` and ``joint_q_target`` [total_controlled_dofs]."""

    def __init__(
        self,
        *,
        controlled_dofs_per_robot: wp.array,
        axis_weight: Any = None,
        bandwidth: Any,
        damping: Any,
        ik_method: DifferentialIKMethod = DifferentialIKMethod.DAMPED_LEAST_SQUARES,
        adaptive_damping_min: float | None = None,
        adaptive_damping_max: float | None = None,
        adaptive_damping_threshold: float | None = None,
        truncated_svd_threshold: float | None = None,
        use_joint_limit_avoidance: bool = False,
        joint_limit_avoidance_gain: float = 0.0,
        joint_limit_avoidance_margin: float = 0.0,
        joint_pos_lower: wp.array | None = None,
        joint_pos_upper: wp.array | None = None,
        use_null_space_posture_control: bool = False,
        null_space_stiffness: Any = None,
        null_space_damping: Any = None,
        null_space_axes: Any = None,
        device: Any = None,
        requires_grad: bool = False,
    ):
        arguments = dict(locals())
        if requires_grad:
            raise ModelError("requires_grad: differential inverse kinematics has no gradients; leave it False")
        self.fleet = fleet = Fleet(controlled_dofs_per_robot, wp.get_device(device))
        self.limits, self.posture = bool(use_joint_limit_avoidance), bool(use_null_space_posture_control)
        self.freely = self.limits or self.posture
        self.weight = self._axes(ALL_AXES if axis_weight is None else axis_weight, "axis_weight")
        self.tasks = (self.weight.numpy() > 0).sum(1)
        if self.tasks.min() < 1:
            raise ModelError("axis_weight: is 0 for all axes of a robot; give one a weight")
        self._choose_method(ik_method, arguments)
        self._check_unused(arguments)
        self._bake(arguments)
        self._set_limits(arguments)
        self._open_ports()
        self.protected = self._protected(null_space_axes)
        w = fleet.widest
        self.work, self.turns, self.error, self.weighed = (
            fleet.blocks(6, w),
            fleet.blocks(6, 6),
            fleet.each(wp.spatial_vectorf),
            fleet.each(wp.spatial_vectorf),
        )
        self.wish, self.task_count = fleet.rows(), wp.array(self.tasks.astype(np.int32), dtype=int, device=fleet.device)
        self.dt = wp.zeros(1, dtype=float, device=fleet.device)

    def _axes(self, value: Any, name: str) -> wp.array:
        """Weights of axes, one vector per robot; ModelError for negative ones."""
        if not isinstance(value, (wp.spatial_vectorf, wp.array)):
            raise WrongTypeError(
                f"{name}: {type(value).__name__}; give a wp.spatial_vector or an array of such, one per robot"
            )
        found = baked(value, name, wp.spatial_vectorf, self.fleet.robots, self.fleet.device, (wp.spatial_vectorf,))
        if (found.numpy() < 0).any():
            raise ModelError(f"{name}: {found.numpy().tolist()}; give numbers that are not negative")
        return found

    def _choose_method(self, method: Any, arguments: dict) -> None:
        """The method and its numbers; ModelError for those that are missing, wrong, or of another method."""
        if not isinstance(method, DifferentialIKMethod):
            raise WrongTypeError(f"ik_method: {method!r}; give a DifferentialIKMethod")
        self.method = method
        for name, owner in METHOD_ARGUMENTS.items():
            if arguments[name] is not None and method != owner:
                raise ModelError(f"{name}: belongs to {owner}, and ik_method is {method}; leave it None")
            if arguments[name] is None and method == owner and name != "damping":
                raise ModelError(f"{name}: is needed by {owner}; give a number")
        least, most, threshold = (arguments[f"adaptive_damping_{name}"] for name in ("min", "max", "threshold"))
        if least is not None and not 0 <= least < most:
            raise ModelError(f"adaptive_damping_min, adaptive_damping_max: {least}, {most}; give 0 <= min < max")
        for name in ("adaptive_damping_threshold", "truncated_svd_threshold"):
            if arguments[name] is not None and arguments[name] <= 0:
                raise ModelError(f"{name}: {arguments[name]}; give a positive number")
        if method == DifferentialIKMethod.PSEUDO_INVERSE and (self.fleet.counts < self.tasks).any():
            raise ModelError(
                f"ik_method: PSEUDO_INVERSE needs as many dofs as a task has axes, {self.tasks.tolist()}; there are {self.fleet.counts.tolist()}"
            )
        self.adaptive = wp.vec3(least, most, threshold) if least is not None else wp.vec3()
        self.cut = float(arguments["truncated_svd_threshold"] or 0.0)

    def _check_unused(self, arguments: dict) -> None:
        """ModelError for arguments that would be ignored, or make no sense."""
        owners = {"joint_pos_lower": self.limits, "joint_pos_upper": self.limits, "null_space_stiffness": self.posture}
        owners |= {"null_space_damping": self.freely, "null_space_axes": self.freely}
        unused = [name for name, used in owners.items() if arguments[name] is not None and not used]
        if unused:
            raise ModelError(
                f"{', '.join(unused)}: would be ignored without what they belong to; leave them out, or turn on what pulls in the null space"
            )
        for name in ("joint_limit_avoidance_gain", "joint_limit_avoidance_margin"):
            if self.limits and arguments[name] <= 0:
                raise ModelError(f"{name}: {arguments[name]}; give a positive number")

    def _bake(self, arguments: dict) -> None:
        """Gains that are fixed; None for those that are read from the inputs."""
        fleet = self.fleet
        wanted = {
            "bandwidth": (True, fleet.dofs),
            "damping": (self.method == DifferentialIKMethod.DAMPED_LEAST_SQUARES, fleet.robots),
        }
        wanted |= {
            "null_space_stiffness": (self.posture, fleet.dofs),
            "null_space_damping": (self.freely, fleet.robots),
        }
        self.gains = {
            name: baked(arguments[name], name, wp.float32, count, fleet.device)
            for name, (used, count) in wanted.items()
            if used
        }
        for name in ("bandwidth", "null_space_stiffness", "null_space_damping"):
            value = self.gains.get(name)
            if value is not None and (value.numpy() < 0).any():
                raise ModelError(
                    f"{name}: {arguments[name] if is_number(arguments[name]) else value.numpy().tolist()}; give numbers that are not negative"
                )
        self.no_damping = wp.zeros(fleet.robots, dtype=float, device=fleet.device)

    def _set_limits(self, arguments: dict) -> None:
        self.gain, self.margin = (
            float(arguments["joint_limit_avoidance_gain"]),
            float(arguments["joint_limit_avoidance_margin"]),
        )
        if self.limits:
            self._check_limits(arguments["joint_pos_lower"], arguments["joint_pos_upper"])
            self.lower, self.upper = wp.clone(arguments["joint_pos_lower"]), wp.clone(arguments["joint_pos_upper"])

    def _check_limits(self, lower: Any, upper: Any) -> None:
        for name, value in (("joint_pos_lower", lower), ("joint_pos_upper", upper)):
            check_array(value, name, wp.float32, (self.fleet.dofs,), self.fleet.device)
        low, high = lower.numpy(), upper.numpy()
        if not (np.isfinite(low) & np.isfinite(high) & (low < high)).all():
            raise ModelError(
                f"joint_pos_lower, joint_pos_upper: {low.tolist()}, {high.tolist()}; give finite limits, the lower below the upper"
            )

    def set_joint_limits(self, *, joint_pos_lower: wp.array, joint_pos_upper: wp.array) -> None:
        """Other limits [m or rad] per controlled dof, in place. ModelError where limits are not avoided, or make no
        sense.
        """
        if not self.limits:
            raise ModelError(
                "set_joint_limits: limits are not avoided; make the controller with use_joint_limit_avoidance=True"
            )
        self._check_limits(joint_pos_lower, joint_pos_upper)
        wp.copy(self.lower, joint_pos_lower)
        wp.copy(self.upper, joint_pos_upper)

    def _protected(self, axes: Any) -> wp.array | None:
        """1 for axes that the null space leaves alone; ModelError where that leaves no well-defined projection."""
        if not self.freely:
            return None
        chosen = (self.weight if axes is None else self._axes(axes, "null_space_axes")).numpy() > 0
        damping = self.gains["null_space_damping"]
        if damping is not None and ((self.fleet.counts < chosen.sum(1)) & (damping.numpy() <= 0)).any():
            raise ModelError("null_space_damping: has to be positive for robots with fewer dofs than protected axes")
        return wp.array(chosen.astype(np.float32), dtype=wp.spatial_vectorf, device=self.fleet.device)

    def _open_ports(self) -> None:
        r, n, w = self.fleet.robots, self.fleet.dofs, self.fleet.widest
        live = lambda name: name in self.gains and self.gains[name] is None
        ports = [
            Port("joint_q", wp.float32, (n,)),
            Port("tool_pose_world", wp.transformf, (r,)),
            Port("desired_tool_pose_world", wp.transformf, (r,)),
            Port("jacobian_tool_world", wp.float32, (r, 6, w)),
            Port("bandwidth", wp.float32, (n,), live("bandwidth"), "bandwidth=None"),
            Port("damping", wp.float32, (r,), live("damping"), "DAMPED_LEAST_SQUARES and damping=None"),
            Port("q_des_null", wp.float32, (n,), self.posture, "use_null_space_posture_control"),
            Port(
                "null_space_stiffness",
                wp.float32,
                (n,),
                live("null_space_stiffness"),
                "use_null_space_posture_control and null_space_stiffness=None",
            ),
            Port(
                "null_space_damping",
                wp.float32,
                (r,),
                live("null_space_damping"),
                "a pull in the null space and null_space_damping=None",
            ),
        ]
        self.inputs = Ports(self.Inputs, "inputs", ports, self.fleet.device)
        out = [Port(name, wp.float32, (n,)) for name in ("joint_qd_target", "joint_q_target")]
        self.outputs = Ports(self.Outputs, "outputs", out, self.fleet.device)

    def step(self, *, inputs: Any, outputs: Any, dt: float | wp.array) -> None:
        """Write joint velocities, and where they lead in ``dt`` seconds (a number, or an array ``[1]``)."""
        fleet = self.fleet
        found = self.inputs.read(inputs) | {name: value for name, value in self.gains.items() if value is not None}
        out, seconds = self.outputs.targets(outputs), self._seconds(dt)
        qd = out["joint_qd_target"]
        fleet.launch(
            pose_error, fleet.robots, [found["tool_pose_world"], found["desired_tool_pose_world"]], [self.error]
        )
        fleet.launch(singular.weighed_error, fleet.robots, [self.error, self.weight], [self.weighed])
        fleet.launch(singular.weighed_rows, self.work.shape, [found["jacobian_tool_world"], self.weight], [self.work])
        self._solve(found, qd)
        if self.freely:
            self._add_wishes(found, qd)
        fleet.launch(singular.advance, fleet.dofs, [found["joint_q"], qd, seconds], [out["joint_q_target"]])
        self.outputs.write(outputs)

    def _solve(self, found: dict, qd: wp.array) -> None:
        """``qd = bandwidth J^+ e``."""
        fleet = self.fleet
        if self.method == DifferentialIKMethod.TRANSPOSE:
            table = [fleet.robot_of_dof, fleet.slot_of_dof]
            fleet.launch(
                singular.transpose_step, fleet.dofs, [self.work, self.weighed, *table, found["bandwidth"]], [qd]
            )
            return
        damping = found.get("damping", self.no_damping)
        inputs = [
            self.work,
            self.turns,
            self.weighed,
            fleet.count,
            fleet.first,
            self.task_count,
            damping,
            self.adaptive,
            self.cut,
            found["bandwidth"],
        ]
        fleet.launch(singular.solve_task, fleet.robots, inputs, [qd])

    def _add_wishes(self, found: dict, qd: wp.array) -> None:
        """Add what joints should do as far as the protected axes do not move."""
        fleet = self.fleet
        self.wish.zero_()
        if self.limits:
            fleet.launch(
                singular.away_from_limits,
                fleet.dofs,
                [found["joint_q"], self.lower, self.upper, self.gain, self.margin],
                [self.wish],
            )
        if self.posture:
            fleet.launch(
                singular.to_posture,
                fleet.dofs,
                [found["joint_q"], found["q_des_null"], found["null_space_stiffness"]],
                [self.wish],
            )
        fleet.launch(
            singular.weighed_rows, self.work.shape, [found["jacobian_tool_world"], self.protected], [self.work]
        )
        inputs = [self.work, self.turns, fleet.count, fleet.first, found["null_space_damping"], self.wish]
        fleet.launch(singular.add_freely, fleet.robots, inputs, [qd])

    def _seconds(self, dt: Any) -> wp.array:
        if isinstance(dt, wp.array):
            check_array(dt, "dt", wp.float32, (1,), self.fleet.device)
            return dt
        self.dt.fill_(float(dt))
        return self.dt


class ControllerDifferentialIK(OfModel):
    """The law with tool poses and Jacobians of a ``model``'s articulations.

    ``tool_sites`` names one site of each robot; ``articulations`` and ``joints`` choose what is controlled.
    ``inputs.joint_q`` and ``joint_qd`` are those of the whole model. All other arguments are those of the law without
    model.
    """

    class Inputs(Struct):
        """Inputs of ``step``."""

    class Outputs(Struct):
        """``joint_qd_target`` and ``joint_q_target`` [total_controlled_dofs]."""

    COMPUTED = ("joint_q", "tool_pose_world", "jacobian_tool_world")

    def __init__(
        self,
        model: Any,
        *,
        articulations: Any = None,
        joints: Any = None,
        tool_sites: Any,
        bandwidth: Any,
        damping: Any,
        **options: Any,
    ):
        self._choose(model, articulations, joints, tool_sites, tools=True)
        law = ControllerDifferentialIKModelFree(
            controlled_dofs_per_robot=self.chosen.counts,
            bandwidth=bandwidth,
            damping=damping,
            device=model.device,
            **options,
        )
        self._wire(law)
        fleet = self.fleet
        self.whole_jacobian = self._of_model(
            model.articulation_count, 6 * model.max_joints_per_articulation, model.max_dofs_per_articulation
        )
        self.twist = fleet.each(wp.spatial_vectorf)
        self.given = given = ControllerDifferentialIKModelFree.Inputs()
        given.tool_pose_world, given.jacobian_tool_world = fleet.each(wp.transformf), fleet.blocks(6, fleet.widest)
        given.joint_q = self.state.joint_q[self.q_start]

    @property
    def tool_body(self) -> wp.array:
        """Body of each robot's tool, int [robots]."""
        return self.tools.body

    @property
    def tool_transform_body(self) -> wp.array:
        """Pose of each tool on its body, [robots]."""
        return self.tools.offset

    @property
    def tool_pose_world(self) -> wp.array:
        """World pose of each tool in the last step, [robots]."""
        return self.given.tool_pose_world

    def set_joint_limits(self, *, joint_pos_lower: wp.array, joint_pos_upper: wp.array) -> None:
        """Other limits [m or rad] per controlled dof, in place."""
        self.law.set_joint_limits(joint_pos_lower=joint_pos_lower, joint_pos_upper=joint_pos_upper)

    def step(self, *, inputs: Any, outputs: Any, dt: float | wp.array) -> None:
        """Compute the robots' terms at ``inputs.joint_q``, and write where joints are to go."""
        self.inputs.check(inputs)
        self._move(inputs)
        given = self.given
        self._follow_tools(given.tool_pose_world, self.twist, self.whole_jacobian, given.jacobian_tool_world)
        for port in self.passed:
            setattr(given, port.name, getattr(inputs, port.name, None))
        self.law.step(inputs=given, outputs=outputs, dt=dt)
