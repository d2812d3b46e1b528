"""Control signals keep to their range, their statistics and their seed."""

import numpy as np
import pytest
import warp as wp

from newtonlite.envs.control_signal import HOLD, KINDS, Drive

LOW, HIGH = np.array([-1.0, 0.0, 2.0]), np.array([1.0, 4.0, 3.0])
WORLDS = 500


def signal(kind, steps, device, amount=1.0, seed=0):
    """[steps, WORLDS, 3] controls."""
    drive = Drive(kind, LOW, HIGH, 0.01, amount, seed, device)
    ctrl = wp.array(np.tile((LOW + HIGH) / 2, (WORLDS, 1)), dtype=float, device=device)
    out = []
    for _ in range(steps):
        drive.write(ctrl)
        out.append(ctrl.numpy().copy())
    return np.array(out)


def test_random_control_covers_its_range_and_holds(device):
    u = signal("random", 3 * HOLD, device)
    assert (u >= LOW).all() and (u <= HIGH).all()
    assert (u.min(axis=(0, 1)) < LOW + 0.05 * (HIGH - LOW)).all() and (
        u.max(axis=(0, 1)) > HIGH - 0.05 * (HIGH - LOW)
    ).all()
    assert (u[:HOLD] == u[0]).all() and (u[HOLD] != u[0]).mean() > 0.99


def test_ou_control_has_the_deviation_asked_for(device):
    u = signal("ou", 100, device, amount=0.1)
    spread = u[60:].std(axis=(0, 1)) / (0.05 * (HIGH - LOW))
    assert (np.abs(spread - 1) < 0.05).all()
    step = np.corrcoef(u[-2, :, 0], u[-1, :, 0])[0, 1]
    assert abs(step - np.exp(-0.1)) < 0.05


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_decides_the_signal(kind, device):
    one, again, other = signal(kind, 7, device), signal(kind, 7, device), signal(kind, 7, device, seed=1)
    assert (one == again).all()
    assert kind == "zero" or (one != other).any()


def test_worlds_and_controls_differ(device):
    u = signal("random", 1, device)[0]
    assert len(np.unique(u[:, 0])) == WORLDS
    assert abs(np.corrcoef(u[:, 0], u[:, 1])[0, 1]) < 0.2


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="expected one of zero, random, ou, got 'noise'"):
        Drive("noise", LOW, HIGH, 0.01)
