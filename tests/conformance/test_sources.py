"""The digest of a comparison's code: it changes with what the module imports, and with nothing else."""

import ast

from conformance import sources
from conformance.sources import closure, spell


def spelled(text: str) -> list[str]:
    words: list[str] = []
    spell(ast.parse(text), words)
    return words


def test_comments_docstrings_and_layout_do_not_count():
    assert spelled('"""A."""\nx = f(1,\n  2)  # why\n') == spelled('"""B."""\nx = f(1, 2)\n')
    assert spelled("x = 1") != spelled("x = 2")
    assert spelled("def f(a): return a") != spelled("def f(b): return b")


def test_what_is_imported_counts_and_the_rest_does_not():
    parity = closure("conformance.parity")
    assert {"conformance.parity", "newtonlite.solvers.mujoco.pipeline", "tests.harness.stagewise"} <= parity
    assert not [name for name in parity if name.startswith(("newtonlite.viewer", "newtonlite.learn", "benchmarks"))]


def test_what_a_package_loads_on_first_use_counts_where_the_package_is_used_as_a_whole():
    assert "newtonlite.sim.builder.builder" in closure("conformance.state_hashes") | closure("conformance.urdf_parity")
    assert sources.imported("conformance.state_hashes") >= {"newtonlite.geometry.mesh"}


def test_a_digest_is_of_text():
    assert sources.sources("conformance.stages") == sources.sources("conformance.stages")
    assert len(sources.sources("conformance.stages")) == 16
