"""Building of signed distance grids from meshes: resolution, memory, distances."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.geometry.signed_distance.grid import BLOCK, SIDE, DistanceGrid
from newtonlite.geometry.signed_distance.mesh import ACCURACY, HALF_TURN
from newtonlite.geometry.signed_distance.narrow_band import is_closed, near_blocks

kernel_module(__name__)

RESOLUTION = 64
MOST_BYTES = 256 * 2**20
"""Memory limit of one table [bytes]."""

MOST_LOOKS = 1 << 19
"""Blocks of an open mesh whose side is found one by one: some six times as many as a table can hold, and some
seconds.
"""

FLAT = 1.0e-7
"""Twice a triangle's area over its longest side squared, up to which it is none."""

METHODS = ("auto", "winding", "parity", "normal")
WINDING, PARITY, NORMAL, UNSIGNED = range(4)


@dataclass(frozen=True)
class FieldSettings:
    """Settings of a distance table: fine cells of ``voxel`` [m] (None: the longest side over ``resolution``),
    ``padding`` [m] around the mesh, fine blocks where the distance is within ``band`` [m], and the rule that
    distinguishes inside from outside."""

    voxel: float | None = None
    resolution: int = RESOLUTION
    padding: float = 0.05
    band: tuple[float, float] = (-0.1, 0.1)
    method: str = "auto"

    @classmethod
    def of(
        cls, where: str, voxel: Any, resolution: Any, padding: Any, band: Any, method: str = "auto"
    ) -> "FieldSettings":
        """Settings as a caller gives them; ModelError for what is no number, and for numbers that no table can have."""
        band = band if isinstance(band, list | tuple | np.ndarray) else [band]
        numbers = {
            "target_voxel_size": [voxel if voxel is not None else 1.0],
            "max_resolution": [resolution],
            "margin": [padding],
            "narrow_band_range": band,
        }
        for name, values in numbers.items():
            try:
                if not np.isfinite(np.array(list(values), float)).all():
                    raise ValueError
            except (TypeError, ValueError):
                raise ModelError(
                    f"{where} {name}: {values[0] if len(values) == 1 else values}; give numbers that are finite"
                ) from None
        band = tuple(map(float, band))
        return cls(None if voxel is None else float(voxel), int(resolution), float(padding), band, method).check(where)

    def check(self, where: str) -> "FieldSettings":
        """Itself; ModelError for numbers that no table can have."""
        if self.voxel is not None and not (np.isfinite(self.voxel) and self.voxel > 0.0):
            raise ModelError(f"{where} target_voxel_size: {self.voxel}; give a positive length")
        if self.resolution < BLOCK or self.resolution % BLOCK:
            raise ModelError(f"{where} max_resolution: {self.resolution}; give a multiple of {BLOCK}")
        if not (np.isfinite(self.padding) and self.padding >= 0.0):
            raise ModelError(f"{where} margin: {self.padding}; give a length of at least 0")
        if not (len(self.band) == 2 and np.isfinite(self.band).all() and self.band[0] < 0.0 < self.band[1]):
            raise ModelError(f"{where} narrow_band_range: {self.band}; give a negative and a positive distance")
        if self.method not in METHODS:
            raise ModelError(f"{where} sign_method: {self.method!r}; expected one of {', '.join(map(repr, METHODS))}")
        return self


@dataclass
class Table:
    """A grid on the host, its arrays as ``DistanceGrid`` has them."""

    low: np.ndarray
    cells: np.ndarray
    width: float
    coarse: np.ndarray
    block: np.ndarray
    fine: np.ndarray

    @property
    def high(self) -> np.ndarray:
        """The upper corner [m]."""
        return self.low + self.width * self.cells

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        return self.coarse.nbytes + self.block.nbytes + self.fine.nbytes

    def on(self, device: Any) -> DistanceGrid:
        """The grid as kernels take it."""
        g = DistanceGrid()
        g.low, g.cells, g.width = wp.vec3(*self.low.tolist()), wp.vec3i(*self.cells.tolist()), float(self.width)
        for name, dtype in (("coarse", float), ("block", int), ("fine", float)):
            values = getattr(self, name)
            setattr(g, name, wp.array(values if len(values) else np.zeros(1, values.dtype), dtype=dtype, device=device))
        return g


@wp.kernel(enable_backward=False)
def measure(mesh: wp.uint64, points: wp.array[wp.vec3], reach: float, method: int, distance: wp.array[float]):
    """Distance of each point, signed but for the method UNSIGNED."""
    i = wp.tid()
    p = points[i]
    q = wp.mesh_query_point_no_sign(mesh, p, reach)
    d = wp.length(p - wp.mesh_eval_position(mesh, q.face, q.u, q.v))
    if method == WINDING:
        s = wp.mesh_query_point_sign_winding_number(mesh, p, reach, ACCURACY, HALF_TURN)
        d = d * s.sign
    elif method == PARITY:
        s = wp.mesh_query_point_sign_parity(mesh, p, reach, 3, 0.1)
        d = d * s.sign
    elif method == NORMAL:
        s = wp.mesh_query_point_sign_normal(mesh, p, reach)
        d = d * s.sign
    distance[i] = d


