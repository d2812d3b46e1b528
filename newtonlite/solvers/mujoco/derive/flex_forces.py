"""Flex force tables: elements, bending edges and cells that make forces, and which vertices, nodes and bodies gather them.

Everything is gathered in a fixed order: element edges by edges, edges and slots by points, points by bodies. A slot is the
force of one element of force (bending edge, cell) on one of its points; points are all vertices, then all nodes.
"""

from itertools import product

import numpy as np

from newtonlite.solvers.mujoco.derive.flex import owners
from newtonlite.solvers.mujoco.derive.flex_rods import rod_hinges
from newtonlite.solvers.mujoco.derive.flex_volume import element_vertices, volume_elements, volume_table
from newtonlite.solvers.mujoco.derive.ragged import flattened, starts

BEND, SHELL_BEND = 17, 10
"""Numbers of a record of ``flex_bending``: of a bending edge, and of one between two faces of a shell."""
BENDING, STRETCHING = 1, 2
"""Bits of ``flex_plasticmode``."""
THICKNESS = 6
"""Place of a sheet's thickness in the record of a triangle."""
SIZES = """
nflexstartpoint nflexstartdof nflexstartbody nflexplastic nflexspring nflexforce nflexstretch nflexstretch1 nflextension nflexedge1 nflexstretchedge nflexpullededge nflexbend nflexcell nflexcell1
nflexcellnode nflexshellbend nflexshellbendnode nflexvolume nflexslot nflexpoint nflexpoint1 nflexpulling nflexpointbody1 nflexbodypoint
""".split()
FIRST = ("flexcell_first", "flexshellbend_first", "flexrod_first", "flexvolume_first")
"""First slots of parts."""
EDGES = {2: 3, 3: 6}
"""Edges of a triangle, of a tetrahedron."""
STRAIN = 3
"""``flex_edgeequality`` of a flex whose cells are held by constraints."""


def derive(mj) -> dict:
    """Lists of elements with forces, slots, and who gathers what."""
    n = int(getattr(mj, "nflex", 0))
    if not n:
        return dict.fromkeys(SIZES, 0) | {name: np.zeros(1) for name in FIRST}
    stretch, bend, cells = stretch_elements(mj), bending_edges(mj), cell_nodes(mj)
    edges = [s["edges"] for s in stretch]
    slots = [*(b["points"] for b in bend), *(c["points"] for c in cells)]
    folds = shell_bends(mj, cells)
    slots += [f["points"] for f in folds]
    first = sum(map(len, slots))
    slots += [h["points"] for h in rod_hinges(mj)]
    solids = sum(map(len, slots))
    slots += [element_vertices(mj, stretch[i]) for i in volume_elements(mj, stretch)]
    springs = np.flatnonzero(any_world(mj, "flex_edgestiffness") | any_world(mj, "flex_edgedamping"))
    spring = len(springs) if not np.asarray(mj.flex_rigid)[springs].all() else 0
    plastic = sum(plastic_width(mj, f) for f in range(n))
    tables = {
        "nflexstartpoint": int(mj.nflexvert) + int(mj.nflexnode) if plastic else 0,
        "nflexstartdof": int(mj.nv) if plastic else 0,
        "nflexstartbody": int(mj.nbody) if plastic else 0,
        "nflexplastic": plastic,
        "nflexspring": spring,
        "nflexforce": int(bool(spring or stretch or slots)),
        "flexrod_first": np.array([first]),
        **stretch_table(stretch, int(mj.nflexedge)),
        **volume_table(mj, stretch, solids),
        **bend_table(bend),
        **cell_table(cells, 4 * len(bend)),
        **fold_table(folds, 4 * len(bend) + sum(len(c["points"]) for c in cells)),
        **gather_table(mj, edges, spring, slots),
    }
    return tables


def any_world(mj, name: str) -> np.ndarray:
    """Mask of the flexes of which a parameter is not 0 in some world."""
    return (np.asarray(getattr(mj, name)).reshape(-1, int(mj.nflex)) != 0.0).any(0)


