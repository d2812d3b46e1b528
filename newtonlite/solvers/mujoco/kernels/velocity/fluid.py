"""Fluid forces: drag and lift of bodies taken as boxes of their inertia or as the ellipsoids of their geoms.

MuJoCo documentation, Computation: Fluid forces.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtDisableBit, MjtGeom
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.velocity.wrench import about_tree, wrench_to_dofs


@wp.func
def local_flow(m: ModelFields, d: DataFields, world: int, b: int, point: wp.vec3, frame: wp.mat33) -> wp.spatial_vector:
    """Velocity of body ``b`` through the fluid at a point, (angular, linear), in the axes of ``frame``."""
    v = d.cvel[world, b]
    turn = wp.spatial_top(v)
    lin = wp.spatial_bottom(v) + wp.cross(turn, point - d.subtree_com[world, m.body_rootid[b]]) - m.opt_wind[world]
    back = wp.transpose(frame)
    return wp.spatial_vector(back * turn, back * lin)


@wp.func
def inertia_box(m: ModelFields, world: int, b: int) -> wp.vec3:
    """Sides of the box that has a body's mass and principal moments [m]."""
    i = m.body_inertia[world, b]
    scale = 6.0 / m.body_mass[world, b]
    half = 0.5 * (i[0] + i[1] + i[2])
    return wp.vec3(
        wp.sqrt(wp.max(MINVAL, 2.0 * (half - i[0])) * scale),
        wp.sqrt(wp.max(MINVAL, 2.0 * (half - i[1])) * scale),
        wp.sqrt(wp.max(MINVAL, 2.0 * (half - i[2])) * scale),
    )


@wp.func
def fourth(x: float) -> float:
    """``x^4``."""
    return x * x * x * x


@wp.func
def box_areas(box: wp.vec3) -> wp.vec3:
    """Areas of a box's faces [m^2]."""
    return wp.vec3(box[1] * box[2], box[2] * box[0], box[0] * box[1])


@wp.func
def box_moments(box: wp.vec3) -> wp.vec3:
    """Moments of a box's faces [m^5], with which its drag against turning grows."""
    f = wp.vec3(fourth(box[0]), fourth(box[1]), fourth(box[2]))
    return wp.cw_mul(box, wp.vec3(f[1] + f[2], f[2] + f[0], f[0] + f[1]))


@wp.func
def box_force(m: ModelFields, world: int, b: int, flow: wp.spatial_vector) -> wp.spatial_vector:
    """Torque and force on a box: Stokes' for the sphere of its mean side, and quadratic drag on each face."""
    box = inertia_box(m, world, b)
    turn = wp.spatial_top(flow)
    lin = wp.spatial_bottom(flow)
    side = (box[0] + box[1] + box[2]) / 3.0
    viscous = wp.PI * m.opt_viscosity[world] * side
    rho = m.opt_density[world]
    area = box_areas(box)
    moment = box_moments(box)
    torque = -viscous * side * side * turn
    force = -3.0 * viscous * lin
    for k in range(3):
        torque[k] = torque[k] - rho / 64.0 * moment[k] * wp.abs(turn[k]) * turn[k]
        force[k] = force[k] - 0.5 * rho * area[k] * wp.abs(lin[k]) * lin[k]
    return wp.spatial_vector(torque, force)


@wp.func
def semiaxes(m: ModelFields, world: int, g: int) -> wp.vec3:
    """Half axes of the ellipsoid that stands for a geom [m]."""
    size = m.geom_size[world, g]
    kind = m.geom_type[g]
    if kind == MjtGeom.SPHERE:
        return wp.vec3(size[0], size[0], size[0])
    if kind == MjtGeom.CAPSULE:
        return wp.vec3(size[0], size[0], size[0] + size[1])
    if kind == MjtGeom.CYLINDER:
        return wp.vec3(size[0], size[0], size[1])
    return size


@wp.func
def shape_weights(semi: wp.vec3) -> wp.vec3:
    """``g_k = (s_i s_j)^2`` of the half axes over the largest: a slice across unit ``v`` has ``area^2 ~ v'ggv / v'gv``."""
    s = semi / wp.max(wp.max(semi[0], wp.max(semi[1], semi[2])), MINVAL)
    g = wp.vec3(s[1] * s[2], s[2] * s[0], s[0] * s[1])
    return wp.cw_mul(g, g)


