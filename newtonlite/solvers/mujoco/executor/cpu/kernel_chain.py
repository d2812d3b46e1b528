"""Kernel chain: a program of the CPU as several kernels, entered one after the other, world after world.

The kernels are compiled side by side, each once for all programs and models that have its stages with the same features
(docs/decisions/0016). Stages that hand over only what is kept per world run for a block of worlds, while their code is
in the cache (docs/decisions/0013). Where the kernel cache has a kernel of all features and not the one of a model's,
the former runs until the latter is compiled (docs/decisions/0020).
"""

import ctypes
import functools
import itertools
import threading
from collections.abc import Callable
from pathlib import Path

import warp as wp

from newtonlite.core.native import header
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor import plan, specialize
from newtonlite.solvers.mujoco.executor.cpu import kernel_cache
from newtonlite.solvers.mujoco.executor.cpu.c_struct import c_struct
from newtonlite.solvers.mujoco.executor.cpu.gang import GANG_SIZE, GangCall, gang_results, gang_step
from newtonlite.solvers.mujoco.executor.cpu.island_call import IslandCall, solve_island_worlds, solves_apart
from newtonlite.solvers.mujoco.executor.cpu.native_call import NativeCall
from newtonlite.solvers.mujoco.executor.cpu.native_kernel import (
    GANG_KERNEL,
    CachedKernel,
    CompiledKernel,
    NativeKernel,
    compiled_kernel,
    load_kernels,
    native_code,
    number_kernel,
)
from newtonlite.solvers.mujoco.executor.views import fields_used

WORLD_BLOCK = GANG_SIZE  # worlds in a row: what a step keeps of them fits the second cache several times
PART_OF = {s.key.split(".")[-1]: name for name, stages in plan.CPU_KERNELS.items() for s in stages}
SOLVERS = frozenset(s.key.split(".")[-1] for s in pipeline.SOLVERS)
"""Kernels that are called for islands of a world."""
EVERY, GANGS, FEWER = range(3)
"""Blocks of worlds that a kernel is used for: every one, whole gangs, smaller ones; as in ``kernel_chain.h``."""
GANG_FORCES_LACK = ("npoly", "nadhesion", "ntendon", "nlaw")
"""Features without which nothing comes between the forces of a gang's worlds and what they are made of."""
GANG_MATRIX_DOFS = 48
"""Most dofs of models whose mass matrices are computed in gangs: more leave the cache."""
GANGED = (plan.GANG, plan.GANG + plan.GANG_MATRIX)
"""Stages of gangs, in models of many dofs and of fewer."""
NOTHING = {"stages": [], "m": [], "d": []}
"""Entry of a kernel of which nothing is left."""
native = header(__file__)
Chain = c_struct(Path(__file__).with_suffix(".h"), "Chain")


