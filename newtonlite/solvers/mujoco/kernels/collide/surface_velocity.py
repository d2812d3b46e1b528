"""Surface velocity of geoms that do not move themselves: belts and turntables."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields


@wp.func
def surface_motion(m: ModelFields, d: DataFields, world: int, g: int, point: wp.vec3) -> wp.spatial_vector:
    """Velocity of geom ``g``'s surface at a point, and its angular velocity, in world axes: ``v + w x (point -
    origin)``, ``w``.
    """
    own = m.geom_surfacevel[world, g]
    turn = d.geom_xmat[world, g]
    spin = turn * wp.spatial_bottom(own)
    return wp.spatial_vector(turn * wp.spatial_top(own) + wp.cross(spin, point - d.geom_xpos[world, g]), spin)


@wp.func
def sliding_velocity(m: ModelFields, d: DataFields, world: int, c: int) -> wp.vec3:
    """The second surface of contact ``c`` relative to the first: velocity along the two tangents, and spin about the
    normal.
    """
    geoms = d.contact_geom[world, c]
    pos = d.contact_pos[world, c]
    motion = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for side in range(2):
        # the surface of a flex does not move by itself
        if m.nflexgroup == 0 or geoms[side] >= 0:
            own = surface_motion(m, d, world, geoms[side], pos)
            motion += wp.where(side == 0, -own, own)
    frame = d.contact_frame[world, c]
    slide = frame * wp.spatial_top(motion)
    spin = frame * wp.spatial_bottom(motion)
    return wp.vec3(slide[1], slide[2], spin[0])
