"""Joint impedance: springs and dampers to desired joint motions, with the robot's own dynamics compensated.

``tau = [M] (qdd_des + Kp (q_des - q) + Kd (qd_des - qd)) + [C qd] + [g]``, the bracketed terms as chosen.
"""

from typing import Any

import warp as wp

from newtonlite.controllers.blocks import add_block, spring, times_row
from newtonlite.controllers.controller import Law, OfModel
from newtonlite.controllers.fleet import Fleet
from newtonlite.controllers.ports import Port, Ports, Struct, baked


class ControllerJointImpedanceModelFree(Law):
    """The law with ``mass_matrix``, ``gravity_force`` and ``coriolis_force`` passed in.

    Rows have one number per controlled dof; ``mass_matrix`` is ``[robots, max_controlled_dofs, max_controlled_dofs]``.
    Gains are a number, an array ``[total_controlled_dofs]``, or None to be read from the inputs: [1/s^2] and [1/s] with
    ``use_inertia_decoupling``, else [N/m or N m/rad] and [N s/m or N m s/rad]. ``has_qdd_feedforward`` adds
    ``inputs.joint_qdd`` to the acceleration.
    """

    class Inputs(Struct):
        """Inputs of ``step``."""

    class Outputs(Struct):
        """``joint_f`` [total_controlled_dofs], N or N m."""

    def __init__(
        self,
        *,
        controlled_dofs_per_robot: wp.array,
        stiffness: Any,
        damping: Any,
        use_gravity_compensation: bool = True,
        use_coriolis_compensation: bool = True,
        use_inertia_decoupling: bool = True,
        has_qdd_feedforward: bool = False,
        device: Any = None,
        requires_grad: bool = False,
    ):
        self.fleet = fleet = Fleet(controlled_dofs_per_robot, wp.get_device(device))
        self.requires_grad, n = requires_grad, fleet.dofs
        self.gains = {
            name: baked(value, name, wp.float32, n, fleet.device)
            for name, value in (("stiffness", stiffness), ("damping", damping))
        }
        self.inertial = bool(use_inertia_decoupling)
        ports = [Port(name, wp.float32, (n,)) for name in ("joint_q", "joint_qd", "joint_q_des", "joint_qd_des")]
        ports += [Port("joint_qdd", wp.float32, (n,), bool(has_qdd_feedforward), "has_qdd_feedforward=True")]
        ports += [
            Port("gravity_force", wp.float32, (n,), bool(use_gravity_compensation), "use_gravity_compensation=True")
        ]
        ports += [
            Port("coriolis_force", wp.float32, (n,), bool(use_coriolis_compensation), "use_coriolis_compensation=True")
        ]
        ports += [
            Port(
                "mass_matrix",
                wp.float32,
                (fleet.robots, fleet.widest, fleet.widest),
                self.inertial,
                "use_inertia_decoupling=True",
            )
        ]
        ports += [Port(name, wp.float32, (n,), value is None, f"{name}=None") for name, value in self.gains.items()]
        self.inputs = Ports(self.Inputs, "inputs", ports, fleet.device, requires_grad)
        self.outputs = Ports(self.Outputs, "outputs", [Port("joint_f", wp.float32, (n,))], fleet.device, requires_grad)
        self.acceleration = fleet.rows()

    def step(self, *, inputs: Any, outputs: Any, dt: float | wp.array) -> None:
        """Write ``outputs.joint_f``; ``dt`` is not used. ModelError for ports of another shape, or that would be
        ignored.
        """
        fleet, n = self.fleet, self.fleet.dofs
        found = self.inputs.read(inputs) | {name: value for name, value in self.gains.items() if value is not None}
        force = self.outputs.targets(outputs)["joint_f"]
        out = self.acceleration if self.inertial else force
        state = [found[name] for name in ("joint_q", "joint_qd", "joint_q_des", "joint_qd_des", "stiffness", "damping")]
        fleet.launch(spring, n, state, [out])
        if "joint_qdd" in found:
            fleet.launch(add_block, n, [found["joint_qdd"]], [out])
        if self.inertial:
            fleet.launch(
                times_row,
                n,
                [found["mass_matrix"], out, fleet.robot_of_dof, fleet.slot_of_dof, fleet.first, fleet.count],
                [force],
            )
        for name in ("gravity_force", "coriolis_force"):
            if name in found:
                fleet.launch(add_block, n, [found[name]], [force])
        self.outputs.write(outputs)


class ControllerJointImpedance(OfModel):
    """The law with inertia, gravity and Coriolis forces of a ``model``'s articulations.

    ``articulations`` and ``joints`` choose what is controlled (patterns of labels, indices, lists); by default every
    joint with one coordinate and one dof. ``inputs.joint_q`` and ``joint_qd`` are those of the whole model, everything
    else is per controlled dof.
    """

    class Inputs(Struct):
        """Inputs of ``step``."""

    class Outputs(Struct):
        """``joint_f`` [total_controlled_dofs], N or N m."""

    COMPUTED = ("joint_q", "joint_qd", "gravity_force", "coriolis_force", "mass_matrix")

    def __init__(
        self,
        model: Any,
        *,
        articulations: Any = None,
        joints: Any = None,
        stiffness: Any,
        damping: Any,
        use_gravity_compensation: bool = True,
        use_coriolis_compensation: bool = True,
        use_inertia_decoupling: bool = True,
        has_qdd_feedforward: bool = False,
    ):
        self._choose(model, articulations, joints)
        law = ControllerJointImpedanceModelFree(
            controlled_dofs_per_robot=self.chosen.counts,
            stiffness=stiffness,
            damping=damping,
            use_gravity_compensation=use_gravity_compensation,
            use_coriolis_compensation=use_coriolis_compensation,
            use_inertia_decoupling=use_inertia_decoupling,
            has_qdd_feedforward=has_qdd_feedforward,
            device=model.device,
            requires_grad=model.requires_grad,
        )
        self.requires_grad = model.requires_grad
        self._wire(law)
        terms = {"gravity_force": bool(use_gravity_compensation), "coriolis_force": bool(use_coriolis_compensation)}
        self.forces = {name: self._of_model(model.joint_dof_count) if on else None for name, on in terms.items()}
        self.mass = (
            self._of_model(model.articulation_count, *[model.max_dofs_per_articulation] * 2)
            if self.law.inertial
            else None
        )
        self.given = self._given()

    def _given(self) -> Any:
        """The law's input struct, with what is computed already in place."""
        given = ControllerJointImpedanceModelFree.Inputs()
        given.joint_q, given.joint_qd = self.state.joint_q[self.q_start], self.state.joint_qd[self.qd_start]
        for name, force in self.forces.items():
            setattr(given, name, None if force is None else force[self.qd_start])
        given.mass_matrix = self.fleet.blocks(self.fleet.widest, self.fleet.widest) if self.mass is not None else None
        return given

    def step(self, *, inputs: Any, outputs: Any, dt: float | wp.array) -> None:
        """Compute the robots' terms at ``inputs.joint_q`` and ``joint_qd``, and write ``outputs.joint_f``."""
        self.inputs.check(inputs)
        self._move(inputs)
        if self.mass is not None:
            self._weigh(self.mass, self.given.mass_matrix)
        self._forces(**{name.removesuffix("_force"): force for name, force in self.forces.items()})
        for port in self.passed:
            setattr(self.given, port.name, getattr(inputs, port.name, None))
        self.law.step(inputs=self.given, outputs=outputs, dt=dt)
