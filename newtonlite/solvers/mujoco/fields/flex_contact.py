"""Contacts of flexes: what they may touch, the boxes by which elements are found, and hits before they are contacts."""

import warp as wp

from newtonlite.core.field import Field as F

vec3, vec2i, vec4i = wp.vec3, wp.vec2i, wp.vec4i
vec6i = wp.types.vector(6, int)

MODEL = (
    F("nflexgroup", int, None, "what flexes may touch: geoms, other flexes, themselves", "size"),
    F("nflexconvex", int, None, "of these, those that take the general convex collider", "size"),
    F("nflexfield", int, None, "of these, distance fields", "size"),
    F("nflexground", int, None, "of these, height fields", "size"),
    F("flextree_elem", int, "nflextree", "flexactive_elem, of each flex in the order of its tree of boxes", "index"),
    F(
        "flex_nodefree",
        int,
        "nflexspringy",
        "nodes on bodies with three dofs, of flexes whose contacts may be springs",
        "index",
    ),
    F("nflexpassive", int, None, "of these, those whose contacts are springs", "size"),
    F("nflexpassiverow", int, None, "entries of the normal of one of these at most", "size"),
    F("nflexpair", int, None, "of these, those of two flexes, or of one with itself", "size"),
    F("nflexsweep", int, None, "of these, flexes that sweep their own elements", "size"),
    F("nflexreduce", int, None, "bodies and flexes, and pairs of flexes, of whose contacts 50 stay", "size"),
    F(
        "flexgroup_kind",
        int,
        "nflexgroup",
        "0 plane, 1 distance field, 2 other geom, 3 geom by the convex collider, 4 flex, 5 itself, 6 itself in the order of a sweep",
        "index",
    ),
    F("flexgroup_other", int, "nflexgroup", "geom or flex that is first", "index"),
    F("flexgroup_flex", int, "nflexgroup", "flex that is second", "index"),
    F("flexgroup_body", int, "nflexgroup", "body of the geom; the number of bodies where there is none", "index"),
    F("flexgroup_begins", int, "nflexgroup", "1: first of a body and a flex, or of two flexes", "index"),
    F("flexgroup_reduces", int, "nflexgroup", "1: last of these, and 50 of their contacts stay", "index"),
    F("flexactive_elem", int, "nflexactive", "elements that touch something, flex after flex", "index"),
    F("nflexnear", int, None, "near parts that fit", "size"),
    F("nflexblock", int, None, "blocks of 16 of them", "size"),
    F("nflexnearblock", int, None, "twice all blocks of 16 elements, where flexes touch flexes", "size"),
    F("nelementhit", int, None, "hits that an element and something else have at most", "size"),
    F("flexactive_adr", int, "nflex", "first of them", "index"),
    F("flexactive_num", int, "nflex", "how many they are", "index"),
    F("flexblock_adr", int, "nflex", "first block of 16 of them", "index"),
    F("nflexselfcell", int, None, "vertices, if an interpolated flex touches itself", "size"),
    F(
        "flexvert_cells",
        vec6i,
        "nflexselfcell",
        "lowest and highest cell of a flex, by axes, that a vertex is in or at the border of",
        "index",
    ),
    F("flexelem_vert", vec4i, "nflexelem", "vertices of all flexes; beyond the last the last again", "index"),
)

DATA = (
    F("nflexhit", int, None, "hits of flexes that fit, per world", "size"),
    F("flex_box", vec3, "nflex 2", "box about a flex and its radius: centre, half sizes [m]", "scratch"),
    F("flexblock_box", vec3, "nflexblock 2", "box about 16 elements: centre, half sizes [m]", "scratch"),
    F("flexnear", vec2i, "nflexnear", "elements or vertices that may touch: of the first and of the second", "scratch"),
    F("flexnear_block", int, "nflexnearblock", "blocks of a flex near another; behind them, near a block of it", "scratch"),
    F("flexsweep_key", wp.int64, "nflexsweepelem", "where elements begin along an axis, and their numbers", "scratch"),
    F("flexhit_dist", float, "nflexhit", "[m]", "scratch"),
    F("flexhit_pos", vec3, "nflexhit", "[m]", "scratch"),
    F("flexhit_normal", vec3, "nflexhit", "from the first to the second", "scratch"),
    F("flexhit_group", int, "nflexhit", "which of the groups", "scratch"),
    F("flexhit_part", vec2i, "nflexhit", "elements of both sides, or -1 and a vertex", "scratch"),
    F("flexhit_far", float, "nflexfar", "squared distance to the nearest hit that stays [m^2]", "scratch"),
    F("nflexhits", int, "", "hits, those for which there was no room too", "scratch"),
    F("contact_flex", vec2i, "nsoft", "the two flexes; -1: a geom", "scratch"),
    F("flexhit_contact", int, "nflexhit", "contact that a hit becomes", "scratch"),
    F("contact_share", wp.vec4, "nsoft 2", "weights of the vertices of a flex's element, by sides", "scratch"),
    F("contact_elem", vec2i, "nsoft", "their elements, within the flex; -1: none", "scratch"),
    F("contact_vert", vec2i, "nsoft", "their vertices, within the flex; -1: none", "scratch"),
    F("passive_dof", int, "nflexpassiverow", "dofs that move the flexes of a contact that is a spring", "scratch"),
    F(
        "passive_J",
        float,
        "nflexpassiverow",
        "speed at which they part along the normal, by the speed of each dof",
        "scratch",
    ),
    F("flexlane_dist", float, "nelementhits", "distance of each hit of a lane [m]", "team"),
    F("flexlane_pos", vec3, "nelementhits", "position of each hit of a lane [m]", "team"),
    F("flexlane_normal", vec3, "nelementhits", "normal of each hit of a lane", "team"),
    F("flexlane_tangent", vec3, "nelementhits", "tangent of each hit of a lane, which is none", "team"),
)
