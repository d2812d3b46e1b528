"""Contacts outside the engine do not depend on runs, threads, other worlds or their order; nor does what stays where
rows are short.
"""

import os
from functools import cache

import numpy as np
import pytest

import newtonlite as newton
from tests.harness.collide_scenes import KINDS, corner, floor, found, hollow, pose
from tests.harness.contacts import found_contacts
from tests.tolerance import assert_same

ROWS = ("point0", "point1", "offset0", "offset1", "normal", "margin0", "margin1", "stiffness", "damping")
SHAPES = len(KINDS) + 8
SHARE = 20
"""Rows of a world where they are short."""


@cache
def tabled() -> newton.Mesh:
    """A box with a pit, with a distance field."""
    mesh = hollow()
    mesh.build_sdf(max_resolution=32, margin=0.02)
    return mesh


@cache
def hills() -> newton.Heightfield:
    """Bumpy ground 0.8 by 0.8, up to 3 cm high."""
    return newton.Heightfield(
        np.random.default_rng(8).random((9, 9)).astype(np.float32), 9, 9, hx=0.4, hy=0.4, min_z=0.0, max_z=0.03
    )


def world_of(seed: int) -> newton.ModelBuilder:
    """Shapes of all kinds near the floor of a corner, two soft ones pressed together, a mesh with a field, boxes that
    touch, and three on hills.
    """
    b, rng = newton.ModelBuilder(), np.random.default_rng(seed)
    cfg, soft = b.ShapeConfig(gap=0.01), b.ShapeConfig(gap=0.01, is_hydroelastic=True, kh=1e7)
    place = lambda x, y, z: b.add_body(xform=pose(*(np.array([x, y, z]) + rng.uniform(-0.004, 0.004, 3))))
    for k, kind in enumerate(KINDS):
        KINDS[kind](b, place(0.16 * (k % 3) + 0.15, 0.25 * (k // 3) - 0.3, 0.195), cfg)
    b.add_shape_mesh(place(-0.25, 0.2, 0.195), mesh=tabled(), cfg=cfg)
    b.add_shape_box(place(-0.3, -0.3, 0.2), hx=0.1, hy=0.1, hz=0.1, cfg=soft)
    b.add_shape_sphere(place(-0.3, -0.3, 0.36), radius=0.07, cfg=soft)
    b.add_shape_box(place(0.31, -0.3, 0.345), hx=0.1, hy=0.1, hz=0.05, cfg=cfg)
    b.add_shape_heightfield(xform=pose(1.0, 0.0, 0.0), heightfield=hills(), cfg=cfg)
    for kind, y in (("cone", -0.2), ("mesh", 0.0), ("box", 0.2)):
        KINDS[kind](b, place(1.0, y, 0.11), cfg)
    return b


def scene(seeds, device):
    """A world for each seed, over one corner that is in all of them."""
    b = newton.ModelBuilder()
    b.add_shape_mesh(-1, mesh=corner(), cfg=b.ShapeConfig(gap=0.01))
    for seed in seeds:
        b.add_world(world_of(seed))
    return b.finalize(device=device)


def by_world(model, pipeline) -> list:
    """Rows of each world, shapes numbered within it."""
    contacts = pipeline.contacts()
    pipeline.collide(model.state(), contacts)
    n = int(contacts.rigid_contact_count.numpy()[0])
    shapes = np.stack([contacts.rigid_contact_shape0.numpy()[:n], contacts.rigid_contact_shape1.numpy()[:n]], 1)
    world = model.shape_world.numpy()[shapes].max(axis=1)
    rows = [getattr(contacts, f"rigid_contact_{name}").numpy()[:n] for name in ROWS]
    answer = []
    for w in range(model.world_count):
        local = np.where(shapes > 0, shapes - w * SHAPES, 0)[world == w]
        answer.append([local, *(row[world == w] for row in rows)])
    return answer


def same(one, other) -> None:
    """Equal to the last bit."""
    for a, b in zip(one, other, strict=True):
        assert_same(a, b)


@pytest.fixture(scope="module")
def alone(device):
    """What each of four worlds has by itself."""
    rows = {}
    for seed in range(4):
        model = scene([seed], device)
        rows[seed] = by_world(model, newton.CollisionPipeline(model))[0]
    return rows


def test_every_way_of_finding_contacts_takes_part(alone):
    """Meshes, hulls, cones and balls on the corner, engine pairs, the field, the patch and the hills; worlds differ."""
    pairs = {tuple(sorted(p)) for p in alone[0][0].tolist()}
    assert (
        {(0, k) for k in range(1, len(KINDS) + 2)} <= pairs
        and (10, 11) in pairs
        and any(p[0] > 0 and p[1] == 12 for p in pairs)
    )
    assert {(13, 14), (13, 15), (13, 16)} <= pairs
    assert (alone[0][1 + ROWS.index("stiffness")] > 0.0).sum() > 8 and len(alone[0][0]) > 60
    assert not np.array_equal(alone[0][1], alone[1][1])


@pytest.mark.parametrize("seeds, threads", [((2, 0, 1), 1), ((0, 1, 2), 2), ((3, 1, 0, 2), 3)])
def test_a_world_has_the_same_contacts_among_others(seeds, threads, alone, device, monkeypatch):
    """In any order, on any number of threads, twice."""
    monkeypatch.setattr(os, "cpu_count", lambda: threads)
    model = scene(seeds, device)
    pipeline = newton.CollisionPipeline(model)
    for _ in range(2):
        for seed, rows in zip(seeds, by_world(model, pipeline), strict=True):
            same(rows, alone[seed])
    assert pipeline.lost == 0


@pytest.mark.parametrize("copies", (1, 3))
def test_copies_lose_the_same_contacts(copies, device, monkeypatch):
    """Where some of each fit: the same bits in every copy as alone, on any number of threads; losses are counted by
    kind and world.
    """
    whole = scene([1], device)
    total = len(by_world(whole, newton.CollisionPipeline(whole))[0][0])
    want = None
    for threads in (1, 2):
        monkeypatch.setattr(os, "cpu_count", lambda n=threads: n)
        model = scene([1] * copies, device)
        pipeline = newton.CollisionPipeline(model, rigid_contact_max=SHARE * copies)
        with pytest.warns(newton.NewtonWarning, match="the deepest of each world are listed"):
            kept = by_world(model, pipeline)
        want = want or kept_alone(device)
        for rows in kept:
            same(rows, want)
        lost = pipeline.lost_by_world()
        for kind, count in lost.items():
            assert (count[:copies] == count[0]).all() and (count[copies:] == 0).all(), kind
        assert sum(count[0] for count in lost.values()) == total - SHARE and pipeline.lost == copies * (total - SHARE)
        assert lost["engine"][0] > 0 and lost["triangles"][0] > 0 and lost["pairs"].sum() == 0


@cache
def kept_alone(device) -> list:
    """What stays of one world by itself."""
    model = scene([1], device)
    with pytest.warns(newton.NewtonWarning):
        return by_world(model, newton.CollisionPipeline(model, rigid_contact_max=SHARE))[0]


def test_the_deepest_stay_in_their_order(device):
    """Of one world: those rows of the whole list whose distance is least."""
    model = scene([2], device)
    whole = found(model)
    with pytest.warns(newton.NewtonWarning):
        few = found(model, newton.CollisionPipeline(model, rigid_contact_max=SHARE))
    assert len(few["dist"]) == SHARE < len(whole["dist"])
    assert few["dist"].max() <= np.sort(whole["dist"])[SHARE]
    at = [
        np.flatnonzero((whole["rows"]["point0"] == p).all(axis=1) & (whole["rows"]["point1"] == q).all(axis=1))[0]
        for p, q in zip(few["rows"]["point0"], few["rows"]["point1"], strict=True)
    ]
    assert (np.diff(at) > 0).all()


def test_a_world_keeps_its_share_beside_one_that_has_more(device):
    """What a poor world leaves goes to a rich one, and never the other way."""
    rich, poor = world_of(0), newton.ModelBuilder()
    poor.add_shape_sphere(poor.add_body(xform=pose(0.3, 0.0, 0.199)), radius=0.1, cfg=poor.ShapeConfig(gap=0.0))
    b = newton.ModelBuilder()
    b.add_shape_mesh(-1, mesh=corner(), cfg=b.ShapeConfig(gap=0.01))
    for one in (rich, poor, rich):
        b.add_world(one)
    model = b.finalize(device=device)
    pipeline = newton.CollisionPipeline(model, rigid_contact_max=2 * SHARE + 1)
    with pytest.warns(newton.NewtonWarning):
        contacts = found_contacts(model, model.state(), collision_pipeline=pipeline)
    n = int(contacts.rigid_contact_count.numpy()[0])
    world = model.shape_world.numpy()[
        np.stack([contacts.rigid_contact_shape0.numpy()[:n], contacts.rigid_contact_shape1.numpy()[:n]])
    ].max(axis=0)
    assert np.bincount(world).tolist() == [SHARE, 1, SHARE]
    assert pipeline.lost_by_world()["triangles"][1] == 0


def test_near_pairs_that_overlap_most_stay(device):
    """Where ``shape_pairs_max`` is short: balls that lie deeper in a floor, in both worlds."""
    one = newton.ModelBuilder()
    for k in range(4):
        one.add_shape_sphere(
            one.add_body(xform=pose(0.2 * k - 0.3, 0.3, 0.04 - 0.01 * ((3 * k) % 4))),
            radius=0.05,
            cfg=one.ShapeConfig(gap=0.0),
        )
    b = newton.ModelBuilder()
    b.add_shape_mesh(-1, mesh=floor(bumpy=0.02), cfg=b.ShapeConfig(gap=0.0))
    b.replicate(one, 2)
    model = b.finalize(device=device)
    pipeline = newton.CollisionPipeline(model, shape_pairs_max=4)
    with pytest.warns(newton.NewtonWarning, match="4 near pairs did not fit"):
        contacts = found_contacts(model, model.state(), collision_pipeline=pipeline)
    n = int(contacts.rigid_contact_count.numpy()[0])
    shapes = np.maximum(contacts.rigid_contact_shape0.numpy()[:n], contacts.rigid_contact_shape1.numpy()[:n])
    assert set(shapes.tolist()) == {2, 3, 6, 7}
    assert pipeline.lost_by_world()["pairs"].tolist() == [2, 2, 0] and pipeline.lost_pairs == 4
