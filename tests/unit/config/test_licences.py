"""Licences permit use of the project under Apache-2.0 with all requirements, and the version is stated once."""

import re
import runpy

import pytest
import yaml
from django.conf import settings

import evaluation

ROOT = settings.ROOT
TABLE = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
MAKER = runpy.run_path(str(ROOT / "docs" / "make_licences.py"))
PERMISSIVE = {
    *(
        "0BSD",
        "Apache-2.0",
        "BSD",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "CNRI-Python",
        "FreeBSD",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "PSF-2.0",
        "Zlib",
    ),
    "PSF-based (matplotlib)",
}
WEAK = {"LGPL-3.0-or-later", "LGPL-3.0-or-later with exceptions", "MPL-2.0"}
# Programs of their own, which nothing imports.
TOOLS = {"djlint": {"GPL-3.0-or-later"}}


def rows(part):
    return dict(re.findall(r"^\| `([^`]+)` \| (.+) \|$", part, re.MULTILINE))


def test_the_table_is_what_the_metadata_of_the_required_packages_say():
    assert MAKER["table"]() == TABLE, "run: python docs/make_licences.py"


@pytest.mark.parametrize(("name", "expression"), rows(TABLE).items())
def test_each_licence_was_judged_to_allow_use_under_apache(name, expression):
    assert set(re.split(r" (?:AND|OR) ", expression)) <= PERMISSIVE | WEAK | TOOLS.get(name, set())


def test_what_runs_has_no_licence_that_reaches_further_than_its_own_files():
    runs = rows(TABLE.partition("## What only tests")[0])
    assert runs
    assert not set(runs) & set(TOOLS)


def test_weak_copyleft_is_named_in_the_text():
    text = TABLE.partition("## What the platform")[0]
    for name, expression in rows(TABLE).items():
        if "LGPL" in expression:
            assert f"`{name}`" in text


def test_the_licence_file_is_the_text_of_apache():
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert "9. Accepting Warranty or Additional Liability." in text


def test_the_version_stands_in_one_place_and_is_repeated_right():
    version = evaluation.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == version == settings.VERSION
    assert citation["license"] == "Apache-2.0"
    released = re.findall(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert not released or released[0] == version
    code = [path for folder in ("platform", "evaluation", "client") for path in (ROOT / folder).rglob("*.py")]
    assert [path.name for path in code if f'"{version}"' in path.read_text(encoding="utf-8")] == ["version.py"]


@pytest.mark.parametrize("file", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.name)
def test_forms_and_workflows_can_be_read(file):
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    if file.parent.name == "ISSUE_TEMPLATE" and file.name != "config.yml":
        assert {"name", "description", "body"} <= set(content)
        identities = [field["id"] for field in content["body"]]
        assert len(set(identities)) == len(identities)


def test_the_workflow_runs_the_command_of_the_readme():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))
    commands = [step.get("run") for step in workflow["jobs"]["test"]["steps"]]
    assert any(command and command.startswith("make test ") for command in commands)
    assert "make test " in (ROOT / "README.md").read_text(encoding="utf-8")
    assert workflow["jobs"]["test"]["env"]["CI"] == "true"
