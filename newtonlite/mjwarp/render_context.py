"""Render context: what a program makes before it casts rays at chosen groups of geoms.

Pictures are not drawn: a context with cameras is refused. ``rays`` and ``ray`` take a context for its groups; the trees
of boxes that they search are the model's own, so that there is nothing to refit.
"""

from typing import Any

import numpy as np

from newtonlite.core.errors import StateError, UnsupportedError
from newtonlite.solvers.mujoco.raycast import GROUPS

POSITIONS = (
    "cam_res render_rgb render_depth render_seg use_textures use_fast_math use_shadows use_ambient_lighting "
    "enabled_geom_groups cam_active"
).split()
"""Arguments of ``create_render_context`` after ``nworld``, where they are given by place."""
ABSENT = "cameras are not drawn; newtonlite.viewer draws one world, rays(m, d, ...) has distances"


class RenderContext:
    """Groups of geoms that rays see; no camera is drawn."""

    def __init__(self, nworld: int, enabled_geom_groups: tuple):
        self.nworld, self.enabled_geom_groups, self.nrender = nworld, enabled_geom_groups, 0

    def groups(self, geomgroup) -> np.ndarray:
        """Six flags: the enabled groups among those asked for (None, or -1 in each: all)."""
        asked = (
            [True] * GROUPS if geomgroup is None or all(g == -1 for g in geomgroup) else [bool(g) for g in geomgroup]
        )
        if len(asked) != GROUPS:
            raise StateError(f"geomgroup: expected {GROUPS} flags, got {len(asked)}")
        return np.array([asked[g] and g in self.enabled_geom_groups for g in range(GROUPS)])


def create_render_context(
    mjm: Any, nworld: int = 1, *more: Any, enabled_geom_groups: Any = (0, 1, 2), cam_active: Any = None, **looks: Any
) -> RenderContext:
    """A context for rays at the geoms of these groups; how pictures would look is not read.

    Raises UnsupportedError where a camera is active: give ``cam_active=[False] * ncam``.
    """
    given = {"enabled_geom_groups": enabled_geom_groups, "cam_active": cam_active, **dict(zip(POSITIONS, more))}
    active = np.ones(int(mjm.ncam), bool) if given["cam_active"] is None else np.asarray(given["cam_active"])
    if active.any() if active.dtype == bool else active.size:
        raise UnsupportedError(f"create_render_context: {ABSENT}")
    return RenderContext(nworld, tuple(int(g) for g in given["enabled_geom_groups"]))


def refit_bvh(m, d, rc: RenderContext) -> None:
    """Refit what rays search: nothing to do, since boxes of geoms follow their poses and those of meshes do not change."""
