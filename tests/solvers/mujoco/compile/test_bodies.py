"""Bodies whose masses the engine cannot hold, or cannot invert, are refused by name."""

from pathlib import Path

import pytest

import newtonlite as newton
from newtonlite.core.errors import ModelError, ParseError
from newtonlite.solvers.mujoco.compile import compile_model

MODELS = Path(__file__).parents[3] / "models"


@pytest.mark.parametrize("radius", [1e30, 1e15, 1e9])
def test_masses_beyond_single_precision_are_refused_while_the_file_is_read(radius):
    text = f'<mujoco><worldbody><body name="rock"><joint/><geom size="{radius:g}"/></body></worldbody></mujoco>'
    with pytest.raises(ParseError, match=r"<string>:1:20: <body name=\"rock\"> its mass .* is beyond single precision"):
        newton.ModelBuilder().add_mjcf(text)


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
