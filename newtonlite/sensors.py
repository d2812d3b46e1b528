"""Sensors of the scene, under Newton's names: contact forces, frames, and inertial units, read from states and contacts
of any solver, and cameras.
"""

from newtonlite.sim.sense.camera import SensorCamera, SensorTiledCamera
from newtonlite.sim.sense.contact import SensorContact
from newtonlite.sim.sense.frame import SensorFrameTransform
from newtonlite.sim.sense.imu import SensorIMU

__all__ = ["SensorCamera", "SensorContact", "SensorFrameTransform", "SensorIMU", "SensorTiledCamera"]
