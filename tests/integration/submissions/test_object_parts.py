"""Detection, classification and outlines of instances of two classes: counted by workers, shown as the phase releases it."""

import csv
import json
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase
from evaluation.cli import main
from executions.scoring.services import disentangling, scorer
from leaderboards.queries import object_parts
from leaderboards.services import rankings
from submissions.results.domain.object_parts import parts_of
from tests.integration.submissions.test_instances import (
    ASSESSMENT,
    CASES,
    CLASSED,
    cells,
    classed,
    instances,
    nuclei,
    png,
    scored,
)
from tests.integration.submissions.world import World, zipped

__all__ = ["classed", "nuclei"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("Kinds of problem differ in files and values, not in rows."),
]


def handed_in(*, wrong: bool) -> dict[str, bytes]:
    """Two of three images: every object found, one a pixel off, all of them called round if `wrong`."""
    table = instances(cases=CASES[:2])
    return {
        "cell_1.png": png(cells()),
        "cell_2.png": png(cells(1)),
        "instances.csv": table.replace(b"square", b"round") if wrong else table,
    }


def rank(phase: Phase) -> None:
    rankings.request_ranking(phase.pk)
    rankings.rank_phase(phase_id=phase.pk)


def test_what_workers_counted_is_what_the_command_finds(classed: World, workers, tmp_path):
    run = scored(classed, handed_in(wrong=True)).runs.get()
    document = disentangling.read(run.disentangled_file)
    (tmp_path / "assessment.json").write_text(json.dumps(CLASSED))
    (tmp_path / "mine").mkdir()
    for name, content in handed_in(wrong=True).items():
        (tmp_path / "mine" / name).write_bytes(content)
    main(
        ["disentangle", str(tmp_path / "assessment.json"), "--references", str(tmp_path / "cells"),
         "--predictions", str(tmp_path / "mine"), "--output", str(tmp_path / "d.json")]
    )  # fmt: skip
    (expected,) = json.loads((tmp_path / "d.json").read_text())["algorithms"]
    assert document["algorithm"] == {**expected, "name": ""}
    # The last object of an image is small: a pixel off, it overlaps by a half. The third image has no prediction.
    assert document["algorithm"]["pooled"]["confusion"] == [[0, 1, 0], [3, 3, 0], [1, 2, 0]]
    assert run.disentangled["algorithm"]["cases"]["number"] == 3
    assert "cell_1" not in json.dumps(run.disentangled)
    assert not run.chunks.exclude(disentangled=None).exists()


ROLES = ("anonymous", "stranger", "other team", "own team", "organizer")
STATES = {
    # results, leaderboard, closed: who sees the files of the submission and the page of the ranking
    "cases": (Phase.Results.CASES, Phase.Leaderboard.PUBLIC, False, {"own team", "organizer"}, set(ROLES)),
    "aggregate": (Phase.Results.AGGREGATE, Phase.Leaderboard.PUBLIC, False, {"organizer"}, set(ROLES)),
    "sealed": (Phase.Results.VALIDATION, Phase.Leaderboard.SEALED, False, {"organizer"}, {"organizer"}),
    "closed": (Phase.Results.VALIDATION, Phase.Leaderboard.SEALED, True, {"own team", "organizer"}, set(ROLES)),
}


def test_everybody_sees_of_it_what_the_phase_releases(classed: World, workers, django_assert_num_queries):
    submission = scored(classed, handed_in(wrong=True))
    classed.upload(zipped(handed_in(wrong=False)), team=classed.bos, accept_incomplete=True)
    rank(classed.phase)
    version = classed.phase.rankings.get()
    people = {
        "stranger": User.objects.create_user("stella", "stella@example.org", "a long password"),
        "other team": classed.bo,
        "own team": classed.ada,
        "organizer": classed.organizer,
    }
    board = "/challenges/blocks/leaderboard/cells/v/1/objects/"
    own = f"/challenges/blocks/submissions/{submission.pk}/"
    for state, (shown, leaderboard, closed, files, boards) in STATES.items():
        phase = classed.phase
        phase.results, phase.leaderboard = shown, leaderboard
        phase.closed_at = timezone.now() - timedelta(minutes=1) if closed else None
        phase.save()
        for role in ROLES:
            client = Client()
            if role in people:
                client.force_login(people[role])
            answer = client.get(f"{own}objects.csv")
            expected = 200 if role in files else 302 if role == "anonymous" else 404
            assert (state, role, answer.status_code) == (state, role, expected)
            page = client.get(board).content.decode()
            assert (state, role, "limits this method" in page) == (state, role, role in boards)
            if role in ("anonymous", "organizer"):
                table = client.get(board, {"format": "csv", "table": "confusion"}).content.decode()
                assert (state, role, "pooled" in table) == (state, role, role in boards)
            if role in ("own team", "organizer"):
                detail = client.get(own).content.decode()
                assert (state, role, "Confusion matrix" in detail) == (state, role, role in files)
    with django_assert_num_queries(1):  # however many methods there are
        assert len(object_parts.methods_of(version)) == 2
    chosen = client.get(board, {"team": submission.team.name}).content.decode()
    assert '<td data-label="Limited by">classification</td>' in chosen
    assert "Classification limits this method" in chosen
    assert "Detection and outlines" in client.get("/challenges/blocks/leaderboard/cells/").content.decode()


