"""A stack that rests on contacts of the collision pipeline, found once a frame and used in its substeps."""

import warp as wp

import newtonlite as newton


def run(frames: int = 60, substeps: int = 4) -> tuple[float, float]:
    """(height of the upper box [m], force under it [N]) after the frames."""
    builder = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    builder.default_shape_cfg.mu = 0.8
    builder.add_ground_plane()
    for k in range(2):
        body = builder.add_body(xform=wp.transform((0.0, 0.0, 0.1 + 0.2 * k), wp.quat_identity()), label=f"box{k}")
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    model = builder.finalize()
    solver = newton.solvers.SolverMuJoCo(model, use_mujoco_contacts=False, njmax=200, nconmax=40)
    state_0, state_1, control = model.state(), model.state(), model.control()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state_0)
    pipeline = newton.CollisionPipeline(model)
    contacts = pipeline.contacts()
    for _ in range(frames):
        pipeline.collide(state_0, contacts)
        for _ in range(substeps):
            state_0.clear_forces()
            solver.step(state_0, state_1, control, contacts, 1.0 / 60.0 / substeps)
            state_0, state_1 = state_1, state_0
    solver.update_contacts(contacts, state_0)
    count = int(contacts.rigid_contact_count.numpy()[0])
    shapes = contacts.rigid_contact_shape0.numpy()[:count], contacts.rigid_contact_shape1.numpy()[:count]
    force = contacts.rigid_contact_force.numpy()[:count, 2]
    between = (shapes[0] > 0) & (shapes[1] > 0)
    return float(state_0.body_q.numpy()[1, 2]), float(abs(force[between].sum()))


if __name__ == "__main__":
    print("height [m] and force [N]:", run())
