"""Domain randomisation of one field: numbers of the model in each world from numbers drawn and the model's own."""

import re

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable
from newtonlite.envs.streams import DISTRIBUTIONS, Stream, sample, uniform
from newtonlite.solvers.mujoco.executor.views import as_numbers
from newtonlite.solvers.mujoco.model import FIELDS
from newtonlite.solvers.mujoco.model_constants import INPUTS

kernel_module(__name__)

ABS, SCALE, ADD = 0, 1, 2
OPERATIONS = {"abs": ABS, "scale": SCALE, "add": ADD}
KINDS = {
    "body": "body",
    "jnt": "joint",
    "dof": "dof",
    "geom": "geom",
    "site": "site",
    "actuator": "actuator",
    "tendon": "tendon",
    "pair": "pair",
    "cam": "camera",
    "light": "light",
    "qpos0": "qpos",
    "eq": "equality",
}
FIXED = {
    "geom_size": "bounds and tables of shapes follow from it on the host; make structures that differ in size instead",
    "body_subtreemass": "it follows from body_mass",
    "body_invweight0": "it follows from masses",
    "dof_invweight0": "it follows from masses",
}


@wp.kernel
def change(
    mask: wp.array[wp.bool],
    s: Stream,
    parts: wp.array[int],
    axes: wp.array[int],
    ranges: wp.array3d[float],
    distribution: int,
    operation: int,
    shared: bool,
    own: wp.array3d[float],
    out: wp.array3d[float],
):
    """A number of the model from a number drawn and the model's own."""
    world, i, a = wp.tid()
    if mask[world]:
        n = axes.shape[0]
        index = wp.where(shared, a, i * n + a)
        x = sample(s, world, index, distribution, ranges[i, a, 0], ranges[i, a, 1])
        base = own[0, parts[i], axes[a]]
        if operation == SCALE:
            x = base * x
        elif operation == ADD:
            x = base + x
        out[world, parts[i], axes[a]] = x


