"""An MJCF robot written as USD and read again is the same robot.

python examples/usd_round_trip.py [robot.xml [robot.usda]]
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import newtonlite as newton
from newtonlite import models
from newtonlite.exporters.usd import save_usd


def compiled(source: str):
    """Compiled model of a file."""
    builder = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    (builder.add_mjcf if source.endswith(".xml") else builder.add_usd)(source)
    return newton.solvers.SolverMuJoCo(builder.finalize()).mj_model


def run(source: str | None = None, file: str | None = None) -> float:
    """Largest difference of masses and inertias [kg, kg m^2] after the round trip."""
    first = compiled(source or str(models.path("quadruped")))
    with tempfile.TemporaryDirectory() as folder:
        file = file or str(Path(folder) / "robot.usda")
        save_usd(first, file)
        second = compiled(file)
    names = ("body_mass", "body_inertia", "dof_armature", "jnt_range")
    return max(float(np.abs(getattr(first, n) - getattr(second, n)).max()) for n in names)


if __name__ == "__main__":
    print("largest difference:", run(*sys.argv[1:3]))
