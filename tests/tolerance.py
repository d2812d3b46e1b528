"""Every tolerance of the tests, by quantity, with its reason. A test names one; none writes a number of its own.

The engine computes in float32 (one rounding is 6e-8), the oracle in float64. An error is relative to the size of
the whole vector unless the name says otherwise.
"""

from typing import NamedTuple

import numpy as np


class Tolerance(NamedTuple):
    value: float
    reason: str


TABLE = {
    "same": Tolerance(0.0, "the same instructions in the same order give the same bits"),
    "frame": Tolerance(1e-12, "a few products and sums in float64 on both sides"),
    "compiled": Tolerance(1e-6, "computed in float64 on both sides; files give about seven digits"),
    "parameter": Tolerance(2e-7, "a number of the model, rounded to float32, perhaps mixed with another"),
    "authored": Tolerance(2e-6, "a file's numbers, carried by the scene in float32, and what follows from them"),
    "kinematics": Tolerance(2e-6, "a chain of some ten rotations, each rounded to float32"),
    "inertia": Tolerance(5e-6, "sums of products of kinematics over a subtree"),
    "velocity": Tolerance(5e-6, "sums of products of kinematics along a chain"),
    "force": Tolerance(1e-5, "differences of large terms: Coriolis against gravity, spring against damper"),
    "contact": Tolerance(2e-5, "distance in metres: a difference of positions of order one, then a square root"),
    "hit_distance": Tolerance(1e-5, "of the larger shape's size: differences of positions in float32"),
    "hit_normal": Tolerance(1e-3, "the direction between two points that may be a thousandth of the size apart"),
    "hit_position": Tolerance(1e-4, "of the size: nearly parallel capsules have an ill-conditioned nearest point"),
    "hit_ties": Tolerance(
        3e-3, "share of poses where two features are nearest within rounding, so that either may be taken"
    ),
    "part_ties": Tolerance(2e-2, "share of overlapping pairs that have two directions of nearly the same depth"),
    "searched_normal": Tolerance(
        1e-2, "of MuJoCo's search with elements: a millionth of a metre in depths of less than a millimetre"
    ),
    "search_end": Tolerance(5e-8, "metres between ends of the same search in float64, from places in float32"),
    "patch_position": Tolerance(
        1e-3, "of the size: the nearest point of round shapes is that flat, and so are corners of cut caps"
    ),
    "count_ties": Tolerance(
        2e-2, "share of poses with one contact more or less: an edge lies in a face within 5 degrees, just or not"
    ),
    "ties": Tolerance(
        0.1,
        "share of poses at which MuJoCo's own contacts change when a shape moves by a millionth; aligned cylinders have most",
    ),
    "untied": Tolerance(
        3.4e-3, "share of other poses that differ: the second point of a capsule nearly along an edge, in float32"
    ),
    "untied_rounds": Tolerance(
        1e-2, "the same with ellipsoids, whose normal, that of a flat face of a polytope, is off by up to 3e-3"
    ),
    "untied_sides": Tolerance(
        4e-2,
        "the same with cylinders: the line along their side starts at some point of the rim, their caps are 16-gons",
    ),
    "scene_ties": Tolerance(
        5e-2, "share of contacts or worlds of a heap at a tie: equal depths, edges that lie in faces just or not"
    ),
    "picture": Tolerance(
        0.1, "1 - SSIM beside OpenGL's picture: its shadow maps have steps, and corners of shapes are facets"
    ),
    "contact_rows": Tolerance(
        2e-4, "of the largest: R and reference follow depths, which are differences of positions"
    ),
    "sensed_force": Tolerance(2e-3, "forces of stiff contacts, and velocities of points that are pressed apart"),
    "row": Tolerance(2e-5, "Jacobian entries are products of kinematics; impedance is a steep function of distance"),
    "reference": Tolerance(2e-4, "aref and D of one row: distance over timeconst squared magnifies its rounding"),
    "qacc": Tolerance(1e-4, "each state: the solver's Hessian is worse conditioned than M by the rows' stiffness"),
    "qacc_cg": Tolerance(
        1e-3, "conjugate gradients of wide models end where a step gains less than the file's tolerance, as MuJoCo's do"
    ),
    "qacc_median": Tolerance(1e-5, "the typical state has few stiff rows"),
    "next": Tolerance(1e-5, "qpos and qvel after a step: the error of qacc times the time step"),
    "loaded_step": Tolerance(
        2e-4,
        "light links under a heavy load: of the largest change of a velocity; poses are float32, and without double it is 1",
    ),
    "loaded_rows": Tolerance(2e-5, "accelerations of light links beside the same rows solved in float64"),
    "integrator": Tolerance(2e-6, "a few roundings; implicit damping solves with M once more"),
    "lanes": Tolerance(1e-5, "a team of 32 sums in another order than one lane"),
    "native": Tolerance(1e-5, "native and pure-Warp linear algebra sum in different orders"),
    "identity": Tolerance(2e-5, "each side of a balance of forces is rounded once per term"),
    "balance": Tolerance(1e-5, "M qacc against the sum of the sizes of all forces; the solver stops at 1e-6 of it"),
    "inverse": Tolerance(
        5e-5, "forces of rows as stiff as 1e4 per unit of an acceleration that is rounded, relative to all of them"
    ),
    "forward_inverse": Tolerance(
        1e-4, "the acceleration is as good as the solver and float32 have it; stiff rows magnify that"
    ),
    "optimality": Tolerance(
        2e-4, "MuJoCo's own J and D at our acceleration: rows of a stack are stiff, and their J is rounded"
    ),
    "factor": Tolerance(
        5e-6, "of the largest number of a matrix, or of a product with it: sums of some hundred products in float32"
    ),
    "search": Tolerance(1e-6, "depth and normal after as many steps of a search, from poses rounded to float32"),
    "residual": Tolerance(
        1.0,
        "of the largest of MuJoCo's, the optimum's in float32, and one rounding of the terms that the gradient is a sum of",
    ),
    "residual_stuck": Tolerance(
        1.0001, "of the same: to the fourth digit sweeps that are stuck are stuck at the same point"
    ),
    "residual_typical": Tolerance(1.001, "the median state, of the optimum rounded to float32: the same numbers"),
    "trust_region": Tolerance(1e-8, "MuJoCo's iteration ends where the square is within 1e-10 of the disc's"),
    "solver_cost": Tolerance(1e-5, "what rounding accelerations to float32 adds to the cost of stiff rows"),
    "cut_short": Tolerance(
        2e-5, "of the way from the solution that cut iterations leave, 8e-6 at most: steps of a search are in float32"
    ),
    "residual_worst": Tolerance(
        1.25,
        "the worst state, of that of the optimum rounded to float32: a number near a tie may be rounded the other way",
    ),
    "momentum": Tolerance(1e-5, "200 steps, each rounding the velocity once, relative to all mass at 1 m/s"),
    "difference": Tolerance(2e-2, "a pose's difference over a step: half a step's acceleration"),
    "power": Tolerance(1e-2, "energies of two motions that part by a step's force, in float32"),
    "limit": Tolerance(1e-2, "a spring of ke at rest, to MuJoCo's formula for its stiffness"),
    "small_strain": Tolerance(1e-3, "terms of second order in a strain of 1e-4"),
    "contact_rest": Tolerance(1e-2, "a body at rest sinks into soft contacts by some tenths of a millimetre"),
    "law": Tolerance(1e-2, "a law of rigid bodies, met by soft contacts and finite steps"),
    "constant": Tolerance(2e-4, "the inverse of an inertia matrix with a condition of some thousands, in float32"),
    "transition": Tolerance(
        2e-3, "a difference of two float32 steps over a nudge of a thousandth, relative to the largest entry"
    ),
    "mjwarp": Tolerance(
        2e-4,
        "a forward computation through the door of MuJoCo Warp's names: forces of stiff rows, relative to the largest",
    ),
    "tangent": Tolerance(2e-5, "the rotation between two quaternions of float32, relative to the largest"),
    "touching": Tolerance(
        2e-6, "metres after 40 steps of surfaces in touch: differences of places of a tenth of a metre, each rounded"
    ),
    "pair_force": Tolerance(
        2e-2,
        "of the largest: a gap of a hundred-millionth of a metre, one rounding of a place, times the stiffness of a pair",
    ),
    "trajectory": Tolerance(1e-4, "some hundred steps of smooth motion, each rounded; errors add up and grow a little"),
    "lockstep": Tolerance(
        1e-4,
        "a step through State and Control of a real robot, relative to its largest speeds or 1: stiff rows, deep patches",
    ),
    "randomised": Tolerance(
        2e-3,
        "accelerations of a robot that stands on four feet, 0.3 mm deep, of which float32 positions have four digits",
    ),
    "wrap_point": Tolerance(
        1e-5, "metres: a tangent point moves with the square root of the distance of an end from the circle"
    ),
    "sleeper": Tolerance(
        2e-4,
        "velocities after one step from the same state, relative to the fastest plus 1 m/s: boxes that fall flat have some sixteen stiff rows",
    ),
    "delay": Tolerance(1e-3, "a control between two samples: the clock's rounding over the time step"),
    "table_distance": Tolerance(
        2e-4, "of a ring of 10 mm: its facets are 50 um and a cell's curvature 10 um off a circle, twice"
    ),
    "table_far": Tolerance(
        5e-2, "of the distance: outside its box a table knows the distance of the box's nearest point, and its way"
    ),
    "outside": Tolerance(
        1e-4, "metres, of parts of some decimetres: normals of meshes and fields, half a distance each side"
    ),
    "standing": Tolerance(
        1e-3, "sine of the angle, or metres, of contacts of flat parts that a table or a box's edges give"
    ),
    "balanced": Tolerance(5e-2, "of the weight: what springs carry of a ball that still comes to rest"),
    "pressed": Tolerance(2e-2, "of the closed form, or of the radius of the patch: a surface cut into cells"),
    "thread": Tolerance(5e-2, "of the descent: contacts give, and facets of a thread are no helix"),
    "jut": Tolerance(
        2e-4, "metres: the farthest of many points of a rim or an ellipsoid, some thousandths of it apart"
    ),
    "jut_found": Tolerance(
        1e-4, "metres: where MuJoCo's search for the farthest point ends, if it does not stop on the way"
    ),
    "jut_lost": Tolerance(0.1, "share of poses in which that search stops on the way"),
    "deviation": Tolerance(0.1, "of a standard deviation, that of some hundred numbers"),
    "unit": Tolerance(1e-6, "the length of what was normalised in float32"),
    "ray": Tolerance(2e-5, "a point some metres along a ray, put into a quadratic form"),
    "scan": Tolerance(
        1e-5, "metres: a height between three others, at a place some ten metres from the middle, in float32"
    ),
    "camera_light": Tolerance(
        1e-5, "linear light, relative to it or to the lamp's: a power of an sRGB number and some products in float32"
    ),
    "camera_pixels": Tolerance(1e-6, "numbers of a picture from 0 to 1: a few products and sums in float32"),
    "camera_usd": Tolerance(1e-6, "slopes of rays, and metres of a pose, of a USD camera: rounded to float32"),
    "lens_pixel": Tolerance(
        1e-4, "pixels, some twenty from the middle: from a unit direction in float32, whose angle is an arc cosine"
    ),
    "policy": Tolerance(1e-5, "actions of two small layers in float32, by two libraries that sum in different orders"),
    "term": Tolerance(
        2e-6, "a term of a task, relative to its largest value or 1: sums of some ten products, an exponential"
    ),
    "transition_env": Tolerance(
        1e-4, "an observation or reward after up to five steps of float32, relative, absolute below 1"
    ),
    "transition_ties": Tolerance(
        2e-2,
        "share of transitions beyond that, less those of MuJoCo from a state shaken by 1e-7: deep contacts in float32",
    ),
    "order": Tolerance(0.1, "of the power of the time step by which the error falls: higher powers, and rounding"),
    "effort": Tolerance(1e-5, "the law of a drive: some products and sums in float32"),
    "implicit": Tolerance(1e-3, "an equation solved to 1e-5 N s, over a time step"),
    "task": Tolerance(5e-3, "an inertia and what a task sees of it, inverted in float32"),
    "nudged": Tolerance(2e-2, "a slope from values a thousandth apart, in float32"),
    "reached": Tolerance(5e-3, "metres or parts of a quaternion: where iterations end"),
    "cost": Tolerance(1e-5, "square metres: the square of the above"),
    "energy": Tolerance(1e-4, "free fall over a second: rounding of some 500 steps"),
    "drawn_volume": Tolerance(1e-2, "triangles in place of round shapes, made so that spheres have their volume"),
    "drawn_coarse": Tolerance(0.2, "volume of a mesh in a thirtieth of its triangles"),
    "drawn_vertex": Tolerance(0.04, "a tenth of the radius of a tube drawn in a sixteenth of its triangles"),
    "drawn_camera": Tolerance(
        1e-2, "a camera of the page that has come to rest, in metres: it goes to its goal smoothly"
    ),
    "drawn_string": Tolerance(1e-2, "six straight pieces in place of an arc"),
    "drawn_weight": Tolerance(2e-2, "a stack of boxes that has almost come to rest"),
    "drawn_place": Tolerance(1e-4, "an instance on the page and its body, in metres: both float32"),
    "drawn_slider": Tolerance(2e-2, "half a step of a slider, a five-hundredth of its range"),
    "drawn_rigid": Tolerance(1e-3, "determinant of a rotation read from a page"),
    "drawn_corner": Tolerance(1e-5, "a corner carried by a float32 pose"),
    "drawn_turn": Tolerance(1e-3, "the same, as an angle in rad: quaternions through float32 matrices"),
}


