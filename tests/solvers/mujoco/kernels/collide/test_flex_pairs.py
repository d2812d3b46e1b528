"""Near elements of two flexes, and of one with itself: every pair whose boxes overlap, in order, by way of blocks that lose none."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco.derive import flex_contact
from newtonlite.solvers.mujoco.kernels.collide.broadphase_pair import SLACK
from newtonlite.solvers.mujoco.kernels.collide.flex_boxes import BLOCK
from newtonlite.solvers.mujoco.kernels.collide.flex_near import OTHER_FLEX, SWEEP
from newtonlite.solvers.mujoco.kernels.position.flex import flex_position
from newtonlite.solvers.mujoco.pipeline import KINEMATICS
from tests import oracle
from tests.harness.engine import Engine
from tests.harness.flex_scenes import flex, world
from tests.harness.soft_bodies import bent_states
from tests.harness.soft_stages import pairs_of_first_group

BENDS = (0.0, 0.02, 0.04, 0.06)
WORLDS = len(BENDS)
ROOM = 60_000


def cloth(name: str, count: str, **attributes) -> str:
    return flex(name, count=count, spacing=".05 .05 .05", **attributes)


SCENES = {
    "cloths": world(cloth("f", "8 7 1"), cloth("g", "6 9 1", pos=".1 .06 .012", euler="0 4 30")),
    "cloths that meet at a corner": world(cloth("f", "9 9 1"), cloth("g", "9 9 1", pos=".36 .36 .01")),
    "cloths far apart": world(cloth("f", "8 7 1"), cloth("g", "6 9 1", pos="0 0 3")),
    "cloth and ropes": world(cloth("f", "7 7 1"), cloth("g", "20 1 1", dim=1, pos="0 .01 .015", euler="0 0 40")),
    "block and cloth": world(cloth("f", "4 4 4", dim=3), cloth("g", "7 6 1", pos=".02 .01 .08")),
    "interpolated and cloth": world(
        cloth("f", "5 5 5", dim=3, dof="trilinear"), cloth("g", "8 6 1", pos=".02 .01 .1", contact='margin=".03"')
    ),
    "one, by its tree": world(cloth("f", "20 6 1", selfcollide="bvh", pos="0 0 1")),
    "one, all pairs": world(cloth("f", "5 4 4", dim=3, selfcollide="narrow")),
    "more pairs than a list has room for": world(
        flex("f", count="8 8 1", spacing=".3 .3 .3", contact='margin=".14"'),
        flex("g", count="8 8 1", spacing=".3 .3 .3", pos=".01 .02 .01", contact='margin=".14"'),
    ),
}


def run(source: str, device) -> Engine:
    """The engine after its lists were made."""
    mj = oracle.compile_xml(source)
    engine = Engine(mj, bent_states(mj, BENDS), device, mode="staged", nconmax=ROOM)
    engine.run((*KINEMATICS, flex_position, pairs_of_first_group))
    return engine


def read_model(engine: Engine, name: str) -> np.ndarray:
    return getattr(engine.m, name).numpy()


def apart(one: np.ndarray, two: np.ndarray, cutoff: np.float32) -> np.ndarray:
    """Whether boxes ``one[i]`` and ``two[k]``, each centre and half sizes, are apart, with the rounding of float32."""
    a, b = one[:, None], two[None]
    reach = a[:, :, 1] + b[:, :, 1] + cutoff
    far = reach + np.float32(SLACK) * (reach + np.abs(a[:, :, 0]) + np.abs(b[:, :, 0]))
    return (np.abs(a[:, :, 0] - b[:, :, 0]) > far).any(axis=2)


def of_group(engine: Engine) -> tuple[int, int, np.ndarray, np.ndarray]:
    """The two flexes of the first group, and the active elements of both."""
    kinds = read_model(engine, "flexgroup_kind")
    group = int(np.flatnonzero((kinds >= OTHER_FLEX) & (kinds < SWEEP))[0])
    f1, f2 = (int(read_model(engine, f"flexgroup_{side}")[group]) for side in ("other", "flex"))
    first, number, elements = (read_model(engine, f"flexactive_{name}") for name in ("adr", "num", "elem"))
    return f1, f2, *(elements[first[f] : first[f] + number[f]] for f in (f1, f2))


def cutoff_of(mj, f1: int, f2: int) -> np.float32:
    """Distance at which two flexes touch; one and itself without a margin."""
    if f1 == f2:
        return np.float32(0.0)
    return np.float32(mj.flex_margin[f1]) + np.float32(mj.flex_margin[f2])


def brute_force(engine: Engine, w: int) -> list[tuple[int, int]]:
    """Pairs of elements, of all of both flexes, that do not share a body or vertex and whose boxes overlap."""
    f1, f2, one, two = of_group(engine)
    boxes = engine.read("flexelem_aabb")[w].reshape(-1, 2, 3)
    near = ~apart(boxes[one], boxes[two], cutoff_of(engine.mj, f1, f2))
    carriers, v = engine.mj.flex_vertbodyid, read_model(engine, "flexelem_vert")
    bodies = np.where(carriers[v] < 0, -1 - v, carriers[v])
    shared = (bodies[one][:, None, :, None] == bodies[two][None, :, None, :]).any(axis=(2, 3))
    near &= ~shared
    if f1 == f2:
        rank = read_model(engine, "flexelem_rank")  # of two, that with the lower place in the tree is the first
        near &= rank[two][None] > rank[one][:, None]
    return [(int(one[i]), int(e)) for i in range(len(one)) for e in np.sort(two[near[i]])]


@pytest.mark.parametrize("room", [None, 1], ids=["", "little room for blocks"])
@pytest.mark.parametrize("name", SCENES)
def test_near_elements_are_those_of_all_pairs_in_order(name, room, device, monkeypatch):
    if room is not None:
        monkeypatch.setattr(flex_contact, "NEAR_BLOCKS", room)
    engine = run(SCENES[name], device)
    count, listed, total = engine.read("nflexhits").ravel(), engine.read("flexhit_part"), 0
    for w in range(WORLDS):
        want = brute_force(engine, w)
        assert [tuple(pair) for pair in listed[w, : count[w]].tolist()] == want, w
        total += len(want)
    assert (total == 0) == (name == "cloths far apart")


def test_lists_go_on_where_the_one_before_was_full(device):
    engine = run(SCENES["more pairs than a list has room for"], device)
    ends = engine.read("flexhit_group")[0]
    lists = int(np.flatnonzero(ends == -1)[0])
    assert lists > 5 and np.diff(ends[:lists]).max() <= engine.m.nflexnear
    assert ends[lists - 1] == engine.read("nflexhits").ravel()[0]


@pytest.mark.parametrize("name", ["cloths", "cloths that meet at a corner", "block and cloth", "one, by its tree"])
def test_near_blocks_are_those_of_all_pairs_of_blocks(name, device):
    """And not all of them: what is far apart is never looked at."""
    engine = run(SCENES[name], device)
    f1, f2, one, two = of_group(engine)
    cutoff, adr = cutoff_of(engine.mj, f1, f2), read_model(engine, "flexblock_adr")
    number = [-(-len(elements) // BLOCK) for elements in (one, two)]
    near_share = []
    for w in range(WORLDS):
        boxes = engine.read("flextree_box")[w].reshape(-1, 2, 3)
        whole = engine.read("flex_box")[w].reshape(-1, 2, 3)
        first, second = (boxes[adr[f] : adr[f] + n] for f, n in zip((f1, f2), number))
        near = ~apart(first, second, cutoff)
        near &= ~apart(first, whole[f2 : f2 + 1], cutoff) & ~apart(second, whole[f1 : f1 + 1], cutoff).T
        kept, blocks = engine.read("flexnear_ofblock")[w], engine.read("flexnear_block")[w]
        for k in range(number[0]):
            begin, count = kept[k]
            assert blocks[begin : begin + count].tolist() == np.flatnonzero(near[k]).tolist(), (w, k)
        near_share.append(near.mean())
    assert min(near_share) < 0.9


def test_boxes_of_blocks_hold_their_elements(device):
    """In the order of the tree, every active element in one block."""
    engine = run(SCENES["cloths"], device)
    adr, number = read_model(engine, "flexactive_adr"), read_model(engine, "flexactive_num")
    tree, blocks = read_model(engine, "flextree_elem"), read_model(engine, "flexblock_adr")
    for f in range(engine.mj.nflex):
        ordered = tree[adr[f] : adr[f] + number[f]]
        assert sorted(ordered) == sorted(read_model(engine, "flexactive_elem")[adr[f] : adr[f] + number[f]])
        for w in range(WORLDS):
            elements = engine.read("flexelem_aabb")[w].reshape(-1, 2, 3)[ordered]
            for k in range(-(-number[f] // BLOCK)):
                part = elements[BLOCK * k : BLOCK * (k + 1)]
                centre, half = engine.read("flextree_box")[w].reshape(-1, 2, 3)[blocks[f] + k]
                low, high = (part[:, 0] - part[:, 1]).min(axis=0), (part[:, 0] + part[:, 1]).max(axis=0)
                np.testing.assert_array_equal(centre, np.float32(0.5) * (low + high))
                np.testing.assert_array_equal(half, np.float32(0.5) * (high - low))
