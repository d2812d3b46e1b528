"""Rows of the scene that a soft body is made of, as arrays of one flex."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.packed_array import unpack_array
from newtonlite.solvers.mujoco.compile.tree import BodyTree
from newtonlite.solvers.mujoco.compile.worlds import Worlds

NUMBERS = "young poisson shear damping thickness elastic2d elastic3d section sectionsize yield edgestiffness edgedamping activelayers".split()
PER_WORLD = ("young", "damping", "edgestiffness", "edgedamping", "radius")
"""Of these, and the radius, those that may differ between worlds."""
STRETCH, BEND = 2, 1
"""Bits of ``elastic2d``, and of what yields."""


@dataclass
class SceneFlex:
    """One soft body: MuJoCo bodies of its vertices [n] and nodes, their places in these [n, 3] m, its elements
    [m, dim + 1], and its numbers in the first world.
    """

    name: str
    dim: int
    order: int
    cells: tuple[int, int, int]
    bodies: np.ndarray
    vert: np.ndarray
    node_bodies: np.ndarray
    node: np.ndarray
    elements: np.ndarray
    texcoord: np.ndarray
    elemtexcoord: np.ndarray
    materials: list[str]
    twists: np.ndarray
    """Dof, of MuJoCo, that twists each element of a rod; -1: none."""
    numbers: dict[str, Any]

    @property
    def is_shell(self) -> bool:
        """Whether nodes of a surface move it, those inside following."""
        return bool(self.order) and self.numbers["elastic2d"] != 0

    @property
    def is_rigid(self) -> bool:
        """Whether all its vertices are on one body; one that nodes move never is, wherever these are."""
        return not self.order and len(np.unique(self.bodies)) == 1

    @property
    def is_elastic(self) -> bool:
        """Whether it has a modulus."""
        return self.numbers["young"] > 0

    @property
    def is_neo_hookean(self) -> bool:
        """Whether its tetrahedra are Neo-Hookean, which no attribute of a file says."""
        return self.is_elastic and self.numbers["elastic3d"] != 0

    def bends(self) -> bool:
        """Whether hinges between triangles resist."""
        return (self.dim == 2 or self.is_shell) and bool(int(self.numbers["elastic2d"]) & BEND)

    def stretches(self) -> bool:
        """Whether its elements resist changes of their shape."""
        if self.dim == 2 or self.is_shell:
            return bool(self.order and not self.is_shell) or bool(int(self.numbers["elastic2d"]) & STRETCH)
        return self.dim == 3

    def yields(self) -> tuple[float, float]:
        """Strains of stretching and bending at which it yields; a single one counts for both where both can."""
        first, second = map(float, self.numbers["yield"])
        return first, second if second >= 0 else first if self.dim == 2 and not self.order else 0.0


def scene_flexes(m, w: Worlds, tree: BodyTree) -> list[SceneFlex]:
    """The soft bodies of a world. ModelError for lists that do not belong together."""
    if not w.has("mujoco:flex_dim") or not w.size("mujoco:flex"):
        return []
    check_worlds(w)
    names, body = w.first_names("mujoco:flex_", "mujoco:flex"), tree.mujoco_body()
    meshes, found = w.first_labels("mujoco:flex_mesh", "mujoco:flex"), []
    lists = {kind: point_rows(w, kind, body) for kind in ("vert", "node")}
    twists = w.local("dof", w.first("mujoco:flex_vert_twist"))
    dofs = np.full(w.size("dof") + 1, -1)
    dofs[m.newton_dof] = np.arange(m.nv)
    ends = {kind: np.cumsum(w.first(f"mujoco:flex_{kind}_num")) for kind in lists}
    for k, name in enumerate(names):
        own = {kind: slice(end[k] - w.cell(f"mujoco:flex_{kind}_num", k), end[k]) for kind, end in ends.items()}
        dim, mesh = int(w.cell("mujoco:flex_dim", k)), scene_mesh(meshes[k])
        unpack = lambda key, kind, width, mesh=mesh: (
            unpack_array(mesh[key], kind, (-1, width)) if key in mesh else np.zeros((0, width), kind)
        )
        numbers = {n: w.cell(f"mujoco:flex_{n}", k) for n in NUMBERS} | {"radius": w.cell("mujoco:flex_radius", k)}
        found.append(
            SceneFlex(
                name,
                dim,
                int(w.cell("mujoco:flex_interp", k)),
                tuple(int(c) for c in w.cell("mujoco:flex_cellcount", k)),
                lists["vert"][0][own["vert"]],
                lists["vert"][1][own["vert"]],
                lists["node"][0][own["node"]],
                lists["node"][1][own["node"]],
                unpack("elements", np.int32, dim + 1).astype(int),
                unpack("texcoord", np.float32, 2).astype(float),
                unpack("elemtexcoord", np.int32, dim + 1).astype(int),
                list(mesh.get("material", ())),
                dofs[twists[own["vert"]]],
                numbers,
            )
        )
        check_flex(found[-1])
    return found


def check_worlds(w: Worlds) -> None:
    """ModelError for numbers that differ between worlds where elements are made of them, or where only some are 0."""
    rods = (w.first("mujoco:flex_dim") == 1) & (w.first("mujoco:flex_young") > 0)
    for name in (*NUMBERS, "radius"):
        values, first = w.get(f"mujoco:flex_{name}"), w.first(f"mujoco:flex_{name}")
        if values.ndim == first.ndim:
            continue
        if name in PER_WORLD and ((values != 0) == (first != 0)).all() and not (name == "radius" and rods.any()):
            continue
        raise ModelError(
            f"model.mujoco.flex_{name}: differs between worlds; what the elements of a soft body are made of is the same in all of "
            "them, and so is whether it has dampers and springs"
        )


def scene_mesh(text: str) -> dict:
    """Lists of a soft body; what a copy of its builder put before them is left out."""
    return json.loads(text[text.find("{") :]) if "{" in text else {}


def point_rows(w: Worlds, kind: str, body: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """MuJoCo bodies [n] of all points or nodes, and their places in these [n, 3]."""
    bodies = w.local("body", w.first(f"mujoco:flex_{kind}_body"))
    return body[bodies], w.first(f"mujoco:flex_{kind}_pos").astype(float).reshape(-1, 3)


def check_flex(flex: SceneFlex) -> None:
    """ModelError for a soft body whose lists do not belong together."""
    count = len(flex.bodies)
    where = f"flex '{flex.name}'"
    if not 1 <= flex.dim <= 3:
        raise ModelError(f"{where}: dim {flex.dim}; give 1, 2 or 3")
    if flex.numbers["elastic3d"] not in (0, 1):
        raise ModelError(f"{where}: elastic3d must be 0 (StVK) or 1 (SNH), got {flex.numbers['elastic3d']}")
    if flex.numbers["elastic3d"] and (flex.dim != 3 or flex.order):
        raise ModelError(
            f"{where}: stable Neo-Hookean elasticity requires a non-interpolated 3d flex; give tetrahedra, or elastic3d 0"
        )
    if not len(flex.elements) or flex.elements.min() < 0 or flex.elements.max() >= count:
        raise ModelError(f"{where}: its elements name points beyond the {count} that it has, or there are none")
    if flex.order and len(flex.node_bodies) != np.prod([flex.order * c + 1 for c in flex.cells]):
        raise ModelError(
            f"{where}: {len(flex.node_bodies)} nodes are not those of {flex.cells} cells; give one body each"
        )
