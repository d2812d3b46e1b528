"""Contact budget: the entries that stay where not all fit, against sorting."""

import numpy as np
import pytest
import warp as wp

from newtonlite.collide.contact_budget import ContactBudget


@pytest.mark.parametrize("seed", range(12))
def test_the_least_of_each_world_stay(seed, device):
    """Of many entries of few values in some worlds: equal parts of the capacity, of equals the first; the others are
    counted by world and kind.
    """
    rng = np.random.default_rng(seed)
    n, worlds = int(rng.integers(2, 300)), int(rng.integers(1, 9))
    capacity = int(rng.integers(0, n + 5))
    value, world = np.round(rng.normal(size=n), 1).astype(np.float32), rng.integers(-1, worlds, n)
    sizes = [n // 2, n - n // 2]
    r = ContactBudget(sizes, [0, 2], worlds, wp.get_device(device))
    r.offer.value.assign(value)
    r.offer.world.assign(world)
    count, lost = wp.zeros(1, dtype=int, device=device), wp.zeros((worlds, 3), dtype=int, device=device)
    need = np.bincount(world[world >= 0], minlength=worlds)
    level = max(k for k in range(n + 1) if np.minimum(need, k).sum() <= capacity)
    want = np.zeros(n, bool)
    for w in range(worlds):
        own = np.flatnonzero(world == w)
        want[own[np.lexsort((own, value[own]))][:level]] = True
    for run in (1, 2):
        r.choose(capacity, count, lost)
        assert (r.offer.stays.numpy().astype(bool) == want).all() and count.numpy()[0] == want.sum()
        assert (r.offer.slot.numpy()[want] == np.arange(want.sum())).all()
        gone = ~want & (world >= 0)
        for k, part in ((0, slice(0, sizes[0])), (2, slice(sizes[0], n))):
            assert (lost.numpy()[:, k] == run * np.bincount(world[part][gone[part]], minlength=worlds)).all()
