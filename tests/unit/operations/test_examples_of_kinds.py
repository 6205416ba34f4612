"""Every kind of problem has an example challenge that one command loads; generated ones are labelled."""

import pytest

from challenges.models import Phase
from datastore.test_sets.models import TestCase
from evaluation import problems
from evaluation.assessment import parse
from evaluation.scoring import score_folders
from operations.services.examples import example, load, predictions, submit_algorithms
from submissions.measurements.queries import sealed_versions
from submissions.models import Run
from tests.unit.operations.test_examples import storage  # noqa: F401 (a fixture)

NAMES = (
    "generated-findings",
    "generated-grades",
    "generated-images",
    "generated-landmarks",
    "generated-registration",
    "generated-survival",
    "hippocampus-failures",
    "hippocampus-trust",
    "hippocampus-volumes",
)
pytestmark = pytest.mark.usefixtures("storage")


@pytest.mark.parametrize("name", NAMES)
def test_at_least_three_algorithms_are_scored(name):
    source = example(name)
    assert len(source.algorithms) >= 3
    folders = {algorithm: source.data / "predictions" / algorithm for algorithm in source.algorithms}
    scored = score_folders(parse(source.content["assessment"]), source.data / "references", folders)
    assert {row.algorithm for row in scored.rows if row.outcome == "ok"} == set(source.algorithms)


@pytest.mark.django_db
@pytest.mark.parametrize("name", NAMES)
def test_it_is_loaded_with_sealed_test_sets(name):
    challenge = load(name)
    content = example(name).content
    for phase in Phase.objects.filter(task__challenge=challenge):
        wanted = example(name).phase(phase.slug)["cases"]
        assert (
            list(TestCase.objects.filter(test_set__phase=phase).values_list("name", flat=True).order_by("position"))
            == wanted
        )
        assert phase.is_open
    first = content["phases"][0]["cases"]
    assert all(predictions(example(name), algorithm, first)[:2] == b"PK" for algorithm in example(name).algorithms)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_generated_says_so_wherever_it_is_described(name):
    source = example(name)
    is_generated = name.startswith("generated")
    readme = (source.folder / "README.md").read_text("utf-8").casefold()
    assert ("generated" in readme) == is_generated
    assert ("generated" in source.content["summary"]) == is_generated
    assert ("Generated" in source.content["description"]) == is_generated


def test_the_same_seed_gives_the_same_files(settings, tmp_path):
    first = example("generated-survival").data
    settings.PODIUM_SCRATCH = tmp_path / "another"
    second = example("generated-survival").data
    assert first != second
    for path in sorted(first.rglob("*.csv")):
        assert (second / path.relative_to(first)).read_bytes() == path.read_bytes()


@pytest.mark.django_db(transaction=True)
def test_values_measured_outside_are_brought_sealed_and_named():
    challenge = load("generated-tracks")
    submitted = submit_algorithms("generated-tracks")
    assert {entry.team.name for entry in submitted} == {"late", "steady", "sure"}
    [phase] = Phase.objects.filter(task__challenge=challenge)
    [table] = sealed_versions(phase)
    assert table.origin["by"] == "the organizers of the example"
    assert Run.objects.filter(submission__phase=phase, counts=True, state=Run.State.SCORED).count() == 3
    # What is already there stays.
    assert submit_algorithms("generated-tracks") == []
    assert "Generated" in challenge.description


def test_kinds_that_are_scored_have_an_example():
    shown = {
        example(name).content["assessment"]["problem"] for name in (*NAMES, "hippocampus", "nuclei", "nuclei-detection")
    }
    # Landmarks and overlapping instances are submitted to other examples with one setting changed.
    assert shown | {"landmark_registration", "overlapping_instances"} == {
        kind.id for kind in problems.scored_problems() if kind.source == "podium"
    }
