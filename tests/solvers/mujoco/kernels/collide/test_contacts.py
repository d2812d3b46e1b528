"""Contacts of whole scenes: MuJoCo's, one by one and in its order, with their parameters."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco import pipeline
from tests import oracle
from tests.harness.engine import Engine
from tests.harness.expected import CONTACTS, expected
from tests.tolerance import tolerance

SHAPES = {"sphere": 1, "capsule": 2, "box": 3}
WORLDS = 40


def heap(seed: int) -> str:
    """Free bodies of one to three shapes in a heap over two planes, with random contact parameters and explicit pairs."""
    rng = np.random.default_rng(seed)
    numbers = lambda low, high, n: " ".join(f"{x:.4f}" for x in rng.uniform(low, high, n))

    def parameters(pair: bool) -> str:
        refs = [
            f'solref="{numbers(0.01, 0.05, 1)} {numbers(0.5, 1, 1)}"',
            f'solref="-{numbers(100, 500, 1)} -{numbers(5, 20, 1)}"',
            "",
        ]
        return " ".join(
            [
                f'condim="{rng.choice([1, 3, 4, 6])}" margin="{rng.choice([0, 0.01, 0.03])}" gap="{rng.choice([0, 0, 0.02])}"',
                f'friction="{numbers(0, 1, 5 if pair else 3)}" solimp="{numbers(0.5, 0.99, 2)} {numbers(0.001, 0.05, 1)} 0.4 3"',
                rng.choice(refs),
                f'solreffriction="{numbers(0.01, 0.05, 2)}"'
                if pair
                else f'priority="{rng.choice([0, 0, 1])}" solmix="{rng.choice([0, 1, 2.5])}"',
            ]
        )

    def geom(name: str) -> str:
        kind = rng.choice(list(SHAPES))
        place = f'pos="{numbers(-0.1, 0.1, 3)}" euler="{numbers(-90, 90, 3)}"'
        return f'<geom name="{name}" type="{kind}" size="{numbers(0.06, 0.15, SHAPES[kind])}" {place} {parameters(False)}/>'

    bodies = [[f"g{b}_{k}" for k in range(rng.integers(1, 4))] for b in range(6)]
    floors = "".join(
        f'<geom type="plane" size="0 0 1" {place} {parameters(False)}/>'
        for place in ("", 'euler="0 60 0" pos="-.2 0 0"')
    )
    world = "".join(
        f'<body pos="{numbers(-0.2, 0.2, 2)} {numbers(0.05, 0.4, 1)}"><freejoint/>{"".join(map(geom, body))}</body>'
        for body in bodies
    )
    pairs = "".join(
        f'<pair geom1="{bodies[a][0]}" geom2="{bodies[b][-1]}" {parameters(True)}/>'
        for a, b in ((0, 1), (4, 2), (5, 3))
    )
    return f"<mujoco><worldbody>{floors}{world}</worldbody><contact>{pairs}</contact></mujoco>"


@pytest.mark.parametrize("seed", range(4))
def test_contacts_of_a_heap(seed, device):
    mj = oracle.compile_xml(heap(seed))
    states = oracle.rollout_states(mj, WORLDS, seed=seed, length=60)
    want = expected(mj, states)
    assert want["ncon"].mean() > 5 and (want["contact_dist"] > want["contact_includemargin"]).any(), (
        "the heap should have contacts in gaps"
    )
    engine = Engine(mj, states, device, mode="staged", nconmax=100)
    for name in ("geom_xpos", "geom_xmat"):
        engine.fill(name, want[name])
    engine.run(pipeline.COLLISION)
    np.testing.assert_array_equal(engine.read("ncon"), want["ncon"])
    np.testing.assert_array_equal(engine.read("ncon_needed"), want["ncon"])
    used = np.arange(want["contact_dist"].shape[1]) < want["ncon"][:, None]
    for name in CONTACTS:
        if name == "contact_efc_address":
            continue
        if not engine.read(name).size:  # what no geom of the model has
            assert not np.any(want.get(name, 0)), name
            continue
        ours, theirs = engine.read(name)[:, : used.shape[1]][used], want[name][used]
        error = np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))
        limit = tolerance("hit_normal" if name == "contact_frame" else "contact")
        assert error.max() <= limit, f"{name}: off by {error.max():.1e}"


@pytest.mark.parametrize("flag", ["contact", "constraint"])
def test_nothing_touches_where_contacts_are_disabled(flag, device):
    mj = oracle.compile_xml(heap(0).replace("<worldbody>", f'<option><flag {flag}="disable"/></option><worldbody>'))
    states = oracle.rollout_states(mj, 3, length=30)
    engine = Engine(mj, states, device, mode="staged", nconmax=100).forward()
    assert not engine.read("ncon").any() and not engine.read("ncon_needed").any()
