"""Light, sky, ground and first view of the page."""

import numpy as np

from newtonlite.viewer.framing import AWAY, FAR

SKY = np.array([[168, 192, 220], [226, 232, 239]])  # top and bottom of the picture
GROUND = (196, 203, 212)
LINES = (176, 184, 195)
SECTIONS = (150, 160, 174)


def light(api, shadows: bool = True) -> None:
    """A sun, the sky's light from above, what the ground sends back from below. Without ``shadows`` neither the sun casts
    them nor are there reflections: the browser draws the scene once instead of four times.
    """
    api.scene.configure_default_lights(enabled=False)
    api.scene.configure_environment_map("studio" if shadows else None, environment_intensity=0.25)
    sky = 0.9 if shadows else 1.3
    api.scene.add_light_hemisphere("/light/sky", sky_color=(235, 243, 255), ground_color=(190, 180, 168), intensity=sky)
    sun = api.scene.add_light_directional("/light/sun", color=(255, 246, 232), intensity=2.0, cast_shadow=shadows)
    sun.position = (4.0, -5.0, 9.0)
    api.scene.set_background_image(gradient())


def gradient(height: int = 256) -> np.ndarray:
    """[height, 2, 3] the sky, from the top of the picture to its bottom."""
    share = np.linspace(0.0, 1.0, height)[:, None, None]
    return np.broadcast_to(((1 - share) * SKY[0] + share * SKY[1]), (height, 2, 3)).astype(np.uint8)


def ground(api, name: str, height: float, size: float):
    """A plane without end at a height [m], with lines a metre apart; ``size`` [m] decides where it fades."""
    return api.scene.add_grid(
        name,
        width=size,
        height=size,
        infinite_grid=True,
        cell_size=0.5,
        section_size=1.0,
        cell_color=LINES,
        section_color=SECTIONS,
        cell_thickness=0.6,
        section_thickness=1.0,
        plane_color=GROUND,
        plane_opacity=1.0,
        shadow_opacity=0.35,
        fade_distance=max(40.0, 3.0 * size),
        position=(0.0, 0.0, height),
    )


def surroundings(api, grounds, middle, reach: float) -> None:
    """The grounds of a model, and a first view of what lies within ``reach`` [m] of ``middle`` [3]."""
    for k, plane in enumerate(grounds):
        ground(api, f"/ground/{k}", plane.height - 1e-3, 4 * reach)
    first_view(api, middle, reach)


def first_view(api, middle, radius: float) -> None:
    """Look at ``middle`` [3] from the front left and above, so that a ball of ``radius`` [m] fills the picture."""
    middle = np.asarray(middle, float)
    api.initial_camera.position = tuple(middle + FAR * radius * AWAY)
    api.initial_camera.look_at = tuple(middle)
    api.initial_camera.up = (0.0, 0.0, 1.0)
    api.initial_camera.fov = np.radians(45.0)
