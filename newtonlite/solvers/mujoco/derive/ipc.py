"""Incremental potential contact: surfaces that take part, static features, and who may meet whom."""

import numpy as np

from newtonlite.core.mujoco import MjtDisableBit, MjtEnableBit, MjtGeom, MjtIntegrator, MjtJoint
from newtonlite.solvers.mujoco.derive.hull import hulls_of
from newtonlite.solvers.mujoco.derive.ragged import starts

SMOOTH = (MjtGeom.PLANE, MjtGeom.SPHERE, MjtGeom.CAPSULE, MjtGeom.ELLIPSOID, MjtGeom.CYLINDER)
SHAPES = (*SMOOTH, MjtGeom.BOX, MjtGeom.MESH)
"""Static geoms that surfaces are kept away from; others touch them by contacts."""
ROWS_PER_VERTEX, ROWS = 2, 128
"""Rows that pairs have room for."""
SIZES = ("nipcpoint", "nipcdof", "nipcflat", "nipctask", "nipctri", "nipcedge", "nipcgeom", "nipcgeomflex", "nipcgeom1")
NONE = dict.fromkeys((*SIZES, "nipccorner", "nipcside", "nipcface", "rows_ipc"), 0)


def derive(mj) -> dict:
    """Tables of a model with the flag and a surface; sizes of 0 of others."""
    if not keeps_apart(mj):
        return dict(NONE)
    flexes = kept_surfaces(mj)
    triangles = [flex_triangles(mj, f) for f in flexes]
    edges = [flex_edges(mj, f) for f in flexes]
    geoms = static_geoms(mj)
    corners, sides, faces = features(mj, geoms)
    of, active, dof, riders = points(mj, flexes)
    tables = {
        "ipcpoint_active": active,
        "ipcpoint_flex": of,
        "ipcpoint_dof": dof,
        "ipcpoint_riders": riders,
        "ipcdof_held": held_dofs(mj, active),
        "ipcflex_meets": meetings(mj, flexes),
        "ipctri_vert": np.concatenate([np.zeros((0, 3), int), *triangles]),
        "ipcedge_vert": np.concatenate([np.zeros((0, 2), int), *edges]),
        "ipcgeom": np.array(geoms, int),
        "ipcgeom_meets": geom_meetings(mj, geoms, flexes),
        "ipccorner_geom": np.array([k for k, _ in corners], int),
        "ipccorner_at": np.array([at for _, at in corners], float).reshape(-1, 3),
        "ipcside_corner": np.array(sides, int).reshape(-1, 2),
        "ipcface_adr": starts(faces),
        "ipcface_at": np.array([p for own in faces for p in own], float).reshape(-1, 3, 3),
    }
    nvert, nedge = int(mj.nflexvert), sum(map(len, edges))
    return {
        **tables,
        "nipcpoint": nvert,
        "nipcdof": int(mj.nv),
        "nipcflat": int(mj.nflex) ** 2,
        "nipctask": 2 * nvert + nedge + len(corners) + len(sides),
        "nipctri": sum(map(len, triangles)),
        "nipcedge": nedge,
        "nipcgeom": len(geoms),
        "nipcgeomflex": len(geoms) * int(mj.nflex),
        "nipcgeom1": len(geoms) + 1,
        "nipccorner": len(corners),
        "nipcside": len(sides),
        "nipcface": sum(map(len, faces)),
        "rows_ipc": ROWS_PER_VERTEX * nvert + ROWS,
    }


def asks(mj) -> bool:
    """Whether a model has the flag."""
    return bool(int(getattr(mj.opt, "enableflags", 0)) & MjtEnableBit.IPC)


def keeps_apart(mj) -> bool:
    """Whether a model has the flag, and surfaces that it keeps apart."""
    return asks(mj) and mj.opt.integrator == MjtIntegrator.DISCRETE and bool(surfaces(mj))


def surfaces(mj) -> list:
    """Flexes of dimension 2."""
    return [f for f in range(int(getattr(mj, "nflex", 0))) if int(mj.flex_dim[f]) == 2]


def kept_surfaces(mj) -> list:
    """Flexes of dimension 2 whose vertices have bodies. Interpolated ones are kept away from nothing, and have no contacts with what they
    would be: so in MuJoCo (measured).
    """
    return [f for f in surfaces(mj) if not int(mj.flex_interp[f])]


def is_kept_apart(mj, geom: int) -> bool:
    """Whether surfaces are kept away from a geom, in place of contacts: it is static, and of a shape that is known."""
    return int(mj.body_weldid[int(mj.geom_bodyid[geom])]) == 0 and int(mj.geom_type[geom]) in SHAPES


def touches(mj) -> bool:
    """Whether contacts are on at all."""
    return not int(mj.opt.disableflags) & (MjtDisableBit.CONTACT | MjtDisableBit.CONSTRAINT)


def masks(mj, kind: str) -> list:
    """Contact bits of geoms or flexes."""
    return list(
        zip(np.asarray(getattr(mj, f"{kind}_contype"), int), np.asarray(getattr(mj, f"{kind}_conaffinity"), int))
    )


def meet(one: tuple, two: tuple) -> bool:
    """Whether contact bits let two things meet."""
    return bool((one[0] & two[1]) | (two[0] & one[1]))


