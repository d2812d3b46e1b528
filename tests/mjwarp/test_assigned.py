"""What is assigned to fields has their shape and their type of numbers, or is refused before anything reads it."""

import numpy as np
import pytest
import warp as wp

from newtonlite import mjwarp as mjw
from newtonlite.core.errors import ModelError, StateError

XML = """<mujoco><worldbody><geom type="plane" size="1 1 .1"/><body pos="0 0 1"><freejoint/><geom size=".1"/>
<body pos="0 0 .3"><joint name="j" axis="0 1 0" armature=".1"/><geom size=".1"/></body></body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def scene():
    compiled = mjw.load(XML)
    return mjw.put_model(compiled), mjw.make_data(compiled, nworld=3)


CHANGES = {
    "short": lambda a: wp.zeros(tuple(n - 1 for n in a.shape), dtype=a.dtype, device="cpu"),
    "flat": lambda a: wp.zeros(1, dtype=a.dtype, device="cpu"),
    "of whole numbers": lambda a: wp.zeros(a.shape, dtype=wp.int64, device="cpu"),
    "double": lambda a: wp.zeros(a.shape, dtype=wp.float64, device="cpu"),
    "text": lambda a: "x",
    "nothing": lambda a: None,
    "rows of other lengths": lambda a: [[1.0], [1.0, 2.0]],
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ["body_mass", "body_inertia", "geom_friction", "qpos0", "geom_rgba"])
def test_parameters_are_checked_when_they_are_assigned(scene, name, change):
    m, _ = scene
    before = getattr(m, name).numpy().copy()
    with pytest.raises(ModelError, match=f"model.{name}"):
        setattr(m, name, CHANGES[change](getattr(m, name)))
    assert np.array_equal(getattr(m, name).numpy(), before)


@pytest.mark.parametrize(
    ("name", "change"),
    [(n, c) for n in ("qpos", "qvel", "xfrc_applied", "userdata") for c in CHANGES if (n, c) != ("userdata", "short")],
)
def test_data_are_checked_when_they_are_assigned(scene, name, change):
    _, d = scene
    before = getattr(d, name)
    with pytest.raises(StateError, match=f"data.{name}"):
        setattr(d, name, CHANGES[change](before))
    assert getattr(d, name) is before


def test_arrays_that_are_spread_out_are_copied(scene):
    m, _ = scene
    wide = wp.array(np.arange(2.0 * m.nbody).reshape(1, -1), dtype=float, device="cpu")
    m.body_mass = wide[:, ::2]
    assert m.body_mass.is_contiguous
    assert m.body_mass.numpy().tolist() == [[0.0, 2.0, 4.0]]


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e39])
@pytest.mark.parametrize(
    "name", ["body_mass", "geom_friction", "geom_rgba", "opt.timestep", "opt.gravity", "opt.impratio"]
)
def test_parameters_that_single_precision_does_not_hold_are_refused(scene, name, value):
    m, _ = scene
    owner, name = (m.opt, name[4:]) if name.startswith("opt.") else (m, name)
    before = np.array(getattr(owner, name).numpy() if hasattr(getattr(owner, name), "numpy") else getattr(owner, name))
    with pytest.raises(ModelError, match=f"{name}: .*(finite|single precision)"):
        setattr(owner, name, np.full(before.shape, value).tolist() if before.ndim else value)
    after = getattr(owner, name)
    assert np.array_equal(after.numpy() if hasattr(after, "numpy") else after, before)


@pytest.mark.parametrize("name", ["body_mass", "qpos0", "geom_size"])
def test_a_host_model_with_numbers_that_are_none_is_refused(name):
    compiled = mjw.load(XML)
    getattr(compiled, name)[-1] = np.nan
    with pytest.raises(ModelError, match=f"model.{name}: is not finite"):
        mjw.put_model(compiled)


def test_inertia_can_be_assigned(scene):
    m, d = scene
    mjw.forward(m, d)
    rows = d.M.numpy() * np.array([[1.0], [2.0], [4.0]])
    d.M = rows
    assert np.array_equal(d.M.numpy(), rows)
    vec, found = wp.ones((3, m.nv), dtype=float), wp.zeros((3, m.nv), dtype=float)
    mjw.mul_m(m, d, found, vec)
    assert np.array_equal(found.numpy()[1:], found.numpy()[:1] * [[2.0], [4.0]])
    with pytest.raises(StateError, match=r"data\.M: expected shape"):
        d.M = rows[:, :-1]


def test_fields_have_the_rows_that_were_asked_for():
    m = mjw.put_model(mjw.load(XML), batch_sizes={"geom_size": 2, "geom_rgba": 4, "body_mass": 3})
    assert [getattr(m, name).shape[0] for name in ("geom_size", "geom_rgba", "body_mass", "qpos0")] == [2, 4, 3, 1]
    assert (m.geom_rgba.numpy() == m.geom_rgba.numpy()[0]).all()
    with pytest.raises(StateError, match="geom_size"):
        mjw.forward(m, mjw.make_data(m, nworld=3))
