"""Instanced meshes on the page: batches of a model as viser's batched meshes, moved each frame."""

import io
from collections.abc import Sequence

import numpy as np

from newtonlite.viewer.batches import InstanceBatch, shown_by_default
from newtonlite.viewer.page.soft import PageSoft, sent
from newtonlite.viewer.soft import SoftMesh
from newtonlite.viewer.surfaces import Surface

ROOT = "/world"
MOST_TRIANGLES = 400_000  # that are drawn, about
CROWDED = 0.25  # share of the triangles below which there are no shadows


class PageScene:
    """The batches of a model on the page. Worlds that are not shown have no instances there."""

    def __init__(self, api, found: list[InstanceBatch], layout, triangles: int, soft: Sequence[SoftMesh] = ()):
        self.api, self.batches, self.layout, self.triangles = api, found, layout, triangles
        self.soft = PageSoft(api, soft, layout)
        self.share = 1.0
        self.show_layer = shown_by_default
        self.ghost = 1.0
        self.handles: dict[str, object] = {}
        self.on_new = lambda batch, handle: None
        self.moving: list[tuple[InstanceBatch, object]] = []

    def build(self, body_q: np.ndarray) -> None:
        """Make the meshes anew for the worlds and layers that are shown; ``body_q`` [body_count, 7] is where bodies
        are.
        """
        with self.api.atomic():
            for handle in self.handles.values():
                handle.remove()
            self.handles.clear()
            self.members = {}
            chosen = [(batch, self._rows(batch)) for batch in self.batches if self.show_layer(batch.layer)]
            self.share = self.triangles / max(sum(len(b.surface.faces) * len(rows) for b, rows in chosen), 1)
            for batch, rows in chosen:
                if len(rows):
                    self._add(batch, rows, body_q)
            self._index()
            self.soft.build(body_q, self.ghost)

    @property
    def crowded(self) -> bool:
        """Whether there are so many triangles that a browser should draw no shadows."""
        return self.share < CROWDED

    def _rows(self, batch: InstanceBatch) -> np.ndarray:
        """Instances of a batch that are shown."""
        rows = np.flatnonzero(self.layout.is_shown[batch.worlds])
        fixed = batch.bodies[0] < 0 and not self.layout.spacing.any()
        return rows[:1] if fixed else rows  # what is fixed is in the same place in all worlds

    def _add(self, batch: InstanceBatch, rows: np.ndarray, body_q: np.ndarray) -> None:
        positions, wxyzs = self._poses(batch.bodies[rows], batch.worlds[rows], body_q)
        handle = add_batch(self.api, f"{ROOT}/{batch.name}", batch, rows, positions, wxyzs, self.ghost, self.share)
        self.handles[batch.name], self.members[batch.name] = handle, rows
        self.on_new(batch, handle)

    def _index(self) -> None:
        """One list of all moving instances, so that a frame is one gather and as many slices as there are batches."""
        chosen = [b for b in self.batches if b.name in self.handles and b.bodies[0] >= 0]
        rows = [self.members[batch.name] for batch in chosen]
        self.bodies = (
            np.concatenate([b.bodies[r] for b, r in zip(chosen, rows, strict=True)]) if chosen else np.zeros(0, int)
        )
        worlds = (
            np.concatenate([b.worlds[r] for b, r in zip(chosen, rows, strict=True)]) if chosen else np.zeros(0, int)
        )
        self.places = self.layout.offsets[worlds]
        ends = np.cumsum([len(r) for r in rows])
        self.slices = [
            (self.handles[b.name], slice(end - len(r), end)) for b, r, end in zip(chosen, rows, ends, strict=True)
        ]

    def _poses(self, bodies, worlds, body_q) -> tuple[np.ndarray, np.ndarray]:
        """(positions [n, 3], quaternions [n, 4] w first) on the page."""
        fixed = bodies < 0
        pose = body_q[np.where(fixed, 0, bodies)] if len(body_q) else np.zeros((len(bodies), 7), np.float32)
        pose = np.where(fixed[:, None], np.array([0, 0, 0, 0, 0, 0, 1], np.float32), pose)
        return positions_and_rotations(pose, self.layout.offsets[worlds])

    def move(self, body_q: np.ndarray) -> None:
        """Put every instance where its body is."""
        positions, wxyzs = positions_and_rotations(body_q.take(self.bodies, axis=0), self.places)
        for handle, part in self.slices:
            sent(handle, "batched_positions", positions[part])
            sent(handle, "batched_wxyzs", wxyzs[part])
        self.soft.move(body_q)

    def body_of(self, name: str, instance: int) -> tuple[int, int]:
        """(body, world) of an instance of a batch."""
        batch = next((b for b in self.batches if b.name == name), None)
        if batch is None or not 0 <= instance < len(self.members[name]):
            raise ValueError(f"there is no copy {instance} of {name!r}")
        row = self.members[name][instance]
        return int(batch.bodies[row]), int(batch.worlds[row])


