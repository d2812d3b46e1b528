"""Observation manager: groups of terms, each with noise, clip, scale, delay and history, written side by side."""

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import CHANGES, Counted
from newtonlite.envs.streams import Stream, normal, sample, uniform
from newtonlite.envs.task import Noise

kernel_module(__name__)

NOISE = {"uniform": 0, "gaussian": 2, "constant": 3}
CONSTANT = wp.constant(3)
NORMAL = wp.constant(2)


@wp.struct
class Shaping:
    """Settings that make an observation of the numbers of a term."""

    noise: int  # -1: none
    a: float
    b: float
    bias: float
    low: float
    high: float
    history: int
    depth: int
    offset: int
    scale: wp.array[float]


@wp.kernel
def draw_lags(mask: wp.array[wp.bool], s: Stream, least: int, most: int, hold: float, period: int, lag: wp.array[int]):
    """Age in steps of the values of a world, drawn anew at reset and when it is time."""
    world = wp.tid()
    if not mask[world]:
        return
    t = s.step[world]
    due = t == 0 or period <= 0
    if period > 0:
        due = due or t % period == 0
    if due and (t == 0 or uniform(s, world, 1, 0.0, 1.0) >= hold):
        lag[world] = wp.min(most, least + int(uniform(s, world, 0, 0.0, float(most - least + 1))))


@wp.kernel
def shape_values(
    mask: wp.array[wp.bool],
    s: Stream,
    lasting: Stream,
    g: Shaping,
    value: wp.array2d[float],
    lag: wp.array[int],
    ring: wp.array3d[float],
    out: wp.array2d[float],
):
    """Noise, clip and scale a value, keep it among the last ones, and write those that are shown."""
    world, i = wp.tid()
    if not mask[world]:
        return
    x = value[world, i]
    if g.noise >= 0:
        if g.noise == CONSTANT:
            x = x + g.a
        else:
            x = x + sample(s, world, i, g.noise, g.a, g.b)
        if g.bias > 0.0:
            if g.noise == NORMAL:
                x = x + g.bias * normal(lasting, world, i)
            else:
                x = x + uniform(lasting, world, i, -g.bias, g.bias)
    x = wp.clamp(x, g.low, g.high) * g.scale[wp.where(g.scale.shape[0] > 1, i, 0)]
    if g.depth == 1:
        out[world, g.offset + i] = x
        return
    t = s.step[world]
    ring[world, t % g.depth, i] = x
    for j in range(g.history):
        past = wp.max(0, t - lag[world] - (g.history - 1 - j))
        out[world, g.offset + j * value.shape[1] + i] = ring[world, past % g.depth, i]


class GroupSettings(Counted):
    """The numbers of ``Shaping`` of one term, which may be changed between steps."""

    def __init__(self, struct: Shaping):
        self.struct = struct

    def __getattr__(self, name):
        return getattr(self.__dict__["struct"], name)

    def __setattr__(self, name, value):
        if name == "struct":
            super().__setattr__(name, value)
        else:
            setattr(self.struct, name, value)
            CHANGES.count += 1


class Shaped(Counted):
    """A term of a group, with its place in the observation."""

    def __init__(self, env, name: str, term, group, offset: int):
        self.env, self.name, self.term = env, name, term
        value = self.value()
        self.width = value.shape[1]
        history = max(1, group.history_length if group.history_length is not None else term.history_length)
        if not 0 <= term.delay_min_lag <= term.delay_max_lag:
            raise ModelError(
                f"term '{name}': delay_min_lag={term.delay_min_lag} and delay_max_lag={term.delay_max_lag}; expected 0 <= min <= max"
            )
        noise = (term.noise or Noise()) if group.enable_corruption and term.noise else None
        if noise and noise.kind not in NOISE:
            raise ModelError(f"term '{name}': noise of kind {noise.kind!r}; expected one of {', '.join(NOISE)}")
        low, high = term.clip or (-np.inf, np.inf)
        g = Shaping()
        g.noise, g.a, g.b, g.bias = (NOISE[noise.kind], noise.a, noise.b, noise.bias) if noise else (-1, 0.0, 0.0, 0.0)
        g.low, g.high, g.history, g.depth, g.offset = low, high, history, history + term.delay_max_lag, offset
        scale = np.atleast_1d(np.asarray(1.0 if term.scale is None else term.scale, np.float32))
        if len(scale) not in (1, self.width):
            raise ModelError(f"term '{name}': scale has {len(scale)} numbers, the term {self.width}")
        g.scale = wp.array(scale, dtype=float, device=env.device)
        self.shaping = GroupSettings(g)
        self.size = history * self.width
        self.lag = wp.zeros(env.num_worlds, dtype=int, device=env.device)
        rows = g.depth if g.depth > 1 else 0
        self.ring = wp.zeros((env.num_worlds, rows, self.width), dtype=float, device=env.device)
        self.stream, self.lags, self.lasting = (
            env.stream(name),
            env.stream(f"{name}/lag"),
            env.stream(f"{name}/bias", lasting=True),
        )

    def value(self) -> wp.array:
        """The term's numbers now, ``[nworld, n]``."""
        return self.env.terms.rows(self.name, self.env.terms.call(self.name, self.term.func, self.term.params))

    def write(self, mask: wp.array, out: wp.array) -> None:
        """Write what is shown of the worlds of the mask."""
        t, env = self.term, self.env
        if t.delay_max_lag:
            inputs = [mask, self.lags, t.delay_min_lag, t.delay_max_lag, t.delay_hold_prob, t.delay_update_period]
            env.launch(draw_lags, env.num_worlds, inputs, [self.lag])
        value = self.value()
        env.launch(
            shape_values,
            value.shape,
            [mask, self.stream, self.lasting, self.shaping.struct, value, self.lag, self.ring],
            [out],
        )


class ObservationManager(Counted):
    """Groups of observations: ``groups[name]`` is ``[nworld, n]``, and ``final[name]`` what it was when an episode
    ended.
    """

    def __init__(self, env, groups: dict):
        self.env, self.shaped, self.groups, self.final = env, {}, {}, {}
        if not groups:
            raise ModelError("observations: expected at least one group")
        for name, group in groups.items():
            offset, found = 0, []
            for key, term in group.terms.items():
                found.append(Shaped(env, f"observation/{name}/{key}", term, group, offset))
                offset += found[-1].size
            self.shaped[name] = found
            self.groups[name], self.final[name] = (
                wp.zeros((env.num_worlds, offset), dtype=float, device=env.device) for _ in range(2)
            )

    def compute(self, mask: wp.array) -> None:
        """Observe the worlds of the mask; the others keep what they have."""
        for name, terms in self.shaped.items():
            for term in terms:
                self.env.call(term.term, term.write, mask, self.groups[name])

    def keep_final(self) -> None:
        """Copy what is observed now, before worlds are reset."""
        for name, group in self.groups.items():
            wp.copy(self.final[name], group)

    def layout(self, group: str) -> dict:
        """(first number, count) of each term of a group."""
        return {t.name.split("/")[-1]: (t.shaping.offset, t.size) for t in self.shaped[group]}

    def state(self) -> dict:
        """Arrays that a checkpoint needs."""
        found = {
            f"{t.name}/{k}": a
            for terms in self.shaped.values()
            for t in terms
            for k, a in (("ring", t.ring), ("lag", t.lag))
        }
        return found | {f"observation/{k}": a for k, a in self.groups.items()}
