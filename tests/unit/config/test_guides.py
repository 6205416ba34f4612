"""The worked examples of the guides work."""

import re
import subprocess
import sys
import types

import pytest
from django.conf import settings
from django.urls import clear_url_caches, include, path

from config import urls
from tests.integration.leaderboards import examples

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


@pytest.fixture
def closing(tmp_path, settings, monkeypatch):
    """The app that the guide to pages builds, with its addresses; gives the namespace of its tests."""
    package = types.ModuleType("closing")
    package.__path__ = []
    monkeypatch.setitem(sys.modules, "closing", package)
    namespaces = {}
    for text in blocks("add-a-page.md", "python"):
        name = text.splitlines()[0].removeprefix("# ").removesuffix(".py")
        module = types.ModuleType(f"closing.{name}")
        module.ASSESSMENT = examples.ASSESSMENT
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(text, module.__dict__)
        setattr(package, name, module)
        namespaces[name] = module
    (template,) = blocks("add-a-page.md", "django")
    (tmp_path / "closing").mkdir()
    (tmp_path / "closing" / "soon.html").write_text(template)
    (engine,) = settings.TEMPLATES
    settings.TEMPLATES = [engine | {"DIRS": [*engine["DIRS"], tmp_path]}]
    addresses = types.ModuleType("addresses_of_the_guide")
    addresses.urlpatterns = [*urls.urlpatterns, path("", include((namespaces["urls"].urlpatterns, "closing")))]
    monkeypatch.setitem(sys.modules, addresses.__name__, addresses)
    settings.ROOT_URLCONF = addresses.__name__
    clear_url_caches()
    yield namespaces["tests"]
    clear_url_caches()


NAMES = re.findall(r"^def (test_\w+)", "\n".join(blocks("add-a-page.md", "python")), re.MULTILINE)


@pytest.mark.django_db
@pytest.mark.parametrize("name", NAMES)
def test_the_guide_to_pages_gives_a_page_that_passes_its_own_tests(closing, name):
    getattr(closing, name)()


def test_the_guide_to_pages_has_tests():
    assert len(NAMES) == 3
