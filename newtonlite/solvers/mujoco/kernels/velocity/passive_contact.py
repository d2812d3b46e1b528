"""Passive contacts of flexes: springs in place of rows, against what does not move, other flexes, and themselves.

The force on a depth ``-dist`` is ``k max(0, -dist)`` along the normal, of the lightest of the masses that touch: ``k = 5e7 m``.
The effective inertia of the integrator discrete, which these contacts need, takes them in as ``h^2 k J'J`` with the row J of
the normal, also where they are not yet deep.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import (
    carrier_count,
    carrier_points,
    carrier_weight,
    flex_at_contact,
    is_passive,
    point_body,
    point_weight,
)
from newtonlite.solvers.mujoco.kernels.primitives.point import lever, linear_at

STIFFNESS = wp.constant(5.0e7)
"""Stiffness over mass [1/s^2]."""
NO_MASS = wp.constant(1.0e30)


@wp.func
def free_mass(m: ModelFields, world: int, b: int) -> float:
    """Mass of a body with three dofs, as vertices and nodes have it; of others 0."""
    return wp.where(m.body_dofnum[b] == 3, m.body_mass[world, b], 0.0)


@wp.func
def side_mass(m: ModelFields, d: DataFields, world: int, c: int, side: int) -> float:
    """Mass of a flex at a contact: the lightest of the vertices that touch; of an interpolated one ``1 / sum w^2 / m`` over its
    nodes, times free nodes per vertices; 0 where none is free.
    """
    # interpolated: by the weights of the nodes there
    s = flex_at_contact(m, d, world, c, side)
    if s.order > 0:
        inverse = float(0.0)
        for i in range(carrier_count(s)):
            points = carrier_points(m, s, i)
            for k in range(points[0], points[1]):
                mass = free_mass(m, world, point_body(m, s, i, k))
                w = carrier_weight(s, i) * point_weight(m, s, k)
                if mass > 0.0:
                    inverse += w * w / mass
        f = d.contact_flex[world, c][side]
        return wp.where(
            inverse > 0.0, float(m.flex_nodefree[f]) / float(m.flex_vertnum[f]) / wp.max(inverse, MINVAL), 0.0
        )
    # of vertices: those without a mass of their own do not count
    least = float(NO_MASS)
    for i in range(4):
        if s.vertices[i] >= 0:
            mass = free_mass(m, world, m.flex_vertbodyid[s.vertices[i]])
            if mass > 0.0:
                least = wp.min(least, mass)
    return wp.where(least < NO_MASS, least, 0.0)


@wp.func
def passive_stiffness(m: ModelFields, d: DataFields, world: int, c: int) -> float:
    """Stiffness [N/m] of a passive contact: by the lighter of its flexes, of those with a mass."""
    least = float(NO_MASS)
    for side in range(2):
        if d.contact_geom[world, c][side] < 0:
            mass = side_mass(m, d, world, c, side)
            if mass > 0.0:
                least = wp.min(least, mass)
    return wp.where(least < NO_MASS, STIFFNESS * least, 0.0)


@wp.func
def contact_normal(d: DataFields, world: int, c: int, side: int) -> wp.vec3:
    """Normal of a contact, away from the other side."""
    frame = d.contact_frame[world, c]
    return wp.where(side == 0, -1.0, 1.0) * wp.vec3(frame[0, 0], frame[0, 1], frame[0, 2])


@wp.func
def list_normal_row(m: ModelFields, d: DataFields, world: int, c: int) -> int:
    """Row J of the normal of a contact, by which its flexes part: numbers ``passive_J`` at the dofs ``passive_dof``; how many.

    A dof that moves several points comes several times: sums over the row, and over pairs of it, are those of J all the same.
    """
    count = int(0)
    for side in range(2):
        if d.contact_geom[world, c][side] < 0:
            n = contact_normal(d, world, c, side)
            s = flex_at_contact(m, d, world, c, side)
            for i in range(carrier_count(s)):
                points = carrier_points(m, s, i)
                for k in range(points[0], points[1]):
                    b = point_body(m, s, i, k)
                    push = carrier_weight(s, i) * point_weight(m, s, k) * n
                    arm = lever(m, d, world, b, d.contact_pos[world, c])
                    for e in range(m.chain_adr[b], m.chain_adr[b + 1]):
                        dof = m.chain_dof[e]
                        d.passive_dof[world, count] = dof
                        d.passive_J[world, count] = wp.dot(push, linear_at(d.cdof[world, dof], arm))
                        count += 1
    return count


@wp.func
def push_along(d: DataFields, out: wp.array2d[float], world: int, count: int, force: float):
    """``out += J' force`` of the row that is listed."""
    for e in range(count):
        dof = d.passive_dof[world, e]
        out[world, dof] = out[world, dof] + force * d.passive_J[world, e]


@wp.func
def passive_contacts(m: ModelFields, d: DataFields, world: int):
    """Forces of passive contacts into ``qfrc_spring`` and ``qfrc_passive``. One lane: contacts share vertices."""
    for c in range(d.ncon[world]):
        if is_passive(m, d, world, c) and d.contact_dist[world, c] < 0.0:
            force = -passive_stiffness(m, d, world, c) * d.contact_dist[world, c]
            count = list_normal_row(m, d, world, c)
            push_along(d, d.qfrc_spring, world, count, force)
            push_along(d, d.qfrc_passive, world, count, force)
