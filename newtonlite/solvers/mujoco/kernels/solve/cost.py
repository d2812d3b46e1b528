"""Constraint cost ``s(jar)``: value, force ``-s'``, curvature, and slope along a direction.

Rows are quadratic (equality), Huber (dry friction), one-sided quadratic (limits, frictionless and pyramidal contacts)
or belong to an elliptic cone.  For a cone, in scaled coordinates ``N = mu jar_0``, ``u_k = friction_k jar_k``, ``T =
|u|``: outside (``N >= mu T``) the cost is 0, in the polar cone (``mu N + T <= 0``) the rows are quadratic, and between
them ``s = Dm/2 (N - mu T)^2`` with ``Dm = D_0 / (mu^2 (1 + mu^2))``.  Todorov, ICRA 2014, section V.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row import CONE_NORMAL, CONE_TANGENT, HUBER, QUADRATIC
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

OUTSIDE = wp.constant(0)
ON_CONE = wp.constant(1)
INSIDE = wp.constant(2)
CONE_ROW = wp.constant(6)
"""Numbers of a row of ``cone_W``: contacts have up to six rows."""


@wp.func
def cone_zone(n: float, t: float, mu: float) -> int:
    """Zone of the friction cone in which a point of scaled coordinates lies."""
    if n >= mu * t:
        return OUTSIDE
    if mu * n + t <= 0.0:
        return INSIDE
    return ON_CONE


@wp.func
def first_of_cone_row(c: int, k: int) -> int:
    """Place in a world's ``cone_W`` where row ``k`` of contact ``c`` begins, counted over all contacts."""
    return CONE_ROW * (CONE_ROW * c + k)


@wp.func
def is_cone(d: DataFields, world: int, c: int) -> bool:
    """Whether a contact has rows that are an elliptic cone."""
    return d.contact_efc_address[world, c] >= 0 and d.contact_dim[world, c] > 1


@wp.func
def cone_tangent(m: ModelFields, d: DataFields, world: int, row: int, c: int, dim: int) -> float:
    """``T``: length of the scaled tangential part of ``jar``."""
    sum = float(0.0)
    for k in range(1, dim):
        u = d.jar[world, row + k] * d.contact_friction[world, c][k - 1]
        sum += u * u
    return wp.sqrt(sum)


@wp.func
def cone_square_root(
    m: ModelFields, d: DataFields, world: int, row: int, c: int, dim: int, dm: float, gap: float, t: float
):
    """Rows ``W`` with ``W'W`` the cone's Hessian: ``Dm v v' + Dm mu (mu T - N)/T (I - tt')``, v = (1, -mu t)."""
    mu = d.contact_mu[world, c]
    friction = d.contact_friction[world, c]

    # W'W is a sum of two squares: of the normal combination v, and of the tangents across t
    a = wp.sqrt(dm)
    b = wp.sqrt(dm * mu * (-gap) / t)

    # row 0 is sqrt(Dm) v, rows 1 to dim - 1 are sqrt(Dm mu (mu T - N)/T) (I - tt'), column j in the unit of jar_j:
    # times mu or friction
    for k in range(dim):
        for j in range(dim):
            value = float(0.0)
            # t = u / T, of which there is no part along the normal
            uk = float(0.0)
            uj = float(0.0)
            if k > 0:
                uk = d.jar[world, row + k] * friction[k - 1] / t
            if j > 0:
                uj = d.jar[world, row + j] * friction[j - 1] / t
            if k == 0:
                value = a * mu
                if j > 0:
                    value = -a * mu * uj * friction[j - 1]
            elif j > 0:
                value = -b * uk * uj * friction[j - 1]
                if j == k:
                    value += b * friction[j - 1]
            d.cone_W[world, c, CONE_ROW * k + j] = value


@wp.func
def update_cone(m: ModelFields, d: DataFields, world: int, c: int) -> float:
    """Force, curvature and cost of the rows of one elliptic contact."""
    # scaled coordinates, and the zone they lie in
    row = d.contact_efc_address[world, c]
    dim = d.contact_dim[world, c]
    mu = d.contact_mu[world, c]
    n = d.jar[world, row] * mu
    t = cone_tangent(m, d, world, row, c, dim)
    zone = cone_zone(n, t, mu)

    # outside nothing acts; inside the rows are as if each were alone: f = -D jar
    cost = float(0.0)
    for k in range(dim):
        force = float(0.0)
        active = float(0.0)
        if zone == INSIDE:
            active = d.efc_D[world, row + k]
            force = -active * d.jar[world, row + k]
            cost -= 0.5 * force * d.jar[world, row + k]
        d.efc_force[world, row + k] = force
        d.efc_active[world, row + k] = active

    # on the boundary the force is -s' of s = Dm/2 (N - mu T)^2, along the normal of the cone
    d.contact_on_cone[world, c] = 0
    if zone == ON_CONE:
        dm = d.efc_D[world, row] / (mu * mu * (1.0 + mu * mu))
        gap = n - mu * t
        cost = 0.5 * dm * gap * gap
        d.efc_force[world, row] = -dm * gap * mu
        for k in range(1, dim):
            friction = d.contact_friction[world, c][k - 1]
            d.efc_force[world, row + k] = dm * gap * mu / t * d.jar[world, row + k] * friction * friction
        cone_square_root(m, d, world, row, c, dim, dm, gap, t)
        d.contact_on_cone[world, c] = 1
    return cost


