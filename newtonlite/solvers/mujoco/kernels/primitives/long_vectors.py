"""Long vectors: sums and updates over the dofs and rows of wide models, in whole blocks.

The pads of vectors are zeros. Models of few dofs have the same in the loops of ``primal`` and ``cg``, dof by dof: sums in
another order have other bits.
"""

import warp as wp

from newtonlite.core.native import header
from newtonlite.solvers.mujoco.kernels.primitives.array_types import A1

native = header(__file__)


@wp.func_native(native("gradient_vectors"))
def gradient_vectors(
    Ma: A1, smooth: A1, constraint: A1, grad: A1, search: A1, world: int, n: int, lane: int, nlane: int
) -> float:
    """``grad = Ma - smooth - constraint`` and ``search = -grad``; returns this lane's share of its square."""
    ...


@wp.func_native(native("conjugate_sums"))
def conjugate_sums(grad: A1, search: A1, Mgrad: A1, last: A1, world: int, n: int, lane: int, nlane: int) -> wp.vec3:
    """This lane's share of ``-grad'search``, ``grad'Mgrad`` and ``grad'last``."""
    ...


@wp.func_native(native("conjugate_vectors"))
def conjugate_vectors(
    grad: A1, search: A1, Mgrad: A1, last: A1, beta: float, world: int, n: int, lane: int, nlane: int
) -> float:
    """``Mgrad = -search``, then ``search += beta last``; returns this lane's share of ``grad'search``."""
    ...


@wp.func_native(native("gauss_sums"))
def gauss_sums(search: A1, Ma: A1, smooth: A1, Mv: A1, world: int, n: int, lane: int, nlane: int) -> wp.vec2:
    """This lane's share of ``search'(Ma - smooth)`` and ``search'Mv``."""
    ...


@wp.func_native(native("add_scaled"))
def add_scaled(y: A1, x: A1, alpha: float, world: int, n: int, lane: int, nlane: int):
    """``y += alpha x``."""
    ...


@wp.func_native(native("copy_vector"))
def copy_vector(y: A1, x: A1, world: int, n: int, lane: int, nlane: int):
    """``y = x``."""
    ...
