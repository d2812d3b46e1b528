"""Mirrors and see-through surfaces in colours, beside MuJoCo's own renderer."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.camera_scenes import LAYERED, similarity
from tests.solvers.mujoco.render.test_colour import HEIGHT, WIDTH, colours
from tests.tolerance import tolerance


@pytest.mark.parametrize("name", LAYERED)
def test_mirrors_and_see_through_surfaces_look_like_mujocos(name):
    mj = oracle.compile_xml(LAYERED[name])
    data = oracle.mujoco.MjData(mj)
    oracle.mujoco.mj_forward(mj, data)
    try:
        theirs = oracle.picture(mj, data, 0, WIDTH, HEIGHT, reflections=True)
    except (ImportError, RuntimeError, AttributeError) as problem:
        pytest.skip(f"MuJoCo has no OpenGL here: {problem}")
    plain = {"shadow_light_fraction": 0.0, "samples_per_pixel": 2}
    ours = colours(mj, **plain, use_transparency=True, use_reflections=True)[0]
    assert 1.0 - similarity(ours, theirs) <= tolerance("picture")
    apart = np.abs(ours.astype(int) - theirs).max(axis=-1)
    assert np.median(apart) <= 2 and (apart <= 12).mean() > 0.9
    # without the options another picture
    assert (np.abs(colours(mj, **plain)[0].astype(int) - theirs).max(axis=-1) > 12).mean() > 0.02


def test_layers_of_a_world_do_not_depend_on_others():
    mj = oracle.compile_xml(LAYERED["glass over a mirror"])
    options = {"use_transparency": True, "use_reflections": True}
    alone, many = colours(mj, **options), colours(mj, 3, **options)
    assert all((picture == alone[0]).all() for picture in many)
