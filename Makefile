# Two commands do everything: `make demo` and `make test`. Both set up what they need first, and can be run again.
PYTHON ?= python3
BIN := .venv/bin
DEMO := build/demo
unexport PYTHONDONTWRITEBYTECODE  # the suite starts a thousand commands: none compiles our modules again

.PHONY: demo test test-fast lint bench clean setup setup-browser

demo: setup-browser  ## make, freeze and play certified levels
	@sh scripts/demo.sh $(DEMO)

test: lint  ## the whole suite, then the slow proofs
	@$(BIN)/pytest -n 3 --dist worksteal
	@$(BIN)/pytest -n 2 --dist worksteal -m slow

test-fast: setup-browser  ## the suite without the slow proofs; one of three often waits, so that two cores are busy
	@$(BIN)/pytest -n 3 --dist worksteal

lint: setup-browser  ## style and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

bench: setup-browser  ## the figures of docs/performance.md
	@for file in benchmarks/bench_catalogue.py benchmarks/bench_bolt.py benchmarks/bench_color.py benchmarks/bench_maze_*.py benchmarks/bench_nut.py benchmarks/bench_refresh.py benchmarks/bench_rush.py benchmarks/bench_truck.py benchmarks/bench_scale.py benchmarks/bench_surface.py benchmarks/bench_load.py; do echo "$$file"; $(BIN)/python $$file || exit 1; done
	@$(BIN)/pytest benchmarks/bench_direct.py -p no:xdist --benchmark-columns=median,ops --benchmark-sort=fullname --benchmark-timer=time.process_time

setup:
	@PYTHON=$(PYTHON) sh scripts/setup.sh

setup-browser:
	@PYTHON=$(PYTHON) sh scripts/setup.sh --browser

clean:  ## everything that can be made again; never the catalogue or runs/
	rm -rf build dist .venv *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
