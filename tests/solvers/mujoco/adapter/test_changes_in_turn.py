"""Row N-102, changes one after the other: lists, arrays and options of an engine fit each other after each of them."""

import gc
import weakref

import numpy as np
import pytest
import warp as wp

from newtonlite.core import warp_internals
from newtonlite.core.enums import ModelFlags
from newtonlite.core.errors import StateError
from newtonlite.core.mujoco import MjtIntegrator, MjtSolver
from newtonlite.solvers.mujoco.bindings import BINDS, WATCHES, body
from tests.harness.engine_scenes import builder
from tests.harness.margins import margins
from tests.harness.newton_scenes import solver, step
from tests.solvers.mujoco.adapter.test_model_update_device import attribute
from tests.tolerance import assert_close, assert_same

SCENE = """<mujoco><option timestep=".002" gravity="0 0 -9.81"/>
<worldbody><body name="free" pos="1 0 1"><freejoint/><geom size=".1" contype="0" conaffinity="0"/></body>
<body name="stalk" pos="0 0 1"><joint type="ball" stiffness="3" damping=".1"/><geom size=".1" pos="0 .1 .3" contype="0" conaffinity="0"/>
<site name="tip"/><body name="leaf" pos="0 0 .5"><joint name="hinge" axis="0 1 0" stiffness="2" damping=".1"/>
<geom size=".1" pos=".2 0 0" contype="0" conaffinity="0"/><site name="end" pos=".2 0 0"/></body></body><site name="post" pos="0 1 2"/></worldbody>
<tendon><spatial name="band" stiffness="5"><site site="post"/><site site="end"/></spatial></tendon>
<actuator><general joint="hinge" dyntype="filter" dynprm=".1" gainprm="2"/></actuator></mujoco>"""
WORLDS = 2


def made(device):
    """Worlds of that scene."""
    one, b = builder(), builder()
    one.add_mjcf(SCENE)
    b.replicate(one, WORLDS)
    return b.finalize(device=device)


@pytest.fixture
def model(device):
    return made(device)


def set_all(model, name: str, values) -> None:
    """Numbers of an attribute in all worlds."""
    array = attribute(model, name)
    array.assign(np.broadcast_to(values, array.numpy().shape).astype(np.float32))


def limit(model, s) -> None:
    """Give the hinge limits, which it had not: a change of structure."""
    for name, value in (("joint_limit_lower", -0.1), ("joint_limit_upper", 0.1)):
        values = attribute(model, name).numpy()
        values.reshape(WORLDS, -1)[:, -1] = value
        attribute(model, name).assign(values)
    s.notify_model_changed(ModelFlags.JOINT_DOF_PROPERTIES)


@pytest.mark.filterwarnings("ignore")
def test_n_102_changing_what_lists_depend_on_in_turn_writes_nothing_beside_arrays(model, device):
    if not wp.get_device(device).is_cpu:
        pytest.skip("margins are those of the CPU")
    watched = {row.attribute for row in (*WATCHES, *BINDS)}
    with margins() as found:
        s, state, changed = solver(model), model.state(), 0
        for name in sorted({row.attribute for row in WATCHES}) + sorted(watched):
            array = attribute(model, name) if name.startswith(("joint_", "mujoco:")) else None
            if array is None or array.numpy().dtype.kind != "f" or not array.size:
                continue
            array.assign(np.where(np.abs(array.numpy()) < 1e6, array.numpy() + 0.03, array.numpy()))
            s.notify_model_changed(ModelFlags.ALL)
            changed += 1
            assert found.spoilt == [], name
        state = step(s, state, model.control())
        assert found.spoilt == []
    assert changed > 25 and np.isfinite(state.joint_q.numpy()).all()


