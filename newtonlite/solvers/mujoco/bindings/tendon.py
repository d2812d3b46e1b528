"""Tendons: springs, limits, friction, coefficients of joints and divisors of pulleys."""

import numpy as np
import warp as wp

from newtonlite.core.enums import SolrefMode
from newtonlite.core.mujoco import MjtLimited
from newtonlite.solvers.mujoco.bindings.actuator import shared
from newtonlite.solvers.mujoco.bindings.arrays import NONE
from newtonlite.solvers.mujoco.bindings.flags import FRAME, LIMIT, REFERENCE, TENDON
from newtonlite.solvers.mujoco.bindings.joint import plastic_np
from newtonlite.solvers.mujoco.bindings.table import Bind, Watch, copied, derived, formula, named
from newtonlite.solvers.mujoco.derive.passive import plastic_springs
from newtonlite.solvers.mujoco.kernels.state_io.external_contacts import force_space
from newtonlite.solvers.mujoco.kernels.state_io.model_update import write
from newtonlite.solvers.mujoco.kernels.state_io.structure_check import NONZERO, PAIR, POSITIVE, REPORTED, UNREPORTED

T = "mujoco:tendon_"


def spring_lengths_np(m, w) -> dict:
    """Dead band of each spring; one number stands for both ends. (-1, -1) asks for the length at ``qpos_spring``, which
    comes with the constants.
    """
    if not m.ntendon:
        return {"tendon_lengthspring": np.zeros((0, 2))}
    length = w.read(T + "springlength")[..., m.newton_tendon, :]
    return {"tendon_lengthspring": np.where((length[..., 1:] < 0) & (length[..., :1] >= 0), length[..., :1], length)}


@derived("tendon_lengthspring", TENDON, spring_lengths_np, lambda m: dict(row=m.newton_tendon))
def spring_lengths(m, mjc, t, changed):
    """Dead bands of springs; those that follow from the reference pose are left for later."""
    world, k = wp.tid()
    given = mjc.tendon_springlength[world, t.row[k]]
    if given[0] >= 0.0 or given[1] >= 0.0:
        band = wp.vec2(given[0], wp.where(given[1] < 0.0, given[0], given[1]))
        write(m.tendon_lengthspring, world, k, band, 0.0, changed)


@formula("tendon_solref_lim", LIMIT, lambda m: dict(row=m.newton_tendon), late=True)
def limits(m, mjc, t, k):
    """References of limits: gains in force space [N/m, N s/m], or the author's own numbers."""
    i = t.row[k]
    factor = m.tendon_invweight0[k] * (1.0 - m.tendon_solimp_lim[k][1])
    gains = force_space(mjc.tendon_limit_ke[i], mjc.tendon_limit_kd[i], factor)
    return gains if mjc.tendon_solref_limit_mode[i] == SolrefMode.FORCE_SPACE else mjc.tendon_solref_limit[i]


# rests of springs that yield


def plastic_words(m) -> tuple:
    """Places in ``plastic0``, the rest lengths that a reset restores, and in ``tendon_lengthspring``."""
    adr = plastic_springs(m)["tendon_plasticadr"]
    here = np.flatnonzero(adr >= 0)
    return tuple((x[here, None] + np.arange(2)).ravel() for x in (adr, 2 * np.arange(len(adr))))


# the table


def open_range_words(flag: str, limited: str):
    """Upper ends of ranges that limit nothing now, and would if they were not empty."""

    def words(m, w) -> np.ndarray:
        auto = (
            (w.first(T + flag)[m.newton_tendon] == MjtLimited.AUTO) & (np.asarray(getattr(m, limited)) == 0)
            if m.ntendon
            else NONE
        )
        return 2 * m.newton_tendon[auto] + 1 if m.ntendon else NONE

    return words


def slack_words(m, w) -> np.ndarray:
    """Lower ends of dead bands that follow from the reference pose."""
    return 2 * m.newton_tendon[np.asarray(m.tendon_slack) != 0]


def taut_words(m, w) -> np.ndarray:
    """Upper ends of dead bands that were given."""
    return 2 * m.newton_tendon[np.asarray(m.tendon_slack) == 0] + 1


BINDS = (
    Bind("wrap_prm", "mujoco:tendon_coef", "newton_coef", TENDON),
    Bind("wrap_prm", "mujoco:tendon_wrap_prm", "newton_pulley", TENDON),
    *named("stiffness frictionloss margin springyield stiffnesspoly range", "newton_tendon", TENDON, "tendon_", T),
    *(
        Bind(f"tendon_{name}", T + name, "newton_tendon", TENDON, unless=shared(f"tendon_{name}"))
        for name in ("damping", "armature", "dampingpoly")
    ),
    Bind("tendon_actfrcrange", T + "actuator_force_range", "newton_tendon", TENDON),
    Bind("tendon_solimp_lim", T + "solimp_limit", "newton_tendon", TENDON),
    Bind("tendon_solref_fri", T + "solref_friction", "newton_tendon", TENDON),
    Bind("tendon_solimp_fri", T + "solimp_friction", "newton_tendon", TENDON),
)
PLASTIC = copied("plastic0", "tendon_lengthspring", REFERENCE | FRAME, plastic_words, plastic_np)
DERIVED = (spring_lengths, limits, PLASTIC)
WATCHES = (
    Watch(T + "frictionloss", POSITIVE),
    Watch(T + "springyield", POSITIVE),
    Watch(T + "armature", NONZERO),
    Watch(T + "range", PAIR, open_range_words("limited", "tendon_limited")),
    Watch(T + "actuator_force_range", PAIR, open_range_words("actuator_force_limited", "tendon_actfrclimited")),
    Watch(T + "springlength", REPORTED, slack_words),
    Watch(T + "springlength", UNREPORTED, taut_words),
)
