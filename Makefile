# Every target sets up what it needs in .venv, on a machine with Python 3.11 and make; `check` needs Node.js too.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/python -m pytest
PARALLEL := -n auto --maxprocesses 4 --dist worksteal
REPRODUCTION := reproduction/tests reproduction/src
# Those need large peers, or a browser.
APART := --ignore tests/peers --ignore tests/web --ignore reproduction/tests/peers --ignore reproduction/tests/web
PYTHON_CODE := src reproduction tests benchmarks examples docs conftest.py

.PHONY: help reproduce lab test test-reproduction test-whole test-peers test-jax-environments test-web test-long wheel docs check check-python check-javascript format clean everything

help:
	@echo "make reproduce   run the paper's experiments, write output/ledger.html (ARGS=--quick for small runs, ten minutes at most)"
	@echo "make lab         open the page on which to draw mazes and watch plans"
	@echo "make test        run the tests of the library (ARGS='tests/planning -k tours' for some)"
	@echo "make test-reproduction   run those of the reproduction: rows, sweeps, ledger, arm, explorers"
	@echo "make test-whole  the long tests of both: experiments, tutorials, training, damaged files, runs that are killed"
	@echo "make test-peers  the tests with Ray, Stable-Baselines3 and other large peers"
	@echo "make test-web    the tests of the lab, in a real Chromium"
	@echo "make test-long   draw random cases for an hour (ARGS='--seconds 600') and check them against the accuracy contract"
	@echo "make wheel       build the wheel and the source archive in dist/, and test the wheel"
	@echo "make docs        build the documentation, docs/build/index.html"
	@echo "make check       formatting, lint, types, import layers, documented arguments; lint and types of JavaScript"
	@echo "make format      put the formatting right"

reproduce: .venv/installed-reproduction
	$(BIN)/first-occupancy reproduce $(ARGS)

lab: .venv/installed
	$(BIN)/first-occupancy lab $(ARGS)

test: .venv/installed-test
	$(PYTEST) $(PARALLEL) -m "not whole" $(APART) $(ARGS)

test-reproduction: .venv/installed-test-reproduction
	$(PYTEST) $(PARALLEL) -o "testpaths=$(REPRODUCTION)" -m "not whole" $(APART) $(ARGS)

test-whole: .venv/installed-test-reproduction
	$(PYTEST) $(PARALLEL) -o "testpaths=tests $(REPRODUCTION)" -m whole $(APART) $(ARGS)

test-peers: .venv/installed-peers test-jax-environments
	$(PYTEST) tests/peers reproduction/tests/peers --ignore tests/peers/test_enumerated_environments.py $(ARGS)

test-jax-environments: .venv-jax/installed
	.venv-jax/bin/python -m pytest tests/peers/test_enumerated_environments.py $(ARGS)

test-web: .venv/installed-web
	$(PYTEST) tests/web reproduction/tests/web $(ARGS)

test-long: .venv/installed-test
	$(BIN)/python tests/long/run.py $(ARGS)

wheel: .venv/installed-peers
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/python -m build --no-isolation --outdir dist reproduction
	$(PYTEST) tests/peers/test_wheel.py reproduction/tests/peers/test_wheel.py $(ARGS)

docs: .venv/installed-docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going docs docs/build $(ARGS)

check: check-python check-javascript

check-python: .venv/installed-check
	$(BIN)/ruff format --check $(PYTHON_CODE)
	$(BIN)/ruff check $(PYTHON_CODE)
	$(BIN)/pyrefly check --python-interpreter-path $(BIN)/python
	$(BIN)/lint-imports
	$(BIN)/python docs/check_docstrings.py src reproduction/src

check-javascript: node_modules/installed
	node_modules/.bin/biome lint --error-on-warnings
	node_modules/.bin/tsc

format: .venv/installed-check
	$(BIN)/ruff format $(PYTHON_CODE)
	$(BIN)/ruff check --fix $(PYTHON_CODE)

clean:
	rm -rf .venv .venv-jax node_modules

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml constraints.txt
	@echo "setting up .venv (once; a minute or two)"
	$(PIP) install --constraint constraints.txt --editable .
	@touch $@

.venv/installed-reproduction: .venv/installed reproduction/pyproject.toml
	$(PIP) install --constraint constraints.txt --editable . --editable ./reproduction
	@touch $@

.venv/installed-test: .venv/installed
	$(PIP) install --constraint constraints.txt --editable '.[test]'
	@touch $@

.venv/installed-test-reproduction: .venv/installed-test reproduction/pyproject.toml
	$(PIP) install --constraint constraints.txt --editable . --editable './reproduction[test]'
	@touch $@

.venv/installed-peers: .venv/installed-test-reproduction
	$(PIP) install --constraint constraints.txt --editable '.[peers]' --editable './reproduction[peers]'
	@touch $@

# gymnax does not work with the version of Gymnasium that all else is tested with, so it has an environment of its own.
.venv-jax/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-jax
	grep -v '^gymnasium==' constraints.txt > .venv-jax/constraints.txt
	.venv-jax/bin/python -m pip --disable-pip-version-check --quiet install --constraint .venv-jax/constraints.txt --editable '.[test,interop,jax-environments]' minigrid
	@touch $@

.venv/installed-web: .venv/installed-test-reproduction
	$(PIP) install --constraint constraints.txt --editable '.[test-web]'
	@touch $@

.venv/installed-docs: .venv/installed-reproduction
	$(PIP) install --constraint constraints.txt --editable '.[docs]'
	@touch $@

.venv/installed-check: .venv/installed-reproduction
	$(PIP) install --constraint constraints.txt --editable '.[check]'
	@touch $@

# All of the above at once, which takes less time than one after the other.
everything: .venv/bin/python pyproject.toml reproduction/pyproject.toml constraints.txt
	$(PIP) install --constraint constraints.txt --editable '.[test,peers,test-web,docs,check]' --editable './reproduction[test,peers]'
	@touch .venv/installed
	@touch .venv/installed-test .venv/installed-reproduction
	@touch .venv/installed-test-reproduction
	@touch .venv/installed-peers .venv/installed-web .venv/installed-docs .venv/installed-check

# Both packages are pinned and bring no others, so there is no lock file.
node_modules/installed: package.json
	@command -v npm > /dev/null || { echo "make check: needs Node.js with npm to check the lab's JavaScript; 'make check-python' does the rest" >&2; exit 1; }
	npm install --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel error
	@touch $@
