"""Articulation and mimic joint methods of the builder."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.enums import JointType
from newtonlite.core.errors import ModelError, NewtonDeprecationWarning, NewtonWarning
from newtonlite.sim.builder import check

FOLLOWED = (JointType.PRISMATIC, JointType.REVOLUTE, JointType.D6)
"""Types of joints that follow others, or are followed: those whose coordinates are numbers."""


class ArticulationMethods:
    """Collecting joints into articulations, and coupling them."""

    def add_articulation(
        self, joints: Sequence[int], label: str | None = None, custom_attributes: dict[str, Any] | None = None
    ) -> int:
        """Make one articulation of joints that were added one after another, parents before children; returns its
        index.
        """
        index = self.articulation_count
        where = f"add_articulation {label or f'articulation_{index}'!r}"
        joints = [check.index(j, self.joint_count, "joint", where) for j in joints]
        self._check_articulation(joints, where)
        cells = self._check_custom(custom_attributes, {F.ARTICULATION: (index, 1)}, where)
        self._add_row(
            F.ARTICULATION,
            articulation_start=joints[0],
            articulation_end=joints[-1] + 1,
            articulation_label=label or f"articulation_{index}",
            articulation_world=self.current_world,
        )
        for joint in joints:
            self.joint_articulation[joint] = index
        self._store_custom(cells)
        return index

    def extend_articulation(self, body: int, joints: Sequence[int]) -> None:
        """Let the joints added last join the articulation that holds a body; ModelError unless that is the last one."""
        index = self.articulation_of(body, "extend_articulation")
        for joint in joints:
            self.joint_articulation[joint] = index
        self.articulation_end[index] = max(joints) + 1

    def articulation_of(self, body: int, where: str) -> int:
        """The articulation that joints added now can join to carry on from a body; ModelError where there is none."""
        found = [a for child, a in zip(self.joint_child, self.joint_articulation) if child == body and a >= 0]
        if not found:
            raise ModelError(
                f"{where}: cannot attach to body {body} ('{self.body_label[body]}'), which is not part of any articulation; "
                "make one of its joints with add_articulation, or attach to the world"
            )
        if found[0] != self.articulation_count - 1:
            raise ModelError(
                f"{where}: cannot attach to body {body} ('{self.body_label[body]}') in articulation {found[0]}, which is not the "
                "most recent one; attach to the articulation added last"
            )
        return found[0]

    def set_joint_mimic(self, joint: int, reference_joint: int | None, *, coeffs: Sequence[float] = (0.0, 1.0)) -> None:
        """Let a joint follow another: ``q = coeffs[0] + coeffs[1] q_reference``; None lets it go."""
        joint = check.index(joint, self.joint_count, "joint", "set_joint_mimic")
        if reference_joint is None:
            self.joint_mimic_joint[joint], self.joint_mimic_coeffs[joint] = -1, (0.0, 1.0)
            return
        reference = check.index(reference_joint, self.joint_count, "joint", "set_joint_mimic reference_joint")
        if reference == joint:
            raise ModelError(f"set_joint_mimic: joint {joint} would follow itself; name another joint")
        self._check_mimic(joint, reference)
        self.joint_mimic_coeffs[joint] = tuple(check.vector(coeffs, "set_joint_mimic coeffs", 2).tolist())
        self.joint_mimic_joint[joint] = reference

    def _check_mimic(self, joint: int, reference: int) -> None:
        """A joint and the one that it is to follow are alike, of one world, and no part of a chain of followers."""
        kinds = [JointType(self.joint_type[j]) for j in (joint, reference)]
        for role, j, kind in zip(("follower", "reference"), (joint, reference), kinds, strict=True):
            if kind not in FOLLOWED:
                known = ", ".join(k.name for k in FOLLOWED)
                raise ModelError(
                    f"set_joint_mimic: Mimic {role} joint {j} is of type {kind.name}; joints of types {known} can follow and lead"
                )
        axes = [sum(self.joint_dof_dim[j]) for j in (joint, reference)]
        if axes[0] != axes[1]:
            raise ModelError(
                f"set_joint_mimic: Mimic joints must have matching dimensions; joint {joint} has {axes[0]} axes, joint {reference} has {axes[1]}"
            )
        if self.joint_world[joint] != self.joint_world[reference]:
            raise ModelError(
                f"set_joint_mimic: Mimic joints must belong to the same world; joints {joint} and {reference} do not"
            )
        if self.joint_mimic_joint[reference] >= 0:
            raise ModelError(
                f"set_joint_mimic: Reference joint {reference} is already a mimic joint; let the joint that it follows lead"
            )
        if joint in list(self.joint_mimic_joint):
            raise ModelError(
                f"set_joint_mimic: Follower joint {joint} is already referenced by a joint that follows it; let one joint lead"
            )

    def add_constraint_mimic(
        self,
        joint0: int,
        joint1: int,
        coef0: float = 0.0,
        coef1: float = 1.0,
        enabled: bool = True,
        label: str | None = None,
        custom_attributes: dict[str, Any] | None = None,
    ) -> int:
        """Constrain ``q0 = coef0 + coef1 q1`` between two joints; returns the constraint's index.

        Deprecated, as in Newton: ``set_joint_mimic`` says the same of the joint itself.
        """
        row = len(self.constraint_mimic_joint0)
        where = f"add_constraint_mimic {label or f'constraint_mimic_{row}'!r}"
        joints = [check.index(j, self.joint_count, "joint", where) for j in (joint0, joint1)]
        if joints[0] == joints[1]:
            raise ModelError(f"{where}: joint {joint0} would follow itself; name two joints")
        coefficients = check.vector((coef0, coef1), f"{where} coefficients", 2)
        cells = self._check_custom(custom_attributes, {F.CONSTRAINT_MIMIC: (row, 1)}, where)
        warnings.warn(
            "add_constraint_mimic: use set_joint_mimic, which says the same", NewtonDeprecationWarning, stacklevel=2
        )
        self._add_row(
            F.CONSTRAINT_MIMIC,
            constraint_mimic_joint0=joints[0],
            constraint_mimic_joint1=joints[1],
            constraint_mimic_coef0=float(coefficients[0]),
            constraint_mimic_coef1=float(coefficients[1]),
            constraint_mimic_enabled=bool(enabled),
            constraint_mimic_label=label or "",
            constraint_mimic_world=self.current_world,
        )
        self._store_custom(cells)
        return row

    @property
    def joint_parents(self) -> dict[int, list[tuple[int, int]]]:
        """For each body that is a child: its (parent, joint) pairs."""
        return self._links("joint_child", "joint_parent")

    @property
    def joint_children(self) -> dict[int, list[tuple[int, int]]]:
        """For each body that is a parent, -1 for the world: its (child, joint) pairs."""
        return self._links("joint_parent", "joint_child")

    def validate_joint_ordering(self) -> bool:
        """Whether every joint comes after the joint of its parent body; a warning where one does not."""
        parent, child = self.columns["joint_parent"].array(), self.columns["joint_child"].array()
        first = np.full(self.body_count + 1, -1)
        first[child[::-1]] = np.arange(len(child))[::-1]
        late = np.flatnonzero((parent >= 0) & (first[parent] > np.arange(len(parent))))
        if len(late):
            text = f"joint {late[0]} ({self.joint_label[int(late[0])]!r}) comes before the one that moves its parent"
            warnings.warn(
                f"Joints are not in DFS topological order: {text}; add joints from the root outwards",
                NewtonWarning,
                stacklevel=2,
            )
        return not len(late)

    def _check_articulation(self, joints: list[int], where: str) -> None:
        if not joints:
            raise ModelError(f"{where}: no joints; list at least one")
        if joints != list(range(joints[0], joints[0] + len(joints))):
            if joints != sorted(joints):
                raise ModelError(
                    f"{where}: joints {joints} are not in monotonically increasing order; list them as they were added"
                )
            raise ModelError(
                f"{where}: joints {joints} are not contiguous; add all joints of an articulation one after another"
            )
        children: set[int] = set()
        for joint in joints:
            if self.joint_articulation[joint] >= 0:
                raise ModelError(
                    f"{where}: joint {joint} ({self.joint_label[joint]!r}) already belongs to articulation {self.joint_articulation[joint]}; list it once"
                )
            if self.joint_world[joint] != self.current_world:
                there, here = self.joint_world[joint], self.current_world
                raise ModelError(
                    f"{where}: joint {joint} is in world {there}, not in {here}; make the articulation in its world"
                )
            child, parent = self.joint_child[joint], self.joint_parent[joint]
            if child in children:
                raise ModelError(
                    f"{where}: body {child} would have two joints; leave the one that closes the loop out of the articulation"
                )
            if parent >= 0 and parent not in children and self._has_joint_among(parent, joints):
                text = f"{where}: joint {joint} comes before the joint of its parent body {parent}, which eval_fk moves later; add parents first"
                warnings.warn(text, NewtonWarning, stacklevel=3)
            children.add(child)

    def _has_joint_among(self, body: int, joints: list[int]) -> bool:
        return any(self.joint_child[j] == body for j in joints)

    def _links(self, key: str, other: str) -> dict[int, list[tuple[int, int]]]:
        out: dict[int, list[tuple[int, int]]] = {}
        for joint, (a, b) in enumerate(zip(self.columns[key], self.columns[other])):
            out.setdefault(a, []).append((b, joint))
        return out
