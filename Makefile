# The commands of the project. Each makes the environment it needs on first use: Python 3.10 or later and make suffice.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest

# Compiled kernels and hulls of meshes stay inside the project.
export WARP_CACHE_PATH ?= $(CURDIR)/.cache/warp
export NEWTONLITE_CACHE_PATH ?= $(CURDIR)/.cache/newtonlite

.PHONY: help demo example test lint parity residuals lockstep parity-import fuzz-import import-time support test-gpu bench ptx emulate gpu gpu-work gpu-smoke gpu-races gpu-profile gpu-tests gpu-tune gpu-rehearsal clean contacts stability outside view test-learning test-viewer test-public test-real wheel test-mujoco-versions mjlab test-mjlab collection verify claims test-fast docs sdist test-wheel test-sdist test-pythons test-versions test-nightly

help:
	@echo "make demo        roll out 256 humanoids; writes out/demo.png and out/demo.json"
	@echo "make view        show 64 humanoids in the browser; MODEL=file.xml WORLDS=16 show others"
	@echo "make test        the tests; make test-fast: those that take least, in two minutes"
	@echo "make lint        ruff, clang-format and pyright"
	@echo "make collection  fetch real robots from published wheels, 390 MB, into .cache/collection"
	@echo "make verify      every comparison with MuJoCo over thirty small models of our own, in some ten minutes"
	@echo "make docs        build the documentation as a site, into site/"
	@echo "make wheel       build dist/*.whl with CPU kernels of any model compiled in it (Linux, x86-64); make test-wheel tries it"
	@echo "The rest: .venv/bin/python -m conformance, and .venv/bin/python -m benchmarks, list their commands; CONTRIBUTING.md has other targets."

demo: $(VENV)/ready
	$(BIN)/newtonlite demo --out out

MODEL ?= humanoid
WORLDS ?= 64

view: $(VENV)/ready-viewer
	$(BIN)/newtonlite view $(MODEL) --worlds $(WORLDS) --control random

example: $(VENV)/ready
	$(BIN)/python examples/rollout.py

# Processors that the wheel has kernels for: PROCESSORS="x86-64-v3 x86-64-v2" makes one for those without AVX2 too, none
# a wheel for any (aarch64, macOS, Windows), which compiles on first use.
PROCESSORS ?= x86-64-v3

wheel: $(VENV)/ready
	rm -rf newtonlite/solvers/mujoco/executor/cpu/packaged_kernels dist
	for kind in $(PROCESSORS); do $(BIN)/newtonlite warmup --packaged $$kind || exit 1; done
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

sdist: $(VENV)/ready
	$(BIN)/pip install --quiet --disable-pip-version-check hatchling
	$(BIN)/python -m hatchling build -t sdist -d dist

