"""Layout of selected articulations: rows of joints, dofs, coordinates, links and shapes in the scene's flat arrays."""

from typing import Any

import numpy as np

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.errors import ModelError
from newtonlite.sim.selection.labels import matching

FREQUENCIES = (F.JOINT, F.JOINT_DOF, F.JOINT_COORD, F.BODY, F.SHAPE)


class RowPlacement:
    """Placement of a frequency's rows in the model's arrays: ``rows`` [world_count, count_per_world, n] by number."""

    def __init__(self, rows: np.ndarray):
        self.rows = rows

    @property
    def uses_explicit_model_indices(self) -> bool:
        """Whether rows are at no even distance from articulation to articulation, or from world to world."""
        steps = (np.diff(self.rows, axis=axis) for axis in (0, 1))
        return any((step != step.ravel()[0]).any() for step in steps if step.size)

    @property
    def value_count(self) -> int:
        """Rows of one articulation."""
        return self.rows.shape[-1]


class SelectionLayout:
    """``rows[frequency]`` are int [worlds, count_per_world, n] indices into arrays of that frequency, ``reasons`` say
    why some are missing.

    Articulations are alike in a frequency where they have as many rows of it, of the same joints or links. ``joints``
    and ``links`` are positions within each articulation, None for all; ``loops`` counts the joints that close loops,
    which stand behind the others. Unless ``homogeneous``, what differs is left out of ``rows``; else it is a
    ModelError.
    """

    def __init__(
        self,
        model: Any,
        ids: list[int],
        joints: list[int] | None,
        links: list[int] | None,
        where: str,
        homogeneous: bool = True,
        loops: bool = False,
    ):
        self.model, self.where = model, where
        self.articulations, self.worlds = by_world(model, ids, where)
        self.first = int(self.articulations[0, 0])
        self.rows: dict = {F.ARTICULATION: self.articulations[..., None]}
        self.reasons: dict = {}
        self.counts: dict = {F.ARTICULATION: 1}
        self.first_rows: dict = {}
        self._find_joints(joints, loops)
        self._find_links(links)
        self._find_custom(homogeneous)
        if homogeneous and self.reasons:
            frequency, reason = next(iter(self.reasons.items()))
            raise ModelError(
                f"{where}: {reason if isinstance(frequency, str) else f'Articulation {frequency.name} layout is unavailable: {reason}'}"
            )

    @property
    def layouts(self) -> dict:
        """Placement of the rows of every frequency."""
        return {frequency: RowPlacement(rows) for frequency, rows in self.rows.items()}

    def _find_joints(self, chosen_ones: list[int] | None, loops: bool) -> None:
        """Rows of joints, dofs and coordinates."""
        starts = {
            name: getattr(self.model, name).numpy()
            for name in ("articulation_start", "articulation_end", "joint_q_start", "joint_qd_start")
        }
        flat = self.articulations.ravel()
        begin = starts["articulation_start"][flat]
        end = starts["articulation_start"][flat + 1] if loops else starts["articulation_end"][flat]
        slots, places = ragged(np.zeros(len(flat), int), end - begin)
        owners = places_of(places, chosen_ones)
        slots, places, owners = slots[owners >= 0], places[owners >= 0], owners[owners >= 0]
        joint = begin[slots] + places
        self._keep(F.JOINT, slots, joint, owners)
        for frequency, name in ((F.JOINT_DOF, "joint_qd_start"), (F.JOINT_COORD, "joint_q_start")):
            entries, rows = ragged(starts[name][joint], starts[name][joint + 1] - starts[name][joint])
            self._keep(frequency, slots[entries], rows, owners[entries])

    def _find_links(self, chosen_ones: list[int] | None) -> None:
        """Rows of links, the children of the articulations' own joints, in the model's order; and of their shapes,
        likewise.
        """
        owner, child = self.model.joint_articulation.numpy(), self.model.joint_child.numpy()
        slot_of = np.full(self.model.articulation_count + 1, -1)
        slot_of[self.articulations.ravel()] = np.arange(self.articulations.size)
        own = np.flatnonzero((slot_of[owner] >= 0) & (child >= 0))
        pairs = np.unique(np.stack([slot_of[owner[own]], child[own]], 1), axis=0) if len(own) else np.zeros((0, 2), int)
        counts = np.bincount(pairs[:, 0], minlength=self.articulations.size)
        place = np.arange(len(pairs)) - (np.cumsum(counts) - counts)[pairs[:, 0]]
        owners = places_of(place, chosen_ones)
        slots, links = pairs[owners >= 0, 0], pairs[owners >= 0, 1]
        owners = owners[owners >= 0]
        self._keep(F.BODY, slots, links, owners)
        bodies = self.model.shape_body.numpy() if self.model.shape_count else np.zeros(0, int)
        slot_of_body, place_of_body = np.full(self.model.body_count + 1, -1), np.full(self.model.body_count + 1, -1)
        slot_of_body[links], place_of_body[links] = slots, owners
        shapes = np.flatnonzero(slot_of_body[bodies] >= 0)
        shapes = shapes[np.argsort(slot_of_body[bodies[shapes]], kind="stable")]
        self._keep(F.SHAPE, slot_of_body[bodies[shapes]], shapes, place_of_body[bodies[shapes]])

    def _find_custom(self, homogeneous: bool) -> None:
        """Rows of custom frequencies whose rows belong to articulations; those of homogeneous ones are at an even
        distance from world to world.
        """
        for frequency, owner in self.model.custom_frequency_articulation.items():
            owners = owner.numpy()
            slot_of = np.full(self.model.articulation_count + 1, -1)
            slot_of[self.articulations.ravel()] = np.arange(self.articulations.size)
            rows = np.flatnonzero(slot_of[owners] >= 0)
            rows = rows[np.argsort(slot_of[owners[rows]], kind="stable")]
            self._keep(frequency, slot_of[owners[rows]], rows, np.zeros(len(rows), int))
            kept = self.rows.get(frequency)
            steps = np.diff(kept, axis=0) if kept is not None else np.zeros(0, int)
            if homogeneous and steps.size and (steps != steps.ravel()[0]).any():
                self.reasons[frequency] = (
                    f"Custom frequency '{frequency}' has non-uniform strides between worlds; pass homogeneous=False"
                )

    def _keep(self, frequency: Any, slots: np.ndarray, rows: np.ndarray, owners: np.ndarray) -> None:
        """Note the rows of a frequency, or why the articulations are not alike in it."""
        counts = np.bincount(slots, minlength=self.articulations.size)
        if (counts != counts[0]).any():
            what = (
                f"different row counts for custom frequency '{frequency}'"
                if isinstance(frequency, str)
                else "selected count differs between articulations"
            )
            self._miss(frequency, f"{what} {sorted(set(counts.tolist()))}", counts != counts[0])
            return
        self.counts[frequency] = int(counts[0])
        shape = (*self.articulations.shape, int(counts[0]))
        self.first_rows[frequency] = rows.reshape(shape)[0, 0]
        grid, of = rows.reshape(shape), owners.reshape(self.articulations.size, -1)
        moved = grid.reshape(self.articulations.size, -1) - grid.reshape(self.articulations.size, -1)[:, :1]
        odd = (of != of[0]).any(1) | ((moved != moved[0]).any(1) if frequency != F.SHAPE else False)
        if odd.any():
            self._miss(frequency, "selected values or their owners differ between articulations", odd)
        else:
            self.rows[frequency] = grid

    def _miss(self, frequency: Any, reason: str, odd: np.ndarray) -> None:
        world, k = divmod(int(np.argmax(odd)), self.articulations.shape[1])
        label = self.model.articulation_label[int(self.articulations[world, k])]
        self.reasons[frequency] = (
            f"{reason} (first '{label}', at world {world}, articulation {k}); select alike ones, or pass homogeneous=False and do without"
        )

    def labels(self, frequency: F, name: str) -> list[str] | None:
        """Labels of the rows of the first articulation; None where articulations have different numbers."""
        if frequency not in self.counts:
            return None
        values = getattr(self.model, name)
        return [str(values[int(i)]) for i in self.first_rows[frequency]]


