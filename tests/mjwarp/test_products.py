"""Products with the inertia, also of models whose inertia is stored tree by tree, as host data is put and after ``crb``."""

import numpy as np
import pytest
import warp as wp

from newtonlite import mjwarp as mjw
from newtonlite.core.errors import StateError
from newtonlite.mjwarp.from_host import jacobian
from tests import oracle, oracle_functions
from tests.tolerance import assert_close

PAIR = """<body pos="{x} 0 1"><freejoint/><geom size=".1" mass="{m}"/><body pos=".2 0 0"><joint axis="0 1 0" armature=".1"/>
  <geom size=".1" pos=".1 0 0"/></body></body>"""


def pairs(count: int):
    """Free bodies with a link each: 7 dofs a tree."""
    text = "".join(PAIR.format(x=k, m=1 + k % 3) for k in range(count))
    return oracle.compile_xml(f"<mujoco><worldbody>{text}</worldbody></mujoco>")


@pytest.mark.parametrize("count", [3, 150])
def test_products_with_the_inertia_are_mujocos(count, device):
    mj = pairs(count)
    data = oracle_functions.empty_data(mj)
    data.qpos[3::8] += 0.3
    oracle_functions.forward_into(mj, data)
    m = mjw.put_model(mj, device=device)
    assert m.sizes["nsparse"] == (mj.nv > 1000)
    vec = np.random.default_rng(1).normal(size=(2, mj.nv)).astype(np.float32)
    want = vec.astype(float) @ oracle_functions.dense_mass_matrix(mj, data)
    put = mjw.put_data(mj, data, nworld=2, device=device)
    made = mjw.make_data(mj, nworld=2, device=device)
    made.qpos = np.tile(data.qpos, (2, 1)).astype(np.float32)
    mjw.kinematics(m, made)
    mjw.com_pos(m, made)
    mjw.crb(m, made)
    for d in (put, made):
        found = wp.zeros((2, mj.nv), dtype=float, device=device)
        mjw.mul_m(m, d, found, wp.array(vec, dtype=float, device=device))
        assert_close(found.numpy(), want, "constant")


def of_entries(d, mj, world: int, nefc: int) -> np.ndarray:
    """``efc.J`` of a world with all of its columns, by MuJoCo's own conversion."""
    J, parts = np.zeros((nefc, mj.nv)), (d.efc.J_rownnz, d.efc.J_rowadr, d.efc.J_colind)
    rownnz, rowadr, colind = (part.numpy()[world] for part in parts)
    entries = d.efc.J.numpy()[world, 0].astype(float)
    oracle.mujoco.mju_sparse2dense(J, entries, rownnz[:nefc], rowadr[:nefc], colind[0])
    return J


@pytest.mark.parametrize("kind", ["dense", "sparse", "auto"])
def test_rows_have_the_storage_that_the_model_says(kind, device):
    text = LIMITED.format(x=0) + LIMITED.format(x=1)
    mj = oracle.compile_xml(
        f'<mujoco><compiler angle="degree"/><option jacobian="{kind}"/><worldbody>{text}</worldbody></mujoco>'
    )
    data = oracle_functions.empty_data(mj)
    data.qpos[:] = 0.5
    oracle_functions.forward_into(mj, data)
    m, d = mjw.put_model(mj, device=device), mjw.put_data(mj, data, nworld=2, device=device)
    want = jacobian(mj, data)
    assert data.nefc == 2 and m.is_sparse == (kind == "sparse")
    if m.is_sparse:
        assert d.efc.J.shape == d.efc.J_colind.shape == (2, 1, d.njmax_nnz)
        assert d.efc.J_rownnz.numpy()[1, :2].tolist() == [1, 1]
        assert_close(of_entries(d, mj, 1, 2), want, "constant")
        with pytest.raises(StateError, match="efc.J: follows"):
            d.efc.J = want
    else:
        assert d.efc.J.shape == (2, d.njmax, mj.nv) and d.efc.J_rownnz.shape == (2, 0)
        assert_close(d.efc.J.numpy()[1, :2], want, "constant")


LIMITED = """<body pos="{x} 0 1" name="b{x}"><joint name="h{x}" type="hinge" axis="0 1 0" range="-10 10" limited="true"/>
  <joint type="hinge" axis="1 0 0"/><geom size=".05 .2" type="capsule"/></body>"""


def test_rows_of_a_wide_model_have_all_columns(device):
    text = "".join(LIMITED.format(x=k) for k in range(510))
    pins = '<connect body1="b0" body2="b1" anchor="0 0 0"/><joint joint1="h3" joint2="h9"/>'
    mj = oracle.compile_xml(
        f'<mujoco><compiler angle="degree"/><worldbody>{text}</worldbody><equality>{pins}</equality></mujoco>'
    )
    data = oracle_functions.empty_data(mj)
    data.qpos[:] = np.random.default_rng(3).uniform(-0.3, 0.3, mj.nq)
    data.qvel[:] = np.random.default_rng(4).normal(size=mj.nv)
    oracle_functions.forward_into(mj, data)
    m = mjw.put_model(mj, device=device)
    assert m.sizes["nsparse"] == 1
    d = mjw.put_data(mj, data, nworld=2, device=device)
    want = jacobian(mj, data)
    residual = want @ data.qacc - data.efc_aref
    pushed, clear = (residual < 0) | (np.arange(data.nefc) < data.ne), np.abs(residual) > 1e-2
    assert 0 < pushed[clear].sum() < clear.sum()
    for again in range(2):
        assert d.efc_J.shape == (2, d.njmax, mj.nv) and m.is_sparse
        for world in range(2):
            assert_close(d.efc_J.numpy()[world, : data.nefc], want, "constant")
            assert_close(of_entries(d, mj, world, data.nefc), want, "constant")
            assert_close(d.efc.Jqvel.numpy()[world, : data.nefc], want @ data.qvel, "constant")
            assert ((d.efc.state.numpy()[world, : data.nefc] == 1)[clear] == pushed[clear]).all()
        if not again:
            mjw.make_constraint(m, d)
    back = oracle_functions.empty_data(mj)
    mjw.get_data_into(back, mj, d, 1)
    assert back.nefc == data.nefc and back.efc_J.size < data.nefc * mj.nv
    assert_close(jacobian(mj, back), want, "constant")


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_rows_go_back_in_the_form_that_the_host_has(kind, device):
    mj = oracle.compile_xml(
        f"""<mujoco><option jacobian="{kind}"/><worldbody><body><joint axis="0 1 0" range="-.1 .1" limited="true"/>
        <geom size=".1"/><body pos="0 0 1"><joint type="slide" range="-.1 .1" limited="true"/><geom size=".1"/></body></body></worldbody></mujoco>"""
    )
    data, back = oracle_functions.empty_data(mj), oracle_functions.empty_data(mj)
    data.qpos[:] = 0.5
    oracle_functions.forward_into(mj, data)
    m, d = mjw.put_model(mj, device=device), mjw.put_data(mj, data, device=device)
    mjw.make_constraint(m, d)
    mjw.get_data_into(back, mj, d)
    assert back.nefc == data.nefc == 2
    assert_close(jacobian(mj, back), jacobian(mj, data), "constant")
