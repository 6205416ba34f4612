# The most important commands are `make run` and `make test`. Both need only Python 3.11 or newer.
# `make help` lists the targets from this file: a line with `##@` begins a group, `##` behind a target describes it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SHELL := /bin/bash

ifeq ($(strip $(PYTHON)),)
$(error PYTHON is set and empty. Give it a value, for example: make run PYTHON=python3.11)
endif

.DEFAULT_GOAL := help
.PHONY: help run install test check lint bench coverage fuzz-api full mutants claims boards procedures composition pictures approved lock linux api site client-wheel validators

# The stamp makes `make install` do nothing while the locked requirements have not changed.
STAMP := $(VENV)/installed

$(STAMP): requirements.txt requirements-test.txt
	@$(PYTHON) -c 'import sys; sys.exit("Podium needs Python 3.11 or newer, found " + sys.version.split()[0] + ". Set PYTHON, for example: make $(MAKECMDGOALS) PYTHON=python3.11") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the pinned requirements into $(VENV) (about a minute) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.txt --requirement requirements-test.txt
	@# What a first start begins with. Whatever keeps this from being made, the first start makes it.
	-@data=$$(mktemp -d) && DATABASE_URL=embedded PODIUM_TLS=0 PODIUM_DATA="$$data" $(BIN)/python manage.py first_database; rm -rf "$$data"
	@touch $(STAMP)

help:
	@awk 'BEGIN { FS = ":.*## " } /^##@ / { printf "\n%s\n", substr($$0, 5) } /^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ Use
run: linux $(STAMP) ## Start the platform with example challenges, on Linux.
	@PODIUM_EXAMPLE_MODE=1 PODIUM_TLS=0 exec $(BIN)/python manage.py run --example hippocampus --example nuclei

install: $(STAMP) ## Install the locked packages into .venv.

# Before anything is installed.
linux:
	@$(PYTHON) -c 'import manage; manage.require_linux()'

##@ Test
check: $(STAMP) ## Run linters, types and the fast unit tests, in about a minute.
	@$(BIN)/python tests/run.py check

test: $(STAMP) ## Run everything. ONLY=embedded runs one part, SHARD=2/6 a share of its files.
	@exec $(BIN)/python tests/run.py $(if $(ONLY),--only $(ONLY)) $(if $(SHARD),--shard $(SHARD))

lint: $(STAMP) ## Run the linters and check the types.
	@$(BIN)/python tests/run.py lint

##@ Long tests
# Of those that the suite runs in a short form; see tests/sizes.py. FULL names some of their files.
full: $(STAMP) ## Run all tests in full size that the suite shortens.
	@PYTHONPATH=platform:. exec $(BIN)/python -m tests.sizes $(FULL)

# See docs/claims.md.
claims: $(STAMP) ## Check every sentence about 50,000 generated challenges.
	@exec $(BIN)/python -m tests.claims $(CLAIMS)

# With BOARDS="--record FILE" a run that is broken off resumes. See docs/claims.md.
boards: $(STAMP) ## Check that 10,000 random boards of all schemes do not contradict themselves.
	@exec $(BIN)/python -m tests.claims --boards --challenges 10000 $(BOARDS)

# See docs/correctness/procedures.md.
procedures: $(STAMP) ## Compare the pseudo-code of 20,000 random designs with the ranking.
	@exec $(BIN)/python -m tests.procedures $(PROCEDURES)

# Turns comparisons, signs and constants of `evaluation` round and counts what the tests of each area notice; see docs/correctness/mutants.md.
mutants: $(STAMP) ## Count the faults in formulas that the tests detect.
	@exec $(BIN)/python -m tests.mutants $(MUTANTS)

# Simulates a thousand boards in each of 1,764 cells: about two hours of two cores, and none for cells that are kept (all are). Whoever doubts removes the file first.
coverage: $(STAMP) ## Simulate how often confidence statements are right, in about two hours.
	@exec $(BIN)/python -m evaluation coverage $(QUICK) --keep docs/correctness/coverage.csv --real docs/correctness/real-values.csv --output docs/correctness/coverage.md

# MINUTES changes the duration.
fuzz-api: $(STAMP) ## Send random requests to the API, for ten minutes per role.
	@PYTHONPATH=platform:. exec $(BIN)/python -m tests.fuzz.api --minutes $(or $(MINUTES),10)

# Builds stand-ins for all images, brings docker-compose.yml up with podman, uses it, kills every service, backs up and restores. As root.
composition: $(STAMP) ## Start docker-compose.yml with podman, use it, and restore a backup, as root.
	@PYTHONPATH=platform:. exec $(BIN)/python -m tests.composition

bench: $(STAMP) ## Measure the speed of pages and computations.
	@exec $(BIN)/python -m tests.performance

##@ Pictures
# For looking at: build/pictures/index.html.
pictures: $(STAMP) ## Take pictures of all pages, at both widths and in both themes.
	@PYTHONPATH=platform:. exec $(BIN)/python -m tests.e2e.walk.contact_sheet build/pictures

# In tests/e2e/approved. Look at the difference before you commit it.
approved: $(STAMP) ## Replace the approved pictures of the ten main pages.
	@PODIUM_APPROVE=1 PYTHONPATH=platform:. exec $(BIN)/python -m pytest -q -n 0 tests/e2e/web/test_approved.py

##@ Maintenance
# After a change of requirements*.in.
lock: ## Renew the locked versions of packages.
	@$(BIN)/python -m pip install --quiet uv
	@for name in requirements requirements-test; do $(BIN)/uv pip compile --quiet --generate-hashes --no-emit-index-url --no-header --python-version 3.11 $$name.in -o $$name.txt; done

client-wheel: $(STAMP) ## Build the wheel of podium-client in dist/.
	@PYTHONPATH=platform:. $(BIN)/python -m web.client_wheel dist

validators: ## Install the validators of evaluation.metadata, in an environment of their own (Python 3.12 or newer).
	@$(PYTHON) -m venv .venv-validators
	@.venv-validators/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements-validators.txt
	@.venv-validators/bin/python -m pip install --quiet --disable-pip-version-check --no-deps rocrate==0.16.0 every-eval-ever==0.3.0

# In build/site, with the references of evaluation and of the REST API. Any web server can serve the folder.
site: $(STAMP) ## Build a static site of the documentation.
	@PYTHONPATH=platform:. exec $(BIN)/python -m docs.make_site

# Made of docstrings: docs/api/metrics.md, and a page per module in build/api.
api: $(STAMP) ## Generate the reference of the package evaluation.
	@exec $(BIN)/python -m docs.api.make_api