class KernelChain:
    """The kernels of a program's stages, and how they are entered.

    ``rounds`` are pairs ``(stages, together)``. For each block of ``block`` worlds (all worlds when None) the rounds
    run in turn: one world after the other through all stages of a round, or where ``together``, all worlds of the block
    through one stage after the other. With ``masked``, only worlds whose ``d.world_mask`` is not 0 run, blocks of which all do as without. ``folded``: the
    features that are folded out (``specialize``); with ``early``, kernels of all features stand in for those that are
    not compiled yet, which ``awaited`` names (a gang's forces have none: they go world by world until then). Where
    stages of a round can run for a gang of worlds of ``nv`` dofs, ``rounds`` has them apart, for blocks that are whole
    gangs and for smaller ones.
    """

    def __init__(
        self,
        rounds: list,
        level: int,
        block: int | None = WORLD_BLOCK,
        masked: bool = False,
        folded: tuple = (),
        early: bool = False,
        *,
        nv: int = 0,
    ):
        self.made_of = functools.partial(KernelChain, rounds, level, block, masked, folded, nv=nv)

        # stages in front for whole gangs of worlds
        gangs, forces = _gang_stages(rounds, folded, nv) if level and block == GANG_SIZE else ((), ())

        # kernels of all features may stand in; but one that gangs their forces too would need its own, which nobody has
        # compiled for all models: until it is there, forces go world by world
        lacking, alone = _lacking(rounds, gangs + forces, folded, level) if early else ((), False)
        fewer = bool(forces) and alone and not _lacking(rounds, gangs, folded, level)[1]
        made = _made(rounds, gangs if fewer else gangs + forces, folded, level, early)
        self.awaited = lacking if fewer else _missing(made, CachedKernel)

        # kernels and rounds of which nothing is left are not entered
        made = [([(k, use) for k, _, use in kernels if k.stages], together) for kernels, together in made]
        self.rounds = [(kernels, together) for kernels, together in made if kernels]
        self.kernels = tuple(dict.fromkeys(k for kernels, _ in self.rounds for k, _ in kernels))
        self.stages = tuple(s for kernels, _ in self.rounds for k, use in kernels if use != GANGS for s in k.stages)
        self.block, self.masked = block, masked

    def special(self) -> "KernelChain":
        """The chain of the kernels of the model's features."""
        return self.made_of()

    def record(self, value: Callable, nworld: int, device) -> "ChainCall":
        """A call for ``nworld`` worlds, with views filled by ``value(owner, field)``. Raises Warp's error for a stage
        that does not compile.
        """
        rounds, calls = self.calls(value, nworld, device)
        mask = value("d", "world_mask") if self.masked else None
        return ChainCall(rounds, calls, mask, nworld, min(self.block or nworld, nworld))

    def calls(self, value: Callable, nworld: int, device) -> tuple[list, dict]:
        """Rounds of what is entered for ``nworld`` worlds, and the call of each: of a kernel, or of all solvers, a tuple,
        where they are called for islands.
        """
        # what these worlds need: gangs where there are enough of them, the other form for the rest and for masks
        fewer = self.masked or nworld % GANG_SIZE
        uses = {EVERY} | ({GANGS} if nworld >= GANG_SIZE else set()) | ({FEWER} if fewer else set())
        needed = [(k, use) for kernels, _ in self.rounds for k, use in kernels if use in uses]
        load_kernels([k for k, _ in needed], device)

        # fields that go from one kernel to another have to be where both look
        value = functools.cache(value)  # stages share most fields
        read = {f for k, use in needed if use == EVERY and k.name not in SOLVERS for f in k.fields["d"]}
        calls = {k: GangCall(k, value, read) if use == GANGS else k.call(value, nworld, device) for k, use in needed}

        # solvers as one call over the islands of a world
        solvers = tuple(k for k in calls if k.name in SOLVERS)
        if not solvers or not solves_apart(value):
            return self.rounds, calls
        calls[solvers] = IslandCall(solvers, value, nworld, read)
        return [(_with_islands(kernels, solvers), together) for kernels, together in self.rounds], calls


class ChainCall(NativeCall):
    """A call of a chain over its worlds."""

    def __init__(self, rounds: list, calls: dict, mask: wp.array | None, nworld: int, block: int):
        # tables of struct Chain: addresses of every kernel, its use, where rounds begin, how they go
        entries = [a for kernels, together in rounds for k, _ in kernels for a in _addresses(calls.get(k), together)]
        starts = [0, *itertools.accumulate(len(kernels) for kernels, _ in rounds)]
        tables = [_array(ctypes.c_void_p, entries), _array(ctypes.c_int32, [use for ks, _ in rounds for _, use in ks])]
        tables += [_array(ctypes.c_int32, starts), _array(ctypes.c_int32, [together for _, together in rounds])]
        places = (ctypes.addressof(t) for t in tables)
        self.chain = Chain(*places, mask.ptr if mask is not None else None, len(rounds), nworld, block)
        self.captured: wp.Launch | None = None
        super().__init__(
            native_code(chain_kernel), [ctypes.c_uint64(ctypes.addressof(self.chain))], (calls, tables, mask)
        )

    def launch(self) -> None:
        """Run the chain, or where a graph is recorded on the CPU, have Warp record it."""
        # a recording needs a launch that Warp knows: a kernel that runs the chain by its address
        if not wp.get_device("cpu").is_capturing:
            return super().launch()
        if self.captured is None:
            self.captured = wp.launch(
                _chain_kernel(),
                dim=1,
                inputs=[ctypes.addressof(self.chain)],
                block_dim=1,
                device="cpu",
                record_cmd=True,
            )
        self.captured.launch()


def _addresses(call: NativeCall | GangCall | None, together: bool) -> tuple:
    """Addresses that a kernel of a round is entered by. A gang's steps all of it where they go together, and gives each
    world its results where they do not; zeros for a kernel that no block of the call needs.
    """
    if isinstance(call, GangCall):
        call = call.step if together else call.results
    return call.addresses if call else (0, 0, 0)