def test_n_102_the_spring_of_a_free_joint_does_not_yield(model):
    """As in MuJoCo, which refuses a number there: those of other joints have their places, and motion is the same."""
    free = np.flatnonzero(np.arange(model.joint_dof_count // WORLDS) < 6)
    runs = []
    for everywhere in (True, False):
        yields = np.full((WORLDS, model.joint_dof_count // WORLDS), 0.05)
        if not everywhere:
            yields[:, free] = 0.0
        set_all(model, "mujoco:jnt_springyield", yields.ravel())
        set_all(model, "joint_stiffness", 2.0)
        s = solver(model)
        assert s.mjw_model.sizes["nplastic"] == 4 + 1
        assert s.mjw_model.jnt_plasticadr.numpy().tolist() == [-1, 0, 4]
        s.notify_model_changed(ModelFlags.ALL)
        runs.append(step(s, model.state(), steps=50).joint_q.numpy())
    assert (runs[0] == runs[1]).all() and np.isfinite(runs[0]).all()


@pytest.mark.parametrize(
    "option, value, name, size",
    [
        ("integrator", MjtIntegrator.RK4, "rk4", "nrkv"),
        ("integrator", MjtIntegrator.IMPLICIT, "implicit", "nslopedof"),
        ("solver", MjtSolver.CG, "cg", "nvcg"),
    ],
)
def test_n_102_what_an_option_needs_is_there_after_a_change_of_structure(model, option, value, name, size):
    """The same motion as that of a solver that was made with the option for the scene as it is."""
    s = solver(model)
    setattr(s.mjw_model.opt, option, int(value))
    before = s.mjw_model.sizes[size]
    limit(model, s)
    assert s.mjw_model.sizes[size] == before > 0
    got = step(s, model.state(), steps=20).joint_q.numpy()
    want = step(solver(model, **{option: name}), model.state(), steps=20).joint_q.numpy()
    assert_close(got[None], want[None], "trajectory", floor=1.0)


def test_n_102_an_option_that_is_set_after_a_change_of_structure_leaves_the_structure(model):
    s = solver(model)
    limit(model, s)
    rows = {name: n for name, n in s.mjw_model.sizes.items() if name.startswith("rows_")}
    s.mjw_model.opt.integrator = int(MjtIntegrator.RK4)
    assert {name: s.mjw_model.sizes[name] for name in rows} == rows and sum(rows.values()) > 0
    got = step(s, model.state(), steps=20).joint_q.numpy()
    want = step(solver(model, integrator="rk4"), model.state(), steps=20).joint_q.numpy()
    assert_close(got[None], want[None], "trajectory", floor=1.0)


@pytest.mark.parametrize("option, value", [("integrator", MjtIntegrator.RK4), ("integrator", MjtIntegrator.IMPLICIT)])
def test_n_102_an_option_that_was_written_past_its_lists_is_told_of(model, option, value):
    """Nothing runs over lists that are not there."""
    s = solver(model)
    s.mjw_model.sizes[f"opt_{option}"] = int(value)
    with pytest.raises(StateError, match=f"opt_{option}.*set it as model.opt.{option}"):
        step(s, model.state())


def graph_of(model, s, first, second) -> wp.Graph:
    """A graph of steps, a notification and a reset."""
    step(s, first)
    with wp.ScopedCapture(model.device) as capture:
        s.notify_model_changed(ModelFlags.JOINT_PROPERTIES)
        s.step(first, second, None, None, 0.002)
        s.reset(second, flags=0)
        s.step(second, first, None, None, 0.002)
    return capture.graph


@pytest.mark.skipif(
    not warp_internals.used(),
    reason="Warp's public interface cannot pause a recording (docs/reference/warp_contract.md)",
)
def test_n_102_a_graph_that_was_recorded_before_a_change_of_structure_still_has_its_memory(device):
    """It goes on with what it was recorded for, whatever was made since."""
    ended = []
    for changes in (True, False):
        scene = made(device)
        s, first, second = solver(scene), scene.state(), scene.state()
        graph = graph_of(scene, s, first, second)
        wp.capture_launch(graph)
        if changes:
            d, m, tables = s.only.mjw_data.arrays, s.only.mjw_model.arrays, s.only._updater.tables(body.frames)[1]
            seen = [weakref.ref(array) for array in (d["qpos"], m["body_treeid"], m["body_pos"], tables["to"])]
            del d, m, tables
            limit(scene, s)
            set_all(scene, "joint_armature", 0.1)
            s.notify_model_changed(ModelFlags.ALL)
            gc.collect()
            assert all(array() is not None for array in seen)
        wp.capture_launch(graph)
        ended.append(first.joint_q.numpy())
    assert_same(*ended)
