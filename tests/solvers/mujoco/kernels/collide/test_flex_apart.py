"""Elements parted by a plane along one of their faces: never those that touch, and neighbours that lie flat all."""

from itertools import product

import numpy as np
import pytest

from newtonlite.solvers.mujoco.kernels.position.flex import flex_position
from newtonlite.solvers.mujoco.pipeline import KINEMATICS
from tests import oracle
from tests.harness.engine import Engine
from tests.harness.flex_scenes import flex, world
from tests.harness.soft_bodies import bent_states
from tests.harness.soft_stages import pairs_of_first_group, parted_pairs

BENDS = (0.0, 0.01, 0.03, 0.06)
ROOM = 40_000
SCENES = {
    "sheets": (2, world(flex(count="6 5 1"), flex("g", count="5 6 1", pos=".03 .04 .03", euler="0 4 30"))),
    "one sheet": (2, world(flex(count="8 6 1", spacing=".05 .05 .05", selfcollide="bvh"))),
    "solids": (3, world(flex(dim=3), flex("g", dim=3, pos=".03 .04 .24", euler="5 9 30"))),
    "one solid": (3, world(flex(dim=3, count="4 3 3", spacing=".05 .05 .05", selfcollide="narrow"))),
}


def segment_gap(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> float:
    """Distance of the segments a b and c d."""
    u, v, w = b - a, d - c, a - c
    uu, uv, vv, uw, vw = u @ u, u @ v, v @ v, u @ w, v @ w
    det = uu * vv - uv * uv
    # the lines' nearest points where those are inside, else those of an end of one
    ends = [(s, np.clip((uv * s + vw) / vv, 0, 1)) for s in (0.0, 1.0)]
    ends += [(np.clip((uv * t - uw) / uu, 0, 1), t) for t in (0.0, 1.0)]
    if det > 1e-12:
        ends.append(tuple(np.clip([(uv * vw - vv * uw) / det, (uu * vw - uv * uw) / det], 0, 1)))
    return min(float(np.linalg.norm(w + s * u - t * v)) for s, t in ends)


def point_gap(p: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    """Distance of a point from the plane of a triangle, where its foot is inside; infinite elsewhere."""
    n = np.cross(b - a, c - a)
    inside = [np.cross(y - x, p - x) @ n >= 0 for x, y in ((a, b), (b, c), (c, a))]
    return float(abs((p - a) @ n) / np.linalg.norm(n)) if all(inside) else np.inf


def boundary_gap(x: np.ndarray, y: np.ndarray) -> float:
    """Distance of the boundaries of two triangles or tetrahedra that do not intersect."""
    sides = [[p[list(k)] for k in product(range(len(p)), repeat=2) if k[0] < k[1]] for p in (x, y)]
    faces = [[p[list(k)] for k in product(range(len(p)), repeat=3) if k[0] < k[1] < k[2]] for p in (x, y)]
    found = [segment_gap(*one, *two) for one in sides[0] for two in sides[1]]
    found += [point_gap(p, *face) for p in x for face in faces[1]] + [
        point_gap(p, *face) for p in y for face in faces[0]
    ]
    return min(found)


@pytest.fixture(scope="module")
def engines(device) -> dict:
    found = {}
    for name, (_, source) in SCENES.items():
        mj = oracle.compile_xml(source)
        found[name] = Engine(mj, bent_states(mj, BENDS), device, mode="staged", nconmax=ROOM)
        found[name].run((*KINEMATICS, flex_position, pairs_of_first_group, parted_pairs))
    return found


@pytest.mark.parametrize("name", SCENES)
def test_parted_elements_are_farther_apart_than_their_radii(engines, name):
    engine, dim = engines[name], SCENES[name][0]
    vert, radius = engine.m.flexelem_vert.numpy()[:, : dim + 1], float(engine.mj.flex_radius.max())
    parted = 0
    for w in range(len(BENDS)):
        number = int(engine.read("nflexhits").ravel()[w])
        flags, place = engine.read("flexhit_dist")[w, :number] > 0, engine.read("flexvert_xpos")[w].astype(float)
        assert number > 20
        for one, two in engine.read("flexhit_part")[w, :number][flags][:200]:
            assert boundary_gap(place[vert[one]], place[vert[two]]) > 2.0 * radius, (w, one, two)
        parted += int(flags.sum())
    assert parted > 20


def test_neighbours_in_a_flat_sheet_are_all_parted(engines):
    """Their boxes overlap by the radius alone: none of them needs a search."""
    engine = engines["one sheet"]
    number = int(engine.read("nflexhits").ravel()[0])
    vert, place = engine.m.flexelem_vert.numpy()[:, :3], engine.read("flexvert_xpos")[0].astype(float)
    pairs, flags = engine.read("flexhit_part")[0, :number], engine.read("flexhit_dist")[0, :number] > 0
    clear = np.array([boundary_gap(place[vert[a]], place[vert[b]]) > 0.0201 for a, b in pairs])
    assert clear.sum() > 20
    assert flags[clear].all() and not flags[~clear].any()
