"""Tests of Newton's own suite about USD that newtonlite does not pass, each with its reason. Writes docs/usd_deviations.md.

    python -m conformance usd_deviations RESULT.json

The file is what the script of ``../shared/conformance`` writes with ``--out`` for ``--files 'test_import_usd*' 'test_*usd*'
test_schema_resolver``. Every test that did not pass needs a row of ``REASONS``; without one, this says so and fails.
"""

from conformance.collection.places import ROOT
from conformance.deviations import Page, by_pattern

BESIDE = "not rigid bodies: meshes of tetrahedra, splats, the camera that draws tiles"
REASONS = (
    (BESIDE, r"TestTetMesh|gaussian|SensorTiledCamera|sensor_renders"),
    (
        "UsdPhysics: a PhysicsJoint leaves the axes free that no LimitAPI bounds; Newton locks them",
        r"from_d6_joint|joint_api_d6",
    ),
    ("joints whose bodies are in the other order are turned over; Newton refuses them", r"reversed_joint"),
    ("a tree without articulation root moves freely, by a base of its own; Newton's finalize refuses it", r"non_articulated"),
    ("a loop joint beside the free joint of a body is what a weld of it is, so there is no warning", r"weld_frames"),
    ("stages are scaled to metres, so there is nothing to warn of", r"non_unit_linear_unit"),
    ("a sphere under unequal scale is an ellipsoid; Newton takes the largest radius and warns", r"non_uniform_scale_warns"),
    ("a distance joint is a tendon with limits between two sites; Newton's solver drops it", r"distance_joint"),
    ("meshSimplification keeps the collider's mesh, which needs no picture beside it", r"cube_cylinder"),
    ("a tendon without path is refused, with the place; Newton keeps it and its solver leaves it out", r"empty_fixed_tendon"),
    ("the test expects rounding of float32 that newtonlite does not have: it computes inertias in float64", r"non_symmetric_inertia"),
    ("sites of the solver's model have the names of the scene, without a number behind", r"indexed_wraps"),
    ("a deprecated name is still there, with a warning", r"joint_stiffness_damping"),
)  # fmt: skip
"""Reason, and the pattern of test and message it stands for; the first that fits counts."""


PAGE = Page(
    ROOT / "docs" / "usd_deviations.md",
    "Newton's own tests about USD",
    (
        "Which of Newton 1.8's tests about USD (public interface, the half that is open) newtonlite does not pass, and why. Made by",
        "`python -m conformance usd_deviations RESULT.json`. Apart is what is not about rigid bodies.",
    ),
    by_pattern(REASONS),
    apart=frozenset((BESIDE,)),
)
main = PAGE.main