def stretch_elements(mj) -> list:
    """Elements with a stiffness against stretching: address of the matrix, edges of all flexes."""
    found = []
    for f in range(int(mj.nflex)):
        dim, adr = int(mj.flex_dim[f]), int(mj.flex_stiffnessadr[f])
        if adr < 0 or mj.flex_interp[f] or dim == 1 or mj.flex_rigid[f]:
            continue
        count, record = {2: (3, 21), 3: (6, 24)}[dim]
        for e in range(int(mj.flex_elemnum[f])):
            first = int(mj.flex_elemedgeadr[f]) + count * e
            edges = np.asarray(mj.flex_elemedge, int)[first : first + count] + int(mj.flex_edgeadr[f])
            record_adr, yielded = adr + record * e, yielding(mj, f, STRETCHING)
            found.append(
                {
                    "flex": f,
                    "elem": int(mj.flex_elemadr[f]) + e,
                    "adr": record_adr,
                    "edges": edges,
                    "plastic": -1 if yielded < 0 else yielded + count * e,
                }
            )
    return found


def yielding(mj, f: int, what: int) -> int:
    """First number of what yields of a flex without interpolation, in plastic: stretching comes first; -1: it does not."""
    mode, at = int(mj.flex_plasticmode[f]), int(mj.flex_plasticadr[f])
    if at < 0 or not mode & what:
        return -1
    stretches = EDGES[int(mj.flex_dim[f])] * int(mj.flex_elemnum[f]) if mode & STRETCHING else 0
    return at if what == STRETCHING else at + stretches


def plastic_width(mj, f: int) -> int:
    """Numbers of a flex in plastic."""
    if int(mj.flex_plasticadr[f]) < 0:
        return 0
    dim, kind, mode = int(mj.flex_dim[f]), int(mj.flex_interp[f]), int(mj.flex_plasticmode[f])
    if dim == 1:
        hinges = int(np.asarray(mj.flex_bending).reshape(-1, int(mj.nflexbending))[0, int(mj.flex_bendingadr[f])])
        return 6 * (hinges + 1) + hinges
    if kind:
        order, cells, _ = grid(mj, f)
        return 3 * len(shell_faces(order, cells)) if kind < 0 else 6 * int(np.prod(cells))
    stretches = EDGES[dim] * int(mj.flex_elemnum[f]) if mode & STRETCHING else 0
    return stretches + (int(mj.flex_edgenum[f]) if mode & BENDING else 0)


def bending_edges(mj) -> list:
    """Edges between two triangles: address of the record, and the vertices of the two."""
    found = []
    for f in range(int(mj.nflex)):
        adr, first = int(mj.flex_bendingadr[f]), int(mj.flex_edgeadr[f])
        if adr < 0 or mj.flex_interp[f] or mj.flex_dim[f] != 2 or mj.flex_rigid[f]:
            continue
        for e in range(int(mj.flex_edgenum[f])):
            points = [*np.asarray(mj.flex_edge)[first + e], *np.asarray(mj.flex_edgeflap)[first + e]]
            if min(points) >= 0:
                yielded, thickness = yielding(mj, f, BENDING), int(mj.flex_stiffnessadr[f]) + THICKNESS
                found.append(
                    {
                        "flex": f,
                        "edge": first + e,
                        "adr": adr + BEND * e,
                        "points": [int(v) + int(mj.flex_vertadr[f]) for v in points],
                        "plastic": -1 if yielded < 0 else yielded + e,
                        "thickness": thickness,
                    }
                )
    return found


def grid(mj, f: int) -> tuple:
    """Order of the polynomials, cells along each axis, and function from a place in the grid to a node of all flexes."""
    order, cells = abs(int(mj.flex_interp[f])), np.asarray(mj.flex_cellnum[f], int)
    count = order * cells + 1
    return order, cells, lambda place: int(mj.flex_nodeadr[f]) + int(np.ravel_multi_index(tuple(place), count))


