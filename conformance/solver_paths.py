"""Page of the solvers: which one a world is solved by, asked of the functions that decide."""

from itertools import product
from types import SimpleNamespace

from benchmarks.scenes import ROOT
from newtonlite.core.mujoco import MjtCone, MjtDisableBit, MjtSolver
from newtonlite.solvers.mujoco.derive.sleep import island_sizes
from newtonlite.solvers.mujoco.derive.sparse import SOFT_DOFS, WIDE_DOFS
from newtonlite.solvers.mujoco.iteration_limits import FEW_EVALUATIONS, FEW_ITERATIONS, cuts_short
from newtonlite.solvers.mujoco.kernels.solve.primal import own_share
from newtonlite.solvers.mujoco.solver_path import (
    DUAL_ROWS,
    NEWTON_DOFS,
    SPARSE_NEWTON_DOFS,
    SolverPath,
    conjugate_gradients,
    dual_rows,
    solver_path,
)

PAGE = ROOT / "docs" / "reference" / "solver.md"
NV = {f"up to {int(NEWTON_DOFS)} dofs": 20, "more dofs": 200}
NJMAX = 500
LIMITS = {"enough": (100, 50), "cut short": (1, 50)}
NAMES = {
    SolverPath.UNCONSTRAINED: "unconstrained",
    SolverPath.DUAL_NEWTON: "dual Newton",
    SolverPath.GAUSS_SEIDEL: "PGS, Newton",
    SolverPath.PRIMAL_NEWTON: "primal Newton",
    SolverPath.CONJUGATE_GRADIENTS: "CG, Newton",
}
ABOUT = f"""# Which solver a world takes

Written by `python -m conformance solver_paths` from `newtonlite/solvers/mujoco/solver_path.py`, which the stages of `pipeline.SOLVERS` ask; a house
test keeps it fresh.

A world without rows has the smooth acceleration. Others are solved in constraint space up to `ndual` rows, and over the dofs beyond that, or where a row
is too stiff for constraint space (`dual_newton.is_stiff`). "Cut short" are files with fewer than {FEW_ITERATIONS} iterations or {FEW_EVALUATIONS} evaluations of a
line search: where they stop makes the solution, so that path, start and stop are MuJoCo's."""
AFTER = """## Who goes on

`PGS, Newton` and `CG, Newton`: the first solver takes its share of the iterations, and Newton's method over the dofs goes on from its `qacc` to the minimum;
what PGS leaves has `SolverStatus.STARTED`. Of a file's iterations they get

| iterations | the first solver's | Newton's |
|---|---|---|
{shares}

Newton's method has its own share and what the first solver did not need. Where a world has a contact asleep, with elliptic cones, PGS gets all of them and
is the answer. Where conjugate gradients or PGS have all of the iterations, Newton's method corrects rounding at most.

`noslip` comes after any of them where `noslip_iterations` is not 0. Models that float32 does not carry are solved in mass-orthonormal velocities (`whiten`,
`unwhiten` around the solvers) by the same paths. The start of the iterations is in `kernels/solve/warmstart.py`.

## Wide models

Above {wide} dofs, {soft} where flexes deform, rows, inertia and Hessian are sparse (`nsparse`, [decision 35](../decisions/0035-wide-models.md)), for Newton's method and conjugate gradients;
with PGS, `noslip`, `diagexact`, inertia of tendons, or in double, models of any size are dense. `ndual` is 0 then. `primal Newton` has a profile of the Hessian, and leaves a
step to conjugate gradients where that has no room (`data.PROFILE_WIDTH`). One lane takes it for `CG` too, up to {newton} dofs; before it, and before `CG, Newton` of more dofs, come conjugate gradients on the Hessian (`solve/truncated_newton.py`), where the start is near the minimum. `CG, Newton` has the blocks that the Hessian has within trees for its metric, and Newton's method goes on only
where conjugate gradients did not come to an end in their share. Worlds that are all one island are solved whole, others within (`kernels/solve/islands.py`).

## Islands

| solver | iterations | flag `island` | on the CPU | on a GPU |
|---|---|---|---|---|
{islands}

"Calls": a CPU thread calls the solvers for one island after the other (`executor/cpu/island_call.py`), each as if it were a world. But for PGS, `ndual`
of an island is its number of dofs, or 15 where that is more, up to its world's; 0 where the world has more than `ndual` rows and the island an equality. "Within": the solvers
go through the islands of a world themselves, each with its own steps and its own end (`kernels/solve/islands.py`); with `executor/cpu` shut
([warp_contract.md](warp_contract.md)) that is also how a CPU does what is "calls" here. "Whole": all rows are one problem. Models of one tree have
no islands."""


