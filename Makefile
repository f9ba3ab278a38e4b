# make lab   opens JupyterLab on the first notebook         make test   runs every test, the notebooks too
#
# Each first makes .venv in this folder, or brings it up to date, where that is needed (.ci/set-up); nothing else has to be
# installed but Python 3.11 or newer. Kept to GNU Make 3.81 and POSIX tools, which is what macOS has, and to relative paths,
# so that a space in the name of the folder does no harm.

SHELL = /bin/sh
UV = uv
PY = .venv/bin/python
READY = .venv/ready
STRIP = $(PY) -m nbstripout --keep-id --keep-count --extra-keys "cell.metadata.execution"
COMPILE = UV_CUSTOM_COMPILE_COMMAND="make lock" $(UV) pip compile --quiet --no-emit-index-url --generate-hashes

.DEFAULT_GOAL = help
.PHONY: help lab test set-up lint format record binder lock widgets wheel clean

help:
	@echo 'make lab      open JupyterLab on the first notebook'
	@echo 'make test     run every test; PYTEST="-k plan" adds options of pytest'
	@echo 'make set-up   make .venv, or bring it up to date; the others do it themselves'
	@echo 'make lint     ruff, mypy, import-linter and nbstripout, changing nothing'
	@echo 'make format   format the code and strip the notebooks'
	@echo 'make record   run the notebooks in a browser and keep pictures of what they show; NOTEBOOKS="05-contracts.ipynb" names some'
	@echo 'make binder   build what Binder would from binder/ alone, start it, and open it in a browser'
	@echo 'make lock     compile the lock files anew with uv; UPGRADE=--upgrade takes newer releases'
	@echo 'make widgets  bundle what widgets run in a browser, and test it; the only target that needs Node'
	@echo 'make wheel    build a wheel into dist/'
	@echo 'make clean    remove what the other targets made, .venv too'

# The plots bring their own scripts (PANEL_INLINE), so that they appear without a network; a container's only user is often root.
# The root is this folder, so that datasets/ and files of one's own can be opened, too.
lab: $(READY)
	PANEL_INLINE=$${PANEL_INLINE:-True} $(PY) -m jupyterlab --ServerApp.root_dir=. $$(test "$$(id -u)" != 0 || echo --allow-root) $(LAB) notebooks/00-start.ipynb

# The cells of a notebook share a kernel, so a file stays on one worker.
test: $(READY)
	$(PY) -m pytest -n logical --maxprocesses 8 --dist loadfile --nbval-lax --nbval-current-env --nbval-cell-timeout 300 $(PYTEST)

set-up: $(READY)

lint: $(READY)
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy
	.venv/bin/lint-imports
	$(STRIP) --verify notebooks/*.ipynb

format: $(READY)
	$(PY) -m ruff check --fix
	$(PY) -m ruff format
	$(STRIP) notebooks/*.ipynb

record: $(READY)
	$(PY) -m tests.browser.record $(NOTEBOOKS)

# Of the last commit. Needs the Python that binder/runtime.txt names.
binder: $(READY)
	$(PY) -m tests.browser.binder

lock:
	$(COMPILE) $(UPGRADE) --universal --python-version 3.11 --extra lab --extra test pyproject.toml -o requirements.lock
	$(COMPILE) $(UPGRADE) --python-version 3.12 --python-platform x86_64-manylinux_2_28 --extra lab -c requirements.lock pyproject.toml - <binder/build.in -o binder/requirements.txt

# What is built is committed, so that nobody else needs Node. Scripts of packages are not run: none is needed.
widgets:
	cd widgets && npm ci --ignore-scripts --no-audit --no-fund && npm run --silent build && npm test

wheel: $(READY)
	$(PY) -m hatchling build -t wheel

clean:
	rm -rf .venv dist widgets/node_modules .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests -name __pycache__ -type d -exec rm -rf {} +

$(READY): pyproject.toml requirements.lock .ci/set-up
	@sh .ci/set-up

# A checkout that was moved or copied has a .venv that still points to the old place.
ifneq ($(shell cat $(READY) 2>/dev/null),$(shell pwd -P))
.PHONY: $(READY)
endif