class ModelParameter:
    """A parameter of the model as numbers ``[nworld, parts, axes]``, and the model's own ``[1, parts, axes]``."""

    def __init__(self, sim, name: str):
        array = sim.model.arrays[name]
        numbers, parts = as_numbers(array), array.shape[1] if array.ndim > 1 else 1
        self.values = numbers.reshape((array.shape[0], parts, numbers.shape[1] // max(1, parts)))
        self.own = wp.clone(self.values[0:1])


def fields_of(events: dict) -> tuple:
    """Parameters of the model that the events of a task change, which every world then has a copy of."""
    found = set()
    for term in events.values():
        found |= set(getattr(term.func, "fields", ())) | ({term.params["field"]} if term.func is randomize else set())
    return tuple(sorted(found))


@capturable
def randomize(
    env,
    mask,
    field: str,
    ranges,
    names=".*",
    distribution: str = "uniform",
    operation: str = "abs",
    axes=None,
    shared_random: bool = False,
):
    """Change any numeric parameter of the model, by MuJoCo's name: ``randomize(..., field="dof_damping", ranges=(0.5,
    1.5), operation="scale")``.

    ``names`` are those of bodies, joints (for ``jnt_`` and ``dof_`` alike), geoms, sites, actuators, tendons. Raises
    ModelError for fields that are none, or that cannot be changed alone.
    """
    plan = env.sim.cached(("randomize", env.terms.name, field), lambda: _plan(env, field, ranges, names, axes))
    for what, table in (("distribution", DISTRIBUTIONS), ("operation", OPERATIONS)):
        if (value := {"distribution": distribution, "operation": operation}[what]) not in table:
            raise ModelError(f"term '{env.terms.name}': {what} {value!r}; expected one of {', '.join(table)}")
    f, parts, columns, table = plan
    inputs = [
        mask,
        env.terms.stream,
        parts,
        columns,
        table,
        DISTRIBUTIONS[distribution],
        OPERATIONS[operation],
        shared_random,
        f.own,
    ]
    env.launch(change, (env.num_worlds, len(parts), len(columns)), inputs, [f.values])
    if field in INPUTS:
        env.recompute(mask)


def _plan(env, field: str, ranges, names, axes) -> tuple:
    """(field, parts, axes, ranges) as arrays, checked."""
    sim, term = env.sim, env.terms.name
    if field not in FIELDS or FIELDS[field].role != "param" or FIELDS[field].dtype is int:
        raise ModelError(f"term '{term}': {field!r} is no numeric parameter of the model")
    if field in FIXED:
        raise ModelError(f"term '{term}': {field} cannot be changed alone: {FIXED[field]}")
    if sim.model.arrays[field].shape[0] != sim.nworld:
        raise ModelError(f"term '{term}': {field} is shared by all worlds; name it in the task's per_world")
    found = sim.cached(("field", field), lambda: ModelParameter(sim, field))
    count, width = found.values.shape[1:]
    parts, labels = _parts(sim, field, names, count)
    columns = list(range(width)) if axes is None else list(axes)
    by_axis = isinstance(ranges, dict) and all(isinstance(k, int) for k in ranges)
    if by_axis:
        columns = sorted(ranges)
    if not parts or max(columns) >= width:
        raise ModelError(f"term '{term}': {field} has {count} parts with {width} numbers each; axes={columns}")
    table = np.zeros((len(parts), len(columns), 2), np.float32)
    if by_axis:
        table[:] = [ranges[c] for c in columns]
    elif isinstance(ranges, dict):
        keep = []
        for i, label in enumerate(labels):
            hits = [pair for pattern, pair in ranges.items() if re.fullmatch(pattern, label)]
            if hits:
                table[i] = hits[-1]
                keep.append(i)
        parts, table = [parts[i] for i in keep], table[keep]
        if not parts:
            raise ModelError(
                f"term '{term}': ranges name {', '.join(ranges)}, which none is called; there are: {', '.join(labels)}"
            )
    else:
        table[:] = ranges
    array = lambda values, kind: wp.array(values, dtype=kind, device=env.device)
    return found, array(parts, int), array(columns, int), array(table, float)


def _parts(sim, field: str, names, count: int) -> tuple:
    """(numbers, names) of the parts of a field."""
    kind = KINDS.get(field if field == "qpos0" else field.split("_")[0])
    mj = sim.compiled
    if kind in ("dof", "qpos"):
        joints, labels = sim.find("joint", names), sim.names("joint")
        adr = mj.jnt_dofadr if kind == "dof" else mj.jnt_qposadr
        width = {0: 6, 1: 3} if kind == "dof" else {0: 7, 1: 4}
        found = [(int(adr[j]) + k, labels[j]) for j in joints for k in range(width.get(int(mj.jnt_type[j]), 1))]
        return [p for p, _ in found], [label for _, label in found]
    if kind is None or not hasattr(mj, f"names_{kind}") or len(sim.names(kind)) != count:
        return list(range(count)), [str(i) for i in range(count)]
    found = sim.find(kind, names)
    labels = sim.names(kind)
    return found, [labels[i] for i in found]


def _one(field: str, operation: str, about: str):
    """A function for one field, with mjlab's defaults."""
    default = operation

    def term(env, mask, ranges, names=".*", distribution="uniform", operation=default, axes=None, shared_random=False):
        randomize(env, mask, field, ranges, names, distribution, operation, axes, shared_random)

    term.fields, term.__doc__ = (field,), f"{about} ``{field}``, operation ``{operation}`` by default."
    return capturable(term)


@capturable
def pd_gains(
    env, mask, kp_range: tuple, kd_range: tuple, actuators=".*", distribution: str = "uniform", operation: str = "scale"
):
    """Gains of position and velocity servos."""
    if operation not in ("scale", "abs"):
        raise ModelError(f"pd_gains: operation {operation!r}; expected 'scale' or 'abs'")
    own = {
        name: env.sim.cached(("field", name), lambda name=name: ModelParameter(env.sim, name))
        for name in pd_gains.fields
    }
    inputs = [
        mask,
        env.terms.stream,
        env.sim.indices("actuator", actuators),
        wp.vec2(*kp_range),
        wp.vec2(*kd_range),
        DISTRIBUTIONS[distribution],
        OPERATIONS[operation],
    ]
    n = len(inputs[2])
    gain, bias = own["actuator_gainprm"], own["actuator_biasprm"]
    env.launch(change_gains, (env.num_worlds, n), [*inputs, gain.own, bias.own], [gain.values, bias.values])


pd_gains.fields = ("actuator_gainprm", "actuator_biasprm")


@wp.kernel
def change_gains(
    mask: wp.array[wp.bool],
    s: Stream,
    actuators: wp.array[int],
    kp: wp.vec2,
    kd: wp.vec2,
    distribution: int,
    operation: int,
    own_gain: wp.array3d[float],
    own_bias: wp.array3d[float],
    gain: wp.array3d[float],
    bias: wp.array3d[float],
):
    """``kp`` is the gain and less the bias of position, ``kd`` less the bias of velocity."""
    world, i = wp.tid()
    if not mask[world]:
        return
    a = actuators[i]
    p = sample(s, world, 2 * i, distribution, kp[0], kp[1])
    d = sample(s, world, 2 * i + 1, distribution, kd[0], kd[1])
    if operation == ABS:
        gain[world, a, 0] = p
        bias[world, a, 1] = -p
        bias[world, a, 2] = -d
    else:
        gain[world, a, 0] = own_gain[0, a, 0] * p
        bias[world, a, 1] = own_bias[0, a, 1] * p
        bias[world, a, 2] = own_bias[0, a, 2] * d


@wp.kernel
def draw_bias(mask: wp.array[wp.bool], s: Stream, low: float, high: float, q: wp.array[int], out: wp.array2d[float]):
    """An error of each encoder."""
    world, i = wp.tid()
    if mask[world]:
        out[world, q[i]] = uniform(s, world, i, low, high)


@capturable
def encoder_bias(env, mask, bias_range: tuple, joints=".*"):
    """Errors of joint encoders, which ``joint_pos_rel(biased=True)`` shows."""
    if env.sim.encoder_bias is None:
        env.sim.encoder_bias = wp.zeros((env.num_worlds, env.sim.model.nq), dtype=float, device=env.device)
    j = env.sim.joints(joints)
    env.launch(
        draw_bias,
        (env.num_worlds, j.count),
        [mask, env.terms.stream, *map(float, bias_range), j.q],
        [env.sim.encoder_bias],
    )