def static_geoms(mj) -> list:
    """Geoms that surfaces are kept away from."""
    bits = masks(mj, "geom")
    return [g for g in range(int(mj.ngeom)) if touches(mj) and any(bits[g]) and is_kept_apart(mj, g)]


def meetings(mj, flexes: list) -> np.ndarray:
    """int [nflex * nflex]: 1 where two surfaces may meet, or one may meet itself."""
    bits, n = masks(mj, "flex"), int(mj.nflex)
    found = np.zeros((n, n), int)
    for a in flexes if touches(mj) else ():
        for b in flexes:
            own = bool(mj.flex_selfcollide[a]) and bool(bits[a][0] & bits[a][1])
            found[a, b] = own if a == b else meet(bits[a], bits[b])
    return found.ravel()


def geom_meetings(mj, geoms: list, flexes: list) -> np.ndarray:
    """int [geoms * nflex]: 1 where a geom and a surface may meet."""
    of_geoms, of_flexes = masks(mj, "geom"), masks(mj, "flex")
    found = [[f in flexes and meet(of_geoms[g], of_flexes[f]) for f in range(int(mj.nflex))] for g in geoms]
    return np.array(found, int).ravel()


def flex_triangles(mj, f: int) -> np.ndarray:
    """Vertices [n, 3] of the elements of a surface, of all flexes."""
    first, count = int(mj.flex_elemdataadr[f]), int(mj.flex_elemnum[f])
    return np.asarray(mj.flex_elem, int)[first : first + 3 * count].reshape(-1, 3) + int(mj.flex_vertadr[f])


def flex_edges(mj, f: int) -> np.ndarray:
    """Vertices [n, 2] of the edges of a surface, of all flexes."""
    first, count = int(mj.flex_edgeadr[f]), int(mj.flex_edgenum[f])
    return np.asarray(mj.flex_edge, int).reshape(-1, 2)[first : first + count] + int(mj.flex_vertadr[f])


def is_own(mj, v: int) -> bool:
    """Whether a vertex is the only one of a body with three slides, and lies where that is."""
    body = int(mj.flex_vertbodyid[v])
    first = int(mj.body_jntadr[body])
    slides = int(mj.body_jntnum[body]) == 3 and bool(
        np.all(np.asarray(mj.jnt_type)[first : first + 3] == MjtJoint.SLIDE)
    )
    alone = int(np.sum(np.asarray(mj.flex_vertbodyid) == body)) == 1
    return slides and alone and not np.any(np.asarray(mj.flex_vert).reshape(-1, 3)[v])


def moves(mj, body: int) -> bool:
    """Whether a body, or one that carries it, has joints."""
    return int(mj.body_treeid[body]) >= 0


def points(mj, flexes: list) -> tuple:
    """Flex, part in surfaces, first dof, and number of vertices on its moving body, of all vertices."""
    n, bodies = int(mj.nflexvert), np.asarray(mj.flex_vertbodyid, int)
    of = np.repeat(np.arange(int(mj.nflex)), np.asarray(mj.flex_vertnum, int))
    active, dof, riders = np.zeros(n, int), np.full(n, -1), np.zeros(n, int)
    own = np.isin(of, flexes)
    for v in np.flatnonzero(own):
        active[v] = 1 if moves(mj, bodies[v]) else -1
        if is_own(mj, int(v)):
            dof[v] = int(mj.body_dofadr[bodies[v]])
    ride = own & (active > 0) & (dof < 0)
    for v in np.flatnonzero(ride):
        riders[v] = np.sum(ride & (bodies == bodies[v]))
    return of, active, dof, riders


def held_dofs(mj, active: np.ndarray) -> np.ndarray:
    """int [nv]: 1 for dofs of trees that carry vertices of surfaces."""
    trees = np.asarray(mj.body_treeid, int)[np.asarray(mj.flex_vertbodyid, int)[active > 0]]
    return np.isin(np.asarray(mj.dof_treeid, int), trees).astype(int)


def features(mj, geoms: list) -> tuple[list, list, list]:
    """Corners (place of the geom, where), sides (two corners) and triangles of hulls, by geoms."""
    hulls, rows = hulls_of(mj)
    corners, sides, faces = [], [], []
    for k, g in enumerate(geoms):
        first, own, ends, triangles = len(corners), [], [], []
        kind = int(mj.geom_type[g])
        if kind == MjtGeom.SPHERE:
            own = [(0.0, 0.0, 0.0)]
        elif kind == MjtGeom.CAPSULE:
            own, ends = [(0.0, 0.0, -1.0), (0.0, 0.0, 1.0)], [(0, 1)]
        elif kind == MjtGeom.BOX:
            own = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
            ends = [(i, i | bit) for bit in (4, 2, 1) for i in range(8) if not i & bit]
        elif kind == MjtGeom.MESH and rows[0][g] >= 0:
            hull = hulls[rows[0][g]]
            own = [tuple(p) for p in hull.vertices[: hull.count]]
            around = [list(map(int, p)) for p in hull.polygons]
            ends = sorted({tuple(sorted(e)) for p in around for e in zip(p, [*p[1:], p[0]])})
            triangles = [[own[p[0]], own[p[i]], own[p[i + 1]]] for p in around for i in range(1, len(p) - 1)]
        corners += [(k, at) for at in own]
        sides += [(first + a, first + b) for a, b in ends]
        faces.append(triangles)
    return corners, sides, faces
