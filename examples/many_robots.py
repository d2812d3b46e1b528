"""Two kinds of robots in many worlds: joint targets, single worlds put back, as in learning environments."""

import numpy as np
import warp as wp

import newtonlite as newton
from newtonlite import models


def robots(arms: int, humanoids: int):
    """Worlds with an arm each, then worlds with a humanoid each, over common ground."""
    arm, humanoid, scene = (newton.ModelBuilder() for _ in range(3))
    for builder in (arm, humanoid, scene):
        newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    link, joints = -1, []
    for k in range(3):
        child = arm.add_link(label=f"link{k}")
        arm.add_shape_box(child, xform=wp.transform((0.0, 0.0, 0.15), wp.quat_identity()), hx=0.03, hy=0.03, hz=0.15)
        at = wp.transform((0.0, 0.0, 0.3 if k else 0.5), wp.quat_identity())
        joints.append(
            arm.add_joint_revolute(
                parent=link, child=child, axis=newton.Axis.Y, parent_xform=at, target_ke=50.0, target_kd=5.0
            )
        )
        link = child
    arm.add_articulation(joints, label="arm")
    humanoid.add_mjcf(str(models.path("humanoid")))
    scene.add_ground_plane()
    scene.replicate(arm, arms)
    scene.replicate(humanoid, humanoids)
    return scene.finalize()


def run(arms: int = 8, humanoids: int = 4, steps: int = 200) -> np.ndarray:
    """Last coordinates of the arms [arms, 3]."""
    model = robots(arms, humanoids)
    solver = newton.solvers.SolverMuJoCo(
        model, integrator="implicitfast"
    )  # the humanoid's file says Euler, for all worlds
    state, control = model.state(), model.control()
    last = int(model.joint_coord_world_start.numpy()[arms])  # the arms' worlds come first
    targets = control.joint_target_q.numpy()
    targets[:last] = np.linspace(-0.5, 0.5, arms, dtype=np.float32).repeat(3)
    control.joint_target_q.assign(targets)
    rng = np.random.default_rng(0)
    for step in range(steps):
        solver.step(state, state, control, None, 0.005)
        if step == steps // 2:
            mask = np.zeros(model.world_count, bool)
            mask[rng.integers(model.world_count, size=2)] = True
            solver.reset(state, wp.array(mask, dtype=wp.bool, device=model.device))
    return state.joint_q.numpy()[:last].reshape(arms, 3)


if __name__ == "__main__":
    print("arms near their targets [rad]:", np.round(run()[:, 0], 2))