def test_pages_show_the_parts_and_the_matrix_with_shares_of_the_row(classed: World, workers):
    submission = scored(classed, handed_in(wrong=True))
    client = Client()
    client.force_login(classed.ada)
    page = client.get(submission.get_absolute_url()).content.decode()
    assert "Classification limits this method" in page
    assert "1 of 3 images is missing, and its objects are counted as missed." in page
    assert '<td class="num confusion__4">2 <span class="confusion__share">67 %</span></td>' in page
    rows = list(csv.DictReader(client.get(f"{submission.get_absolute_url()}objects.csv").content.decode().splitlines()))
    assert {row["level"] for row in rows} == {"pooled", "case", "mean over cases"}


def test_a_task_of_one_class_says_that_there_is_nothing_to_classify(nuclei: World, workers):
    submission = scored(nuclei, {f"{case}.png": png(cells(1 + number)) for number, case in enumerate(CASES)})
    rank(nuclei.phase)
    client = Client()
    client.force_login(nuclei.organizer)
    for address in (submission.get_absolute_url(), "/challenges/blocks/leaderboard/cells/v/1/objects/"):
        page = client.get(address).content.decode()
        assert "All objects belong to one class, nucleus. Classification is not evaluated." in page
        assert "Confusion matrix" not in page
        assert "By modality" in page
        assert "(pixels)" in page


def test_other_problems_keep_nothing_of_it(world: World):
    (case,) = world.test_set.cases.all()[:1]
    assessment = world.phase.assessment
    reference = scorer.references.get(assessment, case, algorithm="")
    assert disentangling.nothing(assessment, reference) is None
    assert disentangling.trusted(assessment, {"disentangled": [[], [], 0]}, reference) is None
    assert disentangling.keep("x", case.test_set, assessment, {case.name: None}) == ("", {})
    assert parts_of({}) is None


@pytest.mark.parametrize(
    "said",
    [
        None,
        [[1, 1, 99], [99.0, 99.0, 0.0], 0],
        [[1, 1, 3], [3.0, 3.0, float("inf")], 0],
        [[1, 1, 3], [3.0, 3.0, 0.0]],
        {"counts": 1},
        [["a"], [0.0], 0],
    ],
)
def test_what_a_child_cannot_have_found_counts_as_missing_here_and_not_in_the_scores(said):
    from evaluation.assessment import parse
    from evaluation.problems.images import ImagePrediction
    from evaluation.problems.instance_segmentation import PROBLEM as INSTANCES
    from evaluation.readers import Geometry, LabelImage

    assessment = parse(ASSESSMENT)
    image = LabelImage(cells(), Geometry((30, 40)))
    truth = INSTANCES.prepare(assessment, image)
    exact = disentangling.reported(INSTANCES.score(assessment, "a", truth, ImagePrediction(image), parts=True))
    missed = [[1, 0, 3], [0.0, 0.0, 0.0], 1]
    assert disentangling.trusted(assessment, {"disentangled": exact}, truth) == [[1, 1, 3], [3.0, 3.0, 0.0], 0]
    assert disentangling.trusted(assessment, {"disentangled": said}, truth) == missed
    assert "counts as missing" in disentangling.doubt(missed, noted=False)
    assert disentangling.doubt(missed, noted=True) == disentangling.doubt(None, noted=False) == ""
    assert disentangling.trusted(assessment, {"disentangled": exact, "reason": "no label map"}, truth) == missed
