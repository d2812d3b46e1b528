"""Flexes: soft bodies of vertices, edges and elements, some of them interpolated from nodes.

Arrays have MuJoCo's names and layouts; those of vertices, edges and elements go flex after flex. Points are what forces act on:
all vertices, then all nodes; vertices of interpolated flexes, which follow their nodes, have no body.
"""

import warp as wp

from newtonlite.core.field import Field as F
from newtonlite.core.types import vec5

vec2, vec3, vec2i, vec3i = wp.vec2, wp.vec3, wp.vec2i, wp.vec3i

MODEL = (
    # sizes
    F("nflex", int, None, "flexes", "size"),
    F("nflexnode", int, None, "nodes of interpolated flexes", "size"),
    F("nflexvert", int, None, "vertices", "size"),
    F("nflexedge", int, None, "edges", "size"),
    F("nflexelem", int, None, "elements", "size"),
    F("nflexelemdata", int, None, "vertices of all elements", "size"),
    F("nflexelemedge", int, None, "edges of all elements", "size"),
    F("nflexstiffness", int, None, "numbers of the stiffness of all elements and cells", "size"),
    F("nflexbending", int, None, "numbers of bending and of rods", "size"),
    F("nJfe", int, None, "entries of the Jacobian of all edges", "size"),
    # contacts
    F("flex_contype", int, "nflex", "bits of what it is", "index"),
    F("flex_conaffinity", int, "nflex", "bits of what it touches", "index"),
    F("flex_condim", int, "nflex", "dimensions of its contacts", "index"),
    F("flex_priority", int, "nflex", "whose contact parameters are taken", "index"),
    F("flex_selfcollide", int, "nflex", "mjtFlexSelf", "index"),
    F("flex_activelayers", int, "nflex", "layers of tetrahedra that collide", "index"),
    F("flex_passive", int, "nflex", "1: contacts are springs", "index"),
    F("flex_solmix", float, "nflex", "weight in mixed contact parameters", "param"),
    F("flex_solref", vec2, "nflex", "solref of contacts", "param"),
    F("flex_solimp", vec5, "nflex", "solimp of contacts", "param"),
    F("flex_friction", vec3, "nflex", "sliding, torsional, rolling", "param"),
    F("flex_margin", float, "nflex", "distance at which contacts act [m]", "param"),
    F("flex_gap", float, "nflex", "distance beyond the margin at which they are found [m]", "param"),
    F("flex_radius", float, "nflex", "radius around elements [m]", "param"),
    # structure
    F("flex_dim", int, "nflex", "1 lines, 2 triangles, 3 tetrahedra", "index"),
    F("flex_interp", int, "nflex", "0 vertices; 1 trilinear, 2 quadratic, of nodes; negative: of shells", "index"),
    F("flex_cellnum", vec3i, "nflex", "cells along each axis", "index"),
    F("flex_nodeadr", int, "nflex", "first node", "index"),
    F("flex_nodenum", int, "nflex", "nodes", "index"),
    F("flex_vertadr", int, "nflex", "first vertex", "index"),
    F("flex_vertnum", int, "nflex", "vertices", "index"),
    F("flex_edgeadr", int, "nflex", "first edge", "index"),
    F("flex_edgenum", int, "nflex", "edges", "index"),
    F("flex_elemadr", int, "nflex", "first element", "index"),
    F("flex_elemnum", int, "nflex", "elements", "index"),
    F("flex_elemdataadr", int, "nflex", "first vertex of the first element", "index"),
    F("flex_elemedgeadr", int, "nflex", "first edge of the first element", "index"),
    F("flex_stiffnessadr", int, "nflex", "first number of the stiffness; -1: none", "index"),
    F("flex_bendingadr", int, "nflex", "first number of bending; -1: none", "index"),
    F("flex_plasticadr", int, "nflex", "first plastic strain, in plastic; -1: it does not yield", "index"),
    F("flex_plasticmode", int, "nflex", "what yields: bits 1 bending, 2 stretching", "index"),
    F("flex_edgeequality", int, "nflex", "1: lengths of edges are constrained, 3: strain of cells", "index"),
    F("flex_rigid", int, "nflex", "1: all vertices on one body", "index"),
    F("flex_nodebodyid", int, "nflexnode", "body", "index"),
    F("flex_vertbodyid", int, "nflexvert", "body; -1: interpolated", "index"),
    F("flex_edge", vec2i, "nflexedge", "vertices, within the flex", "index"),
    F("flex_edgeflap", vec2i, "nflexedge", "vertices opposite to a bending edge, within the flex; -1: none", "index"),
    F("flex_elem", int, "nflexelemdata", "vertices of elements, within the flex", "index"),
    F("flex_elemedge", int, "nflexelemedge", "edges of elements, within the flex", "index"),
    F("flex_elemlayer", int, "nflexelem", "layers of tetrahedra between it and the outside", "index"),
    F("flexedge_rigid", int, "nflexedge", "1: both vertices on one body", "index"),
    F("flexedge_J_rownnz", int, "nflexedge", "dofs that change the length", "index"),
    F("flexedge_J_rowadr", int, "nflexedge", "first of them", "index"),
    F("flexedge_J_colind", int, "nJfe", "dofs", "index"),
    # numbers
    F("flex_vert", vec3, "nflexvert", "place in the body's frame [m]", "param"),
    F("flex_node", vec3, "nflexnode", "place in the body's frame [m]", "param"),
    F("flex_node0", vec3, "nflexnode", "place at qpos0 [m]", "param"),
    F("flexedge_length0", float, "nflexedge", "length at qpos0 [m]", "param"),
    F("flexedge_invweight0", float, "nflexedge", "inverse of the inertia felt along it at qpos0 [1/kg]", "param"),
    F(
        "flex_stiffness",
        float,
        "nflexstiffness",
        "matrices of elements over squared lengths [N/m^3], of cells [N/m]",
        "param",
    ),
    F("flex_bending", float, "nflexbending", "matrices of bending edges; hinges of rods and shells", "param"),
    F("flex_damping", float, "nflex", "Rayleigh's coefficient [s]", "param"),
    F("flex_edgestiffness", float, "nflex", "stiffness of edges [N/m]", "param"),
    F("flex_edgedamping", float, "nflex", "damping of edges [N s/m]", "param"),
    F("flex_yield", vec2, "nflex", "strain at which it yields, in stretching and bending", "param"),
    # walks
    F("nflexinterp", int, None, "flexes interpolated from nodes", "size"),
    F("flexvert_nodeadr", int, "nflexvert1", "first node that a vertex is interpolated from", "index"),
    F("flexvert_node", int, "nflexweight", "nodes that vertices are interpolated from", "index"),
    F("flexvert_weight", float, "nflexweight", "their weights", "index"),
    F("flex_vertflexid", int, "nflexvert", "flex of a vertex", "index"),
    F("flex_nodeflexid", int, "nflexnode", "flex of a node", "index"),
    F("flex_edgeflexid", int, "nflexedge", "flex of an edge", "index"),
    F("flex_elemflexid", int, "nflexelem", "flex of an element", "index"),
    F("flexedge_vert", vec2i, "nflexedge", "vertices of an edge, of all flexes", "index"),
    F("flexedge_J_side", int, "nJfe", "whether the dof moves the first vertex (1), the second (2), both (3)", "index"),
)

DATA = (
    F("flexnode_xpos", vec3, "nflexnode", "places of nodes [m]", "scratch"),
    F("flexvert_xpos", vec3, "nflexvert", "places of vertices [m]", "scratch"),
    F("flexedge_length", float, "nflexedge", "lengths of edges; 0 where interpolated or rigid [m]", "scratch"),
    F("flexedge_J", float, "nJfe", "change of lengths with the dofs of ``flexedge_J_colind``", "scratch"),
    F("flexedge_velocity", float, "nflexedge", "their rates, of edges with a Jacobian [m/s]", "scratch"),
    F("flexelem_aabb", vec3, "nflexelem 2", "box about an element and its radius: centre, half sizes [m]", "scratch"),
)
