"""Meshes that differ between worlds: each world collides and is seen as MuJoCo with that world's mesh."""

import numpy as np
import pytest

from newtonlite import mjwarp as mjw
from newtonlite.core.errors import ModelError
from tests import oracle
from tests.tolerance import assert_close

SHAPES = {
    "box": "-.2 -.2 -.1 .2 -.2 -.1 .2 .2 -.1 -.2 .2 -.1 -.2 -.2 .1 .2 -.2 .1 .2 .2 .1 -.2 .2 .1",
    "pin": "-.1 -.1 -.3 .1 -.1 -.3 .1 .1 -.3 -.1 .1 -.3 0 0 .4",
    "wedge": "-.3 -.1 -.1 .3 -.1 -.1 .3 .1 -.1 -.3 .1 -.1 -.3 -.1 .2 -.3 .1 .2",
}
FALLING = ("geom_dataid", "geom_pos", "geom_quat", "geom_size", "geom_rbound", "geom_aabb")
WEIGHING = (
    "body_mass",
    "body_inertia",
    "body_ipos",
    "body_iquat",
    "body_subtreemass",
    "body_invweight0",
    "dof_invweight0",
)


FACES = {
    "box": "0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7",
    "pin": "0 2 1 0 3 2 0 1 4 1 2 4 2 3 4 3 0 4",
    "wedge": "0 2 1 0 3 2 0 1 4 3 5 2 1 2 5 1 5 4 0 4 5 0 5 3",
}
"""Triangles of the same, for meshes that are given some: MuJoCo makes hulls of those alone that a geom has."""


def scene(name: str, faced: bool = False) -> str:
    """A mesh that stands a little in the ground, beside a geom that no world changes; all meshes are in each scene."""
    faces = {k: f'face="{FACES[k]}"' if faced else "" for k in SHAPES}
    assets = "".join(f'<mesh name="{k}" vertex="{v}" {faces[k]}/>' for k, v in SHAPES.items())
    return f"""<mujoco><asset>{assets}</asset><worldbody><geom type="plane" size="9 9 .1"/>
      <body pos="0 0 .08"><freejoint/><geom type="mesh" mesh="{name}"/></body>
      <body pos="1 0 .09"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""


def worlds(faced: bool = False):
    """MuJoCo's model of each world, and the engine's of all, whose ``geom_dataid`` and what goes with it are by world."""
    hosts = [oracle.compile_xml(scene(name, faced)) for name in SHAPES]
    m = mjw.put_model(hosts[0], device="cpu")
    for name in FALLING[1:] + WEIGHING:
        shape = getattr(m, name).numpy().shape[1:]
        setattr(m, name, np.stack([np.reshape(getattr(h, name), shape) for h in hosts]).astype(np.float32))
    m.geom_dataid = np.stack([h.geom_dataid for h in hosts])
    return hosts, m


@pytest.mark.parametrize("faced", [False, True])
def test_worlds_fall_with_their_own_meshes(faced):
    hosts, m = worlds(faced)
    assert (hosts[0].mesh_graphadr < 0).tolist() == [False, faced, faced]
    assert m.geom_dataid.numpy()[:, 1].tolist() == [0, 1, 2]
    d = mjw.make_data(m, nworld=3, device="cpu")
    want = []
    mjw.forward(m, d)
    for host in hosts:
        data = oracle.empty_data(host)
        oracle.forward_into(host, data)
        want.append(data)
    found = np.bincount(d.contact.worldid.numpy()[: int(d.nacon.numpy()[0])], minlength=3)
    assert found.tolist() == [data.ncon for data in want]
    assert_close(d.qacc.numpy(), np.stack([data.qacc for data in want]), "qacc", floor=1.0)


def test_rays_meet_each_worlds_mesh_and_none_where_it_has_none():
    _, m = worlds()
    rows = m.geom_dataid.numpy()
    rows[2, 1] = -1
    m.geom_dataid = rows
    d = mjw.make_data(m, nworld=3, device="cpu")
    mjw.forward(m, d)
    assert set(d.contact.worldid.numpy()[: int(d.nacon.numpy()[0])].tolist()) == {0, 1, 2}
    assert not (d.contact.geom.numpy()[d.contact.worldid.numpy() == 2] == 1).any()
    points, down = np.tile(np.float32([[[0.02, 0.01, 5]]]), (3, 1, 1)), np.tile(np.float32([[[0, 0, -1]]]), (3, 1, 1))
    dist, geom, _ = mjw.ray(m, d, points, down)
    assert geom.numpy()[:, 0].tolist() == [1, 1, 0]
    assert dist.numpy()[0, 0] != dist.numpy()[1, 0]


def test_meshes_that_no_geom_can_have_are_refused():
    m = mjw.put_model(oracle.compile_xml(scene("box")), device="cpu")
    for value, text in (
        ([[-1, 3, -1]], "no mesh 3"),
        ([[0, 0, -1]], "geom 0 is no mesh"),
        ([[0, 0]], "expected shape"),
    ):
        with pytest.raises(ModelError, match=text):
            m.geom_dataid = np.array(value)


def test_meshes_written_into_the_array_count_with_the_next_call():
    host = oracle.compile_xml(scene("box"))
    m = mjw.put_model(host, batch_sizes={"geom_dataid": 2}, device="cpu")
    d = mjw.make_data(m, nworld=2, device="cpu")
    mjw.forward(m, d)
    same = d.nefc.numpy().tolist()
    m.geom_dataid.assign(np.array([[-1, 0, -1], [-1, -1, -1]], np.int32))
    mjw.forward(m, d)
    assert same[0] == same[1] == d.nefc.numpy()[0] > d.nefc.numpy()[1]
