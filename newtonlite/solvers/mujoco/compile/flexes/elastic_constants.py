"""Elastic constants of a soft body, recovered from its stiffness: models that MuJoCo has compiled keep this alone.

Stiffness is linear in Lame's parameters, that of bending in the rigidity of a plate, that of a rod in both moduli. Each
is the best multiple of what our own compiler makes of units, and with the constants found it must make all numbers anew.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.math.quat import rotate
from newtonlite.solvers.mujoco.bindings.flex import RECORD, STRAIN, span
from newtonlite.solvers.mujoco.compile.flexes.arrays import bending, element_stiffness, grid_axes
from newtonlite.solvers.mujoco.compile.flexes.cells import cell_stiffness
from newtonlite.solvers.mujoco.compile.flexes.rods import BOX, rod_records
from newtonlite.solvers.mujoco.compile.flexes.scene import BEND, STRETCH, SceneFlex
from newtonlite.solvers.mujoco.compile.flexes.stretch import THICKNESS
from newtonlite.solvers.mujoco.compile.kinematics import pose_at
from newtonlite.solvers.mujoco.derive.flex_volume import is_neo_hookean

SAME = 1e-5
"""Part of the largest number of a soft body by which what is compiled anew may differ: cells are cut in other ways."""
DIGITS = 8
"""Digits of the constants."""
HINGE, BENT, BOTH, TWISTER, TWISTED, SIDE = 6, 4, 5, 7, 8, 9
"""Numbers of a record: stiffness of a hinge; of a rod, that of bending, what the other way has more, the twisting joint,
stiffness of twisting, and the smaller half size.
"""


def recover_elasticity(model, f: int, bodies: np.ndarray) -> dict:
    """Attributes of ``elasticity`` of flex ``f`` that a model does not keep; its vertices stand in the frames of
    ``bodies``. ModelError where its stiffness is not that of one isotropic material.
    """
    if is_neo_hookean(model, f):
        raise ModelError("a Neo-Hookean solid, which no attribute says; set elastic3d to 0")
    flex, places, node0 = reference(model, f, bodies)
    stiffness, bent = stored(model, f, "stiffness"), stored(model, f, "bending")
    thickness = without_thickness(flex, stiffness)
    if flex.dim == 1:
        return rod_constants(flex, places, bent)
    equality = int(model.flex_edgeequality[f])
    is_strained = equality == STRAIN
    flex.numbers["elastic2d"] = elastic_2d(model, f, bool(stiffness.any()) and not is_strained, bent.size > 0)
    with_numbers = lambda **numbers: replace(flex, numbers=flex.numbers | numbers)
    stretching = stretching_of(with_numbers, places, node0, equality)
    index = part(model, f, "edge")
    edges, flaps = np.asarray(model.flex_edge)[index], np.asarray(model.flex_edgeflap)[index]
    bending_of = lambda **numbers: bending(model, with_numbers(**numbers), edges, flaps, places, node0)

    # Lame's parameters, where modes of strain are not what is stored: forms of nu = 0 and nu = 1/4 with E = 1
    found = {"young": 0.0, "poisson": 0.0}
    is_plane = (flex.dim == 2 and not flex.order) or flex.is_shell
    if stiffness.size and not is_strained:
        one, two = (stretching(young=1.0, poisson=nu, thickness=1.0) for nu in (0.0, 0.25))
        stiff = 0.25 / (1.0 - 0.25**2) if is_plane else 0.4
        mu, lam = multiples((2.0 * one, (two - 0.8 * one) / stiff), stiffness)
        found = isotropic(mu, lam, is_plane)
    # a sheet besides: rigidity D = E t^3 / 12 (1 - nu^2) by records of D = 1, and the thickness
    if is_plane:
        rigidity = 0.0
        if bent.size:
            unit = across(flex, bending_of(young=12.0, poisson=0.0, thickness=1.0))
            rigidity = multiples((unit,), across(flex, bent))[0]
        if is_strained:
            thickness = membrane(flex, stiffness) / membrane(flex, stretching(thickness=1.0))
        found |= sheet(flex, found, rigidity, thickness)
    found = {name: float(f"{value:.{DIGITS}g}") for name, value in found.items()}

    # the same numbers once more, of the constants; modes of strain are of none, and of cubes are not unique
    if not is_strained:
        check(stretching(**found), stiffness)
    check(bending_of(**found), bent)
    return found | ({"elastic2d": flex.numbers["elastic2d"]} if flex.numbers["elastic2d"] else {})


def stretching_of(
    with_numbers: Callable[..., SceneFlex], places: np.ndarray, node0: np.ndarray, equality: int
) -> Callable[..., np.ndarray]:
    """Stiffness of elements or cells by constants; cells are cut once for all."""
    flex = with_numbers(young=1.0)
    if flex.order and not flex.is_shell and equality != STRAIN:
        by_material = cell_stiffness(flex, places, node0)
        return lambda young, poisson, thickness=1.0: by_material(young, poisson).ravel()

    def stretching(**numbers) -> np.ndarray:
        made = element_stiffness(with_numbers(**numbers), places, node0, equality)
        without_thickness(flex, made)
        return made

    return stretching


def reference(model, f: int, bodies: np.ndarray) -> tuple[SceneFlex, np.ndarray, np.ndarray]:
    """A flex without its constants, and the places of its vertices and nodes at the reference pose, in the axes of its grid."""
    vert, node = part(model, f, "vert"), part(model, f, "node")
    dim, start = int(model.flex_dim[f]), int(model.flex_elemdataadr[f])
    elements = np.asarray(model.flex_elem)[start : start + int(model.flex_elemnum[f]) * (dim + 1)]
    numbers = {name: np.asarray(getattr(model, f"flex_{name}"))[f] for name in ("yield", "radius")}
    x, y, z = np.asarray(model.flex_cellnum)[f].tolist()
    numbers |= dict.fromkeys(("young", "poisson", "shear", "thickness", "elastic2d", "elastic3d", "section"), 0)
    flex = SceneFlex(
        "",
        dim,
        abs(int(model.flex_interp[f])),
        (x, y, z),
        bodies,
        np.asarray(model.flex_vert, float)[vert],
        np.asarray(model.flex_nodebodyid)[node],
        np.asarray(model.flex_node, float)[node],
        elements.reshape(-1, dim + 1).astype(int),
        np.zeros((0, 2)),
        np.zeros((0, dim + 1), int),
        [],
        np.zeros(0, int),
        numbers,
    )
    pose = pose_at(model, np.asarray(model.qpos0, float))
    places = pose.xpos[bodies] + rotate(pose.xquat[bodies], flex.vert)
    nodes = pose.xpos[flex.node_bodies] + rotate(pose.xquat[flex.node_bodies], flex.node)
    axes = grid_axes(flex, nodes)
    return flex, places @ axes, nodes @ axes


def part(model, f: int, kind: str) -> slice:
    """The rows of a flex among all vertices, nodes or edges."""
    first = int(getattr(model, f"flex_{kind}adr")[f])
    return slice(first, first + int(getattr(model, f"flex_{kind}num")[f]))


def stored(model, f: int, name: str) -> np.ndarray:
    """Numbers of a flex in ``flex_stiffness`` or ``flex_bending``; none where it has no address."""
    return np.asarray(getattr(model, f"flex_{name}"), float)[span(model, name, f)].copy()


def without_thickness(flex: SceneFlex, stiffness: np.ndarray) -> float | None:
    """The thickness that the first triangle's record has where bending yields, 0 in its place; None for others."""
    if flex.dim != 2 or flex.order or flex.yields()[1] <= 0.0 or not stiffness.size:
        return None
    found, stiffness[THICKNESS] = float(stiffness[THICKNESS]), 0.0
    return found or None


