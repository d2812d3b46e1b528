"""Calls of Newton's viewers that newtonlite's do not serve: each says what it is and what to do."""

from typing import Any

from newtonlite.core.errors import UnsupportedError

LAYERS = "a viewer shows one model; make another viewer for another model"
CALLS = {
    "activate": LAYERS,
    "remove_layer": LAYERS,
    "clear_all_layers": LAYERS,
    "set_layer_visible": LAYERS,
    "set_layer_transform": LAYERS,
    "log_gaussian": "Gaussian splats are not shown; log a mesh with log_mesh",
    "log_hydro_contact_surface": "surfaces of hydroelastic contact are not drawn; log their points with log_points",
    "log_wireframe_shape": "edges of shapes are not drawn; log them with log_lines",
    "set_deformable_visuals": "soft bodies are drawn by their own surfaces; leave it out",
}
"""Methods, and why they are refused."""
EMPTY = ("log_gaussian", "log_hydro_contact_surface", "log_wireframe_shape", "set_deformable_visuals")
"""Methods that ask for nothing where what they are given is None."""


class RefusedViewerCalls:
    """Layers, splats and wireframes of Newton's viewers, refused by name."""

    @property
    def layers(self) -> Any:
        """Refused: there is one model."""
        raise UnsupportedError(f"{type(self).__name__}.layers: {LAYERS}")

    @property
    def layer(self) -> Any:
        """Refused: there is one model."""
        raise UnsupportedError(f"{type(self).__name__}.layer: {LAYERS}")

    def is_rendering_paused(self) -> bool:
        """No: every frame that is logged is shown."""
        return False

    def set_rendering_paused(self, paused: bool) -> None:
        """Refused where it is to pause."""
        if paused:
            text = "frames are shown as they are logged; leave log_state out to show none"
            raise UnsupportedError(f"{type(self).__name__}.set_rendering_paused: {text}")


def _refused(name: str, reason: str):
    """A method that raises UnsupportedError, unless it is given nothing to show."""

    def call(self, *given: Any, **options: Any) -> None:
        asked = [x for x in (*given, *options.values()) if x is not None and not isinstance(x, (str, bool))]
        if name in EMPTY and not asked:
            return
        raise UnsupportedError(f"{type(self).__name__}.{name}: {reason}")

    call.__name__, call.__doc__ = name, f"Refused: {reason}."
    return call


for _name, _reason in CALLS.items():
    setattr(RefusedViewerCalls, _name, _refused(_name, _reason))
