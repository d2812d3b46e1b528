"""Products with the inertia, also of models whose inertia is stored tree by tree, as host data is put and after ``crb``."""

import numpy as np
import pytest
import warp as wp

from newtonlite import mjwarp as mjw
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
