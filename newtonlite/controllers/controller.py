"""Controller base class, and the parts shared by controllers that compute a robot's terms from a model."""

from abc import ABC, abstractmethod
from typing import Any

import warp as wp

from newtonlite.controllers.chosen import ChosenJoints, ChosenTools
from newtonlite.controllers.fleet import Fleet
from newtonlite.controllers.ports import Port, Ports
from newtonlite.controllers.poses import controlled_mass, tool_jacobian, tool_motion
from newtonlite.core.errors import ModelError, WrongTypeError
from newtonlite.sim.articulation import eval_fk
from newtonlite.sim.dynamics import eval_inverse_dynamics_passive
from newtonlite.sim.jacobian import eval_jacobian, eval_mass_matrix
from newtonlite.sim.model import Model


class ControllerBase(ABC):
    """A control law: ``step`` reads the arrays of an input struct and overwrites those of an output struct."""

    @abstractmethod
    def is_graphable(self) -> bool:
        """Whether ``step`` may be recorded in a graph."""

    @abstractmethod
    def input(self) -> Any:
        """A fresh input struct, zeros; fields of features that are off are None."""

    @abstractmethod
    def output(self) -> Any:
        """A fresh output struct."""

    @abstractmethod
    def step(self, *, inputs: Any, outputs: Any, dt: float | wp.array) -> None:
        """One step of ``dt`` seconds."""


class Law(ControllerBase):
    """A law over a ``fleet`` with the ports ``inputs`` and ``outputs``, on one device."""

    fleet: Fleet
    requires_grad = False

    @property
    def controlled_robot_count(self) -> int:
        """Number of robots."""
        return self.fleet.robots

    @property
    def max_controlled_dofs(self) -> int:
        """Most controlled dofs of any robot: the width of matrices."""
        return self.fleet.widest

    @property
    def total_controlled_dofs(self) -> int:
        """Controlled dofs of all robots: the length of rows over dofs."""
        return self.fleet.dofs

    @property
    def device(self) -> Any:
        """Device of the arrays."""
        return self.fleet.device

    def is_graphable(self) -> bool:
        """True: a step launches kernels and allocates nothing."""
        return True

    def input(self) -> Any:
        return self.inputs.make()

    def output(self) -> Any:
        return self.outputs.make()


class OfModel(Law):
    """A law that computes a robot's terms from the coordinates of the whole ``model``, then hands them to a law without
    model.

    ``own`` are the ports that this one has itself (``joint_q`` [joint_coord_count], ``joint_qd`` [joint_dof_count] and
    what is computed are not passed through).
    """

    COMPUTED: tuple = ()
    """Inputs of the law that are computed from the model."""
    Inputs: type
    Outputs: type

    def _choose(self, model: Any, articulations: Any, joints: Any, tool_sites: Any = None, tools: bool = False) -> None:
        if not isinstance(model, Model):
            raise WrongTypeError(f"model: {type(model).__name__}; give a Model")
        if model.articulation_count < 1:
            raise ModelError("model: has no articulations; there is nothing to control")
        if model.requires_grad and tools:
            raise ModelError(
                "model: was finalized with requires_grad=True, and this controller has no gradients; finalize without"
            )
        self.model, self.chosen = model, ChosenJoints(model, articulations, joints)
        self.fleet = Fleet(self.chosen.counts, model.device)
        self.tools = ChosenTools(model, self.chosen, tool_sites) if tools else None
        self.state = model.state()

    def _wire(self, law: Law) -> None:
        """Take ``law`` with its outputs; inputs are the coordinates of the whole model, and those of the law that are not
        ``COMPUTED`` from them.
        """
        model, self.law = self.model, law
        whole = [
            Port("joint_q", wp.float32, (model.joint_coord_count,)),
            Port("joint_qd", wp.float32, (model.joint_dof_count,)),
        ]
        self.whole = Ports(self.Inputs, "inputs", whole, model.device)
        self.passed = [port for port in law.inputs.ports if port.name not in self.COMPUTED]
        self.inputs = Ports(self.Inputs, "inputs", [*whole, *self.passed], model.device, model.requires_grad)
        self.outputs = law.outputs
        self.outputs.struct = self.Outputs

    @property
    def model_robot_count(self) -> int:
        """Articulations of the model, controlled or not."""
        return self.model.articulation_count

    @property
    def q_start(self) -> wp.array:
        """Coordinate of each controlled joint in the model's arrays, int [total_controlled_dofs]:
        ``state.joint_q[controller.q_start]``.
        """
        return self.chosen.q_start

    @property
    def qd_start(self) -> wp.array:
        """Dof of each controlled joint in the model's arrays, int [total_controlled_dofs]."""
        return self.chosen.qd_start

    def _move(self, inputs: Any) -> None:
        """Bring the controller's own state to the coordinates passed in."""
        found = self.whole.read(inputs)
        wp.copy(self.state.joint_q, found["joint_q"])
        wp.copy(self.state.joint_qd, found["joint_qd"])
        eval_fk(self.model, self.state.joint_q, self.state.joint_qd, self.state, mask=self.chosen.mask)

    def _forces(self, gravity: wp.array | None, coriolis: wp.array | None) -> None:
        """Forces [joint_dof_count] that hold the robots against gravity and their own motion."""
        if gravity is not None or coriolis is not None:
            eval_inverse_dynamics_passive(
                self.model, self.state, gravity_force=gravity, coriolis_force=coriolis, mask=self.chosen.mask
            )

    def _weigh(self, whole: wp.array, out: wp.array) -> None:
        """Joint-space inertia over the controlled dofs."""
        eval_mass_matrix(self.model, self.state, H=whole, mask=self.chosen.mask)
        self.fleet.launch(
            controlled_mass, out.shape, [whole, self.chosen.articulation, self.chosen.column, self.fleet.count], [out]
        )

    def _follow_tools(self, pose: wp.array, twist: wp.array, whole: wp.array, out: wp.array) -> None:
        """Poses and velocities of the tools, and their Jacobians over the controlled dofs."""
        model, state, tools, fleet = self.model, self.state, self.tools, self.fleet
        fleet.launch(
            tool_motion,
            fleet.robots,
            [state.body_q, state.body_qd, model.body_com, tools.body, tools.offset],
            [pose, twist],
        )
        eval_jacobian(model, state, J=whole, mask=self.chosen.mask)
        inputs = [
            whole,
            state.body_q,
            model.body_com,
            tools.body,
            pose,
            self.chosen.articulation,
            tools.link,
            self.chosen.column,
            fleet.count,
        ]
        fleet.launch(tool_jacobian, (fleet.robots, fleet.widest), inputs, [out])

    def _of_model(self, *shape: int) -> wp.array:
        """Zeros of a shape."""
        return wp.zeros(shape, dtype=float, device=self.model.device)
