"""Rows of chosen articulations: where the joints, dofs, coordinates, links and shapes of each lie in the scene's flat arrays."""

from typing import Any

import numpy as np

from newtonlite.core.enums import AttributeFrequency as F, JointType
from newtonlite.core.errors import ModelError
from newtonlite.sim.selection.labels import matching


class Layout:
    """``rows[frequency]`` are int [world_count, count_per_world, n] indices into arrays of that frequency.

    Articulations must be alike: the same joints, links and shapes in the same order, as many in each of the ``worlds`` that have any.
    With ``partial`` their shapes may differ in number; there are no rows of shapes then.
    """

    def __init__(self, model: Any, ids: list[int], joints: list[int], links: list[int], where: str, partial: bool = False):
        self.model, self.where = model, where
        self.articulations, self.worlds = by_world(model, ids, where)
        self.first = self.articulations[0, 0]
        self.check_lengths()
        starts = {name: getattr(model, name).numpy() for name in ("articulation_start", "joint_q_start", "joint_qd_start")}
        first_joint = starts["articulation_start"][self.articulations]
        joint = first_joint[..., None] + np.array(joints, int)
        child = model.joint_child.numpy()
        self.rows = {
            F.ARTICULATION: self.articulations[..., None],
            F.JOINT: joint,
            F.JOINT_DOF: spans(starts["joint_qd_start"], joint),
            F.JOINT_COORD: spans(starts["joint_q_start"], joint),
            F.BODY: child[first_joint[..., None] + np.array(links, int)],
        }
        shapes = self._shapes(partial)
        if shapes is not None:
            self.rows[F.SHAPE] = shapes
        self.check_alike()

    def check_lengths(self) -> None:
        """Raise ModelError where an articulation has another number of joints than the first."""
        start, end = self.model.articulation_start.numpy(), self.model.articulation_end.numpy()
        count = (end - start[: len(end)])[self.articulations]
        for world, k in np.argwhere(count != count[0, 0]):
            label = self.model.articulation_label[int(self.articulations[world, k])]
            raise ModelError(f"{self.where}: articulation '{label}' has other joints than the first; select alike ones")

    def _shapes(self, partial: bool) -> np.ndarray | None:
        """Shapes of the links, in the links' order; None where their numbers differ and that is allowed."""
        of_body = self.model.body_shapes
        lists = [[[s for body in links for s in of_body[int(body)]] for links in world] for world in self.rows[F.BODY]]
        counts = {len(shapes) for world in lists for shapes in world}
        if len(counts) > 1 and partial:
            return None
        if len(counts) > 1:
            text = "select alike ones, or pass allow_partial_layouts=True and do without shapes"
            raise ModelError(f"{self.where}: the articulations have different numbers of shapes {sorted(counts)}; {text}")
        return np.array(lists, int).reshape(*self.articulations.shape, counts.pop())

    def check_alike(self) -> None:
        """Raise ModelError where the joints differ in type."""
        kinds = self.model.joint_type.numpy()[self.rows[F.JOINT]]
        odd = np.argwhere((kinds != kinds[0, 0]).any(axis=-1)) if kinds.size else ()
        if len(odd):
            world, k = odd[0]
            label = self.model.articulation_label[int(self.articulations[world, k])]
            raise ModelError(f"{self.where}: articulation '{label}' has other joints than the first; select alike ones")

    def labels(self, frequency: F, name: str) -> list[str]:
        """Labels of the rows of the first articulation."""
        values = getattr(self.model, name)
        return [str(values[int(i)]) for i in self.rows[frequency][0, 0]]


def by_world(model: Any, ids: list[int], where: str) -> tuple[np.ndarray, np.ndarray]:
    """The chosen articulations as [worlds that have any, count_per_world], and those worlds; a scene without worlds is one."""
    world = model.articulation_world.numpy()[ids]
    if (world < 0).all():
        return np.array(ids, int)[None], np.zeros(1, int)
    if (world < 0).any():
        raise ModelError(f"{where}: some articulations belong to a world and some to none; select either")
    worlds, counts = np.unique(world, return_counts=True)
    if len(set(counts.tolist())) > 1:
        odd = int(np.flatnonzero(counts != counts[0])[0])
        text = f"world {worlds[odd]} has {counts[odd]} of the articulations and world {worlds[0]} has {counts[0]}"
        raise ModelError(f"{where}: {text}; select as many in each world that has any")
    return np.array(ids, int)[np.argsort(world, kind="stable")].reshape(len(worlds), -1), worlds


def spans(start: np.ndarray, joint: np.ndarray) -> np.ndarray:
    """Rows of all dofs (or coordinates) of joints [..., n], one joint after another."""
    width = (start[joint + 1] - start[joint])[0, 0] if joint.size else np.zeros(0, int)
    if not width.sum():
        return np.zeros((*joint.shape[:2], 0), int)
    offset = np.arange(width.sum()) - np.repeat(np.cumsum(width) - width, width)
    return np.repeat(start[joint], width, axis=-1) + offset


def chosen(labels: list[str], kinds: list[int], include: Any, exclude: Any, include_kinds: Any, exclude_kinds: Any, where: str) -> list[int]:
    """Positions within an articulation of what is included, by label or kind (all where neither is said), less what is excluded."""
    keep = set(range(len(labels)))
    if include is not None or include_kinds is not None:
        keep = set(matching(labels, include, where)) if include is not None else set()
        keep |= {i for i, kind in enumerate(kinds) if include_kinds is not None and kind in include_kinds}
    keep -= set(matching(labels, exclude, where)) if exclude is not None else set()
    keep -= {i for i, kind in enumerate(kinds) if exclude_kinds is not None and kind in exclude_kinds}
    return sorted(keep)


def floats(model: Any, root: int) -> bool:
    """Whether the root joint lets its articulation float."""
    return JointType(int(model.joint_type.numpy()[root])) in (JointType.FREE, JointType.DISTANCE)
