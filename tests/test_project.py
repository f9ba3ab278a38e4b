"""What the project promises of itself: its lock, its wheel, and that nothing in it needs a network."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

CHECKOUT = Path(__file__).parents[1]
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
LOCKS = ["requirements.lock", "binder/requirements.txt"]
PIN = re.compile(r"^(?P<name>[a-z0-9-]+)==(?P<version>\S+)(?: ; (?P<marker>.+?))? \\$", re.MULTILINE)


def pins(lock: str, environment: dict[str, str] | None = None) -> dict[str, str]:
    """Return the version of every package that a lock holds for an environment, this one if none is given."""
    found: dict[str, str] = {}
    for match in PIN.finditer((CHECKOUT / lock).read_text()):
        if match["marker"] is None or Marker(match["marker"]).evaluate(environment):
            assert match["name"] not in found, f"{lock} pins {match['name']} twice for one environment"
            found[match["name"]] = match["version"]
    return found


def environment_of(python: str, platform: str) -> dict[str, str]:
    system = {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[platform]
    return {
        **{key: str(value) for key, value in default_environment().items()},
        "python_version": python,
        "python_full_version": f"{python}.9",
        "sys_platform": platform,
        "platform_system": system,
        "os_name": "nt" if platform == "win32" else "posix",
    }


def reached(requirements: list[str]) -> set[str]:
    """Return every package that the requirements draw in, as the installed packages' own metadata say."""
    seen: set[tuple[str, str]] = set()
    waiting = [(Requirement(text), "") for text in requirements]
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        for asked in ("", *sorted(requirement.extras)):
            if (name, asked) not in seen:
                seen.add((name, asked))
                waiting += [(Requirement(text), asked) for text in metadata.requires(name) or []]
    return {name for name, _ in seen}


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
def test_the_lock_satisfies_every_requirement_of_the_project(python: str, platform: str) -> None:
    environment = environment_of(python, platform)
    pinned = pins("requirements.lock", environment)
    for text in [*PROJECT["dependencies"], *EXTRAS["lab"], *EXTRAS["test"]]:
        requirement = Requirement(text)
        assert requirement.specifier.contains(Version(pinned[canonicalize_name(requirement.name)])), text


def test_the_lock_holds_what_the_requirements_draw_in_and_nothing_else() -> None:
    pinned = pins("requirements.lock")
    needed = reached([*PROJECT["dependencies"], *EXTRAS["lab"], *EXTRAS["test"]])
    assert set(pinned) == needed
    assert {name: metadata.version(name) for name in needed} == pinned


def test_binder_takes_its_versions_from_the_lock() -> None:
    pinned = pins("requirements.lock", environment_of("3.12", "linux"))
    binder = pins("binder/requirements.txt")
    wanted = {canonicalize_name(Requirement(text).name) for text in [*PROJECT["dependencies"], *EXTRAS["lab"]]}
    assert {name: pinned[name] for name in binder} == binder
    assert wanted <= set(binder)


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_a_hash_and_no_lock_names_an_address(lock: str) -> None:
    text = (CHECKOUT / lock).read_text()
    assert "://" not in text
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    blocks = re.split(r"\n(?=\S)", "\n".join(lines))
    assert len(blocks) == len(PIN.findall(text))
    for block in blocks:
        head, *hashes = block.splitlines()
        assert hashes, head
        for line in hashes:
            assert re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?", line), f"{head} {line}"


