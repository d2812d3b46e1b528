"""All contacts of a scene that the engine does not find."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.collide.features import find_features
from newtonlite.collide.finder import Finder
from newtonlite.collide.patch import GATHERED, find_patches, press
from newtonlite.collide.route import Routes
from newtonlite.collide.scene import place
from newtonlite.collide.stock import Stock
from newtonlite.collide.triangles import bench, find_triangles


class Outside:
    """The finders of the routes that a scene needs, in the order in which their rows are listed."""

    def __init__(self, model, routes: Routes, *, reduce: bool = True, pairs_max: int | None = None):
        self.device, self.has_patches = model.device, len(routes.patches) > 0
        self.finders: list[Finder] = []
        pairs = np.concatenate([routes.triangles, routes.features, routes.patches])
        if not len(pairs):
            return
        self.stock = Stock(model, np.unique(pairs))
        ways = (
            (find_triangles, routes.triangles, {"scratch": bench}),
            (find_features, routes.features, {}),
            (find_patches, routes.patches, {"scratch": press, "kept": GATHERED}),
        )
        for kernel, pairs, more in ways:
            if len(pairs):
                self.finders.append(Finder(self.stock.shapes, pairs, kernel, self.device, reduce=reduce, pairs_max=pairs_max, **more))

    def find(self, body_q: wp.array, contacts: Any, lost: wp.array) -> None:
        """Append rows to ``contacts`` at the poses of the bodies; those without room are added to ``lost[0]``."""
        if not self.finders:
            return
        shapes = self.stock.shapes
        wp.launch(place, dim=shapes.kind.shape[0], inputs=[shapes, body_q], device=self.device)
        for finder in self.finders:
            finder.find(contacts, lost)

    @property
    def lost_pairs(self) -> int:
        """Near pairs, over all calls, for which there was no room; waits for the device."""
        return sum(int(finder.lost_pairs.numpy()[0]) for finder in self.finders)
