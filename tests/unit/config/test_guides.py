"""The worked examples of the guides work."""

import os
import re
import shutil
import subprocess
import sys
import types
from importlib import import_module
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import clear_url_caches, include, path

from config import urls

GUIDES = settings.ROOT / "docs" / "guides"


def blocks(guide, language):
    return re.findall(
        rf"^```{language}\n(.*?)^```$", (GUIDES / guide).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


# In a process of its own: the catalogue is read once, and its checks are compared by identity.
TRY_CHECKS = """
import json, sys
from evaluation.designs.catalogue import model

rules, function, example = json.loads(sys.stdin.read())
read = model._read


def with_new_checks(name):
    document = read(name)
    for parameter in document["parameters"]:
        if parameter["id"] == "number_test_cases":
            parameter["checks"] += [json.loads(rule) for rule in rules]
    return document


model._read = with_new_checks
from evaluation.designs.catalogue import shipped
from evaluation.designs.checks import findings
from evaluation.designs.document import from_json

exec(function)
exec(example)


def failing(challenge, *tasks):
    document, _ = from_json({"challenge": challenge, "tasks": list(tasks)}, catalogue=shipped())
    return {finding.check.id: finding.detail for finding in findings(document)}


identity, passing, refused = EXAMPLE
print(json.dumps([failing(*passing), failing(*refused), failing({}, {}), failing({}, {"number_test_cases": 100})]))
"""


def test_the_guide_to_design_checks_gives_checks_that_find_what_it_says():
    import json

    rules, (function, example) = blocks("add-a-design-check.md", "json"), blocks("add-a-design-check.md", "python")
    result = subprocess.run(
        [sys.executable, "-c", TRY_CHECKS],
        input=json.dumps([rules, function, example]),
        cwd=settings.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    passing, refused, empty, large = json.loads(result.stdout)
    rule, custom = (json.loads(text)["id"] for text in rules)
    assert custom not in passing
    assert refused[custom] == "There are 50 validation cases and 20 test cases."
    assert rule in refused
    assert not {rule, custom} & set(passing)
    assert not {rule, custom} & (set(empty) | set(large))


PAGE = {text.split("\n", 1)[0].removeprefix("# "): text for text in blocks("add-a-page.md", "python")}
"""Pieces of the guide to pages by their files."""
ADDRESS = "platform/config/urls.py"
TEST = "tests/integration/challenges/test_closing_soon.py"
CODE = [name for name in PAGE if name not in (ADDRESS, TEST)]


def copied_project(folder: Path) -> None:
    """Copy what import-linter reads."""

    def no_modules(parent: str, names: list[str]) -> list[str]:
        return [name for name in names if not name.endswith(".py") and not (Path(parent) / name).is_dir()]

    for root in ("platform", "evaluation", "confinement"):
        shutil.copytree(settings.ROOT / root, folder / root, ignore=no_modules)
    shutil.copy(settings.ROOT / "pyproject.toml", folder)


def linted(folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache", "--no-logo"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{folder / 'platform'}{os.pathsep}{folder}"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_guide_to_pages_keeps_the_import_contracts(tmp_path):
    copied_project(tmp_path)
    for name in CODE:
        assert not (tmp_path / name).exists()
        (tmp_path / name).write_text(PAGE[name])
    addresses = tmp_path / ADDRESS
    assert addresses.is_file()
    line = PAGE[ADDRESS].split("\n", 1)[1]
    addresses.write_text(addresses.read_text("utf-8").replace("urlpatterns = [\n", f"urlpatterns = [\n    {line}"))
    kept = linted(tmp_path)
    assert kept.returncode == 0, kept.stdout
    assert "0 broken" in kept.stdout
    query = tmp_path / CODE[0]
    query.write_text(f"from challenges.views import closing_soon\n{query.read_text()}")
    broken = linted(tmp_path)
    assert broken.returncode == 1
    assert "challenges.queries.closing_soon -> challenges.views.closing_soon" in broken.stdout


def test_the_pieces_of_a_page_are_files_of_layers_that_exist():
    assert all((settings.ROOT / name).parent.is_dir() for name in PAGE)
    assert [name.split("/")[2] for name in CODE] == ["queries", "views", "urls"]


@pytest.fixture
def closing(tmp_path, settings, monkeypatch):
    """The modules of the guide to pages with their address; gives the namespace of its tests."""
    modules = {}
    for name in [*CODE, TEST]:
        module = types.ModuleType(name.removeprefix("platform/").removesuffix(".py").replace("/", "."))
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(PAGE[name], module.__dict__)
        parent, _, stem = module.__name__.rpartition(".")
        monkeypatch.setattr(import_module(parent), stem, module, raising=False)
        modules[name] = module
    (template,) = blocks("add-a-page.md", "django")
    path_of_template = tmp_path / re.match(r"{# templates/(\S+) #}", template)[1]
    path_of_template.parent.mkdir()
    path_of_template.write_text(template)
    (engine,) = settings.TEMPLATES
    settings.TEMPLATES = [engine | {"DIRS": [*engine["DIRS"], tmp_path]}]
    addresses = types.ModuleType("addresses_of_the_guide")
    line = eval(f"[{PAGE[ADDRESS]}]", {"path": path, "include": include})
    addresses.urlpatterns = [*line, *urls.urlpatterns]
    monkeypatch.setitem(sys.modules, addresses.__name__, addresses)
    settings.ROOT_URLCONF = addresses.__name__
    clear_url_caches()
    yield modules[TEST]
    clear_url_caches()


NAMES = re.findall(r"^def (test_\w+)", "\n".join(blocks("add-a-page.md", "python")), re.MULTILINE)


@pytest.mark.django_db
@pytest.mark.parametrize("name", NAMES)
def test_the_guide_to_pages_gives_a_page_that_passes_its_own_tests(closing, name):
    getattr(closing, name)()


def test_the_guide_to_pages_has_tests():
    assert len(NAMES) == 3
