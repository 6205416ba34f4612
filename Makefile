# Two commands for people: `make run` and `make test`. Both need nothing but Python 3.11 or newer.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SHELL := /bin/bash

ifeq ($(strip $(PYTHON)),)
$(error PYTHON is set and empty. Give it a value, for example: make run PYTHON=python3.11)
endif

.PHONY: run install test check bench coverage fuzz-api lint lock linux mutants api claims procedures composition pictures approved

# The stamp makes `make install` do nothing while the locked requirements have not changed.
STAMP := $(VENV)/installed

$(STAMP): requirements.txt requirements-test.txt
	@$(PYTHON) -c 'import sys; sys.exit("Podium needs Python 3.11 or newer, found " + sys.version.split()[0] + ". Set PYTHON, for example: make $(MAKECMDGOALS) PYTHON=python3.11") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the pinned requirements into $(VENV) (about a minute) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.txt --requirement requirements-test.txt
	@# What a first start begins with. Whatever keeps this from being made, the first start makes it.
	-@data=$$(mktemp -d) && DATABASE_URL= PODIUM_TLS=0 PODIUM_DATA="$$data" $(BIN)/python manage.py first_database; rm -rf "$$data"
	@touch $(STAMP)

install: $(STAMP)

# Before anything is installed.
linux:
	@$(PYTHON) -c 'import manage; manage.require_linux()'

run: linux $(STAMP)
	@PODIUM_EXAMPLE_MODE=1 PODIUM_TLS=0 exec $(BIN)/python manage.py run --example hippocampus --example nuclei

test: $(STAMP)
	@exec $(BIN)/python tests/run.py $(if $(ONLY),--only $(ONLY)) $(if $(SHARD),--shard $(SHARD))

bench: $(STAMP)
	@exec $(BIN)/python -m tests.performance

# Ten minutes a role; MINUTES changes that.
fuzz-api: $(STAMP)
	@PYTHONPATH=platform:. exec $(BIN)/python -m tests.fuzz.api --minutes $(or $(MINUTES),10)

# Simulates a thousand boards in each of 1,764 cells: about two hours of two cores, and none for cells that are kept (all are). Whoever doubts removes the file first.
coverage: $(STAMP)
	@exec $(BIN)/python -m evaluation coverage $(QUICK) --keep docs/correctness/coverage.csv --output docs/correctness/coverage.md

lint: $(STAMP)
	@$(BIN)/python tests/run.py lint

# Everything that answers in under a minute: linters, types, and unit tests but the slow ones.
check: $(STAMP)
	@$(BIN)/python tests/run.py check

# Renews the locks after a change of requirements*.in.
lock:
	@$(BIN)/python -m pip install --quiet uv
	@for name in requirements requirements-test; do $(BIN)/uv pip compile --quiet --generate-hashes --no-emit-index-url --no-header --python-version 3.11 $$name.in -o $$name.txt; done

# Turns comparisons, signs and constants of `evaluation` round and counts what the tests of each area notice; see docs/correctness/mutants.md.
mutants: $(STAMP)
	@exec $(BIN)/python -m tests.mutants $(MUTANTS)

# The reference of `evaluation`, made of its docstrings: docs/api/metrics.md, and a page a module in build/api.
api: $(STAMP)
	@exec $(BIN)/python -m docs.api.make_api

# Fifty thousand generated challenges, every sentence about them against its meaning; see docs/claims.md.
claims: $(STAMP)
	@exec $(BIN)/python -m tests.claims $(CLAIMS)

# Twenty thousand random designs, the pseudo-code of each executed beside the implementation; see docs/correctness/procedures.md.
procedures: $(STAMP)
	@exec $(BIN)/python -m tests.procedures $(PROCEDURES)

# Builds stand-ins for all images, brings docker-compose.yml up with podman, uses it, kills every service, backs up and restores. As root.
composition: $(STAMP)
	@PYTHONPATH=platform:. exec $(BIN)/python -m tests.composition

# A contact sheet of all pages at both widths and in both themes, for looking at: build/pictures/index.html.
pictures: $(STAMP)
	@PYTHONPATH=platform:. exec $(BIN)/python -m tests.e2e.walk.contact_sheet build/pictures

# Replaces the approved pictures of the ten main pages (tests/e2e/approved) by what they look like now; look at the difference before you commit it.
approved: $(STAMP)
	@PODIUM_APPROVE=1 PYTHONPATH=platform:. exec $(BIN)/python -m pytest -q -n 0 tests/e2e/web/test_approved.py
