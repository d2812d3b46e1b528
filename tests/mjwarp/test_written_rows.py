"""Constraint rows that a program writes into the data: solved as if the engine had made them."""

import numpy as np
import pytest

from newtonlite import mjwarp as mjw
from newtonlite.core.errors import StateError
from tests import oracle
from tests.tolerance import assert_close

ARM = """<mujoco><option gravity="1 0 -9.81"/><worldbody><geom type="plane" size="3 3 .1"/>
  <body name="a" pos="0 0 .3"><joint name="j" axis="0 1 0" frictionloss=".3"/><geom size=".05" pos=".2 0 0"/>
    <body name="b" pos=".2 0 0"><joint axis="0 1 0" range="-1 .1" limited="true"/><geom size=".05" pos=".2 0 0"/></body></body>
  {}</worldbody>
  <equality><joint joint1="j" polycoef=".1 0 0 0 0"/></equality></mujoco>"""
COUNTS = ("ne", "nf", "nl", "nefc")


def worlds(angles):
    """MuJoCo's data of an arm whose first joint is at different angles: it touches the ground, or not."""
    mj, found = oracle.compile_xml(ARM.format("")), []
    for angle in angles:
        data = oracle.empty_data(mj)
        data.qpos[:2] = angle, 0.2
        oracle.mujoco.mj_forward(mj, data)
        found.append(data)
    return mj, found


def stacked(values, width: int) -> np.ndarray:
    """Rows of worlds, behind which there is nothing."""
    return np.stack([np.pad(v, [(0, width - len(v)), *[(0, 0)] * (v.ndim - 1)]) for v in values]).astype(np.float32)


def test_rows_written_by_hand_are_solved():
    mj, want = worlds((0.95, 0.3, -0.2))
    m = mjw.put_model(mj, device="cpu")
    d = mjw.make_data(m, 3, njmax=40, device="cpu")
    assert len({data.nefc for data in want}) == 2
    for name in COUNTS:
        setattr(d, name, np.array([getattr(data, name) for data in want]))
    assert d.nefc.numpy().tolist() == [data.nefc for data in want]
    d.efc.J = stacked([data.efc_J[: data.nefc * mj.nv].reshape(-1, mj.nv) for data in want], 40)
    for name in ("D", "aref", "frictionloss"):
        setattr(d.efc, name, stacked([getattr(data, f"efc_{name}") for data in want], 40))
    d.M = np.stack([data.M for data in want])
    for name in ("qfrc_smooth", "qacc_warmstart"):
        setattr(d, name, np.stack([getattr(data, name) for data in want]))
    mjw.solve(m, d)
    for name in ("qacc", "qfrc_constraint"):
        truth = np.stack([getattr(data, name) for data in want])
        assert_close(getattr(d, name).numpy(), truth, "next", floor=1.0, what=name)


def test_no_more_rows_than_there_is_room_for():
    mj, _ = worlds((0.95,))
    m = mjw.put_model(mj, device="cpu")
    d = mjw.make_data(m, 2, njmax=6, device="cpu")
    d.nefc = np.array([9, 2])
    assert d.nefc.numpy().tolist() == [9, 2] and d.engine.nefc.numpy().tolist() == [6, 2]


def test_a_factor_that_is_written_is_that_of_the_inertia():
    mj, want = worlds((0.95,))
    d = mjw.put_data(mj, want[0], nworld=2, device="cpu")
    d.qLD = np.tile(want[0].qLD, (2, 1))
    with pytest.raises(StateError, match="write data.M"):
        d.qLD = np.tile(2.0 * want[0].qLD, (2, 1))


@pytest.mark.parametrize("share", [3e-4, -3e-4])
def test_a_factor_that_is_a_little_off_is_refused(share):
    """Light dofs beside heavy ones: an error of little of the largest entry is much of theirs."""
    text = """<mujoco><worldbody><body><joint axis="0 1 0"/><geom size=".1" pos="1 0 0" mass="1000"/><body pos="1 0 0">
    <joint axis="0 1 0"/><geom size=".01" pos=".1 0 0" mass=".01"/></body></body></worldbody></mujoco>"""
    mj = oracle.compile_xml(text)
    want = oracle.empty_data(mj)
    oracle.mujoco.mj_forward(mj, want)
    d = mjw.put_data(mj, want, nworld=1, device="cpu")
    d.qLD = want.qLD[None]
    other = want.qLD[None].copy()
    other[0, -1] *= 1.0 + share
    with pytest.raises(StateError, match="L'DL is 3.0e-04 of a diagonal entry away"):
        d.qLD = other


def test_rows_of_several_trees_are_made_by_the_engine():
    mj = oracle.compile_xml(ARM.format('<body name="c" pos="1 0 1"><freejoint/><geom size=".1"/></body>'))
    m = mjw.put_model(mj, device="cpu")
    d = mjw.make_data(m, 1, device="cpu")
    mjw.fwd_position(m, d)
    count = d.nefc.numpy().copy()
    with pytest.raises(StateError, match="several trees"):
        d.nefc = count + 1
    assert d.nefc.numpy().tolist() == count.tolist()
    d.nefc = count - 1
    assert d.engine.nefc.numpy().tolist() == (count - 1).tolist()
