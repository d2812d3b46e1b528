"""Tetrahedral mesh: the shape of a soft body, with elasticity by element and numbers of one's own by point or element."""

import functools
import io
import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from newtonlite.core.doors import open_door
from newtonlite.core.enums import AttributeFrequency
from newtonlite.core.errors import ModelError, NewtonDeprecationWarning, NewtonWarning, external
from newtonlite.core.files import check_file, read_file
from newtonlite.core.replacing import replace_file, replacing

FACES = np.array([[0, 2, 1], [1, 2, 3], [0, 1, 3], [0, 3, 2]])
"""Faces of a tetrahedron, counterclockwise seen from outside where its volume is positive."""
MATERIALS = ("k_mu", "k_lambda", "k_damp")
NAMES, FREQUENCIES = "__custom_names__", "__custom_freqs__"
RESERVED = ("vertices", "tet_indices", *MATERIALS, "density", NAMES, FREQUENCIES)
"""Names that attributes of one's own cannot have: those of a saved file's arrays."""


def by_keyword(make: Callable) -> Callable:
    """The constructor, which takes ``MATERIALS`` and what follows by position too, with a warning."""
    old = (*MATERIALS, "density", "custom_attributes")

    @functools.wraps(make)
    def call(self: Any, vertices: Any, tet_indices: Any, *values: Any, **options: Any) -> None:
        if len(values) > len(old):
            raise TypeError(
                f"TetMesh() takes at most {2 + len(old)} positional arguments, {2 + len(values)} were given"
            )
        if values:
            names = ", ".join(map(repr, old[: len(values)]))
            text = f"Passing {names} positionally to TetMesh is deprecated; give them by keyword"
            warnings.warn(text, NewtonDeprecationWarning, stacklevel=external())
        twice = [name for name, _ in zip(old, values, strict=False) if name in options]
        if twice:
            raise TypeError(f"TetMesh() got multiple values for argument {twice[0]!r}")
        make(self, vertices, tet_indices, **dict(zip(old, values, strict=False)), **options)

    return call