def cell_nodes(mj) -> list:
    """Cells of blocks with a stiffness, and faces of shells that stretch or bend: their nodes, and the gradients of the
    nodes' polynomials in the middle [1/m], in two directions along a face.
    """
    found, points = [], int(mj.nflexvert)
    stiffness = np.asarray(mj.flex_stiffness).reshape(-1, max(1, int(mj.nflexstiffness)))
    for f in range(int(mj.nflex)):
        adr, kind = int(mj.flex_stiffnessadr[f]), int(mj.flex_interp[f])
        bends = kind < 0 and int(mj.flex_bendingadr[f]) >= 0
        if adr < 0 and not bends or not kind or mj.flex_rigid[f]:
            continue
        order, cells, node_at = grid(mj, f)
        at0 = int(mj.flex_plasticadr[f])
        places = shell_faces(order, cells) if kind < 0 else block_cells(order, cells)
        for k, (axis, at) in enumerate(places):
            nodes = [node_at(p) for p in at]
            size = (3 * len(nodes)) ** 2
            if kind > 0 and not stiffness[:, adr + k * size].any():  # an empty one
                continue
            axes = (0, 1, 2) if axis < 0 else ((axis + 1) % 3, (axis + 2) % 3)
            length = (np.asarray(mj.flex_node0)[nodes[-1]] - np.asarray(mj.flex_node0)[nodes[0]])[list(axes)]
            found.append(
                {
                    "flex": f,
                    "cell": k,
                    "axis": axis,
                    "adr": max(adr, 0) + k * size,
                    "points": [points + n for n in nodes],
                    "gradients": middle_gradients(order, len(axes)) / np.where(length > 0.0, length, 1.0),
                    "plastic": -1 if at0 < 0 else at0 + (6 if kind > 0 else 3) * k,
                    "held": adr < 0 or int(mj.flex_edgeequality[f]) == STRAIN,
                }
            )
    return found


def block_cells(order: int, cells) -> list:
    """(-1, places of the nodes in the grid) of each cell, the last axis fastest."""
    corners = [np.array(c) for c in product(range(order + 1), repeat=3)]
    return [(-1, [order * np.array(c) + k for k in corners]) for c in product(*map(range, cells))]


def shell_faces(order: int, cells) -> list:
    """(normal axis, places of the nodes) of each outer face: by axis, the low side first."""
    found = []
    for axis in range(3):
        one, two = (axis + 1) % 3, (axis + 2) % 3
        for side in (0, 1):
            for q in product(range(cells[one]), range(cells[two])):
                at = []
                for l0, l1 in product(range(order + 1), repeat=2):
                    place = np.zeros(3, int)
                    place[axis], place[one], place[two] = (
                        side * order * cells[axis],
                        order * q[0] + l0,
                        order * q[1] + l1,
                    )
                    at.append(place)
                found.append((axis, at))
    return found


def polynomials(order: int, s: float) -> tuple:
    """Values and slopes of the Lagrange polynomials of order 1 or 2 at ``s`` of 0 to 1."""
    if order == 1:
        return (1.0 - s, s), (-1.0, 1.0)
    return (2.0 * (s - 0.5) * (s - 1.0), 4.0 * s * (1.0 - s), 2.0 * s * (s - 0.5)), (
        4.0 * s - 3.0,
        4.0 - 8.0 * s,
        4.0 * s - 1.0,
    )


def gradients(order: int, at) -> np.ndarray:
    """Gradients ``[node, axis]`` of the products of the polynomials along axes, at a place of the unit cell."""
    values, slopes = zip(*(polynomials(order, s) for s in at), strict=True)
    return np.array(
        [
            [np.prod([(slopes if a == b else values)[b][k[b]] for b in range(len(at))]) for a in range(len(at))]
            for k in product(range(order + 1), repeat=len(at))
        ]
    )


