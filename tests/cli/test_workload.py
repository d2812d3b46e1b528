"""Workload of a race: mixed states are of the whole rollout, however few worlds there are."""

import numpy as np
import pytest

from newtonlite.cli.bench.workload import HORIZON, mixed_start
from newtonlite.cli.simulation import compile_file

FALL = '<mujoco><option gravity="0 0 -100"/><worldbody><body><joint type="slide" axis="0 0 -1"/><geom size=".1"/></body></worldbody></mujoco>'
"""The speed of what falls says when a state was taken: 100 m/s a second, to 1 m/s of where it began."""


@pytest.mark.parametrize("worlds", [1, 16])
def test_states_of_few_worlds_are_of_the_whole_rollout(worlds, tmp_path):
    (tmp_path / "fall.xml").write_text(FALL)
    fall = compile_file(tmp_path / "fall.xml")
    seeds = range(max(1, 12 // worlds))
    when = np.concatenate([mixed_start(fall, worlds, seed, "cpu")[1][:, 0] / 100.0 for seed in seeds])
    whole = HORIZON * fall.opt.timestep
    assert when.min() < 0.2 * whole and when.max() > 0.8 * whole
    assert 0.3 * whole < np.median(when) < 0.7 * whole