def _with_islands(kernels: list, solvers: tuple) -> list:
    """Kernels of a round, with uses, where one call is entered for all solvers."""
    first = next((i for i, (k, _) in enumerate(kernels) if k in solvers), None)
    rest = [(k, use) for k, use in kernels if k not in solvers]
    return rest if first is None else [*rest[:first], (solvers, EVERY), *rest[first:]]


def _gang_stages(rounds: list, folded: tuple, nv: int) -> tuple[tuple, tuple]:
    """Stages that can run for gangs of worlds, in a model of ``nv`` dofs with these features folded out, and those of
    forces beside them.
    """
    # worlds with sleeping trees take different branches, and share no instruction
    lacks = {name for name, value in folded if value == 0}
    if "nsleep" not in lacks:
        return (), ()

    # a caller's own stage may read or write anything between the forces and what they are made of
    own = all(s in pipeline.STEP for stages, together in rounds if not together for s in stages)
    forces = plan.GANG_FORCES if own and lacks.issuperset(GANG_FORCES_LACK) else ()
    return plan.GANG + (plan.GANG_MATRIX if nv <= GANG_MATRIX_DOFS else ()), forces


def _in_gangs(stages: tuple, together: bool, level: int, gangs: tuple) -> list[tuple]:
    """A round as rounds of (part, use) with the stages ``gangs`` in front, for whole gangs of worlds; the state is
    checked before them.
    """
    # all or none: a gang enters one kernel
    smooth = tuple(s for s in stages if s in gangs)
    if together or not gangs or len(smooth) < len(gangs):
        return [([(part, EVERY) for part in parts(stages, level)], together)]

    # checks of the state come before what reads it; the rest finds the results of gangs as if it were their turn
    first = stages[: stages.index(pipeline.POSITION[0])]
    rest = parts(tuple(s for s in stages if s not in smooth and s not in first), level)
    return [
        ([(part, EVERY) for part in parts(first, level)], True),
        ([((GANG_KERNEL, smooth), GANGS)], True),
        ([((GANG_KERNEL, smooth), GANGS), (("smooth", smooth), FEWER), *((part, EVERY) for part in rest)], False),
    ]


def _made(rounds: list, gangs: tuple, folded: tuple, level: int, early: bool) -> list[tuple]:
    """Rounds of (kernel, what is to be compiled in its place, use)."""
    found = [r for stages, together in rounds for r in _in_gangs(stages, together, level, gangs)]
    return [([(*cpu_kernel(p, folded, level, early), use) for p, use in named], t) for named, t in found]


def _missing(made: list[tuple], kind: type) -> tuple:
    """Parts that are to be compiled in place of kernels of this kind."""
    return tuple(dict.fromkeys(part for kernels, _ in made for k, part, _ in kernels if part and isinstance(k, kind)))


def _lacking(rounds: list, gangs: tuple, folded: tuple, level: int) -> tuple[tuple, bool]:
    """Parts whose kernels the cache lacks, and whether it lacks for one of them that of all features, too. Nothing is
    folded to know that.
    """
    lacking, alone = {}, False
    for stages, together in rounds:
        for named, _ in _in_gangs(stages, together, level, gangs):
            for part, _ in named:
                if level and all(map(kernel_cache.is_named, part[1])):
                    known, key, own = _entry(part, folded)
                    if not _cached(key, part):
                        lacking[(*part, own)], alone = None, alone or not known
    return tuple(lacking), alone


def _array(kind, numbers: list):
    return (kind * len(numbers))(*numbers)


def parts(stages: tuple, level: int) -> list[tuple]:
    """Stages in turn, by kernels, as pairs of a name and stages: those of the pipeline page, or where nothing is
    optimised, one for each stage.
    """
    names = (s.key.split(".")[-1] for s in stages)
    named = [(PART_OF.get(name, name) if level else name, s) for name, s in zip(names, stages)]
    return [(name, tuple(s for _, s in part)) for name, part in itertools.groupby(named, lambda pair: pair[0])]


def are_kept(stages: tuple) -> bool:
    """Whether the kernel cache has optimised kernels of all features for all parts of these stages."""
    return all(
        all(map(kernel_cache.is_named, part[1])) and _cached(kernel_cache.key(*part), part) for part in parts(stages, 2)
    )


