"""Kept features: a proxy of a model that keeps features whose parameters are 0 now (``keep=``)."""

import numpy as np

FEATURE_PARAMETERS = {
    "opt_density": "nfluid",
    "opt_viscosity": "nfluid",
    "jnt_stiffnesspoly": "npoly",
    "dof_dampingpoly": "npoly",
    "geom_adhesion": "nadhesion",
    "pair_adhesion": "nadhesion",
    "geom_surfacevel": "nsurfacevel",
    "sensor_noise": "nsensenoise",
    "flex_edgestiffness": "nflexspring",
    "flex_edgedamping": "nflexspring",
}
"""Parameters that act only in models where the size beside them was not 0 from the start; noise only where it was asked
for.
"""

WIDTHS = {
    "jnt_stiffnesspoly": ("njnt", 2),
    "dof_dampingpoly": ("nv", 2),
    "geom_adhesion": ("ngeom",),
    "pair_adhesion": ("npair",),
    "geom_surfacevel": ("ngeom", 6),
    "flex_edgestiffness": ("nflex",),
    "flex_edgedamping": ("nflex",),
}


STRUCTURAL = (*FEATURE_PARAMETERS, "dof_frictionloss", "tendon_frictionloss", "body_gravcomp")
"""Parameters of which the model's lists depend on which are 0."""

ACTUATOR_KINDS = ("actuator_dyntype", "actuator_gaintype", "actuator_biastype")
"""Lists of what kinds of laws there are, which a program may write into."""


class KeepFeatures:
    """A compiled model, or a ``mujoco.MjModel``, in which the parameters ``names`` are ones, those in ``values`` are as
    given there, and options are as ``options`` says.
    """

    def __init__(self, mj, names: set = frozenset(), options: dict | None = None, values: dict | None = None):
        self.host = mj
        self.options = options or {}
        self.adds_noise = "sensor_noise" in names or getattr(mj, "adds_noise", False)
        self._ones = {
            n: np.ones([getattr(mj, w) if isinstance(w, str) else w for w in WIDTHS[n]]) for n in names if n in WIDTHS
        }
        opts = {n[4:]: v for n, v in (values or {}).items() if n.startswith("opt_")} | (options or {})
        self._ones |= {n: v for n, v in (values or {}).items() if not n.startswith("opt_")}
        if "body_gravcomp" in self._ones:
            self._ones["ngravcomp"] = int(np.count_nonzero(self._ones["body_gravcomp"]))
        self.opt = _Options(mj.opt, {n[4:]: 1.0 for n in names if n.startswith("opt_")} | opts)

    def __getattr__(self, name):
        return self._ones[name] if name in self._ones else getattr(self.host, name)


class _Options:
    """Options, some with another value."""

    def __init__(self, opt, changed: dict):
        self._opt, self._changed = opt, changed

    def __getattr__(self, name):
        return self._changed[name] if name in self._changed else getattr(self._opt, name)
