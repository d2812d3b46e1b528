"""Geoms, sites, pairs that may touch, and the contacts found."""

import warp as wp

from newtonlite.core.field import Field as F
from newtonlite.core.types import vec5

vec2, vec3, quat, mat33, vec2i = wp.vec2, wp.vec3, wp.quat, wp.mat33, wp.vec2i

MODEL = (
    F("ngeom", int, None, "geoms", "size"),
    F("nsite", int, None, "sites", "size"),
    F("npair", int, None, "explicit contact pairs", "size"),
    F("nboxpair", int, None, "candidates of a box and something other than a plane", "size"),
    F("ncandidate", int, None, "geom pairs that may touch", "size"),
    F("geom_type", int, "ngeom", "mjtGeom", "index"),
    F("geom_bodyid", int, "ngeom", "", "index"),
    F("geom_condim", int, "ngeom", "", "index"),
    F("geom_priority", int, "ngeom", "", "index"),
    F("geom_pos", vec3, "ngeom", "in body [m]", "param"),
    F("geom_quat", quat, "ngeom", "in body", "param"),
    F("geom_size", vec3, "ngeom", "[m]", "param"),
    F("geom_rbound", float, "ngeom", "bounding sphere, 0 for planes [m]", "param"),
    F("geom_margin", float, "ngeom", "[m]", "param"),
    F("geom_gap", float, "ngeom", "[m]", "param"),
    F("geom_friction", vec3, "ngeom", "slide, spin [m], roll [m]", "param"),
    F("geom_solmix", float, "ngeom", "", "param"),
    F("geom_solref", vec2, "ngeom", "", "param"),
    F("geom_solimp", vec5, "ngeom", "", "param"),
    F("site_bodyid", int, "nsite", "", "index"),
    F("site_pos", vec3, "nsite", "in body [m]", "param"),
    F("site_quat", quat, "nsite", "in body", "param"),
    F("pair_dim", int, "npair", "", "index"),
    F("pair_friction", vec5, "npair", "", "param"),
    F("pair_solref", vec2, "npair", "", "param"),
    F("pair_solreffriction", vec2, "npair", "", "param"),
    F("pair_solimp", vec5, "npair", "", "param"),
    F("pair_margin", float, "npair", "", "param"),
    F("pair_gap", float, "npair", "", "param"),
    F("cand_geom", vec2i, "ncandidate", "geom pairs that may touch, lower type first", "index"),
    F("cand_pairid", int, "ncandidate", "explicit pair, or -1", "index"),
    F("cand_cell", wp.vec4i, "ncell", "geom, first of 16 others, bit for each candidate, start in cand_of_cell", "index"),
    F("cand_of_cell", int, "ncandidate", "candidates by cell, then explicit pairs", "index"),
)

DATA = (
    F("nconmax", int, None, "contacts that fit, per world", "size"),
    F("geom_xpos", vec3, "ngeom", "[m]", "scratch"),
    F("geom_xmat", mat33, "ngeom", "", "scratch"),
    F("site_xpos", vec3, "nsite", "[m]", "scratch"),
    F("site_xmat", mat33, "nsite", "", "scratch"),
    F("ncand", int, "", "pairs the broad phase kept", "scratch"),
    F("cand", int, "ncandidate", "pairs the broad phase kept", "scratch"),
    F("contact_dist", float, "nconmax", "[m], negative when penetrating", "scratch"),
    F("contact_pos", vec3, "nconmax", "[m]", "scratch"),
    F("contact_frame", mat33, "nconmax", "rows: normal from geom1 to geom2, two tangents", "scratch"),
    F("contact_includemargin", float, "nconmax", "", "scratch"),
    F("contact_friction", vec5, "nconmax", "", "scratch"),
    F("contact_solref", vec2, "nconmax", "", "scratch"),
    F("contact_solreffriction", vec2, "nconmax", "", "scratch"),
    F("contact_solimp", vec5, "nconmax", "", "scratch"),
    F("contact_dim", int, "nconmax", "", "scratch"),
    F("contact_geom", vec2i, "nconmax", "", "scratch"),
    F("contact_efc_address", int, "nconmax", "first row, -1: none", "scratch"),
    F("contact_zone", int, "nconmax", "1 where the force lies on an elliptic cone", "scratch"),
    F("contact_mu", float, "nconmax", "friction of the regularised cone", "scratch"),
    F("hit_dist", float, "nhit", "", "team"),
    F("hit_pos", vec3, "nhit", "", "team"),
    F("hit_normal", vec3, "nhit", "", "team"),
    F("hit_tangent", vec3, "nhit", "", "team"),
)
