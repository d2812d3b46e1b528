"""``Model``: the engine's model with MuJoCo Warp's attribute access, made from a host model or a file."""

import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import warp as wp

from newtonlite.core.constants import MINMU
from newtonlite.core.errors import ModelError, NewtonWarning, external
from newtonlite.core.garbage import collection_held
from newtonlite.core.versioned import VersionedDict
from newtonlite.mjwarp.actuator_shares import OF_ACTUATORS, OWN, add_up, loaded
from newtonlite.mjwarp.callback import Callback
from newtonlite.mjwarp.declared import LED_BY_WORLDS, SHARED_PARAMETERS, mark_batched, of_model
from newtonlite.mjwarp.host_fields import COMPUTED_PER_WORLD, PER_WORLD, host_field, host_numbers
from newtonlite.mjwarp.host_version import of_version
from newtonlite.mjwarp.mesh_choice import chosen_meshes, spread_meshes
from newtonlite.mjwarp.options import Option, switches
from newtonlite.mjwarp.statistic import Statistic
from newtonlite.mjwarp.typed_views import engine_form, typed_view
from newtonlite.solvers.mujoco import model as engine
from newtonlite.solvers.mujoco.derive.sensor import seen_by_rays
from newtonlite.solvers.mujoco.live_model import LiveModel
from newtonlite.solvers.mujoco.model import FIELDS

BATCHED = {*PER_WORLD, *COMPUTED_PER_WORLD}
"""Fields with an axis of worlds that the engine does not read."""
LOOKS = ("geom_rgba", "geom_matid", "mat_rgba")
"""Fields by which geoms are transparent."""
MOST_NAMED = 5
FLAGS = {"flg_surfacevel": "geom_surfacevel", "flg_adhesion": "geom_adhesion"}
"""Flags that keep a contact parameter whatever geoms ask for, and the geom parameter that has the same effect."""