class TetMesh:
    """Points and tetrahedra, four indices each, flat; the surface are the faces of one tetrahedron alone.

    ``vertices`` [n, 3, m]; ``tet_indices`` [4 t]; ``k_mu`` and ``k_lambda`` Lame's constants [Pa], ``k_damp`` damping
    [Pa s]: one number, or one for each tetrahedron; ``density`` [kg/m^3]. None: the builder's. ``custom_attributes``
    are arrays by name, alone or with their frequency: without one their length says it. Raises ModelError
    where an index leads nowhere, a list has another length, or a length fits several frequencies.
    """

    @by_keyword
    def __init__(
        self,
        vertices: Sequence[Any] | np.ndarray,
        tet_indices: Sequence[int] | np.ndarray,
        *,
        k_mu: np.ndarray | float | None = None,
        k_lambda: np.ndarray | float | None = None,
        k_damp: np.ndarray | float | None = None,
        density: float | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ):
        self._vertices = np.array(vertices, dtype=np.float32).reshape(-1, 3)
        self._tet_indices = tetrahedra(tet_indices, len(self._vertices))
        given = {"k_mu": k_mu, "k_lambda": k_lambda, "k_damp": k_damp}
        self._materials = {name: by_element(name, value, self.tet_count) for name, value in given.items()}
        self._density = density
        self._surface_tri_indices = self.compute_surface_triangles(self._tet_indices)
        self.custom_attributes: dict[str, tuple[np.ndarray, AttributeFrequency]] = {}
        for name, value in (custom_attributes or {}).items():
            self.put_attribute(name, *(value if isinstance(value, tuple) else (value, None)))

    @staticmethod
    def compute_surface_triangles(tet_indices: Any) -> np.ndarray:
        """Triangles, flat, that belong to one of the tetrahedra alone."""
        faces = np.asarray(tet_indices, np.int32).reshape(-1, 4)[:, FACES].reshape(-1, 3)
        if not len(faces):
            return np.zeros(0, np.int32)
        _, which, count = np.unique(np.sort(faces, axis=1), axis=0, return_inverse=True, return_counts=True)
        return faces[count[which.ravel()] == 1].astype(np.int32).ravel()

    @property
    def vertices(self) -> np.ndarray:
        """Points [n, 3, m], float32."""
        return self._vertices

    @property
    def tet_indices(self) -> np.ndarray:
        """Points of the tetrahedra, flat, int32."""
        return self._tet_indices

    @property
    def tet_count(self) -> int:
        """Number of tetrahedra."""
        return len(self._tet_indices) // 4

    @property
    def vertex_count(self) -> int:
        """Number of points."""
        return len(self._vertices)

    @property
    def surface_tri_indices(self) -> np.ndarray:
        """Points of the surface's triangles, flat, int32."""
        return self._surface_tri_indices

    @property
    def k_mu(self) -> np.ndarray | None:
        """Lame's second constant of each tetrahedron [t, Pa], or None."""
        return self._materials["k_mu"]

    @property
    def k_lambda(self) -> np.ndarray | None:
        """Lame's first constant of each tetrahedron [t, Pa], or None."""
        return self._materials["k_lambda"]

    @property
    def k_damp(self) -> np.ndarray | None:
        """Damping of each tetrahedron [t, Pa s], or None."""
        return self._materials["k_damp"]

    @property
    def density(self) -> float | None:
        """Mass per volume [kg/m^3], or None."""
        return self._density

    def put_attribute(self, name: str, values: Any, frequency: AttributeFrequency | None = None) -> None:
        """Add an array of one's own. ModelError for a reserved name, or a frequency that neither caller nor length says."""
        if name in RESERVED:
            raise ModelError(
                f"custom attribute {name!r}: the name is reserved, as are {', '.join(RESERVED)}; take another"
            )
        array = np.asarray(values)
        self.custom_attributes[name] = array, self._frequency(name, array) if frequency is None else frequency

    def _frequency(self, name: str, array: np.ndarray) -> AttributeFrequency:
        """Frequency of what there is as often as the array is long."""
        length = array.shape[0] if array.ndim else 1
        counts = {
            AttributeFrequency.PARTICLE: self.vertex_count,
            AttributeFrequency.TETRAHEDRON: self.tet_count,
            AttributeFrequency.TRIANGLE: len(self._surface_tri_indices) // 3,
            AttributeFrequency.ONCE: 1,
        }
        fitting = [frequency for frequency, count in counts.items() if count == length]
        if len(fitting) != 1:
            found = " and ".join(f.name for f in fitting) or "nothing: there are " + ", ".join(
                f"{count} for {f.name}" for f, count in counts.items()
            )
            raise ModelError(
                f"custom attribute {name!r}: cannot infer its frequency: length {length} fits {found}; give (array, frequency)"
            )
        return fitting[0]

    @staticmethod
    def create_from_usd(prim: Any, *, compat_namespaces: Sequence[str] | None = None) -> "TetMesh":
        """The mesh of a USD prim of type TetMesh; as ``newtonlite.usd.get_tetmesh``."""
        return open_door("get_tetmesh")(prim, compat_namespaces=compat_namespaces)

    @staticmethod
    def create_from_file(filename: Any) -> "TetMesh":
        """A mesh that ``save`` wrote (.npz), or that meshio reads (.vtk, .msh, .vtu, ...). FileError where it cannot be read."""
        if os.path.splitext(filename)[1].lower() != ".npz":
            check_file(filename, "asset")
            return _from_meshio(filename)
        with np.load(io.BytesIO(read_file(filename, "asset")), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        pairs = dict(zip(arrays.get(NAMES, ()), arrays.get(FREQUENCIES, ()), strict=True))
        known = {str(name): AttributeFrequency(int(frequency)) for name, frequency in pairs.items()}
        own = {n: (a, known[n]) if n in known else a for n, a in arrays.items() if n not in RESERVED}
        options = {name: arrays[name] for name in MATERIALS if name in arrays}
        density = float(arrays["density"]) if "density" in arrays else None
        return TetMesh(arrays["vertices"], arrays["tet_indices"], **options, density=density, custom_attributes=own)

    def save(self, filename: Any) -> None:
        """Write the mesh: .npz with all that it has, or a format of meshio's, which has attributes of points and
        tetrahedra alone and warns of others.
        """
        if os.path.splitext(filename)[1].lower() != ".npz":
            _to_meshio(self, filename)
            return
        arrays = {"vertices": self._vertices, "tet_indices": self._tet_indices}
        arrays |= {name: array for name, array in self._materials.items() if array is not None}
        if self._density is not None:
            arrays["density"] = np.array(self._density)
        if self.custom_attributes:
            arrays |= {name: array for name, (array, _) in self.custom_attributes.items()}
            arrays[NAMES] = np.array([*self.custom_attributes])
            arrays[FREQUENCIES] = np.array([int(f) for _, f in self.custom_attributes.values()], np.int32)
        content = io.BytesIO()
        np.savez(content, **arrays)
        replace_file(filename, content.getvalue())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TetMesh):
            return NotImplemented
        return np.array_equal(self._vertices, other._vertices) and np.array_equal(self._tet_indices, other._tet_indices)

    def __hash__(self) -> int:
        return hash((self._vertices.tobytes(), self._tet_indices.tobytes()))