def positions_and_rotations(pose: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(positions [n, 3] at ``places`` [n, 3], quaternions [n, 4] w first) of poses [n, 7], each without gaps."""
    wxyzs = np.empty((len(pose), 4), np.float32)
    wxyzs[:, 0], wxyzs[:, 1:] = pose[:, 6], pose[:, 3:6]
    return pose[:, :3] + places, wxyzs


def add_batch(api, name: str, batch: InstanceBatch, rows, positions, wxyzs, ghost: float, share: float = 1.0):
    """The mesh of a batch with its instances, in a ``share`` of its triangles; textured ones go as GLB."""
    if batch.texture is not None:
        return api.scene.add_batched_glb(name, glb(batch, ghost), wxyzs, positions, lod=far(batch.surface, len(rows)))
    opacity = batch.opacity[rows] * ghost
    clear = bool((opacity < 1.0).any())
    surface = batch.detail(share)
    return api.scene.add_batched_meshes_simple(
        name,
        surface.vertices,
        surface.faces.astype(np.uint32),
        wxyzs,
        positions,
        batched_colors=screen(batch.colors[rows]),
        batched_opacities=opacity.astype(np.float32) if clear else None,
        cast_shadow=not clear,
        receive_shadow=True,
        side="double" if batch.flat else "front",
        lod=far(surface, len(rows)),
    )


MANY = 300_000  # triangles of a batch that are drawn in full


def far(surface: Surface, count: int):
    """Coarser meshes from afar, as (distance [m], share of triangles), where there are many."""
    if len(surface.faces) * count < MANY or len(surface.faces) < 64:
        return "off"
    size = float(np.linalg.norm(np.ptp(surface.vertices, axis=0)))
    return ((12.0 * size, 0.4), (40.0 * size, 0.15))


def screen(colors: np.ndarray) -> np.ndarray:
    """[n, 3] uint8, linear: the page takes colours of instances as light, those of files are for the screen (sRGB)."""
    colors = np.clip(colors, 0.0, 1.0)
    light = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    return (light * 255 + 0.5).astype(np.uint8)


def glb(batch: InstanceBatch, ghost: float = 1.0) -> bytes:
    """A mesh with its texture, times its colour, in one file."""
    import trimesh
    from PIL import Image

    opacity = float(batch.opacity[0]) * ghost
    material = trimesh.visual.material.PBRMaterial(
        baseColorTexture=Image.fromarray(batch.texture),
        baseColorFactor=np.append(screen(batch.colors[0]), np.uint8(255 * opacity + 0.5)),
        alphaMode="BLEND" if opacity < 1.0 or batch.texture.shape[2] == 4 else "OPAQUE",
        metallicFactor=0.0,
        roughnessFactor=0.8,
        doubleSided=batch.flat,
    )
    visual = trimesh.visual.TextureVisuals(uv=batch.surface.uvs, material=material)
    mesh = trimesh.Trimesh(
        batch.surface.vertices, batch.surface.faces, vertex_normals=batch.surface.normals, visual=visual, process=False
    )
    data = io.BytesIO()
    mesh.export(data, file_type="glb", include_normals=True)
    return data.getvalue()
