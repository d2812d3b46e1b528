"""``set_const`` by groups: bounds of geoms by world as MuJoCo compiles them, other groups left as they are."""

import numpy as np
import pytest

from newtonlite import mjwarp as mjw
from tests import oracle, oracle_functions
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


VIEWED = """<mujoco><asset><hfield name="h" nrow="2" ncol="3" size="1 2 .5 .1" elevation="0 1 0 1 0 1"/></asset><worldbody>
  <geom type="hfield" hfield="h"/><camera pos="0 0 2"/><light pos="0 0 3" dir="0 .3 -1"/>
  <body name="a" pos="0 0 1" euler="10 20 30"><joint axis="0 1 0"/><geom size=".1"/><camera pos=".1 .2 .3" euler="40 0 10"/>
  <camera pos=".1 0 0" mode="trackcom" target="b"/><light pos=".4 .5 .6" dir="1 2 -3" mode="targetbodycom" target="b"/>
  <body name="b" pos=".5 0 0"><joint/><geom size=".2"/></body></body></worldbody></mujoco>"""
VIEWS = "cam_pos0 cam_poscom0 cam_mat0 light_pos0 light_poscom0 light_dir0".split()


def test_cameras_lights_and_height_fields_follow_as_in_mujoco(device):
    """As ``mj_setConst`` has them, in worlds whose cameras, lights and bodies stand elsewhere."""
    hosts = [oracle.compile_xml(VIEWED) for _ in range(2)]
    m, d = mjw.put_model(hosts[0], device=device), mjw.make_data(hosts[0], nworld=2, device=device)
    for k, host in enumerate(hosts):
        host.cam_pos[:] += 0.1 + 0.2 * k
        host.light_dir[:] += [0.1 * k, 0.2, 0.0]
        host.body_pos[1:] *= 1.0 + 0.5 * k
        host.qpos0[:] = [0.3 + k, -0.2]
        host.hfield_size[:] = [1.5, 2.5, 0.7, 0.3]
    for name in ("cam_pos", "light_dir", "body_pos", "qpos0"):
        setattr(m, name, np.stack([getattr(host, name) for host in hosts]).astype(np.float32))
    m.hfield_size.assign(hosts[0].hfield_size.astype(np.float32))
    mjw.set_const(m, d)
    for host in hosts:
        oracle_functions.set_const(host)
    for name in VIEWS:
        wanted = np.stack([np.reshape(getattr(host, name), getattr(m, name).numpy().shape[1:]) for host in hosts])
        assert_close(getattr(m, name).numpy(), wanted, "constant", floor=1.0, what=name)
    for name in ("geom_rbound", "geom_aabb", "geom_size"):
        found = getattr(m, name).numpy()[0]
        assert_close(found, np.reshape(getattr(hosts[0], name), found.shape), "constant", floor=1.0)


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
