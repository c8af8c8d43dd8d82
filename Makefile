# One environment, .venv, filled as far as a command needs it. A stamp file remembers each step; a change of
# pyproject.toml or constraints.txt makes it old.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt
MADE_FROM := pyproject.toml constraints.txt

# Recorded data are not part of the repository; tests that need them are skipped where they are not found.
BIFILAR_DATA ?= $(abspath $(wildcard ../shared/datasets))
export BIFILAR_DATA

# Processes of the tests start fast if Python may keep what it compiled.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test test-rounding lint bench bench-against docs real-data simpler-models picture clean \
  study-urdf-fuzz study-recording-fuzz study-design study-checks study-coverage study-noise-colour study-closed-loop \
  study-consistent study-payload study-blind study-verdict \
  study-kill study-demo study-adaptive study-compensation study-walking

help:
	@echo "make demo              design a motion, simulate it, identify the robot, judge it, show the result; files in demo/"
	@echo "make test              run every test and every example"
	@echo "make test-rounding     the tests that contain decisions, under the rounding of other processors (an hour; ROUNDING=--quick)"
	@echo "make lint              ruff and mypy"
	@echo "make bench             measure speed, one JSON"
	@echo "make study-urdf-fuzz   read 10,000 damaged URDF files"
	@echo "make study-recording-fuzz   read 100,000 damaged logs and mappings"
	@echo "make study-design      1,000 designed motions and 1,000 bad ones, looked at by an independent checker"
	@echo "make study-checks      200 clean recordings without a false alarm, fourteen mistakes by their names"
	@echo "make study-verdict     logs with one mistake, and logs without, through bifilar fit: levels, names, real errors"
	@echo "make study-coverage    error bars of 'bifilar fit' by default: 200 seven-joint arms with wrong nominal models"
	@echo "make study-noise-colour 95 % intervals over 1,000 recordings with white and with coloured noise"
	@echo "make study-closed-loop instruments, direct inverse and likelihood with noise in the loop, 40 runs, 500 bad starts"
	@echo "make study-consistent  10,000 random problems by two solvers that share no code"
	@echo "make study-payload     loads of 0.2 to 5 kg in arms known to 3 %: do the error bars contain the truth? STUDY=--count 200"
	@echo "make study-kill        bifilar fit killed at 200 random moments, and stopped by Ctrl-C at 200: nothing is lost"
	@echo "make study-adaptive    an arm that learns its model while it moves, 100 times: links can exist, errors fall"
	@echo "make study-demo        the demo's claims with 20 other machines, motions and noises"
	@echo "make study-walking     walkers behind filters: error bars through touchdowns, detectors, slopes, wrong and identified models"
	@echo "make study-compensation   gravity compensation fed with ten million broken states: no torque, no rate above its limit"
	@echo "make simpler-models    the tables of docs/simpler_models.md: smaller models on public recordings"
	@echo "make study-blind       bifilar fit by default beside plain least squares, on ten real machines: the table of docs/real_data.md"
	@echo "make real-data         the other parts of docs/real_data.md: published numbers, a load, a person"
	@echo "make bench-against COMMIT=...   the same small jobs by this tree and by another commit, in turns: ratios of processor time"
	@echo "make docs              build the documentation into build/docs; open index.html there, no network needed"
	@echo "make picture           draw the README's pictures anew, one of them from the demo's result"
	@echo "make clean             remove .venv and what was built here (compiled kernels: bifilar doctor --tidy)"

demo: $(VENV)/.installed-core
	@$(BIN)/bifilar demo

test: $(VENV)/.installed-test
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --dist loadfile $(PYTEST)

test-rounding: $(VENV)/.installed-test
	@$(BIN)/python benchmarks/rounding.py $(ROUNDING)

lint: $(VENV)/.installed-lint
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/run.py

bench-against: $(VENV)/.installed-core
	@$(BIN)/python benchmarks/against.py $(COMMIT)

study-urdf-fuzz: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/fuzz_urdf.py --count 10000

study-recording-fuzz: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/fuzz_recordings.py --count 100000

study-design: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/study_design.py --count 1000

study-checks: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/study_checks.py --count 200

study-verdict: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/study_verdict.py --count 200 --seeds 10

study-coverage: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/study_coverage.py --count 200

study-noise-colour: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/study_noise_colour.py --count 1000

study-closed-loop: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/study_closed_loop.py

study-consistent: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/study_consistent.py --count 10000

study-payload: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/study_payload.py --count 50 $(STUDY)

study-kill: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/study_kill.py --count 200
	@$(BIN)/python benchmarks/study_kill.py --count 200 --stop

study-adaptive: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/study_adaptive.py --count 100 --jobs 2

study-demo: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/study_demo.py --count 20

study-walking: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/study_walking.py

study-compensation: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/study_compensation.py --count 10000000 --jobs 2

study-blind: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/study_blind.py --write
	@$(BIN)/python benchmarks/blind_verdicts.py --write

real-data: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/real_data.py

simpler-models: $(VENV)/.installed-bench
	@$(BIN)/python benchmarks/simpler_models.py --write

docs: $(VENV)/.installed-docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo build/docs/index.html

picture: demo
	@$(BIN)/python docs/demo_picture.py demo docs/pictures/demo.svg
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python docs/picture.py docs/pictures/inspect.svg bifilar inspect panda

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "bifilar needs Python 3.11 or newer, and '$(PYTHON)' is: $$($(PYTHON) --version 2>&1)"; \
	  echo "  try     make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed-core: $(VENV)/.python $(MADE_FROM)
	@echo "installing bifilar into $(VENV)" >&2
	@$(PIP) --editable .
	@touch $@

$(VENV)/.installed-%: $(VENV)/.installed-core
	@echo "installing what 'make $*' needs" >&2
	@$(PIP) --editable '.[$*]'
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .mypy_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
