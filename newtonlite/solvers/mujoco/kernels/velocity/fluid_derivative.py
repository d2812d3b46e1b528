"""Velocity derivatives of fluid forces, body by body.

A derivative is four 3 x 3 blocks: torque by turning, torque by moving, force by turning, force by moving.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtIntegrator
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.velocity.fluid import (
    box_areas,
    box_moments,
    inertia_box,
    local_flow,
    rotational_drag,
    semiaxes,
    shape_weights,
    virtual_mass,
)


@wp.func
def add_derivative(
    m: ModelFields,
    d: DataFields,
    world: int,
    b: int,
    point: wp.vec3,
    frame: wp.mat33,
    tt: wp.mat33,
    tm: wp.mat33,
    ft: wp.mat33,
    fm: wp.mat33,
):
    """Add to a body's slope the negative of blocks given at a point in the axes of ``frame``, moved to its tree's
    centre.
    """
    back = wp.transpose(frame)
    arm = wp.skew(point - d.subtree_com[world, m.body_rootid[b]])
    force_move = frame * fm * back
    force_turn = frame * ft * back - force_move * arm
    torque_move = frame * tm * back
    torque_turn = frame * tt * back - torque_move * arm + arm * force_turn
    torque_move += arm * force_move
    d.cderivative[world, b, 0] = d.cderivative[world, b, 0] - torque_turn
    d.cderivative[world, b, 1] = d.cderivative[world, b, 1] - torque_move
    d.cderivative[world, b, 2] = d.cderivative[world, b, 2] - force_turn
    d.cderivative[world, b, 3] = d.cderivative[world, b, 3] - force_move


@wp.func
def box_derivative(m: ModelFields, d: DataFields, world: int, b: int):
    """Derivative of ``box_force``."""
    frame = d.ximat[world, b]
    point = d.xipos[world, b]
    flow = local_flow(m, d, world, b, point, frame)
    box = inertia_box(m, world, b)
    side = (box[0] + box[1] + box[2]) / 3.0
    viscous = wp.PI * m.opt_viscosity[world] * side
    rho = m.opt_density[world]
    area = box_areas(box)
    moment = box_moments(box)
    turn = wp.vec3(0.0, 0.0, 0.0)
    move = wp.vec3(0.0, 0.0, 0.0)
    for k in range(3):
        turn[k] = -viscous * side * side - rho / 32.0 * moment[k] * wp.abs(flow[k])
        move[k] = -3.0 * viscous - rho * area[k] * wp.abs(flow[3 + k])
    none = wp.mat33(0.0)
    add_derivative(m, d, world, b, point, frame, wp.diag(turn), none, none, wp.diag(move))


@wp.func
def drag_derivative(m: ModelFields, world: int, g: int, semi: wp.vec3, lin: wp.vec3) -> wp.mat33:
    """Derivative by ``lin`` of Kutta lift and of drag against moving.

    With unit ``v``, ``p = v'Gv``, ``q = v'GGv`` the lift is ``k |u|^2 sqrt(p/q) (p v - G v)`` and the area ``a
    sqrt(q/p)``.
    """
    rho = m.opt_density[world]
    one = wp.identity(3, dtype=float)
    sphere = 2.0 / 3.0 * (semi[0] + semi[1] + semi[2])
    viscous = 3.0 * wp.PI * m.opt_viscosity[world] * sphere
    speed = wp.length(lin)
    if speed <= MINVAL:
        return -viscous * one
    most = wp.max(semi[0], wp.max(semi[1], semi[2]))
    least = wp.min(semi[0], wp.min(semi[1], semi[2]))
    weight = shape_weights(semi)
    v = lin / speed
    gv = wp.cw_mul(weight, v)
    p = wp.dot(v, gv)
    q = wp.dot(gv, gv)
    bend = wp.cw_mul(weight, gv) / q - gv / p  # |u| d ln(area) / du
    widest = wp.PI * most * most
    area = widest * wp.sqrt(q / p)
    blunt = m.geom_fluid[world, g, 1]
    slender = m.geom_fluid[world, g, 2]
    whole = widest / most * (semi[0] + semi[1] + semi[2] - most - least)
    grip = area * blunt + slender * (whole - area)
    drag = -(viscous + rho * speed * grip) * one - rho * speed * wp.outer(v, grip * v + (blunt - slender) * area * bend)
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        return drag
    lift = p * v - gv
    turned = 2.0 * wp.outer(v, gv) + p * one - p * wp.outer(v, v) - wp.outer(gv, v) - wp.diag(weight)
    kutta = m.geom_fluid[world, g, 4] * rho * widest * speed * wp.sqrt(p / q)
    return drag + kutta * (turned - wp.outer(lift, bend))


@wp.func
def ellipsoid_derivative(m: ModelFields, d: DataFields, world: int, b: int, g: int):
    """Derivative of ``ellipsoid_force``; the integrator discrete takes drag alone, which dissipates."""
    frame = d.geom_xmat[world, g]
    point = d.geom_xpos[world, g]
    flow = local_flow(m, d, world, b, point, frame)
    turn = wp.spatial_top(flow)
    lin = wp.spatial_bottom(flow)
    semi = semiaxes(m, world, g)
    rho = m.opt_density[world]
    mass = virtual_mass(m, world, g, 6)
    inertia = virtual_mass(m, world, g, 9)
    magnus = m.geom_fluid[world, g, 5] * rho * 4.0 / 3.0 * wp.PI * semi[0] * semi[1] * semi[2]
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        mass = wp.vec3(0.0, 0.0, 0.0)
        inertia = wp.vec3(0.0, 0.0, 0.0)
        magnus = 0.0
    momentum = wp.skew(wp.cw_mul(mass, lin))
    spin = wp.skew(wp.cw_mul(inertia, turn))

    sphere = 2.0 / 3.0 * (semi[0] + semi[1] + semi[2])
    viscous = wp.PI * m.opt_viscosity[world] * sphere * sphere * sphere
    drag = rotational_drag(m, world, g, semi)
    twist = wp.cw_mul(drag, turn)
    size = wp.length(twist)
    tt = spin - wp.skew(turn) * wp.diag(inertia) - (viscous + rho * size) * wp.identity(3, dtype=float)
    if size > MINVAL:
        tt -= rho / size * wp.outer(turn, wp.cw_mul(drag, twist))
    tm = momentum - wp.skew(lin) * wp.diag(mass)
    ft = momentum - magnus * wp.skew(lin)
    fm = magnus * wp.skew(turn) - wp.skew(turn) * wp.diag(mass) + drag_derivative(m, world, g, semi, lin)
    c = m.geom_fluid[world, g, 0]
    add_derivative(m, d, world, b, point, frame, c * tt, c * tm, c * ft, c * fm)


@wp.func
def fluid_derivative(m: ModelFields, d: DataFields, world: int, k: int):
    """Add what the fluid does to its body ``k`` to the body's slope."""
    b = m.fluid_body[k]
    for e in range(m.fluid_adr[k], m.fluid_adr[k + 1]):
        ellipsoid_derivative(m, d, world, b, m.fluid_geom[e])
    if m.fluid_adr[k] == m.fluid_adr[k + 1]:
        box_derivative(m, d, world, b)
