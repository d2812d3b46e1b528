"""Columns of soft bodies in the ``mujoco`` namespace that no row of the schema binds: their points, nodes and elements."""

from newtonlite.schema.custom import Custom

FLEX, FLEXV, FLEXN = (f"mujoco:{n}" for n in ("flex", "flex_vert", "flex_node"))

FLEX_COLUMNS = (
    Custom("flex_world", FLEX, default=0, refers="world", doc="World."),
    Custom("flex_cellcount", FLEX, "vec3", (1.0, 1.0, 1.0), doc="Cells of interpolation along each axis."),
    Custom(
        "flex_elastic3d",
        FLEX,
        default=0,
        doc="Material of its tetrahedra: 0 Saint Venant-Kirchhoff, 1 Neo-Hookean, under the integrator discrete; as mjsFlex.elastic3d.",
    ),
    Custom(
        "flex_mesh",
        FLEX,
        "str",
        doc="Elements, texture coordinates (packed numbers) and materials as JSON, from the first '{'.",
    ),
    Custom("flex_vert_adr", FLEX, default=0, refers=FLEXV, doc="First row of its points."),
    Custom("flex_vert_num", FLEX, default=0, doc="Number of its points."),
    Custom("flex_node_adr", FLEX, default=0, refers=FLEXN, doc="First row of its nodes of interpolation."),
    Custom("flex_node_num", FLEX, default=0, doc="Number of its nodes."),
    Custom("flex_vert_body", FLEXV, default=-1, refers="body", doc="Body it is on; -1: the world."),
    Custom("flex_vert_pos", FLEXV, "vec3", (0.0, 0.0, 0.0), doc="Place in that body."),
    Custom(
        "flex_vert_twist",
        FLEXV,
        default=-1,
        refers="joint_dof",
        doc="Dof that twists the edge of a rod that has the number of this point, along the chain; -1: none.",
    ),
    Custom("flex_node_body", FLEXN, default=-1, refers="body", doc="Body it is on; -1: the world."),
    Custom("flex_node_pos", FLEXN, "vec3", (0.0, 0.0, 0.0), doc="Place in that body."),
)
"""A soft body has the address and the number of its points and nodes, which are rows of their own."""