def ragged(starts: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(which range, value) of all values of the ranges ``[start, start + count)``, one range after another."""
    counts = np.asarray(counts, int)
    which = np.repeat(np.arange(len(counts)), counts)
    return which, np.repeat(np.asarray(starts) - np.cumsum(counts) + counts, counts) + np.arange(len(which))


def places_of(places: np.ndarray, chosen_ones: list[int] | None) -> np.ndarray:
    """Index of each place among the chosen ones, -1 where it is not; all are chosen by None."""
    if chosen_ones is None:
        return places
    table = np.full(max(int(places.max(initial=-1)), max(chosen_ones, default=-1)) + 1, -1)
    table[chosen_ones] = np.arange(len(chosen_ones))
    return table[places]


def by_world(model: Any, ids: list[int], where: str) -> tuple[np.ndarray, np.ndarray]:
    """The chosen articulations as [worlds that have any, count_per_world], and those worlds; a scene without worlds is
    one.
    """
    world = model.articulation_world.numpy()[ids]
    if (world < 0).all():
        return np.array(ids, int)[None], np.zeros(1, int)
    if (world < 0).any():
        raise ModelError(f"{where}: some articulations belong to a world and some to none; select either")
    worlds, counts = np.unique(world, return_counts=True)
    if len(set(counts.tolist())) > 1:
        odd = int(np.flatnonzero(counts != counts[0])[0])
        text = f"world {worlds[odd]} has {counts[odd]} of the articulations and world {worlds[0]} has {counts[0]}"
        raise ModelError(
            f"{where}: Varying articulation counts per selected world: {text}; select as many in each world that has any"
        )
    return np.array(ids, int)[np.argsort(world, kind="stable")].reshape(len(worlds), -1), worlds


def chosen(
    labels: list[str], kinds: list[int], include: Any, exclude: Any, include_kinds: Any, exclude_kinds: Any, where: str
) -> list[int]:
    """Positions within an articulation of what is included, by label or kind (all where neither is said), less what is
    excluded.
    """
    keep = set(range(len(labels)))
    if include is not None or include_kinds is not None:
        keep = set(matching(labels, include, where)) if include is not None else set()
        keep |= {i for i, kind in enumerate(kinds) if include_kinds is not None and kind in include_kinds}
    keep -= set(matching(labels, exclude, where)) if exclude is not None else set()
    keep -= {i for i, kind in enumerate(kinds) if exclude_kinds is not None and kind in exclude_kinds}
    return sorted(keep)


def numbered_names(names: list[str], counts: list[int]) -> list[str] | None:
    """Each name as often as its count says, with a number where that is more than once."""
    return [
        f"{name}:{k}" if count > 1 else name for name, count in zip(names, counts, strict=True) for k in range(count)
    ]
