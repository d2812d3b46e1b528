"""Films and strips: robots of meshes are seen, and what moves is seen to move."""

import numpy as np
import pytest

from newtonlite.cli.film import Film
from newtonlite.envs import Environment
from newtonlite.envs.simulation import scene_of
from newtonlite.viewer.shapes import ShapeCache
from tests.envs.test_entity import hopper
from tests.tolerance import tolerance

TETRAHEDRON = '<asset><mesh name="t" vertex="0 0 0  0.4 0 0  0 0.2 0  0 0 0.6"/></asset><worldbody>'


def test_a_mesh_is_drawn_as_the_box_around_it():
    task = hopper(
        model=hopper()
        .model.replace("<worldbody>", TETRAHEDRON)
        .replace('name="trunk" type="box" size="0.1 0.1 0.05"', 'name="trunk" type="mesh" mesh="t"')
    )
    cache = ShapeCache(scene_of(task, 1))
    shapes = cache.at(np.tile([0, 0, 0, 0, 0, 0, 1], (3, 1)))
    sizes = [sorted(s) for s in shapes.scale.tolist()]
    assert min(np.abs(np.subtract(s, [0.1, 0.2, 0.3])).max() for s in sizes) < tolerance("parameter") * 10


def test_a_film_shows_what_moves(tmp_path):
    iio = pytest.importorskip("imageio.v3", reason="films need imageio")
    task = hopper()
    film = Film(task, 0.3)
    env = Environment(task, 2, seed=0)
    for _ in range(60):
        env.step(np.zeros((2, 2), np.float32))
        film(env)
    film.write(tmp_path / "film.gif")
    pictures = iio.imread(tmp_path / "film.gif", index=None).astype(int)
    assert len(pictures) == len(film.poses) == 3
    assert np.ptp(pictures[0]) > 100
    assert np.abs(pictures[-1] - pictures[0]).max() > 50
