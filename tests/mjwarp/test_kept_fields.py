"""Data with shared scratch, and the intermediate results that it keeps by name."""

import pytest

import newtonlite.mjwarp as mjw
from newtonlite.core.errors import StateError
from tests import oracle
from tests.tolerance import assert_same

BALLS = """<mujoco><worldbody>
  <geom type="plane" size="2 2 .1"/>
  <body pos="0 0 .09"><freejoint/><geom size=".1"/></body>
  <body pos=".15 0 .09"><freejoint/><geom size=".1"/></body>
</worldbody></mujoco>"""
"""Two balls on the ground that touch."""


@pytest.fixture(scope="module")
def balls():
    return oracle.compile_xml(BALLS)


def test_named_fields_are_those_of_data_that_keeps_all(balls, device):
    m, whole = mjw.put_model(balls, device=device), mjw.make_data(balls, 3, device=device)
    names = ("xpos", "contact", "efc", "qfrc_bias")
    fast = mjw.make_data(balls, 3, scratch="shared", kept_fields=names, device=device)
    for _ in range(5):
        mjw.step(m, whole)
        mjw.step(m, fast)
    assert whole.ncon.numpy().all()
    for name in ("qpos", "xpos", "qfrc_bias"):
        assert_same(getattr(fast, name).numpy(), getattr(whole, name).numpy(), name)
    assert_same(fast.contact.dist.numpy(), whole.contact.dist.numpy())
    assert_same(fast.efc.force.numpy(), whole.efc.force.numpy())


@pytest.mark.parametrize(
    "names, message", [("xpos", "several"), (("xposs",), "'xpos'"), (("cinert",), "per_world"), (("H",), "per_world")]
)
def test_fields_that_cannot_be_kept_alone_are_refused(balls, device, names, message):
    with pytest.raises(StateError, match=message):
        mjw.make_data(balls, scratch="shared", kept_fields=names, device=device)
