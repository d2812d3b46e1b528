"""Contact surface terms: rows relative to moving surfaces, and the adhesion that a friction cone allows.

MuJoCo documentation, Computation: Adhesion.
"""

import warp as wp

from newtonlite.core.mujoco import MjtCone
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields


@wp.func
def add_surface_velocity(m: ModelFields, d: DataFields, world: int, c: int, row: int):
    """``efc_vel`` of the rows of contact ``c`` along its tangents, and of its spin, with the surfaces' own motion."""
    # the surfaces' own motion adds to J qvel along two tangents and in spin
    dim = d.contact_dim[world, c]
    moving = d.contact_surfacevel[world, c]
    if m.opt_cone == MjtCone.ELLIPTIC:
        for k in range(1, wp.min(dim, 4)):
            d.efc_vel[world, row + k] = d.efc_vel[world, row + k] + moving[k - 1]
    else:
        # edges see it as they see any motion, scaled by friction
        friction = d.contact_friction[world, c]
        for k in range(wp.min(dim - 1, 3)):
            side = friction[k] * moving[k]
            d.efc_vel[world, row + 2 * k] = d.efc_vel[world, row + 2 * k] + side
            d.efc_vel[world, row + 2 * k + 1] = d.efc_vel[world, row + 2 * k + 1] - side


@wp.func
def add_adhesion(m: ModelFields, d: DataFields, world: int, c: int, row: int):
    """``aref += R adhesion`` on the normal row, or shared equally by the edges of a pyramid: the cone moves down by the
    adhesion.
    """
    # the force of the row becomes adhesion + D (aref - J qacc): less the pull of the adhesion itself it may go down to
    # -adhesion
    adhesion = d.contact_adhesion[world, c]
    dim = d.contact_dim[world, c]
    count = int(1)
    if dim > 1 and m.opt_cone != MjtCone.ELLIPTIC:
        count = 2 * (dim - 1)
    for k in range(count):
        d.efc_aref[world, row + k] = d.efc_aref[world, row + k] + d.efc_R[world, row + k] * adhesion / float(count)