def all_parts(stages: tuple) -> list[tuple]:
    """Parts of a program, in gangs and world by world."""
    return [part for gangs in (*GANGED, ()) for part in _parts_in_gangs(stages, gangs)]


def parts_with_forces(stages: tuple) -> list[tuple]:
    """Parts of a program whose gangs have their forces, too."""
    return [part for gangs in GANGED for part in _parts_in_gangs(stages, gangs + plan.GANG_FORCES)]


def _parts_in_gangs(stages: tuple, gangs: tuple) -> list[tuple]:
    return [part for named, _ in _in_gangs(stages, False, 2, gangs) for part, _ in named]


def cpu_kernel(part: tuple, folded: tuple = (), level: int = 2, early: bool = False) -> tuple:
    """The kernel of a part (name and stages) with features folded out, and the part that is to be compiled where the
    cache lacks it: with ``early`` the kernel is that of all features where the cache has that one. Of a kernel without
    stages nothing is left.
    """
    name, stages = part

    # for tests where none is kept: unoptimised, of all features, kept by Warp alone
    if not level:
        return compiled_kernel(name, stages, level), None
    if not all(map(kernel_cache.is_named, stages)):
        left = specialize.constant_fold(stages, folded)
        return compiled_kernel(name, left, level) if left else CachedKernel(name, stages, NOTHING), None

    known, key, folded = _entry(part, folded)

    # found, or stood in for by that of all features, or compiled now
    found = _cached(key, part)
    if found:
        return found, None
    kernel = known if known and early else _folded_kernel(name, stages, folded, key)
    return kernel, (name, stages, folded) if kernel.stages else None


def _entry(part: tuple, folded: tuple) -> tuple:
    """Of a part the kernel of all features where the cache has it, and name and features of the entry of its own."""
    # a kernel depends on those features alone that its stages read: others share its name and its code
    name, stages = part
    known = _cached(kernel_cache.key(name, stages), part)
    reads = set(known.fields["m"] if known else reads_of(part))
    folded = tuple(pair for pair in folded if pair[0] in reads)
    return known, kernel_cache.key(name, stages, folded), folded


@functools.cache
def reads_of(part: tuple) -> tuple:
    """Fields of the model that the stages of a part read, kept in the cache: to find them in their sources takes long."""
    name, stages = part
    key = f"{kernel_cache.key(name, stages)}_reads"
    entry = kernel_cache.find(key)
    if entry is not None and "m" in entry:
        return tuple(entry["m"])
    reads = sorted({f for s in stages for owner, f in fields_used(s) if owner == "m"})
    kernel_cache.keep(key, None, m=reads)
    return tuple(reads)


def compile_parts(found: list[tuple]) -> None:
    """Have the kernel cache hold the kernels of parts (name, stages, features folded out), compiled in as many threads
    as there are cores.
    """
    with _making:
        made = [cpu_kernel((name, stages), folded)[0] for name, stages, folded in found]

    # side by side; kept when their addresses are asked for
    kernels = [k for k in made if isinstance(k, CompiledKernel)]
    load_kernels(kernels, "cpu")
    for kernel in kernels:
        _ = kernel.code  # kept where it is first asked for
    for function in (chain_kernel, gang_step, gang_results, solve_island_worlds):
        native_code(function)


_kernels: dict = {}
_making = threading.Lock()  # sources of kernels of the same name take each other's place while they are read


def _cached(key: str, part: tuple) -> CachedKernel | None:
    """The kernel of an entry of the kernel cache."""
    if key not in _kernels:
        entry = kernel_cache.find(key)
        if entry is None:
            return None
        _kernels[key] = CachedKernel(*part, entry)
    return _kernels[key]


@functools.cache
def _folded_kernel(name: str, stages: tuple, folded: tuple, key: str) -> NativeKernel:
    # also that nothing is left of it is worth knowing: to find that out takes as long as to fold it
    left = specialize.constant_fold(stages, folded)
    if left:
        return CompiledKernel(name, left, 2, key)
    kernel_cache.keep(key, None, **NOTHING)
    return CachedKernel(name, stages, NOTHING)


@wp.func_native(native("run_chain"))
def run_chain(chain: wp.uint64):
    """Run a chain, by the address of its ``struct Chain``."""
    ...


def chain_kernel(chain: wp.uint64):
    """One call of a chain."""
    run_chain(chain)


@functools.cache
def _chain_kernel() -> wp.Kernel:
    return number_kernel(chain_kernel)
