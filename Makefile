# `make up` starts Punctual; `make test` runs everything that must hold.
PYTHON ?= python3.11
BIN := .venv/bin
# where it is set, each process compiles all that it imports: a second of its start
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help up prepare-tests test test-fast test-spark test-browser lint lint-types lint-python lint-browser lint-language checks test-pages thorough audit bench screenshots client clean python

help:
	@echo "make up           start Punctual on http://127.0.0.1:8000/ (PORT=8001 make up for another port)"
	@echo "make test         install what the tests need, then run every check and every test"
	@echo "make test-fast    only the tests without Spark, Kafka and a browser (after one make test)"
	@echo "make lint         ruff, mypy, import-linter, bandit, Biome, tsc, the language check"
	@echo "make audit        known weaknesses of the packages in both locks (asks public services)"
	@echo "make thorough     the slow tests"
	@echo "make bench        the benchmark's table, an hour (WORKS='json join' RUNS=3 ROWS=0.1 make bench for a piece)"
	@echo "make screenshots  every page, light and dark, wide and narrow, into var/screenshots"
	@echo "make client       the command line client as a wheel of its own, into var/client"
	@echo "make clean        remove .venv, node_modules, the build and var"

python:
	@command -v $(PYTHON) >/dev/null || { echo "Punctual needs Python 3.11: install python3.11 and python3.11-venv, or name it: PYTHON=/path/to/python3.11 make up"; exit 1; }

up: python
	@exec $(PYTHON) -m deploy.up

prepare-tests: python
	@$(PYTHON) -m deploy.prepare tests

test: prepare-tests
	@$(MAKE) --no-print-directory checks
	@$(MAKE) --no-print-directory test-fast
	@$(MAKE) --no-print-directory test-spark
	@$(MAKE) --no-print-directory test-browser

checks:  # types take longest, so that they begin
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target lint-types lint-python lint-browser lint-language test-pages

test-pages:
	cd frontend && npm run --silent test

# the files in which a mark of these stands: to read all takes each process half a minute
holding = $(shell grep -rlwE 'mark\.($(1))' tests --include='test_*.py' | sort)

# two processes; a test that fails runs once more without a neighbour, and stays failed if it fails again
define run_tests
	@$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder -m $(1) || { [ $$? -eq 1 ] && \
	echo "These tests depend on what runs beside them if they pass now:" && \
	$(BIN)/pytest --last-failed --last-failed-no-failures none --maxfail 3 -v -m $(1); }
endef

test-fast:
	$(call run_tests,"not spark and not kafka and not browser and not thorough")

test-spark:
	$(call run_tests,"(spark or kafka) and not thorough" $(call holding,spark|kafka))

test-browser:
	$(call run_tests,"browser and not thorough" $(call holding,browser))

lint:
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target lint-types lint-python lint-browser lint-language

lint-types:
	$(BIN)/mypy --num-workers 2

lint-python:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive streaming webapp deploy

lint-browser:
	cd frontend && npm run --silent lint && npm run --silent types

lint-language:
	$(BIN)/python -m tests.language

PROPERTIES = tests/temporal tests/definition tests/reference tests/simulator tests/engine tests/adapters

thorough: prepare-tests
	HYPOTHESIS_PROFILE=thorough $(BIN)/pytest -n 2 --dist worksteal -m "not spark and not kafka and not browser and not thorough" $(PROPERTIES)
	$(call run_tests,thorough)

audit: prepare-tests
	@$(BIN)/python -m deploy.audit

bench: prepare-tests
	$(BIN)/python -m tests.bench $(WORKS) --runs $(or $(RUNS),1) --rows $(or $(ROWS),1)

screenshots: prepare-tests
	$(BIN)/python -m tests.e2e.screenshots

client: prepare-tests
	$(BIN)/python -m deploy.client

clean:
	rm -rf .venv frontend/node_modules frontend/dist var .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
