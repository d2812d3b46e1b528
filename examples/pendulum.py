"""A double pendulum that is built joint by joint, as Newton's examples are written."""

import warp as wp

import newtonlite as newton


class Example:
    """One scene and its state."""

    def __init__(self, frames: int = 60):
        self.fps, self.frames, self.sim_substeps = 60, frames, 4
        self.sim_dt = 1.0 / self.fps / self.sim_substeps
        builder = newton.ModelBuilder()
        newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
        length = 0.5
        links = [builder.add_link(label=name) for name in ("upper", "lower")]
        for link in links:
            builder.add_shape_capsule(
                link,
                xform=wp.transform((0.0, 0.0, -length / 2), wp.quat_identity()),
                radius=0.03,
                half_height=length / 2,
            )
        j0 = builder.add_joint_revolute(
            parent=-1,
            child=links[0],
            axis=newton.Axis.Y,
            parent_xform=wp.transform((0.0, 0.0, 2.0), wp.quat_identity()),
        )
        j1 = builder.add_joint_revolute(
            parent=links[0],
            child=links[1],
            axis=newton.Axis.Y,
            parent_xform=wp.transform((0.0, 0.0, -length), wp.quat_identity()),
        )
        builder.add_articulation([j0, j1], label="pendulum")
        builder.joint_q[-2:] = [1.2, 0.4]
        self.model = builder.finalize()
        self.solver = newton.solvers.SolverMuJoCo(self.model)
        self.state_0, self.state_1 = self.model.state(), self.model.state()
        self.control = self.model.control()
        newton.eval_fk(self.model, self.model.joint_q, self.model.joint_qd, self.state_0)

    def simulate(self) -> None:
        """One frame."""
        for _ in range(self.sim_substeps):
            self.state_0.clear_forces()
            self.solver.step(self.state_0, self.state_1, self.control, None, self.sim_dt)
            self.state_0, self.state_1 = self.state_1, self.state_0

    def run(self) -> float:
        """All frames; the first angle after them [rad]."""
        for _ in range(self.frames):
            self.simulate()
        return float(self.state_0.joint_q.numpy()[0])


if __name__ == "__main__":
    print("upper angle after a second [rad]:", Example().run())
