"""Contacts of flexes with distance fields and height fields: MuJoCo's, one by one and in its order."""

import numpy as np
import pytest

from tests.harness.flex_scenes import contact_errors, flex, own_contacts, same_ids, world
from tests.harness.soft_bodies import Softened
from tests.tolerance import tolerance

TORUS = '<extension><plugin plugin="mujoco.sdf.torus"><instance name="torus"/></plugin></extension>'
CUBE = "-.1 -.1 -.1 .1 -.1 -.1 -.1 .1 -.1 .1 .1 -.1 -.1 -.1 .1 .1 -.1 .1 -.1 .1 .1 .1 .1 .1"
MESHES = f'<asset><mesh name="torus"><plugin instance="torus"/></mesh><mesh name="cube" vertex="{CUBE}"/></asset>'
RING = '<geom type="sdf" mesh="torus" {}><plugin instance="torus"/></geom>'
BLOCK = '<geom type="sdf" mesh="cube" euler="5 -10 20" pos="0 0 -.08"/>'
FREE = '<body name="o"><freejoint/>{}</body>'
OPTION = '<option sdf_initpoints="7" sdf_iterations="5"/>'
WIDE = {"count": "6 5 1", "spacing": ".2 .2 .2", "pos": ".03 0 .13"}
PINNED = '<pin id="3 12"/>'
FIELDS = {
    "a ring under a cloth": (RING.format(""), flex(**WIDE)),
    "a ring that moves": (FREE.format(RING.format('euler="4 3 20"')), flex(**WIDE)),
    "many triangles": (RING.format(""), flex(count="15 15 1", spacing=".08 .08 .08", pos=".03 0 .12")),
    "vertices of the field's own body": (RING.format(""), flex(inside=PINNED, **WIDE)),
    "a plane, and a ring": (RING.format(""), '<geom type="plane" size="1 1 1" pos="0 0 .12"/>', flex(**WIDE)),
    "an octree": (BLOCK, flex(pos="0 0 .01")),
}
HEIGHTS = " ".join(str(round(0.5 + 0.5 * np.sin(1.7 * i), 3)) for i in range(30))
GROUND = '<geom type="hfield" hfield="h" euler="2 3 10"/>'
FIELD = f'<asset><hfield name="h" nrow="5" ncol="6" size=".4 .3 .05 .1" elevation="{HEIGHTS}"/></asset>'
GROUNDS = {
    "rope": flex(dim=1, pos="0 0 .03"),
    "cloth": flex(pos="0 0 .03"),
    "block": flex(dim=3, pos="0 0 .12"),
    "fine block": flex(dim=3, count="3 3 3", spacing=".03 .03 .03", pos="0 0 .05"),
    "beside it": flex(pos=".45 .1 .02"),
}


def compared(source: str, device, pos: str, normal: str, worlds: int = 4) -> int:
    """Compare all contacts of some bent states; returns how many there are."""
    s = Softened(source, device, worlds=worlds, bend=0.01, seed=3).forward()
    count, off = 0, []
    for w, data in list(enumerate(s.datas))[1:]:
        own = own_contacts(s, w)
        assert same_ids(own, data), (w, len(own["dist"]), data.ncon)
        count += data.ncon
        errors = {"dist": "hit_distance", "pos": pos, "frame": normal}
        wrong = [contact_errors(own, data, name) > tolerance(limit) for name, limit in errors.items()]
        off += np.any(wrong, axis=0).tolist()
    assert np.mean(off) <= tolerance("scene_ties"), np.flatnonzero(off)
    return count


@pytest.mark.parametrize("name", FIELDS)
def test_contacts_with_distance_fields(name, device):
    source = world(*FIELDS[name], option=OPTION, extra=TORUS + MESHES)
    assert compared(source, device, "hit_position", "hit_normal") > 10


@pytest.mark.parametrize("name", GROUNDS)
def test_contacts_with_height_fields(name, device):
    source = world(GROUND, GROUNDS[name], extra=FIELD)
    assert compared(source, device, "patch_position", "searched_normal") > 3


def test_volumes_pass_through_distance_fields(device):
    """Of three dimensions and of one, as in MuJoCo."""
    for dim in (1, 3):
        s = Softened(world(RING.format(""), flex(dim=dim, pos=".3 0 .1"), option=OPTION, extra=TORUS + MESHES), device)
        s.forward()
        assert s.d.engine.ncon.numpy().tolist() == [data.ncon for data in s.datas] == [0, 0, 0]
