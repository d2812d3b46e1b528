"""Rod tables: hinges of one-dimensional flexes, and chains of them whose edges have frames of their own.

A hinge is a record of ``flex_bending``: of two edges that meet in a vertex, or a pair, of three edges in a row.
"""

import numpy as np

from newtonlite.math.quat import matrix
from newtonlite.solvers.mujoco.derive.flex_contact import element_vertices
from newtonlite.solvers.mujoco.derive.rod_records import RECORD, SECTION, is_chain, records

SIZES = "nflexrod nflexrodedge nflexchain".split()
FLAT = "nflexflat nflexflatelem nflexflatvert".split()


def derive(mj) -> dict:
    """Hinges and their vertices (slots: ``flex_forces``); chains with their edges, twist joints, and frames at the nominal poses of the bodies."""
    hinges, chains = rod_hinges(mj), rod_chains(mj)
    if not hinges:
        return dict.fromkeys((*SIZES, "nflexchain1", "nflextwist", "nflextwistelem", "nflextwistvert", *FLAT), 0)
    edges = [edge for c in chains for edge in c["edges"]]
    before = np.concatenate([[0], np.cumsum([len(c["edges"]) for c in chains])]).astype(int)
    edge = np.full(len(hinges), -1)
    for c, first in zip(chains, before, strict=False):
        edge[c["hinge"] : c["hinge"] + len(c["edges"]) - 1] = first + np.arange(len(c["edges"]) - 1)
    own = [np.flatnonzero(before[1:] > e)[0] if len(chains) else -1 for e in range(len(edges))]
    joints = np.array([e["joint"] for e in edges], int)
    frames = {
        name: np.array([c[name] for c in chains], float).reshape(-1, 2, 3)
        for name in ("root_local", "root_world", "tail_local")
    }
    bends = np.zeros((len(hinges), 2))
    for c in chains:
        bends[c["hinge"] : c["hinge"] + len(c["edges"]) - 1] = c["curvature"]
    return {
        "nflexrod": len(hinges),
        "nflexrodedge": len(edges),
        "nflexchain": len(chains),
        "nflexchain1": len(chains) + 1,
        **twist_tables(mj, chains),
        **flat_tables(mj, chains),
        "flexrod_flexid": np.array([h["flex"] for h in hinges], int),
        "flexrod_adr": np.array([h["adr"] for h in hinges], int),
        "flexrod_vert": np.array([[*h["points"], -1][:4] for h in hinges], int),
        "flexrod_slot": np.concatenate([[0], np.cumsum([len(h["points"]) for h in hinges])])[:-1].astype(int),
        "flexrod_edge": edge,
        "flexrod_curvature0": bends,
        "flexrodedge_vert": np.array([e["ends"] for e in edges], int).reshape(-1, 2),
        "flexrodedge_qposadr": np.array([mj.jnt_qposadr[j] if j >= 0 else -1 for j in joints], int),
        "flexrodedge_dofadr": np.array([mj.jnt_dofadr[j] if j >= 0 else -1 for j in joints], int),
        "flexrodedge_chain": np.array(own, int),
        "flexrodedge_hinge": np.array(
            [chains[c]["hinge"] + e - before[c] for e, c in enumerate(own)] if len(chains) else [], int
        ),
        "flexchain_plastic": np.array([c["plastic"] for c in chains], int),
        "flexchain_edgeadr": before,
        "flexchain_root": np.array([c["root"] for c in chains], int),
        "flexchain_tail": np.array([c["tail"] for c in chains], int),
        **{f"flexchain_{name}": value for name, value in frames.items()},
    }


def twist_tables(mj, chains: list) -> dict:
    """Edge with frames of each element, and for each vertex the element by which it turns: the one that begins there, or the
    last. Only where an edge has a twist joint.
    """
    number, own = np.full(int(mj.nflexelem), -1), np.full(int(mj.nflexvert), -1)
    before, used = 0, any(edge["joint"] >= 0 for c in chains for edge in c["edges"])
    ends = {tuple(sorted(pair)): e for e, pair in enumerate(element_vertices(mj)[:, :2].tolist())}
    for c in chains:
        elements = [ends[tuple(sorted(edge["ends"]))] for edge in c["edges"]]
        for e, edge in zip(elements, c["edges"], strict=True):
            own[edge["ends"][0]] = e
        own[c["edges"][-1]["ends"][1]] = elements[-1]
        number[elements] = before + np.arange(len(elements))
        before += len(elements)
    return {
        "nflextwist": int(used),
        "nflextwistelem": len(number) if used else 0,
        "nflextwistvert": len(own) if used else 0,
        "flexelem_rodedge": number if used else number[:0],
        "flexvert_twistelem": own if used else own[:0],
    }


def flat_tables(mj, chains: list) -> dict:
    """Rods of box section: first number of a hinge of each flex, and the edge that an element is, or by which a vertex lies: the
    one that begins there, or the last; -1: none.
    """
    section, element, vertex = (np.full(int(n), -1) for n in (mj.nflex, mj.nflexelem, mj.nflexvert))
    ends = {tuple(sorted(pair)): e for e, pair in enumerate(element_vertices(mj)[:, :2].tolist())}
    e = 0
    for c in chains:
        for edge in c["edges"]:
            if c["flat"]:
                element[ends[tuple(sorted(edge["ends"]))]] = e
                vertex[list(edge["ends"])] = e, e
            e += 1
        if c["flat"]:
            section[c["flex"]] = int(mj.flex_bendingadr[c["flex"]]) + 1
    used = bool((section >= 0).any())
    found = {"flex_flatadr": section, "flexelem_flatedge": element, "flexvert_flatedge": vertex}
    return {name: values if used else values[:0] for name, values in found.items()} | {
        name: len(values) if used else 0 for name, values in zip(FLAT, found.values(), strict=True)
    }


