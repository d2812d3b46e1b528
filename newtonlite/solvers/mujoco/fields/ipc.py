"""Incremental potential contact: what may meet, and the pairs of a step that is taken until nothing crosses."""

import warp as wp

from newtonlite.core.field import Field as F

vec3, vec2i, vec3i, vec4 = wp.vec3, wp.vec2i, wp.vec3i, wp.vec4

MODEL = (
    F("nipcpoint", int, None, "vertices of all flexes, where flag ipc keeps surfaces apart", "size"),
    F("nipcdof", int, None, "dofs then", "size"),
    F("nipcflat", int, None, "flexes then, squared", "size"),
    F("nipctask", int, None, "vertices, edges and static features whose partners are searched", "size"),
    F(
        "ipcpoint_active",
        int,
        "nipcpoint",
        "1: vertex of a surface that can move, -1: that cannot, 0: of none",
        "index",
    ),
    F("ipcpoint_flex", int, "nipcpoint", "flex of a vertex", "index"),
    F("ipcpoint_dof", int, "nipcpoint", "first dof of a vertex on a body of its own; -1: it rides another", "index"),
    F("ipcpoint_riders", int, "nipcpoint", "vertices that its moving body carries", "index"),
    F("ipcdof_held", int, "nipcdof", "1: goes as far as surfaces stay apart; 0: the whole step", "index"),
    F("ipcflex_meets", int, "nipcflat", "1: two flexes, or one with itself, may meet", "index"),
    F("nipctri", int, None, "triangles of surfaces", "size"),
    F("ipctri_vert", vec3i, "nipctri", "their vertices, of all flexes", "index"),
    F("nipcedge", int, None, "edges of surfaces", "size"),
    F("ipcedge_vert", vec2i, "nipcedge", "their vertices, of all flexes", "index"),
    F("nipcgeom", int, None, "static geoms that surfaces may meet", "size"),
    F("ipcgeom", int, "nipcgeom", "these geoms", "index"),
    F("ipcgeom_meets", int, "nipcgeomflex", "1: geom and flex may meet, by geoms", "index"),
    F("nipccorner", int, None, "their corners, centres of spheres and ends of capsules", "size"),
    F("ipccorner_geom", int, "nipccorner", "place of its geom in ipcgeom", "index"),
    F("ipccorner_at", vec3, "nipccorner", "in a mesh's frame [m]; signs of the half sizes of others", "index"),
    F("nipcside", int, None, "their edges, and axes of capsules", "size"),
    F("ipcside_corner", vec2i, "nipcside", "the two corners", "index"),
    F("ipcface_adr", int, "nipcgeom1", "first triangle of the hull of a mesh", "index"),
    F(
        "ipcface_at",
        vec3,
        "nipcface 3",
        "their corners, counterclockwise from outside, in the mesh's frame [m]",
        "index",
    ),
)

DATA = (
    F("flexvert_lambda", float, "nipcpoint", "greatest force of the pairs of a vertex, flag ipc [N]", "state"),
    F("flexvert_conage", int, "nipcpoint", "updates since a vertex was loaded; negative: was loaded before", "state"),
    F("ipc_incomplete", int, "", "steps of flag ipc that took a part of their motion alone", "output"),
    F("nipcpair", int, None, "pairs that fit, per world", "size"),
    F("ipc_drift", vec3, "nipcpoint", "way of a vertex in a step at the velocity before it [m]", "scratch"),
    F("ipc_flight", vec3, "nipcpoint", "the same without contact", "scratch"),
    F("ipc_move", vec3, "nipcpoint", "the same by the last solution", "scratch"),
    F("ipc_safe", vec3, "nipcpoint", "as far as nothing crosses", "scratch"),
    F("ipc_speed", float, "nipcdof", "velocity after the step by the last solution", "scratch"),
    F("ipc_safe_speed", float, "nipcdof", "velocity that leads as far as nothing crosses", "scratch"),
    F("ipc_first", float, "nipcpoint", "when a vertex first meets something, in parts of the motion", "scratch"),
    F("ipc_loaded", int, "nipcpoint", "1: a pair of the vertex bears a force", "scratch"),
    F("ipctri_box", vec3, "nipctri 2", "box about the motion of a triangle: lowest, highest corner [m]", "scratch"),
    F("ipcedge_box", vec3, "nipcedge 2", "box about the motion of an edge [m]", "scratch"),
    F("ipc_count", int, "4", "active pairs, near pairs, rows, pairs that did not fit", "scratch"),
    F("ipc_entries", int, "", "entries of the model's own sparse rows", "scratch"),
    F("ipc_part", float, "", "part of the motion that nothing crosses in", "scratch"),
    F("ipcpair", vec3i, "nipcpair", "active pairs: kind, and the two parts", "scratch"),
    F("ipcpair_lambda", float, "nipcpair", "their force [N]", "scratch"),
    F("ipcpair_age", int, "nipcpair", "updates since they bore one; negative: they have before", "scratch"),
    F("ipcpair_gap", float, "nipcpair", "distance where nothing crosses yet [m]", "scratch"),
    F("ipcpair_normal", vec3, "nipcpair", "from the second part to the first", "scratch"),
    F("ipcpair_weight", vec4, "nipcpair", "how the distance follows each vertex along the normal", "scratch"),
    F("ipcpair_row", int, "nipcpair", "row; -1: not among those of the solution yet", "scratch"),
    F("ipcnear", vec3i, "nipcpair", "near pairs: kind, and the two parts", "scratch"),
    F("ipcnear_gap", float, "nipcpair", "distance where nothing crosses yet [m]", "scratch"),
    F("ipcnear_time", float, "nipcpair", "when they meet, in parts of the motion; 2: they do not", "scratch"),
)
