"""Ray casting fields; empty in models where nothing casts rays."""

import warp as wp

from newtonlite.core.field import Field as F

vec3, vec4, vec2i, vec3i = wp.vec3, wp.vec4, wp.vec2i, wp.vec3i

MODEL = (
    F("nraymesh", int, None, "meshes that rays meet", "size"),
    F("nrayhfield", int, None, "height fields that rays meet", "size"),
    F("nraysdf", int, None, "geoms with distance fields that rays meet", "size"),
    F("nraybox", int, None, "boxes around geoms and runs of geoms for rays; 0 where rays look at each geom", "size"),
    F("nraylong", int, None, "boxes around long runs of them", "size"),
    F("geom_ray", int, "nraygeom", "number among the meshes or height fields that rays meet, -1: neither", "param"),
    F("bvh_adr", int, "nraymesh1", "first box of each mesh", "index"),
    F("bvh_low", vec3, "nbox", "corner of a box over triangles [m]", "index"),
    F("bvh_high", vec3, "nbox", "opposite corner [m]", "index"),
    F("bvh_skip", int, "nbox", "box that follows when its contents are skipped", "index"),
    F("bvh_faceadr", int, "nbox", "first triangle of a leaf", "index"),
    F("bvh_facenum", int, "nbox", "triangles of a leaf", "index"),
    F("bvh_face", vec3i, "nboxface", "corners of a triangle", "index"),
    F("bvh_vert", vec3, "nboxvert", "vertices [m]", "index"),
    F("rayfield_data", float, "nraydata", "heights, 0 to 1", "index"),
    F("rayfield_adr", int, "nrayhfield", "first height", "index"),
    F("rayfield_shape", vec2i, "nrayhfield", "rows, columns", "index"),
    F("rayfield_size", vec4, "nrayhfield", "half-lengths, height, depth of the box below [m]", "index"),
)

DATA = (
    F(
        "ray_box",
        vec3,
        "nraybox 2",
        "boxes around geoms, then runs of geoms: centre, half-lengths, world axes [m]",
        "scratch",
    ),
    F("ray_pnt", vec3, "nray", "where rays start [m]", "bound"),
    F("ray_vec", vec3, "nray", "their directions, of any length", "bound"),
    F("ray_exclude", int, "nray", "body that each passes, -1: none", "bound"),
    F(
        "ray_filter",
        int,
        "2",
        "bits of the groups of geoms that are met; 0 where geoms that never move are passed",
        "bound",
    ),
    F("ray_dist", float, "nray", "distance in units of the direction, -1: nothing met", "bound"),
    F("ray_geomid", int, "nray", "geom met, -1: none", "bound"),
    F("ray_normal", vec3, "nray", "outward normal there, zero: nothing met", "bound"),
)
