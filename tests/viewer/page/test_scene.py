"""Level of detail of the page: triangles and shadows by what is shown."""

import pytest

from tests.harness.viewer_scenes import model

pytest.importorskip("viser", reason="no viser: pip install 'newtonlite[viewer]'")
from newtonlite.viewer import Viewer
from newtonlite.viewer.batches import shown_by_default

MOST = 60_000


@pytest.fixture(scope="module")
def viewer():
    """64 humanoids, which have 717,312 triangles in full, without a browser."""
    made = Viewer(model("humanoid", 64), triangles=MOST)
    yield made
    made.close()


def drawn(viewer) -> int:
    """Triangles of all instances on the page."""
    return sum(len(handle.faces) * len(handle.batched_positions) for handle in viewer.scene.handles.values())


def test_many_worlds_are_drawn_coarsely_and_without_shadows(viewer):
    assert 0.5 * MOST < drawn(viewer) < 1.25 * MOST
    assert viewer.crowded


def test_one_world_is_drawn_in_full(viewer):
    viewer.layout.choose([3])
    viewer.rebuild()
    shown = [batch for batch in viewer.look.batches if shown_by_default(batch.layer)]
    assert drawn(viewer) == sum(len(batch.surface.faces) * len(batch.bodies) // 64 for batch in shown)
    assert not viewer.crowded
    viewer.layout.choose(None)
    viewer.rebuild()
    assert drawn(viewer) < 1.25 * MOST
    assert viewer.crowded
