"""Reset of chosen worlds of a state to the model's initial state, in the scene's arrays."""

import warp as wp

from newtonlite.core.enums import StateFlags
from newtonlite.solvers.mujoco.kernels.state_io.reset import put_rows
from newtonlite.solvers.mujoco.start import nothing

RESTORED = {
    "joint_q": ("coord", StateFlags.JOINT_Q),
    "joint_qd": ("dof", StateFlags.JOINT_QD),
    "body_q": ("body", StateFlags.BODY_Q),
    "body_qd": ("body", StateFlags.BODY_QD),
}
MEMORY = (
    *("qacc_warmstart", "act", "time", "qfrc_applied", "xfrc_applied", "ctrl", "overflow", "lost_digits", "bad"),
    *("flexvert_lambda", "flexvert_conage", "history", "plastic", "tree_asleep", "asleep_qpos", "sleep_fresh"),
)
"""Fields that the engine carries from step to step besides positions and velocities, or that were written into its data."""


def reset_state(model, rows, state, choice, flags) -> None:
    """Restore what ``flags`` (``StateFlags``) name of an engine's worlds that choose row 0, on the device."""
    for name, (kind, flag) in RESTORED.items():
        if flags & flag and getattr(state, name) is not None:
            source, into = rows.words(getattr(model, name), kind)
            target, out_of = rows.words(getattr(state, name), kind)
            put_state(choice, source, target, [copy for copy in (into, out_of) if copy])
    if flags & StateFlags.BODY_F and state.body_f is not None:
        target, copy = rows.words(state.body_f, "body")
        put_state(choice, nothing(choice.device), target, [copy] if copy else [])


def put_state(choice, source, target, copies: list) -> None:
    """Put rows of words into the chosen worlds; of copies of the scene's arrays the last goes back."""
    for copy in copies:
        copy.fill()
    if target.size:
        wp.launch(put_rows, dim=target.shape, inputs=[choice, 1, False, source, target], device=choice.device)
    if copies:
        copies[-1].write_back()
