"""ViewerBase: what programs written for Newton's viewers call."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.viewer.newton.refused import RefusedViewerCalls


class ViewerBase(RefusedViewerCalls, ABC):
    """Interface of the viewers: a model, frames of states and whatever a program logs.

    A frame is ``begin_frame(time)``, any number of ``log_*`` calls, ``end_frame()``. Places are in the world [m]; names
    are paths like ``/contacts/points``, and a call with the name of an earlier one replaces it. Arrays are Warp's or
    NumPy's; ``None`` or ``hidden`` takes what has the name off the picture.
    """

    show_joints = show_com = show_particles = show_contacts = show_springs = show_collision = show_static = (
        show_inertia_boxes
    ) = False
    show_visual = show_ground = show_triangles = show_contact_normals = show_contact_forces = True

    def __init__(self):
        self.model = None
        self.time = 0.0
        self.picking_enabled = True
        self.visible_worlds: list[int] | None = None

    def set_model(self, model) -> None:
        """Choose the model that states belong to, None for none."""
        self.model = model
        self.visible_worlds = None

    def clear_model(self) -> None:
        """Clear the model."""
        self.set_model(None)

    def notify_model_changed(self, flags) -> None:
        """The model's arrays were written to; viewers that show shapes read them anew."""

    def set_visible_worlds(self, worlds: Sequence[int] | None) -> None:
        """Show these worlds alone, all where None; numbers of worlds that are not there are left out."""
        model = self._needs_model("set_visible_worlds")
        self.visible_worlds = None if worlds is None else sorted({int(w) for w in worlds if 0 <= w < model.world_count})

    def set_world_offsets(self, spacing) -> None:
        """Put neighbouring worlds ``spacing`` [3] apart [m]; an axis with 0 is not used."""
        self._needs_model("set_world_offsets")

    def set_camera(self, pos, pitch: float | None = None, yaw: float | None = None) -> None:
        """Look from ``pos`` [m], ``pitch`` above the horizon and ``yaw`` about z, from x [degrees]."""

    def _needs_model(self, what: str):
        if self.model is None:
            raise RuntimeError(f"{what}: there is no model yet; call set_model first")
        return self.model

    # the loop

    @abstractmethod
    def is_running(self) -> bool:
        """Whether the program should go on."""

    def is_paused(self) -> bool:
        """Whether the program should hold the simulation."""
        return False

    def should_step(self) -> bool:
        """Whether to take a step in this turn of the loop: always, unless paused; then once for each step asked for."""
        return not self.is_paused()

    def is_key_down(self, key) -> bool:
        """Whether a key is held; viewers without a keyboard say no."""
        return False

    def begin_frame(self, time: float) -> None:
        """A frame begins, at a time of the simulation [s]."""
        self.time = float(time)

    @abstractmethod
    def end_frame(self) -> None:
        """A frame is complete."""

    def apply_forces(self, state) -> None:
        """Add the forces that people apply with the pointer to ``state.body_f``."""

    def close(self) -> None:
        """Close the viewer: no more frames follow."""

    def get_frame(self, **options):
        """Pictures are taken by other means: ``newtonlite.viewer.render`` draws without a display."""
        raise NotImplementedError(f"{type(self).__name__} draws no pictures; newtonlite.viewer.render does")

    # what is logged; viewers that show it override these

    @abstractmethod
    def log_state(self, state) -> None:
        """Log the poses of bodies."""

    def log_contacts(self, contacts, state, observables: Any = None) -> None:
        """Log the contacts of bodies, with forces where ``contacts.force`` or ``observables.contact_f`` has them."""

    def log_mesh(
        self,
        name: str,
        points,
        indices,
        normals=None,
        uvs=None,
        texture=None,
        hidden: bool = False,
        backface_culling: bool = True,
        color=None,
        roughness=None,
        metallic=None,
        dynamic: bool = False,
        opacity=None,
    ) -> None:
        """A mesh for ``log_instances``: points [n, 3] and three indices a triangle; drawn by itself unless hidden."""

    def log_instances(
        self,
        name: str,
        mesh: str,
        xforms,
        scales=None,
        colors=None,
        materials=None,
        hidden: bool = False,
        opacities=None,
    ) -> None:
        """Copies of a logged mesh at transforms [n, 7], with scales [n, 3] and colours [n, 3]."""

    def log_capsules(
        self,
        name: str,
        mesh: str,
        xforms,
        scales=None,
        colors=None,
        materials=None,
        hidden: bool = False,
        opacities=None,
    ) -> None:
        """Copies of a logged capsule."""
        self.log_instances(name, mesh, xforms, scales, colors, materials, hidden, opacities)

    def log_geo(
        self,
        name: str,
        geo_type: int,
        geo_scale,
        geo_thickness: float = 0.0,
        geo_is_solid: bool = True,
        geo_src=None,
        hidden: bool = False,
    ) -> None:
        """A mesh of a type of geometry, for ``log_instances``."""
        from newtonlite.viewer.surfaces import shape_surface

        found = shape_surface(geo_type, padded(geo_scale), geo_src)
        self.log_mesh(name, found.vertices, found.faces.reshape(-1), hidden=hidden)

    def log_shapes(
        self,
        name: str,
        geo_type: int,
        geo_scale,
        xforms,
        colors=None,
        materials=None,
        geo_thickness: float = 0.0,
        geo_is_solid: bool = True,
        geo_src=None,
        hidden: bool = False,
        opacities=None,
    ) -> None:
        """Copies of a type of geometry at transforms [n, 7]."""
        mesh = f"{name}/mesh"
        self.log_geo(mesh, geo_type, geo_scale, geo_thickness, geo_is_solid, geo_src, hidden=True)
        self.log_instances(name, mesh, xforms, None, colors, materials, hidden, opacities)

    def log_lines(self, name: str, starts, ends, colors=None, width: float = 0.01, hidden: bool = False) -> None:
        """Lines from starts [n, 3] to ends [n, 3] of a width [m]."""

    def log_arrows(self, name: str, starts, ends, colors=None, width: float = 0.01, hidden: bool = False) -> None:
        """Arrows from starts [n, 3] to ends [n, 3]; ``width`` [m] is the radius of the shaft."""

    def log_points(self, name: str, points, radii=None, colors=None, hidden: bool = False) -> None:
        """Balls at points [n, 3] of one radius, or of each its own [m]."""

    def log_array(self, name: str, array) -> None:
        """Numbers, to be looked at."""

    def log_scalar(self, name: str, value, *, clear: bool = False, smoothing: int = 1) -> None:
        """A number over time: the mean of the last ``smoothing`` values."""

    def log_image(self, name: str, image, *, fullscreen: bool = False) -> None:
        """A picture [height, width, 1, 3 or 4], or several of them."""

    def log_gizmo(self, name: str, transform, **options) -> None:
        """A handle at a transform that people drag; viewers without a pointer leave it where it is."""


def host(values, width: int | None = None) -> np.ndarray | None:
    """An array of Warp or NumPy on the host as float32, ``[n, width]``; ModelError where it has another shape."""
    if values is None:
        return None
    found = np.asarray(values.numpy() if hasattr(values, "numpy") else values, np.float32)
    if width is not None:
        found = found.reshape(-1, width) if found.ndim == 1 and found.size % width == 0 else found
        if found.ndim != 2 or found.shape[1] != width:
            raise ModelError(f"an array of shape {list(found.shape)} was logged where [n, {width}] is expected")
    return found


def padded(scale) -> tuple[float, float, float]:
    """One to three sizes of a geometry as three."""
    sizes = [float(scale)] * 3 if np.ndim(scale) == 0 else [float(x) for x in scale]
    return tuple((sizes + [0.0, 0.0, 0.0])[:3])