class Distances:
    """Distances of a mesh at points, on a device: signed ones by calling it."""

    def __init__(self, vertices: np.ndarray, indices: np.ndarray, method: int, device: Any):
        self.device, self.method = wp.get_device(device), method
        points = wp.array(vertices.astype(np.float32), dtype=wp.vec3, device=self.device)
        faces = wp.array(indices.reshape(-1).astype(np.int32), dtype=int, device=self.device)
        self.mesh = wp.Mesh(points, faces, support_winding_number=True)
        self.reach = 100.0 * float(np.linalg.norm(np.ptp(vertices, axis=0))) + 1.0

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Signed distances [n] of points [n, 3]."""
        return self._measured(points, self.method)

    def unsigned(self, points: np.ndarray) -> np.ndarray:
        """Unsigned distances to the surface, [n], at points [n, 3]."""
        return self._measured(points, UNSIGNED)

    def _measured(self, points: np.ndarray, method: int) -> np.ndarray:
        given = wp.array(points.astype(np.float32), dtype=wp.vec3, device=self.device)
        found = wp.zeros(len(points), dtype=float, device=self.device)
        wp.launch(
            measure,
            dim=len(points),
            inputs=[self.mesh.id, given, self.reach, method],
            outputs=[found],
            device=self.device,
        )
        return found.numpy()


def lattice(low: np.ndarray, step: float, counts) -> np.ndarray:
    """Points [n, 3] of a box's lattice, x fastest."""
    z, y, x = np.meshgrid(*(np.arange(n) for n in reversed(list(counts))), indexing="ij")
    return low + step * np.stack([x, y, z], axis=-1).reshape(-1, 3)


def build(
    vertices: np.ndarray, indices: np.ndarray, settings: FieldSettings, device: Any = None, where: str = "SDF"
) -> Table:
    """The table of a mesh ``vertices`` [n, 3] [m], ``indices`` [3 m].

    The winding number decides what is inside, which also serves open meshes, unless ``settings.method`` says otherwise.
    Raises ModelError where the table would take more than ``MOST_BYTES`` (before values are made; its fine blocks are
    counted from large cubes of them to small ones, up to where they are too many), for open meshes that would take long
    to count so, and for meshes without a triangle that has area.
    """
    settings.check(where)
    if not np.isfinite(vertices).all():
        raise ModelError(f"{where}: a vertex is not finite; remove NaN and infinity from the mesh and its scale")
    if not has_area(vertices, indices):
        raise ModelError(
            f"{where}: no triangle of the mesh has area, there is no surface to be far from; give it vertices that are not on one line"
        )
    low, high = (
        vertices.min(axis=0).astype(float) - settings.padding,
        vertices.max(axis=0).astype(float) + settings.padding,
    )
    extent = np.maximum(high - low, 1e-6)
    voxel = settings.voxel if settings.voxel is not None else float(extent.max()) / settings.resolution
    width = BLOCK * voxel
    count = np.maximum(1.0, np.ceil(extent / width - 1e-6))
    refuse_large(4 * (count + 1).prod() + 4 * count.prod(), where)
    cells = count.astype(np.int64)
    low = 0.5 * (low + high) - 0.5 * width * cells
    method = {"auto": WINDING, "winding": WINDING, "parity": PARITY, "normal": NORMAL}[settings.method]
    distance = Distances(vertices, indices, method, device)
    reach = None if method == WINDING and is_closed(indices) else distance.unsigned
    near = near_blocks(
        distance, reach, low, width, cells, settings.band, lambda count, looks: refuse_blocks(count, looks, where)
    )
    coarse = distance(lattice(low, width, cells + 1))
    count = int(near.sum())
    block = np.full(len(near), -1, np.int32)
    block[near] = np.arange(count, dtype=np.int32) * SIDE**3
    corner = lattice(low, width, cells)[near]
    offsets = lattice(np.zeros(3), voxel, (SIDE,) * 3)
    fine = np.concatenate([np.zeros(0, np.float32), *(distance(c + offsets) for c in corner)])
    return Table(low, cells, width, coarse.astype(np.float32), block, fine.astype(np.float32))


def has_area(vertices: np.ndarray, indices: np.ndarray) -> bool:
    """Whether a triangle's corners are not on one line."""
    p = np.asarray(vertices, float)[np.asarray(indices).reshape(-1, 3)]
    side = p[:, 1:] - p[:, :1]
    longest = np.einsum("nij,nij->ni", side, side).max(axis=1, initial=0.0)
    return bool((np.linalg.norm(np.cross(side[:, 0], side[:, 1]), axis=1) > FLAT * longest).any())


def refuse_blocks(count: int, looks: int, where: str) -> None:
    """ModelError where ``count`` fine blocks would take too much memory, or to look at ``looks`` of them, which may be
    fine, too long.
    """
    refuse_large(4 * count * SIDE**3, where)
    if looks > MOST_LOOKS:
        raise ModelError(
            f"{where}: the mesh is open, so that the side of at least {looks} blocks would have to be found one by one; at most {MOST_LOOKS} are; "
            "weld and close the mesh, raise target_voxel_size, lower max_resolution or narrow narrow_band_range"
        )


def refuse_large(nbytes: float, where: str) -> None:
    """ModelError where a table would take too much memory."""
    if nbytes > MOST_BYTES:
        raise ModelError(
            f"{where}: the table would take at least {nbytes / 2**20:.0f} MiB, at most {MOST_BYTES / 2**20:.0f} are allowed; "
            "raise target_voxel_size, lower max_resolution or narrow narrow_band_range"
        )
