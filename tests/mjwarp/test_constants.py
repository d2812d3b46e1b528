"""``set_const`` by groups: bounds of geoms by world as MuJoCo compiles them, other groups left as they are."""

import numpy as np
import pytest

from newtonlite import mjwarp as mjw
from tests import oracle
from tests.tolerance import assert_close

GEOMS = {"sphere": ".1", "capsule": ".1 .2", "cylinder": ".1 .2", "ellipsoid": ".1 .2 .3", "box": ".1 .2 .3"}
SIZES = (1.0, 1.7, 0.4)


def scene(scale: float) -> str:
    """Every kind of geom that is described by its size, scaled, and a mesh that is not."""
    scaled = {kind: " ".join(str(scale * float(x)) for x in size.split()) for kind, size in GEOMS.items()}
    geoms = "".join(f'<geom type="{kind}" size="{size}" mass="1"/>' for kind, size in scaled.items())
    return f"""<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>
      <geom type="plane" size="2 2 .1"/><body pos="0 0 3"><joint name="j"/>{geoms}<geom type="mesh" mesh="m" mass="1"/></body>
      <body pos="3 0 3"><joint/><geom size=".1"/></body></worldbody>
      <tendon><fixed><joint joint="j" coef="2"/></fixed></tendon></mujoco>"""


def test_bounds_follow_sizes_in_each_world(device):
    hosts = [oracle.compile_xml(scene(scale)) for scale in SIZES]
    m, d = mjw.put_model(hosts[0], device=device), mjw.make_data(hosts[0], nworld=3, device=device)
    m.geom_size = np.stack([host.geom_size for host in hosts]).astype(np.float32)
    mjw.set_const(m, d, mjw.SetConstGroup.FIXED)
    assert_close(m.geom_rbound.numpy(), np.stack([host.geom_rbound for host in hosts]), "constant")
    boxes = np.stack([np.reshape(host.geom_aabb, (-1, 2, 3)) for host in hosts])
    assert_close(m.geom_aabb.numpy(), boxes, "constant")


def test_groups_that_are_not_named_stay(device):
    host = oracle.compile_xml(scene(1.0))
    m, d = mjw.put_model(host, device=device), mjw.make_data(host, device=device)
    names = "body_subtreemass dof_invweight0 body_invweight0 tendon_length0".split()
    m.body_mass = 2 * m.body_mass.numpy()
    m.qpos0 = m.qpos0.numpy() + 0.5
    before = {name: getattr(m, name).numpy().copy() for name in names}
    for group, changes in (
        (mjw.SetConstGroup.NONE, set()),
        (mjw.SetConstGroup.FIXED, {"body_subtreemass"}),
        (mjw.SetConstGroup.KIN0, {"body_subtreemass", "tendon_length0"}),
        (mjw.SetConstGroup.INERT0, set(names)),
    ):
        mjw.set_const(m, d, groups=group)
        assert {name for name in names if (getattr(m, name).numpy() != before[name]).any()} == changes


@pytest.mark.parametrize("name, changes", [("set_const_fixed", "body_subtreemass"), ("set_const_0", "dof_invweight0")])
def test_old_names_are_groups(name, changes, device):
    host = oracle.compile_xml(scene(1.0))
    m, d = mjw.put_model(host, device=device), mjw.make_data(host, device=device)
    m.body_mass = 2 * m.body_mass.numpy()
    before = {key: getattr(m, key).numpy().copy() for key in ("body_subtreemass", "dof_invweight0")}
    with pytest.warns(DeprecationWarning, match=name):
        getattr(mjw, name)(m, d)
    assert [key for key in before if (getattr(m, key).numpy() != before[key]).any()] == [changes]