def middle_gradients(order: int, axes: int) -> np.ndarray:
    """Gradients in the middle of the unit cell."""
    return gradients(order, (0.5,) * axes)


def shell_bends(mj, cells: list) -> list:
    """Edges between two faces of shells: address of the record, both faces, gradients at the middle of the edge."""
    found, faces = [], {(c["flex"], c["cell"]): i for i, c in enumerate(cells)}
    for f in range(int(mj.nflex)):
        adr = int(mj.flex_bendingadr[f])
        if adr < 0 or int(mj.flex_interp[f]) >= 0 or mj.flex_rigid[f]:
            continue
        numbers = np.asarray(mj.flex_bending).reshape(-1, int(mj.nflexbending))[0]
        for e in range(int(numbers[adr])):
            first = adr + 1 + SHELL_BEND * e
            record = numbers[first : first + SHELL_BEND]
            pair = [faces[f, int(record[i])] for i in (0, 1)]
            order = abs(int(mj.flex_interp[f]))
            found.append(
                {
                    "adr": first,
                    "faces": pair,
                    "points": [p for c in pair for p in cells[c]["points"]],
                    "gradients": np.concatenate([gradients(order, record[at : at + 2]) for at in (2, 4)]),
                }
            )
    return found


def stretch_table(stretch: list, nedge: int) -> dict:
    """Elements with their edges, and of each edge the places where elements have it."""
    edges = [s["edges"] for s in stretch]
    owner = flattened(edges)
    parts = grouped(owner, nedge)
    return {
        "nflexstretch": len(stretch),
        "nflexstretch1": len(stretch) + 1,
        "nflextension": len(owner),
        "nflexedge1": nedge + 1,
        "nflexstretchedge": nedge if stretch else 0,
        "flexstretch_flexid": np.array([s["flex"] for s in stretch], int),
        "flexstretch_elem": np.array([s["elem"] for s in stretch], int),
        "flexstretch_adr": np.array([s["adr"] for s in stretch], int),
        "flexstretch_plastic": np.array([s["plastic"] for s in stretch], int),
        "flexstretch_tensionadr": starts(edges),
        "flextension_edge": owner,
        "flexedge_tensionadr": starts(parts),
        "flexedge_tension": flattened(parts),
    }


def bend_table(bend: list) -> dict:
    """Bending edges, their records and vertices."""
    return {
        "nflexbend": len(bend),
        "flexbend_flexid": np.array([b["flex"] for b in bend], int),
        "flexbend_edge": np.array([b["edge"] for b in bend], int),
        "flexbend_adr": np.array([b["adr"] for b in bend], int),
        "flexbend_plastic": np.array([b["plastic"] for b in bend], int),
        "flexbend_thickness": np.array([b["thickness"] for b in bend], int),
        "flexbend_vert": np.array([b["points"] for b in bend], int).reshape(-1, 4),
    }


def cell_table(cells: list, first: int) -> dict:
    """Cells, their matrices, nodes and gradients; slots begin at ``first``."""
    points = [c["points"] for c in cells]
    slopes = np.zeros((sum(map(len, points)), 3))
    if cells:
        slopes = np.concatenate([np.pad(c["gradients"], ((0, 0), (0, 3 - c["gradients"].shape[1]))) for c in cells])
    return {
        "nflexcell": len(cells),
        "nflexcell1": len(cells) + 1 if cells else 0,
        "nflexcellnode": len(slopes),
        "flexcell_flexid": np.array([c["flex"] for c in cells], int),
        "flexcell_cell": np.array([c["cell"] for c in cells], int),
        "flexcell_axis": np.array([c["axis"] for c in cells], int),
        "flexcell_adr": np.array([c["adr"] for c in cells], int),
        "flexcell_plastic": np.array([c["plastic"] for c in cells], int),
        "flexcell_held": np.array([c["held"] for c in cells], int),
        "flexcell_nodeadr": starts(points) if cells else np.zeros(0, int),
        "flexcell_first": np.array([first]),
        "flexcellnode_point": flattened(points),
        "flexcellnode_cell": np.repeat(np.arange(len(cells)), [len(p) for p in points]),
        "flexcellnode_gradient": slopes,
    }


