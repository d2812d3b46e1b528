"""Sweep and prune finds the contacts that the list of all candidates finds, in its order."""

import numpy as np
import pytest

from newtonlite.core.errors import CapacityError, ModelError
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.derive import geom, sap
from newtonlite.solvers.mujoco.kernels.position.kinematics import kinematics
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle
from tests.harness.engine import Engine
from tests.solvers.mujoco.kernels.collide import test_contacts, test_convex, test_geom_pairs
from tests.tolerance import assert_same

CONTACTS = (
    "ncon",
    "ncon_needed",
    "contact_dist",
    "contact_pos",
    "contact_frame",
    "contact_geom",
    "contact_friction",
    "contact_solref",
)
WORLDS = 8


def crowd(seed: int, bodies: int = 60) -> str:
    """Bodies of one to three geoms of all kinds, in chains, fixed and free, with masks, excludes, pairs and planes."""
    rng = np.random.default_rng(seed)
    kinds = ("sphere", "capsule", "ellipsoid", "cylinder", "box")

    def place() -> str:
        return f'pos="{" ".join(f"{x:.3f}" for x in rng.uniform(-0.8, 0.8, 3))}" euler="{" ".join(f"{x:.0f}" for x in rng.uniform(-90, 90, 3))}"'

    def geoms(b: int) -> str:
        shape = lambda: f'type="{rng.choice(kinds)}" size="{" ".join(f"{x:.3f}" for x in rng.uniform(0.05, 0.2, 3))}"'

        def mask():
            return f'contype="{rng.integers(1, 4)}" conaffinity="{rng.integers(1, 4)}" margin="{rng.choice([0, 0.02])}"'

        return "".join(f'<geom name="g{b}_{k}" {shape()} {mask()} {place()}/>' for k in range(rng.integers(1, 4)))

    def body(b: int) -> str:
        joint = rng.choice(["<freejoint/>", "<joint/>", "", "mocap"])
        child = (
            f'<body {place()}><joint type="slide"/>{geoms(1000 + b)}</body>' if b % 3 == 0 and joint != "mocap" else ""
        )
        if joint == "mocap":
            return f'<body name="b{b}" mocap="true" {place()}>{geoms(b)}</body>'
        return f'<body name="b{b}" {place()}>{joint}{geoms(b)}{child}</body>'

    floors = '<geom type="plane" size="1 1 1" pos="0 0 -.3"/>' + geoms(999)
    pick = lambda: rng.choice(bodies, 2, replace=False)
    excludes = "".join('<exclude body1="b{}" body2="b{}"/>'.format(*pick()) for _ in range(8))
    pairs = {tuple(sorted(pick())) for _ in range(12)}
    explicit = "".join(f'<pair geom1="g{a}_0" geom2="g{b}_0" margin="{0.3 * (a % 2)}"/>' for a, b in pairs)
    return f"<mujoco><worldbody>{floors}{''.join(map(body, range(bodies)))}</worldbody><contact>{excludes}{explicit}</contact></mujoco>"


def contacts(mj, states, device, broadphase: str, **capacity) -> Engine:
    """The collision stages after kinematics."""
    engine = Engine(mj, states, device, mode="staged", broadphase=broadphase, **capacity)
    engine.run((kinematics, *pipeline.COLLISION))
    return engine


SCENES = {
    "filters": lambda: test_geom_pairs.FILTERS.format(filterparent="enable"),
    "filters without parents": lambda: test_geom_pairs.FILTERS.format(filterparent="disable"),
    "heap": lambda: test_contacts.heap(1),
    "hills": lambda: test_convex.scene("hfield", 0.02),
    "crowd": lambda: crowd(3),
    "other crowd": lambda: crowd(6),
}
LENGTH = {"hills": 600}


@pytest.mark.parametrize("name", SCENES)
def test_contacts_are_those_of_all_pairs(name, device):
    mj = oracle.compile_xml(SCENES[name]())
    states = oracle.rollout_states(mj, WORLDS, length=LENGTH.get(name, 20))
    listed, swept = (contacts(mj, states, device, kind, nconmax=800) for kind in ("nxn", "sap"))
    assert listed.m.ncandidate > 0 and swept.m.nsap > 0 and swept.m.ncandidate == 0 and not swept.d.near.size
    assert listed.read("ncon").mean() > 10 and listed.read("ncon").max() < 800
    for field in CONTACTS:
        assert_same(swept.read(field), listed.read(field), field)


