"""Young's modulus by world: a world's stiffness is that of its own modulus, for soft bodies of every kind."""

import re

import numpy as np
import pytest

from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import Worlds, compile_worlds
from tests.harness.soft_bodies_compiled import KINDS, soft_body
from tests.tolerance import tolerance

KINDS_OF_STIFFNESS = [name for name in KINDS if "constrained" not in name]


def compiled(*texts: str):
    """The compiled model of worlds, one for each text."""
    scene = ModelBuilder()
    for text in texts:
        world = ModelBuilder()
        world.add_mjcf(text)
        scene.add_world(world)
    return compile_worlds(Worlds(scene.finalize(device="cpu"), list(range(len(texts)))))


@pytest.mark.parametrize("name", KINDS_OF_STIFFNESS)
def test_stiffness_is_that_of_each_worlds_modulus(name):
    soft = soft_body(name)
    hard = re.sub('young="([^"]*)"', lambda given: f'young="{3.0 * float(given[1])}"', soft)
    both = compiled(soft, hard)
    for w, text in enumerate((soft, hard)):
        alone = compiled(text)
        for field in ("flex_stiffness", "flex_bending"):
            want = np.asarray(getattr(alone, field))
            if want.size:
                got = np.broadcast_to(getattr(both, field), (2, want.size))[w]
                np.testing.assert_allclose(got, want, atol=tolerance("compiled") * np.abs(want).max())
