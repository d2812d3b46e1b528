"""Recording: poses of some worlds over time, with all that is needed to draw them."""

from dataclasses import dataclass, field, replace

import numpy as np

from newtonlite.viewer.batches import Appearance


@dataclass
class Recording:
    """Frames of some worlds.

    ``look`` is what these worlds look like, numbered from 0; ``worlds`` [k] are their numbers in the simulation.
    """

    look: Appearance
    worlds: np.ndarray
    times: np.ndarray  # [frames] float64 [s]
    body_q: np.ndarray  # [frames, body_count, 7] float32
    more: dict[str, np.ndarray] = field(default_factory=dict)  # other arrays of states, [frames, ...] float32

    def part(self, first: int, last: int) -> "Recording":
        """The frames from ``first`` to ``last``, both included."""
        rows = slice(first, last + 1)
        return replace(
            self,
            times=self.times[rows],
            body_q=self.body_q[rows],
            more={name: values[rows] for name, values in self.more.items()},
        )


def bodies_of(what: Appearance, worlds) -> np.ndarray:
    """The bodies of some worlds, and the global ones."""
    return np.flatnonzero(np.isin(what.body_world, [*worlds, -1]))


def restricted(what: Appearance, worlds) -> Appearance:
    """The same look of some worlds alone, with worlds and bodies numbered from 0."""
    worlds = np.asarray(worlds, int)
    bodies = bodies_of(what, worlds)
    new_body = np.full(len(what.body_q) + 1, -1)
    new_body[bodies] = np.arange(len(bodies))
    new_world = np.full(what.world_count + 1, -1)
    new_world[worlds] = np.arange(len(worlds))
    kept = []
    for batch in what.batches:
        rows = np.flatnonzero(np.isin(batch.worlds, [*worlds, -1]))
        if len(rows):
            kept.append(
                replace(
                    batch,
                    bodies=np.where(batch.bodies[rows] < 0, -1, new_body[batch.bodies[rows]]),
                    worlds=new_world[batch.worlds[rows]],
                    colors=batch.colors[rows],
                    opacity=batch.opacity[rows],
                )
            )
    labels = [what.body_label[b] for b in bodies]
    soft = [part for mesh in what.soft if (part := mesh.part(worlds, new_body, new_world)) is not None]
    homes = new_world[what.body_world[bodies]]
    return Appearance(kept, what.grounds, len(worlds), what.body_q[bodies], labels, homes, soft)


def frames_at(times: np.ndarray, fps: float) -> list[int]:
    """Frames that are at least ``1 / fps`` apart."""
    chosen = [0]
    for k, time in enumerate(times):
        if time - times[chosen[-1]] > 0.999 / fps:
            chosen.append(k)
    return chosen
