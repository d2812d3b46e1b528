"""Overflow of contacts or rows: exact counters, the deepest ones kept, nothing non-finite, other worlds as they
were.
"""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.harness.expected import deepest
from tests.tolerance import assert_same

WORLDS = 48
MODELS = ["humanoid", "box_stack_three", "many_small_trees", "elliptic_condim_1_3_4_6", "slide_friction_loss"]


@pytest.fixture(scope="module", params=MODELS)
def case(request, device):
    """A model, states, and a roomy engine that has run once."""
    mj = oracle.named_model(request.param)
    states = oracle.rollout_states(mj, WORLDS)
    return mj, states, Engine(mj, states, device, mode="staged", nconmax=64, njmax=400).step()


def tight(roomy, name) -> int:
    """A capacity that some worlds exceed and others do not."""
    needed = roomy.read(name)
    return int((needed.min() + needed.max()) // 2)


def test_contacts_beyond_the_capacity_are_counted_and_dropped(case, device):
    mj, states, roomy = case
    capacity = tight(roomy, "ncon")
    small = Engine(mj, states, device, mode="staged", nconmax=capacity, njmax=400).step()
    needed = roomy.read("ncon")
    assert_same(small.read("ncon_needed"), needed)
    assert_same(small.read("ncon"), np.minimum(needed, capacity))
    assert_same(small.read("overflow"), (needed > capacity).astype(np.int32))
    assert_same(small.read("lost")[:, 0], np.maximum(needed - capacity, 0))
    for w, n in enumerate(needed):
        kept = deepest(roomy.read("contact_dist")[w, :n], capacity)
        for name in ("contact_dist", "contact_pos", "contact_geom", "contact_frame"):
            assert_same(small.read(name)[w, : len(kept)], roomy.read(name)[w, kept], name)


@pytest.mark.parametrize("name", ["nconmax", "njmax"])
def test_overflow_leaves_finite_states_and_worlds_that_fit_untouched(name, case, device):
    mj, states, roomy = case
    count = "ncon" if name == "nconmax" else "nefc"
    capacity = {"nconmax": 64, "njmax": 400, name: tight(roomy, count)}
    small = Engine(mj, states, device, **capacity).step()
    fits = roomy.read(count) <= capacity[name]
    assert np.isfinite(small.read("qpos")).all() and np.isfinite(small.read("qvel")).all()
    for field in ("qpos", "qvel", "qacc"):
        assert_same(small.read(field)[fits], roomy.read(field)[fits], field)
    again = Engine(mj, states, device, **capacity).step()
    for field in ("qpos", "qvel", "qacc"):
        assert_same(again.read(field), small.read(field), field)


def test_rows_beyond_the_capacity_are_counted_and_dropped(case, device):
    mj, states, roomy = case
    capacity = tight(roomy, "nefc")
    small = Engine(mj, states, device, mode="staged", nconmax=64, njmax=capacity).step()
    needed = roomy.read("nefc")
    assert_same(small.read("nefc_needed"), needed)
    assert (small.read("nefc") <= capacity).all()
    assert_same(small.read("overflow"), (needed > capacity).astype(np.int32))
    assert_same(small.read("lost")[:, 1], needed - small.read("nefc"))
    for w in range(WORLDS):
        kept = fitting_rows(roomy, w, capacity)
        assert small.read("nefc")[w] == len(kept)
        for name in ("efc_cost", "efc_pos", "efc_aref", "efc_D"):
            assert_same(small.read(name)[w, : len(kept)], roomy.read(name)[w, kept], name)


def fitting_rows(roomy, w: int, capacity: int) -> np.ndarray:
    """Rows that fit: those before the contacts in order, then those of the deepest contacts until one does not fit, in
    contact order.
    """
    ncon, nefc = roomy.read("ncon")[w], roomy.read("nefc")[w]
    address = roomy.read("contact_efc_address")[w, :ncon]
    acting = np.flatnonzero(address >= 0)
    if nefc <= capacity or not len(acting):
        return np.arange(min(nefc, capacity))
    ends = dict(zip(acting, [*address[acting][1:], nefc]))
    rows = {c: np.arange(address[c], ends[c]) for c in acting}
    left, kept = capacity - address[acting[0]], []
    for c in acting[np.argsort(roomy.read("contact_dist")[w, acting], kind="stable")]:
        left -= len(rows[c])
        if left < 0:
            break
        kept.append(c)
    first = np.arange(min(capacity, address[acting[0]]))
    return np.concatenate([first, *(rows[c] for c in sorted(kept))]).astype(int)


@pytest.mark.parametrize(
    "capacity", [{"nconmax": 0, "njmax": 400}, {"nconmax": 64, "njmax": 0}, {"nconmax": 0, "njmax": 0}]
)
def test_no_room_at_all_is_no_constraint_at_all(capacity, case, device):
    mj, states, roomy = case
    small = Engine(mj, states, device, **capacity).step(3)
    assert np.isfinite(small.read("qpos")).all()
    assert (small.read("ncon") <= capacity["nconmax"]).all() and (small.read("nefc") <= capacity["njmax"]).all()


def test_counters_add_up_over_steps(case, device):
    mj, states, roomy = case
    capacity = tight(roomy, "nefc")
    small = Engine(mj, states, device, nconmax=64, njmax=capacity)
    overflow, most = np.zeros(WORLDS, int), np.zeros(WORLDS, int)
    for _ in range(10):
        needed = small.step().read("nefc_needed")
        overflow += needed > capacity
        most = np.maximum(most, needed)
    assert (small.read("overflow") == overflow).all() and (small.read("nefc_max") == most).all()


def test_the_estimated_capacity_suffices_for_every_model_here(device):
    for name in oracle.model_names():
        mj = oracle.small_model(name)
        engine = Engine(mj, oracle.rollout_states(mj, WORLDS), device).step()
        assert not engine.read("overflow").any(), name
