# Everything here sets the environment up by itself, in .venv.
PYTHON ?= $(firstword $(foreach p,python3 python3.14 python3.13 python3.12 python3.11,\
  $(shell $(p) -c 'import sys; sys.version_info >= (3, 11) and print("$(p)")' 2>/dev/null)))
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.evoscope-ready

.PHONY: help demo test check format clean

help: ## Show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

demo: $(READY) ## Run the offline demonstration: no key, no cost
	$(BIN)/evoscope demo

test: $(READY) ## Run all tests
	$(BIN)/pytest -n auto

check: $(READY) ## Format, lint, types, import contracts: what CI runs besides the tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## Put the code into its format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## Remove the environment and caches; runs stay
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

$(READY): pyproject.toml setup.py constraints.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed; set PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint constraints.txt --editable '.[dev]'
	@touch $@
