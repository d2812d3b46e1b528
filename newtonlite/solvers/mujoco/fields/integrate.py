"""What integrators other than Euler's need."""

import warp as wp

from newtonlite.core.field import Field as F

mat33, spatial = wp.mat33, wp.spatial_vector

MODEL = (F("nslope", int, None, "bodies, where the integrator takes in derivatives of forces on bodies by velocity", "size"),)

DATA = (
    F("cslope", mat33, "nslope 4", "derivative of the force a subtree needs: torque by turning, by moving; force by turning, by moving", "scratch"),
    F("cdof_rate", spatial, "nslopedof", "derivative of the bias acceleration beyond a dof by its speed, but for the body's own velocity", "scratch"),
)
