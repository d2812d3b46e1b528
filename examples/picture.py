"""A picture of a robot without a display: where it is after a while.

python examples/picture.py [robot.urdf|.xml|.usda [picture.png]]
"""

import sys

import newtonlite as newton
from newtonlite import models
from newtonlite.viewer import still, write_png


def run(source: str | None = None, file: str = "robot.png", steps: int = 100):
    """Write the picture [height, width, 3]; returns it."""
    source = source or str(models.path("humanoid"))
    builder = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    add = {"urdf": builder.add_urdf, "xml": builder.add_mjcf}.get(source.rpartition(".")[2], builder.add_usd)
    add(source)
    model = builder.finalize()
    solver, state, control = newton.solvers.SolverMuJoCo(model), model.state(), model.control()
    for _ in range(steps):
        solver.step(state, state, control, None, 0.005)
    image = still(model, state.body_q.numpy())
    write_png(file, image)
    return image


if __name__ == "__main__":
    print("a picture of", run(*sys.argv[1:3]).shape, "pixels")
