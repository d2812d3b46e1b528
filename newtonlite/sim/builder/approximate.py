"""Mesh approximation methods of the builder: boxes, spheres and hulls in place of meshes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from newtonlite.core.enums import GeoType, ShapeFlags
from newtonlite.core.errors import ModelError
from newtonlite.math.transform import IDENTITY, multiply
from newtonlite.sim.builder import check

METHODS = ("convex_hull", "bounding_box", "bounding_sphere")


class ApproximateMethods:
    """Simplifying meshes."""

    def approximate_meshes(
        self,
        method: str = "convex_hull",
        shape_indices: Sequence[int] | None = None,
        raise_on_failure: bool = False,
        keep_visual_shapes: bool = False,
        *,
        cache_dir: Any = None,
        **remeshing_kwargs: Any,
    ) -> set[int]:
        """Replace meshes that collide, or those named, by their ``convex_hull``, ``bounding_box`` (along the mesh's
        axes) or ``bounding_sphere``.

        Masses stay. With ``keep_visual_shapes`` the meshes remain to be looked at, and what replaces them is not seen. Returns the shapes that were
        replaced; a mesh without hull is left as it is, or ModelError where ``raise_on_failure``. Other methods are
        refused.
        """
        where = "approximate_meshes"
        if method not in METHODS or remeshing_kwargs:
            raise ModelError(
                f"{where}: {method!r} {remeshing_kwargs or ''} is not supported; use one of {', '.join(METHODS)}"
            )
        count = self.shape_count
        if shape_indices is None:
            shape_indices = [
                s for s in range(count) if self._is_mesh(s) and self.shape_flags[s] & ShapeFlags.COLLIDE_SHAPES
            ]
        done = set()
        for shape in [check.index(s, count, "shape", where) for s in shape_indices]:
            if not self._is_mesh(shape):
                raise ModelError(f"{where}: shape {shape} is no mesh; name meshes, or none for all that collide")
            self._check_fieldless(shape, method)
            try:
                kind, source, scale, pose = self._approximation(shape, method)
            except ModelError:
                if raise_on_failure:
                    raise
                continue
            if keep_visual_shapes:
                self._add_picture(shape)
                self.shape_flags[shape] &= ~ShapeFlags.VISIBLE
            self.shape_type[shape], self.shape_source[shape] = kind, source
            self.shape_scale[shape] = scale.tolist()
            self.shape_transform[shape] = multiply(np.array(self.shape_transform[shape], float), pose)
            done.add(shape)
        return done

    def _check_fieldless(self, shape: int, method: str) -> None:
        """ModelError for a mesh with settings that only a mesh can have."""
        settings = (self.shape_sdf_max_resolution, self.shape_sdf_target_voxel_size, self.shape_sdf_padding)
        if any(s[shape] is not None for s in settings) or self.shape_flags[shape] & ShapeFlags.HYDROELASTIC:
            raise ModelError(
                f"approximate_meshes: shape {shape} '{self.shape_label[shape]}': {method!r} replaces the mesh, and its SDF "
                "/ hydroelastic configuration cannot be preserved; leave the shape out, or its sdf_* settings"
            )

    def _is_mesh(self, shape: int) -> bool:
        return self.shape_type[shape] in (GeoType.MESH, GeoType.CONVEX_MESH)

    def _approximation(self, shape: int, method: str) -> tuple:
        """Type, source, scale and pose in the mesh's frame of what stands in for a mesh."""
        mesh, scale = self.shape_source[shape], np.array(self.shape_scale[shape], float)
        if method == "convex_hull":
            return GeoType.CONVEX_MESH, mesh.compute_convex_hull(), scale, IDENTITY
        points = mesh.vertices * scale
        low, high = points.min(axis=0), points.max(axis=0)
        pose = IDENTITY.copy()
        pose[:3] = 0.5 * (low + high)
        if method == "bounding_box":
            return GeoType.BOX, None, 0.5 * (high - low), pose
        radius = np.linalg.norm(points - pose[:3], axis=1).max()
        return GeoType.SPHERE, None, np.array([radius, 0.0, 0.0]), pose

    def _add_picture(self, shape: int) -> None:
        """A copy of a mesh that is only seen."""
        picture = self.ShapeConfig(density=0.0, has_shape_collision=False, has_particle_collision=False)
        label = f"{self.shape_label[shape]}_visual"
        pose, scale = self.shape_transform[shape], tuple(self.shape_scale[shape])
        self.add_shape_mesh(
            self.shape_body[shape], xform=pose, mesh=self.shape_source[shape], scale=scale, cfg=picture, label=label
        )