@of_model
class Model(LiveModel):
    """A model on the device. Fields the engine does not read (names, colours, ...) are those of the host model.

    Assigning a parameter (an array ``[nworld or 1, ...]``, or numbers) or an option takes effect with the next call.
    Where that needs other lists or kernels (another cone or integrator, friction where there was none), they are made
    then, and data made before gets the arrays that it lacks.
    """

    def begin(self) -> None:
        """Give the engine's model what only this class has."""
        super().begin()
        self.callback = Callback()
        self.switches = VersionedDict(switches(self.source), self.settings)
        self.host_arrays = VersionedDict({}, self.settings)  # fields that the engine does not read, on the device
        self.list_copies: tuple = ()  # lists with a row for each world
        self.mesh_rows: np.ndarray | None = None  # meshes of geoms by world, where they differ
        self._loaded = loaded(self.source)

    @property
    def opt(self) -> Option:
        """Options."""
        return Option(self)

    @property
    def stat(self) -> Statistic:
        """Statistics."""
        return Statistic(self)

    def __getattr__(self, name):
        if "lent" in self.__dict__:
            if name in LED_BY_WORLDS:
                own = self.arrays[name]
                rows = self.host_arrays[name] if name in self.host_arrays else own.reshape((1, *own.shape))
                return mark_batched(rows)
            if name in SHARED_PARAMETERS and self.arrays[name].shape[0] == 1:
                return typed_view(name, self.arrays[name].reshape(self.arrays[name].shape[1:]))
            if name in OF_ACTUATORS and not self.loaded:
                self.host_arrays |= {own: wp.clone(self.arrays[own]) for own in OWN}  # no actuator adds to them yet
            if name in OF_ACTUATORS:
                self.lent.add(name)
            if name in (*OWN, "actuator_gear") and self.loaded:
                self.lent.add(OF_ACTUATORS[0])
                if name in OWN:
                    return mark_batched(host_field(self, name))
        try:
            value = super().__getattr__(name)
        except AttributeError:
            if name.startswith("_") or "source" not in self.__dict__:
                raise
            value = host_field(self, name)
        value = typed_view(name, value)
        batched = name in BATCHED or name in FIELDS and FIELDS[name].role == "param"
        return mark_batched(value) if batched else value

    def __setattr__(self, name, value):
        field, value = FIELDS.get(name), engine_form(name, value)
        if name in FLAGS:
            self.__dict__["keep"] = tuple({*self.keep, FLAGS[name]} if value else {*self.keep} - {FLAGS[name]})
            self.restructure({})
        elif name == "geom_dataid":
            self._choose_meshes(value)
        elif name in PER_WORLD and field is None:
            self.host_arrays[name] = host_numbers(self, name, value, getattr(self, name))
            if name in LOOKS:
                self._hide_transparent()
        elif name in OWN and self.loaded:
            self.host_arrays[name] = host_numbers(self, name, value, getattr(self, name))
        else:
            super().__setattr__(name, value)

    def _choose_meshes(self, value) -> None:
        """Take over which mesh each geom has in each world."""
        rows = chosen_meshes(self, value)
        own = isinstance(value, wp.array) and value.ndim == 2 and value.dtype == wp.int32
        kept = value if own and value.device == self.device else wp.array(rows, dtype=int, device=self.device)
        self.host_arrays["geom_dataid"], self.__dict__["mesh_rows"] = kept, rows
        self.list_copies = tuple({*self.list_copies, "geom_dataid"})
        self.restructure({})

    def host_values(self) -> dict:
        """Meshes of geoms by world, where they differ."""
        return {} if self.mesh_rows is None else {"mesh_worlds": self.mesh_rows}

    def restructure(self, options: dict) -> None:
        """Sizes and lists anew, for the meshes that worlds have, too."""
        super().restructure(options)
        if self.mesh_rows is not None:
            spread_meshes(self)

    def _hide_transparent(self) -> None:
        """Have rays pass the geoms that are transparent now. ModelError where worlds differ in that."""
        looks = {name: getattr(self, name).numpy() for name in LOOKS}
        worlds = [
            seen_by_rays(SimpleNamespace(ngeom=self.ngeom, **{name: a[w % len(a)] for name, a in looks.items()}))
            for w in range(max(map(len, looks.values())))
        ]
        if any((seen != worlds[0]).any() for seen in worlds):
            raise ModelError("geom_rgba: a geom is transparent in some worlds only; rays see the same geoms in all")
        self.arrays["geom_seen"].assign(worlds[0].astype(np.int32))

    def follow(self) -> None:
        """Make other lists where parameters that may have been written into call for them; not while a graph is recorded.
        ModelError where worlds were given lists of their own.
        """
        if self.list_copies and not self.device.is_capturing:
            self._check_copies()
        super().follow()

    def add_shares(self) -> None:
        """Add damping and armature of actuators to those of dofs and tendons."""
        if self.lent & {*OF_ACTUATORS}:
            add_up(self)

    def lent_arrays(self) -> list:
        """Arrays that may have been written into, actuators' shares and what they add to among them."""
        shares = (*OWN, *OF_ACTUATORS) if self.lent & {*OF_ACTUATORS} else ()
        found = super().lent_arrays() + [self.host_arrays[n] for n in shares if n in self.host_arrays]
        return found + [self.arrays["actuator_gear"]] * bool(shares)

    def _check_copies(self) -> None:
        """Take over meshes that were written into ``geom_dataid``; ModelError where another list with a row for each world is
        no longer the one that the engine has.
        """
        for name in self.list_copies:
            if name == "geom_dataid":
                rows = self.host_arrays[name].numpy()
                if not np.array_equal(
                    rows, self.arrays[name].numpy()[None] if self.mesh_rows is None else self.mesh_rows
                ):
                    self._choose_meshes(self.host_arrays[name])
                continue
            if (self.host_arrays[name].numpy() != self.arrays[name].numpy()).any():
                raise ModelError(
                    f"model.{name}: all worlds share this list; put a model for each kind of world instead"
                )

    def copy_rows(self, name: str, count: int) -> None:
        """Give a field that the engine has once, or not at all, a row for each of so many worlds."""
        one = getattr(self, name)
        rows = np.repeat(one.numpy(), count, axis=0)
        self.host_arrays[name] = wp.array(rows, dtype=one.dtype, device=self.device)
        if name in LED_BY_WORLDS:
            self.list_copies += (name,)

    @property
    def loaded(self) -> bool:
        """Whether actuators may have damping or armature of their own."""
        return self._loaded or bool(self.lent & {*OF_ACTUATORS})

    def set_total(self, name: str, values) -> None:
        """Write what the engine takes for the damping or armature of dofs or tendons."""
        engine.EngineModel.set(self, name, values)


