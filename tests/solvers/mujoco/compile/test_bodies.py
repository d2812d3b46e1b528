"""Bodies whose masses the engine cannot hold, or cannot invert, are refused by name."""

from pathlib import Path

import pytest

import newtonlite as newton
from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco.compile import compile_model

MODELS = Path(__file__).parents[3] / "models"


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


def test_a_tree_whose_mass_matrix_has_no_inverse_is_refused():
    text = (MODELS / "spider_over_fifty_joints.xml").read_text()
    place = text.rindex('<body pos="0.12 0 0"')
    builder = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(text[:place] + text[place:].replace('"0.12 0 0"', '"1e30 1e30 1e30"', 1))
    with pytest.raises(
        ModelError, match="body '.*': the mass matrix of its tree has no inverse in double precision; give smaller"
    ):
        compile_model(builder.finalize(device="cpu"))
