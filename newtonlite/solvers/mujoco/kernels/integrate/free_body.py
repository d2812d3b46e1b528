"""Free body: the gyroscopic derivative of a tree that is one free body, an unsymmetric 6 x 6 system."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields


@wp.func
def gyroscopic_derivative(m: ModelFields, d: DataFields, world: int, i: int, scale: float):
    """Add ``scale d qfrc_bias / d qvel`` of a lone free body to rows ``i .. i + 5`` of H.

    With ``r`` from body origin to centre of mass and ``J`` the inertia about the origin, the bias is
    ``m w x (w x r)`` on the translations and ``w x J w`` on the rotations.
    """
    # inertia about the origin of the body: the one about the centre of mass, and Steiner's part
    b = m.dof_bodyid[i]
    rot = d.xmat[world, b]
    inertia = d.crb[world, b]
    mass = inertia[9]
    r = d.subtree_com[world, m.body_rootid[b]] - d.xpos[world, b]
    about_com = wp.mat33(
        inertia[0], inertia[3], inertia[4], inertia[3], inertia[1], inertia[5], inertia[4], inertia[5], inertia[2]
    )
    about_origin = about_com + mass * (wp.dot(r, r) * wp.identity(3, dtype=float) - wp.outer(r, r))

    # velocities of a free joint: rotation in body axes, translation in the world's
    local = wp.vec3(d.qvel[world, i + 3], d.qvel[world, i + 4], d.qvel[world, i + 5])
    w = rot * local

    # d(w x (w x r)) = -([w x r] + [w][r]) dw, and d(w x J w) = ([w] J - [J w]) dw, in the axes of the dofs
    lin = mass * (-wp.skew(wp.cross(w, r)) - wp.skew(w) * wp.skew(r)) * rot
    turn = wp.transpose(rot) * (wp.skew(w) * about_origin - wp.skew(about_origin * w)) * rot

    # columns of the three rotations: translations change neither part
    for k in range(3):
        for c in range(3):
            d.H[world, i + k, i + 3 + c] = d.H[world, i + k, i + 3 + c] + scale * lin[k, c]
            d.H[world, i + 3 + k, i + 3 + c] = d.H[world, i + 3 + k, i + 3 + c] + scale * turn[k, c]
