"""Collision filter methods of the builder."""

from bisect import bisect_right
from itertools import product

import numpy as np

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.enums import ShapeFlags
from newtonlite.core.errors import ModelError
from newtonlite.sim.builder import check
from newtonlite.sim.builder.copies import Copies


class FilterMethods:
    """Excluding pairs of shapes from collision."""

    def add_shape_collision_filter_pair(self, shape_a: int, shape_b: int) -> None:
        """Let two shapes pass through each other."""
        a, b = (
            check.index(s, self.shape_count, "shape", "add_shape_collision_filter_pair") for s in (shape_a, shape_b)
        )
        if a == b:
            raise ModelError(f"add_shape_collision_filter_pair: shape {a} twice; name two shapes")
        self._filter(a, b)

    @property
    def body_shapes(self) -> dict[int, list[int]]:
        """The shapes of each body, -1 for the world."""
        out: dict[int, list[int]] = {body: [] for body in range(-1, self.body_count)}
        for shape, body in enumerate(self.columns["shape_body"]):
            out[body].append(shape)
        return out

    def _filter(self, a: int, b: int) -> None:
        self.columns["shape_collision_filter_pairs"].add((min(a, b), max(a, b)))

    def _filter_joined(self, parent: int, child: int) -> None:
        """Between the shapes of two bodies that a joint connects, and remember that shapes added later follow."""
        self._own_neighbours.setdefault(child, []).append(parent)
        self._own_neighbours.setdefault(parent, []).append(child)
        for a, b in product(self._shapes_of(parent), self._shapes_of(child)):
            if self._collides(a) and self._collides(b):
                self._filter(a, b)

    def _filter_new_shape(self, shape: int, body: int, follows: bool) -> None:
        """Between a new shape that collides and follows joints and the shapes of the bodies that joints connect its body
        with.
        """
        self._own_shapes.setdefault(body, []).append(shape)
        if not follows:
            return
        for other in self._joined(body):
            for there in filter(self._collides, self._shapes_of(other)):
                self._filter(there, shape)

    def _collides(self, shape: int) -> bool:
        return bool(self.shape_flags[shape] & ShapeFlags.COLLIDE_SHAPES)

    def _shapes_of(self, body: int) -> list[int]:
        """The shapes of one body: those of its copy, and those added since."""
        own = self._own_shapes.get(body, [])
        copies, copy, local = self._copy_of(body)
        if copies is None:
            return own
        there = np.flatnonzero(copies.source.shape_body == local) + copies.offset(F.SHAPE, copy)
        return [*there.tolist(), *own]

    def _joined(self, body: int) -> list[int]:
        """The bodies that filtering joints connect a body with."""
        own = self._own_neighbours.get(body, [])
        copies, copy, local = self._copy_of(body)
        if copies is None:
            return own
        source = copies.source
        filtering = source.joint_collision_filter_parent & (source.joint_parent >= 0)
        parents = source.joint_parent[filtering & (source.joint_child == local)]
        children = source.joint_child[filtering & (source.joint_parent == local)]
        return [*(np.append(parents, children) + copies.offset(F.BODY, copy)).tolist(), *own]

    def _copy_of(self, body: int) -> tuple[Copies | None, int, int]:
        """The copies a body came with, which of them it is in, and its index there; (None, 0, 0) for the builder's own."""
        i = bisect_right(self._parts, body, key=lambda part: part.base[F.BODY]) - 1
        if body < 0 or i < 0:
            return None, 0, 0
        part = self._parts[i]
        at = body - part.base[F.BODY]
        if at >= part.rows(F.BODY):
            return None, 0, 0
        return part, *divmod(at, part.source.counts[F.BODY])