# Both in fresh environments outside of the checkout, with empty caches.
test-wheel: $(VENV)/ready-test
	$(BIN)/python -m conformance installed $(wildcard dist/*.whl)

test-sdist: sdist $(VENV)/ready-test
	$(BIN)/python -m conformance installed dist/*.tar.gz

lint: $(VENV)/ready-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	find newtonlite -name '*.h' -exec $(BIN)/clang-format --dry-run -Werror {} +
	$(BIN)/python -m conformance type_reports

test: $(VENV)/ready-test
	$(PYTEST) -q -n auto --dist loadfile --no-loadscope-reorder --max-worker-restart 0

test-public: $(VENV)/ready-test
	NEWTONLITE_WARP_INTERNALS=0 $(PYTEST) -q -m "" -n auto --dist loadfile tests/solvers/mujoco

test-real: $(VENV)/ready-test
	NEWTONLITE_TEST_KERNELS=real $(PYTEST) -q -m "" -n auto --dist loadfile tests/solvers tests/envs tests/mjwarp

# What takes minutes: every GPU kernel through the compiler, the emulator, teams of lanes.
test-nightly: $(VENV)/ready-test
	$(PYTEST) -q -m nightly -n auto --dist loadfile --max-worker-restart 0

test-fast: $(VENV)/ready-test
	$(PYTEST) -q -m fast

test-viewer: $(VENV)/ready-test
	NEWTONLITE_TEST_PAGE=whole $(PYTEST) -q tests/viewer tests/docs

collection: $(VENV)/ready
	$(BIN)/python -m conformance.collection fetch

verify: $(VENV)/ready-test
	$(BIN)/python -m conformance verify

docs: $(VENV)/ready-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --clean --quiet
	@echo "site/index.html"

claims: $(VENV)/ready-test
	$(BIN)/python -m conformance claims

parity: $(VENV)/ready-test
	$(BIN)/python -m conformance parity

lockstep: $(VENV)/ready-test
	$(BIN)/python -m conformance lockstep

contacts: $(VENV)/ready-test
	$(BIN)/python -m conformance contact_parity

stability: $(VENV)/ready-test
	$(BIN)/python -m conformance stability

outside: $(VENV)/ready-test
	$(BIN)/python -m conformance mesh_contacts

residuals: $(VENV)/ready-test
	$(BIN)/python -m conformance residuals

support: $(VENV)/ready-test
	$(BIN)/python -m conformance support

import-time: $(VENV)/ready-test
	$(BIN)/python -m benchmarks import_time

fuzz-import: $(VENV)/ready-test
	$(BIN)/python -m conformance fuzz_import

parity-import: $(VENV)/ready-test
	$(BIN)/python -m conformance import_parity

test-learning: $(VENV)/ready-test $(VENV)/ready-learn
	$(PYTEST) -q tests/envs tests/learn
	$(BIN)/python -m benchmarks learning
	$(BIN)/python -m benchmarks learning cartpole_pixels --seeds 1

# An environment for each Python that the path has; and those of the oldest and newest versions that pyproject.toml admits.
PYTHONS ?= python3.10 python3.12 python3.13

.cache/python-%/ready: pyproject.toml
	$* -m venv .cache/python-$*
	.cache/python-$*/bin/pip install -q --disable-pip-version-check -e '.[test]'
	touch $@

.cache/oldest/ready: pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv .cache/oldest
	.cache/oldest/bin/pip install -q --disable-pip-version-check -c constraints-oldest.txt -e '.[test]'
	touch $@

.cache/newest/ready: pyproject.toml
	$(PYTHON) -m venv .cache/newest
	.cache/newest/bin/pip install -q --disable-pip-version-check -e '.[test]'
	touch $@

test-pythons: $(PYTHONS:%=.cache/python-%/tested)

test-versions: .cache/oldest/tested .cache/newest/tested

.PHONY: $(PYTHONS:%=.cache/python-%/tested) .cache/oldest/tested .cache/newest/tested

.cache/%/tested: .cache/%/ready
	.cache/$*/bin/newtonlite doctor
	.cache/$*/bin/python -m pytest -q -m fast

# An environment for each version of MuJoCo, with what the tests of its models need.
MUJOCO_VERSIONS ?= 3.11.0 3.12.0 3.13.0 3.14.0 3.15.0 3.16.0 3.17.0 4.0.0

.cache/mujoco-%/ready: pyproject.toml
	$(PYTHON) -m venv .cache/mujoco-$*
	.cache/mujoco-$*/bin/pip install -q -e . mujoco==$* pytest
	touch $@

test-mujoco-versions: $(MUJOCO_VERSIONS:%=.cache/mujoco-%/ready)
	for version in $(MUJOCO_VERSIONS); do \
		.cache/mujoco-$$version/bin/python -m pytest -q tests/mjwarp/test_host_version.py || exit 1; done

mjlab: .cache/mjlab/ready

.cache/mjlab/ready: pyproject.toml
	$(PYTHON) -m venv .cache/mjlab
	.cache/mjlab/bin/pip install -q -e . mjlab==1.6.0 pytest
	touch $@

test-mjlab: mjlab
	.cache/mjlab/bin/python -m pytest -q tests/mjwarp/test_mjlab.py

test-gpu: $(VENV)/ready-test
	NEWTONLITE_TEST_DEVICE=cuda:0 $(PYTEST) -q -m ""

bench: $(VENV)/ready-bench
	$(BIN)/python -m benchmarks cpu

ptx: $(VENV)/ready
	$(BIN)/python -m benchmarks ptx

emulate: $(VENV)/ready-test
	$(BIN)/python -m conformance emulate

gpu-work: $(VENV)/ready-test
	$(BIN)/python -m benchmarks gpu_work

gpu: $(VENV)/ready-test $(VENV)/ready-bench
	$(BIN)/python -m benchmarks gpu_parts all

gpu-smoke gpu-races gpu-profile gpu-tests gpu-tune: gpu-%: $(VENV)/ready-test $(VENV)/ready-bench
	$(BIN)/python -m benchmarks gpu_parts $*

gpu-rehearsal: $(VENV)/ready-test
	$(BIN)/python -m benchmarks gpu_parts all --rehearse

clean:
	rm -rf $(VENV) .cache .pytest_cache .hypothesis out site

# ready: the package alone; ready-test, ready-bench: with that extra.

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "newtonlite needs Python 3.10 or later; name one with: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/ready-%: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $@
