"""What the engine does not simulate it refuses by name, before anything is allocated."""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco import SolverMuJoCo
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle

BODY = (
    '<body name="a" pos="0 0 1"><joint name="j"/><geom size="0.1"/><site name="s"/></body>'
    '<body name="b" pos="1 0 1"><freejoint/><geom size="0.1"/><site name="t"/></body>'
)

REFUSED = {"flag fwdinv with the integrator discrete": '<option integrator="discrete"><flag fwdinv="enable"/></option>'}


def scene(extra: str) -> str:
    return f"<mujoco>{extra}<worldbody>{BODY}</worldbody></mujoco>"


@pytest.mark.parametrize("word", REFUSED)
def test_an_unsupported_element_is_refused_by_name(word):
    with pytest.raises(ModelError, match=f"(?i){word}"):
        put_model(oracle.compile_xml(scene(REFUSED[word])), device="cpu")


def test_convex_shapes_without_nativeccd_collide_as_with_it_after_one_warning():
    """An ellipsoid that lies in another body's way: the flag changes no contact and no velocity."""
    shapes = '<worldbody><geom type="ellipsoid" size=".5 .6 .7" pos="0 0 .3"/></worldbody>'
    builders = []
    for state in ("enable", "disable"):
        builders.append(ModelBuilder())
        builders[-1].add_mjcf(scene(f'<option><flag nativeccd="{state}"/></option>{shapes}'))
    plain = SolverMuJoCo(builders[0].finalize("cpu"))
    with pytest.warns(NewtonWarning, match="nativeccd is disabled") as caught:
        other = SolverMuJoCo(builders[1].finalize("cpu"))
    assert len(caught) == 1
    states = [solver.model.state() for solver in (plain, other)]
    for solver, state in zip((plain, other), states):
        for _ in range(20):
            solver.step(state, state, solver.model.control(), None, 0.005)
    assert np.array_equal(*(state.body_qd.numpy() for state in states)) and abs(states[0].body_qd.numpy()).max() > 0


def test_libccd_is_nothing_to_shapes_that_do_without():
    put_model(oracle.compile_xml(scene('<option><flag nativeccd="disable"/></option>')), device="cpu")


def test_every_feature_of_a_scene_without_refused_elements_is_taken():
    put_model(oracle.compile_xml(scene("")), device="cpu")
