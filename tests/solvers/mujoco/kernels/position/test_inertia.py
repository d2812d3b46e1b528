"""Composite inertias of bodies that no dof moves: read by users, as MuJoCo's are."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco.executor import specialize
from newtonlite.solvers.mujoco.executor.cpu.gang import GANG_SIZE
from tests import oracle
from tests.harness.comparing import pair, read
from tests.harness.engine import Engine
from tests.harness.expected import expected
from tests.tolerance import assert_close

FIXED = """
<mujoco>
  <worldbody>
    <body pos="0 0 .2" euler="10 20 30">
      <geom type="box" size=".1 .2 .3"/>
      <body pos=".3 0 .1" euler="0 40 0"><geom size=".1"/><body pos="0 .2 0"><geom type="capsule" size=".04 .2"/></body></body>
      <body pos="-.3 .1 0"><geom type="cylinder" size=".1 .2" euler="30 0 0"/></body>
    </body>
    <body mocap="true" pos="1 0 1" quat=".9 .1 0 .3"><geom size=".1"/><body pos="0 0 .2"><geom type="ellipsoid" size=".1 .2 .1"/></body></body>
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("folded", [False, True])
def test_bodies_without_dofs_have_mujocos_composite_inertias(folded, device, monkeypatch):
    """With the kernels of everything, and with those of the scene's features, where most worlds are of a gang."""
    monkeypatch.setattr(specialize, "enabled", folded)
    monkeypatch.setenv("NEWTONLITE_KERNELS", "wait")
    mj = oracle.compile_xml(FIXED)
    still = oracle.States(*(np.zeros((GANG_SIZE + 3, size)) for size in (mj.nq, mj.nv, mj.nv, mj.nu)))
    engine = Engine(mj, still, device, scratch="per_world")
    engine.fill("crb", np.full((len(still), mj.nbody, 10), np.nan))
    engine.forward()
    assert mj.nv == 0
    assert_close(*pair(read(engine, "crb"), "crb", expected(mj, still)), "inertia")