@wp.func
def large_cones(m: ModelFields, d: DataFields, world: int, nrow: int, lane: int, nlane: int):
    """Rounding error of ``efc_force`` of elliptic contacts: the part of the force at ``jar + jv`` that it lacks, in
    ``jv``.
    """
    # the lane of a contact's first row does all of its rows
    for row in range(lane, nrow, nlane):
        if d.efc_cost[world, row] == CONE_NORMAL:
            c = d.efc_id[world, row]
            dim = d.contact_dim[world, c]
            curved = d.contact_on_cone[world, c] != 0
            # N and T at jar + jv, the numbers before rounding
            mu = wp.float64(d.contact_mu[world, c])
            n = (wp.float64(d.jar[world, row]) + wp.float64(d.jv[world, row])) * mu
            square = wp.float64(0.0)
            for k in range(1, dim):
                u = (wp.float64(d.jar[world, row + k]) + wp.float64(d.jv[world, row + k])) * wp.float64(
                    d.contact_friction[world, c][k - 1]
                )
                square += u * u
            t = wp.sqrt(square)
            one = wp.float64(1.0)
            # force -s' = -Dm (N - mu T) times the gradient of N - mu T: (mu, -mu t_k friction_k)
            push = -wp.float64(d.efc_D[world, row]) / (mu * mu * (one + mu * mu)) * (n - mu * t) * mu
            # jv becomes what the rounded force lacks; 0 where no force acts. Inside the cone it stays the rest of jar
            for k in range(dim):
                force = push
                if k > 0:
                    friction = wp.float64(d.contact_friction[world, c][k - 1])
                    force = (
                        -push
                        / t
                        * (wp.float64(d.jar[world, row + k]) + wp.float64(d.jv[world, row + k]))
                        * friction
                        * friction
                    )
                if curved:
                    d.jv[world, row + k] = float(force - wp.float64(d.efc_force[world, row + k]))
                elif d.efc_active[world, row + k] == 0.0:
                    d.jv[world, row + k] = 0.0
    sync()


@wp.func
def changes_zone(m: ModelFields, d: DataFields, world: int, c: int, alpha: float) -> bool:
    """Whether the cost of a cone has another piece at ``jar + alpha jv``, or is curved there or where it was."""
    # the zone at jar + alpha jv, from N and T there
    row = d.contact_efc_address[world, c]
    mu = d.contact_mu[world, c]
    square = float(0.0)
    for k in range(1, d.contact_dim[world, c]):
        u = (d.jar[world, row + k] + alpha * d.jv[world, row + k]) * d.contact_friction[world, c][k - 1]
        square += u * u
    zone = cone_zone((d.jar[world, row] + alpha * d.jv[world, row]) * mu, wp.sqrt(square), mu)

    # the cone's boundary has no quadratic piece: a point there, before or after, counts as changed
    curved = zone == ON_CONE or d.contact_on_cone[world, c] != 0
    return curved or (zone == INSIDE) != (d.efc_active[world, row] != 0.0)


@wp.func
def slope_cone(m: ModelFields, d: DataFields, world: int, row: int, alpha: float) -> wp.vec2:
    """First and second derivative along ``jv`` of a cone's cost at ``jar + alpha jv``."""
    # N = n + alpha v0 is linear, T^2 = uu a square: uv and vv are half its first and second derivative
    c = d.efc_id[world, row]
    dim = d.contact_dim[world, c]
    mu = d.contact_mu[world, c]
    v0 = d.jv[world, row] * mu
    n = d.jar[world, row] * mu + alpha * v0
    uu = float(0.0)
    uv = float(0.0)
    vv = float(0.0)
    first = float(0.0)
    second = float(0.0)

    # rows as if each were alone, for the zone inside; and the tangential sums for the boundary
    for k in range(dim):
        x = d.jar[world, row + k] + alpha * d.jv[world, row + k]
        dv = d.efc_D[world, row + k] * d.jv[world, row + k]
        first += dv * x
        second += dv * d.jv[world, row + k]
        if k > 0:
            friction = d.contact_friction[world, c][k - 1]
            v = d.jv[world, row + k] * friction
            uu += x * x * friction * friction
            uv += x * friction * v
            vv += v * v

    # derivatives of s: rows alone inside, s = Dm/2 (N - mu T)^2 on the boundary, with T' = uv/T, T'' = (vv - uv^2/uu)/T
    t = wp.sqrt(uu)
    zone = cone_zone(n, t, mu)
    if zone == OUTSIDE:
        return wp.vec2(0.0, 0.0)
    if zone == INSIDE:
        return wp.vec2(first, second)
    dm = d.efc_D[world, row] / (mu * mu * (1.0 + mu * mu))
    rate = v0 - mu * uv / t
    bend = -mu * (vv - uv * uv / uu) / t
    return wp.vec2(dm * (n - mu * t) * rate, dm * (rate * rate + (n - mu * t) * bend))


