"""Sweep and prune: broad phase of scenes with too many candidate pairs to list.

Bounding spheres are sorted by where they begin along one axis; each is compared with those that begin before it ends.
What is kept is then put into the order of contacts. (Baraff, Dynamic simulation of non-penetrating rigid bodies, 1992.)
"""

import warp as wp

from newtonlite.collide.box_overlap import is_listed
from newtonlite.core.mujoco import MjtGeom
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.broadphase_pair import boxes_apart, gap_between
from newtonlite.solvers.mujoco.kernels.collide.parameters import detection_distance
from newtonlite.solvers.mujoco.kernels.primitives.sort import keep_least, sort_keys
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_scan, team_sum

FINENESS = wp.constant(65536.0)  # steps along the axis in one standard deviation of the geoms' places
ENDS = wp.constant(1.0e9)  # of the axis, in such steps
SLACK = wp.constant(1.0001)  # what rounding may hide from the first, quick test
FAR = wp.constant(1.0e9)  # [m]
LOW_WORD = wp.constant(wp.int64(0xFFFFFFFF))
WORD = wp.constant(wp.int64(32))
LOCAL = wp.constant(15)  # bits of a geom's number within its body
PAIR_OF_BODY = wp.constant(wp.int64(2**15))  # a key is a number with digits: two bodies, kind, two of their geoms
KINDS = wp.constant(wp.int64(4))
BODIES = wp.constant(wp.int64(2**16))
EXPLICIT = wp.constant(0)
LOWER_BODY_FIRST = wp.constant(1)  # the geom of the lower type is on the lower body
HIGHER_BODY_FIRST = wp.constant(2)
COUNT = wp.constant(0)
WRITE = wp.constant(1)
SELECT = wp.constant(2)


@wp.struct
class SweepAxis:
    """The axis along which geoms are sorted, and how places along it become whole numbers."""

    way: wp.vec3
    middle: float  # [m]
    scale: float  # [1/m]


@wp.func
def can_collide(m: ModelFields, low: int, high: int) -> bool:
    """MuJoCo's filters: one of the geoms moves, they are not welded, their masks match, neither hangs on the other."""
    a = m.sap_filter[low]
    b = m.sap_filter[high]
    if (a[0] >> 1) == (b[0] >> 1) or ((a[0] | b[0]) & 1) == 0 or ((a[2] & b[3]) | (b[2] & a[3])) == 0:
        return False
    if (a[0] >> 1) == b[1] or (b[0] >> 1) == a[1] or wp.max(m.geom_type[low], m.geom_type[high]) <= MjtGeom.HFIELD:
        return False
    return not is_listed(m.sap_excluded, m.sap_excluded.shape[0], low, high)


@wp.func
def contact_key(m: ModelFields, g1: int, g2: int, pairid: int) -> wp.int64:
    """Place in the order of contacts: bodies, then explicit pairs as numbered, then geoms; ``contact_pair`` turns it
    back.
    """
    one = m.sap_body[g1]
    two = m.sap_body[g2]
    kind = wp.where(one[0] < two[0], LOWER_BODY_FIRST, HIGHER_BODY_FIRST)
    rest = wp.int64(one[1]) * PAIR_OF_BODY + wp.int64(two[1])
    if pairid >= 0:
        kind = EXPLICIT
        rest = wp.int64(pairid)
    bodies = wp.int64(wp.min(one[0], two[0])) * BODIES + wp.int64(wp.max(one[0], two[0]))
    return (bodies * KINDS + wp.int64(kind)) * PAIR_OF_BODY * PAIR_OF_BODY + rest


