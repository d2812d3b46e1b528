"""What Newton's integration document says of SolverMuJoCo, row by row: the tests of row N-007 are named
``test_n_007_...``.

``python -m tests.harness.newton_rows`` writes the table of rows and tests, `docs/newton_rows.md`.
"""

import ast
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "solvers" / "mujoco" / "adapter"
PAGE = Path(__file__).parents[2] / "docs" / "newton_rows.md"

ROWS = {
    "N-001": "adapter behind the standard solver interface, fields under MuJoCo's names",
    "N-002": "FREE joints",
    "N-003": "BALL joints, an actuator per axis",
    "N-004": "REVOLUTE joints",
    "N-005": "PRISMATIC joints",
    "N-006": "D6 joints and the names of their parts",
    "N-007": "FIXED joints: nested, or mocap at the world",
    "N-008": "DISTANCE joints float",
    "N-009": "CABLE joints are not forwarded",
    "N-010": "primitives, one to one",
    "N-011": "planes: static only, infinite",
    "N-012": "height fields and their offset",
    "N-013": "meshes are convex hulls",
    "N-014": "cones are meshes, Gaussians have no geom",
    "N-015": "sites, other types become spheres",
    "N-016": "contacts that only Newton's pipeline finds",
    "N-020": "limit gains are forces per displacement",
    "N-021": "conversion to (timeconst, dampratio)",
    "N-022": "limits follow masses, per world",
    "N-023": "gains that are not positive",
    "N-024": "authored solreflimit stays",
    "N-025": "MJCF's default until the gains change",
    "N-026": "solreflimit_mode",
    "N-027": "what save_to_mjcf keeps of limits",
    "N-030": "contact gains are forces per displacement",
    "N-031": "solref_mode of shapes",
    "N-032": "the legacy conversion",
    "N-033": "where the two-body factor is not applied",
    "N-040": "POSITION drives",
    "N-041": "VELOCITY drives",
    "N-042": "POSITION_VELOCITY drives",
    "N-043": "NONE and EFFORT: no actuator",
    "N-044": "effort limits",
    "N-045": "actuators of the namespace come after",
    "N-046": "transmissions, and those that are skipped",
    "N-050": "CONNECT constraints",
    "N-051": "WELD constraints",
    "N-052": "JOINT constraints",
    "N-053": "mimic constraints",
    "N-054": "authoring constraints by custom values",
    "N-060": "loops closed by FIXED",
    "N-061": "loops closed by REVOLUTE",
    "N-062": "loops closed by BALL",
    "N-063": "loops that stay open",
    "N-064": "loops closed by D6",
    "N-065": "what a closing joint does not say",
    "N-066": "closing joints have no coordinates in the engine",
    "N-070": "tendons",
    "N-071": "contact pairs",
    "N-080": "choice of the collision pipeline",
    "N-081": "several contacts of convex pairs",
    "N-082": "margins are zeroed beside boxes",
    "N-083": "gap is zero",
    "N-084": "shape_collision_radius is ignored",
    "N-085": "collision groups by colours",
    "N-086": "velocity limits are ignored",
    "N-090": "the first world is replicated",
    "N-091": "worlds must be alike",
    "N-092": "what may be global",
    "N-093": "push, integrate, pull",
    "N-094": "update_data_interval",
    "N-095": "contacts are reported when asked for",
    "N-096": "argument, attribute, default",
    "N-097": "options are read once",
    "N-098": "the list of arguments",
    "N-099": "registering the namespace",
    "N-100": "what goes to built-in fields",
    "N-101": "the deprecated dof_passive_damping",
    "N-102": "notify_model_changed",
    "N-103": "what Newton does not import does not hurt",
    "N-110": "only roots are kinematic",
    "N-111": "kinematic roots come back as given",
    "N-112": "forces on kinematic bodies are ignored",
    "N-113": "kinematic bodies collide",
    "N-114": "a kinematic root's armature",
    "N-115": "fixed roots are mocap bodies",
    "N-116": "shapes of the world stay static",
    "N-117": "where each named step lives here",
}


def found_by_row() -> dict[str, list[str]]:
    """``file::test`` of every test named after a row, in the order of files and lines."""
    found: dict[str, list[str]] = {row: [] for row in ROWS}
    for path in sorted(FOLDER.glob("test_*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_n_"):
                found.setdefault(f"N-{node.name[7:10]}", []).append(f"{path.name}::{node.name}")
    return found


def page() -> str:
    """The table of rows and tests."""
    lines = [
        "# Newton's SolverMuJoCo, row by row",
        "",
        "What the integration document of Newton's solver says, and the tests that hold newtonlite to it, all in",
        "`tests/solvers/mujoco/adapter/`. Written by `python -m tests.harness.newton_rows`.",
        "",
        "| row | what | tests |",
        "|---|---|---|",
    ]
    for row, tests in found_by_row().items():
        names = "<br>".join(f"`{test.partition('::')[2]}` ({test.partition('::')[0]})" for test in tests)
        lines.append(f"| {row} | {ROWS[row]} | {names} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
