"""Contacts matched from call to call, against a search over all rows."""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.errors import ModelError, StateError
from tests.collide.test_near_pairs import crowd
from tests.harness.collide_scenes import corner, pose
from tests.tolerance import assert_same, tolerance

REACH, SAME = 0.002, 0.99


def scene(device, worlds: int = 2):
    """Shapes of all kinds that overlap, over a corner and a plane that are in all worlds."""
    b = newton.ModelBuilder()
    b.add_ground_plane(cfg=b.ShapeConfig(gap=0.01))
    b.add_shape_mesh(-1, mesh=corner(), cfg=b.ShapeConfig(gap=0.01), xform=((0.0, 0.0, -0.4), (0, 0, 0, 1)))
    b.replicate(crowd(1, 12), worlds)
    return b.finalize(device=device)


def shake(state, rng, far: float) -> None:
    """Move and turn every body a little."""
    q = state.body_q.numpy()
    q[:, :3] += rng.uniform(-far, far, (len(q), 3))
    q[:, 3:] += rng.uniform(-far, far, (len(q), 4))
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1)[:, None]
    state.body_q.assign(q)


def rows(model, contacts, state) -> dict:
    """Shapes, middle in the world and normal of each row."""
    n = int(contacts.rigid_contact_count.numpy()[0])
    get = lambda name: getattr(contacts, f"rigid_contact_{name}").numpy()[:n].copy()
    q = [wp.transform(*x) for x in state.body_q.numpy()] + [wp.transform_identity()]
    shapes = np.stack([get("shape0"), get("shape1")], 1)
    ends = [
        [
            np.array(wp.transform_point(q[b], wp.vec3(*p)))
            for b, p in zip(model.shape_body.numpy()[shapes[:, k]], get(f"point{k}"), strict=True)
        ]
        for k in (0, 1)
    ]
    return {
        "shapes": shapes,
        "middle": 0.5 * (np.array(ends[0]) + np.array(ends[1])).reshape(n, 3),
        "normal": get("normal"),
        "index": get("match_index"),
    }


def searched(now: dict, then: dict) -> np.ndarray:
    """What every row should be: each takes the nearest of its pair, and of those that take the same one the nearest has
    it.
    """
    want, far = np.full(len(now["shapes"]), -1), np.zeros(len(now["shapes"]))
    for i, pair in enumerate(now["shapes"]):
        old = np.flatnonzero((then["shapes"] == pair).all(axis=1))
        away = np.linalg.norm(then["middle"][old] - now["middle"][i], axis=1)
        fits = (away <= REACH) & (then["normal"][old] @ now["normal"][i] >= SAME)
        want[i] = -1 if not len(old) else -2
        if fits.any():
            k = np.flatnonzero(fits)[np.argmin(away[fits])]
            want[i], far[i] = old[k], away[k]
    for old in np.unique(want[want >= 0]):
        rivals = np.flatnonzero(want == old)
        want[np.delete(rivals, np.argmin(far[rivals]))] = -2
    return want


def test_each_row_is_matched_with_the_nearest_of_its_pair(device):
    """While bodies are shaken; what comes and goes is listed in order."""
    model, rng = scene(device), np.random.default_rng(3)
    pipeline = newton.CollisionPipeline(
        model,
        contact_matching="latest",
        contact_matching_pos_threshold=REACH,
        contact_matching_normal_dot_threshold=SAME,
        contact_report=True,
    )
    contacts, state, then = pipeline.contacts(), model.state(), None
    assert contacts.contact_matching_mode == pipeline.contact_matching == "latest"
    kinds = set()
    for far in (0.0, 0.0, 3e-4, 0.03, 1e-3):
        shake(state, rng, far)
        pipeline.collide(state, contacts)
        now = rows(model, contacts, state)
        new, gone = (
            getattr(contacts, f"rigid_contact_{name}_indices").numpy()[
                : int(getattr(contacts, f"rigid_contact_{name}_count").numpy()[0])
            ]
            for name in ("new", "broken")
        )
        assert new.tolist() == np.flatnonzero(now["index"] < 0).tolist()
        if then is None:
            assert (
                (now["index"] == -1).all()
                and not len(gone)
                and contacts.rigid_contact_match_generation.numpy()[0] == -1
            )
        else:
            assert (now["index"] == searched(now, then)).all()
            assert gone.tolist() == np.setdiff1d(np.arange(len(then["shapes"])), now["index"]).tolist()
            assert contacts.rigid_contact_match_generation.numpy()[0] == contacts.contact_generation.numpy()[0] - 1
            kinds |= set(np.minimum(now["index"], 0).tolist())
        then = now
    assert kinds == {0, -1, -2} and len(then["shapes"]) > 60


