"""Mass, centre and inertia: formulae against sums over many small pieces, and against each other."""

import numpy as np
import pytest

from newtonlite.geometry import inertia, principal
from newtonlite.math.transform import IDENTITY, transform
from tests.tolerance import assert_close, tolerance

DENSITY = 800.0
TURN = np.array([0.1, -0.5, 0.3, 0.8]) / np.linalg.norm([0.1, -0.5, 0.3, 0.8])
CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
FACES = np.array(
    [
        [0, 1, 3],
        [0, 3, 2],
        [4, 6, 7],
        [4, 7, 5],
        [0, 4, 5],
        [0, 5, 1],
        [2, 3, 7],
        [2, 7, 6],
        [0, 2, 6],
        [0, 6, 4],
        [1, 5, 7],
        [1, 7, 3],
    ]
)


def revolved(profile, low, high, n=400):
    """A body of revolution about z by Gauss-Legendre discs of radius ``profile(z)``."""
    x, w = np.polynomial.legendre.leggauss(n)
    z, w = 0.5 * (high - low) * x + 0.5 * (high + low), 0.5 * (high - low) * w
    r = profile(z)
    dm = DENSITY * np.pi * r**2 * w
    m, com = dm.sum(), (dm * z).sum() / dm.sum()
    side = (dm * (0.25 * r**2 + (z - com) ** 2)).sum()
    return m, com, np.array([side, side, (0.5 * dm * r**2).sum()])


REVOLVED = {
    "sphere": (inertia.sphere, (0.3,), lambda z: np.sqrt(0.09 - z**2), [(-0.3, 0.3)]),
    "cylinder": (inertia.cylinder, (0.2, 0.5), lambda z: np.full_like(z, 0.2), [(-0.5, 0.5)]),
    "cone": (inertia.cone, (0.2, 0.5), lambda z: 0.2 * (0.5 - z), [(-0.5, 0.5)]),
    "ellipsoid": (inertia.ellipsoid, (0.2, 0.2, 0.5), lambda z: 0.2 * np.sqrt(1 - (z / 0.5) ** 2), [(-0.5, 0.5)]),
}


@pytest.mark.parametrize("name", REVOLVED)
def test_round_shapes_are_stacks_of_discs(name):
    formula, sizes, profile, [(low, high)] = REVOLVED[name]
    m, com, moments = revolved(profile, low, high)
    got = formula(DENSITY, *sizes)
    assert_close([got.mass], [m], "compiled")
    assert_close([got.com], [[0, 0, com]], "compiled", floor=1.0)
    assert_close([np.diag(got.inertia)], [moments], "compiled")


def test_a_capsule_is_a_cylinder_between_two_half_balls():
    r, h = 0.2, 0.5
    ends = revolved(lambda z: np.sqrt(r**2 - (np.abs(z) - h) ** 2), h, h + r)
    barrel = inertia.cylinder(DENSITY, r, h)
    cap = inertia.MassProperties(ends[0], np.array([0, 0, ends[1]]), np.diag(ends[2]))
    flipped = inertia.move(cap, np.array([0, 0, 0, 1.0, 0, 0, 0]))
    want = inertia.add_solids(inertia.add_solids(barrel, cap), flipped)
    got = inertia.capsule(DENSITY, r, h)
    assert_close([got.mass], [want.mass], "compiled")
    assert_close([got.inertia], [want.inertia], "compiled")


def test_an_ellipsoid_with_three_radii_is_a_stretched_ball():
    scale = np.array([0.2, 0.3, 0.5])
    want = inertia.scale_mesh(inertia.sphere(DENSITY, 1.0), scale)
    got = inertia.ellipsoid(DENSITY, *scale)
    assert_close([got.mass], [want.mass], "compiled")
    assert_close([got.inertia], [want.inertia], "compiled")


@pytest.mark.parametrize("inside_out", [False, True])
def test_a_mesh_of_a_box_is_the_box(inside_out):
    half = np.array([0.1, 0.2, 0.4])
    faces = FACES[:, ::-1] if inside_out else FACES
    got = inertia.mesh(DENSITY, (CUBE * 2 - 1) * half + [1.0, 2.0, 3.0], faces)
    want = inertia.box(DENSITY, *half)
    assert_close([got.mass], [want.mass], "compiled")
    assert_close([got.com], [[1, 2, 3]], "compiled")
    assert_close([got.inertia], [want.inertia], "compiled")


