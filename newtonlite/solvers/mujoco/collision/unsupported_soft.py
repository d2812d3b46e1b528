"""Particle and cloth methods of Newton's collision pipeline, which are not supported and raise."""

from typing import Any

from newtonlite.core.errors import ModelError


class SoftBodiesUnsupported:
    """The part of ``CollisionPipeline`` that has nothing to do: counts are 0, the rest is refused."""

    soft_contact_max = 0
    """Capacity for contacts of particles, for the ``Contacts`` it makes; nothing fills it."""
    soft_contact_margin = 0.0
    soft_contact_pair_count = 0
    soft_rigid_contact_pair_count = 0

    @property
    def body_pair_reduction(self) -> None:
        """None: contacts are reduced pair by pair of shapes, not of bodies."""
        return None

    def refresh_body_pair_reduction_groups(self) -> None:
        """Nothing: there are no groups of bodies."""

    def init_soft_self_contact(self, **options: Any) -> None:
        """Refused: cloth is not simulated."""
        raise ModelError("CollisionPipeline.init_soft_self_contact: soft contacts are not supported; leave it out")

    def refit_soft_self_contact_bvh(self, new_pos: Any, *, rebuild: bool = False) -> None:
        """Refused: cloth is not simulated."""
        raise ModelError("CollisionPipeline.refit_soft_self_contact_bvh: soft contacts are not supported; leave it out")

    def set_collision_detection_range(self, **ranges: Any) -> None:
        """Refused where a range is given: all of them are of soft contacts. Rigid ones have ``shape_gap`` and
        ``shape_margin``.
        """
        if any(value is not None for value in ranges.values()):
            raise ModelError(
                f"CollisionPipeline.set_collision_detection_range: {', '.join(ranges)} of soft contacts is not supported; set model.shape_gap and make "
                "another pipeline"
            )
