"""ONNX: a policy's mean action as a graph that other programs run, with what they need to know of the task."""

import json

import numpy as np
import torch
from torch import nn

from newtonlite.core.replacing import replace_file

CHECKS = 1000
KINDS = {nn.Tanh: "Tanh", nn.ELU: "Elu", nn.ReLU: "Relu"}


def write_onnx(policy, task, file) -> float:
    """Write the policy to ``file``; returns by how much onnxruntime's actions differ from torch's at most, over 1000
    observations.

    Input ``observation [n, num_obs]``, output ``action [n, actions]``, before clipping. Metadata: names of actuators,
    layout of the observation, control step. Needs onnx and onnxruntime (extra ``learn``).
    """
    try:
        import onnx
        import onnxruntime
    except ModuleNotFoundError as problem:
        raise ModuleNotFoundError(
            f"writing ONNX needs {problem.name}: pip install 'newtonlite[learn]'", name=problem.name
        ) from None
    nodes, constants, last = _graph(policy, onnx)
    nodes[-1].output[0] = "action"
    shape = lambda n: ["n", n]
    real, info = onnx.TensorProto.FLOAT, onnx.helper.make_tensor_value_info
    num_obs, actions = len(policy.actor_norm.mean), len(policy.log_std)
    graph = onnx.helper.make_graph(
        nodes, "policy", [info("observation", real, shape(num_obs))], [info("action", real, shape(actions))], constants
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    for key, value in about(task).items():
        model.metadata_props.add(key=key, value=json.dumps(value))
    onnx.checker.check_model(model)
    replace_file(file, model.SerializeToString())
    rows = np.random.default_rng(0).normal(size=(CHECKS, num_obs)).astype(np.float32)
    found = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"]).run(
        None, {"observation": rows}
    )[0]
    with torch.no_grad():
        return float(np.abs(found - policy.act(torch.from_numpy(rows)).numpy()).max())


def _graph(policy, onnx) -> tuple:
    """(nodes, constants, name of the result) of normalisation and layers."""
    nodes, constants, last = [], [], "observation"

    def add(kind: str, *values, **options) -> None:
        nonlocal last
        names = []
        for value in values:
            names.append(f"c{len(constants)}")
            constants.append(onnx.numpy_helper.from_array(np.asarray(value, np.float32), names[-1]))
        nodes.append(onnx.helper.make_node(kind, [last, *names], [f"x{len(nodes)}"], **options))
        last = nodes[-1].output[0]

    if policy.normalise:
        norm = policy.actor_norm
        add("Sub", norm.mean.float().numpy())
        add("Div", norm.deviation().float().numpy() + np.float32(1e-4))
        add("Clip", -10.0, 10.0)
    for layer in policy.actor:
        if isinstance(layer, nn.Linear):
            add("Gemm", layer.weight.detach().numpy(), layer.bias.detach().numpy(), transB=1)
        else:
            add(KINDS[type(layer)])
    return nodes, constants, last


def about(task) -> dict:
    """Description of a task for the program that runs its policy."""
    from newtonlite.envs.environment import Environment

    env = Environment(task, 1, seed=0)
    group = "policy" if "policy" in env.observations else next(iter(env.observations))
    terms = {
        name: {"first": first, "count": count} for name, (first, count) in env.observation_manager.layout(group).items()
    }
    controls = {}
    for name, term in env.actions.terms.items():
        _, scale, offset, *_ = (c.numpy().tolist() for c in term.constants)
        controls[name] = {"actuators": list(term.names), "scale": scale, "offset": offset}
    joints = [n for n, kind in zip(env.sim.names("joint"), env.sim.compiled.jnt_type) if kind > 1]
    return {
        "observation": terms,
        "action": controls,
        "joints": joints,
        "start_qpos": env.sim.start_qpos.tolist(),
        "control_step": env.step_dt,
    }
