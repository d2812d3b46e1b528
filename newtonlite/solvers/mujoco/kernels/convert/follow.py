"""Numbers of the scene's model written into the engine's parameters, on the device: one thread per world and thing."""

import warp as wp

from newtonlite.core.types import vec5
from newtonlite.solvers.mujoco.kernels.convert.given import force_space

OFF_DIAGONAL = wp.constant(1.0e-6)  # of the largest moment: below it the body's own axes are the principal ones
FORCE_SPACE = wp.constant(0)
RAW = wp.constant(1)


@wp.kernel(enable_backward=False)
def follow_bodies(
    link: wp.array(dtype=int),
    mass: wp.array2d(dtype=float),
    com: wp.array2d(dtype=wp.vec3),
    inertia: wp.array2d(dtype=wp.mat33),
    body_mass: wp.array2d(dtype=float),
    body_ipos: wp.array2d(dtype=wp.vec3),
    body_iquat: wp.array2d(dtype=wp.quat),
    body_inertia: wp.array2d(dtype=wp.vec3),
):
    """Masses, centres of mass, principal moments and axes (w, x, y, z) of bodies."""
    world, b = wp.tid()
    i = link[b]
    if i < 0:
        return
    tensor = inertia[world, i]
    moments = wp.get_diag(tensor)
    axes = wp.quat(1.0, 0.0, 0.0, 0.0)
    off = wp.max(wp.abs(tensor[0, 1]), wp.max(wp.abs(tensor[0, 2]), wp.abs(tensor[1, 2])))
    if off > OFF_DIAGONAL * wp.max(wp.abs(moments)):
        turn, moments = wp.eig3(tensor)
        if wp.determinant(turn) < 0.0:
            turn = -turn
        q = wp.quat_from_matrix(turn)
        axes = wp.quat(q[3], q[0], q[1], q[2])
    body_mass[world, b] = mass[world, i]
    body_ipos[world, b] = com[world, i]
    body_inertia[world, b] = moments
    body_iquat[world, b] = axes


@wp.kernel(enable_backward=False)
def follow_dofs(dof: wp.array(dtype=int), source: wp.array2d(dtype=float), target: wp.array2d(dtype=float)):
    """One number of each degree of freedom."""
    world, i = wp.tid()
    target[world, i] = source[world, dof[i]]


@wp.kernel(enable_backward=False)
def follow_limits(
    first: wp.array(dtype=int),
    dofadr: wp.array(dtype=int),
    ke: wp.array2d(dtype=float),
    kd: wp.array2d(dtype=float),
    mode: wp.array2d(dtype=int),
    raw: wp.array2d(dtype=wp.vec2),
    baseline: wp.array2d(dtype=wp.vec2),
    solimp: wp.array2d(dtype=vec5),
    invweight: wp.array2d(dtype=float),
    solref: wp.array2d(dtype=wp.vec2),
):
    """``jnt_solref``: gains in force space, the author's own numbers, or the default of files that say nothing."""
    world, j = wp.tid()
    i = first[j]
    told = mode[world, i]
    if told == RAW:
        solref[world, j] = raw[world, i]
        return
    untouched = ke[world, i] == baseline[world, i][0] and kd[world, i] == baseline[world, i][1]
    factor = invweight[world, dofadr[j]] * (1.0 - solimp[world % solimp.shape[0], j][1])
    if (told != FORCE_SPACE and untouched) or ke[world, i] <= 0.0 or kd[world, i] <= 0.0 or factor <= 0.0:
        solref[world, j] = wp.vec2(0.02, 1.0)
    else:
        solref[world, j] = force_space(ke[world, i], kd[world, i], factor)
