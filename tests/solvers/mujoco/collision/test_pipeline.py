"""CollisionPipeline: MuJoCo's contacts, found for the poses of a state; and what a solver makes of them."""

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.enums import GeoType
from tests import oracle
from tests.harness.contacts import contacts_of, found_contacts
from tests.harness.engine_scenes import TILT, builder, pose
from tests.harness.expected import expected
from tests.harness.newton_scenes import solver, step
from tests.solvers.mujoco.adapter.test_collision import heap, turned
from tests.solvers.mujoco.kernels.collide import test_contacts, test_convex
from tests.tolerance import assert_close, assert_same, tolerance

WORLDS = 20


def without_pairs(text: str) -> str:
    """The scene without its explicit contact pairs, which are MuJoCo's own affair."""
    return text[: text.index("<contact>")] + "</mujoco>"


SCENES = {f"boxes and pills {seed}": (without_pairs(test_contacts.heap(seed)), 60) for seed in range(3)}
SCENES["humanoid"] = (oracle.HUMANOID.read_text(), 400)
SCENES |= {
    f"{ground}, margin {m}": (test_convex.scene(ground, m), 600) for ground in ("plane", "hfield") for m in (0.0, 0.02)
}


def detected(contacts) -> dict:
    """The rows in use, as NumPy arrays."""
    n = int(contacts.rigid_contact_count.numpy()[0])
    names = ("shape0", "shape1", "point0", "point1", "offset0", "offset1", "normal", "margin0", "margin1")
    return {name: getattr(contacts, f"rigid_contact_{name}").numpy()[:n] for name in names}


def in_world(model, state, rows, which: int, name: str = "point") -> np.ndarray:
    """Points of the rows, in the world."""
    body, q = model.shape_body.numpy()[rows[f"shape{which}"]], state.body_q.numpy()
    return np.array([turned(q, b, p) for b, p in zip(body, rows[f"{name}{which}"])]).reshape(-1, 3)


def at_poses(text: str, states, device):
    """(model with a world for each of MuJoCo's states, its state, what MuJoCo finds)."""
    mj = oracle.compile_xml(text)
    want = expected(mj, states(mj))
    one, b = builder(), builder()
    one.add_mjcf(text)
    b.replicate(one, len(want["ncon"]))
    model = b.finalize(device=device)
    state = model.state()
    model.shape_gap.assign(model.mujoco.geom_gap)  # MuJoCo's default is 0
    quat = want["xquat"][:, 1:]
    poses = np.concatenate([want["xpos"][:, 1:], quat[..., 1:], quat[..., :1]], axis=-1)
    state.body_q.assign(poses.reshape(-1, 7).astype(np.float32))
    return model, state, want


