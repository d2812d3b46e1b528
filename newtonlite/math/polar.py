"""Polar decomposition: the rotation of a matrix, by Newton's method on rotations.

Müller, Bender, Chentanez, Macklin 2016 have the idea, with a gradient step; the Newton step is that of Wahba's problem. Not a
singular value decomposition: for a matrix that turns its volume inside out it is the nearest proper rotation as well.
"""

import warp as wp

from newtonlite.math.quaternion import quat_mul, quat_normalize, quat_to_mat, rotvec_to_quat

ITERATIONS = wp.constant(40)
SMALLEST_TURN = wp.constant(1.0e-6)
SMALLEST_PIVOT = wp.constant(1.0e-6)
LARGEST_TURN = wp.constant(1.0)


@wp.func
def polar_rotation(F: wp.mat33) -> wp.quat:
    """Rotation ``R`` that maximises ``tr(R' F)``, (w, x, y, z); from no rotation, whatever came before."""
    size = wp.sqrt(wp.ddot(F, F))
    q = wp.quat(1.0, 0.0, 0.0, 0.0)
    if size == 0.0:
        return q
    for _ in range(ITERATIONS):
        # gradient and Hessian of tr(R' F) by a further turn w in the rotated frame: axial part of A = R' F, tr(S) - S
        A = wp.transpose(quat_to_mat(q)) * F / size
        S = 0.5 * (A + wp.transpose(A))
        T = wp.trace(S) * wp.identity(n=3, dtype=float) - S
        slope = wp.vec3(A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1])
        minor = T[0, 0] * T[1, 1] - T[0, 1] * T[1, 0]
        turn = slope / (wp.abs(wp.trace(S)) + SMALLEST_PIVOT)

        # a maximum is near where the Hessian is definite: Newton's step, else along the gradient
        if T[0, 0] > SMALLEST_PIVOT and minor > SMALLEST_PIVOT and wp.determinant(T) > SMALLEST_PIVOT * SMALLEST_PIVOT:
            turn = wp.inverse(T) * slope
        elif wp.length(slope) < SMALLEST_PIVOT:
            # at a saddle half a turn about the axis of the largest eigenvalue leads up, unless that is flat
            axes, values = wp.eig3(S)
            top = wp.where(values[1] > values[0], 1, 0)
            top = wp.where(values[2] > values[top], 2, top)
            if values[top] > wp.trace(S) + SMALLEST_PIVOT:
                axis = wp.vec3(axes[0, top], axes[1, top], axes[2, top])
                q = quat_mul(q, wp.quat(0.0, axis[0], axis[1], axis[2]))
                continue

        # bounded, so that no step goes around
        angle = wp.length(turn)
        turn = turn * wp.min(1.0, LARGEST_TURN / wp.max(angle, SMALLEST_TURN))
        q = quat_normalize(quat_mul(q, rotvec_to_quat(turn)))
        if angle < SMALLEST_TURN:
            break
    return q
