"""Operational space: motions and forces of a tool controlled along the axes of a task (Khatib 1987), with a posture in
the null space.

``tau = J^T ([Lambda] Omega_m (Kp e + Kd de) + Omega_w (w_des + K (w_des - w))) + N [M] (Kp0 dq + Kd0 dqd) + g``, with
``Lambda = (J M^-1 J^T)^-1`` and everything of the task seen from the operational frame.

O. Khatib, "A unified approach for motion and force control of robot manipulators: the operational space formulation",
IEEE Journal of Robotics and Automation 3(1), 1987.
"""

from typing import Any

import warp as wp

from newtonlite.controllers import blocks, poses, task
from newtonlite.controllers.controller import Law, OfModel
from newtonlite.controllers.fleet import Fleet
from newtonlite.controllers.ports import Port, Ports, Struct, baked
from newtonlite.core.errors import ModelError

TASK = 6
"""Axes of a task: three linear, then three angular ones."""
WORLD = wp.transform_identity()
STRAIGHT = wp.quat_identity()
WRENCH = "use_wrench_feedforward or use_wrench_feedback"
SELECTIONS = ("linear_selection_frame_operational", "angular_selection_frame_operational")
NULL = ("null_space_stiffness", "null_space_damping")
POSTURE = ("joint_q", "joint_qd", "joint_q_des_null", "joint_qd_des_null")