def test_a_corner_tetrahedron_has_its_book_inertia():
    """The tetrahedron of the origin and the unit points: V = 1/6, second moments 1/60 and 1/120 about the origin."""
    got = inertia.mesh(1.0, np.vstack([np.zeros(3), np.eye(3)]), [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])
    assert_close([got.mass], [1 / 6], "compiled")
    assert_close([got.com], [[0.25, 0.25, 0.25]], "compiled")
    assert_close([got.inertia], [1 / 80 * np.eye(3) + 1 / 480 * (1 - np.eye(3))], "compiled")


def test_a_sheet_weighs_its_area():
    got = inertia.surface(2.0, np.array([[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0.0]]), [0, 1, 2, 0, 2, 3], 0.1)
    m = 2.0 * 0.1 * 2.0
    assert_close([got.mass], [m], "compiled")
    assert_close([got.com], [[1, 0.5, 0]], "compiled")
    assert_close([np.diag(got.inertia)], [[m / 12, m * 4 / 12, m * 5 / 12]], "compiled")


def test_halves_make_a_whole():
    """Two half boxes, each posed, are the box; one cut out leaves the other."""
    half = inertia.box(DENSITY, 0.1, 0.2, 0.2)
    left = inertia.move(half, transform((-0.1, 0, 0)))
    right = inertia.move(half, transform((0.1, 0, 0)))
    whole = inertia.box(DENSITY, 0.2, 0.2, 0.2)
    both = inertia.add_solids(left, right)
    assert_close([both.inertia], [whole.inertia], "compiled")
    rest = inertia.subtract(whole, left)
    assert_close([rest.com], [right.com], "compiled")
    assert_close([rest.inertia], [right.inertia], "compiled")


def test_turning_keeps_principal_moments():
    solid = inertia.box(DENSITY, 0.1, 0.2, 0.4)
    turned = inertia.move(solid, transform((1, 2, 3), TURN))
    assert_close([np.linalg.eigvalsh(turned.inertia)], [np.sort(np.diag(solid.inertia))], "compiled")
    assert_close([inertia.move(solid, IDENTITY).inertia], [solid.inertia], "compiled")


def test_nothing_added_changes_nothing():
    solid = inertia.sphere(DENSITY, 0.1)
    assert inertia.add_solids(inertia.NOTHING, inertia.NOTHING).mass == 0.0
    assert_close([inertia.add_solids(solid, inertia.NOTHING).inertia], [solid.inertia], "compiled")
    assert inertia.mesh(1.0, CUBE, FACES[:0]).mass <= tolerance("same")


def many_tensors() -> np.ndarray:
    """Inertias of random solids, and special ones: equal moments, a rod, nothing."""
    rng = np.random.default_rng(6)
    a = rng.normal(size=(20, 3, 3))
    special = [np.eye(3), np.diag([1.0, 1.0, 2.0]), np.diag([0.0, 1.0, 1.0]), np.zeros((3, 3)), 1e-6 * np.eye(3)]
    return np.concatenate([a @ a.transpose(0, 2, 1), special])


def test_principal_moments_are_eigenvalues():
    tensors = many_tensors()
    want = np.linalg.eigvalsh(tensors)
    assert_close(inertia.principal_moments(tensors), want, "compiled")


def test_inverses_are_inverse_where_they_exist():
    tensors = many_tensors()
    where = np.arange(len(tensors)) != 3
    got = inertia.inverse(tensors, where)
    singular = [22, 23]
    assert not got[[3, *singular]].any()
    rest = np.setdiff1d(np.arange(len(tensors)), [3, *singular])
    assert_close(got[rest] @ tensors[rest], np.broadcast_to(np.eye(3), (len(rest), 3, 3)), "compiled")


def test_changing_a_mass_changes_none_that_is_asked_for_later():
    points = np.random.default_rng(1).normal(size=(4, 3))
    faces = np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])
    first = inertia.legacy_mesh(points, faces)
    kept = first.com.copy(), first.inertia.copy(), principal.principal(first.inertia)[1].copy()
    axes = principal.principal(first.inertia)[1]
    first.com[:], axes[:] = 7.0, 7.0
    again = inertia.legacy_mesh(points, faces)
    assert np.array_equal(again.com, kept[0]) and np.array_equal(principal.principal(kept[1])[1], kept[2])
    assert not np.array_equal(inertia.legacy_mesh(2.0 * points, faces).com, kept[0])
