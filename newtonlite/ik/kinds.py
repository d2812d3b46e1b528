"""Names of the choices."""

from enum import Enum


class IKJacobianType(Enum):
    """Source of Jacobians.

    Objectives that have an analytic Jacobian always give it. The others are refused under ANALYTIC; under AUTODIFF and
    MIXED theirs is found by central differences of their residuals.
    """

    AUTODIFF = "autodiff"
    ANALYTIC = "analytic"
    MIXED = "mixed"


class IKOptimizer(str, Enum):
    """Optimizer of the sum of squares."""

    LM = "lm"
    LBFGS = "lbfgs"


class IKSampler(str, Enum):
    """Sampler of the initial seeds of a problem."""

    NONE = "none"
    """At the given coordinates."""
    GAUSS = "gauss"
    """Around them; the first one at them."""
    UNIFORM = "uniform"
    """Anywhere within the limits."""
    ROBERTS = "roberts"
    """Within the limits, evenly spread by a sequence of additions."""
