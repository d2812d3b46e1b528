"""Models seen with some parameters other than 0, for those who will set them later."""

import numpy as np

NEEDS = {
    "opt_density": "nfluid", "opt_viscosity": "nfluid", "jnt_stiffnesspoly": "npoly", "dof_dampingpoly": "npoly",
    "geom_adhesion": "nadhesion", "pair_adhesion": "nadhesion", "geom_surfacevel": "nsurfacevel",
}  # fmt: skip
"""Parameters that act only in models where the size beside them was not 0 from the start."""

WIDTHS = {"jnt_stiffnesspoly": ("njnt", 2), "dof_dampingpoly": ("nv", 2), "geom_adhesion": ("ngeom",), "pair_adhesion": ("npair",),
          "geom_surfacevel": ("ngeom", 6)}  # fmt: skip


class Promised:
    """A compiled model, or a ``mujoco.MjModel``, in which the parameters ``names`` are ones."""

    def __init__(self, mj, names: set):
        self._mj = mj
        self._ones = {n: np.ones([getattr(mj, w) if isinstance(w, str) else w for w in WIDTHS[n]]) for n in names if n in WIDTHS}
        self.opt = _Options(mj.opt, {n[4:] for n in names if n.startswith("opt_")})

    def __getattr__(self, name):
        return self._ones[name] if name in self._ones else getattr(self._mj, name)


class _Options:
    """Options in which those named are 1."""

    def __init__(self, opt, names: set):
        self._opt, self._names = opt, names

    def __getattr__(self, name):
        return 1.0 if name in self._names else getattr(self._opt, name)
