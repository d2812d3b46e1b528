"""Options of ``CollisionPipeline``, checked."""

import warnings
from typing import Any

import numpy as np

from newtonlite.collide.matcher import MODES
from newtonlite.collide.speculative import NAME
from newtonlite.core.errors import ModelError, NewtonDeprecationWarning, StateError, WrongTypeError, external
from newtonlite.geometry.hydroelastic import HydroelasticSDF
from newtonlite.sim.contacts import Contacts

BROAD_PHASES = ("nxn", "sap", "explicit")
TAKEN = (
    "reduce_contacts",
    "shape_pairs_max",
    "contact_matching",
    "contact_matching_pos_threshold",
    "contact_matching_normal_dot_threshold",
    "contact_report",
    "sdf_hydroelastic_config",
    "soft_contact_max",
    "publish_capacity",
    NAME,
)
IGNORED = (
    "verify_buffers",
    "deterministic",
    "max_triangle_pairs",
    "contact_reduction_hashtable_size_factor",
    "soft_contact_gap",
    "soft_contact_margin",
)
"""Arguments about how Newton's pipeline works inside, and about particles, which no model has; nothing here depends on them."""
REFUSED = (
    "body_pair_reduction",
    "enable_rigid_soft_full_surface_contact",
    "requires_grad",
    "narrow_phase",
    "dynamic_shape_scale",
)
"""Arguments that may only say that they want nothing."""


def checked_pairs(pairs, count: int) -> np.ndarray:
    """Pairs of shapes [n, 2] as the caller gave them, each once; ModelError for numbers that are no shapes."""
    pairs = np.asarray(pairs.numpy() if hasattr(pairs, "numpy") else pairs)
    if pairs.size and (pairs.dtype.kind not in "iu" or pairs.shape[1:] != (2,)):
        raise ModelError(
            f"CollisionPipeline shape_pairs_filtered: give whole numbers [n, 2], not {pairs.dtype} {list(pairs.shape)}"
        )
    pairs = pairs.astype(np.int64).reshape(-1, 2)
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= count or (pairs[:, 0] == pairs[:, 1]).any()):
        raise ModelError(
            f"CollisionPipeline shape_pairs_filtered: give pairs of two different shapes from 0 to {count - 1}"
        )
    return np.unique(np.sort(pairs, axis=1), axis=0)


def checked_count(name: str, value: Any, least: int) -> int:
    """A whole number of at least ``least``; ModelError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ModelError(f"CollisionPipeline {name}: {value!r}; give a whole number of at least {least}")
    return int(value)


def check_options(options: dict) -> None:
    """Raise ModelError for arguments that are unknown, and for those that ask for what is not supported."""
    for name, value in options.items():
        if name == "sdf_hydroelastic_config":
            check_config(value)
        if name == "soft_contact_margin" and value is not None:
            check_soft_margin(options.get("soft_contact_gap"))
        if name in IGNORED + TAKEN:
            continue
        if name not in REFUSED:
            raise ModelError(
                f"CollisionPipeline: {name!r} is unknown; known are {', '.join(sorted(REFUSED + IGNORED + TAKEN))}"
            )
        if value:
            hint = " (a BodyPairReductionConfig)" if name == "body_pair_reduction" else ""
            raise WrongTypeError(f"CollisionPipeline: {name}{hint} is not supported; leave it out")


def check_soft_margin(gap: float | None = None) -> None:
    """Warn of the former name of ``soft_contact_gap``; ModelError where both are given."""
    if gap is not None:
        raise ModelError("CollisionPipeline: soft_contact_margin is the former name of soft_contact_gap; give one")
    warnings.warn(
        "CollisionPipeline: soft_contact_margin is deprecated; it is now soft_contact_gap",
        NewtonDeprecationWarning,
        stacklevel=external(),
    )


def check_config(config: Any) -> None:
    """Raise ModelError for hydroelastic settings that are none."""
    if config is not None and not isinstance(config, HydroelasticSDF.Config):
        raise ModelError(
            f"CollisionPipeline sdf_hydroelastic_config: give a newtonlite.geometry.HydroelasticSDF.Config, not {type(config).__name__}"
        )


def check_phase(broad_phase: Any, pairs: Any) -> None:
    """Raise ModelError for a broad phase that there is not, and for pairs where none are asked for."""
    if broad_phase is not None and broad_phase not in BROAD_PHASES:
        raise ModelError(
            f"CollisionPipeline broad_phase: {broad_phase!r}; expected one of {', '.join(map(repr, BROAD_PHASES))}"
        )
    if pairs is not None and broad_phase != "explicit":
        raise ModelError("CollisionPipeline shape_pairs_filtered: is for broad_phase='explicit'; leave it out")


def checked_matching(options: dict) -> tuple[str, float, float, bool]:
    """Mode, threshold of places [m] and of normals' cosine, and whether changes are reported; ModelError for values
    that make no sense.
    """
    mode = options.get("contact_matching", "disabled")
    if mode not in MODES:
        raise ModelError(f"CollisionPipeline contact_matching: {mode!r}; expected one of {', '.join(map(repr, MODES))}")
    report = bool(options.get("contact_report", False))
    if report and mode == "disabled":
        raise ModelError(
            "CollisionPipeline contact_report: contacts are not matched; pass contact_matching='latest' or 'sticky' too"
        )
    reach = checked_number(
        "contact_matching_pos_threshold", options.get("contact_matching_pos_threshold", 0.0005), 0.0, np.inf
    )
    same = checked_number(
        "contact_matching_normal_dot_threshold", options.get("contact_matching_normal_dot_threshold", 0.995), -1.0, 1.0
    )
    return mode, reach, same, report


def checked_number(name: str, value: Any, low: float, high: float) -> float:
    """A number between two; ModelError for anything else."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.floating | np.integer)
        or not low <= value <= high
        or np.isinf(value)
    ):
        raise ModelError(
            f"CollisionPipeline {name}: {value!r}; give a number from {low:g}"
            + (f" to {high:g}" if np.isfinite(high) else " on")
        )
    return float(value)


def check_contacts(contacts, device) -> None:
    """Raise StateError unless ``contacts`` is a Contacts on this device."""
    if not isinstance(contacts, Contacts):
        raise StateError(
            f"CollisionPipeline.collide: expected a Contacts, got {type(contacts).__name__}; make it with contacts()"
        )
    if contacts.device != device:
        raise StateError(f"CollisionPipeline.collide: contacts live on {contacts.device}, the model on {device}")
