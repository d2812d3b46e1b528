"""CollisionPipeline: contacts of a scene by the engine's collision stages, without a solver."""

import copy
import warnings
from typing import Any

import numpy as np
import warp as wp

from newtonlite.collide.matcher import Matcher
from newtonlite.collide.mesh_sdf_collider import KINDS, MeshSdfCollider, contact_arrays
from newtonlite.collide.narrow_phase_facts import NarrowPhaseFacts, most_pairs
from newtonlite.collide.near_pairs import PairRules
from newtonlite.collide.pair_dispatch import check_soft_shapes, is_soft, needs_mesh_collider, route, soft_pairs
from newtonlite.collide.speculative import NAME, Speculation, check_rigid, checked_most, set_geom_gap
from newtonlite.core.enums import BodyFlags, ShapeFlags
from newtonlite.core.errors import ModelError, NewtonWarning, StateError
from newtonlite.sim.contacts import Contacts
from newtonlite.sim.pairs import colliding_pairs
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.adapter.state_binding import tables
from newtonlite.solvers.mujoco.batch import Batch
from newtonlite.solvers.mujoco.collision.model import (
    alike,
    apart_by_files,
    by_rules_of_files,
    listed_model,
    swept_model,
    worlds_of,
)
from newtonlite.solvers.mujoco.collision.options import (
    check_contacts,
    check_options,
    check_phase,
    check_soft_margin,
    checked_count,
    checked_matching,
    checked_pairs,
)
from newtonlite.solvers.mujoco.collision.unsupported_soft import SoftBodiesUnsupported
from newtonlite.solvers.mujoco.compile import Worlds
from newtonlite.solvers.mujoco.compile.per_world_fields import split_worlds
from newtonlite.solvers.mujoco.graph_capture import outside_capture
from newtonlite.solvers.mujoco.kernels.state_io.standalone_collision import Detected, list_detected, offer_detected
from newtonlite.solvers.mujoco.model import put_model

KEPT = ("contact_dist", "contact_pos", "contact_frame", "contact_geom")
NEAR_PER_GEOM = 64
"""Pairs near each other at once, for each shape that is swept: gaps make shapes near that are some way apart."""
SHARED = 4
"""Ratio of the engine's capacity to its rows where worlds that are no copies share one of its own."""


