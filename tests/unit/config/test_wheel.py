"""`pip install .` installs the science side and the `podium` command, with their imports and nothing else.

The wheel is built from a copy of the checkout and installed in a separate environment. Only the packages that the wheel
requires are linked into it, from those that are installed here. No network is needed.
"""

import ast
import json
import os
import shutil
import subprocess
import sys
import tomllib
import venv
from importlib.metadata import PathDistribution, distribution
from pathlib import Path

import pytest
from django.conf import settings
from packaging.requirements import Requirement

from tests.sources import nodes

ROOT = settings.ROOT
SOURCES = [name for name in ("evaluation", "confinement", "client") if (ROOT / name).is_dir()]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULE_OF = {
    "nvidia-ml-py": "pynvml",
    "simpleitk": "SimpleITK",
    "pillow": "PIL",
    "scikit-image": "skimage",
    "python-docx": "docx",
    "pyyaml": "yaml",
}
IMPORT_ALL = """
import importlib, json, pkgutil, sys
absent = {}
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            absent[module.name] = error.name
print(json.dumps(absent))
"""


def modules(requirements):
    """Return the import names of these packages."""
    names = {Requirement(line).name.lower() for line in requirements}
    return {MODULE_OF.get(name, name) for name in names}


def required(names, extras=()):
    """Names of all distributions that these requirements lead to, those of `extras` included."""
    waiting, names_seen = [(name, extras) for name in names], set()
    while waiting:
        name, wanted = waiting.pop()
        requirement = Requirement(name)
        if requirement.marker and not any(requirement.marker.evaluate({"extra": extra}) for extra in ("", *wanted)):
            continue
        key = requirement.name.lower().replace("_", "-")
        if (key, tuple(requirement.extras)) not in names_seen:
            names_seen.add((key, tuple(requirement.extras)))
            waiting += [(line, tuple(requirement.extras)) for line in distribution(requirement.name).requires or []]
    return sorted({name for name, _ in names_seen})


def link(names, packages):
    """Link what these distributions installed here into another environment."""
    for name in names:
        one = distribution(name)
        for top in {Path(file).parts[0] for file in one.files if Path(file).parts[0] not in ("..", "__pycache__")}:
            target = packages / top
            if not target.exists():
                target.symlink_to(one.locate_file(top))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
    for name in SOURCES:
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", str(folder), str(source)], check=True, capture_output=True, text=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """Folder of an environment that holds the wheel and what it requires without extras."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*command, str(wheel)], check=True, capture_output=True, text=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (metadata,) = packages.glob("podium_evaluation-*.dist-info")
    link(required(PathDistribution(metadata).requires), packages)
    return folder


@pytest.fixture
def run(environment, tmp_path):
    def run(program, *arguments):
        clean = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        command = [str(environment / "bin" / program), *(str(argument) for argument in arguments)]
        return subprocess.run(command, cwd=tmp_path, env=clean, capture_output=True, text=True, check=False)

    return run


def test_the_wheel_holds_the_science_side_and_the_command_and_nothing_of_the_platform(wheel):
    import zipfile

    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
    tops = {name.partition("/")[0] for name in names if ".dist-info" not in name}
    assert tops == {"evaluation", "podium_client"} | ({"confinement"} & set(SOURCES))
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert "License-Expression: Apache-2.0" in metadata
    data = {path.relative_to(ROOT).as_posix() for path in (ROOT / "evaluation").rglob("*.json")}
    assert data
    assert data <= set(names)


def test_every_module_imports_with_the_declared_dependencies_but_those_of_the_report(run):
    packages = [
        name for name in ("evaluation", "podium_client", "confinement") if name != "confinement" or name in SOURCES
    ]
    result = run("python", "-W", "ignore", "-c", IMPORT_ALL, *packages)
    assert result.returncode == 0, result.stderr
    extra = modules(PROJECT["optional-dependencies"]["report"])
    assert {name.partition(".")[0] for name in json.loads(result.stdout).values()} <= extra


@pytest.mark.parametrize("name", ["django", "nibabel", "SimpleITK", "matplotlib", "plotly"])
def test_what_is_not_required_is_not_there(run, name):
    assert run("python", "-c", f"import {name}").returncode != 0


def imported(folder):
    """Top-level names that the modules of a folder import, wherever in the file."""
    for path in folder.rglob("*.py"):
        for node in nodes(path.read_text(encoding="utf-8")):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module.partition(".")[0]


def test_every_dependency_is_imported_and_every_import_is_declared():
    extras = PROJECT["optional-dependencies"]
    declared = modules([*PROJECT["dependencies"], *extras["report"]])
    own = {"evaluation", "podium_client", "confinement"}
    third_party = {name for source in SOURCES for name in imported(ROOT / source)} - own - set(sys.stdlib_module_names)
    assert declared <= third_party
    assert third_party <= declared | modules([*extras["gpu"], *extras["merging"], *extras["site"]])


def test_the_installed_command_line_scores_ranks_and_verifies(run, tmp_path):
    example = ROOT / "examples" / "nuclei-modality"
    scored = run(
        *("python", "-m", "evaluation", "score", example / "assessment.json", "--each", "--jobs", "1"),
        *("--references", example / "references", "--predictions", example / "predictions"),
        *("--output", tmp_path / "results.csv", "--evidence", tmp_path / "evidence.parquet"),
    )
    assert scored.returncode == 0, scored.stderr
    assert (tmp_path / "results.csv").read_text().startswith("algorithm,case,region,metric,value,outcome")
    kept = ROOT / "tests" / "data" / "bundles" / "schema-1" / "hippocampus-preliminary.zip"
    verified = run("python", "-m", "evaluation", "verify", kept)
    assert verified.returncode == 0, verified.stderr


def test_the_podium_command_is_there(run):
    result = run("podium", "--help")
    assert result.returncode == 0
    assert "submit" in result.stdout


def test_a_report_without_its_extra_names_the_extra_in_one_line(run, tmp_path):
    results = tmp_path / "results.csv"
    rows = [f"{name},{case},,value,{case / 10 + (name == 'a')},ok," for name in "ab" for case in range(8)]
    results.write_text("algorithm,case,region,metric,value,outcome,image_diagonal\n" + "\n".join(rows) + "\n")
    table = tmp_path / "table.json"
    ranking = {"scheme": "aggregate_then_rank", "operator": "mean", "ties": "min"}
    metric = {"id": "value", "direction": "higher", "policy": {"missing": 0}}
    table.write_text(json.dumps({"schema": 1, "problem": "table", "metrics": [metric], "ranking": ranking}))
    result = run("python", "-m", "evaluation", "report", table, "--results", results, "--output", tmp_path / "r.html")
    assert result.returncode == 2
    assert result.stderr.strip().splitlines()[-1] == (
        "report: needs the package plotly: pip install 'podium-evaluation[report]'"
    )


def test_the_extra_of_the_platform_names_what_a_checkout_requires():
    def names(lines):
        return {line.lower() for line in lines} - {"podium-evaluation[formats,gpu,merging,report]"}

    lines = (ROOT / "requirements.in").read_text(encoding="utf-8").splitlines()
    bare = {line.partition(">")[0].lower() for line in lines if line and not line.startswith("#")}
    extras = PROJECT["optional-dependencies"]
    parts = ("formats", "gpu", "merging", "report", "platform")
    declared = names([*PROJECT["dependencies"], *(line for part in parts for line in extras[part])])
    assert {name.partition(">")[0] for name in declared} == bare
