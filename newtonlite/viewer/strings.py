"""Paths of spatial tendons: the points a string goes through, around spheres and cylinders."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from newtonlite.core.enums import GeoType, TendonWrap
from newtonlite.core.kernel_module import kernel_module
from newtonlite.geometry.wrap import wrap
from newtonlite.math import transform as tf

kernel_module(__name__)

ARC = 6  # pieces of a string on a shape


@wp.kernel
def find_wraps(
    ends: wp.array2d[wp.vec3],
    pose: wp.array[wp.transform],
    size: wp.array[wp.vec4],
    side: wp.array[wp.vec3],
    out: wp.array2d[wp.vec3],
    length: wp.array[float],
):
    """``size`` is (radius, 1 for a cylinder, 1 where a side is given, 0)."""
    k = wp.tid()
    p = wp.transform_get_translation(pose[k])
    mat = wp.quat_to_matrix(wp.transform_get_rotation(pose[k]))
    found, first, last = wrap(ends[k, 0], ends[k, 1], p, mat, size[k][0], size[k][1] > 0.5, size[k][2] > 0.5, side[k])
    length[k] = found
    out[k, 0] = first
    out[k, 1] = last


@dataclass(frozen=True)
class Strings:
    """Pieces of strings: from ``start`` [n, 3] to ``end`` [n, 3] [m], of ``tendon`` [n]."""

    start: np.ndarray
    end: np.ndarray
    tendon: np.ndarray


class Tendons:
    """The spatial tendons of a model, read once; ``at`` follows them."""

    def __init__(self, model):
        self.model, mujoco = model, getattr(model, "mujoco", None)
        kind = getattr(mujoco, "tendon_type", None)
        self.rows = np.flatnonzero(kind.numpy() == 1) if kind is not None and len(kind) else np.zeros(0, int)
        if not len(self.rows):
            return
        self.world, self.rgba, self.width = (
            getattr(mujoco, f"tendon_{name}").numpy() for name in ("world", "rgba", "width")
        )
        adr, num = mujoco.tendon_wrap_adr.numpy(), mujoco.tendon_wrap_num.numpy()
        self.kind, self.shape, self.side = (
            getattr(mujoco, f"tendon_wrap_{name}").numpy() for name in ("type", "shape", "sidesite")
        )
        self.steps = [(int(t), [int(k) for k in range(adr[t], adr[t] + num[t])]) for t in self.rows]
        self.body, self.local = model.shape_body.numpy(), model.shape_transform.numpy().astype(float)
        self.scale, self.geo = model.shape_scale.numpy(), model.shape_type.numpy()

    def at(self, body_q: np.ndarray, worlds=None) -> Strings:
        """The strings, bodies being at ``body_q`` [body_count, 7], of the worlds where ``worlds`` [world_count + 1] is
        true, or of all.
        """
        places = np.where(
            (self.body >= 0)[:, None], body_q[self.body].astype(float) if len(body_q) else tf.IDENTITY, tf.IDENTITY
        )
        places = tf.multiply(places, self.local)
        spans, around = [], []  # (tendon, site shape, site shape, index of its wrap or -1)
        for tendon, steps in self.steps:
            if worlds is not None and not worlds[self.world[tendon]]:
                continue
            before, between = None, None
            for k in steps:
                if self.kind[k] == TendonWrap.GEOM:
                    between = k
                    continue
                if before is not None and self.kind[k] == TendonWrap.SITE:
                    spans.append((tendon, self.shape[before], self.shape[k], -1 if between is None else len(around)))
                    if between is not None:
                        around.append((self.shape[before], self.shape[k], between))
                before, between = (k if self.kind[k] == TendonWrap.SITE else None), None
        return self._pieces(spans, self._wraps(around, places), places)

    def _wraps(self, around: list, places: np.ndarray) -> list[np.ndarray | None]:
        """For each shape on the way the points of the string on it, None where it does not touch."""
        if not around:
            return []
        shapes = np.array([self.shape[k] for _, _, k in around])
        sides = np.array([self.side[k] for _, _, k in around])
        ends = np.array([[places[a, :3], places[b, :3]] for a, b, _ in around], np.float32)
        size = np.stack(
            [self.scale[shapes, 0], self.geo[shapes] == GeoType.CYLINDER, sides >= 0, 0 * sides], axis=1
        ).astype(np.float32)
        out, length = (
            wp.zeros((len(around), 2), dtype=wp.vec3, device="cpu"),
            wp.zeros(len(around), dtype=float, device="cpu"),
        )
        given = [
            wp.array(ends, dtype=wp.vec3, device="cpu"),
            wp.array(places[shapes].astype(np.float32), dtype=wp.transform, device="cpu"),
            wp.array(size, dtype=wp.vec4, device="cpu"),
            wp.array(places[sides, :3].astype(np.float32), dtype=wp.vec3, device="cpu"),
        ]
        wp.launch(find_wraps, dim=len(around), inputs=given, outputs=[out, length], device="cpu")
        touched = length.numpy() >= 0
        return [arc(*out.numpy()[k], places[s], size[k]) if touched[k] else None for k, s in enumerate(shapes)]

    def _pieces(self, spans: list, wraps: list, places: np.ndarray) -> Strings:
        start, end, tendon = [], [], []
        for t, a, b, index in spans:
            middle = wraps[index] if index >= 0 else None
            points = np.concatenate([[places[a, :3]], *([middle] if middle is not None else []), [places[b, :3]]])
            start.append(points[:-1])
            end.append(points[1:])
            tendon += [t] * (len(points) - 1)
        if not start:
            return Strings(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, int))
        return Strings(np.concatenate(start), np.concatenate(end), np.array(tendon))


def arc(first, last, pose: np.ndarray, size) -> np.ndarray:
    """[ARC + 1, 3] points on a sphere or cylinder at a pose [7], on the shortest way between two points on it."""
    ends = tf.apply(tf.inverse(pose), np.array([first, last], float))
    share = np.linspace(0.0, 1.0, ARC + 1)[:, None]
    points = (1 - share) * ends[0] + share * ends[1]
    flat = points[:, :2] if size[1] > 0.5 else points
    length = np.linalg.norm(flat, axis=1, keepdims=True)
    radius = np.linalg.norm(ends[:, :2] if size[1] > 0.5 else ends, axis=1).mean()
    flat *= np.where(length > 1e-9, radius / np.maximum(length, 1e-9), 1.0)
    return tf.apply(pose, points)
