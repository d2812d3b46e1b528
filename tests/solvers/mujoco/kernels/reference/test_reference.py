"""Every native team primitive does what its reference form in plain Warp says, on one lane and in a team."""

import inspect
import json
import subprocess
import sys

import pytest

from tests.harness import reference_runs
from tests.oracle import ROOT

WITHOUT_REFERENCE = {
    "sync": "the barrier itself, of which the reference forms are made",
    "lane_id": "likewise",
    "one_lane": "a constant",
    "solve_damped_tree": "factor and solve for some of the rows, by one lane; test_dense has NumPy beside it",
    "next_overlap": "a faster way through a sweep; its plain form is that of teams in flex_sweep",
    "nxn_simd": "a faster way through the candidates; its plain form is the broad-phase stage",
}
SPARSE = """add_cones add_scaled conjugate_sums conjugate_vectors copy_profile copy_vector csr_gradient_float64 csr_mul csr_mul_t csr_residuals
    csr_transpose gauss_sums gradient_vectors merge_columns order_of place_trees profile_factor profile_inertia profile_rows
    profile_solve tree_solve""".split()
TRUNCATED = "add_curvature bend_along curvature_metric residual_step turn_direction".split()
WITHOUT_REFERENCE |= dict.fromkeys(
    TRUNCATED, "of wide models and of one lane alone; test_truncated_newton.py has MuJoCo beside it"
)
WITHOUT_REFERENCE |= dict.fromkeys(SPARSE, "of wide models, whose dense form test_sparse.py has beside it")
NAMES = sorted(reference_runs.natives().keys() - WITHOUT_REFERENCE.keys())


@pytest.fixture(scope="module")
def in_process(device) -> dict:
    """Disagreements on one lane, or in a warp and in a team of four where the device is a GPU."""
    teams = [1] if device == "cpu" else [32, 128]
    found = [reference_runs.disagreements(nlane, device) for nlane in teams]
    return {name: [text for each in found for text in each[name]] for name in found[0]}


@pytest.fixture(scope="module")
def by_cpu_team(tmp_path_factory, device) -> dict:
    if device != "cpu":
        pytest.skip("a GPU runs teams anyway")
    output = tmp_path_factory.mktemp("reference") / "disagreements.json"
    command = [sys.executable, "-m", "tests.harness.reference_runs", str(output)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(output.read_text())


def test_every_native_has_a_reference_or_a_reason():
    assert NAMES
    assert not set(NAMES) - reference_runs.in_plain_warp().keys()
    assert WITHOUT_REFERENCE.keys() <= reference_runs.natives().keys()


@pytest.mark.parametrize("name", NAMES)
def test_a_reference_is_plain_warp_with_the_signature_of_its_native(name):
    native, reference = reference_runs.natives()[name], reference_runs.in_plain_warp()[name]
    assert not reference.native_snippet
    assert str(inspect.signature(reference.func)) == str(inspect.signature(native.func))


@pytest.mark.parametrize("name", NAMES)
def test_a_native_does_what_its_reference_does(name, in_process):
    assert in_process[name] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_native_does_what_its_reference_does_in_a_team_of_lanes(name, by_cpu_team):
    assert by_cpu_team[name] == []
