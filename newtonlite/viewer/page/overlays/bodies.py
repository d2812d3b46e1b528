"""Bodies on the page: frames, axes of joints, centres of mass, inertias."""

import numpy as np

from newtonlite.core.enums import JointType
from newtonlite.math import transform as tf
from newtonlite.viewer.page.overlays.glyphs import ARROW, BALL, BOX, Glyphs, z_to_directions
from newtonlite.viewer.page.overlays.overlay import Overlay


class BodyOverlay(Overlay):
    """Overlay of bodies, which needs a model that knows their masses and joints."""

    def possible(self) -> bool:
        """Whether there are bodies."""
        return self.viewer.model is not None and len(self.viewer.look.body_q) > 0

    def clear(self) -> None:
        self.glyphs.clear()


class FrameOverlay(Overlay):
    """The axes of each body: x red, y green, z blue."""

    title = "Body frames"
    handle = None

    def possible(self) -> bool:
        """Whether there are bodies."""
        return len(self.viewer.look.body_q) > 0

    def draw(self, state) -> None:
        """Axes at the bodies of shown worlds."""
        bodies = self.shown_bodies()
        pose = self.viewer.body_q[bodies]
        positions, wxyzs = pose[:, :3] + self.offsets(bodies), pose[:, [6, 3, 4, 5]]
        if self.handle is not None and len(self.handle.batched_positions) != len(bodies):
            self.clear()
        if self.handle is None:
            size = 0.15 * self.viewer.radius
            self.handle = self.api.scene.add_batched_axes(
                "/frames", wxyzs, positions, axes_length=size, axes_radius=0.05 * size
            )
        self.handle.batched_positions, self.handle.batched_wxyzs = positions, wxyzs

    def clear(self) -> None:
        """Clear the axes."""
        if self.handle is not None:
            self.handle.remove()
            self.handle = None


class JointOverlay(BodyOverlay):
    """An arrow along the axis of each hinge and slide."""

    title = "Joint axes"

    def __init__(self, viewer):
        super().__init__(viewer)
        self.glyphs = Glyphs(viewer.api, "/joints", ARROW, (30, 90, 200))

    def possible(self) -> bool:
        """Whether there are joints with axes."""
        return super().possible() and len(self.axes()[0]) > 0

    def axes(self):
        """(child body [n], pose [n, 7] of the joint in it, axis [n, 3])."""
        if not hasattr(self, "_axes"):
            model, found = self.viewer.model, []
            kind = model.joint_type.numpy() if model.joint_count else []
            for joint in np.flatnonzero(np.isin(kind, (JointType.REVOLUTE, JointType.PRISMATIC, JointType.D6))):
                first = int(model.joint_qd_start.numpy()[joint])
                found += [(joint, first + k) for k in range(int(model.joint_dof_dim.numpy()[joint].sum()))]
            joints, dofs = (np.array([row[k] for row in found], int) for k in (0, 1))
            if not found:
                self._axes = (joints, joints, joints)
            else:
                self._axes = (
                    model.joint_child.numpy()[joints],
                    model.joint_X_c.numpy()[joints],
                    model.joint_axis.numpy()[dofs],
                )
        return self._axes

    def draw(self, state) -> None:
        body, pose, axis = self.axes()
        shown = self.viewer.layout.is_shown[self.viewer.look.body_world[body]]
        body, pose, axis = body[shown], pose[shown], axis[shown]
        placed = tf.multiply(self.viewer.body_q[body].astype(float), pose.astype(float))
        size = 0.25 * self.viewer.radius
        self.glyphs.set(
            placed[:, :3] + self.offsets(body),
            z_to_directions(tf.quat_rotate(placed[:, 3:], axis.astype(float))),
            np.full((len(body), 3), size),
        )


class CentreOverlay(BodyOverlay):
    """A ball at the centre of mass of each body; its volume is as the mass."""

    title = "Centres of mass"

    def __init__(self, viewer):
        super().__init__(viewer)
        self.glyphs = Glyphs(viewer.api, "/centres", BALL, (255, 220, 0))

    def draw(self, state) -> None:
        """Balls."""
        bodies, model = self.shown_bodies(), self.viewer.model
        place = tf.apply(self.viewer.body_q[bodies].astype(float), model.body_com.numpy()[bodies].astype(float))
        mass = model.body_mass.numpy()[bodies]
        size = 0.08 * self.viewer.radius * np.cbrt(mass / max(float(mass.max(initial=0.0)), 1e-12))
        unit = np.tile([1.0, 0.0, 0.0, 0.0], (len(bodies), 1))
        self.glyphs.set(place + self.offsets(bodies), unit, np.repeat(size[:, None], 3, axis=1))


class InertiaOverlay(BodyOverlay):
    """The box that has the mass and the inertia of each body."""

    title = "Inertias"

    def __init__(self, viewer):
        super().__init__(viewer)
        self.glyphs = Glyphs(viewer.api, "/inertias", BOX, (170, 60, 200), opacity=0.45)

    def draw(self, state) -> None:
        """Boxes."""
        bodies, model = self.shown_bodies(), self.viewer.model
        if not hasattr(self, "boxes"):
            self.boxes = equal_boxes(model.body_mass.numpy(), model.body_inertia.numpy())
        half, turn = (values[bodies] for values in self.boxes)
        pose = self.viewer.body_q[bodies].astype(float)
        place = tf.apply(pose, model.body_com.numpy()[bodies].astype(float))
        q = tf.quat_multiply(pose[:, 3:], turn)
        self.glyphs.set(place + self.offsets(bodies), q[:, [3, 0, 1, 2]], half)


def equal_boxes(mass: np.ndarray, inertia: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(half extents [n, 3], quaternions [n, 4] x, y, z, w) of uniform boxes with these masses [n] and inertias [n, 3,
    3].
    """
    moments, axes = np.linalg.eigh(inertia.astype(float))
    axes[np.linalg.det(axes) < 0, :, 2] *= -1
    total = moments.sum(axis=1, keepdims=True)
    # a box of half extents h has moments m / 3 (h_j^2 + h_k^2)
    squares = 1.5 * (total - 2.0 * moments) / np.maximum(mass, 1e-12)[:, None]
    half = np.sqrt(np.maximum(squares, 0.0)) * (mass > 0)[:, None]
    from scipy.spatial.transform import Rotation

    return half, Rotation.from_matrix(axes).as_quat() if len(axes) else np.zeros((0, 4))
