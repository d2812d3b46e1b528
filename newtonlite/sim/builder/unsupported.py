"""Unsupported methods of Newton's builder; each raises with what to do instead."""

from typing import Any

from newtonlite.core.errors import ModelError

_REFUSED = {
    "particles": ("add_particle", "add_particles", "add_particle_grid", "set_coloring"),
    "springs between particles": ("add_spring",),
    "cloth of single elements": ("add_triangle", "add_triangles", "add_edge", "add_edges"),
    "soft bodies of single elements": ("add_tetrahedron", "add_attachment_particle_body", "add_deformable_visual_mesh"),
    "elastic rods": ("add_rod", "add_joint_rod"),
    "muscles": ("add_muscle",),
    "routed cables": ("add_tendon",),
    "Gaussian splats": ("add_shape_gaussian",),
    "drawings of the joints": ("plot_articulation",),
}


def _refusal(name: str, what: str):
    def refuse(self, *args: Any, **kwargs: Any):
        raise ModelError(f"{name}: {what} are not supported; newtonlite simulates rigid bodies and MuJoCo's flexes")

    refuse.__name__ = name
    refuse.__doc__ = f"Refused: {what} are not supported."
    return refuse


class RefusedMethods:
    """Methods of Newton's builder for what newtonlite does not simulate; all but ``color`` raise ModelError."""

    def color(self, **options: Any) -> None:
        """Colouring: nothing to do, since colours order the work of solvers of cloth and particles, and rigid bodies
        have none."""


for _what, _names in _REFUSED.items():
    for _name in _names:
        setattr(RefusedMethods, _name, _refusal(_name, _what))
