"""Bodies whose masses the engine cannot hold are refused by name."""

import pytest

import newtonlite as newton
from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco.compile import compile_model


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize(("radius", "field"), [(1e30, "body_mass"), (1e15, "body_mass"), (1e9, "body_inertia")])
def test_masses_beyond_single_precision_are_refused(radius, field):
    builder = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(
        f'<mujoco><worldbody><body name="rock"><joint/><geom size="{radius:g}"/></body></worldbody></mujoco>'
    )
    with pytest.raises(ModelError, match=f"body '.*rock': {field} is not a number of single precision; give smaller"):
        compile_model(builder.finalize(device="cpu"))
