"""Domain randomisation of mass, centre of mass and inertia together, so that a body of some density has them."""

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable
from newtonlite.envs.mdp.dr.fields import ModelParameter
from newtonlite.envs.streams import DISTRIBUTIONS, Stream, sample

kernel_module(__name__)

COUNT = wp.constant(10)
NONE = (0.0, 0.0)
d = wp.float64


@wp.func
def drawn(s: Stream, world: int, i: int, k: int, distribution: int, ranges: wp.array2d[float]):
    """Number ``k`` of a body's ten."""
    return d(sample(s, world, COUNT * i + k, distribution, ranges[k, 0], ranges[k, 1]))


@wp.kernel
def perturb(
    mask: wp.array[wp.bool],
    s: Stream,
    bodies: wp.array[int],
    ranges: wp.array2d[float],
    distribution: int,
    own_mass: wp.array3d[float],
    own_ipos: wp.array3d[float],
    own_inertia: wp.array3d[float],
    own_iquat: wp.array3d[float],
    mass: wp.array3d[float],
    ipos: wp.array3d[float],
    inertia: wp.array3d[float],
    iquat: wp.array3d[float],
):
    """``U J U^T`` of the pseudo-inertia ``J = [[S, m c], [m c^T, m]]``, where S are the second moments of the mass."""
    world, i = wp.tid()
    if not mask[world]:
        return
    b = bodies[i]
    m = d(own_mass[0, b, 0])
    if m <= d(0.0):
        return
    c = wp.vec3d(d(own_ipos[0, b, 0]), d(own_ipos[0, b, 1]), d(own_ipos[0, b, 2]))
    q = wp.quatd(d(own_iquat[0, b, 1]), d(own_iquat[0, b, 2]), d(own_iquat[0, b, 3]), d(own_iquat[0, b, 0]))
    r = wp.quat_to_matrix(q)
    own = wp.vec3d(d(own_inertia[0, b, 0]), d(own_inertia[0, b, 1]), d(own_inertia[0, b, 2]))
    half = d(0.5) * (own[0] + own[1] + own[2])
    moments = wp.diag(wp.vec3d(half - own[0], half - own[1], half - own[2]))
    second = r * moments * wp.transpose(r) + m * wp.outer(c, c)
    scale = wp.exp(drawn(s, world, i, 0, distribution, ranges))
    u = wp.mat33d(
        wp.exp(drawn(s, world, i, 1, distribution, ranges)),
        drawn(s, world, i, 4, distribution, ranges),
        drawn(s, world, i, 5, distribution, ranges),
        d(0.0),
        wp.exp(drawn(s, world, i, 2, distribution, ranges)),
        drawn(s, world, i, 6, distribution, ranges),
        d(0.0),
        d(0.0),
        wp.exp(drawn(s, world, i, 3, distribution, ranges)),
    )
    t = wp.vec3d(
        drawn(s, world, i, 7, distribution, ranges),
        drawn(s, world, i, 8, distribution, ranges),
        drawn(s, world, i, 9, distribution, ranges),
    )
    centre = u * c + t
    about = u * (second - m * wp.outer(c, c)) * wp.transpose(u)  # second moments about the new centre, over scale^2
    m = m * scale * scale
    about = about * (scale * scale)
    trace = about[0, 0] + about[1, 1] + about[2, 2]
    axes, sizes = wp.eig3(wp.diag(wp.vec3d(trace, trace, trace)) - about)
    if wp.determinant(axes) < d(0.0):
        axes = -axes
    turn = wp.quat_from_matrix(axes)
    mass[world, b, 0] = float(m)
    iquat[world, b, 0] = float(turn[3])
    for k in range(3):
        ipos[world, b, k] = float(centre[k])
        inertia[world, b, k] = float(sizes[k])
        iquat[world, b, 1 + k] = float(turn[k])


@capturable
def pseudo_inertia(
    env,
    mask,
    alpha_range: tuple = NONE,
    d_range: tuple | None = None,
    d1_range: tuple = NONE,
    d2_range: tuple = NONE,
    d3_range: tuple = NONE,
    s12_range: tuple = NONE,
    s13_range: tuple = NONE,
    s23_range: tuple = NONE,
    t_range: tuple | None = None,
    t1_range: tuple = NONE,
    t2_range: tuple = NONE,
    t3_range: tuple = NONE,
    names=".*",
    distribution: str = "uniform",
):
    """Mass, centre of mass and inertia of bodies together, such that any numbers give a body that can be (Rucker and
    Wensing 2022): mass times exp(2 alpha), axes stretched by exp(d), sheared by s, the centre moved by t [m].
    """
    if distribution not in ("uniform", "gaussian"):
        raise ModelError(f"term '{env.terms.name}': distribution {distribution!r}; expected 'uniform' or 'gaussian'")
    sim = env.sim
    stretch = [d_range] * 3 if d_range is not None else [d1_range, d2_range, d3_range]
    move = [t_range] * 3 if t_range is not None else [t1_range, t2_range, t3_range]
    given = [alpha_range, *stretch, s12_range, s13_range, s23_range, *move]
    table = sim.cached(("pseudo", env.terms.name), lambda: wp.array(np.array(given, np.float32), device=env.device))
    parts = [sim.cached(("field", name), lambda name=name: ModelParameter(sim, name)) for name in pseudo_inertia.fields]
    bodies = sim.indices("body", names)
    inputs = [mask, env.terms.stream, bodies, table, DISTRIBUTIONS[distribution], *(f.own for f in parts)]
    outputs = [f.values for f in parts]
    env.launch(perturb, (env.num_worlds, len(bodies)), inputs, outputs)
    env.recompute(mask)


pseudo_inertia.fields = ("body_mass", "body_ipos", "body_inertia", "body_iquat")