@wp.func
def rotational_drag(m: ModelFields, world: int, g: int, semi: wp.vec3) -> wp.vec3:
    """Coefficients of the drag against turning about each half axis: slender by the whole, blunt by its own share."""
    most = wp.max(semi[0], wp.max(semi[1], semi[2]))
    least = wp.min(semi[0], wp.min(semi[1], semi[2]))
    scale = 8.0 / 15.0 * wp.PI
    whole = scale * (semi[0] + semi[1] + semi[2] - most - least) * fourth(most)
    slender = m.geom_fluid[world, g, 2]
    blunt = m.geom_fluid[world, g, 3]
    out = wp.vec3(0.0, 0.0, 0.0)
    for k in range(3):
        own = scale * semi[k] * fourth(wp.max(semi[(k + 1) % 3], semi[(k + 2) % 3]))
        out[k] = blunt * own + slender * (whole - own)
    return out


@wp.func
def virtual_mass(m: ModelFields, world: int, g: int, first: int) -> wp.vec3:
    """Mass (``first`` 6) or inertia (9) of the fluid that moves with an ellipsoid."""
    value = wp.vec3(m.geom_fluid[world, g, first], m.geom_fluid[world, g, first + 1], m.geom_fluid[world, g, first + 2])
    return m.opt_density[world] * value


@wp.func
def ellipsoid_force(m: ModelFields, world: int, g: int, flow: wp.spatial_vector) -> wp.spatial_vector:
    """Torque and force on an ellipsoid: added mass, Magnus and Kutta lift, viscous and quadratic drag."""
    semi = semiaxes(m, world, g)
    turn = wp.spatial_top(flow)
    lin = wp.spatial_bottom(flow)
    rho = m.opt_density[world]
    most = wp.max(semi[0], wp.max(semi[1], semi[2]))
    least = wp.min(semi[0], wp.min(semi[1], semi[2]))
    sphere = 2.0 / 3.0 * (semi[0] + semi[1] + semi[2])
    viscous = wp.PI * m.opt_viscosity[world] * sphere

    momentum = wp.cw_mul(virtual_mass(m, world, g, 6), lin)
    spin = wp.cw_mul(virtual_mass(m, world, g, 9), turn)
    torque = wp.cross(momentum, lin) + wp.cross(spin, turn)
    force = wp.cross(momentum, turn)

    volume = 4.0 / 3.0 * wp.PI * semi[0] * semi[1] * semi[2]
    force += m.geom_fluid[world, g, 5] * rho * volume * wp.cross(turn, lin)

    drag = 3.0 * viscous
    speed = wp.length(lin)
    if speed > MINVAL:
        v = lin / speed
        gv = wp.cw_mul(shape_weights(semi), v)
        p = wp.dot(v, gv)
        q = wp.dot(gv, gv)
        widest = wp.PI * most * most
        area = widest * wp.sqrt(q / p)
        blunt = m.geom_fluid[world, g, 1]
        slender = m.geom_fluid[world, g, 2]
        whole = widest / most * (semi[0] + semi[1] + semi[2] - most - least)
        drag += rho * speed * (area * blunt + slender * (whole - area))
        force += m.geom_fluid[world, g, 4] * rho * widest * speed * speed * wp.sqrt(p / q) * (p * v - gv)
    force -= drag * lin
    torque -= (viscous * sphere * sphere + rho * wp.length(wp.cw_mul(rotational_drag(m, world, g, semi), turn))) * turn
    return m.geom_fluid[world, g, 0] * wp.spatial_vector(torque, force)


@wp.func
def fluid_on_body(m: ModelFields, d: DataFields, world: int, k: int) -> wp.spatial_vector:
    """Torque and force of the fluid on its body ``k``, about the centre of mass of the body's tree."""
    b = m.fluid_body[k]
    total = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for e in range(m.fluid_adr[k], m.fluid_adr[k + 1]):
        g = m.fluid_geom[e]
        frame = d.geom_xmat[world, g]
        point = d.geom_xpos[world, g]
        f = ellipsoid_force(m, world, g, local_flow(m, d, world, b, point, frame))
        total += about_tree(m, d, world, b, point, frame * wp.spatial_bottom(f), frame * wp.spatial_top(f))
    if m.fluid_adr[k] == m.fluid_adr[k + 1]:
        frame = d.ximat[world, b]
        point = d.xipos[world, b]
        f = box_force(m, world, b, local_flow(m, d, world, b, point, frame))
        total = about_tree(m, d, world, b, point, frame * wp.spatial_bottom(f), frame * wp.spatial_top(f))
    return total


@wp.func
def fluid_forces(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qfrc_fluid``: none where springs and dampers are both disabled."""
    for b in range(lane, m.nbody, nlane):
        d.cfrc_applied[world, b] = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    sync()
    if (m.opt_disableflags & MjtDisableBit.SPRING) == 0 or (m.opt_disableflags & MjtDisableBit.DAMPER) == 0:
        for k in range(lane, m.nfluid, nlane):
            d.cfrc_applied[world, m.fluid_body[k]] = fluid_on_body(m, d, world, k)
        sync()
    wrench_to_dofs(m, d, d.qfrc_fluid, world, lane, nlane)
