"""Tables of soft surfaces: pieces, boxes and vertices of the flexes and skins that cameras see, from a compiled model."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import warp as wp

from newtonlite.core.mujoco import MjtObj
from newtonlite.math.quat import conjugate
from newtonlite.solvers.mujoco.derive.ray import boxes_over
from newtonlite.solvers.mujoco.render.soft import SoftSurfaces, SoftVertices
from newtonlite.solvers.mujoco.skins import right_products, rotation_matrices


class SoftPart(NamedTuple):
    """A flex or skin that is seen: its kind and number, colour, material (-1: none), and the first triangle of its texture
    coordinates (-1: none).
    """

    object: int
    id: int
    rgba: np.ndarray
    material: int
    uv: int


@dataclass
class RestShape:
    """Shape of a part in the reference pose: vertices [n, 3] [m], triangles about them that give normals [k, 3], distance of the
    surface from them and whether these triangles count evenly; pieces [p, 3] of its points, which of them are flat, the
    vertex of each point with its side, and texture coordinates [p, 3, 2] or None.
    """

    vertices: np.ndarray
    around: np.ndarray
    away: float
    even: bool
    pieces: np.ndarray
    flat: np.ndarray
    sides: int
    uv: np.ndarray | None
    radius: float = 0.0


@dataclass
class SoftScene:
    """Soft surfaces of ``nworld`` worlds on a device: ``parts``, ``surfaces`` and ``vertices`` of the kernels, and the
    corners of textures [3 t, 2] with how much of them there is along a metre [t].
    """

    parts: list[SoftPart] = field(default_factory=list)
    surfaces: SoftSurfaces = field(default_factory=SoftSurfaces)
    vertices: SoftVertices = field(default_factory=SoftVertices)


def rows_of(values: Any, width: int) -> np.ndarray:
    """A compiled model's array as rows."""
    return np.asarray(values).reshape(-1, width)


def flex_shape(mj: Any, f: int, smooth: bool, first: np.ndarray) -> RestShape:
    """Shape of a flex, of which MuJoCo's pictures show the skin, or of ropes the edges."""
    begin, count, dim = int(mj.flex_vertadr[f]), int(mj.flex_vertnum[f]), int(mj.flex_dim[f])
    vertices, radius = first[begin : begin + count], float(mj.flex_radius[f])
    if dim == 1:
        edges = rows_of(mj.flex_edge, 2)[int(mj.flex_edgeadr[f]) :][: int(mj.flex_edgenum[f])]
        lines = edges[:, [0, 1, 1]]
        return RestShape(vertices, np.zeros((0, 3), int), 0.0, True, lines, np.ones(len(lines), int), 1, None, radius)

    elements = np.asarray(mj.flex_elem).ravel()[int(mj.flex_elemdataadr[f]) :]
    shell = np.asarray(mj.flex_shell).ravel()[int(mj.flex_shelldataadr[f]) :][: dim * int(mj.flex_shellnum[f])]
    flat = int(bool(mj.flex_flatskin[f]) or not smooth)
    if dim == 3:
        around = shell.reshape(-1, 3)
        return RestShape(vertices, around, radius, True, around, np.full(len(around), flat), 1, None)
    # both sides of a sheet, and two triangles between them along each edge of its rim
    around = elements[: 3 * int(mj.flex_elemnum[f])].reshape(-1, 3)
    a, b = shell.reshape(-1, 2).T
    rim = np.concatenate([np.stack([a, b + count, b], axis=1), np.stack([b + count, a, a + count], axis=1)])
    pieces = np.concatenate([around, around[:, [0, 2, 1]] + count, rim])
    flats = np.concatenate([np.full(2 * len(around), flat), np.ones(len(rim), int)])
    return RestShape(vertices, around, radius, True, pieces, flats, 2, flex_uv(mj, f, rim))


def flex_uv(mj: Any, f: int, rim: np.ndarray) -> np.ndarray | None:
    """Texture coordinates of the pieces of a sheet; those of the rim are of the vertices, on either side."""
    start, count = int(mj.flex_texcoordadr[f]), int(mj.flex_elemnum[f])
    if start < 0:
        return None
    uv = rows_of(mj.flex_texcoord, 2)[start:]
    begin = int(mj.flex_elemdataadr[f])
    own = np.asarray(mj.flex_elemtexcoord).ravel()[begin : begin + 3 * count].reshape(-1, 3)
    elements = np.asarray(mj.flex_elem).ravel()[begin : begin + 3 * count]
    at_vertex = np.zeros(int(mj.flex_vertnum[f]), int)
    at_vertex[elements] = own.ravel()
    return uv[np.concatenate([own, own[:, [0, 2, 1]], at_vertex[rim % len(at_vertex)]])]