@wp.func
def slope_row(m: ModelFields, d: DataFields, world: int, r: int, alpha: float) -> wp.vec2:
    """First and second derivative along ``jv`` of a row's cost at ``jar + alpha jv``."""
    kind = d.efc_cost[world, r]

    # the first row of a cone speaks for all of them
    if kind == CONE_NORMAL:
        return slope_cone(m, d, world, r, alpha)
    if kind == CONE_TANGENT:
        return wp.vec2(0.0, 0.0)

    # Huber rows are linear beyond R times their bound, limits and contacts cost nothing where they are apart
    v = d.jv[world, r]
    x = d.jar[world, r] + alpha * v
    if kind == HUBER:
        bound = d.efc_frictionloss[world, r]
        if wp.abs(x) >= d.efc_R[world, r] * bound:
            return wp.vec2(wp.sign(x) * bound * v, 0.0)
    elif kind != QUADRATIC and x >= 0.0:
        return wp.vec2(0.0, 0.0)
    dv = d.efc_D[world, r] * v
    return wp.vec2(dv * x, dv * v)


@wp.func
def cone_cost(m: ModelFields, d: DataFields, world: int, row: int, alpha: float) -> float:
    """A cone's cost at ``jar + alpha jv``."""
    # the scaled point at jar + alpha jv, and what the rows would cost one by one
    c = d.efc_id[world, row]
    mu = d.contact_mu[world, c]
    n = (d.jar[world, row] + alpha * d.jv[world, row]) * mu
    square = float(0.0)
    inside = float(0.0)
    for k in range(d.contact_dim[world, c]):
        x = d.jar[world, row + k] + alpha * d.jv[world, row + k]
        inside += 0.5 * d.efc_D[world, row + k] * x * x
        if k > 0:
            u = x * d.contact_friction[world, c][k - 1]
            square += u * u

    # nothing outside, the rows' costs inside, Dm/2 (N - mu T)^2 between
    t = wp.sqrt(square)
    zone = cone_zone(n, t, mu)
    if zone == OUTSIDE:
        return 0.0
    if zone == INSIDE:
        return inside
    gap = n - mu * t
    return 0.5 * d.efc_D[world, row] / (mu * mu * (1.0 + mu * mu)) * gap * gap


@wp.func
def cone_rise(m: ModelFields, d: DataFields, world: int, row: int, alpha: float) -> float:
    """Rise of a cone's cost from ``jar`` to ``jar + alpha jv``."""
    return cone_cost(m, d, world, row, alpha) - cone_cost(m, d, world, row, 0.0)


@wp.func
def row_rise(m: ModelFields, d: DataFields, world: int, r: int, alpha: float) -> float:
    """Rise of a row's cost from ``jar`` to ``jar + alpha jv``: nothing for rows of elliptic cones but the first."""
    # a cone's rise is counted once, with its first row
    kind = d.efc_cost[world, r]
    if kind == CONE_NORMAL:
        return cone_rise(m, d, world, r, alpha)
    if kind == CONE_TANGENT:
        return 0.0

    # differences are factored, D/2 (y - x)(y + x) and bound (y - x): costs that are large but nearly equal would cancel
    x = d.jar[world, r]
    y = x + alpha * d.jv[world, r]
    D = d.efc_D[world, r]
    if kind == HUBER:
        bound = d.efc_frictionloss[world, r]
        reach = d.efc_R[world, r] * bound
        # both ends on one piece of the Huber cost; only across a kink are two costs subtracted
        if wp.abs(x) < reach and wp.abs(y) < reach:
            return 0.5 * D * (y - x) * (y + x)
        if x >= reach and y >= reach:
            return bound * (y - x)
        if x <= -reach and y <= -reach:
            return bound * (x - y)
        return huber(y, D, bound, reach) - huber(x, D, bound, reach)

    # one-sided: a positive distance costs what 0 does
    if kind != QUADRATIC:
        x = wp.min(x, 0.0)
        y = wp.min(y, 0.0)
    return 0.5 * D * (y - x) * (y + x)


@wp.func
def huber(x: float, D: float, bound: float, reach: float) -> float:
    """Cost of dry friction."""
    if wp.abs(x) < reach:
        return 0.5 * D * x * x
    return bound * (wp.abs(x) - 0.5 * reach)
