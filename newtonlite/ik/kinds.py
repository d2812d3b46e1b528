"""Names of the choices."""

from enum import Enum


class IKJacobianType(Enum):
    """Where Jacobians come from.

    Objectives that have an analytic Jacobian always give it. The others are refused under ANALYTIC; under AUTODIFF and
    MIXED theirs is found by central differences of their residuals.
    """

    AUTODIFF = "autodiff"
    ANALYTIC = "analytic"
    MIXED = "mixed"


class IKOptimizer(str, Enum):
    """How the sum of squares is made small."""

    LM = "lm"
    LBFGS = "lbfgs"


class IKSampler(str, Enum):
    """Where the seeds of a problem start."""

    NONE = "none"
    """At the given coordinates."""
    GAUSS = "gauss"
    """Around them; the first one at them."""
    UNIFORM = "uniform"
    """Anywhere within the limits."""
    ROBERTS = "roberts"
    """Within the limits, evenly spread by a sequence of additions."""