class ControllerOperationalSpaceModelFree(Law):
    """The law with tool poses, twists, Jacobians, inertias and gravity forces passed in.

    Gains of motion and wrench are a number, a ``wp.spatial_vector`` (three linear, three angular axes of the
    operational frame), an array of such ``[robots]``, or None to be read from the inputs; with
    ``use_inertia_decoupling`` [1/s^2] and [1/s], else [N/m, N m/rad] and [N s/m, N m s/rad]. Frames are a
    ``wp.transform`` or ``wp.quat``, an array, or None. ``motion_selection_axes`` and ``wrench_selection_axes`` are
    shares of each axis, in the selection frames. ``use_partial_inertia_decoupling`` leaves out how translation and
    rotation are coupled in ``Lambda``. Null-space gains are a number, an array ``[total_controlled_dofs]``, or None.
    """

    class Inputs(Struct):
        """Inputs of ``step``."""

    class Outputs(Struct):
        """``joint_f`` [total_controlled_dofs], N or N m."""

    def __init__(
        self,
        *,
        controlled_dofs_per_robot: wp.array,
        motion_stiffness: Any,
        motion_damping: Any,
        operational_frame_pose_world: Any = WORLD,
        use_inertia_decoupling: bool = True,
        use_partial_inertia_decoupling: bool = False,
        use_gravity_compensation: bool = True,
        use_wrench_feedforward: bool = False,
        use_wrench_feedback: bool = False,
        use_motion_wrench_projection: bool = False,
        motion_selection_axes: Any = None,
        wrench_selection_axes: Any = None,
        wrench_stiffness: Any = None,
        linear_selection_frame_operational: Any = STRAIGHT,
        angular_selection_frame_operational: Any = STRAIGHT,
        use_null_space_control: bool = False,
        null_space_stiffness: Any = None,
        null_space_damping: Any = None,
        device: Any = None,
        requires_grad: bool = False,
    ):
        arguments = dict(locals())
        self.fleet = Fleet(controlled_dofs_per_robot, wp.get_device(device))
        self.requires_grad = requires_grad
        self.inertial, self.partial = bool(use_inertia_decoupling), bool(use_partial_inertia_decoupling)
        self.forward, self.feedback, self.posture = (
            bool(use_wrench_feedforward),
            bool(use_wrench_feedback),
            bool(use_null_space_control),
        )
        self.wrench, self.again = self.forward or self.feedback, bool(use_motion_wrench_projection)
        self._check_fleet()
        self._check_unused(arguments)
        self._bake(arguments)
        self._open_ports(bool(use_gravity_compensation))
        self._make_room()

    def _check_fleet(self) -> None:
        """ModelError where robots have too few dofs for what is asked."""
        counts = self.fleet.counts
        if self.inertial and counts.min() < TASK:
            raise ModelError(
                f"use_inertia_decoupling: needs 6 controlled dofs of every robot, there are {counts.tolist()}; pass False"
            )
        if self.partial and not self.inertial:
            raise ModelError(
                "use_partial_inertia_decoupling: is a part of use_inertia_decoupling, which is off; turn that on too"
            )
        if self.posture and counts.min() <= TASK:
            raise ModelError(
                f"use_null_space_control: needs more than 6 controlled dofs of every robot, there are {counts.tolist()}; pass False"
            )

    def _check_unused(self, arguments: dict) -> None:
        """ModelError for arguments that would be ignored, or are missing."""
        unused = []
        if not self.wrench:
            unused += [
                (n, WRENCH)
                for n in ("motion_selection_axes", "wrench_selection_axes", "wrench_stiffness")
                if arguments[n] is not None
            ]
            unused += [(n, WRENCH) for n in SELECTIONS if arguments[n] is not STRAIGHT]
        elif arguments["wrench_selection_axes"] is None:
            raise ModelError(
                "wrench_selection_axes: is needed to control wrenches; give the share of each of the six axes"
            )
        elif not self.feedback and arguments["wrench_stiffness"] is not None:
            unused.append(("wrench_stiffness", "use_wrench_feedback"))
        unused += [(n, "use_null_space_control") for n in NULL if arguments[n] is not None and not self.posture]
        if unused:
            raise ModelError(
                "; ".join(f"{name}: would be ignored without {switch}" for name, switch in unused) + "; leave it out"
            )

    def _bake(self, arguments: dict) -> None:
        """Arrays of what is fixed, by port; None for what is read from the inputs."""
        fleet = self.fleet
        vector, turn = wp.spatial_vectorf, wp.quatf

        def keep(name: str, dtype: Any, count: int, *singles: Any) -> None:
            self.fixed[name] = baked(arguments[name], name, dtype, count, fleet.device, singles)

        self.fixed: dict = {}
        for name in ("motion_stiffness", "motion_damping"):
            keep(name, vector, fleet.robots, vector)
        keep("operational_frame_pose_world", wp.transformf, fleet.robots, wp.transformf)
        if self.wrench:
            for name in SELECTIONS:
                keep(name, turn, fleet.robots, turn)
            arguments["motion_selection_axes"] = (
                wp.spatial_vector(*[1.0] * TASK)
                if arguments["motion_selection_axes"] is None
                else arguments["motion_selection_axes"]
            )
            keep("motion_selection_axes", vector, fleet.robots, vector)
            keep("wrench_selection_axes", vector, fleet.robots, vector)
        if self.feedback:
            keep("wrench_stiffness", vector, fleet.robots, vector)
        if self.posture:
            for name in NULL:
                keep(name, wp.float32, fleet.dofs)

    def _open_ports(self, gravity: bool) -> None:
        """Ports of what is read in each step."""
        r, n, w = self.fleet.robots, self.fleet.dofs, self.fleet.widest
        vector = wp.spatial_vectorf
        live = lambda name: name in self.fixed and self.fixed[name] is None
        ports = [
            Port("tool_pose_world", wp.transformf, (r,)),
            Port("tool_twist_world", vector, (r,)),
            Port("jacobian_tool_world", wp.float32, (r, TASK, w)),
            Port("mass_matrix", wp.float32, (r, w, w), self.inertial, "use_inertia_decoupling"),
            Port("gravity_force", wp.float32, (n,), gravity, "use_gravity_compensation"),
            Port(
                "operational_frame_pose_world",
                wp.transformf,
                (r,),
                live("operational_frame_pose_world"),
                "operational_frame_pose_world=None",
            ),
            Port("desired_tool_pose_operational", wp.transformf, (r,)),
            Port("desired_twist_operational", vector, (r,)),
            *(Port(name, vector, (r,), live(name), f"{name}=None") for name in ("motion_stiffness", "motion_damping")),
            Port("desired_wrench_world", vector, (r,), self.wrench, WRENCH),
            Port("measured_wrench_world", vector, (r,), self.feedback, "use_wrench_feedback"),
            Port(
                "wrench_stiffness",
                vector,
                (r,),
                live("wrench_stiffness"),
                "use_wrench_feedback and wrench_stiffness=None",
            ),
            *(Port(name, wp.quatf, (r,), live(name), f"{name}=None") for name in SELECTIONS),
            *(Port(name, wp.float32, (n,), self.posture, "use_null_space_control") for name in POSTURE),
            *(Port(name, wp.float32, (n,), live(name), f"use_null_space_control and {name}=None") for name in NULL),
        ]
        self.inputs = Ports(self.Inputs, "inputs", ports, self.fleet.device, self.requires_grad)
        self.outputs = Ports(
            self.Outputs, "outputs", [Port("joint_f", wp.float32, (n,))], self.fleet.device, self.requires_grad
        )

    def _make_room(self) -> None:
        """Arrays between kernels."""
        fleet, w = self.fleet, self.fleet.widest
        self.pose, self.row, self.other_row = fleet.each(wp.transformf), fleet.rows(), fleet.rows()
        self.twist, self.error, self.motion, self.selected, self.force, self.desired, self.measured, self.command = (
            fleet.each(wp.spatial_vectorf) for _ in range(8)
        )
        self.jacobian, self.weighed, self.inverse_transposed = (fleet.blocks(TASK, w) for _ in range(3))
        self.six, self.three = fleet.sizes(TASK), fleet.sizes(3)
        self.flexibility, self.task_factor, self.inertia = (fleet.blocks(TASK, TASK) for _ in range(3))
        self.mass_inverse, self.mass_factor, self.projector = (fleet.blocks(w, w) for _ in range(3))

    def step(self, *, inputs: Any, outputs: Any, dt: float | wp.array) -> None:
        """Write ``outputs.joint_f``; ``dt`` is not used. ModelError for ports of another shape, or that would be
        ignored.
        """
        fleet, n = self.fleet, self.fleet.dofs
        found = self.inputs.read(inputs) | {name: value for name, value in self.fixed.items() if value is not None}
        tau = self.outputs.targets(outputs)["joint_f"]
        frame = found["operational_frame_pose_world"]
        fleet.launch(
            poses.into_frame,
            fleet.robots,
            [frame, found["tool_pose_world"], found["tool_twist_world"]],
            [self.pose, self.twist],
        )
        fleet.launch(
            poses.jacobian_into_frame,
            (fleet.robots, fleet.widest),
            [frame, found["jacobian_tool_world"]],
            [self.jacobian],
        )
        fleet.launch(poses.pose_error, fleet.robots, [self.pose, found["desired_tool_pose_operational"]], [self.error])
        gains = [found["motion_stiffness"], found["motion_damping"]]
        fleet.launch(
            task.task_spring,
            fleet.robots,
            [self.error, self.twist, found["desired_twist_operational"], *gains],
            [self.motion],
        )
        self._map(self._motion_force(found), tau, keep=False)
        if self.wrench:
            self._map(self._wrench_force(found, frame), tau, keep=True)
        if self.posture:
            self._add_posture(found, tau)
        if "gravity_force" in found:
            fleet.launch(blocks.add_block, n, [found["gravity_force"]], [tau])
        self.outputs.write(outputs)

    def _map(self, force: wp.array, tau: wp.array, keep: bool) -> None:
        """``tau (+)= J^T F``."""
        inputs = [self.jacobian, force, self.fleet.robot_of_dof, self.fleet.slot_of_dof, keep]
        self.fleet.launch(blocks.transpose_times, self.fleet.dofs, inputs, [tau])

    def _select(self, found: dict, axes: str, vector: wp.array, out: wp.array) -> wp.array:
        self.fleet.launch(
            task.specify, self.fleet.robots, [*(found[name] for name in SELECTIONS), found[axes], vector], [out]
        )
        return out

    def _motion_force(self, found: dict) -> wp.array:
        """``[Omega] [Lambda] Omega a`` of the springs' acceleration."""
        force = self._select(found, "motion_selection_axes", self.motion, self.selected) if self.wrench else self.motion
        if self.inertial:
            self._find_inertia(found["mass_matrix"])
            self.fleet.launch(blocks.times_spatial, self.fleet.robots, [self.inertia, force], [self.force])
            force = self.force
        if self.wrench and self.again:
            force = self._select(found, "motion_selection_axes", force, self.desired)
        return force

    def _find_inertia(self, mass: wp.array) -> None:
        """``Lambda = (J M^-1 J^T)^-1``, or only its two blocks on the diagonal."""
        fleet = self.fleet
        fleet.launch(blocks.invert, fleet.robots, [mass, fleet.count, 0, self.mass_factor], [self.mass_inverse])
        fleet.launch(
            blocks.product, self.weighed.shape, [self.jacobian, self.mass_inverse, False, fleet.count], [self.weighed]
        )
        fleet.launch(
            blocks.product, self.flexibility.shape, [self.weighed, self.jacobian, True, fleet.count], [self.flexibility]
        )
        for start, size in ((0, self.three), (3, self.three)) if self.partial else ((0, self.six),):
            fleet.launch(blocks.invert, fleet.robots, [self.flexibility, size, start, self.task_factor], [self.inertia])

    def _wrench_force(self, found: dict, frame: wp.array) -> wp.array:
        """The commanded wrench along the axes that are force-controlled."""
        fleet, measured = self.fleet, None
        fleet.launch(poses.vector_into_frame, fleet.robots, [frame, found["desired_wrench_world"]], [self.desired])
        if self.feedback:
            measured = self.measured
            fleet.launch(poses.vector_into_frame, fleet.robots, [frame, found["measured_wrench_world"]], [measured])
        inputs = [self.desired, measured, found.get("wrench_stiffness"), float(self.forward)]
        fleet.launch(task.wrench_command, fleet.robots, inputs, [self.command])
        return self._select(found, "wrench_selection_axes", self.command, self.force)

    def _add_posture(self, found: dict, tau: wp.array) -> None:
        """``tau += N [M] (Kp0 dq + Kd0 dqd)``, the projector consistent with the robot's inertia where that is
        decoupled in full.
        """
        fleet, n = self.fleet, self.fleet.dofs
        fleet.launch(blocks.spring, n, [found[name] for name in (*POSTURE, *NULL)], [self.row])
        if self.inertial and not self.partial:  # Jbar^T = Lambda J M^-1
            fleet.launch(
                blocks.product,
                self.weighed.shape,
                [self.jacobian, self.mass_inverse, False, fleet.count],
                [self.weighed],
            )
            fleet.launch(
                blocks.product,
                self.weighed.shape,
                [self.inertia, self.weighed, False, self.six],
                [self.inverse_transposed],
            )
        else:  # (J J^T)^-1 J
            fleet.launch(
                blocks.product,
                self.flexibility.shape,
                [self.jacobian, self.jacobian, True, fleet.count],
                [self.flexibility],
            )
            fleet.launch(blocks.invert, fleet.robots, [self.flexibility, self.six, 0, self.task_factor], [self.inertia])
            fleet.launch(
                blocks.product,
                self.weighed.shape,
                [self.inertia, self.jacobian, False, self.six],
                [self.inverse_transposed],
            )
        fleet.launch(
            blocks.null_space, self.projector.shape, [self.jacobian, self.inverse_transposed], [self.projector]
        )
        table = [fleet.robot_of_dof, fleet.slot_of_dof, fleet.first, fleet.count]
        if self.inertial:
            fleet.launch(blocks.times_row, n, [found["mass_matrix"], self.row, *table], [self.other_row])
            wp.copy(self.row, self.other_row)
        fleet.launch(blocks.times_row, n, [self.projector, self.row, *table], [self.other_row])
        fleet.launch(blocks.add_block, n, [self.other_row], [tau])


