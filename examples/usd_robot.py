"""Import a USD robot, step it, print where its bodies are, and record its motion as USD.

    python examples/usd_robot.py [robot.usda [recording.usdc]]

Without a file it takes a small arm that is written here; the recording opens in usdview.
"""

import sys

import newtonlite
from newtonlite.importers.report import Report
from newtonlite.solvers import SolverMuJoCo
from newtonlite.viewer import ViewerNull, ViewerUSD

ARM = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene" {
    uniform int newton:timeStepsPerSecond = 500
}
def Xform "arm" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
    def Xform "link" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {
        double3 xformOp:translate = (0, 0, 1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Capsule "rod" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
            uniform token axis = "X"
            double height = 0.6
            double radius = 0.05
        }
    }
    def PhysicsRevoluteJoint "hinge" (prepend apiSchemas = ["PhysicsDriveAPI:angular"]) {
        uniform token physics:axis = "Y"
        rel physics:body1 = </arm/link>
        point3f physics:localPos0 = (-0.3, 0, 1)
        point3f physics:localPos1 = (-0.3, 0, 0)
        float drive:angular:physics:stiffness = 1
        float drive:angular:physics:damping = 0.1
        float drive:angular:physics:targetPosition = 30
    }
}
"""


def main(source: str = ARM, recording: str | None = None, seconds: float = 1.0) -> newtonlite.State:
    """Import, step, record, print; returns the last state."""
    builder, report = newtonlite.ModelBuilder(), Report()
    found = builder.add_usd(source, report=report)
    print(report)
    model = builder.finalize()
    solver, dt = SolverMuJoCo(model), found["physics_dt"] or 0.002
    state, after, control = model.state(), model.state(), model.control()
    viewer = ViewerUSD(recording, num_frames=None) if recording else ViewerNull()
    viewer.set_model(model)
    every = max(1, round(1.0 / (60 * dt)))
    for k in range(int(seconds / dt)):
        solver.step(state, after, control, None, dt)
        state, after = after, state
        if k % every == 0:
            viewer.begin_frame(k * dt)
            viewer.log_state(state)
            viewer.end_frame()
    viewer.close()
    for path, pose in zip(model.body_label, state.body_q.numpy(), strict=True):
        print(path, pose[:3].astype(float).round(3).tolist())
    return state


if __name__ == "__main__":
    main(*sys.argv[1:3])
