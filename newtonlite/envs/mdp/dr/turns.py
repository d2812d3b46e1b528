"""Domain randomisation of orientations: a random rotation after the model's own, so that repeats do not pile up."""

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable
from newtonlite.envs.mdp.dr.fields import ModelParameter
from newtonlite.envs.streams import DISTRIBUTIONS, Stream, sample
from newtonlite.solvers.mujoco.model_constants import INPUTS

kernel_module(__name__)

NONE = (0.0, 0.0)


@wp.kernel
def turn(
    mask: wp.array[wp.bool],
    s: Stream,
    parts: wp.array[int],
    ranges: wp.array2d[float],
    distribution: int,
    own: wp.array3d[float],
    out: wp.array3d[float],
):
    """Rotations by roll, pitch and yaw about the part's own axes; quaternions are w, x, y, z."""
    world, i = wp.tid()
    if not mask[world]:
        return
    total = wp.quat_identity()
    for a in range(3):
        axis = wp.vec3(0.0, 0.0, 0.0)
        axis[a] = 1.0
        angle = sample(s, world, 3 * i + a, distribution, ranges[a, 0], ranges[a, 1])
        total = wp.quat_from_axis_angle(axis, angle) * total
    p = parts[i]
    q = wp.quat(own[0, p, 1], own[0, p, 2], own[0, p, 3], own[0, p, 0]) * total
    q = wp.normalize(q)
    out[world, p, 0] = q[3]
    for a in range(3):
        out[world, p, 1 + a] = q[a]


def _one(field: str, kind: str, about: str):
    """A function for the orientations of one kind of parts."""

    def term(env, mask, roll_range=NONE, pitch_range=NONE, yaw_range=NONE, names=".*", distribution="uniform"):
        if distribution not in ("uniform", "gaussian"):
            raise ModelError(
                f"term '{env.terms.name}': distribution {distribution!r}; expected 'uniform' or 'gaussian'"
            )
        f = env.sim.cached(("field", field), lambda: ModelParameter(env.sim, field))
        parts = env.sim.indices(kind, names)
        table = env.sim.cached(
            ("turn", env.terms.name),
            lambda: wp.array(np.array([roll_range, pitch_range, yaw_range], np.float32), device=env.device),
        )
        inputs = [mask, env.terms.stream, parts, table, DISTRIBUTIONS[distribution], f.own]
        env.launch(turn, (env.num_worlds, len(parts)), inputs, [f.values])
        if field in INPUTS:
            env.recompute(mask)

    term.fields = (field,)
    term.__doc__ = f"{about} ``{field}``: turned by angles [rad] about the part's x, then y, then z axis."
    return capturable(term)


body_quat = _one("body_quat", "body", "Orientations of bodies in their parents.")
geom_quat = _one("geom_quat", "geom", "Orientations of geoms in their bodies.")
site_quat = _one("site_quat", "site", "Orientations of sites in their bodies.")
cam_quat = _one("cam_quat", "camera", "Orientations of cameras in their bodies.")
