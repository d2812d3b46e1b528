"""Words of old MJCF files that MuJoCo 4 does not know either: each is refused with what stands in its place today."""

LEGACY: dict[tuple[str, str], str] = {
    ("option", "apirate"): "is of files for old devices; leave it out",
    (
        "option",
        "collision",
    ): "was removed; contact pairs are added to what the masks allow: set contype and conaffinity of all other geoms to 0 for pairs alone",
    (
        "option",
        "impedance",
    ): "was removed; the shape of an impedance is in solimp: 'dmin dmax width 0.5 2' is the old sigmoid, 'd d width' a constant, 'dmin dmax width 0.5 1' linear",
    ("option", "reference"): "was removed; solref alone says the reference acceleration",
    ("option", "algorithm"): "was removed; write solver, which takes the same words",
    ("option", "mpr_tolerance"): "is called ccd_tolerance now",
    ("option", "mpr_iterations"): "is called ccd_iterations now",
    ("flag", "passive"): "was removed; write spring and damper, which it switched together",
    ("flag", "sensornoise"): "was removed; noise of sensors is left to who reads them",
    (
        "compiler",
        "convexhull",
    ): "was removed; hulls are made where they are needed, and maxhullvert of a mesh limits them",
    ("compiler", "exactmeshinertia"): "was removed; write inertia='exact' in the meshes",
    ("mujoco", "collision"): "was renamed; write <contact>",
    ("mujoco", "constraint"): "was renamed; write <equality>",
    (
        "equality",
        "flexvert",
    ): "is an unrecognized element since MuJoCo 4.0; constrain edges with <flex> or cells with <flexstrain>",
    (
        "contact",
        "internal",
    ): "is an unrecognized attribute since MuJoCo 4.0; selfcollide says how elements of a soft body touch",
    (
        "worldbody",
        "composite",
    ): "is an unrecognized element since MuJoCo 4.0; a flexcomp makes a soft body, of dimension 1 a cable",
    ("contact", "vertcollide"): "is an unrecognized attribute since MuJoCo 4.0; leave it out",
}
"""By (element, attribute or child); what stands in bodies and frames is that of ``worldbody``."""

GLOBAL = "global coordinates were removed with MuJoCo 2.3.4; load and save the file with an older version, which writes local ones"
