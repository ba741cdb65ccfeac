# `make report` and `make test` are the two commands; `make help` lists the others.
#
# A fresh machine needs Python 3.11 or later and pip; uv is used when it is there.
# PYTHON=...          the interpreter to build .venv with (default: the first of python3, python3.13...)
# BENCHLIB_HEAVY=1    make test also runs lint, types and the simulations
# PYTEST=...          further arguments for pytest
# LAB=...             further arguments for JupyterLab, such as LAB="--port 9000"

.DEFAULT_GOAL := help
.PHONY: help report test lab docs lint lock bundles clean
.DELETE_ON_ERROR:

export PYTHON BENCHLIB_HEAVY

BIN := .venv/bin

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-7s %s\n", $$1, $$2}' Makefile

report: .venv/installed-report ## build a report for each study in data/, and reports/index.html
	$(BIN)/benchlib report --all -o reports

test: .venv/installed-test ## run the tests; with BENCHLIB_HEAVY=1 also lint, types and simulations
	$(BIN)/python -m pytest -n auto --dist worksteal $(PYTEST)

# Lab starts as root only when told to; in a container nobody else can reach it then.
ifeq ($(shell id -u),0)
AS_ROOT := --allow-root --ip 127.0.0.1
endif

lab: .venv/installed-lab ## open the start page in JupyterLab
ifdef AS_ROOT
	@echo 'benchlib: as root, Lab answers this machine alone; in a container: make lab LAB="--ip 0.0.0.0"' >&2
endif
	JUPYTER_CONFIG_PATH=notebooks/.jupyter $(BIN)/jupyter lab $(AS_ROOT) $(LAB)

docs: .venv/installed-docs ## build the documentation into site/, for a browser without a network
	$(BIN)/python docs/build.py

lint: .venv/installed-test ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# A stamp is older than its lock when the lock changed: only then is anything installed again.
.venv/installed-%: requirements/%.txt requirements/install pyproject.toml
	@requirements/install $*

# The largest set is resolved first, and the others are held to its versions.
COMPILE = uv pip compile pyproject.toml --quiet --group build --universal --python-version 3.11 \
	--generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links

lock: ## resolve requirements/*.txt again (needs uv; UPGRADE=--upgrade takes newer versions)
	$(COMPILE) $(UPGRADE) --extra test --output-file requirements/test.txt
	$(COMPILE) $(UPGRADE) --extra arrow --extra lab --extra slides --constraints requirements/test.txt --output-file requirements/lab.txt
	$(COMPILE) $(UPGRADE) --extra arrow --extra slides --constraints requirements/test.txt --output-file requirements/report.txt
	$(COMPILE) $(UPGRADE) --extra arrow --extra slides --extra docs --constraints requirements/test.txt --output-file requirements/docs.txt

bundles: ## fetch the plotly.js that pages and decks carry again (needs npm and zopfli)
	benchlib/render/bundles/renew

clean: ## remove what the other targets made: .venv, reports and caches
	rm -rf .venv reports site dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find benchlib tests -name __pycache__ -type d -prune -exec rm -rf {} +
