"""Numbers of flexes that differ between worlds, and that change: each world is as if it were alone with its own."""

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.enums import ModelFlags
from newtonlite.core.errors import ModelError
from tests.tolerance import tolerance

SCENE = """
<mujoco>
  <option timestep="0.002" solver="Newton"/>
  <worldbody>
    <geom type="plane" size="2 2 .1"/>
    <flexcomp name="mat" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" pos="0 0 .03" euler="20 0 0" mass=".2" radius="{radius}">
      <contact friction="{friction}" solref="{time} 1" margin="{margin}" selfcollide="none"/>
      <elasticity young="{young}" poisson=".2" thickness=".01" damping="{damping}" elastic2d="both"/>
    </flexcomp>
  </worldbody>
</mujoco>
"""
ONE = dict(radius=0.01, friction=0.4, time=0.02, margin=0.0, damping=0.01, young=2e3)
OTHER = dict(radius=0.02, friction=1.2, time=0.03, margin=0.01, damping=0.03, young=5e3)


def builder(numbers: dict) -> newton.ModelBuilder:
    """A scene of a cloth."""
    made = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(made)
    made.add_mjcf(SCENE.format(**numbers))
    return made


def worlds(*parts: newton.ModelBuilder):
    """Model of several worlds."""
    scene = newton.ModelBuilder()
    for part in parts:
        scene.add_world(part)
    return scene.finalize()


def fall(model, solver=None) -> np.ndarray:
    """Where points are after some steps on the floor [worlds, points, 7]."""
    solver, state = solver or newton.solvers.SolverMuJoCo(model), model.state()
    for _ in range(25):
        solver.step(state, state, model.control(), None, 0.002)
    return state.body_q.numpy().reshape(model.world_count, -1, 7)


def test_worlds_with_numbers_of_their_own_are_as_if_alone():
    found = fall(worlds(builder(ONE), builder(OTHER)))
    assert not np.array_equal(found[0], found[1])
    for w, numbers in enumerate((ONE, OTHER)):
        np.testing.assert_array_equal(found[w], fall(worlds(builder(numbers)))[0])


@pytest.mark.parametrize("name", ["damping", "friction", "margin"])
def test_changed_numbers_count_once_they_are_told(name):
    model = worlds(builder(ONE), builder(ONE))
    solver = newton.solvers.SolverMuJoCo(model)
    column = getattr(model.mujoco, f"flex_{name}")
    values = column.numpy()
    values[1] = np.asarray(values[1]) * 0.0 + OTHER[name] if np.ndim(values[1]) == 0 else (OTHER[name], *values[1][1:])
    column.assign(values)
    solver.notify_model_changed(ModelFlags.SHAPE_PROPERTIES)
    found = fall(model, solver)
    np.testing.assert_array_equal(found[0], fall(worlds(builder(ONE)))[0])
    np.testing.assert_array_equal(found[1], fall(worlds(builder(ONE | {name: OTHER[name]})))[0])


def test_a_changed_modulus_counts_once_it_is_told():
    model = worlds(builder(ONE), builder(ONE))
    solver = newton.solvers.SolverMuJoCo(model)
    model.mujoco.flex_young.assign(np.array([ONE["young"], OTHER["young"]], np.float32))
    solver.notify_model_changed(ModelFlags.SHAPE_PROPERTIES)
    found = fall(model, solver)
    want = [fall(worlds(builder(ONE | {"young": young})))[0] for young in (ONE["young"], OTHER["young"])]
    np.testing.assert_allclose(found, want, atol=tolerance("next"))
    assert np.abs(want[0] - want[1]).max() > 100.0 * tolerance("next")


@pytest.mark.parametrize("change", [{"damping": 0.0}, {"young": 0.0}])
def test_what_makes_the_structure_is_the_same_in_all_worlds(change):
    with pytest.raises(ModelError, match="differs between worlds"):
        newton.solvers.SolverMuJoCo(worlds(builder(ONE), builder(OTHER | change)))
