"""A shard without an engine: worlds that walk at random, each by its own number, and by a bias that an order carries.
``rest`` are seconds that a chunk takes at least.
"""

import time

import numpy as np

from newtonlite.scale.digest import extend, first_links
from newtonlite.scale.model_shard import check_arrays


class WalkShard:
    """Worlds whose place after t steps follows from the seed, the world's number and the orders alone."""

    def __init__(self, spec, blob, first, count, device=None, threads=None):
        self.seed, self.first, self.fail, self.rest = spec["seed"], first, spec.get("fail"), spec.get("rest", 0.0)
        self.place, self.step = np.zeros((count, 3), np.float32), 0
        self.links = first_links(count)

    def advance(self, order, arrays):
        if self.fail is not None and self.first <= self.fail < self.first + len(self.place) and self.step >= 32:
            raise ValueError(f"world {self.fail} fails")
        time.sleep(self.rest)
        rows = np.zeros((order["steps"], *self.place.shape), np.float32)
        bias = arrays["bias"] if arrays else np.float32(0)
        for t in range(order["steps"]):
            for i in range(len(self.place)):
                draw = np.random.default_rng([self.seed, self.first + i, self.step])
                self.place[i] += draw.standard_normal(3).astype(np.float32) + bias
            rows[t], self.step = self.place, self.step + 1
        extend(self.links, rows)
        return {"overflows": order["steps"], "ncon_max": self.step}, {"rows": rows}

    def state(self):
        return {"place": self.place, "step": np.array(self.step), "links": self.links}

    def load(self, state):
        check_arrays(state, self.state())
        self.place, self.step, self.links = state["place"].copy(), int(state["step"]), state["links"].copy()