def rod_hinges(mj) -> list:
    """Hinges of all rods: address of the record, and the three or four vertices."""
    found = []
    for f in range(int(getattr(mj, "nflex", 0))):
        for h, record in enumerate(records(mj, f)):
            points = [int(v) + int(mj.flex_vertadr[f]) for v in record[:4] if v >= 0]
            found.append({"flex": f, "adr": int(mj.flex_bendingadr[f]) + 1 + RECORD * h, "points": points})
    return found


def rod_chains(mj) -> list:
    """Open rods of single hinges that have twist joints, curvature at rest or a section of two widths."""
    found, first = [], 0
    for f in range(int(getattr(mj, "nflex", 0))):
        rows = records(mj, f)
        if len(rows) and is_chain(rows):
            found.append(chain(mj, f, rows, first))
        first += len(rows)
    return found


def chain(mj, f: int, rows: np.ndarray, first: int) -> dict:
    """Edges of a chain with their twist joints, what its ends are clamped to (-1: nothing), and reference frames."""
    line = [*rows[:, 0].astype(int), *rows[-1, 1:3].astype(int)]
    verts = [v + int(mj.flex_vertadr[f]) for v in line]
    bodies = [int(mj.flex_vertbodyid[v]) for v in verts]
    root = bodies[0] if bodies[0] == bodies[1] else -1
    tail = bodies[-1] if len(rows) >= 2 and bodies[-2] == bodies[-1] else -1
    joints = [int(j) for j in rows[:, 7]]
    joints = [joints[0] - 1 if root < 0 and joints[0] >= 1 else -1, *joints]
    ends = list(zip(verts[:-1], verts[1:], strict=True))
    edges = [{"ends": e, "joint": j if 0 <= j < int(mj.njnt) else -1} for e, j in zip(ends, joints, strict=True)]
    places = [nominal_vertex(mj, v) for v in verts]
    return {
        "flex": f,
        "hinge": first,
        "edges": edges,
        "root": root,
        "tail": tail,
        "plastic": int(mj.flex_plasticadr[f]),
        "flat": bool(rows[:, SECTION].any()),
        **reference(mj, places, bodies, rows),
    }


def reference(mj, places: list, bodies: list, rows: np.ndarray) -> dict:
    """Twist-free (Bishop) frames along the nominal line: tangent and normal of the first edge, in its body and in the world;
    those of the last edge in its body; curvature of hinges that are bent at rest, in the frame before them.
    """
    turn = nominal_pose(mj, bodies[0])[1]
    tangent = unit(turn.T @ (places[1] - places[0]))
    normal, side = orthogonals(tangent)
    if rows[0, 9] < 0.0:  # the section lies across
        normal, side = side, -normal
    root_local = np.array([tangent, normal])
    t, u = turn @ tangent, turn @ normal
    root_world, bends = np.array([t, u]), np.zeros((len(rows), 2))
    for h in range(len(rows)):
        e0, e1 = places[h + 1] - places[h], places[h + 2] - places[h + 1]
        if rows[h, 6] > 0.0:
            bend = 2.0 * np.cross(e0, e1) / (np.linalg.norm(e0) * np.linalg.norm(e1) + e0 @ e1)
            bends[h] = bend @ u, bend @ np.cross(t, u)
        after = unit(e1)
        u = unit(u - (after @ u) / (1.0 + t @ after) * (t + after))
        t = after
    last = nominal_pose(mj, bodies[-1])[1]
    return {
        "root_local": root_local,
        "root_world": root_world,
        "tail_local": np.array([last.T @ t, last.T @ u]),
        "curvature": bends,
    }


def nominal_pose(mj, b: int) -> tuple:
    """Place and rotation of a body with all joints at zero."""
    place, turn = np.zeros(3), np.eye(3)
    while b > 0:
        own = matrix(np.asarray(mj.body_quat, float).reshape(-1, int(mj.nbody), 4)[0, b])
        place = own @ place + np.asarray(mj.body_pos, float).reshape(-1, int(mj.nbody), 3)[0, b]
        turn, b = own @ turn, int(mj.body_parentid[b])
    return place, turn


def nominal_vertex(mj, v: int) -> np.ndarray:
    """Place of a vertex with all joints at zero."""
    place, turn = nominal_pose(mj, int(mj.flex_vertbodyid[v]))
    return place + turn @ np.asarray(mj.flex_vert, float).reshape(-1, int(mj.nflexvert), 3)[0, v]


def unit(v: np.ndarray) -> np.ndarray:
    """A vector of length 1."""
    return v / np.linalg.norm(v)


def orthogonals(t: np.ndarray) -> tuple:
    """Two directions across a unit vector: y, or z where the vector is near to that, made orthogonal; and across both."""
    start = np.array([0.0, 1.0, 0.0]) if -0.5 < t[1] < 0.5 else np.array([0.0, 0.0, 1.0])
    one = unit(start - t * (t @ start))
    return one, np.cross(t, one)
