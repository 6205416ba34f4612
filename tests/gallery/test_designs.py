"""Files of the gallery: sources, what is not executed, checks and compilation; two of them are rehearsed."""

from pathlib import Path

import pytest

from evaluation.designs.catalogue import shipped
from evaluation.designs.checks.compiling import all_findings
from evaluation.designs.compilation import compile_values
from evaluation.designs.document import from_json
from evaluation.rehearsal import rehearse
from tests.gallery.expected import OF_DESIGNS
from tests.gallery.files import FOLDER, NAMES, document
from tests.gallery.test_gallery import CHOSEN

DOCS = Path(__file__).parents[2] / "docs/published-designs.md"


def read(name):
    return from_json(document(name), catalogue=shipped())[0]


@pytest.mark.parametrize("name", NAMES)
def test_each_names_its_sources_and_what_is_not_executed(name):
    content = document(name)
    meta, comments = content["meta"], content["challenge"]["references_and_comments"]
    assert meta["id"] == name
    assert meta["citations"]
    assert all(citation.endswith(".") and citation in comments for citation in meta["citations"])
    assert all(each["what"] in comments and each["reason"] in comments for each in meta["not_expressed"])
    assert all(fact in comments for fact in meta["unknown"])
    assert "@" not in str(content).replace("organizers@example.org", "").replace("mAP@", "")


@pytest.mark.parametrize("name", NAMES)
def test_checks_find_no_error_but_facts_that_the_sources_do_not_state(name):
    blank = set(document(name)["meta"]["left_blank"])
    errors = [finding for finding in all_findings(read(name), phase="draft") if finding.blocks]
    assert {finding.check.parameter for finding in errors} <= blank, [str(finding.message) for finding in errors]


@pytest.mark.parametrize("name", NAMES)
def test_each_detail_has_a_place_in_the_form(name):
    content, parameters = document(name), shipped().parameters
    keys = {key for part in (content["challenge"], *content["tasks"]) for key in part if key.endswith("__details")}
    assert [key for key in keys if not parameters[key.removesuffix("__details")].has_details] == []


@pytest.mark.parametrize("name", NAMES)
def test_each_task_compiles(name):
    for values in read(name).each_task():
        compilation = compile_values(values)
        assert compilation.problems == ()
        assert compilation.assessment is not None


@pytest.mark.parametrize("name", CHOSEN)
def test_a_rehearsal_passes(name):
    outcome = rehearse(read(name))
    assert outcome.is_passed
    assert all(task.comparison.values for task in outcome.tasks)


def test_every_design_is_described_and_computed_a_second_time():
    text = DOCS.read_text(encoding="utf-8")
    assert set(OF_DESIGNS) == set(NAMES)
    for name in NAMES:
        meta = document(name)["meta"]
        assert f"`{name}.json`" in text
        for each in meta["not_expressed"]:
            assert f"{each['what']} {each['reason']}" in text
    assert FOLDER.is_dir()
