"""Convex hulls of meshes, and the scratch in which convex shapes are collided."""

import warp as wp

from newtonlite.core.field import Field as F
from newtonlite.geometry.contact.convex.shape import Convex

MODEL = (
    F("nconvexpair", int, None, "candidates that need the general convex collider, or hulls", "size"),
    F("nhfieldpair", int, None, "candidates of a height field and another geom", "size"),
    F(
        "nhfielddeep",
        int,
        None,
        "1 where the deepest contacts of a height field and a geom stay, not the first",
        "size",
    ),
    F("nhfield", int, None, "height fields", "size"),
    F("geom_dataid", int, "ngeom", "mesh or height field, -1: none", "index"),
    F("hfield_size", wp.vec4, "nhfield", "half-lengths, height of 1, depth below 0 [m]", "index"),
    F("hfield_nrow", int, "nhfield", "rows of the height field's grid", "index"),
    F("hfield_ncol", int, "nhfield", "columns of the height field's grid", "index"),
    F("hfield_adr", int, "nhfield", "first height in hfield_data", "index"),
    F("hfield_data", float, "nhfielddata", "heights, rows along y", "index"),
    F("opt_ccd_tolerance", float, "", "accuracy of depths of round shapes [m]", "param"),
    F("opt_ccd_iterations", int, None, "steps of the search for distance, and for depth, at most", "size"),
    F("geom_hulladr", int, "ngeom", "first vertex of a mesh's hull", "index"),
    F("geom_hullnum", int, "ngeom", "vertices of a mesh's hull", "index"),
    F("hull_box", wp.vec3, "ngeom 2", "box around a mesh's hull, in the geom: centre, half-lengths [m]", "index"),
    F(
        "hull_vert",
        float,
        "nhullcoord",
        "in the mesh's frame [m], in groups of eight: their x, their y, their z",
        "index",
    ),
    F("hull_nbradr", int, "nhullvert1", "first neighbour of each vertex in hull_nbr", "index"),
    F("hull_nbr", int, "nhullnbr", "neighbours along edges, numbered within the hull", "index"),
    F("hull_fanadr", int, "nhullvert1", "first polygon around each vertex in hull_fan", "index"),
    F("hull_fan", int, "nhullfan", "polygons around vertices", "index"),
    F("hull_normal", wp.vec3, "nhullpoly", "outward normal of each polygon", "index"),
    F("hull_polyadr", int, "nhullpoly1", "first corner of each polygon in hull_poly", "index"),
    F(
        "hull_poly",
        int,
        "nhullcorner",
        "corners, numbered within the hull, counterclockwise seen from outside",
        "index",
    ),
)

DATA = (
    F("convex_hits", wp.vec2i, "nconvexhit", "hits of each near convex pair: the first, and how many", "scratch"),
    F(
        "convex_axis",
        wp.vec3,
        "nconvexhit",
        "guess of a separating axis, in the frame of the first geom; whatever was found last",
        "scratch",
    ),
    F("convex_corner", wp.vec2i, "nconvexhit", "vertices farthest along it", "scratch"),
    F("convex_lost", int, "", "hits for which there was no room", "scratch"),
    F("convex_dist", float, "nconvexcon", "[m]", "scratch"),
    F("convex_pos", wp.vec3, "nconvexcon", "[m]", "scratch"),
    F("convex_normal", wp.vec3, "nconvexcon", "from geom1 to geom2", "scratch"),
    F(
        "hfield_dist",
        float,
        "ngroundheap",
        "distances of a height field's contacts that stay, the greatest first [m]",
        "scratch",
    ),
    F("hfield_prism", int, "ngroundheap", "prisms of these contacts", "scratch"),
    F("ccd_lane", int, "nlane", "lanes whose pairs are convex", "team"),
    F("ccd_hits", int, "nlane", "hits of each lane's convex pair", "team"),
    F("ccd_shape", Convex, "nccdlane 2", "the two shapes", "team"),
    F(
        "ccd_point1",
        wp.vec3d,
        "nccdlane nccdvert",
        "vertices of a simplex or polytope: points of the first shape",
        "team",
    ),
    F("ccd_point2", wp.vec3d, "nccdlane nccdvert", "points of the second shape", "team"),
    F("ccd_code", wp.vec2i, "nccdlane nccdvert", "which corners of the shapes they are", "team"),
    F("ccd_face", wp.vec4i, "nccdlane nccdface", "faces of the polytope: vertices, and whether it is in use", "team"),
    F("ccd_normal", wp.vec3d, "nccdlane nccdface", "outward normals", "team"),
    F("ccd_height", wp.float64, "nccdlane nccdface", "heights above the origin", "team"),
    F("ccd_rim", wp.vec2i, "nccdlane nccdrim", "edges around what a new vertex sees", "team"),
    F("ccd_polygon", wp.vec3d, "nccdlane nccdcorner", "two polygons that are being cut", "team"),
)