class CollisionPipeline(SoftBodiesUnsupported):
    """Finds the contacts of shapes on different bodies, as the collision groups and filter pairs of the model let them
    collide.

    ``broad_phase`` is ``"nxn"``, ``"sap"`` or ``"explicit"`` (pairs ``shape_pairs_filtered`` [n, 2], by default
    ``model.shape_contact_pairs``), which may name shapes that collide with nothing else; all find the same contacts in the same order, world by world, pair by pair, whatever
    ran before. Contacts are listed while the distance less both ``shape_margin`` is at most the sum of both
    ``shape_gap``. Meshes that are not convex, cones, barrels and hydroelastic shapes collide here and not in the engine; of such
    a pair at most 48 contacts are kept (``reduce_contacts=False``: 512, and what is more is counted as lost).
    ``rigid_contact_max`` is how many fit (the model's when None); ``lost`` counts the others, and on the CPU a warning
    tells. ``include_static_kinematic_pairs`` keeps pairs of bodies that nothing moves. The model's shapes and pairs are
    read once, here: make another pipeline after changing them; ``select_body_variants`` alone is followed. ``contact_matching`` ``"latest"`` tells which contact of
    the call before each is (see ``Contacts``), if its middle moved by at most ``contact_matching_pos_threshold`` [m]
    and its normal's cosine is at least ``contact_matching_normal_dot_threshold``; with ``"sticky"`` those that touch
    also keep their points and normals. ``contact_report`` lists new and lost ones. ``shape_pairs_max`` bounds how many
    pairs of shapes that the engine does not collide may be near each other. ``speculative_contact_gap_max`` [m] lists
    contacts ahead of time: of surfaces that come together within ``dt`` of a call, at the speeds that the state has, from
    up to that far apart. With ``publish_capacity`` the model's
    ``rigid_contact_max`` becomes this pipeline's. Raises ModelError for arguments and shapes
    that are not supported.
    """

    def __init__(
        self,
        model,
        *,
        broad_phase: str | None = None,
        rigid_contact_max: int | None = None,
        shape_pairs_filtered: Any = None,
        include_static_kinematic_pairs: bool = True,
        **options: Any,
    ):
        more = {"include_static_kinematic_pairs": include_static_kinematic_pairs, **options}
        self._made_with = {"broad_phase": broad_phase, "shape_pairs_filtered": shape_pairs_filtered, **more}
        self._version = model.shape_version
        check_options(options)
        check_phase(broad_phase, shape_pairs_filtered)
        self.contact_matching, reach, same, self.contact_report = checked_matching(options)
        self.model, self.device, self.broad_phase = model, model.device, broad_phase or "explicit"
        self.rigid_contact_max = (
            model.contact_capacity
            if rigid_contact_max is None
            else checked_count("rigid_contact_max", rigid_contact_max, 0)
        )
        self.soft_contact_max = checked_count("soft_contact_max", options.get("soft_contact_max") or 0, 0)
        for name in ("shape_pairs_max", "max_triangle_pairs"):
            if options.get(name) is not None:
                checked_count(name, options[name], 1)
        self.speculative_contact_gap_max = checked_most(options.get(NAME))
        if self.speculative_contact_gap_max is not None:
            check_rigid(model, is_soft(model))
        self._ahead = Speculation(model, self.speculative_contact_gap_max)
        own = shape_pairs_filtered is None or shape_pairs_filtered is vars(model).get("shape_contact_pairs")
        self._warned = False
        self.nworld, given = 0, None
        if not own:
            given = checked_pairs(shape_pairs_filtered, model.shape_count)
            model = with_colliders(model, given)
        self._scene = model
        solo = needs_mesh_collider(model)
        before, outside = (
            0,
            self._rules(solo, include_static_kinematic_pairs)
            if own and broad_phase == "sap" and model.shape_count
            else None,
        )
        listed = None
        if outside and include_static_kinematic_pairs and (model.world_count < 2 or alike(model)):
            before = self._build(lambda w: swept_model(w, solo, soft_pairs(model)), model.world_count > 1)
        else:
            pairs = colliding_pairs(model) if own else given
            if not include_static_kinematic_pairs:
                pairs = pairs[movable(model)[model.shape_body.numpy()[pairs]].any(axis=1)]
            routes, listed = route(model, pairs, solo), pairs
            if own and len(routes.engine) < len(pairs):
                routes = route(model, pairs[by_rules_of_files(model, pairs)], solo)
            outside = outside or routes
            if len(routes.engine):
                separate = worlds_of(model, routes.engine)
                before = self._build(lambda w: listed_model(w, routes.engine, own), separate)
        self.narrow_phase = NarrowPhaseFacts(model, listed)
        self.shape_pairs_max = options.get("shape_pairs_max") or (most_pairs(model) if listed is None else len(listed))
        more = {"reduce": bool(options.get("reduce_contacts", True)), "pairs_max": options.get("shape_pairs_max")}
        more["gap"] = self._ahead.approach.reach if self._ahead.most is not None else None
        self._outside = MeshSdfCollider(model, outside, before=before, **more)
        self._matcher = self._match(model, reach, same)
        self._seen = self._outside.lost.numpy() if self.device.is_cpu else None  # a view of the counters
        if options.get("publish_capacity", True):
            self.model.rigid_contact_max, self.model.soft_contact_max = self.rigid_contact_max, self.soft_contact_max

    def _match(self, model, reach: float, same: float) -> Matcher | None:
        """Matcher of contacts with those of the call before, where that was asked for."""
        if self.contact_matching == "disabled":
            return None
        return Matcher(model, self.rigid_contact_max, reach, same, self.contact_matching == "sticky")

    def _rules(self, solo: np.ndarray, rests: bool) -> PairRules:
        """Rules of the pairs that may collide outside the engine, to be swept."""
        soft = is_soft(self.model)
        check_soft_shapes(self.model)
        return PairRules(self.model, solo, soft, apart_by_files(self.model, solo | soft), rests)

    def _build(self, make: Any, separate: bool) -> int:
        """Engine model, from ``make(worlds)``, data and schedule for collision alone. Returns how many contacts may be
        offered.
        """
        self.nworld = self.model.world_count if separate else 1
        worlds = Worlds(self._scene, range(self.nworld) if separate else None)
        compiled, varied = split_worlds(make(worlds))
        if self._ahead.most is not None:
            varied["geom_gap"] = np.broadcast_to(compiled.geom_gap, (self.nworld, compiled.ngeom)) + self._ahead.most
        m = put_model(compiled, self.nworld, self.device, varied, "sap" if self.broad_phase == "sap" else "nxn")
        shared = 1 if separate or self.model.world_count < 2 else SHARED
        capacity = max(32 + 4 * m.ngeom, -(-shared * self.rigid_contact_max // self.nworld))
        near = NEAR_PER_GEOM * m.nsap if m.nsap else None
        nconmax = min(m.max_contacts, capacity)
        self._batch = Batch(m, self.nworld, nconmax=nconmax, njmax=0, nbpmax=near, kept_fields=KEPT)
        self._batch.add("collide", lambda integrator: (pipeline.COLLIDE,))
        self._links = wp.array(tables(compiled)["link_of_body"], dtype=int, device=self.device)
        shapes = worlds.rows("shape")[:, np.asarray(compiled.newton_geom, int)]
        self._found = self._engine_side(m, wp.array(shapes, dtype=int, device=self.device))
        return self.nworld * self._batch.data.nconmax

    def _engine_side(self, m, shape_of_geom) -> Detected:
        d, found = self._batch.data, Detected()
        found.ncon, found.needed, found.shape_of_geom = d.ncon, d.ncon_needed, shape_of_geom
        found.near, found.nbpmax = d.nbp_needed, d.nbpmax
        for name in ("dist", "pos", "frame", "geom"):
            setattr(found, name, getattr(d, f"contact_{name}"))
        found.geom_type, found.geom_size, found.geom_margin = m.geom_type, m.geom_size, m.geom_margin
        found.shape_body = self.model.shape_body
        self._geom_gap = m.geom_gap
        return found

    def contacts(self) -> Contacts:
        """Contact buffer that ``collide`` fills."""
        return self.model._contact_buffer(self)

    def lost_by_world(self) -> dict[str, np.ndarray]:
        """Counts of lost contacts over all calls: for each of ``KINDS`` a count per world; waits for the device.

        Where there are several worlds the last count, number -1, is of what belongs to none of them alone.
        """
        return dict(zip(KINDS, self._outside.lost.numpy().T.copy(), strict=True))

    @property
    def lost_pairs(self) -> int:
        """Number of broad-phase pairs beyond ``shape_pairs_max``, over all calls; waits for the device."""
        return int(self.lost_by_world()["pairs"].sum())

    @property
    def sweeps(self) -> bool:
        """Whether the engine's pairs are found by sweep and prune, and in no list."""
        return self.nworld > 0 and self._batch.data.nsapbp > 0

    @property
    def has_patches(self) -> bool:
        """Whether there are hydroelastic pairs, whose contacts have properties of their own."""
        return self._outside.has_patches

    @property
    def lost(self) -> int:
        """Number of contacts beyond the capacity, over all calls; waits for the device."""
        return sum(int(count.sum()) for kind, count in self.lost_by_world().items() if kind != "pairs")

    def reset_contact_matching(self, world_mask: Any = None) -> None:
        """Let the next call match nothing with those before: call it after bodies were put elsewhere. ``world_mask``
        bool [world_count + 1] says in which worlds, its last entry for shapes that are in all; None is all of them.
        """
        if self._matcher:
            self._matcher.reset(world_mask)

    def collide(
        self,
        state,
        contacts: Contacts,
        *,
        soft_contact_margin: float | None = None,
        soft_self_contact: bool = False,
        dt: float | None = None,
    ) -> None:
        """Fill ``contacts`` for the poses ``state.body_q``; nothing waits for the device. ``dt`` [s] is
        the time until the next call, for speculative contacts.

        Raises StateError for states and contacts of another model or device.
        """
        if soft_self_contact:
            raise ModelError("CollisionPipeline.collide: soft contacts are not supported; leave soft_self_contact out")
        if soft_contact_margin is not None:
            check_soft_margin()
        if self._version != self.model.shape_version:
            self._follow_variants()
        check_contacts(contacts, self.device)
        if self.has_patches and not contacts.per_contact_shape_properties:
            raise StateError(
                "CollisionPipeline.collide: hydroelastic contacts have their own stiffness; make the contacts with the pipeline's contacts()"
            )
        body_q = self._poses(state)
        self.narrow_phase.body_q = body_q
        self._ahead.look_ahead(state, body_q, dt)
        contacts.clear()
        if contacts.force is not None:
            contacts.force.zero_()
        if self.nworld:
            self._collide_engine(body_q)
        self._outside.find(body_q, contacts, self._ahead.approach)
        if self.nworld and contacts.rigid_contact_max and self._batch.data.nconmax:
            self._launch(list_detected, self._found, self._outside.capacity.offer, contact_arrays(contacts))
        if self._matcher:
            self._matcher.match(contacts, body_q)
        if self._seen is not None and not self._warned and self._seen.any():
            self._warned = True
            warnings.warn(self._what_is_lost(contacts), NewtonWarning, stacklevel=2)

    def _collide_engine(self, body_q) -> None:
        """Offer what the engine's stages find."""
        binding = {
            "in_body_q": body_q.reshape((self.nworld, body_q.shape[0] // self.nworld)),
            "link_of_body": self._links,
        }
        if self._ahead.most is not None:
            inputs = [self._ahead.approach, self._found.shape_of_geom, self._geom_gap]
            wp.launch(set_geom_gap, dim=self._geom_gap.shape, inputs=inputs, device=self.device)
        self._batch.run("collide", 1, binding)
        self._found.body_q = body_q
        if self._batch.data.nconmax:
            offer, lost = self._outside.capacity.offer, self._outside.lost
            self._launch(offer_detected, self._found, self._ahead.approach, self._outside.owner, offer, lost)

    def _launch(self, kernel, *inputs) -> None:
        """A kernel over all contacts that the engine may have."""
        wp.launch(kernel, dim=(self.nworld, self._batch.data.nconmax), inputs=inputs, device=self.device)

    def _what_is_lost(self, contacts) -> str:
        """Message about the contacts and pairs that did not fit."""
        if not self.lost:
            return f"CollisionPipeline: {self.lost_pairs} near pairs did not fit; make it with a larger shape_pairs_max"
        return (
            f"CollisionPipeline: {self.lost} contacts did not fit into {contacts.rigid_contact_max} rows; the deepest of each world are listed. Set "
            "model.rigid_contact_max, or pass a larger rigid_contact_max and make the contacts with contacts()"
        )

    def _follow_variants(self) -> None:
        """Make everything anew for shapes that ``select_body_variants`` exchanged; contacts match nothing before."""
        with outside_capture(self.device):
            self.__init__(self.model, rigid_contact_max=self.rigid_contact_max, **self._made_with)

    def _poses(self, state) -> wp.array:
        """``state.body_q``, checked."""
        n = self.model.body_count
        body_q = getattr(state, "body_q", None)
        if body_q is None and not n:
            return wp.zeros(self.nworld or 1, dtype=wp.transformf, device=self.device)
        if (
            not isinstance(body_q, wp.array)
            or body_q.shape != (n,)
            or body_q.dtype != wp.transformf
            or body_q.device != self.device
        ):
            raise StateError(
                f"CollisionPipeline.collide: state.body_q must be transforms [{n}] on {self.device}; make it with model.state()"
            )
        return body_q


def movable(model) -> np.ndarray:
    """Mask of the bodies that forces can move; last, for index -1, the world."""
    flags = model.body_flags.numpy() if model.body_count else np.zeros(0, int)
    return np.append((flags & BodyFlags.KINEMATIC) == 0, False)


def with_colliders(model, pairs: np.ndarray):
    """The model, or a shallow copy of it in which all shapes of the pairs collide."""
    flags = model.shape_flags.numpy() if model.shape_count else np.zeros(0, np.int32)
    shapes = np.unique(pairs)
    if (flags[shapes] & ShapeFlags.COLLIDE_SHAPES).all():
        return model
    scene, flags = copy.copy(model), flags.copy()
    flags[shapes] |= ShapeFlags.COLLIDE_SHAPES
    scene.shape_flags = wp.array(flags, dtype=int, device=model.device)
    return scene
