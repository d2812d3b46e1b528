"""Contact parameters of flexes: those of a flex mixed with those of a geom, another flex, or itself."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import ModelFields
from newtonlite.solvers.mujoco.kernels.collide.parameters import Parameters, mixing_weight, slide_spin_roll

OTHER_FLEX = wp.constant(4)
SELF = wp.constant(5)


@wp.func
def geom_side(m: ModelFields, world: int, g: int) -> Parameters:
    """Parameters of a geom."""
    p = Parameters()
    p.dim = m.geom_condim[g]
    p.margin = m.geom_margin[world, g]
    p.friction = slide_spin_roll(m.geom_friction[world, g])
    p.solref = m.geom_solref[world, g]
    p.solimp = m.geom_solimp[world, g]
    if m.nadhesion > 0:
        p.adhesion = m.geom_adhesion[world, g]
    return p


@wp.func
def flex_side(m: ModelFields, world: int, f: int) -> Parameters:
    """Parameters of a flex."""
    p = Parameters()
    p.dim = m.flex_condim[f]
    p.margin = m.flex_margin[world, f]
    p.friction = slide_spin_roll(m.flex_friction[world, f])
    p.solref = m.flex_solref[world, f]
    p.solimp = m.flex_solimp[world, f]
    return p


@wp.func
def mix(one: Parameters, two: Parameters, above: int, share: float) -> Parameters:
    """Parameters of the side of higher priority, the first where ``above`` is positive; else condim and friction the
    larger, solref and solimp averaged with ``share`` of the first, solref the smaller where one is direct. Margins add
    up in any case.
    """
    # priority decides alone
    p = Parameters()
    p.margin = one.margin + two.margin
    p.adhesion = wp.where(above < 0, 0.0, one.adhesion) + wp.where(above > 0, 0.0, two.adhesion)
    if above != 0:
        p.dim = wp.where(above > 0, one.dim, two.dim)
        p.friction = wp.where(above > 0, one.friction, two.friction)
        p.solref = wp.where(above > 0, one.solref, two.solref)
        p.solimp = wp.where(above > 0, one.solimp, two.solimp)
        return p

    # equal priorities
    p.dim = wp.max(one.dim, two.dim)
    p.friction = wp.max(one.friction, two.friction)
    direct = one.solref[0] <= 0.0 or two.solref[0] <= 0.0
    mixed = share * one.solref + (1.0 - share) * two.solref
    p.solref = wp.where(direct, wp.min(one.solref, two.solref), mixed)
    p.solimp = share * one.solimp + (1.0 - share) * two.solimp
    return p


@wp.func
def group_parameters(m: ModelFields, world: int, group: int) -> Parameters:
    """Parameters of the contacts of a group. A flex touches itself without a margin."""
    kind = m.flexgroup_kind[group]
    other = m.flexgroup_other[group]
    f = m.flexgroup_flex[group]
    two = flex_side(m, world, f)
    p = flex_side(m, world, f)
    if kind < OTHER_FLEX:
        share = mixing_weight(m.geom_solmix[world, other], m.flex_solmix[world, f])
        p = mix(geom_side(m, world, other), two, m.geom_priority[other] - m.flex_priority[f], share)
    elif kind == OTHER_FLEX:
        share = mixing_weight(m.flex_solmix[world, other], m.flex_solmix[world, f])
        p = mix(flex_side(m, world, other), two, m.flex_priority[other] - m.flex_priority[f], share)
    else:
        p.margin = 0.0
    if m.noverride > 0:
        p.friction = m.opt_o_friction[world]
        p.solreffriction = p.solref
    return p


@wp.func
def group_cutoff(m: ModelFields, world: int, group: int) -> float:
    """Margins plus gaps [m]: contacts up to this distance are listed."""
    kind = m.flexgroup_kind[group]
    other = m.flexgroup_other[group]
    f = m.flexgroup_flex[group]
    if kind >= SELF:
        return 0.0
    reach = m.flex_margin[world, f] + m.flex_gap[world, f]
    if kind == OTHER_FLEX:
        return reach + m.flex_margin[world, other] + m.flex_gap[world, other]
    return reach + m.geom_margin[world, other] + m.geom_gap[world, other]
