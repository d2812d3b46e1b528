"""Contact parameters: an explicit pair's own, or those of its two geoms mixed."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.types import vec5
from newtonlite.solvers.mujoco.field_types import ModelFields


@wp.struct
class Parameters:
    """Contact parameters of the solver, all but the geometry."""

    dim: int
    margin: float  # distance below which the contact acts [m]
    friction: vec5  # two slide, spin, two roll
    solref: wp.vec2
    solreffriction: wp.vec2  # zero: as solref
    solimp: vec5
    adhesion: float  # force by which it can pull [N]


@wp.func
def detection_distance(m: ModelFields, world: int, pair: int, g1: int, g2: int) -> float:
    """Margin plus gap [m]: contacts up to this distance are listed."""
    if m.npair > 0 and pair >= 0:
        return m.pair_margin[world, pair] + m.pair_gap[world, pair]
    return m.geom_margin[world, g1] + m.geom_margin[world, g2] + m.geom_gap[world, g1] + m.geom_gap[world, g2]


@wp.func
def mixing_weight(mix1: float, mix2: float) -> float:
    """Share of the first geom: mix1 / (mix1 + mix2); negligible weights count as none, two of them as equal."""
    if mix1 >= MINVAL and mix2 >= MINVAL:
        return mix1 / (mix1 + mix2)
    if mix1 < MINVAL and mix2 < MINVAL:
        return 0.5
    return wp.where(mix1 < MINVAL, 0.0, 1.0)


@wp.func
def slide_spin_roll(f: wp.vec3) -> vec5:
    """A geom's friction for each dimension of a contact."""
    return vec5(f[0], f[0], f[1], f[2], f[2])


@wp.func
def pair_parameters(m: ModelFields, world: int, pair: int) -> Parameters:
    """Parameters of an explicit pair."""
    p = Parameters()
    p.dim = m.pair_dim[pair]
    p.margin = m.pair_margin[world, pair]
    p.friction = m.pair_friction[world, pair]
    p.solref = m.pair_solref[world, pair]
    p.solreffriction = m.pair_solreffriction[world, pair]
    p.solimp = m.pair_solimp[world, pair]
    if m.nadhesion > 0:
        p.adhesion = m.pair_adhesion[world, pair]
    return p


@wp.func
def geom_parameters(m: ModelFields, world: int, g: int, margin: float) -> Parameters:
    """Parameters of one geom, whose priority is higher than the other's."""
    p = Parameters()
    p.dim = m.geom_condim[g]
    p.margin = margin
    p.friction = slide_spin_roll(m.geom_friction[world, g])
    p.solref = m.geom_solref[world, g]
    p.solimp = m.geom_solimp[world, g]
    if m.nadhesion > 0:
        p.adhesion = m.geom_adhesion[world, g]
    return p


@wp.func
def mixed_parameters(m: ModelFields, world: int, g1: int, g2: int, margin: float) -> Parameters:
    """Mixture of two geoms' parameters: condim and friction the larger; adhesion the sum; solref and solimp averaged by
    solmix, solref the smaller where one is direct.
    """
    p = Parameters()
    p.dim = wp.max(m.geom_condim[g1], m.geom_condim[g2])
    p.margin = margin
    p.friction = slide_spin_roll(wp.max(m.geom_friction[world, g1], m.geom_friction[world, g2]))
    share = mixing_weight(m.geom_solmix[world, g1], m.geom_solmix[world, g2])
    ref1 = m.geom_solref[world, g1]
    ref2 = m.geom_solref[world, g2]
    direct = ref1[0] <= 0.0 or ref2[0] <= 0.0
    p.solref = wp.where(direct, wp.min(ref1, ref2), share * ref1 + (1.0 - share) * ref2)
    p.solimp = share * m.geom_solimp[world, g1] + (1.0 - share) * m.geom_solimp[world, g2]
    if m.nadhesion > 0:
        p.adhesion = m.geom_adhesion[world, g1] + m.geom_adhesion[world, g2]
    return p


@wp.func
def contact_parameters(m: ModelFields, world: int, pair: int, g1: int, g2: int) -> Parameters:
    """Parameters of a contact; its friction may be overridden, as all else is in the model's own arrays. Then its
    friction rows have the reference of its normal row.
    """
    p = own_parameters(m, world, pair, g1, g2)
    if m.noverride > 0:
        p.friction = m.opt_o_friction[world]
        p.solreffriction = p.solref
    return p


@wp.func
def contact_dimension(m: ModelFields, p: Parameters, dist: float) -> int:
    """condim; beyond the margin a contact that sticks pulls along its normal alone."""
    if m.nadhesion > 0 and p.adhesion != 0.0 and dist >= p.margin:
        return 1
    return p.dim


@wp.func
def own_parameters(m: ModelFields, world: int, pair: int, g1: int, g2: int) -> Parameters:
    """An explicit pair's parameters; else those of the geom of higher priority; else a mixture."""
    if m.npair > 0 and pair >= 0:
        return pair_parameters(m, world, pair)
    margin = m.geom_margin[world, g1] + m.geom_margin[world, g2]
    above = m.geom_priority[g1] - m.geom_priority[g2]
    if above != 0:
        return geom_parameters(m, world, wp.where(above > 0, g1, g2), margin)
    return mixed_parameters(m, world, g1, g2, margin)
