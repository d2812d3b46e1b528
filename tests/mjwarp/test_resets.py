"""Every field that a reset or a keyframe must cover, by the tables of fields."""

import numpy as np
import pytest
import warp as wp

from newtonlite import mjwarp as mjw
from newtonlite.solvers.mujoco.data import FIELDS, KEPT, LASTING
from newtonlite.solvers.mujoco.fields import body, constraint, passive, sensor, tendon
from newtonlite.solvers.mujoco.start import KEY
from tests import oracle
from tests.mjwarp.test_fields_of_any_model import EVERYTHING
from tests.tolerance import assert_close

STATE = """<mujoco><option gravity="0 0 0"/><worldbody><body name="hand" mocap="true" pos="1 0 0"/>
<body><joint name="a" axis="0 1 0" stiffness="2" damping=".05" springyield="1"/><geom size=".1" mass="1"/>
<body pos="0 0 .3"><joint name="b" type="ball" stiffness="1" springyield=".5"/><geom size=".1" mass="1"/><site name="u"/></body></body>
<site name="t"/></worldbody>
<tendon><spatial springlength=".1 .2" stiffness="1" springyield=".4"><site site="t"/><site site="u"/></spatial></tendon>
<actuator><general joint="a" dyntype="filter" dynprm=".1"/></actuator>
<keyframe><key qpos=".1 .9 .1 0 0" qvel=".1 .2 .3 .4" act=".2" ctrl=".3" time="2" mpos="1 2 3" mquat="1 1 0 0"
plastic=".3 .8 .6 0 0 .25 .35"/><key plastic=".2"/><key/></keyframe></mujoco>"""


def rows(d, name: str, world: int) -> np.ndarray:
    """A world's numbers of a field."""
    return d.engine.arrays[name].numpy()[world]


def test_every_part_of_mujocos_keyframes_is_restored():
    fields = {name for name in dir(oracle.compile_xml(STATE)) if name.startswith("key_")}
    assert fields == {*KEY.values()}


@pytest.mark.parametrize("of_a_file", [False, True])
@pytest.mark.parametrize("key", [0, 1, 2])
def test_a_keyframe_is_the_state_that_mujoco_starts_from(key, of_a_file, device):
    """And so is the motion from there."""
    mj = oracle.compile_xml(STATE)
    source = mjw.load(STATE) if of_a_file else mj
    m, d = mjw.put_model(source, device=device), mjw.make_data(source, nworld=2, device=device)
    mjw.step(m, d)
    mjw.reset_data_keyframe(m, d, key)
    wanted = oracle.from_key(mj, key, 0)
    for name in KEY:
        if name != "time" and getattr(d, name).size:
            assert_close(getattr(d, name).numpy()[1].reshape(1, -1), wanted[name].reshape(1, -1), "authored", floor=1.0)
    assert d.time.numpy().tolist() == [wanted["time"]] * 2
    for _ in range(50):
        mjw.step(m, d)
    assert_close(d.qpos.numpy()[:1], oracle.from_key(mj, key, 50)["qpos"][None], "trajectory", floor=1.0)


@pytest.mark.parametrize("by_key", [False, True])
def test_reset_worlds_have_nothing_of_the_last_episode_in_any_field(by_key, device):
    """States, inputs, outputs, and poses, velocities and forces: as in data made anew; other worlds keep their bits."""
    c = oracle.compile_xml(EVERYTHING)
    m, d, fresh = mjw.put_model(c, device=device), *(mjw.make_data(c, nworld=n, device=device) for n in (3, 1))
    d.mocap_pos.fill_(wp.vec3(1.0, 2.0, 3.0))
    d.ctrl.fill_(0.5)
    for _ in range(3):
        mjw.step(m, d)
    before = {name: array.numpy().copy() for name, array in d.engine.arrays.items()}
    if by_key:
        mjw.reset_data_keyframe(m, d, wp.array([-1, 0, -1], dtype=int, device=device))
        mjw.reset_data_keyframe(m, fresh, 0)
    else:
        mjw.reset_data(m, d, wp.array([False, True, False], dtype=bool, device=device))
    families = (body, constraint, passive, sensor, tendon)
    results = [f.name for family in families for f in family.DATA if f.role == "scratch"]
    names = [f.name for f in FIELDS.values() if f.role in KEPT and f.name not in LASTING] + results
    listed = {"njmax", "nconmax", "njp", "nbpmax", "ncone", "nda", "nka", "nJrow"}
    names = [n for n in names if n in before and before[n].size and listed.isdisjoint((FIELDS[n].dims or "").split())]
    stale = [n for n in names if not np.array_equal(rows(d, n, 1), rows(fresh, n, 0), equal_nan=True)]
    assert stale == [] and len(names) > 80
    others = [n for n in before if n != "bad" and before[n].size and (rows(d, n, 0) != before[n][0]).any()]
    assert others == []


@pytest.mark.parametrize(
    "mask, text",
    [
        ([True, False], "reset must be None or a wp.array"),
        (wp.array([True], dtype=bool, device="cpu"), r"reset array must have shape \(2,\)"),
        (wp.array([1.0, 0.0], dtype=float, device="cpu"), "reset array must be of bool or integer type"),
    ],
)
def test_masks_that_are_none_are_refused(mask, text):
    mj = oracle.compile_xml(STATE)
    m, d = mjw.put_model(mj, device="cpu"), mjw.make_data(mj, nworld=2, device="cpu")
    with pytest.raises(ValueError, match=text):
        mjw.reset_data(m, d, reset=mask)


def test_keyframes_of_a_model_that_has_none():
    mj = oracle.compile_xml("<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>")
    m, d = mjw.put_model(mj, device="cpu"), mjw.make_data(mj, nworld=2, device="cpu")
    d.qpos = np.array([[1.0], [2.0]])
    with pytest.raises(ValueError, match=r"key \(0\) must be in \[0, 0\)"):
        mjw.reset_data_keyframe(m, d, 0)
    mjw.reset_data_keyframe(m, d, wp.zeros(2, dtype=int, device="cpu"))
    assert d.qpos.numpy().tolist() == [[1.0], [2.0]]
