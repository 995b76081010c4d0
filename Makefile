# Two commands: `make run` and `make test`. The others are their parts.

PORT ?= 8000
# The first Python that is new enough; PYTHON=… chooses another.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	if command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	then echo $$p; break; fi; done)

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_DEV := $(VENV)/.ready-dev
PIP := $(BIN)/python -m pip --disable-pip-version-check
LOCK := $(VENV)/lock/bin/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --build-deps-for editable

.PHONY: help install run test check bench lock clean

help:
	@echo "make run [PORT=8000]   install what is missing and serve"
	@echo "make test              install what is missing, check the code, run all tests"
	@echo "make install           install only"
	@echo "make check             style, types, templates, spelling"
	@echo "make bench             measure speed and size against the goals"
	@echo "make lock              renew requirements.lock and requirements-dev.lock"
	@echo "make clean             remove what was installed and cached; data stays"

install: $(READY)

run: $(READY)
	@exec $(BIN)/footnote serve --port $(PORT)

test: check
	$(BIN)/python -m pytest -n auto

check: $(READY_DEV)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/djlint --quiet --lint --ignore H015 templates
	$(BIN)/codespell docs static/css static/js templates Makefile *.md

bench: $(READY_DEV)
	@$(BIN)/python -m tests.bench

# Versions and hashes are fixed by the lock; the app itself is linked to this folder and built without a download.
$(READY): requirements.lock pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes --requirement requirements.lock
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(READY_DEV): requirements-dev.lock $(READY)
	$(PIP) install --require-hashes --requirement requirements-dev.lock
	@touch $@

$(BIN)/python:
	@if [ -z "$(PYTHON)" ]; then \
		echo "Footnote needs Python 3.11 or newer, and none was found. Install one, or name it: make run PYTHON=/path/to/python3" >&2; \
		exit 1; fi
	@if ! $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
		echo "Footnote needs Python 3.11 or newer; $(PYTHON) is older. Name another: make run PYTHON=/path/to/python3" >&2; \
		exit 1; fi
	@if ! $(PYTHON) -c 'import venv, ensurepip' 2>/dev/null; then \
		echo "$(PYTHON) has no venv. Install it (Debian, Ubuntu: apt-get install python3-venv), then run make again." >&2; \
		exit 1; fi
	$(PYTHON) -m venv $(VENV)

lock: | $(BIN)/python
	@[ -x $(VENV)/lock/bin/pip-compile ] || \
		{ $(BIN)/python -m venv $(VENV)/lock && $(VENV)/lock/bin/pip install --quiet pip-tools; }
	$(LOCK) --upgrade --output-file requirements.lock pyproject.toml
	$(LOCK) --upgrade --constraint requirements.lock --extra dev --output-file requirements-dev.lock pyproject.toml

clean:
	rm -rf $(VENV) dist .mypy_cache .pytest_cache .ruff_cache test-results
	find app tests -name __pycache__ -type d -prune -exec rm -rf {} +