def skin_shape(mj: Any, s: int) -> RestShape:
    """Shape of a skin."""
    begin, first = int(mj.skin_vertadr[s]), int(mj.skin_faceadr[s])
    vertices = rows_of(mj.skin_vert, 3)[begin : begin + int(mj.skin_vertnum[s])]
    faces = rows_of(mj.skin_face, 3)[first : first + int(mj.skin_facenum[s])].astype(int)
    start = int(mj.skin_texcoordadr[s])
    uv = rows_of(mj.skin_texcoord, 2)[start:][faces] if start >= 0 else None
    return RestShape(vertices, faces, float(mj.skin_inflate[s]), False, faces, np.zeros(len(faces), int), 1, uv)


def skin_bones(mj: Any, s: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices [n], bodies [n] and (place in the body's frame, weight) [n, 4] of the bones of a skin, by vertices."""
    bones = range(int(mj.skin_boneadr[s]), int(mj.skin_boneadr[s]) + int(mj.skin_bonenum[s]))
    rest, found = rows_of(mj.skin_vert, 3)[int(mj.skin_vertadr[s]) :], [[np.zeros(0, int)], [np.zeros(0, int)], []]
    for b in bones:
        held = slice(int(mj.skin_bonevertadr[b]), int(mj.skin_bonevertadr[b]) + int(mj.skin_bonevertnum[b]))
        vertex, weight = np.asarray(mj.skin_bonevertid, int)[held], np.asarray(mj.skin_bonevertweight, float)[held]
        bound = np.array([conjugate(tuple(map(float, rows_of(mj.skin_bonebindquat, 4)[b])))])
        turn = rotation_matrices(right_products(bound, np.array([1.0, 0.0, 0.0, 0.0])))[0]
        arm = (rest[vertex] - rows_of(mj.skin_bonebindpos, 3)[b]) @ turn.T
        found[0].append(vertex)
        found[1].append(np.full(len(vertex), int(mj.skin_bonebodyid[b])))
        found[2].append(np.column_stack([arm, weight]))
    vertex, body = np.concatenate(found[0]), np.concatenate(found[1])
    order = np.argsort(vertex, kind="stable")
    return vertex[order], body[order], np.concatenate([np.zeros((0, 4)), *found[2]])[order]


def first_rows(owners: np.ndarray, count: int) -> np.ndarray:
    """First row of each of ``count`` owners among rows sorted by owners, and one more."""
    return np.searchsorted(owners, np.arange(count + 1))


def seen_shapes(mj: Any, groups: tuple[int, ...], smooth: bool) -> list[tuple[int, int, RestShape]]:
    """Kind, number and shape of the flexes and skins that cameras see, in the order of the model."""
    rest = rows_of(getattr(mj, "flexvert_xpos0", np.zeros(0)), 3)
    found = []
    for f in range(int(getattr(mj, "nflex", 0))):
        if int(mj.flex_group[f]) in groups:
            rest = rest_vertices(mj) if not len(rest) else rest
            found.append((MjtObj.FLEX, f, flex_shape(mj, f, smooth, rest)))
    for s in range(int(getattr(mj, "nskin", 0))):
        if int(mj.skin_group[s]) in groups:
            found.append((MjtObj.SKIN, s, skin_shape(mj, s)))
    return [one for one in found if len(one[2].pieces)]


def rest_vertices(mj: Any) -> np.ndarray:
    """Vertices of all flexes [n, 3] in the boxes about them, stretched to their size."""
    size = np.repeat(rows_of(mj.flex_size, 3), np.asarray(mj.flex_vertnum, int), axis=0)
    return 2.0 * rows_of(mj.flex_vert0, 3) * size


def soft_scene(mj: Any, nworld: int, groups: tuple[int, ...], smooth: bool, corners: Any, device: Any) -> SoftScene:
    """Soft surfaces of a compiled model (or a ``mujoco.MjModel``); their texture coordinates are added to ``corners``."""
    found, shapes = SoftScene(), seen_shapes(mj, groups, smooth)
    lists = {name: [] for name in ("skip", "first", "count", "corner", "flat", "row", "side", "away", "even", "around")}
    lists |= {"body": [], "arm": [], "owner": [], "face": []}
    box, piece, point, vertex = [0], [0], 0, 0
    for kind, id, shape in shapes:
        # boxes and pieces, in the order of the boxes; points of both sides of a vertex
        n, count = len(shape.vertices), len(shape.pieces)
        sides = np.concatenate([shape.vertices] * shape.sides)
        tree, order = boxes_over(sides[shape.pieces])
        lists["skip"].append(tree["bvh_skip"] + box[-1])
        lists["first"].append(tree["bvh_faceadr"] + piece[-1])
        lists["count"].append(tree["bvh_facenum"])
        lists["corner"].append(shape.pieces[order] + point)
        lists["flat"].append(shape.flat[order])
        start = corners.add_uv(shape.uv[order], sides[shape.pieces[order]]) if shape.uv is not None else -1

        # vertices, and what places them
        first = int(mj.flex_vertadr[id]) if kind == MjtObj.FLEX else -1
        lists["row"].append(first + np.arange(n) if first >= 0 else np.full(n, -1))
        other = np.arange(n) + point + n if shape.sides == 2 else np.full(n, -1)
        lists["side"].append(np.column_stack([np.arange(n) + point, other]))
        lists["away"].append(np.full(n, shape.away))
        lists["even"].append(np.full(n, int(shape.even)))
        owner = shape.around.ravel()
        by = np.argsort(owner, kind="stable")
        lists["around"].append(np.repeat(shape.around, 3, axis=0)[by] + vertex)
        lists["face"].append(owner[by] + vertex)
        bones = skin_bones(mj, id) if kind == MjtObj.SKIN else (np.zeros(0, int), np.zeros(0, int), np.zeros((0, 4)))
        for name, values in zip(("owner", "body", "arm"), (bones[0] + vertex, *bones[1:]), strict=True):
            lists[name].append(values)
        box.append(box[-1] + len(tree["bvh_skip"]))
        piece.append(piece[-1] + count)
        point, vertex = point + n * shape.sides, vertex + n
        found.parts.append(SoftPart(int(kind), id, *look_of(mj, kind, id), start))
    fill(found, lists, (box, piece, point, vertex), [shape.radius for _, _, shape in shapes], nworld, device)
    return found


def look_of(mj: Any, kind: int, id: int) -> tuple[np.ndarray, int]:
    """Colour and material of a flex, which is that of its first element, or of a skin."""
    if kind == MjtObj.SKIN:
        return rows_of(mj.skin_rgba, 4)[id], int(mj.skin_matid[id])
    return rows_of(mj.flex_rgba, 4)[id], int(mj.flex_matid[int(mj.flex_elemadr[id])])


def fill(found: SoftScene, lists: dict, sizes: tuple, radius: list, nworld: int, device: Any) -> None:
    """Put the lists on the device, with room for what follows the worlds."""
    box, piece, point, vertex = sizes
    joined = lambda name, width: np.concatenate([np.zeros((0, width) if width > 1 else 0), *lists[name]])
    whole = lambda values: wp.array(np.asarray(values, np.int32), dtype=int, device=device)
    s, v = found.surfaces, found.vertices
    s.box, s.piece, s.radius = whole(box), whole(piece), wp.array(radius, dtype=float, device=device)
    for name in ("skip", "first", "count", "flat"):
        setattr(s, name, whole(joined(name, 1)))
    s.corner = wp.array(joined("corner", 3).astype(np.int32), dtype=wp.vec3i, device=device)
    for name, count in (("low", box[-1]), ("high", box[-1]), ("point", point), ("normal", point)):
        setattr(s, name, wp.zeros((nworld, count), dtype=wp.vec3, device=device))
    v.row, v.even, v.body = whole(joined("row", 1)), whole(joined("even", 1)), whole(joined("body", 1))
    v.side = wp.array(joined("side", 2).astype(np.int32), dtype=wp.vec2i, device=device)
    v.away = wp.array(joined("away", 1), dtype=float, device=device)
    v.bone, v.face = whole(first_rows(joined("owner", 1), vertex)), whole(first_rows(joined("face", 1), vertex))
    v.arm = wp.array(joined("arm", 4), dtype=wp.vec4, device=device)
    v.around = wp.array(joined("around", 3).astype(np.int32), dtype=wp.vec3i, device=device)
    places: Any = wp.zeros((nworld, vertex), dtype=wp.vec3, device=device)
    v.place = places