class ControllerOperationalSpace(OfModel):
    """The law with poses, Jacobians, inertia and gravity forces of a ``model``'s articulations.

    ``tool_sites`` names one site of each robot; ``articulations`` and ``joints`` choose what is controlled.
    ``inputs.joint_q`` and ``joint_qd`` are those of the whole model. All other arguments are those of the law without
    model.
    """

    class Inputs(Struct):
        """Inputs of ``step``."""

    class Outputs(Struct):
        """``joint_f`` [total_controlled_dofs], N or N m."""

    COMPUTED = (
        "tool_pose_world",
        "tool_twist_world",
        "jacobian_tool_world",
        "mass_matrix",
        "gravity_force",
        "joint_q",
        "joint_qd",
    )

    def __init__(
        self,
        model: Any,
        *,
        articulations: Any = None,
        joints: Any = None,
        tool_sites: Any,
        motion_stiffness: Any,
        motion_damping: Any,
        **options: Any,
    ):
        self._choose(model, articulations, joints, tool_sites, tools=True)
        law = ControllerOperationalSpaceModelFree(
            controlled_dofs_per_robot=self.chosen.counts,
            motion_stiffness=motion_stiffness,
            motion_damping=motion_damping,
            device=model.device,
            **options,
        )
        self._wire(law)
        live = {port.name for port in self.law.inputs.ports if port.live}
        dofs = model.max_dofs_per_articulation
        self.whole_jacobian = self._of_model(model.articulation_count, 6 * model.max_joints_per_articulation, dofs)
        self.mass = self._of_model(model.articulation_count, dofs, dofs) if "mass_matrix" in live else None
        self.gravity = self._of_model(model.joint_dof_count) if "gravity_force" in live else None
        self.given = given = ControllerOperationalSpaceModelFree.Inputs()
        fleet = self.fleet
        given.tool_pose_world, given.tool_twist_world = fleet.each(wp.transformf), fleet.each(wp.spatial_vectorf)
        given.jacobian_tool_world = fleet.blocks(TASK, fleet.widest)
        given.mass_matrix = None if self.mass is None else fleet.blocks(fleet.widest, fleet.widest)
        given.gravity_force = None if self.gravity is None else self.gravity[self.qd_start]
        if "joint_q" in live:
            given.joint_q, given.joint_qd = self.state.joint_q[self.q_start], self.state.joint_qd[self.qd_start]

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

    @property
    def tool_twist_world(self) -> wp.array:
        """World velocity of each tool in the last step, linear then angular, [robots]."""
        return self.given.tool_twist_world

    def step(self, *, inputs: Any, outputs: Any, dt: float | wp.array) -> None:
        """Compute the robots' terms at ``inputs.joint_q`` and ``joint_qd``, and write ``outputs.joint_f``."""
        self.inputs.check(inputs)
        self._move(inputs)
        given = self.given
        self._follow_tools(
            given.tool_pose_world, given.tool_twist_world, self.whole_jacobian, given.jacobian_tool_world
        )
        if self.mass is not None:
            self._weigh(self.mass, given.mass_matrix)
        self._forces(self.gravity, None)
        for port in self.passed:
            setattr(given, port.name, getattr(inputs, port.name, None))
        self.law.step(inputs=given, outputs=outputs, dt=dt)