def elastic_2d(model, f: int, is_stretched: bool, is_bent: bool) -> int:
    """Value of ``elastic2d`` of a surface or a shell, by the numbers that there are; a shell is always something."""
    interp = int(model.flex_interp[f])
    if interp > 0 or (int(model.flex_dim[f]) != 2 and not interp):
        return 0
    found = (STRETCH if is_stretched else 0) | (BEND if is_bent else 0)
    return found or (STRETCH if interp else 0)


def multiples(forms: tuple, wanted: np.ndarray) -> list[float]:
    """Factors of forms whose sum is nearest to what is wanted."""
    if any(form.shape != wanted.shape for form in forms):
        return [0.0] * len(forms)
    return np.linalg.lstsq(np.stack(forms, -1), wanted, rcond=None)[0].tolist()


def isotropic(mu: float, lam: float, is_plane: bool) -> dict[str, float]:
    """Young's modulus and Poisson's ratio by Lame's parameters, of a solid or in plane stress; something where both are 0."""
    if mu <= 0.0:
        return {"young": 1.0, "poisson": 0.0}
    poisson = max(0.0, lam / (lam + 2.0 * mu) if is_plane else 0.5 * lam / (lam + mu))
    return {"young": 2.0 * mu * (1.0 + poisson), "poisson": poisson}


