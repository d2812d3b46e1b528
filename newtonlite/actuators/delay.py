"""Delay of commands: targets reach a drive some steps after they were given."""

from dataclasses import dataclass
from typing import Any

import warp as wp

from newtonlite.actuators.drive import check_mask
from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__, enable_backward=True)

COMMANDS = ("pos", "vel", "act")


@wp.kernel
def read(
    steps: wp.array[int],
    pushes: wp.array[int],
    last: wp.array[int],
    depth: int,
    buffer_pos: wp.array2d[float],
    buffer_vel: wp.array2d[float],
    buffer_act: wp.array2d[float],
    pos: wp.array[float],
    vel: wp.array[float],
    act: wp.array[float],
    ipos: wp.array[wp.uint32],
    ivel: wp.array[wp.uint32],
    out_pos: wp.array[float],
    out_vel: wp.array[float],
    out_act: wp.array[float],
):
    """Commands of ``steps`` ago, of the oldest where there are fewer, of now where there are none."""
    i = wp.tid()
    if pushes[i] == 0 or steps[i] == 0:
        out_pos[i] = pos[ipos[i]]
        out_vel[i] = vel[ivel[i]]
        now = float(0.0)
        if act:
            now = act[ivel[i]]
        out_act[i] = now
    else:
        row = (last[0] - wp.min(steps[i], pushes[i]) + 1 + depth) % depth
        out_pos[i] = buffer_pos[row, i]
        out_vel[i] = buffer_vel[row, i]
        out_act[i] = buffer_act[row, i]


@wp.kernel
def push(
    pos: wp.array[float],
    vel: wp.array[float],
    act: wp.array[float],
    ipos: wp.array[wp.uint32],
    ivel: wp.array[wp.uint32],
    depth: int,
    before_pos: wp.array2d[float],
    before_vel: wp.array2d[float],
    before_act: wp.array2d[float],
    before_pushes: wp.array[int],
    before_last: wp.array[int],
    buffer_pos: wp.array2d[float],
    buffer_vel: wp.array2d[float],
    buffer_act: wp.array2d[float],
    pushes: wp.array[int],
    last: wp.array[int],
):
    """The buffers of before with the commands of now in place of the oldest."""
    i = wp.tid()
    row = (before_last[0] + 1) % depth
    for k in range(depth):
        if k != row:
            buffer_pos[k, i] = before_pos[k, i]
            buffer_vel[k, i] = before_vel[k, i]
            buffer_act[k, i] = before_act[k, i]
    buffer_pos[row, i] = pos[ipos[i]]
    buffer_vel[row, i] = vel[ivel[i]]
    now = float(0.0)
    if act:
        now = act[ivel[i]]
    buffer_act[row, i] = now
    pushes[i] = wp.min(before_pushes[i] + 1, depth)
    if i == 0:
        last[0] = row


@wp.kernel
def forget(
    mask: wp.array[wp.bool],
    depth: int,
    buffer_pos: wp.array2d[float],
    buffer_vel: wp.array2d[float],
    buffer_act: wp.array2d[float],
    pushes: wp.array[int],
):
    """Empty the buffers of the axes in the mask."""
    i = wp.tid()
    if mask[i]:
        for k in range(depth):
            buffer_pos[k, i] = 0.0
            buffer_vel[k, i] = 0.0
            buffer_act[k, i] = 0.0
        pushes[i] = 0


class Delay:
    """Delays targets and feed-forward of each axis by its own ``delay_steps`` [n], at most ``max_delay`` [steps of the
    actuator].
    """

    @dataclass
    class State:
        """Commands of the last ``max_delay`` steps: buffers [max_delay, n], how many there are [n], and the row of the
        last [1].
        """

        buffer_pos: wp.array | None = None
        buffer_vel: wp.array | None = None
        buffer_act: wp.array | None = None
        num_pushes: wp.array | None = None
        write_idx: wp.array | None = None

        def reset(self, mask: wp.array | None = None) -> None:
            """Reset the buffers of commands, of all axes or those in ``mask`` [n]."""
            depth, n = self.buffer_pos.shape
            buffers = [self.buffer_pos, self.buffer_vel, self.buffer_act]
            if mask is not None:
                check_mask(mask, n, self.buffer_pos.device, "Delay.State.reset", "buffer")
                wp.launch(forget, n, [mask, depth], [*buffers, self.num_pushes], device=self.buffer_pos.device)
                return
            for array in (*buffers, self.num_pushes):
                array.zero_()
            self.write_idx.fill_(depth - 1)

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        """``delay_steps`` of one axis."""
        steps = args.get("delay_steps", -1)
        if steps < 0:
            raise ModelError(f"Delay delay_steps: {args.get('delay_steps')}; give a number of steps, 0 or more")
        return {"delay_steps": steps}

    def __init__(self, delay_steps: wp.array, max_delay: int):
        if max_delay < 1:
            raise ModelError(f"Delay max_delay: {max_delay}; give at least 1")
        self.buf_depth, self.delay_steps = max_delay, delay_steps
        self.requires_grad = False

    def finalize(self, device: Any, num_actuators: int, requires_grad: bool = False) -> None:
        """Allocate the arrays that a step reads."""
        self.device, self.count, self.requires_grad = device, num_actuators, requires_grad
        self._out = tuple(
            wp.zeros(num_actuators, dtype=float, device=device, requires_grad=requires_grad) for _ in COMMANDS
        )

    def state(self, num_actuators: int, device: Any) -> "Delay.State":
        """Empty buffers."""
        room = lambda: wp.zeros(
            (self.buf_depth, num_actuators), dtype=float, device=device, requires_grad=self.requires_grad
        )
        pushes, last = (
            wp.zeros(num_actuators, dtype=int, device=device),
            wp.full(1, self.buf_depth - 1, dtype=int, device=device),
        )
        return Delay.State(room(), room(), room(), pushes, last)

    def get_delayed_targets(
        self, target_pos, target_vel, feedforward, pos_indices, vel_indices, current_state
    ) -> tuple:
        """Targets and feed-forward [n] each, of each axis' steps ago."""
        s = current_state
        inputs = [self.delay_steps, s.num_pushes, s.write_idx, self.buf_depth, s.buffer_pos, s.buffer_vel, s.buffer_act]
        wp.launch(
            read,
            self.count,
            [*inputs, target_pos, target_vel, feedforward, pos_indices, vel_indices],
            list(self._out),
            device=self.device,
        )
        return self._out

    def update_state(
        self, target_pos, target_vel, feedforward, pos_indices, vel_indices, current_state, next_state
    ) -> None:
        """The commands of now, kept in the next state."""
        s, t = current_state, next_state
        inputs = [target_pos, target_vel, feedforward, pos_indices, vel_indices, self.buf_depth]
        before = [s.buffer_pos, s.buffer_vel, s.buffer_act, s.num_pushes, s.write_idx]
        after = [t.buffer_pos, t.buffer_vel, t.buffer_act, t.num_pushes, t.write_idx]
        wp.launch(push, self.count, [*inputs, *before], after, device=self.device)
