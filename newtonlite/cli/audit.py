"""Mass audit: masses and inertias of a compiled model that look wrong."""

from collections.abc import Iterator

import numpy as np

MASS_RATIO, INERTIA_RATIO = 1e4, 1e3
"""Between moving bodies, and between the principal moments of one."""
FAR = 10.0
"""Largest plausible ratio of a body's radius of gyration to its own size."""
TINY = 1e-12


def audit(mj) -> list[str]:
    """One line for each finding; none where everything looks right."""
    return [*bodies(mj), *ratios(mj), *meshes(mj)]


def bodies(mj) -> Iterator[str]:
    """Findings about single bodies."""
    size = sizes(mj)
    for b in range(1, mj.nbody):
        name, mass, moments = mj.name("body", b), float(mj.body_mass[b]), np.sort(np.asarray(mj.body_inertia[b], float))
        moves = bool(mj.body_jntnum[b])
        if mass <= 0:
            if moves:
                yield f"{name} moves and has no mass of its own"
            elif moments.any():
                yield f"{name} has inertia and no mass"
            continue
        if moments[0] < 0 or moments[0] + moments[1] < moments[2] * (1 - 1e-6):
            yield f"{name}: principal inertias {number_row(moments)} are not those of a body (A + B >= C)"
        if moments[0] <= 0:
            yield f"{name}: mass {mass:.3g} kg with an inertia of zero about an axis"
        elif moments[2] > INERTIA_RATIO * moments[0]:
            yield f"{name}: principal inertias {number_row(moments)} differ by more than {INERTIA_RATIO:g}"
        gyration = np.sqrt(moments[2] / mass)
        if size[b] > 0 and gyration > FAR * size[b]:
            yield f"{name}: its inertia is that of a mass {gyration:.3g} m away, its geoms reach {size[b]:.3g} m"


def ratios(mj) -> Iterator[str]:
    """Findings about bodies compared with each other."""
    moving = np.flatnonzero((np.asarray(mj.body_jntnum) > 0) & (np.asarray(mj.body_mass) > 0))
    if len(moving) > 1:
        masses = np.asarray(mj.body_mass)[moving]
        light, heavy = moving[masses.argmin()], moving[masses.argmax()]
        if masses.max() > MASS_RATIO * masses.min():
            yield f"{mj.name('body', heavy)} ({masses.max():.3g} kg) is more than {MASS_RATIO:g} times as heavy as {mj.name('body', light)} ({masses.min():.3g} kg)"


def meshes(mj) -> Iterator[str]:
    """Findings about meshes: without volume, or inside out."""
    from newtonlite.geometry import inertia

    if getattr(mj, "mesh_vert", None) is None:
        return
    for i in range(mj.nmesh):
        start, first = int(mj.mesh_vertadr[i]), int(mj.mesh_faceadr[i])
        vertices = np.asarray(mj.mesh_vert[start : start + int(mj.mesh_vertnum[i])], float)
        faces = np.asarray(mj.mesh_face[first : first + int(mj.mesh_facenum[i])])
        volume, box = inertia.mesh(1.0, vertices, faces).mass, float(np.prod(np.ptp(vertices, axis=0)))
        if volume <= TINY * max(box, TINY):
            yield f"{mj.name('mesh', i)} has a volume of zero or less: it is flat, open or inside out"


def sizes(mj) -> np.ndarray:
    """Distance from the centre of mass of each body to the farthest point of its geoms [nbody, m]."""
    size = np.zeros(mj.nbody)
    for g in range(mj.ngeom):
        b, reach = int(mj.geom_bodyid[g]), float(mj.geom_rbound[g])
        size[b] = max(size[b], reach + float(np.linalg.norm(np.asarray(mj.geom_pos[g]) - mj.body_ipos[b])))
    return size


def number_row(values) -> str:
    """Numbers in a row."""
    return ", ".join(f"{v:.3g}" for v in values)
