"""Tests of Newton's own suite that newtonlite does not pass, each with its reason. Writes docs/deviations.md.

    python -m conformance newton_deviations RESULT.json ...

The files are what the script of ``../shared/conformance`` writes with ``--out``. Every test that did not pass needs a row
of ``REASONS``; without one, this says so and fails.
"""

from conformance.collection.places import ROOT
from conformance.deviations import Page, by_pattern

OPEN = "ball_frame_update dae_visual_texture joint_target_initial_damping".split()
"""Parts of names of tests that show what is not yet as Newton has it, and should be."""
REASONS = (
    ("open: not yet as Newton has it", "|".join(OPEN)),
    (
        "inverse masses of a builder are those of the masses that it has now, not of those that bodies came with",
        r"finalize_imported_inverses",
    ),
    (
        "one engine has one gravity: a heavy body of no world is refused beside a world with another",
        r"global_gravity_bodies",
    ),
    (
        "contacts are MuJoCo's: height fields are prisms with a bottom, and ellipsoids part the shortest way, which is not "
        "along the line of their middles",
        r"heightfield_boundary|heightfield_sloped|ellipsoid_ellipsoid_penetrating",
    ),
    ("a weld that closes a loop holds the frames of its joint, and is listed as one", r"loop_joints_only"),
    (
        "the narrow phase over arrays collides primitives alone",
        r"NarrowPhase: shape \d+ is of type|mesh_mesh_contacts_kernel|gjk_candidate_pairs",
    ),
    (
        "contacts of flat and round convex shapes, and of boxes with meshes, agree with Newton's to about 2 mm, not 10 um",
        r"not less than or equal to 1e-05",
    ),
    (
        "contacts of capsules and boxes with boxes are those that MuJoCo lists, of which Newton leaves some out",
        r"capsule_box_edge|crossed_plank",
    ),
    ("one unit in the last place: quaternions of float32 turn inertias", r"cone_axis_inertia"),
    ("logging goes to the logger `newtonlite`, without a handler of its own", r"test_diagnostics"),
    ("a builder whose methods leave links out is not followed by the importer", r"mimic_joint_skipped_child"),
    (
        "a cone or mesh that is resized is compiled anew, where Newton refuses; meshes may differ on the CPU too",
        r"cone_runtime_resize|mesh_scale_change_rejected|per_world_hull_limits",
    ),
    (
        "surface velocities of meshes are not built (`geom_surfacevel` has them for geoms)",
        r"surface_velocity_is_opt_in|variant_mesh_properties",
    ),
    ("negative sizes and reversed bounds are refused as mistakes", r"negative_absorbed|are reversed|below ground_z"),
    (
        "another of Newton's solvers takes part",
        r"experimental_coupled|through_coupled_solver|Solver(XPBD|VBD|Kamino|Featherstone|SemiImplicit|Style3D|ImplicitMPM|Steel)|_lox_|SolverBase does not define reset",
    ),
    (
        "particles, cloth, soft bodies, rods, muscles",
        r"particles? are not|particle_only|cloth|soft bod|elastic rods|'Rod'|TetMesh|tet_mesh|add_particle|test_triangle_|soft_mesh|TestFullSurface|"
        r"TestShapeColors|TestValidateTet|coupling_acceleration|set_gravity_invalid",
    ),
    (
        "the inside of Newton's collision pipeline: narrow phase, broad phases, work buffers, contact reduction",
        r"NarrowPhaseFacts|shape_pairs_max|speculative|mesh_edge|"
        r"conta(ct)?_reduction|BodyPairReduction|body_pair_reduction|force_sdf|hashtable|shape_collision_aabb|mesh_aabb|"
        r"convex_support|collision_gjk|heightfield_elevations|HeightfieldCellReject|collision_pipeline'|collision_frequency",
    ),
    ("gradients", r"requires_grad|gradient|differentiable"),
    ("networks as drives (they need torch or ONNX)", r"[nN]eural|DriveNeural"),
    (
        "names of Newton's private modules, which nothing public gives",
        r"newton\._src|MissingUse: target lacks|test_lazy|is not a module|private|StopIteration|_mujoco'|_mujoco_warp|has no attribute '_",
    ),
    (
        "worlds of several structures have an engine each (`solver.groups`); Newton pads one, or refuses them",
        r"worlds have \d+ structures|heterogeneous",
    ),
    (
        "MuJoCo's meaning counts where Newton's differs: one actuator default for all tags, hulls without a bound, no actuator order "
        "of its own, joints in the file's order, several inputs of a motor, gravity's flag, flags that exist, hull by MuJoCo",
        r"general_actuator_defaults|maxhullvert|joint_target_gains_update|dcmotor|option_flag|fit_box|fitscale|binary_msh|follow_newton_dof_order|passive_properties_warn",
    ),
    (
        "equalities: one on a hinge that becomes part of a ball joint is refused in the file, an array without polynomials has five "
        "columns, a mechanism without root gets a free base",
        r"polycoef|equality_on_nonscalar|equality_constraint|rootless",
    ),
    (
        "files that MuJoCo refuses are refused, with the place; Newton leaves the element out",
        r"ParseError|fromto_rejects|MissingError|invalid_solreflimit",
    ),
    (
        "the same refusal or warning in other words",
        r"does not match|missing_sites_across|not found in [\"']|AssertionError: '[^']+' not found|mask length",
    ),
    (
        "refused at another call: by finalize or earlier where Newton's solver does it, or taken",
        r"frequency 8 is unknown|ShapeConfig.mu: nan|ValueError not raised|TypeError not raised|IndexError not raised|KeyError not raised",
    ),
    (
        "a warning that Newton gives and newtonlite has no cause for",
        r"(Deprecation|User|Newton)?Warning not triggered|no logs of level|0 != 1$",
    ),
    ("restitution by gains is not in the engine's contact law, which is MuJoCo's", r"restitution"),
    (
        "data is filled by the first step, and its sizes do not grow by themselves before",
        r"worldbody|nconmax_below|njmax_below|offset_worlds",
    ),
    (
        "fields of MuJoCo Warp's data and options that only its own kernels use",
        r"has no (field|attribute) '(\w*awake|efc_|run_rne|qLD|actuator_)|the engine data has no field|IndexError: too many indices|"
        r"'numpy.ndarray' object has no attribute 'numpy'|'Option' object|MjSpec",
    ),
    (
        "kinematic roots are moved exactly; Newton welds them to a target",
        r"kinematic_(root|vs)|welds_only|TestKinematicLinks|KinematicBodyProperties",
    ),
    ("contacts too far apart to act are not listed", r"ImmovableContactFiltering|efc_address"),
    ("pictures on materials of files, and colours per vertex", r"texcoord|texture|shape_count, 3|dae_visual|2 != 3"),
    (
        "USD scenes and what shows them are counted in docs/usd.md and docs/viewer.md",
        r"[uU]sd|USD|[vV]iewer|pendulum_revolute_vs_d6",
    ),
)
"""Reason, and the pattern of test and message it stands for; the first that fits counts."""


PAGE = Page(
    ROOT / "docs" / "deviations.md",
    "Deviations from Newton",
    (
        "What of Newton 1.8's own tests (public interface and solver fields under MuJoCo's names, the half that is open) newtonlite does not pass,",
        "and why. Made by `python -m conformance newton_deviations RESULT.json ...`. Apart are those of other solvers, deformable bodies and USD.",
    ),
    by_pattern(REASONS),
    apart=frozenset(
        (
            "another of Newton's solvers takes part",
            "particles, cloth, soft bodies, rods, muscles",
            "USD scenes and what shows them are counted in docs/usd.md and docs/viewer.md",
        )
    ),
)
main = PAGE.main
