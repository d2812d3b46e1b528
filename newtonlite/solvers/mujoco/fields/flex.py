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

FORCES = (
    # elements against stretching, and edges whose tension they make
    F("nflexspring", int, None, "1 where edges have springs or dampers", "size"),
    F("nflexforce", int, None, "1 where flexes make forces", "size"),
    F("nflexstretch", int, None, "elements with a stiffness", "size"),
    F("flexstretch_flexid", int, "nflexstretch", "flex", "index"),
    F("flexstretch_elem", int, "nflexstretch", "element", "index"),
    F("flexstretch_adr", int, "nflexstretch", "first number of its matrix", "index"),
    F("flexstretch_tensionadr", int, "nflexstretch1", "first of its edges", "index"),
    F("flextension_edge", int, "nflextension", "edges of these elements", "index"),
    F("flexedge_tensionadr", int, "nflexedge1", "first of the places where elements have an edge", "index"),
    F("flexedge_tension", int, "nflextension", "these places", "index"),
    # bending edges
    F("nflexbend", int, None, "bending edges", "size"),
    F("flexbend_flexid", int, "nflexbend", "flex", "index"),
    F("flexbend_edge", int, "nflexbend", "edge", "index"),
    F("flexbend_adr", int, "nflexbend", "first number of its record", "index"),
    F("flexbend_vert", wp.vec4i, "nflexbend", "its vertices, and those opposite, of all flexes", "index"),
    # cells of blocks, faces of shells
    F("nflexcell", int, None, "cells and faces with a stiffness", "size"),
    F("nflexcellnode", int, None, "their nodes", "size"),
    F("flexcell_flexid", int, "nflexcell", "flex", "index"),
    F("flexcell_cell", int, "nflexcell", "number within the flex", "index"),
    F("flexcell_axis", int, "nflexcell", "axis across a face; -1: a cell", "index"),
    F("flexcell_adr", int, "nflexcell", "first number of its matrix", "index"),
    F("flexcell_held", int, "nflexcell", "1: its strain is constrained, it makes no force", "index"),
    F("flexcell_nodeadr", int, "nflexcell1", "first of its nodes", "index"),
    F("flexcell_first", int, "1", "slot of the first node of the first cell", "index"),
    F("flexcellnode_point", int, "nflexcellnode", "nodes, as points", "index"),
    F("flexcellnode_cell", int, "nflexcellnode", "cell that the node is taken for", "index"),
    F(
        "flexcellnode_gradient",
        vec3,
        "nflexcellnode",
        "slope of its polynomial in the middle of the cell [1/m]",
        "index",
    ),
    # edges between faces of shells
    F("nflexshellbend", int, None, "edges between faces of shells", "size"),
    F("flexshellbend_adr", int, "nflexshellbend", "first number of its record", "index"),
    F("flexshellbend_cell", vec2i, "nflexshellbend", "the two faces", "index"),
    F("flexshellbend_nodeadr", int, "nflexshellbend", "first of its nodes", "index"),
    F(
        "flexshellbend_gradient",
        vec2,
        "nflexshellbendnode",
        "slopes of the faces' nodes in the middle of the edge",
        "index",
    ),
    F("flexshellbend_first", int, "1", "slot of the first node of the first edge", "index"),
    # gathering
    F("flexpoint_edgeadr", int, "nflexpoint1", "first edge that pulls at a point", "index"),
    F("flexpoint_edge", int, "nflexpulling", "edges that pull", "index"),
    F("flexpoint_slotadr", int, "nflexpoint1", "first slot of a point", "index"),
    F("flexpoint_slot", int, "nflexslot", "slots of points", "index"),
    F("flexbody_pointadr", int, "nflexpointbody1", "first point of a body", "index"),
    F("flexbody_point", int, "nflexbodypoint", "points of bodies", "index"),
)

MODEL = (*MODEL, *FORCES)

DATA = (
    F("flexnode_xpos", vec3, "nflexnode", "places of nodes [m]", "scratch"),
    F("flexvert_xpos", vec3, "nflexvert", "places of vertices [m]", "scratch"),
    F("flexedge_length", float, "nflexedge", "lengths of edges; 0 where interpolated or rigid [m]", "scratch"),
    F("flexedge_J", float, "nJfe", "change of lengths with the dofs of ``flexedge_J_colind``", "scratch"),
    F("flexedge_velocity", float, "nflexedge", "their rates, of edges with a Jacobian [m/s]", "scratch"),
    F("flexelem_aabb", vec3, "nflexelem 2", "box about an element and its radius: centre, half sizes [m]", "scratch"),
    F("flextension_spring", float, "nflextension", "tension of an element's edge over its length [N/m]", "scratch"),
    F("flextension_damper", float, "nflextension", "the damper's", "scratch"),
    F(
        "flexedge_spring",
        float,
        "nflexpullededge",
        "force that pushes an edge's vertices apart over its length [N/m]",
        "scratch",
    ),
    F("flexedge_damper", float, "nflexpullededge", "the damper's", "scratch"),
    F("flexcell_quat", wp.quat, "nflexcell", "rotation of a cell", "scratch"),
    F("flexcellnode_stretch", vec3, "nflexcellnode", "displacement of a node in its cell's frame [m]", "scratch"),
    F("flexcellnode_rate", vec3, "nflexcellnode", "velocity of a node in its cell's frame [m/s]", "scratch"),
    F("flexslot_spring", vec3, "nflexslot", "spring force of an element on one of its points [N]", "scratch"),
    F("flexslot_damper", vec3, "nflexslot", "damper force [N]", "scratch"),
)
