"""Neo-Hookean tetrahedra of flexes: those that resist a change of volume beside the squares of their edges' lengthening.

A record of MuJoCo has behind the matrix of the edges the stiffness of the cubic term, that of the volume, and one over the
determinant of the edges from the first vertex at rest; all three are 0 of other solids.
"""

import numpy as np

RECORD, CUBIC, VOLUME, INVERSE = 24, 21, 22, 23
"""Numbers of a record of a tetrahedron, and places of the three in it."""
FROM_FIRST, BETWEEN = (0, 2, 4), {(0, 1): 1, (0, 2): 5, (1, 2): 3}
"""Edges of a tetrahedron from its first vertex, and those between two of these edges."""


def volume_elements(mj, stretch: list) -> np.ndarray:
    """Places in ``stretch`` (``flex_forces.stretch_elements``) of Neo-Hookean tetrahedra."""
    numbers = np.asarray(mj.flex_stiffness, float).reshape(-1, max(1, int(mj.nflexstiffness)))
    solid = [i for i, s in enumerate(stretch) if len(s["edges"]) == 6]
    return np.array([i for i in solid if numbers[:, stretch[i]["adr"] + CUBIC].any()], int)


def is_neo_hookean(mj, f: int) -> bool:
    """Whether a flex is a Neo-Hookean solid in some world."""
    first = int(mj.flex_stiffnessadr[f])
    if mj.flex_dim[f] != 3 or mj.flex_interp[f] or first < 0:
        return False
    records = np.asarray(mj.flex_stiffness)[..., first : first + RECORD * int(mj.flex_elemnum[f])]
    return bool(np.any(records.reshape(-1, RECORD)[:, CUBIC]))


def element_vertices(mj, stretch: dict) -> list:
    """Vertices of a tetrahedron, of all flexes."""
    f = stretch["flex"]
    first = int(mj.flex_elemdataadr[f]) + 4 * (stretch["elem"] - int(mj.flex_elemadr[f]))
    return [int(v) + int(mj.flex_vertadr[f]) for v in np.asarray(mj.flex_elem)[first : first + 4]]


def inverse_shape(lengths: np.ndarray, sign: float) -> np.ndarray:
    """Inverse of the matrix whose columns are the edges from the first vertex, up to a rotation, of the lengths at rest."""
    square = np.asarray(lengths, float) ** 2
    gram = np.diag(square[list(FROM_FIRST)])
    for (i, j), e in BETWEEN.items():
        gram[i, j] = gram[j, i] = (gram[i, i] + gram[j, j] - square[e]) / 2.0
    shape = np.linalg.cholesky(gram).T
    shape[2] *= np.sign(sign) or 1.0
    return np.linalg.inv(shape)


def volume_table(mj, stretch: list, first: int) -> dict:
    """Neo-Hookean tetrahedra, their vertices and shapes at rest; slots begin at ``first``, four of each."""
    found = volume_elements(mj, stretch)
    numbers = np.asarray(mj.flex_stiffness, float).reshape(-1, max(1, int(mj.nflexstiffness)))
    of_stretch = np.full(len(stretch), -1)
    of_stretch[found] = np.arange(len(found))
    rest = np.asarray(mj.flexedge_length0, float).reshape(-1, int(mj.nflexedge))[0]
    shapes = [inverse_shape(rest[stretch[i]["edges"]], numbers[0, stretch[i]["adr"] + INVERSE]) for i in found]
    return {
        "nflexvolume": len(found),
        "flexstretch_volume": of_stretch,
        "flexvolume_stretch": found,
        "flexvolume_vert": np.array([element_vertices(mj, stretch[i]) for i in found], int).reshape(-1, 4),
        "flexvolume_inverse": np.array(shapes).reshape(-1, 3, 3),
        "flexvolume_first": np.array([first]),
    }
