"""Camera sensors under Newton's names: pictures of the scene of a model by ray casting, through pinhole and fisheye lenses."""

from newtonlite.sim.sense.camera.sensor import SensorCamera
from newtonlite.sim.sense.camera.tiled import SensorTiledCamera

__all__ = ["SensorCamera", "SensorTiledCamera"]
