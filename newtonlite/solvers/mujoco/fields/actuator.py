"""Actuators."""

import warp as wp

from newtonlite.core.field import Field as F

vec2, vec3, vec2i, spatial = wp.vec2, wp.vec3, wp.vec2i, wp.spatial_vector

MODEL = (
    F("nu", int, None, "controls", "size"),
    F("nactuator", int, None, "actuators", "size"),
    F("actuator_trntype", int, "nactuator", "mjtTrn", "index"),
    F("actuator_trnid", vec2i, "nactuator", "", "index"),
    F("actuator_ctrladr", int, "nactuator", "its control", "index"),
    F("actuator_gaintype", int, "nactuator", "", "index"),
    F("actuator_biastype", int, "nactuator", "", "index"),
    F("actuator_ctrllimited", int, "nactuator", "", "index"),
    F("actuator_forcelimited", int, "nactuator", "", "index"),
    F("actuator_gainprm", vec3, "nactuator", "", "param"),
    F("actuator_biasprm", vec3, "nactuator", "", "param"),
    F("actuator_ctrlrange", vec2, "nactuator", "", "param"),
    F("actuator_forcerange", vec2, "nactuator", "", "param"),
    F("actuator_gear", spatial, "nactuator", "", "param"),
    F("moment_adr", int, "nv1", "first actuator of each dof in moment_act", "index"),
    F("moment_act", int, "nmoment", "actuators that push a dof, by dof", "index"),
)

DATA = (
    F("ctrl", float, "nu", "controls", "input"),
    F("actuator_length", float, "nactuator", "", "scratch"),
    F("actuator_velocity", float, "nactuator", "", "scratch"),
    F("actuator_force", float, "nactuator", "", "scratch"),
    F("qfrc_actuator", float, "nvp", "", "scratch"),
)