def test_a_reset_forgets_the_worlds_it_names(device):
    """And those alone, until the next call; other contacts hold other rows, and say so."""
    model = scene(device)
    pipeline = newton.CollisionPipeline(model, contact_matching="latest", contact_report=True)
    contacts, other, state = pipeline.contacts(), pipeline.contacts(), model.state()
    pipeline.collide(state, contacts)
    pipeline.reset_contact_matching(wp.array([False, True, False], dtype=bool, device=model.device))
    pipeline.collide(state, other)
    now = rows(model, other, state)
    world = model.shape_world.numpy()[now["shapes"]].max(axis=1)
    assert (now["index"][world == 1] == -1).all() and (now["index"][world == 0] >= 0).all() and set(world) == {0, 1}
    assert other.rigid_contact_broken_count.numpy()[0] == 0 and other.rigid_contact_match_generation.numpy()[0] == -1
    pipeline.collide(state, other)
    assert (rows(model, other, state)["index"] >= 0).all()
    pipeline.reset_contact_matching()
    pipeline.collide(state, other)
    assert (rows(model, other, state)["index"] == -1).all()
    for bad in ([True], np.ones(3), wp.zeros(2, dtype=bool, device=model.device)):
        with pytest.raises(ModelError, match=r"world_mask: give booleans \[3\]"):
            pipeline.reset_contact_matching(bad)


def slab(device):
    """A box that is pressed into a plane by a tenth of a millimetre."""
    b = newton.ModelBuilder()
    b.add_ground_plane(cfg=b.ShapeConfig(gap=0.001))
    b.add_shape_box(b.add_body(xform=pose(0, 0, 0.0999)), hx=0.1, hy=0.1, hz=0.1, cfg=b.ShapeConfig(gap=0.001))
    return b.finalize(device=device)


def test_sticky_contacts_keep_their_points_while_they_touch_and_stay(device):
    """A box that creeps keeps where it stood, until it has gone too far or lifts off; with ``"latest"`` it has new
    points every time.
    """
    model = slab(device)
    for mode in ("latest", "sticky"):
        pipeline = newton.CollisionPipeline(model, contact_matching=mode)
        contacts, state = pipeline.contacts(), model.state()
        said = []
        for x, z in ((0.0, 0.0999), (2e-4, 0.0999), (4e-4, 0.0999), (6e-4, 0.0999), (6e-4, 0.1001)):
            state.body_q.assign(np.array([[x, 0, z, 0, 0, 0, 1]], np.float32))
            pipeline.collide(state, contacts)
            assert contacts.rigid_contact_count.numpy()[0] == 4
            where = 1 - int(contacts.rigid_contact_shape0.numpy()[0])  # the end on the plane
            said.append(getattr(contacts, f"rigid_contact_point{1 - where}").numpy()[:4, 0].max())
        kept = 0.1 if mode == "sticky" else 0.1 + np.array([2e-4, 4e-4])
        assert np.abs(np.array(said[1:3]) - kept).max() < tolerance("hit_distance"), mode
        assert np.abs(np.array(said[3:]) - 0.1006).max() < tolerance("hit_distance")


def test_matching_that_makes_no_sense_is_refused(device):
    model = slab(device)
    for options, said in (
        ({"contact_matching": "old"}, "contact_matching: 'old'; expected one of 'disabled', 'latest', 'sticky'"),
        ({"contact_report": True}, "contact_report: contacts are not matched"),
        (
            {"contact_matching": "latest", "contact_matching_pos_threshold": -1.0},
            "contact_matching_pos_threshold: -1.0; give a number from 0 on",
        ),
        (
            {"contact_matching": "latest", "contact_matching_normal_dot_threshold": float("nan")},
            "normal_dot_threshold: nan; give a number from -1 to 1",
        ),
    ):
        with pytest.raises(ModelError, match=said):
            newton.CollisionPipeline(model, **options)
    pipeline = newton.CollisionPipeline(model, contact_matching="latest")
    for contacts in (
        newton.Contacts(pipeline.rigid_contact_max, device=device),
        newton.Contacts(7, contact_matching=True, device=device),
    ):
        with pytest.raises(StateError, match="make them with the pipeline's contacts()"):
            pipeline.collide(model.state(), contacts)


def test_matching_changes_no_contact(device):
    """Rows are those of a pipeline that does not match."""
    model = scene(device, worlds=1)
    plain = newton.CollisionPipeline(model)
    matched = newton.CollisionPipeline(model, contact_matching="latest")
    state, one, two = model.state(), plain.contacts(), matched.contacts()
    for _ in range(2):
        plain.collide(state, one)
        matched.collide(state, two)
    for name in ("shape0", "shape1", "point0", "point1", "offset0", "offset1", "normal"):
        assert_same(getattr(one, f"rigid_contact_{name}").numpy(), getattr(two, f"rigid_contact_{name}").numpy())
    assert one.rigid_contact_match_index is None
