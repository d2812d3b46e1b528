"""Joint and site selection: the joints of a model that a controller moves, and the sites that are its tools."""

import re
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import JointType, ShapeFlags
from newtonlite.core.errors import ModelError
from newtonlite.sim.selection.labels import matching


class ChosenJoints:
    """The controlled joints of each articulation that has any, each with one coordinate and one dof.

    ``articulations`` and ``joints`` are patterns of labels, indices, or lists of both; without ``joints`` all that have
    one coordinate and one dof. ``q_start`` and ``qd_start`` [dofs] are rows of the model, ``column`` [robots, widest]
    those within the articulation.
    """

    def __init__(self, model: Any, articulations: Any, joints: Any):
        host = {
            name: getattr(model, name).numpy()
            for name in (
                "articulation_start",
                "articulation_end",
                "joint_q_start",
                "joint_qd_start",
                "joint_articulation",
            )
        }
        chosen = (
            matching_indices(model.articulation_label, articulations, "articulations")
            if articulations is not None
            else range(model.articulation_count)
        )
        found = {a: [] for a in sorted(set(chosen))}
        if joints is None:
            for a in found:
                found[a] = [
                    j for j in range(host["articulation_start"][a], host["articulation_end"][a]) if single(host, j)
                ]
        else:
            self._add_named(model, host, found, joints)
        robots = [(a, list(dict.fromkeys(js))) for a, js in found.items() if js]
        if not robots:
            raise ModelError("joints: none of them can be controlled; name joints that have one coordinate and one dof")
        picked = np.concatenate([js for _, js in robots])
        self._check_single(model, host, picked)
        self.robots, self.joints = np.array([a for a, _ in robots], np.int32), picked
        counts = np.array([len(js) for _, js in robots], np.int32)
        start = host["joint_qd_start"][host["articulation_start"][self.robots]]
        column = np.zeros((len(robots), counts.max()), np.int32)
        for r, (_, js) in enumerate(robots):
            column[r, : len(js)] = host["joint_qd_start"][js] - start[r]
        mask = np.zeros(model.articulation_count, bool)
        mask[self.robots] = True
        ints = lambda values: wp.array(values.astype(np.int32), dtype=int, device=model.device)
        self.q_start, self.qd_start = ints(host["joint_q_start"][picked]), ints(host["joint_qd_start"][picked])
        self.counts, self.column, self.articulation = ints(counts), ints(column), ints(self.robots)
        self.mask = wp.array(mask, dtype=wp.bool, device=model.device)

    @staticmethod
    def _add_named(model: Any, host: dict, found: dict, joints: Any) -> None:
        """Joints that entries name, in their order; each entry has to name one of a chosen articulation."""
        for entry in [joints] if isinstance(joints, (str, re.Pattern, int)) else joints:
            hits = [
                j
                for j in matching_indices(model.joint_label, entry, "joints")
                if int(host["joint_articulation"][j]) in found
            ]
            if not hits:
                raise ModelError(
                    f"joints {entry!r}: belongs to none of the chosen articulations; name a joint of one of them"
                )
            for j in hits:
                if host["joint_qd_start"][j + 1] > host["joint_qd_start"][j]:
                    found[int(host["joint_articulation"][j])].append(j)

    @staticmethod
    def _check_single(model: Any, host: dict, picked: np.ndarray) -> None:
        kinds = model.joint_type.numpy()
        wide = [f"{model.joint_label[j]} ({JointType(int(kinds[j])).name})" for j in picked if not single(host, j)]
        if wide:
            raise ModelError(
                f"joints {', '.join(wide)}: cannot be controlled; name joints that have one coordinate and one dof"
            )


class ChosenTools:
    """One site of each robot: the body it is fixed to, where, and which link of the articulation that is."""

    def __init__(self, model: Any, chosen: ChosenJoints, tool_sites: Any):
        flags = model.shape_flags.numpy() if model.shape_count else np.zeros(0, int)
        sites = np.flatnonzero(flags & ShapeFlags.SITE)
        if not len(sites):
            raise ModelError("tool_sites: the model has no sites; add one to each tool with add_site")
        body_of, place = model.shape_body.numpy(), model.shape_transform.numpy()
        carrier = np.full(model.body_count + 1, -1)
        carrier[model.joint_child.numpy()] = np.arange(model.joint_count)
        owner = np.append(model.joint_articulation.numpy(), -1)
        named = set(self._named(model, sites, tool_sites))
        bodies, offsets, links = [], [], []
        for robot in chosen.robots:
            mine = [s for s in named if body_of[s] >= 0 and owner[carrier[body_of[s]]] == robot]
            if len(mine) != 1:
                what = f"{len(mine)} sites" if mine else "no site"
                raise ModelError(
                    f"tool_sites {tool_sites!r}: means {what} of articulation '{model.articulation_label[robot]}'; name one per robot"
                )
            bodies.append(body_of[mine[0]])
            offsets.append(wp.transform(*place[mine[0]].tolist()))
            links.append(carrier[bodies[-1]] - model.articulation_start.numpy()[robot])
        ints = lambda values: wp.array(np.array(values, np.int32), dtype=int, device=model.device)
        self.body, self.link = ints(bodies), ints(links)
        self.offset = wp.array(offsets, dtype=wp.transform, device=model.device)

    @staticmethod
    def _named(model: Any, sites: np.ndarray, tool_sites: Any) -> list[int]:
        """Shapes that entries name; each has to name a site."""
        found = []
        for entry in [tool_sites] if isinstance(tool_sites, (str, re.Pattern, int)) else tool_sites:
            hits = [s for s in matching_indices(model.shape_label, entry, "tool_sites") if s in sites]
            if not hits:
                raise ModelError(
                    f"tool_sites {entry!r}: means no site of the model; known are {', '.join(str(model.shape_label[s]) for s in sites)}"
                )
            found += hits
        return found


def matching_indices(labels: list, entry: Any, where: str) -> list[int]:
    """Indices for a pattern, an index or a list of them; ModelError where nothing matches, or an index is out of
    range."""
    found = matching(labels, [entry] if isinstance(entry, int) else entry, where)
    if isinstance(entry, int) and entry < 0 or not found:
        raise ModelError(f"{where} {entry!r}: means nothing in the model; known are {', '.join(map(str, labels[:20]))}")
    return found


def single(host: dict, joint: int) -> bool:
    """Whether a joint has one coordinate and one dof."""
    return all(host[name][joint + 1] - host[name][joint] == 1 for name in ("joint_q_start", "joint_qd_start"))