@wp.func
def put_pair(m: ModelFields, d: DataFields, world: int, slot: int):
    """The geoms of the pair whose key is in ``slot``."""
    key = d.bp_key[world, slot]
    rest = int(key % (PAIR_OF_BODY * PAIR_OF_BODY))
    kind = int((key // (PAIR_OF_BODY * PAIR_OF_BODY)) % KINDS)
    if m.npair > 0 and kind == EXPLICIT:
        d.bp_geom[world, slot] = m.sap_pair[rest]
        d.bp_pairid[world, slot] = rest
    else:
        high = int((key >> WORD) % BODIES)
        low = int((key >> WORD) // BODIES)
        first = m.sap_first[wp.where(kind == LOWER_BODY_FIRST, low, high)] + (rest >> LOCAL)
        second = m.sap_first[wp.where(kind == LOWER_BODY_FIRST, high, low)] + (rest & ((1 << LOCAL) - 1))
        d.bp_geom[world, slot] = wp.vec2i(first, second)
        d.bp_pairid[world, slot] = -1


@wp.func
def find_axis(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int) -> SweepAxis:
    """The coordinate along which the geoms are spread most. Which one it is changes the work, not what is found."""
    origin = d.geom_xpos[world, m.sap_geom[0]]
    sum1 = wp.vec3()
    sum2 = wp.vec3()
    for i in range(lane, m.nsap, nlane):
        g = m.sap_geom[i]
        if m.geom_type[g] != MjtGeom.PLANE:
            x = d.geom_xpos[world, g] - origin
            sum1 += x
            sum2 += wp.cw_mul(x, x)
    axis = SweepAxis()
    most = float(-1.0)
    for k in range(3):
        mean = team_sum(d.team_f, world, sum1[k]) / float(m.nsap)
        spread = team_sum(d.team_f, world, sum2[k]) / float(m.nsap) - mean * mean
        if spread > most:
            most = spread
            axis.way = wp.vec3(wp.where(k == 0, 1.0, 0.0), wp.where(k == 1, 1.0, 0.0), wp.where(k == 2, 1.0, 0.0))
            axis.middle = origin[k] + mean
    axis.scale = FINENESS / wp.sqrt(wp.max(most, 1.0e-12))
    return axis


@wp.func
def end_of(m: ModelFields, d: DataFields, world: int, axis: SweepAxis, g: int, side: float) -> int:
    """Begin (``side`` -1) or end (+1) of a geom along the axis; a plane is everywhere."""
    if m.geom_type[g] == MjtGeom.PLANE:
        return int(side * ENDS)
    reach = m.geom_rbound[world, g] + m.geom_margin[world, g] + m.geom_gap[world, g]
    if m.nspeculative > 0:
        reach += wp.length(wp.spatial_bottom(d.geom_sweep[world, g]))
    at = wp.dot(axis.way, d.geom_xpos[world, g]) - axis.middle + side * reach
    return int(wp.clamp(at * axis.scale, -ENDS, ENDS))


@wp.func
def offer(m: ModelFields, d: DataFields, world: int, g1: int, g2: int, pairid: int, slot: int, use: int) -> int:
    """Count a pair of geoms, lower type first, if it is near, and write or weigh it; returns the next slot."""
    gap = gap_between(m, d, world, g1, g2, pairid)
    if gap > 0.0:
        return slot
    if boxes_apart(m, d, world, g1, g2, detection_distance(m, world, pairid, g1, g2)):
        return slot
    if use == WRITE and slot < d.nbpmax:
        d.bp_key[world, slot] = contact_key(m, g1, g2, pairid)
    if use == SELECT:
        keep_least(d.bp_depth, d.bp_key, world, d.nbpmax, slot, gap, contact_key(m, g1, g2, pairid))
    return slot + 1


@wp.func
def each_pair(
    m: ModelFields, d: DataFields, world: int, axis: SweepAxis, begin: int, stride: int, slot: int, use: int
) -> int:
    """Offer the pairs that overlap along the axis, and the explicit ones; returns the slot after the last."""
    for i in range(begin, m.nsap, stride):
        g = int(d.sap_key[world, i] & LOW_WORD)
        end = end_of(m, d, world, axis, g, 1.0)
        ball = d.sap_sphere[world, i]
        for j in range(i + 1, m.nsap):
            apart = d.sap_sphere[world, j] - ball
            reach = apart[3] + ball[3] + ball[3]
            if apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2] <= reach * reach:
                other = int(d.sap_key[world, j] & LOW_WORD)
                low = wp.min(g, other)
                high = wp.max(g, other)
                if can_collide(m, low, high):
                    swap = m.geom_type[low] > m.geom_type[high]
                    slot = offer(m, d, world, wp.where(swap, high, low), wp.where(swap, low, high), -1, slot, use)
            elif int(d.sap_key[world, j] >> WORD) > end:
                break
    for p in range(begin, m.npair, stride):
        pair = m.sap_pair[p]
        if pair[0] >= 0:
            slot = offer(m, d, world, pair[0], pair[1], p, slot, use)
    return slot


@wp.func
def sap(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int) -> int:
    """Leave the near pairs in ``bp_geom`` and ``bp_pairid``, in the order of contacts; returns how many there are.

    Of more than ``nbpmax``, those stay whose bounding spheres overlap most.
    """
    axis = find_axis(m, d, world, lane, nlane)
    for i in range(lane, m.nsap, nlane):
        g = m.sap_geom[i]
        d.sap_key[world, i] = (wp.int64(end_of(m, d, world, axis, g, -1.0)) << WORD) | wp.int64(g)
    sync()
    sort_keys(d.sap_key, world, m.nsap, lane, nlane)
    for i in range(lane, m.nsap, nlane):
        g = int(d.sap_key[world, i] & LOW_WORD)
        x = d.geom_xpos[world, g]
        reach = (m.geom_rbound[world, g] + m.geom_margin[world, g] + m.geom_gap[world, g]) * SLACK
        if m.nspeculative > 0:
            reach += wp.length(wp.spatial_bottom(d.geom_sweep[world, g])) * SLACK
        d.sap_sphere[world, i] = wp.vec4(x[0], x[1], x[2], wp.where(m.geom_type[g] == MjtGeom.PLANE, FAR, reach))
    sync()
    use = int(WRITE)
    total = int(0)
    first = int(0)
    if nlane > 1:
        use = int(COUNT)
    while use <= SELECT:
        alone = use == SELECT  # one lane weighs them all, in turn
        begin = wp.where(alone and lane > 0, m.nsap + m.npair, lane)
        end = each_pair(m, d, world, axis, begin, wp.where(alone, 1, nlane), first, use)
        if use != SELECT:
            slots = team_scan(d.team_i, world, end - first)
            first = slots[0]
            total = slots[1]
        if use == WRITE:
            first = int(0)
        use += 1
        if use == SELECT and total <= d.nbpmax:
            use += 1
        sync()
    kept = wp.min(total, d.nbpmax)
    sort_keys(d.bp_key, world, kept, lane, nlane)
    for slot in range(lane, kept, nlane):
        put_pair(m, d, world, slot)
    return total
