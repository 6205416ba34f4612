"""Scoring at home gives the numbers and sentences of the platform, for several kinds of problem."""

import json

import pytest

from evaluation.aggregation.summary import summarize
from evaluation.claims.ranking import titled
from evaluation.ranking.document import rank
from submissions.models import Submission
from submissions.queries.results import evidence_of, results_frame
from tests.integration.submissions.test_tables import boxes, cells, handed_in, images, table
from tests.integration.submissions.test_tables import labels as labels_table

__all__ = ["cells", "images"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def references(world, tmp_path):
    """The folder from which the test set of the world was sealed."""
    return tmp_path / "references"


def platform_values(submission):
    """Values and sentences that the platform computes from the stored result of a submission."""
    run = submission.runs.get(counts=True)
    frame = results_frame(run)
    assessment = submission.phase.assessment
    values = summarize(assessment, frame)["values"]
    assert values == run.summary["values"]
    document = rank(assessment, frame, evidence=evidence_of(run))
    return values, document


def test_the_same_numbers_and_sentences_by_name_by_address_and_by_file(
    podium, folder, references, world, live_server, tmp_path
):
    podium("submit", "blocks", "first", folder)
    values, document = platform_values(Submission.objects.get())
    file = tmp_path / "assessment.json"
    file.write_text(json.dumps(world.phase.assessment.document))
    for source in ("blocks", f"{live_server.url}/challenges/blocks/", file):
        code, out, _ = podium("score", source, "--references", references, "--predictions", folder, "--json")
        scored = json.loads(out)
        assert code == 0
        assert scored["algorithms"][0]["values"] == values
        said = [sentence for entry in scored["sentences"] for sentence in entry["sentences"]]
        expected = [str(sentence) for _, sentences in titled(document) for sentence in sentences]
        assert [text.replace("predictions", "Ada's") for text in said] == expected
    code, out, _ = podium("score", "blocks", "--references", references, "--predictions", folder)
    assert f"dsc, anterior: {values[0]['value']:.6g}" in out


@pytest.mark.parametrize(("kind", "name"), [("images", "labels.csv"), ("cells", "objects.csv")])
def test_tables_have_the_same_numbers(podium, request, tmp_path, kind, name):
    world = request.getfixturevalue(kind)
    predictions = tmp_path / "predictions"
    predictions.mkdir()
    (predictions / name).write_bytes(labels_table() if kind == "images" else table(boxes()))
    submission = handed_in(world, {name: (predictions / name).read_bytes()})
    values, document = platform_values(submission)
    file = tmp_path / "assessment.json"
    file.write_text(json.dumps(world.phase.assessment.document))
    code, out, _ = podium("score", file, "--references", tmp_path / "table", "--predictions", predictions, "--json")
    assert code == 0
    scored = json.loads(out)
    assert scored["algorithms"][0]["values"] == values
    assert intervals(scored["ranking"]) == intervals(document)


def intervals(document):
    return [entry["algorithms"][0]["score_confidence_interval"] for entry in document["rankings"]]


def test_what_cannot_be_scored_ends_with_one_line(podium, references, folder, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "notes.txt").write_text("nothing")
    for arguments, said in (
        (("blocks", "--predictions", empty), "None of the 4 cases has a prediction that can be read"),
        (("blocks", "--predictions", tmp_path / "no"), "there is no folder"),
        (("http://podium.example.org/challenges/x/", "--predictions", folder), "begins with https://"),
        (("blocks", "--predictions", folder, "--phase", "x"), "Phase x not found. The phases are blocks/first."),
        ((tmp_path / "no.json", "--predictions", folder), "cannot be read as JSON"),
    ):
        code, _, err = podium("score", *arguments, "--references", references)
        assert (code, said in err, err.count("\n")) == (2, True, 1), err