def sheet(flex: SceneFlex, stretch: dict[str, float], rigidity: float, thickness: float | None) -> dict[str, float]:
    """Thickness of a sheet, and its modulus. The stiffnesses against stretching and bending give both; of one alone any
    thickness makes the same sheet, and where none is known that of its radius is taken.
    """
    young, poisson = stretch["young"], stretch["poisson"]
    bends, stretches = flex.bends() and rigidity > 0.0, flex.stretches() and young > 0.0
    if thickness is None:
        thickness = 2.0 * float(flex.numbers["radius"]) or 1.0
        if bends and stretches:
            thickness = math.sqrt(12.0 * rigidity * (1.0 - poisson**2) / young)
    young = young / thickness if stretches or not bends else 12.0 * rigidity / thickness**3
    return {"young": young, "thickness": thickness}


def membrane(flex: SceneFlex, records: np.ndarray) -> float:
    """Sum of squares of the modes of strain in the plane of the first face of a shell, which grows with its thickness."""
    width = 3 * (flex.order + 1) ** 2
    count = int(records[0]) - 1  # the last one is out of the plane
    return float((records[1 : 1 + count * width] ** 2).sum())


def across(flex: SceneFlex, records: np.ndarray) -> np.ndarray:
    """Numbers of bending that are in proportion to the rigidity: all of edges, one of each hinge between faces."""
    return records[1:].reshape(-1, RECORD)[:, HINGE] if flex.order else records


def rod_constants(flex: SceneFlex, places: np.ndarray, records: np.ndarray) -> dict:
    """Moduli and section of a rod, by its bending and twisting."""
    # a box has its smaller half size in each record, with a sign if it comes first
    rows = records[1:].reshape(-1, RECORD)
    single = rows[rows[:, 3] < 0]
    found: dict = {}
    if len(single) and single[0, SIDE] != 0.0:
        less = abs(float(single[0, SIDE]))
        more = less * math.sqrt(1.0 + float(single[0, BOTH] / single[0, BENT]))
        found = {"section": BOX, "sectionsize": (less, more) if single[0, SIDE] < 0 else (more, less)}
    # records of one modulus and without the other
    twisted = len(single) == len(rows) and (single[:, TWISTER] >= 0).any()
    joints = np.append(-1, single[:, TWISTER].astype(int)) if twisted else np.full(1, -1)
    made = lambda **numbers: rod_records(replace(flex, numbers=flex.numbers | found | numbers), joints, places)
    unit = made(young=1.0, shear=1.0)[1:].reshape(-1, RECORD)
    if unit.shape != rows.shape:
        raise unlike()
    young = multiples((unit[:, BENT],), rows[:, BENT])[0]
    shear = multiples((unit[:, TWISTED],), rows[:, TWISTED])[0]
    found |= {"young": float(f"{young:.{DIGITS}g}"), "shear": float(f"{shear:.{DIGITS}g}")}
    check(made(), records)
    return found


def check(made: np.ndarray, wanted: np.ndarray) -> None:
    """ModelError where numbers compiled anew are not those of the model."""
    if made.shape != wanted.shape or np.abs(made - wanted).max(initial=0.0) > SAME * np.abs(wanted).max(initial=0.0):
        raise unlike()


def unlike() -> ModelError:
    """The error for a stiffness that no isotropic material has."""
    return ModelError(
        "its stiffness is that of no isotropic material, and the model does not keep its Young's modulus; compile its file"
    )
