"""Island and sleep fields."""

import warp as wp

from newtonlite.core.field import Field as F

vec2i, vec3, vec4i, quat = wp.vec2i, wp.vec3, wp.vec4i, wp.quat

MODEL = (
    F("nsleep", int, None, "1 where trees may sleep", "size"),
    F("opt_sleep_tolerance", float, "", "speed below which trees fall asleep [m/s]", "param"),
    F("tree_bodyadr", int, "ntree", "first body", "index"),
    F("tree_bodynum", int, "ntree", "bodies, one after the other", "index"),
    F("tree_sleep_policy", int, "ntree", "mjtSleepPolicy", "index"),
    F("tree_partner", int, "ntree", "a lower tree that elasticity ties it to, or itself", "index"),
    F(
        "drive_tree",
        vec2i,
        "ndrivetree",
        "pairs of trees that tendons and actuators tie in the effective inertia",
        "index",
    ),
    F("ndrivetree", int, None, "how many", "size"),
    F(
        "tree_asleep0",
        int,
        "nsleeptree",
        "tree_asleep at the start; itself: asleep, in what island the first step finds out",
        "param",
    ),
    F("sleep_fresh0", int, "nsleep", "1: some trees start asleep", "param"),
    F(
        "dof_length",
        float,
        "nv",
        "what makes a speed out of a rate: 1, or the size of the body that turns [m]",
        "param",
    ),
    F("eq_tree", vec2i, "neq", "trees that a connect or weld ties; -1: none, -2: never sleeps", "index"),
    F("tendon_tree", vec2i, "ntendon", "trees of a tendon over one or two; -1: none", "index"),
    F("actuator_tree", vec2i, "nactuator", "trees an actuator acts on; -1: none", "index"),
    F(
        "flexsleep_body",
        int,
        "nsleepflexbody",
        "bodies with a tree, or moved by a mocap body, that carry a flex",
        "index",
    ),
    F("flexsleep_adr", int, "nsleepflex1", "first of these of each flex, and the end", "index"),
    F("sensor_tree", vec4i, "nsensor", "trees that a sensor watches; -1: none", "index"),
)

DATA = (
    F(
        "tree_asleep",
        int,
        "nsleeptree",
        "below 0: awake, -1: ready to sleep; else the next tree of those that fell asleep together",
        "state",
    ),
    F("sleep_fresh", int, "nsleep", "1: the islands of trees that start asleep are not known yet", "state"),
    F("asleep_qpos", float, "nsleepq", "positions of sleeping trees when they fell asleep", "state"),
    F("asleep_xpos", vec3, "nsleepbody", "places of their bodies then [m]", "state"),
    F("asleep_xquat", quat, "nsleepbody", "and their orientations", "state"),
    F("tree_awake", int, "nsleeptree", "1: awake in this step, or after it", "output"),
    F("body_awake", int, "nsleepbody", "1: awake, 0: asleep, -1: static", "output"),
    F("tree_wake", int, "ntree", "1: something happened to the tree", "scratch"),
    F("tree_root", int, "ntree", "way to the lowest tree tied to this one; -1: no constraint acts on it", "scratch"),
    F("tree_first", int, "ntree", "first tree of an island that falls asleep, by its lowest tree", "scratch"),
    F("tree_last", int, "ntree", "last one met so far", "scratch"),
    F("friction_awake", int, "nfriction", "places in friction_dof of dofs that are awake", "scratch"),
    F("nfriction_awake", int, "", "how many", "scratch"),
    F("nisland", int, "", "islands", "scratch"),
    F("tree_island", int, "ntree", "island of each tree, in the order of their lowest trees; -1: none", "scratch"),
    F("dof_island", int, "nv", "island of each dof, -1: none", "scratch"),
    F("efc_island", int, "njmax", "island of each constraint row", "scratch"),
    F(
        "efc_tree",
        wp.vec2i,
        "njmax",
        "trees that each row acts on, -1 where less than two; both -2: any number",
        "scratch",
    ),
)