def tolerance(name: str) -> float:
    """The tolerance of a quantity."""
    return TABLE[name].value


def relative_error(got, want, floor=0.0) -> np.ndarray:
    """|got - want| / |want| of each row. `floor` (a number or one per row) is the least size to divide by.

    A row that should be zero and has no floor is judged absolutely.
    """
    got, want = np.asarray(got, float), np.asarray(want, float)
    rows = len(want)
    error = np.linalg.norm(got.reshape(rows, -1) - want.reshape(rows, -1), axis=1)
    size = np.maximum(np.linalg.norm(want.reshape(rows, -1), axis=1), floor)
    return error / np.where(size > 0, size, 1.0)


def assert_close(got, want, quantity: str, floor=0.0, what: str = ""):
    """Assert that no row differs by more than the quantity's tolerance; the message names the worst row."""
    got, want = np.atleast_1d(np.asarray(got, float)), np.atleast_1d(np.asarray(want, float))
    assert got.shape == want.shape, f"{what or quantity}: shape {got.shape}, expected {want.shape}"
    if got.size == 0:
        return
    assert np.isfinite(got).all(), (
        f"{what or quantity}: not finite in rows {np.unique(np.nonzero(~np.isfinite(got))[0])[:8]}"
    )
    error = relative_error(got, want, floor)
    worst = int(error.argmax())
    limit = tolerance(quantity)
    assert error[worst] <= limit, f"{what or quantity}: row {worst} is off by {error[worst]:.2e}, allowed {limit:.0e}"


def assert_same(got, want, what: str = ""):
    """Assert that two arrays hold the same bits."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape and got.dtype == want.dtype, (
        f"{what}: {got.dtype}{got.shape} against {want.dtype}{want.shape}"
    )
    if got.tobytes() != want.tobytes():
        differ = np.nonzero(np.atleast_1d(got != want))[0]
        raise AssertionError(f"{what}: differs in {len(differ)} places, first in row {differ[:1]}")