@pytest.mark.parametrize("name", SCENES)
def test_contacts_are_mujocos_for_random_poses(name, device):
    """Same number in each world, in the same order for a pair, with the same distances, points and normals, but for a
    share of ties.
    """
    text, length = SCENES[name]
    model, state, want = at_poses(text, lambda mj: oracle.rollout_states(mj, WORLDS, length=length), device)
    pipeline = newton.CollisionPipeline(model)
    assert pipeline.nworld == WORLDS
    rows = detected(found_contacts(model, state, collision_pipeline=pipeline))
    world = model.shape_world.numpy()[np.stack([rows["shape0"], rows["shape1"]])].max(axis=0)
    solid = (model.shape_flags.numpy() & newton.ShapeFlags.SITE) == 0
    held = np.flatnonzero(solid)
    order = held[
        np.lexsort((held, model.shape_body.numpy()[held] >= 0, model.shape_world.numpy()[held]))
    ]  # the world's first, as MuJoCo's
    local = np.zeros(model.shape_count, int)
    local[order] = np.arange(len(order)) % (len(order) // WORLDS)
    first, second = (in_world(model, state, rows, k) for k in (0, 1))
    core0, core1 = (rounding(model, rows[f"shape{k}"])[:, None] * rows["normal"] for k in (0, 1))
    gap = np.sum(rows["normal"] * (second - first - core0 - core1), axis=1)
    middle = 0.5 * (first + second + core0 - core1)
    assert want["ncon"].sum() >= WORLDS and pipeline.lost == 0
    off, differ = [], 0
    for w in range(WORLDS):
        mine, n = world == w, want["ncon"][w]
        if mine.sum() != n:
            differ += 1
            continue
        geoms = np.stack([local[rows["shape0"][mine]], local[rows["shape1"][mine]]], axis=1)
        pairs = want["contact_geom"][w, :n]
        by_pair, by_pair_there = (np.lexsort(found[:, ::-1].T) for found in (geoms, pairs))
        assert geoms[by_pair].tolist() == pairs[by_pair_there].tolist()
        theirs = (
            want["contact_dist"][w, :n, None],
            want["contact_pos"][w, :n],
            want["contact_frame"][w, :n].reshape(n, 9)[:, :3],
        )
        theirs = [each[by_pair_there] for each in theirs]
        ours = [each[by_pair] for each in (gap[mine][:, None], middle[mine], rows["normal"][mine])]
        for a, b, limit in zip(ours, theirs, ("hit_distance", "patch_position", "hit_normal")):
            off += (np.abs(a - b).max(axis=1, initial=0.0) > tolerance(limit)).tolist()
    ties = tolerance("scene_ties") if "margin" in name else 0.0
    assert differ / WORLDS <= ties and np.mean(off) <= ties


def rounding(model, shapes) -> np.ndarray:
    """Radius of the shapes that are rounded points or segments."""
    kind = model.shape_type.numpy()[shapes]
    return np.where((kind == GeoType.SPHERE) | (kind == GeoType.CAPSULE), model.shape_scale.numpy()[shapes][:, 0], 0.0)


def test_margins_reach_beyond_the_surface_and_offsets_go_there(device):
    """Of a ball of radius 0.1 and margin 0.01 over a plane of margin 0.02: the point is its centre."""
    b = builder()
    b.add_ground_plane(cfg=b.ShapeConfig(margin=0.02, gap=0.0))
    b.add_shape_sphere(b.add_body(xform=pose(0, 0, 0.125, TILT)), radius=0.1, cfg=b.ShapeConfig(margin=0.01, gap=0.0))
    model = b.finalize(device=device)
    state = model.state()
    rows = detected(found_contacts(model, state))
    assert_close(rows["margin0"], [0.02], "authored")
    assert_close(rows["margin1"], [0.11], "authored")
    assert_close(in_world(model, state, rows, 1), [[0, 0, 0.125]], "contact")
    assert_close(rows["offset0"], [[0, 0, 0.02]], "contact")
    body = model.state().body_q.numpy()[0]
    end = turned([body], 0, rows["point1"][0] + rows["offset1"][0])
    assert_close([end], [[0, 0, 0.015]], "contact", floor=1.0)


def test_contacts_are_noticed_up_to_the_sum_of_margins_and_gaps(device):
    for height, seen in ((0.1349, 1), (0.1351, 0)):
        b = builder()
        b.add_ground_plane(cfg=b.ShapeConfig(margin=0.01, gap=0.005))
        b.add_shape_sphere(b.add_body(xform=pose(0, 0, height)), radius=0.1, cfg=b.ShapeConfig(margin=0.0, gap=0.02))
        model = b.finalize(device=device)
        assert len(detected(found_contacts(model, model.state()))["shape0"]) == seen, height


def drop(b, device, given: bool, steps: int = 700, **arguments):
    """The state after some steps, with the pipeline's contacts, found anew for each, where they are ``given``."""
    model = b.finalize(device=device)
    s, one, two = solver(model, **arguments), model.state(), model.state()
    pipeline = newton.CollisionPipeline(model) if given else None
    contacts = pipeline.contacts() if pipeline else None
    for _ in range(steps):
        if pipeline:
            pipeline.collide(one, contacts)
        s.step(one, two, None, contacts, 0.002)
        one, two = two, one
    return model, one


def box_above(margin: float = 0.0):
    """A box some centimetres over the ground, a little askew."""
    b = builder()
    cfg = b.ShapeConfig(margin=margin)
    b.add_ground_plane(cfg=cfg)
    b.add_shape_box(b.add_body(xform=pose(0, 0, 0.2)), hx=0.1, hy=0.15, hz=0.1, cfg=cfg)
    return b


@pytest.mark.parametrize("margin", (0.0, 0.01))
def test_n_080_a_box_dropped_on_a_plane_rests_on_the_pipelines_contacts(device, margin):
    """Its height is half its own and, where there are margins, these; as with the engine's own contacts, where those
    have no margins.
    """
    model, end = drop(box_above(margin), device, True, use_mujoco_contacts=False)
    height = 0.1 + 2 * margin
    assert_close(end.body_q.numpy()[:, 2], [height], "contact_rest")
    assert np.abs(end.body_qd.numpy()).max() < tolerance("contact_rest")
    if not margin:
        _, own = drop(box_above(), device, lambda *_: None)
        assert_close(end.body_q.numpy()[:, :3], own.body_q.numpy()[:, :3], "trajectory")


def box_over_a_field(gap: float, height: float = 0.0999):
    """A box on a flat height field, whose cells are as wide as half of it."""
    b = builder()
    cfg = b.ShapeConfig(gap=gap)
    b.add_shape_heightfield(heightfield=newton.Heightfield(np.zeros((20, 20)), 20, 20, min_z=0.0, max_z=0.0), cfg=cfg)
    b.add_shape_box(b.add_body(xform=pose(0.03, 0.02, height)), hx=0.1, hy=0.1, hz=0.1, cfg=cfg)
    return b


def test_what_touches_a_height_field_does_not_depend_on_the_gap(device):
    """Of more contacts than a pair may have those stay that touch, not those of the field's first cells.

    The gap makes both shapes thicker in the search, as in MuJoCo: of the points where two faces lie on each other it
    may choose another.
    """
    deep = []
    for gap in (0.0, 0.1):
        model = box_over_a_field(gap).finalize(device=device)
        rows = detected(found_contacts(model, model.state()))
        depth = rows["point0"][:, 2] - (rows["point1"][:, 2] + 0.0999)
        deep.append(depth[depth > 0.5e-4])
        under = np.abs(rows["point0"][:, :2] - (0.03, 0.02))[depth > 0.5e-4]
        assert np.all(under <= 0.1 + tolerance("hit_position")), "a contact that touches is not under the box"
    assert len(deep[0]) == len(deep[1]) == 16 and len(rows["shape0"]) == 50
    assert_close(deep[1], deep[0], "contact", floor=0.1)


def test_n_080_a_box_rests_on_a_height_field_as_on_the_engines_own_contacts(device):
    _, given = drop(box_over_a_field(0.1, 0.12), device, True, steps=300, use_mujoco_contacts=False)
    _, own = drop(box_over_a_field(0.1, 0.12), device, False, steps=300)
    assert_close(given.body_q.numpy()[:, :3], own.body_q.numpy()[:, :3], "contact_rest")


def test_n_080_a_step_on_the_pipelines_contacts_is_the_engines_own(device):
    """Boxes, balls and capsules in a heap, in three worlds."""
    _, given = drop(heap(3), device, True, steps=1, use_mujoco_contacts=False)
    _, own = drop(heap(3), device, False, steps=1)
    assert_close(given.joint_qd.numpy(), own.joint_qd.numpy(), "qacc", floor=1.0)


def test_n_080_solvers_with_their_own_contacts_look_at_no_others(device):
    model, ignored = drop(heap(), device, True, steps=3)
    _, own = drop(heap(), device, False, steps=3)
    assert_same(ignored.joint_q.numpy(), own.joint_q.numpy())


def test_solvers_step_where_bodies_that_nothing_moves_touch(device):
    """Two kinematic balls that overlap, and a free one on the ground: all stay where they are."""
    b = builder()
    b.add_ground_plane()
    for k in range(3):
        b.add_shape_sphere(b.add_body(xform=pose(0.15 * min(k, 1) + 0.5 * (k == 2), 0, 0.0999)), radius=0.1)
    b.body_flags[0] = b.body_flags[1] = newton.BodyFlags.KINEMATIC
    model, end = drop(b, device, True, steps=100, use_mujoco_contacts=False)
    assert len(detected(found_contacts(model, end))["shape0"]) == 4
    assert_close(end.body_q.numpy()[:, :3], model.body_q.numpy()[:, :3], "contact_rest")


def test_n_095_what_a_solver_lists_has_margins_and_may_be_handed_back(device):
    """A ball of margin 0.01 on a plane: its engine's contact, given to another solver, makes the same step."""
    b = builder()
    cfg = b.ShapeConfig(margin=0.01)
    b.add_ground_plane(cfg=cfg)
    b.add_shape_sphere(b.add_body(xform=pose(0, 0, 0.11)), radius=0.1, cfg=cfg)
    model = b.finalize(device=device)
    own, contacts, state = solver(model), contacts_of(model), model.state()
    want = step(own, state)
    own.update_contacts(contacts)
    rows = detected(contacts)
    assert_close(rows["margin0"], [0.01], "authored")
    assert_close(rows["offset1"], [[0, 0, -0.01]], "contact")
    got = step(solver(model, use_mujoco_contacts=False), state, contacts=contacts)
    assert np.abs(want.joint_qd.numpy()[:3] + [0, 0, 9.81 * 0.002]).max() > tolerance("qacc"), "the margin should push"
    assert_close(got.joint_qd.numpy(), want.joint_qd.numpy(), "qacc", floor=1.0)


def test_contacts_that_do_not_act_yet_take_no_room_in_the_solver(device):
    """Balls in the air over one that lies on the ground: many are noticed, one acts, and one fits."""
    b = builder()
    b.add_ground_plane()
    for k in range(4):
        b.add_shape_sphere(b.add_body(xform=pose(0.25 * k, 0, 0.15 if k < 3 else 0.0999)), radius=0.1)
    model = b.finalize(device=device)
    s, state = solver(model, use_mujoco_contacts=False, nconmax=1, overflow="raise"), model.state()
    contacts = found_contacts(model, state)
    assert len(detected(contacts)["shape0"]) > 4
    s.step(state, state, None, contacts, 0.002)
    assert s.mjw_data.ncon.numpy().tolist() == [1] and s.mjw_data.contact_geom.numpy()[0, 0].tolist() == [0, 4]


def test_the_same_bits_in_any_batch(device):
    """A heap alone, and as the last of five worlds."""
    alone, many = (heap(n).finalize(device=device) for n in (1, 5))
    one, all_ = (detected(found_contacts(model, model.state())) for model in (alone, many))
    n = len(one["shape0"])
    assert len(all_["shape0"]) == 5 * n
    for name in set(one) - {"shape0", "shape1"}:
        assert_same(all_[name][-n:], one[name])
