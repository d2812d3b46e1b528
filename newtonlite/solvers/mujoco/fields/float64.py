"""Inertia, forces and constraint rows in double, for models whose inertia needs more digits than float32 has."""

import warp as wp

from newtonlite.core.field import Field as F
from newtonlite.core.types import vec6d, vec10d

MODEL = (F("nfloat64", int, None, "dofs, where the mass matrix is assembled and factored in double", "size"),)

DATA = (
    F("crb64", vec10d, "nbody64", "inertia of the subtree", "scratch"),
    F("cfrc64", vec6d, "nbody64", "force the subtree needs, less what acts on it from outside", "scratch"),
    F("clift64", vec6d, "nbody64", "gravity compensation of the subtree", "scratch"),
    F("M64", wp.float64, "nfloat64 nfloat64", "joint-space inertia", "scratch"),
    F("L64", wp.float64, "nfloat64 nfloat64", "its factor, M = L'L; then the system of an implicit step", "scratch"),
    F("force64", wp.float64, "nfloat64", "smooth force, and after the solver with those of constraints", "scratch"),
    F("rows64", wp.float64, "njmax64 nfloat64", "L^-T [J', qfrc_smooth], the last row the smooth force", "scratch"),
    F(
        "kept_J",
        float,
        "njmax64 nvp64",
        "Jacobian, while the solver has that of mass-orthonormal velocities",
        "scratch",
    ),
    F("kept_warmstart", float, "nfloat64", "qacc_warmstart, meanwhile", "scratch"),
    F("lost_digits", int, "", "steps in which the factor of the mass matrix kept few digits", "output"),
)