def tetrahedra(indices: Any, count: int) -> np.ndarray:
    """Indices, flat. ModelError where they are not four each, or lead nowhere."""
    flat = np.array(indices, dtype=np.int32).ravel()
    if len(flat) % 4:
        raise ModelError(f"tet_indices: its length must be a multiple of 4, it is {len(flat)}; give four points each")
    if len(flat) and (flat.min() < 0 or flat.max() >= count):
        wrong = flat.min() if flat.min() < 0 else flat.max()
        raise ModelError(f"tet_indices: index {wrong} leads nowhere; points are 0 to {count - 1}")
    return flat


def by_element(name: str, value: Any, count: int) -> np.ndarray | None:
    """A number for each tetrahedron. ModelError for a list of another length."""
    if value is None:
        return None
    array = np.asarray(value, dtype=np.float32).ravel()
    if len(array) not in (1, count):
        raise ModelError(
            f"{name}: its length is {len(array)}, and the tet count is {count}; give one number, or one for each"
        )
    return np.full(count, array[0]) if len(array) == 1 else array


def _meshio() -> Any:
    """The library of other formats. ModelError where it is not installed."""
    try:
        import meshio
    except ImportError:
        raise ModelError("TetMesh: files other than .npz need meshio; pip install meshio, or save as .npz") from None
    return meshio


def _from_meshio(filename: Any) -> TetMesh:
    """The first block of tetrahedra of a file, with what it has for elements and points."""
    found = _meshio().read(filename)
    block = next((i for i, cells in enumerate(found.cells) if cells.type == "tetra"), None)
    if block is None:
        raise ModelError(f"{filename}: has no tetrahedra; give a volume mesh")
    data = {name: np.asarray(blocks[block]) for name, blocks in found.cell_data.items()}
    density = data.pop("density", None)
    if density is not None and not np.allclose(density, density[0]):
        raise ModelError(f"{filename} density: differs by element; a TetMesh has one, give each part a file of its own")
    options: dict[str, Any] = {name: data.pop(name) for name in MATERIALS if name in data}
    own = {name: (array, AttributeFrequency.TETRAHEDRON) for name, array in data.items()}
    own |= {name: (np.asarray(array), AttributeFrequency.PARTICLE) for name, array in found.point_data.items()}
    options["density"] = None if density is None else float(density[0])
    return TetMesh(found.points, found.cells[block].data, **options, custom_attributes=own)


def _to_meshio(mesh: TetMesh, filename: Any) -> None:
    """Write a file of another format."""
    cells = {name: [getattr(mesh, name)] for name in MATERIALS if getattr(mesh, name) is not None}
    if mesh.density is not None:
        cells["density"] = [np.full(mesh.tet_count, mesh.density, np.float32)]
    points = {}
    for name, (array, frequency) in mesh.custom_attributes.items():
        if frequency == AttributeFrequency.TETRAHEDRON:
            cells[name] = [array]
        elif frequency == AttributeFrequency.PARTICLE:
            points[name] = array
        else:
            text = f"custom attribute {name!r}: {filename} has those of points and tetrahedra alone; it is left out, use .npz"
            warnings.warn(text, NewtonWarning, stacklevel=external())
    blocks = [("tetra", mesh.tet_indices.reshape(-1, 4))]
    whole = _meshio().Mesh(mesh.vertices, blocks, cell_data=cells, point_data=points)
    with replacing(filename) as part:
        whole.write(part)
