"""Worlds that differ: another mass and friction in each, from a seed, on the same slope."""

import numpy as np
import warp as wp

import newtonlite as newton


def run(worlds: int = 64, steps: int = 200, angle: float = 0.3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """(friction of each world, distance that its box has slid [m])."""
    box = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(box)
    turn = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), angle)
    up = wp.quat_rotate(turn, wp.vec3(0.0, 0.0, 0.1))
    box.add_shape_box(-1, xform=wp.transform((0.0, 0.0, 0.0), turn), hx=20.0, hy=1.0, hz=0.05)
    body = box.add_body(xform=wp.transform(1.5 * up, turn), label="box")
    box.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    scene = newton.ModelBuilder()
    scene.replicate(box, worlds)
    model = scene.finalize()
    solver = newton.solvers.SolverMuJoCo(model, cone="elliptic", impratio=10.0)

    rng = np.random.default_rng(seed)
    friction = rng.uniform(0.05, 0.8, worlds).astype(np.float32)
    model.shape_material_mu.assign(friction.repeat(2))  # the slope's and the box's: of a pair the larger one counts
    model.body_mass.assign(model.body_mass.numpy() * rng.uniform(0.5, 2.0, worlds).astype(np.float32))
    changed = newton.ModelFlags.SHAPE_PROPERTIES | newton.ModelFlags.BODY_INERTIAL_PROPERTIES
    solver.notify_model_changed(changed)

    state, control = model.state(), model.control()
    start = model.body_q.numpy()[:, :3]
    for _ in range(steps):
        solver.step(state, state, control, None, 0.005)
    return friction, np.linalg.norm(state.body_q.numpy()[:, :3] - start, axis=1)


if __name__ == "__main__":
    friction, slid = run()
    print(
        "of the boxes with friction above tan 0.3 =",
        np.tan(0.3).round(3),
        "the farthest slid [m]:",
        slid[friction > 0.35].max(),
    )