def fold_table(folds: list, first: int) -> dict:
    """Edges between faces of shells; slots begin at ``first``."""
    slopes = np.concatenate([f["gradients"] for f in folds]) if folds else np.zeros((0, 2))
    return {
        "nflexshellbend": len(folds),
        "nflexshellbendnode": len(slopes),
        "flexshellbend_adr": np.array([f["adr"] for f in folds], int),
        "flexshellbend_cell": np.array([f["faces"] for f in folds], int).reshape(-1, 2),
        "flexshellbend_nodeadr": starts([f["points"] for f in folds])[:-1],
        "flexshellbend_gradient": slopes,
        "flexshellbend_first": np.array([first]),
    }


def gather_table(mj, edges: list, spring: int, slots: list) -> dict:
    """Edges and slots of each point, and points of each body that some dof moves."""
    npoint = int(mj.nflexvert) + int(mj.nflexnode)
    bodies = np.concatenate([np.asarray(mj.flex_vertbodyid, int), np.asarray(mj.flex_nodebodyid, int)])
    pulling = set(flattened(edges).tolist())
    if spring:
        flexes = any_world(mj, "flex_edgestiffness") | any_world(mj, "flex_edgedamping")
        pulling |= set(np.flatnonzero(flexes[owners(mj, "edge")] & (np.asarray(mj.flexedge_rigid) == 0)).tolist())
    pulling = np.array(sorted(pulling), int)
    ends = (
        np.asarray(mj.flex_edge, int)[pulling] + np.asarray(mj.flex_vertadr, int)[owners(mj, "edge")[pulling]][:, None]
    )
    of_edges = grouped(ends.ravel(), npoint)
    of_slots = grouped(flattened(slots), npoint)
    of_bodies = grouped(np.where(bodies >= 0, bodies, int(mj.nbody)), int(mj.nbody) + 1)[:-1]
    return {
        "nflexpoint": npoint,
        "nflexpoint1": npoint + 1,
        "nflexslot": sum(map(len, slots)),
        "nflexpullededge": int(mj.nflexedge) if len(pulling) else 0,
        "nflexpulling": 2 * len(pulling),
        "nflexpointbody1": int(mj.nbody) + 1,
        "nflexbodypoint": sum(map(len, of_bodies)),
        "flexpoint_edgeadr": starts(of_edges),
        "flexpoint_edge": pulling[flattened(of_edges) // 2],
        "flexpoint_slotadr": starts(of_slots),
        "flexpoint_slot": flattened(of_slots),
        "flexbody_pointadr": starts(of_bodies),
        "flexbody_point": flattened(of_bodies),
        "flexpoint_alone": slides_alone(mj, bodies),
    }


def slides_alone(mj, bodies: np.ndarray) -> np.ndarray:
    """Whether a point is a node that is the origin of a body with three dofs, its own: forces on it do not reach the bodies
    that carry this one, as MuJoCo has it; those on nodes fixed to a body do.
    """
    found = np.zeros(len(bodies), bool)
    first = int(mj.nflexvert)
    offset = np.asarray(mj.flex_node, float).reshape(-1, 3)
    found[first:] = (np.asarray(mj.body_dofnum, int)[bodies[first:]] == 3) & ~offset.any(axis=1)
    return found.astype(int)


def grouped(owner: np.ndarray, count: int) -> list:
    """Positions of each of ``count`` numbers in a list, in order."""
    order = np.argsort(owner, kind="stable")
    ends = np.searchsorted(owner[order], np.arange(count + 1))
    return [order[a:b] for a, b in zip(ends[:-1], ends[1:], strict=True)]