def warn_of_small_friction(mjm) -> None:
    """Say which geoms and pairs have friction below the least that contacts take, as MuJoCo Warp does."""
    found = []
    for name, count, dims, friction, needed in (
        ("geom", mjm.ngeom, mjm.geom_condim, mjm.geom_friction, (3, 4, 6)),
        ("pair", mjm.npair, mjm.pair_dim, mjm.pair_friction, (3, 4, 4, 6, 6)),
    ):
        for i in range(int(count)):
            used = np.asarray(friction[i])[: sum(int(dims[i]) >= least for least in needed)]
            if (used < MINMU).any():
                found.append(f"{name} {i} ({', '.join(f'{x:g}' for x in used)})")
    if found:
        text = f"friction below {MINMU:g} counts as {MINMU:g}: {', '.join(found[:MOST_NAMED])}"
        more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        warnings.warn(f"{text}{more}; use condim=1 for contacts without friction", NewtonWarning, stacklevel=external())


def put_model(mjm, batch_sizes: dict[str, int] | None = None, *, keep: tuple = (), device=None) -> Model:
    """The model on the device.

    ``mjm`` is a ``mujoco.MjModel``, of MuJoCo 3.11 to 4.0, or a compiled model of this package; ``batch_sizes`` gives, per field, how many
    rows it has: one, or as many as there will be worlds where the engine reads it.  ``keep`` names parameters that are 0 now and will be set later, such as
    ``opt_density``.  Raises ModelError for anything the engine does not simulate, by name.
    """
    batch = dict(batch_sizes or {})
    count = max(batch.values(), default=1)
    mjm = of_version(mjm)
    warn_of_small_friction(mjm)
    own = tuple(name for name, n in batch.items() if n > 1)
    looks = BATCHED - FIELDS.keys() | {*LED_BY_WORLDS}
    made = engine.put_model(mjm, count, device, tuple(n for n in own if n not in looks), keep=keep)
    model = Model(made.sizes, made.arrays, made.device, made.source)
    model.keep = tuple(keep)
    for name in own:
        if name in looks or name in OWN and model.loaded:
            model.copy_rows(name, batch[name])
        if name not in looks and batch[name] < count:
            model.arrays[name] = wp.clone(model.arrays[name][: batch[name]])
    return model


@collection_held()
def load(source: str | Path, assets: dict[str, bytes] | None = None):
    """Compiled model of an MJCF or URDF file, or of MJCF text, without a builder of one's own: what ``put_model``
    takes.

    ``assets`` are files in memory, looked at before the disk. Raises ParseError or ModelError with the place in the
    file.
    """
    from newtonlite.importers.files import ROWS_ALONE, add_file
    from newtonlite.sim.builder import ModelBuilder
    from newtonlite.solvers.mujoco.attributes import register
    from newtonlite.solvers.mujoco.compile import compile_model

    builder = ModelBuilder()
    register(builder)
    options = {} if assets is None else {"assets": assets}
    if str(source).lstrip().startswith("<"):
        builder.add_mjcf(str(source), **ROWS_ALONE, **options)
    else:
        add_file(builder, source, **options)
    return compile_model(builder.finalize(device="cpu"))
