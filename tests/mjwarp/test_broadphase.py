"""``m.opt.broadphase``: another way to the same contacts."""

import numpy as np
import pytest
import warp as wp

import newtonlite.mjwarp as mjw
from newtonlite.core.errors import ModelError
from tests import oracle
from tests.tolerance import assert_same


def test_contacts_do_not_depend_on_the_broad_phase(device):
    mj = oracle.named_model("every_pair_of_shapes")
    data = oracle.forward(mj, oracle.rollout_states(mj, 1, seed=5))
    found = []
    with wp.ScopedDevice(device):
        for kind in (mjw.BroadphaseType.NXN, mjw.BroadphaseType.SAP_SEGMENTED):
            m = mjw.put_model(mj)
            m.opt.broadphase = kind
            m.opt.broadphase_filter = mjw.BroadphaseFilter.OBB
            d = mjw.put_data(m, data, nworld=2)
            mjw.forward(m, d)
            assert (m.opt.broadphase == mjw.BroadphaseType.NXN) == (kind == mjw.BroadphaseType.NXN)
            count = int(d.nacon.numpy()[0])
            found.append([getattr(d.contact, name).numpy()[:count] for name in ("dist", "pos", "geom", "worldid")])
    assert len(found[0][0]) > 2
    for one, two in zip(*found, strict=True):
        assert_same(one, two)


def test_it_can_be_chosen_after_data_was_made(device):
    mj = oracle.named_model("humanoid")
    with wp.ScopedDevice(device):
        m = mjw.put_model(mj)
        d = mjw.make_data(m)
        mjw.forward(m, d)
        before = d.contact.geom.numpy()
        m.opt.broadphase = mjw.BroadphaseType.SAP_TILE
        mjw.forward(m, d)
        np.testing.assert_array_equal(d.contact.geom.numpy(), before)
        with pytest.raises(ModelError, match="opt.broadphase: 7; expected a BroadphaseType"):
            m.opt.broadphase = 7
