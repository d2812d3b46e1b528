"""Arrays of flexes in MuJoCo's layout, from the rows of the scene."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtEq
from newtonlite.math.quat import rotate
from newtonlite.solvers.mujoco.bindings import flex as bindings
from newtonlite.solvers.mujoco.bindings.flex import EDGES, STRAIN
from newtonlite.solvers.mujoco.bindings.table import fill_fields
from newtonlite.solvers.mujoco.compile.flexes import cells, hinges, rods, strain, stretch
from newtonlite.solvers.mujoco.compile.flexes.bending import bending_records
from newtonlite.solvers.mujoco.compile.flexes.check import check_attachments, check_forces
from newtonlite.solvers.mujoco.compile.flexes.edges import edge_dofs
from newtonlite.solvers.mujoco.compile.flexes.elements import edge_flaps, layers, number_edges, oriented, outer_faces
from newtonlite.solvers.mujoco.compile.flexes.scene import BEND, STRETCH, SceneFlex, scene_flexes, scene_mesh
from newtonlite.solvers.mujoco.compile.kinematics import pose_at
from newtonlite.solvers.mujoco.compile.per_world_fields import world
from newtonlite.solvers.mujoco.compile.tree import BodyTree
from newtonlite.solvers.mujoco.compile.worlds import Worlds
from newtonlite.solvers.mujoco.derive.passive import plastic_springs

RIGHT = 1e-6
"""Largest product of axes of a grid of right angles."""
PARTS = {
    "node": ("flex_nodebodyid", 1, "flex_nodeadr"),
    "vert": ("flex_vertbodyid", 1, "flex_vertadr"),
    "edge": ("flexedge_rigid", 1, "flex_edgeadr"),
    "elem": ("flex_elemlayer", 1, "flex_elemadr"),
    "elemdata": ("flex_elem", 1, "flex_elemdataadr"),
    "elemedge": ("flex_elemedge", 1, "flex_elemedgeadr"),
    "shelldata": ("flex_shell", -1, "flex_shelldataadr"),
    "texcoord": ("flex_texcoord", -1, "flex_texcoordadr"),
    "stiffness": ("flex_stiffness", -1, "flex_stiffnessadr"),
    "bending": ("flex_bending", -1, "flex_bendingadr"),
}
"""Parts of flexes: an array that has one row of each, -1 where a flex without any has no address, and the addresses."""
NUMBERED = ("node", "vert", "edge", "elem")
JOINED = {
    "flex_vert": 3, "flex_vert0": 3, "flex_node": 3, "flex_node0": 3, "flex_vertbodyid": 0, "flex_nodebodyid": 0,
    "flex_vertcell": 0, "flex_edge": 2, "flex_edgeflap": 2, "flex_elem": 0, "flex_elemedge": 0, "flex_elemlayer": 0,
    "flex_shell": 0, "flex_texcoord": 2, "flex_elemtexcoord": 0, "flex_stiffness": 0, "flex_bending": 0,
    "flexedge_length0": 0, "flexedge_rigid": 0, "flexedge_J_rownnz": 0, "flexedge_J_colind": 0,
}  # fmt: skip
"""Arrays that go flex after flex, with their columns; 0: a list."""


@dataclass
class FlexParts:
    """Parts of one flex: what it adds to the joined arrays, and its own numbers."""

    arrays: dict[str, Any]
    own: dict[str, Any]


def compile_flexes(m, w: Worlds, tree: BodyTree) -> None:
    """Fill the arrays of flexes; ``flexedge_invweight0`` comes with the constants."""
    flexes = scene_flexes(m, w, tree)
    m.nflex, m.names_flex = len(flexes), [flex.name for flex in flexes]
    pose = pose_at(world(m, 0), world(m, 0).qpos0) if flexes else None
    constrained = edge_constraints(w, flexes)
    parts = [flex_parts(m, flex, pose, int(constrained[k])) for k, flex in enumerate(flexes)]
    join(m, [part.arrays for part in parts])
    address(m, [part.arrays for part in parts], [flex.dim for flex in flexes])
    for name in OWN:
        m.set(**{name: np.array([part.own[name] for part in parts]).reshape(m.zeros(name).shape)})
    m.set(flex_edgeequality=constrained)
    m.set(
        newton_flex=np.arange(m.nflex), newton_flexvert=np.arange(m.nflexvert), newton_flexnode=np.arange(m.nflexnode)
    )
    fill_fields(m, w, (*bindings.STRUCTURE, *bindings.BINDS))
    keep_numbers(m, flexes)
    if flexes and w.get("mujoco:flex_young").ndim > w.first("mujoco:flex_young").ndim:
        for row in bindings.DERIVED:
            m.set(**row.numpy(m, w))
    place_plastic(m, flexes)
    for flex, equality in zip(flexes, constrained, strict=True):
        check_forces(flex, int(equality))
        check_attachments(m, flex)


def edge_constraints(w: Worlds, flexes: list[SceneFlex]) -> np.ndarray:
    """Constraints of the edges or cells of each flex, whether they are on or not: 0 none, 1 edges, 3 strain."""
    found = np.zeros(len(flexes), int)
    if not flexes or not w.has("mujoco:equality_constraint_flex"):
        return found
    kinds = w.first("mujoco:equality_constraint_type")
    rows = w.local("mujoco:flex", w.first("mujoco:equality_constraint_flex"))
    for kind, value in ((MjtEq.FLEX, EDGES), (MjtEq.FLEXSTRAIN, STRAIN)):
        for row in rows[(kinds == kind) & (rows >= 0)].tolist():
            if kind == MjtEq.FLEXSTRAIN and not flexes[row].order:
                raise ModelError(f"flex strain equality requires an interpolated flex '{flexes[row].name}'")
            found[row] = value
    return found


def flex_parts(m, flex: SceneFlex, pose, equality: int) -> FlexParts:
    """Structure and numbers of one flex at the reference pose of the first world."""
    # places in the world, which orient the elements
    body = flex.bodies
    places = pose.xpos[body] + rotate(pose.xquat[body], flex.vert)
    node0 = pose.xpos[flex.node_bodies] + rotate(pose.xquat[flex.node_bodies], flex.node)
    own, own0 = (x @ grid_axes(flex, node0) for x in (places, node0))
    flex.elements = oriented(flex.elements, places)
    edges, elemedge = number_edges(flex.elements)
    low, high = own.min(0), own.max(0)
    extent = high - low
    thick = extent > 2.0 * MINVAL  # flat but for rounding is flat
    vert0 = np.where(thick, (own - low) / np.where(thick, extent, 1.0), 0.5)

    # edges, and dofs that change their lengths
    flaps = np.full((len(edges), 2), -1)
    if flex.dim == 2 and flex.bends():
        flaps = edge_flaps(flex.elements, edges, elemedge)
    pairs = np.full(edges.shape, -1) if flex.order else body[edges]
    rigid = np.zeros(len(edges), bool) if flex.order else pairs[:, 0] == pairs[:, 1]
    springs = any(flex.numbers[name] != 0 for name in ("edgestiffness", "edgedamping")) or flex.numbers["damping"] > 0
    filled = np.full(len(edges), not flex.order and not flex.is_rigid and (equality == EDGES or springs))
    rownnz, colind = edge_dofs(m, pairs, filled)

    lengths = np.linalg.norm(places[edges[:, 1]] - places[edges[:, 0]], axis=-1)
    centered = not (flex.node if flex.order else flex.vert).any()
    arrays = {
        "flex_vert": flex.vert,
        "flex_vert0": vert0,
        "flex_node": flex.node,
        "flex_node0": own0,
        "flex_vertbodyid": np.full(len(body), -1) if flex.order else body,
        "flex_nodebodyid": flex.node_bodies,
        "flex_vertcell": vertex_cells(flex, vert0),
        "flex_edge": edges,
        "flex_edgeflap": flaps,
        "flex_elem": flex.elements.ravel(),
        "flex_elemedge": elemedge.ravel(),
        "flex_elemlayer": layers(flex.elements),
        "flex_shell": outer_faces(flex.elements).ravel(),
        "flex_texcoord": flex.texcoord,
        "flex_elemtexcoord": (flex.elemtexcoord if len(flex.elemtexcoord) else flex.elements).ravel(),
        "flexedge_length0": lengths * (not flex.order),
        "flexedge_rigid": rigid,
        "flexedge_J_rownnz": rownnz,
        "flexedge_J_colind": colind,
        "flex_stiffness": element_stiffness(flex, own, own0, equality),
        "flex_bending": bending(m, flex, edges, flaps, places, own0),
    }
    own = {
        "flex_dim": flex.dim,
        "flex_interp": -flex.order if flex.is_shell else flex.order,
        "flex_rigid": flex.is_rigid,
        "flex_centered": centered,
        "flex_size": 0.5 * extent,
        "flex_cellnum": flex.cells,
    }
    arrays["nJfe"] = int(edge_dofs(m, pairs, np.full(len(edges), not flex.order and not flex.is_rigid))[0].sum())
    arrays["activelayers"] = int(flex.numbers["activelayers"])
    return FlexParts(arrays, own)


def grid_axes(flex: SceneFlex, node0: np.ndarray) -> np.ndarray:
    """Axes [3, 3], in columns, of the grid of nodes at the reference pose; those of the world without one. ModelError where
    the nodes make no grid of right angles.
    """
    if not flex.order:
        return np.eye(3)
    count = tuple(flex.order * c + 1 for c in flex.cells)
    corners = [np.ravel_multi_index(tuple(np.eye(3, dtype=int)[k] * (np.array(count) - 1)), count) for k in range(3)]
    along = node0[corners] - node0[0]
    axes = (along / np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-300)).T
    if np.abs(axes.T @ axes - np.eye(3)).max() > RIGHT:
        raise ModelError(
            f"flex '{flex.name}': flex grid rotation R0 is not orthonormal; give nodes a grid of right angles"
        )
    return axes


def vertex_cells(flex: SceneFlex, vert0: np.ndarray) -> np.ndarray:
    """Cell that each vertex of an interpolated flex is in, by its place [n, 3] in the grid from 0 to 1; -1 for others."""
    if not flex.order:
        return np.full(len(vert0), -1)
    cells = np.array(flex.cells)
    place = np.clip(np.floor(vert0 * cells).astype(int), 0, cells - 1)
    return np.ravel_multi_index(tuple(place.T), flex.cells)


def element_stiffness(flex: SceneFlex, places: np.ndarray, node0: np.ndarray, equality: int) -> np.ndarray:
    """Stiffness of all elements or cells, in one list; where the strain of cells is constrained, its modes."""
    if flex.order and equality == STRAIN:
        return strain.strain_records(flex, places, node0).ravel()
    if not flex.is_elastic or flex.dim == 1:
        return np.zeros(0)
    if flex.is_shell and not flex.stretches():
        return np.zeros(0)
    if flex.order:
        return cells.cell_records(flex, places, node0).ravel()
    return stretch.stretch_records(flex, places).ravel()


def bending(
    m, flex: SceneFlex, edges: np.ndarray, flaps: np.ndarray, places: np.ndarray, node0: np.ndarray
) -> np.ndarray:
    """Bending of all edges, of the hinges of a shell of cells, or of a rod, in one list."""
    if flex.dim == 1 and flex.is_rigid:
        return np.zeros(0)
    if flex.dim == 1 and flex.is_elastic:
        joints = np.where(flex.twists >= 0, m.dof_jntid[flex.twists], -1)
        return rods.rod_records(flex, joints, places)
    if not flex.is_elastic or not flex.bends():
        return np.zeros(0)
    if flex.order:
        return hinges.hinge_records(flex, node0)
    return bending_records(flex, edges, flaps, places).ravel()


def join(m, arrays: list[dict]) -> None:
    """The arrays of all flexes end to end; dofs of edges are padded to what all edges together might have."""
    for name, columns in JOINED.items():
        shape = (0, columns) if columns else (0,)
        kind = float if name in REAL else int
        m.set(**{name: np.concatenate([np.zeros(shape, kind), *(part[name].astype(kind) for part in arrays)])})
    m.nJfe = sum(part["nJfe"] for part in arrays)
    m.set(flexedge_J_colind=np.pad(m.flexedge_J_colind, (0, m.nJfe - len(m.flexedge_J_colind))))
    m.set(flexedge_J_rowadr=np.cumsum(m.flexedge_J_rownnz) - m.flexedge_J_rownnz)


REAL = "flex_vert flex_vert0 flex_node flex_node0 flex_texcoord flexedge_length0 flex_stiffness flex_bending".split()


OWN = ("flex_dim", "flex_interp", "flex_rigid", "flex_centered", "flex_size", "flex_cellnum")
KEPT = "young poisson shear thickness elastic2d elastic3d section sectionsize yield".split()


def address(m, arrays: list[dict], dims: list[int]) -> None:
    """Counts and addresses of the parts of all flexes, of their outer faces and of their trees of boxes."""
    for kind, (name, empty, address_of) in PARTS.items():
        counts = np.array([len(part[name]) for part in arrays], int)
        start = np.cumsum(counts) - counts
        setattr(m, f"nflex{kind}", int(counts.sum()))
        m.set(**{address_of: np.where(counts > 0, start, -1) if empty < 0 else start})
        if kind in NUMBERED:
            m.set(**{f"flex_{kind}num": counts})
    m.set(flex_shellnum=[len(part["flex_shell"]) // dim for part, dim in zip(arrays, dims, strict=True)])
    active = [int((part["flex_elemlayer"] < part["activelayers"]).sum()) for part in arrays]
    boxes = np.array([2 * count - 1 for count in active], int)
    m.set(flex_bvhnum=boxes, flex_bvhadr=np.cumsum(boxes) - boxes)


def compile_materials(m, w: Worlds) -> None:
    """Material of each element, by the names of the materials: one for a flex, or one for each element; -1: none."""
    ids, found = {name: k for k, name in enumerate(m.names_material)}, [np.zeros(0, int)]
    meshes = w.first_labels("mujoco:flex_mesh", "mujoco:flex") if m.nflex else []
    for k, count in enumerate(m.flex_elemnum):
        names = scene_mesh(meshes[k]).get("material") or [""]
        rows = [ids.get(name, -1) for name in names]
        if len(rows) not in (1, count):
            raise ModelError(
                f"flex '{m.names_flex[k]}': {len(rows)} materials for {count} elements; give one, or one each"
            )
        found.append(np.resize(rows, count))
    m.set(flex_matid=np.concatenate(found))


def keep_numbers(m, flexes: list[SceneFlex]) -> None:
    """Constants of the material, which writers of files need; the strains at which it yields as they count."""
    for name in KEPT:
        values = [flex.yields() if name == "yield" else flex.numbers[name] for flex in flexes]
        m.set(
            **{f"flex_{name}": np.array(values, m.zeros(f"flex_{name}").dtype).reshape(m.zeros(f"flex_{name}").shape)}
        )


def place_plastic(m, flexes: list[SceneFlex]) -> None:
    """Modes of each flex that yield, and where its numbers are in ``plastic``, behind those of joints and tendons."""
    counts = np.array([plastic_count(m, k, flex) for k, flex in enumerate(flexes)], int)
    m.set(flex_plasticadr=np.full(len(flexes), -1))  # so that the sum is that of joints and tendons
    start = plastic_springs(m)["nplastic"] + np.cumsum(counts) - counts
    m.nflexplastic = int(counts.sum())
    m.set(flex_plasticadr=np.where(counts > 0, start, -1), flex_plasticmode=[plastic_mode(flex) for flex in flexes])


def plastic_mode(flex: SceneFlex) -> int:
    """Bits of what yields: 1 bending, 2 stretching."""
    if not flex.is_elastic or flex.dim == 1 or flex.is_rigid:
        return 0
    first, second = flex.yields()
    stretching = first > 0 and flex.stretches()
    return (STRETCH if stretching else 0) | (BEND if second > 0 and flex.bends() and not flex.order else 0)


def plastic_count(m, k: int, flex: SceneFlex) -> int:
    """Numbers of a flex in ``plastic``: strains of elements or cells and angles of edges; frames and twists of rods."""
    if flex.dim == 1:
        n = len(flex.elements)
        return 6 * n + n - 1 if flex.is_elastic and (flex.twists >= 0).any() else 0
    mode, (cx, cy, cz) = plastic_mode(flex), flex.cells
    if flex.order:
        cells = 6 * cx * cy * cz if not flex.is_shell else 3 * 2 * (cy * cz + cx * cz + cx * cy)
        return cells if mode & STRETCH else 0
    per_element = {2: 3, 3: 6}[flex.dim] * len(flex.elements)
    return (per_element if mode & STRETCH else 0) + (int(m.flex_edgenum[k]) if mode & BEND else 0)
