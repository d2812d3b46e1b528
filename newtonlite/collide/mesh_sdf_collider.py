"""Mesh and SDF collider: all contacts of a scene that the engine does not find."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.collide.contact_budget import ContactBudget
from newtonlite.collide.contact_rows import contact_arrays
from newtonlite.collide.convex_triangle import convex_scratch, find_triangles
from newtonlite.collide.finder import Finder
from newtonlite.collide.hydroelastic import GATHERED, find_patches, pressure_scratch
from newtonlite.collide.near_pairs import ListedPairs, PairRules, SweptPairs
from newtonlite.collide.pair_dispatch import WAYS, PairRoutes
from newtonlite.collide.scene import place_shapes
from newtonlite.collide.sdf_contact import find_features
from newtonlite.collide.shape_tables import ShapeTables
from newtonlite.collide.speculative import Approach
from newtonlite.collide.world_of_pair import owners, row_count, row_of_shape

KINDS = ("engine", "triangles", "features", "patches", "pairs")
"""Kinds of losses where a capacity is too small: contacts, by the way they are found, and near pairs outside the engine."""


class MeshSdfCollider:
    """Contact finders that a scene needs, of pairs that are listed (``PairRoutes``) or swept (``PairRules``), in the order in
    which their rows are listed, behind ``before`` rows of the engine's. ``gap`` [nshape] stands for ``shape_gap``.

    ``capacity`` is the budget to which all of them offer contacts, and the engine's are offered too; ``lost``
    [row_count, kinds] counts, over all calls, what did not stay.
    """

    def __init__(
        self,
        model,
        pairs: PairRoutes | PairRules,
        *,
        before: int = 0,
        reduce: bool = True,
        pairs_max: int | None = None,
        gap: wp.array | None = None,
    ):
        self.device, swept = model.device, isinstance(pairs, PairRules)
        has = pairs.has if swept else lambda name: len(getattr(pairs, name)) > 0
        self.has_patches = has("patches")
        worlds, row = row_count(model), row_of_shape(model)
        self.lost = wp.zeros((worlds, len(KINDS)), dtype=int, device=self.device)
        self.owner = wp.array(np.append(row, worlds - 1).astype(np.int32), dtype=int, device=self.device)
        self.finders: list[Finder] = []
        sizes, kinds = [before], [KINDS.index("engine")]
        if any(map(has, WAYS)):
            used = pairs.used if swept else np.unique(np.concatenate([getattr(pairs, name) for name in WAYS]))
            self.stock = ShapeTables(model, used)
            self.stock.shapes.gap = model.shape_gap if gap is None else gap
        ways = (
            ("triangles", find_triangles, {"scratch": convex_scratch}),
            ("features", find_features, {}),
            ("patches", find_patches, {"scratch": pressure_scratch, "kept": GATHERED}),
        )
        for name, kernel, more in ways:
            if has(name):
                counted = (pairs_max, self.owner, KINDS.index("pairs"))
                if swept:
                    near = SweptPairs(self.stock.shapes, pairs, name, *counted)
                else:
                    listed = getattr(pairs, name)
                    listed = listed[np.argsort(owners(row, worlds, listed), kind="stable")]
                    near = ListedPairs(self.stock.shapes, listed, *counted, worlds)
                self.finders.append(
                    Finder(self.stock.shapes, near, kernel, KINDS.index(name), self.device, reduce=reduce, **more)
                )
                sizes.append(self.finders[-1].size)
                kinds.append(KINDS.index(name))
        self.first = np.cumsum(sizes).tolist()
        self.capacity = ContactBudget(sizes, kinds, worlds, self.device)

    def find(self, body_q: wp.array, contacts: Any, ahead: Approach) -> None:
        """Offer what there is at the poses of the bodies and ``ahead`` of them, choose what stays in ``contacts``, and list
        what is not the engine's.
        """
        if self.finders:
            shapes = self.stock.shapes
            wp.launch(place_shapes, dim=shapes.kind.shape[0], inputs=[shapes, body_q], device=self.device)
        for finder, first in zip(self.finders, self.first):
            finder.find(first, ahead, self.capacity.offer, self.lost)
        self.capacity.choose(contacts.rigid_contact_max, contacts.rigid_contact_count, self.lost)
        if contacts.rigid_contact_max:
            rows = contact_arrays(contacts)
            for finder, first in zip(self.finders, self.first):
                finder.list(first, self.capacity.offer, rows)
