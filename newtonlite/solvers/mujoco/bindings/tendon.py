"""Tendons: springs, limits, friction, coefficients of joints and divisors of pulleys."""

import numpy as np
import warp as wp

from newtonlite.core.types import vec5
from newtonlite.solvers.mujoco.bindings.actuator import shared
from newtonlite.solvers.mujoco.bindings.gains import FORCE_SPACE, solref_from_gains
from newtonlite.solvers.mujoco.bindings.table import FRAME, LIMIT, NONE, REFERENCE, TENDON, Bind, Derived, Watch, named
from newtonlite.solvers.mujoco.derive.passive import plastic_springs
from newtonlite.solvers.mujoco.kernels.state_io.external_contacts import force_space
from newtonlite.solvers.mujoco.kernels.state_io.model_update import move_words, write_pair
from newtonlite.solvers.mujoco.kernels.state_io.structure_check import NONZERO, PAIR, POSITIVE, REPORTED, UNREPORTED

T = "mujoco:tendon_"
AUTO = 2
"""Value of ``limited`` that asks for limits where there is a range."""


def rows(m) -> np.ndarray:
    """The scene's row of each tendon."""
    return m.newton_tendon


# dead bands of springs


def spring_lengths_np(m, w) -> dict:
    """Dead band of each spring; one number stands for both ends. (-1, -1) asks for the length at ``qpos_spring``, which
    comes with the constants.
    """
    if not m.ntendon:
        return {"tendon_lengthspring": np.zeros((0, 2))}
    length = w.read(T + "springlength")[..., rows(m), :]
    return {"tendon_lengthspring": np.where((length[..., 1:] < 0) & (length[..., :1] >= 0), length[..., :1], length)}


@wp.kernel(enable_backward=False)
def spring_lengths_kernel(
    row: wp.array(dtype=int),
    given: wp.array2d(dtype=wp.vec2),
    changed: wp.array(dtype=int),
    tendon_lengthspring: wp.array2d(dtype=wp.vec2),
):
    """Dead bands of springs; those that follow from the reference pose are left for later."""
    world, t = wp.tid()
    told = given[world, row[t]]
    if told[0] >= 0.0 or told[1] >= 0.0:
        band = wp.vec2(told[0], wp.where(told[1] < 0.0, told[0], told[1]))
        write_pair(tendon_lengthspring, world, t, band, changed)


# limits


def limits_np(m, w) -> dict:
    """``tendon_solref_lim``: gains in force space [N/m, N s/m], or the author's own numbers. Needs
    ``tendon_invweight0``.
    """
    if not m.ntendon:
        return {"tendon_solref_lim": np.zeros((0, 2))}
    mode, raw = w.read(T + "solref_limit_mode")[..., rows(m)], w.read(T + "solref_limit")[..., rows(m), :]
    ke, kd = (w.read(f"{T}limit_{name}")[..., rows(m)] for name in ("ke", "kd"))
    gains = solref_from_gains(ke, kd, m.tendon_invweight0 * (1.0 - m.tendon_solimp_lim[..., 1]))
    return {"tendon_solref_lim": np.where((mode == FORCE_SPACE)[..., None], gains, raw)}


@wp.kernel(enable_backward=False)
def tendon_limits_kernel(
    row: wp.array(dtype=int),
    ke: wp.array2d(dtype=float),
    kd: wp.array2d(dtype=float),
    mode: wp.array2d(dtype=int),
    raw: wp.array2d(dtype=wp.vec2),
    tendon_solimp_lim: wp.array2d(dtype=vec5),
    tendon_invweight0: wp.array2d(dtype=float),
    changed: wp.array(dtype=int),
    tendon_solref_lim: wp.array2d(dtype=wp.vec2),
):
    """``tendon_solref_lim``: gains in force space, or the author's own numbers."""
    world, t = wp.tid()
    i = row[t]
    found = raw[world, i]
    if mode[world, i] == FORCE_SPACE:
        factor = tendon_invweight0[world, t] * (1.0 - tendon_solimp_lim[world, t][1])
        found = wp.vec2(0.02, 1.0)
        if ke[world, i] > 0.0 and kd[world, i] > 0.0 and factor > 0.0:
            found = force_space(ke[world, i], kd[world, i], factor)
    write_pair(tendon_solref_lim, world, t, found, changed)


