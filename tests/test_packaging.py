"""The wheel holds every subpackage and data file, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[1]
ROOMS = ("games", "generators", "verifiers", "pipeline", "runners")


def tracked(*patterns: str) -> set[str]:
    """Files that belong to the project: those that Git knows, or all where this is no checkout."""
    found = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name for name in found.stdout.splitlines() if (ROOT / name).exists()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    out = tmp_path_factory.mktemp("dist")
    source = tmp_path_factory.mktemp("source") / "any-checkout-name"
    # built from a copy: setuptools leaves build/ and egg-info behind
    for name in tracked():
        if (ROOT / name).is_file() and not (ROOT / name).is_symlink():
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(source)]
    subprocess.run(command, check=True, capture_output=True, cwd=out)
    return zipfile.ZipFile(next(out.glob("*.whl")))


def test_the_wheel_holds_every_module_and_data_file(wheel: zipfile.ZipFile) -> None:
    expected = {f"lpb_gen/{name}" for name in tracked("__init__.py", "py.typed", *ROOMS)}
    got = {name for name in wheel.namelist() if not name.split("/")[0].endswith(".dist-info")}
    assert expected - got == set()
    assert got - expected == set()


def test_the_wheel_claims_no_import_name_but_ours(wheel: zipfile.ZipFile) -> None:
    assert {name.split("/")[0] for name in wheel.namelist() if ".dist-info/" not in name} == {"lpb_gen"}


def test_the_wheel_has_the_command_and_the_licences(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    entry_points = wheel.read(next(n for n in names if n.endswith("entry_points.txt"))).decode()
    assert "lpb-gen = lpb_gen.pipeline.entry:main" in entry_points
    assert any(n.endswith("licenses/LICENSE") for n in names)
    assert any("licenses" in n and n.endswith("OFL.txt") for n in names)


def test_the_lock_file_has_hashes_and_names_no_index() -> None:
    lines = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
    pinned = [i for i, line in enumerate(lines) if "==" in line and not line.startswith((" ", "#"))]
    assert len(pinned) > 30
    assert [lines[i] for i in pinned if "--hash=sha256:" not in lines[i + 1]] == []
    assert [line for line in lines if "://" in line or line.startswith("-")] == []


def test_every_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {w.split(">")[0].split("[")[0].strip().lower().replace(".", "-") for w in wanted}
    locked = {line.split("==")[0].lower() for line in (ROOT / "requirements.lock").read_text("utf-8").splitlines()}
    assert names - locked == set()


def test_every_locked_package_installs_on_debians_python() -> None:
    """Debian 12 has Python 3.11.2; some packages ask for a later one of the same series."""
    asked = {
        found.name: SpecifierSet(asks)
        for found in distributions()
        if (asks := found.metadata.get("Requires-Python")) is not None
    }
    assert {name for name, versions in asked.items() if not versions.contains("3.11.2")} == set()


@pytest.mark.parametrize("name", ["lpb-gen", "lpb_gen", "2026 levels"])
def test_a_checkout_may_have_any_name(name: str, tmp_path: Path) -> None:
    """Its root is the package itself, and the tools would take its folder's name for the package's."""
    checkout = tmp_path / name
    for part in ("pyproject.toml", "__init__.py", "tests/conftest.py", "tests/strategies.py"):
        (checkout / part).parent.mkdir(parents=True, exist_ok=True)
        (checkout / part).write_bytes((ROOT / part).read_bytes())
    (checkout / "tests" / "test_it.py").write_text(
        "def test_it(lpb_gen):\n    assert lpb_gen('--version').returncode == 0\n"
    )
    for words in (["pytest", "-q", "-p", "no:cacheprovider"], ["ruff", "check", "__init__.py"]):
        done = subprocess.run([sys.executable, "-m", *words], cwd=checkout, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