def test_the_most_overlapping_pairs_stay(device):
    """Capacity for fewer pairs: those whose bounding spheres overlap most stay, in order; all are counted."""
    mj = oracle.compile_xml(crowd(3))
    states = oracle.rollout_states(mj, WORLDS, length=20)
    every = contacts(mj, states, device, "sap", nconmax=800)
    needed = every.read("nbp_needed")
    room = int(needed.min()) // 2
    few = contacts(mj, states, device, "sap", nconmax=800, nbpmax=room)
    assert_same(few.read("nbp_needed"), needed)
    assert_same(few.read("nbp"), np.full(WORLDS, room, np.int32))
    for w in range(WORLDS):
        pairs = every.read("bp_geom")[w, : needed[w]]
        ids = every.read("bp_pairid")[w, : needed[w]]
        gap = overlap(mj, every, w, pairs, ids)
        least = np.sort(np.argsort(gap, kind="stable")[:room])
        kept = set(map(tuple, few.read("bp_geom")[w, :room].tolist()))
        assert len(kept & set(map(tuple, pairs[least].tolist()))) >= room - 1  # two gaps may round alike
        order = [pairs.tolist().index(p) for p in few.read("bp_geom")[w, :room].tolist()]
        assert order == sorted(order)


def overlap(mj, engine, w, pairs, ids) -> np.ndarray:
    """Distance of bounding spheres, or a plane and a sphere, less what is detected."""
    x, turn = engine.read("geom_xpos")[w], engine.read("geom_xmat")[w]
    apart = x[pairs[:, 1]] - x[pairs[:, 0]]
    plane = mj.geom_type[pairs[:, 0]] == 0
    dist = np.where(plane, (apart * turn[pairs[:, 0]][:, :, 2]).sum(axis=1), np.linalg.norm(apart, axis=1))
    margin = np.where(
        ids >= 0, mj.pair_margin[ids] + mj.pair_gap[ids], (mj.geom_margin + mj.geom_gap)[pairs].sum(axis=1)
    )
    return dist - mj.geom_rbound[pairs].sum(axis=1) - margin


def test_large_scenes_have_no_list_of_pairs():
    """Two thousand free balls: what is kept grows with the geoms, not with their pairs."""
    balls = "".join(
        f'<body pos="{i % 10} {i // 10 % 10} {i // 100}"><joint type="slide"/><geom size=".6"/></body>'
        for i in range(2002)
    )
    mj = oracle.compile_xml(f"<mujoco><worldbody>{balls}</worldbody></mujoco>")
    values = geom.derive(mj)
    assert values["nsap"] == 2002 and values["ncandidate"] == 0 and sap.pair_bound(mj) == 2_003_001
    small = oracle.compile_xml(f"<mujoco><worldbody>{balls[: balls.index('</body>', 40_000) + 7]}</worldbody></mujoco>")
    assert geom.MOST_LISTED["gpu"] < sap.pair_bound(small) < geom.MOST_LISTED["cpu"]
    assert (
        geom.derive(small)["ncandidate"] == sap.pair_bound(small)
        and geom.derive(small, kind="gpu")["nsap"] == small.ngeom
    )


def test_small_scenes_have_a_list(device):
    mj = oracle.named_model("humanoid")
    m = put_model(mj, device=device)
    d = make_data(m, 2, scratch="per_world")
    assert (
        m.nsap == 0
        and m.sap_filter.size == 0
        and d.bp_key.size == 0
        and d.sap_key.size == 0
        and d.nbpmax == m.ncandidate
    )


def test_unknown_broad_phases_are_refused():
    with pytest.raises(ModelError, match="broadphase: 'grid'; expected one of 'auto', 'nxn', 'sap'"):
        put_model(oracle.named_model("humanoid"), broadphase="grid")


def test_a_body_of_too_many_geoms_is_refused(monkeypatch):
    monkeypatch.setattr(sap, "MOST_GEOMS", 2)
    with pytest.raises(CapacityError, match="the broad phase orders up to"):
        put_model(oracle.compile_xml(crowd(3)), broadphase="sap")
