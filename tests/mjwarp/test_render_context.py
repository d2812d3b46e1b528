"""Render contexts: rays see the groups that a context has."""

import numpy as np
import pytest
import warp as wp

from newtonlite import mjwarp as mjw
from newtonlite.core.errors import StateError
from tests import oracle
from tests.tolerance import tolerance

FLOORS = """<mujoco><worldbody><camera name="c"/><geom type="plane" size="1 1 1" group="0"/><geom type="box" size="1 1 .1" pos="0 0 .4" group="2"/>
    <geom type="box" size="1 1 .1" pos="0 0 1.4" group="4"/></worldbody></mujoco>"""

MOVING = """<mujoco><worldbody><light pos="0 0 4"/><geom type="plane" size="3 3 1"/><geom type="box" size=".5 .5 .5" rgba="1 0 0 1"/>
    <body pos="0 0 3"><joint type="slide" axis="0 0 1"/><geom size=".01" group="4"/><camera name="c"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("enabled", "asked", "height"),
    [
        ((0, 1, 2), None, 0.5),
        ((0, 1, 2), (-1,) * 6, 0.5),
        ((0, 2, 4), (1, 0, 1, 0, 0, 0), 0.5),
        ((0,), (1, 1, 1, 1, 1, 1), 0.0),
        ((0, 4), None, 1.5),
    ],
)
def test_rays_see_the_groups_of_a_context_among_those_asked_for(enabled, asked, height, device):
    mj = oracle.compile_xml(FLOORS)
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, 2, device=device)
    rc = mjw.create_render_context(mj, 2, enabled_geom_groups=list(enabled), cam_active=[False], render_skybox=True)
    mjw.kinematics(m, d)
    mjw.refit_bvh(m, d, rc)
    point = wp.array([[(0.0, 0.0, 3.0)]], dtype=wp.vec3, device=device)
    down = wp.array([[(0.0, 0.0, -1.0)]], dtype=wp.vec3, device=device)
    new = lambda kind: wp.zeros((2, 1), dtype=kind, device=device)
    dist, geomid, normal = new(float), new(int), new(wp.vec3)
    exclude = wp.full(1, -1, dtype=int, device=device)
    mjw.rays(m, d, point, down, asked, True, exclude, dist, geomid, normal, rc=rc)
    np.testing.assert_allclose(dist.numpy(), 3.0 - height, rtol=tolerance("ray"))
    assert mjw.ray(m, d, point, down, asked, rc=rc)[0].numpy()[0, 0] == dist.numpy()[0, 0]


def test_groups_may_be_given_by_place():
    by_place = (None, False, False, False, True, True, False, True, [1], [False])
    rc = mjw.create_render_context(oracle.compile_xml(FLOORS), 1, *by_place)
    assert rc.enabled_geom_groups == (1,)
    with pytest.raises(StateError, match="expected 6 flags, got 3"):
        rc.groups((1, 1, 1))


def larger(m, d) -> None:
    """A box for each world."""
    m.geom_size = np.stack([m.geom_size.numpy()[0]] * 2) * np.array([1.0, 1.3])[:, None, None]


@pytest.mark.parametrize(
    "change",
    [
        lambda m, d: setattr(m, "geom_rgba", np.full_like(m.geom_rgba.numpy(), 0.3)),
        lambda m, d: setattr(m, "light_active", np.zeros((2, 1), bool)),
        larger,
        lambda m, d: [mjw.step(m, d) for _ in range(20)] and mjw.forward(m, d),
    ],
    ids=["colours", "lights", "sizes", "poses"],
)
def test_a_context_follows_what_is_replaced_between_two_pictures(change, device):
    mj = oracle.compile_xml(MOVING)
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, 2, device=device)
    with wp.ScopedDevice(device):
        kept, new = (mjw.create_render_context(mj, 2, (16, 16), render_rgb=True) for _ in range(2))
    mjw.forward(m, d)
    mjw.render(m, d, kept)
    before = kept.picture("rgb", 0).numpy().copy()
    change(m, d)
    mjw.render(m, d, kept)
    mjw.render(m, d, new)
    after = kept.picture("rgb", 0).numpy()
    assert (after != before).any()
    np.testing.assert_array_equal(after, new.picture("rgb", 0).numpy())
    # other data of the same model
    other = mjw.make_data(mj, 2, device=device)
    other.qpos = np.full((2, 1), 0.8, np.float32)
    mjw.forward(m, other)
    mjw.render(m, other, kept)
    assert (kept.picture("rgb", 0).numpy() != new.picture("rgb", 0).numpy()).any()
