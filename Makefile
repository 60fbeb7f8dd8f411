# Every target sets up what it needs in .venv, on a machine with Python 3.11 and make; `check` needs Node.js too.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: help reproduce lab test test-whole test-peers test-jax-environments test-web test-long wheel docs check check-python check-javascript format clean

help:
	@echo "make reproduce   run the paper's experiments, write output/ledger.html (ARGS=--quick for a minute or two's worth)"
	@echo "make lab         open the page on which to draw mazes and watch plans"
	@echo "make test        run the tests (ARGS='tests/planning -k tours' for some)"
	@echo "make test-whole  the long tests: experiments, tutorials, training, damaged files, runs that are killed"
	@echo "make test-peers  the tests with Ray, Stable-Baselines3 and other large peers"
	@echo "make test-web    the tests of the lab, in a real Chromium"
	@echo "make test-long   draw random cases for an hour (ARGS='--seconds 600') and check them against the accuracy contract"
	@echo "make wheel       build the wheel and the source archive in dist/, and test the wheel"
	@echo "make docs        build the documentation, docs/build/index.html"
	@echo "make check       formatting, lint, types, import layers, documented arguments; lint and types of JavaScript"
	@echo "make format      put the formatting right"

reproduce: .venv/installed
	$(BIN)/first-occupancy reproduce $(ARGS)

lab: .venv/installed
	$(BIN)/first-occupancy lab $(ARGS)

test: .venv/installed-test
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal -m "not whole" --ignore tests/peers --ignore tests/web $(ARGS)

test-whole: .venv/installed-test
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal -m whole --ignore tests/peers --ignore tests/web $(ARGS)

test-peers: .venv/installed-peers test-jax-environments
	$(BIN)/python -m pytest tests/peers --ignore tests/peers/test_enumerated_environments.py $(ARGS)

test-jax-environments: .venv-jax/installed
	.venv-jax/bin/python -m pytest tests/peers/test_enumerated_environments.py $(ARGS)

test-web: .venv/installed-web
	$(BIN)/python -m pytest tests/web $(ARGS)

test-long: .venv/installed-test
	$(BIN)/python tests/long/run.py $(ARGS)

wheel: .venv/installed-peers
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/python -m pytest tests/peers/test_wheel.py $(ARGS)

docs: .venv/installed-docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going docs docs/build $(ARGS)

check: check-python check-javascript

check-python: .venv/installed-check
	$(BIN)/ruff format --check src tests benchmarks examples docs
	$(BIN)/ruff check src tests benchmarks examples docs
	$(BIN)/pyrefly check --python-interpreter-path $(BIN)/python
	$(BIN)/lint-imports
	$(BIN)/python docs/check_docstrings.py src

check-javascript: node_modules/installed
	node_modules/.bin/biome lint --error-on-warnings
	node_modules/.bin/tsc

format: .venv/installed-check
	$(BIN)/ruff format src tests benchmarks examples docs
	$(BIN)/ruff check --fix src tests benchmarks examples docs

clean:
	rm -rf .venv .venv-jax node_modules

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml constraints.txt
	@echo "setting up .venv (once; a minute or two)"
	$(PIP) install --constraint constraints.txt --editable .
	@touch $@

.venv/installed-test: .venv/installed
	$(PIP) install --constraint constraints.txt --editable '.[test]'
	@touch $@

.venv/installed-peers: .venv/installed-test
	$(PIP) install --constraint constraints.txt --editable '.[test,peers]'
	@touch $@

# gymnax does not work with the version of Gymnasium that all else is tested with, so it has an environment of its own.
.venv-jax/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-jax
	grep -v '^gymnasium==' constraints.txt > .venv-jax/constraints.txt
	.venv-jax/bin/python -m pip --disable-pip-version-check --quiet install --constraint .venv-jax/constraints.txt --editable '.[test,interop,jax-environments]' minigrid
	@touch $@

.venv/installed-web: .venv/installed-test
	$(PIP) install --constraint constraints.txt --editable '.[test,test-web]'
	@touch $@

.venv/installed-docs: .venv/installed
	$(PIP) install --constraint constraints.txt --editable '.[docs]'
	@touch $@

.venv/installed-check: .venv/installed
	$(PIP) install --constraint constraints.txt --editable '.[check]'
	@touch $@

# Both packages are pinned and bring no others, so there is no lock file.
node_modules/installed: package.json
	@command -v npm > /dev/null || { echo "make check: needs Node.js with npm to check the lab's JavaScript; 'make check-python' does the rest" >&2; exit 1; }
	npm install --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel error
	@touch $@
