"""Negative margins and gaps: two geoms touch from a depth on, and the distance is that of the shapes as they are.

MuJoCo measures shapes that it has no formula for as thinner by a negative margin, and gives that distance; these are held
to the closed form.
"""

import numpy as np
import pytest

from newtonlite import mjwarp as mjw
from tests import oracle
from tests.tolerance import assert_close

SHAPES = {
    "sphere": (".1", 0.1),
    "capsule": (".1 .2", 0.3),
    "box": (".1 .12 .1", 0.1),
    "cylinder": (".1 .1", 0.1),
    "ellipsoid": (".1 .11 .1", 0.1),
}
"""Size, and how far each reaches along z."""
BY_FORMULA = ("sphere", "capsule", "box")


def scene(words: str) -> str:
    """Each shape at rest, and another of its kind on it."""
    pairs = "".join(
        f'<geom name="{kind}" type="{kind}" size="{size}" pos="{3 * k} 0 0" {words}/>'
        f'<body pos="{3 * k} 0 {2 * high}"><freejoint/><geom type="{kind}" size="{size}" {words}/></body>'
        for k, (kind, (size, high)) in enumerate(SHAPES.items())
    )
    option = '<option ccd_tolerance="1e-9" ccd_iterations="200"/>'
    return f"<mujoco>{option}<worldbody>{pairs}</worldbody></mujoco>"


def least(geom, dist) -> dict[str, float]:
    """The least distance of each pair that touches; the shapes at rest are the first geoms."""
    names, found = list(SHAPES), {}
    for pair, apart in zip(np.asarray(geom).tolist(), np.asarray(dist).tolist(), strict=True):
        found[names[min(pair)]] = min(found.get(names[min(pair)], 0.0), apart)
    return found


@pytest.mark.parametrize("depth", [0.005, 0.03, 0.1])
@pytest.mark.parametrize("words", ['margin="-.01"', 'gap="-.01"', 'margin=".01" gap="-.02"'])
def test_shapes_touch_from_the_depth_that_margin_and_gap_ask_for(words, depth, device):
    m = oracle.compile_xml(scene(words))
    assert [m.geom(k).name for k in range(len(SHAPES))] == list(SHAPES)
    low = np.array(m.qpos0)
    low[2::7] -= depth
    c = oracle.forward(
        m, oracle.rounded(oracle.States(low[None], np.zeros((1, m.nv)), np.zeros((1, m.nv)), np.zeros((1, 0))))
    ).contact
    compiled = mjw.load(scene(words))
    model, data = mjw.put_model(compiled, device=device), mjw.make_data(compiled, device=device)
    data.qpos.assign(low[None].astype(np.float32))
    mjw.forward(model, data)
    count = int(data.nacon.numpy()[0])
    got, want = least(data.contact.geom.numpy()[:count], data.contact.dist.numpy()[:count]), least(c.geom, c.dist)
    assert set(got) == (set(SHAPES) if depth > 0.02 else set())
    for kind in got:
        assert_close([got[kind]], [want[kind] if kind in BY_FORMULA else -depth], "hit_distance", floor=1.0)
