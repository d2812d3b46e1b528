"""Thirty small models of our own, of many kinds, over which every comparison runs in minutes (``make verify``)."""

from conformance.collection.places import OWN

NAMES = {
    "mjcf": """
        activations_of_every_kind adhesion_of_contacts arm_position_actuators balls_and_pills_on_hills ball_joint_limit
        box_stack_three capsules_crossing elliptic_condim_1_3_4_6 equality_connect equality_weld
        fluid_around_ellipsoids elliptic_sliding_box general_actuators_with_limits heap_of_convex_shapes
        implicitfast_damped_arm mixed_pairs_with_priorities muscles_on_joints pendulum_double_hinge rk4_chain_with_activations sensors_of_contact sensors_of_motion
        slide_friction_loss slider_crank tendon_around_geoms tendon_fixed_coupled tendon_over_sites
    """,
    "urdf": "every_joint mimic_gripper",
    "usd": "arm_si arm_cm",
}
"""Names of files of ``tests/models``, by format."""
ENDINGS = {"mjcf": ("", "xml"), "urdf": ("urdf", "urdf"), "usd": ("usd", "usda")}
"""Folder and ending of a format's files."""


def own(kind: str) -> dict[str, dict]:
    """Entries of the own models of a format, by name."""
    folder, ending = ENDINGS[kind]
    return {
        f"own/{name}": {"file": str(OWN / folder / f"{name}.{ending}"), "source": "own", "kind": "model"}
        for name in NAMES[kind].split()
    }