def path_of(solver: int, cone: int, limits: tuple, cpu: bool, nv: int, nrow: int | None, stiff: bool = False) -> str:
    """Name of the path of a world; of one row more than constraint space is for, where ``nrow`` is None."""
    ndual = dual_rows(solver, cone, *limits, cpu, nv, NJMAX)
    conjugate = conjugate_gradients.func(solver, nv, cuts_short(*limits), cpu, False)
    rows = ndual + 1 if nrow is None else nrow
    if nrow is None and ndual == NJMAX or nrow and rows > ndual:
        return "-"
    return NAMES[SolverPath(solver_path.func(solver, conjugate, rows, ndual, stiff))]


def kept(solver: int, cone: int, limits: tuple, cpu: bool, nv: int) -> str:
    """Words for ``ndual``."""
    found = dual_rows(solver, cone, *limits, cpu, nv, NJMAX)
    return {0: "0", NJMAX: "all", min(nv, DUAL_ROWS): f"dofs, at most {DUAL_ROWS}"}[found]


def table() -> list[tuple]:
    """Rows (solver, cone, iterations, device, dofs, ndual, path of few rows, of stiff ones, of more)."""
    found = []
    for solver, cone, limits, (device, cpu), dofs in product(
        MjtSolver, MjtCone, LIMITS, (("CPU", True), ("GPU", False)), NV
    ):
        given = int(solver), int(cone), LIMITS[limits], cpu, NV[dofs]
        paths = path_of(*given, 1), path_of(*given, 1, True), path_of(*given, None)
        words = solver.name, cone.name.lower(), limits, device, dofs
        found.append((*words, kept(*given), *paths))
    return found


def merged(rows: list[tuple], keys: int) -> list[tuple]:
    """Rows of which those that differ in one key alone, over all its values, are one with "any" there."""
    values = [list(dict.fromkeys(row[k] for row in rows)) for k in range(keys)]
    for k in reversed(range(keys)):
        groups: dict[tuple, list] = {}
        for row in rows:
            groups.setdefault((*row[:k], *row[k + 1 :]), []).append(row)
        rows = [
            (*row[:k], "any", *row[k + 1 :]) if len(group) == len(values[k]) else row
            for group in groups.values()
            for row in (group[:1] if len(group) == len(values[k]) else group)
        ]
    return rows


def islands() -> list[tuple]:
    """Rows (solver, iterations, flag, CPU, GPU) of models of several trees."""
    found = []
    for (solver, noslip), limits, flag in product(
        (("NEWTON", 0), ("CG", 0), ("PGS", 0), ("any, then noslip", 5)), LIMITS, ("on", "off")
    ):
        iterations, evaluations = LIMITS[limits]
        option = SimpleNamespace(
            integrator=0,
            disableflags=0 if flag == "on" else int(MjtDisableBit.ISLAND),
            solver=MjtSolver[solver] if solver in MjtSolver.__members__ else MjtSolver.NEWTON,
            noslip_iterations=noslip,
            iterations=iterations,
            ls_iterations=evaluations,
        )
        cpu, gpu = (
            island_sizes(SimpleNamespace(ntree=3, opt=option), kind)["nislandtree"] > 0 for kind in ("cpu", "gpu")
        )
        called = "calls" if not cuts_short(iterations, evaluations) else "within"
        found.append((solver, limits, flag, called if cpu else "whole", "within" if gpu else "whole"))
    return found


def lines(rows: list[tuple]) -> str:
    """Rows of a table."""
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)


def page() -> str:
    """The page of the solvers."""
    head = "| solver | cone | iterations | device | dofs | `ndual` | up to `ndual` rows | stiff ones | more rows |"
    shares = [(n, own_share.func(n), n - own_share.func(n)) for n in (1, 4, 5, 8, 20, 40, 100)]
    after = AFTER.format(
        wide=f"{WIDE_DOFS:,}",
        soft=SOFT_DOFS,
        newton=f"{int(SPARSE_NEWTON_DOFS):,}",
        shares=lines(shares),
        islands=lines(merged(islands(), 3)),
    )
    return "\n".join([ABOUT, "", head, "|---" * 9 + "|", lines(merged(table(), 5)), "", after]) + "\n"


def main() -> int:
    """Write the page."""
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