def test_what_the_package_imports_is_what_it_declares() -> None:
    distributions = metadata.packages_distributions()
    imported: set[str] = set()
    drawn: set[str] = set()  # by the charts and the widgets, which need the extra `lab`
    pages = [
        CHECKOUT / "src" / "allotment" / "views" / name
        for name in ("charts", "classroom", "game", "workbench", "notebook.py", "theories.py")
    ]
    for file in (CHECKOUT / "src").rglob("*.py"):
        found = drawn if file.name == "widget.py" or any(map(file.is_relative_to, pages)) else imported
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.split(".")[0])

    def used(modules: set[str]) -> set[str]:
        foreign = modules - sys.stdlib_module_names - {"allotment"}
        return {canonicalize_name(distributions[module][0]) for module in foreign}

    declared = {canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"]}
    assert used(imported) == declared - {"tzdata"}  # the zones are data, found by the standard library
    assert used(drawn) <= declared | {canonicalize_name(Requirement(text).name) for text in EXTRAS["lab"]}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that an installed wheel would be."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=CHECKOUT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_the_wheel_holds_the_package_and_the_datasets_and_no_more(wheel: Path) -> None:
    def files(folder: Path) -> set[str]:
        return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}

    package = {name for name in files(CHECKOUT / "src" / "allotment") if "__pycache__" not in name}
    datasets = {f"datasets/{name}" for name in files(CHECKOUT / "datasets")}
    assert files(wheel / "allotment") == package | datasets
    assert {path.name for path in wheel.iterdir()} == {"allotment", f"allotment-{PROJECT['version']}.dist-info"}
    (licence,) = wheel.rglob("LICENSE")
    assert licence.read_text() == (CHECKOUT / "LICENSE").read_text()


def test_the_wheel_holds_the_script_of_every_widget_as_it_was_built(wheel: Path) -> None:
    names = {folder.name for folder in (CHECKOUT / "widgets" / "src").iterdir()}
    scripts = {file.stem: file for file in (wheel / "allotment" / "views" / "static").iterdir()}
    assert set(scripts) == names
    for name, script in scripts.items():
        assert script.read_text() == (CHECKOUT / "src/allotment/views/static" / f"{name}.js").read_text()
        assert "export default" in script.read_text() or "as default" in script.read_text()


def test_the_lock_of_the_javascript_pins_everything_and_names_no_address_to_fetch_from() -> None:
    lock = json.loads((CHECKOUT / "widgets" / "package-lock.json").read_text())
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert packages
    assert [name for name, entry in packages.items() if "resolved" in entry or "integrity" not in entry] == []
    wanted = json.loads((CHECKOUT / "widgets" / "package.json").read_text())["devDependencies"]
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted


def run_in(folder: Path, code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={"PYTHONPATH": str(folder)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def test_the_wheel_finds_its_own_presets(wheel: Path) -> None:
    code = "import allotment, allotment.presets; print(allotment.__file__, allotment.presets.list_presets(), sep='\\n')"
    where, _, from_wheel = run_in(wheel, code).partition("\n")
    assert Path(where).is_relative_to(wheel)
    assert "reference-month" in from_wheel
    assert from_wheel == run_in(CHECKOUT / "src", code).partition("\n")[2]


def test_importing_the_package_draws_in_no_plots_widgets_or_notebooks() -> None:
    heavy = {"panel", "bokeh", "holoviews", "ipywidgets", "anywidget", "IPython", "matplotlib"}
    loaded = run_in(CHECKOUT / "src", "import sys, allotment; print(*sys.modules)").split()
    assert not heavy & set(loaded)


def test_nothing_that_people_open_asks_the_network_for_scripts_or_fonts() -> None:
    network = re.compile(r"\bcdn\.|unpkg\.com|jsdelivr|cdnjs|googleapis|gstatic")
    folders = [CHECKOUT / name for name in ("src", "notebooks", "binder", "widgets", "datasets")]
    files = [file for folder in folders for file in folder.rglob("*") if "node_modules" not in file.parts]
    texts = [file for file in files if file.suffix in {".py", ".ipynb", ".js", ".css", ".html", ".yaml", ".json"}]
    assert texts
    assert [str(file) for file in texts if network.search(file.read_text())] == []


def test_every_link_of_the_readme_to_a_file_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", (CHECKOUT / "README.md").read_text())
    files = [link for link in links if "://" not in link]
    assert files
    assert [link for link in files if not (CHECKOUT / link).exists()] == []