# rests of springs that yield


def plastic_tables(m) -> dict:
    """Words of the rest lengths that a reset restores, and of ``tendon_lengthspring``."""
    adr = plastic_springs(m)["tendon_plasticadr"]
    here = np.flatnonzero(adr >= 0)
    to, of = ((x[here, None] + np.arange(2)).ravel() for x in (adr, 2 * np.arange(len(adr))))
    return dict(where=to, first=of, scale=np.ones(len(to)), second=np.full(len(to), -1))


# the table


def open_range_words(flag: str, limited: str):
    """Upper ends of ranges that limit nothing now, and would if they were not empty."""

    def words(m, w) -> np.ndarray:
        auto = (w.first(T + flag)[rows(m)] == AUTO) & (np.asarray(getattr(m, limited)) == 0) if m.ntendon else NONE
        return 2 * rows(m)[auto] + 1 if m.ntendon else NONE

    return words


def slack_words(m, w) -> np.ndarray:
    """Lower ends of dead bands that follow from the reference pose."""
    return 2 * rows(m)[np.asarray(m.tendon_slack) != 0]


def taut_words(m, w) -> np.ndarray:
    """Upper ends of dead bands that were given."""
    return 2 * rows(m)[np.asarray(m.tendon_slack) == 0] + 1


BINDS = (
    Bind("wrap_prm", "mujoco:tendon_coef", lambda m: m.newton_coef, TENDON),
    Bind("wrap_prm", "mujoco:tendon_wrap_prm", lambda m: m.newton_pulley, TENDON),
    *named("stiffness frictionloss margin springyield stiffnesspoly range", rows, TENDON, "tendon_", T),
    *(
        Bind(f"tendon_{name}", T + name, rows, TENDON, unless=shared(f"tendon_{name}"))
        for name in ("damping", "armature", "dampingpoly")
    ),
    Bind("tendon_actfrcrange", T + "actuator_force_range", rows, TENDON),
    Bind("tendon_solimp_lim", T + "solimp_limit", rows, TENDON),
    Bind("tendon_solref_fri", T + "solref_friction", rows, TENDON),
    Bind("tendon_solimp_fri", T + "solimp_friction", rows, TENDON),
)
DERIVED = (
    Derived(
        "tendon_lengthspring",
        TENDON,
        spring_lengths_np,
        spring_lengths_kernel,
        lambda m: dict(row=rows(m)),
        dict(given=T + "springlength"),
    ),
    Derived(
        "tendon_solref_lim",
        LIMIT,
        limits_np,
        tendon_limits_kernel,
        lambda m: dict(row=rows(m)),
        dict(ke=T + "limit_ke", kd=T + "limit_kd", mode=T + "solref_limit_mode", raw=T + "solref_limit"),
        late=True,
    ),
    Derived(
        "plastic0",
        REFERENCE | FRAME,
        lambda m, w: {"plastic0": plastic_springs(m)["plastic0"]},
        move_words,
        plastic_tables,
        engine={"source": "tendon_lengthspring", "offset": "tendon_lengthspring", "target": "plastic0"},
        late=True,
    ),
)
WATCHES = (
    Watch(T + "frictionloss", POSITIVE),
    Watch(T + "springyield", POSITIVE),
    Watch(T + "armature", NONZERO),
    Watch(T + "range", PAIR, open_range_words("limited", "tendon_limited")),
    Watch(T + "actuator_force_range", PAIR, open_range_words("actuator_force_limited", "tendon_actfrclimited")),
    Watch(T + "springlength", REPORTED, slack_words),
    Watch(T + "springlength", UNREPORTED, taut_words),
)
