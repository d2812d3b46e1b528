"""Arrays of a model that do not fit are refused where they are used, and nothing is read past their end."""

import numpy as np
import pytest
import warp as wp

import newtonlite as nl
from newtonlite.core.enums import ModelFlags
from newtonlite.core.errors import ModelError
from newtonlite.solvers import SolverMuJoCo

XML = """<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom size=".1"/><body pos="0 0 .3"><joint name="j" axis="0 1 0"
armature=".1"/><geom size=".1"/></body></body></worldbody></mujoco>"""


@pytest.fixture
def model():
    robot = nl.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(robot)
    robot.add_mjcf(XML)
    scene = nl.ModelBuilder()
    scene.replicate(robot, 3)
    return scene.finalize(device="cpu")


CHANGES = {
    "short": lambda a: wp.zeros(1, dtype=a.dtype, device="cpu"),
    "empty": lambda a: wp.zeros(0, dtype=a.dtype, device="cpu"),
    "long": lambda a: wp.zeros(len(a) + 1, dtype=a.dtype, device="cpu"),
    "a view of its start": lambda a: a[:1],
    "of two dimensions": lambda a: a.reshape((1, len(a))),
    "of another type": lambda a: wp.zeros(len(a), dtype=wp.float64, device="cpu"),
    "NumPy": lambda a: a.numpy(),
    "nothing": lambda a: None,
    "every second of a longer one": lambda a: wp.zeros(2 * len(a), dtype=a.dtype, device="cpu")[::2],
}
NAMES = ("body_mass", "body_inertia", "joint_armature", "shape_material_mu", "joint_X_p", "body_q", "joint_parent")


def place(model, name):
    space, _, key = name.rpartition(":")
    return (getattr(model, space) if space else model), key


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", [*NAMES, "mujoco:geom_solimp", "mujoco:limit_margin"])
def test_arrays_that_do_not_fit_are_refused_before_they_are_read(model, name, change):
    owner, key = place(model, name)
    old = getattr(owner, key)
    setattr(owner, key, CHANGES[change](old))
    with pytest.raises(ModelError, match=f"{key}: expected"):
        getattr(owner, key)
    with pytest.raises(ModelError, match=f"{key}: expected"):
        SolverMuJoCo(model)
    setattr(owner, key, wp.clone(old))  # one that fits heals it
    assert np.array_equal(getattr(owner, key).numpy(), old.numpy())


@pytest.mark.parametrize("name", ["body_mass", "joint_armature", "shape_material_mu", "body_inertia"])
def test_a_solver_refuses_them_and_goes_on_as_before(model, name):
    solver = SolverMuJoCo(model, threads=1)
    state = model.state()
    solver.step(state, state, model.control(), None, 0.005)
    old = getattr(model, name)
    setattr(model, name, wp.zeros(1, dtype=old.dtype, device="cpu"))
    with pytest.raises(ModelError, match=name):
        solver.notify_model_changed(ModelFlags.ALL)
    solver.step(state, state, model.control(), None, 0.005)
    assert np.isfinite(state.joint_q.numpy()).all()
    setattr(model, name, wp.clone(old))
    solver.notify_model_changed(ModelFlags.ALL)


def test_functions_of_the_scene_refuse_them(model):
    state = model.state()
    model.joint_parent = wp.zeros(1, dtype=int, device="cpu")
    with pytest.raises(ModelError, match=r"model\.joint_parent: expected int32\[6\], got int32\[1\]"):
        nl.eval_fk(model, state.joint_q, state.joint_qd, state)
    with pytest.raises(ModelError, match="joint_parent"):
        nl.eval_mass_matrix(model, state)


def test_arrays_that_fit_are_taken(model):
    model.body_mass = wp.full(len(model.body_mass), 2.0, dtype=float, device="cpu")
    solver = SolverMuJoCo(model, threads=1)
    assert np.allclose(solver.mj_model.body_mass[1:], 2.0)
    model.note = "more"  # names of one's own
    assert model.note == "more"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        model.nothing  # noqa: B018
