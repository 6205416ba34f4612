"""Predictions that are tables: judged row by row, scored as the command line scores them, with evidence that is kept."""

import csv
import io
import json
from datetime import timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from django.utils import timezone
from PIL import Image

from challenges.models import Phase
from challenges.services import create_phase
from confinement.sandbox import Answer
from core.work import services as work_services
from datastore.test_sets import vault
from datastore.test_sets.models import TestCase
from datastore.test_sets.services.sealing import TestSetError, create_test_set
from datastore.uploads.storage import private
from evaluation import ranking
from evaluation.assessment.options import option_sentences
from evaluation.bundle import result_digest
from evaluation.cli import main
from evaluation.problems.tables import table_problem
from evaluation.scoring import read_evidence
from evaluation.scoring.evidence import evidence_digest, merge_evidence
from executions.scoring.domain import results
from executions.scoring.domain.report import Report
from executions.scoring.services import cases as scored_cases
from executions.scoring.services import scorer
from submissions.models import Chunk, Submission
from submissions.queries import evidence_of, results_frame
from submissions.results.queries.pictures import picture_name
from submissions.results.services.pictures import draw
from submissions.services import scoring, states, validation
from tests.integration.submissions.world import World, zipped

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "Kinds of problem differ in files and values. `test_scoring_path.py` writes the same rows on both databases."
    ),
]

CASES = tuple(f"image_{number:02d}" for number in range(1, 9))
CLASSES = ("benign", "malignant")
UNCERTAINTY = {"bootstrap": 20, "seed": 1}
LABELS = {
    "schema": 1,
    "problem": "image_classification",
    "regions": [{"name": "malignant", "labels": ["malignant"]}],
    "metrics": [
        {"id": "auroc"},
        {"id": "ece"},
        {"id": "balanced_accuracy"},
        {"id": "sensitivity_at_specificity", "name": "point", "options": {"target_specificity": 0.75}},
    ],
    "ranking": {"scheme": "one_score", "combine": {"over": ["metric", "region"], "operator": "mean", "rerank": True}},
    "uncertainty": UNCERTAINTY,
}
OBJECTS = {
    "schema": 1,
    "problem": "object_detection",
    "regions": [{"name": "cell", "labels": ["cell"]}],
    "metrics": [{"id": "average_precision"}, {"id": "fbeta", "name": "f1", "options": {"scale": "image"}}],
    "ranking": {"scheme": "aggregate_then_rank", "combine": {"over": ["metric"], "operator": "mean", "rerank": True}},
    "uncertainty": UNCERTAINTY,
}
SCORES = dict(zip(CASES, (0.1, 0.4, 0.35, 0.8, 0.65, 0.2, 0.9, 0.5), strict=True))


def table(rows: list[list[object]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def labels(scores: dict[str, object] = SCORES) -> bytes:
    """Answers to a classification; what is no number is written as it is."""
    rows = [[c, 1 - s if isinstance(s, float) and 0 <= s <= 1 else 0, s] for c, s in scores.items()]
    return table([["case", "p_benign", "p_malignant"], *rows])


def boxes(shift: int = 1, *, scored: bool = True, cases: tuple[str, ...] = CASES) -> list[list[object]]:
    """Return two boxes per case; predictions have scores that rank the correct box first."""
    rows: list[list[object]] = [["case", "class", *(["score"] if scored else []), "x_min", "y_min", "x_max", "y_max"]]
    for place, case in enumerate(cases):
        for number, moved in ((0, shift), (1, 30 if scored and place % 3 == 0 else shift)):
            corner = 5 + 20 * number
            score = [round(0.9 - 0.1 * place - 0.03 * number, 3)] if scored else []
            rows.append([case, "cell", *score, corner + moved, corner, corner + 10 + moved, corner + 10])
    return rows


def add_phase(world: World, slug: str, assessment: dict) -> Phase:
    now = timezone.now()
    return create_phase(
        actor=world.organizer,
        task=world.phase.task,
        assessment=assessment,
        slug=slug,
        name=slug.capitalize(),
        position=2,
        opens_at=now - timedelta(days=1),
        closes_at=now + timedelta(days=1),
        results=Phase.Results.CASES,
        leaderboard=Phase.Leaderboard.PUBLIC,
    )


@pytest.fixture
def images(world: World, tmp_path: Path) -> World:
    """The world with a classification of eight images."""
    world.phase = add_phase(world, "images", LABELS)
    folder = tmp_path / "table"
    folder.mkdir()
    rows = [[case, CLASSES[place % 2]] for place, case in enumerate(CASES)]
    (folder / "labels.csv").write_bytes(table([["case", "label"], *rows]))
    world.test_set = create_test_set(phase=world.phase, references=folder, cases=CASES)
    return world


@pytest.fixture
def cells(world: World, tmp_path: Path) -> World:
    """The world with a detection in eight images; two boxes in each but the last, which is empty."""
    world.phase = add_phase(world, "cells", OBJECTS)
    folder, pictures = tmp_path / "table", tmp_path / "pictures"
    folder.mkdir()
    pictures.mkdir()
    (folder / "objects.csv").write_bytes(table(boxes(0, scored=False, cases=CASES[:-1])))
    (folder / "cases.csv").write_text("case\n" + "\n".join(CASES) + "\n")
    Image.new("RGB", (60, 40), (250, 220, 240)).save(pictures / f"{CASES[0]}.jpg")
    world.test_set = create_test_set(phase=world.phase, references=folder, cases=CASES, images=pictures)
    return world


def handed_in(world: World, files: dict[str, bytes], **more) -> Submission:
    submission = world.upload(zipped(files), **{"accept_incomplete": True, **more})
    submission.refresh_from_db()
    return submission


def scored(world: World, files: dict[str, bytes], **more) -> Submission:
    submission = handed_in(world, files, **more)
    assert submission.state == Submission.State.SCORED, (submission.log, submission.reason)
    return submission


def by_command_line(tmp_path: Path, assessment: dict, files: dict[str, bytes], algorithm: str):
    folder = tmp_path / "handed-in"
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (tmp_path / "assessment.json").write_text(json.dumps(assessment))
    arguments = ["score", str(tmp_path / "assessment.json"), "--references", str(tmp_path / "table")]
    outputs = ["--output", str(tmp_path / "results.csv"), "--evidence", str(tmp_path / "evidence.parquet")]
    assert main([*arguments, "--predictions", str(folder), "--algorithm", algorithm, *outputs]) == 0
    from evaluation.scoring import read_results

    return read_results(tmp_path / "results.csv"), read_evidence(tmp_path / "evidence.parquet")


@pytest.mark.parametrize("problem", ["images", "cells"])
def test_rows_evidence_and_digest_are_those_of_the_command_line(request, workers, tmp_path, problem):
    world = request.getfixturevalue(problem)
    files = {"labels.csv": labels()} if problem == "images" else {"objects.csv": table(boxes())}
    run = scored(world, {f"folder/{name}": content for name, content in files.items()}).runs.get()
    expected, evidence = by_command_line(tmp_path, LABELS if problem == "images" else OBJECTS, files, "Ada's")
    columns = ["algorithm", "case", "region", "metric", "value", "outcome"]
    order = ["case", "region", "metric"]
    ours = results_frame(run)[columns].sort_values(order, ignore_index=True)
    theirs = expected[columns].sort_values(order, ignore_index=True)
    pd.testing.assert_frame_equal(ours, theirs, check_dtype=False, check_exact=True)
    assert evidence_digest(evidence_of(run)) == evidence_digest(evidence)
    assert result_digest(results_frame(run), evidence_of(run)) == run.result_digest
    assert run.result_digest != results.digest(results.rows_of(results_frame(run)))
    assert (run.summary["cases"], run.summary["missing_cases"]) == (8, 0)


def test_a_ranking_from_stored_evidence_has_intervals(images: World, workers):
    runs = [
        scored(images, {"labels.csv": labels()}).runs.get(),
        scored(images, {"labels.csv": labels(dict.fromkeys(CASES, 0.5))}, team=images.bos).runs.get(),
    ]
    frame = pd.concat([results_frame(run) for run in runs])
    evidence = merge_evidence([(str(run.pk), evidence_of(run)) for run in runs])
    document = ranking.rank(images.phase.assessment, frame, evidence=evidence)
    assert all(entry["resampled"] and entry["cases"] == 8 for entry in document["rankings"])
    assert document["overall"]["algorithms"][0]["rank_interval"] is not None


def test_working_points_and_versions_are_stored_with_the_result(images: World, workers):
    run = scored(images, {"labels.csv": labels()}).runs.get()
    [point] = run.provenance["working_points"]
    assert point == {"algorithm": "", "metric": "point", "region": "malignant", "threshold": 0.8}
    assert run.provenance["metrics"]["point"]["options"]["target_specificity"] == 0.75
    assert "numpy" in run.provenance["versions"]


def test_missing_doubled_misspelt_and_unknown_cases_are_told_apart(images: World, workers):
    rows = labels().decode().replace("image_03,", "image-3,").splitlines()
    rows = [row for row in rows if not row.startswith("image_04")] + [rows[1], "stranger,0.5,0.5"]
    submission = handed_in(images, {"labels.csv": "\n".join(rows).encode(), "notes.txt": b"x"}, accept_incomplete=False)
    report = Report.of(submission.report)
    found = {finding.case: finding for finding in report.troubled}
    assert set(found) == {"image_01", "image_03", "image_04"}
    assert found["image_01"].message.endswith("more than one row (2)")
    assert found["image_01"].remedy == "Keep one row for each case."
    assert found["image_03"].remedy == "Rename image-3 to image_03 in the table."
    assert found["image_04"].message == "labels.csv has no row for image_04"
    assert [(extra.file, extra.hint) for extra in report.extra] == [
        ("notes.txt", "only labels.csv is read; ignored"),
        ("labels.csv: case image-3", "meant for image_03?"),
        ("labels.csv: case stranger", "no case of this name; ignored"),
    ]


def test_a_case_without_an_answer_counts_as_a_wrong_decision(images: World, workers):
    whole = {case: float(place % 2) for place, case in enumerate(CASES)}
    del whole[CASES[1]]
    run = scored(images, {"labels.csv": labels(whole)}).runs.get()
    values = results_frame(run).set_index("metric")["value"]
    assert values["balanced_accuracy"] == pytest.approx((1 + 3 / 4) / 2)
    assert values["auroc"] < 1
    assert run.summary["missing_cases"] == 1
    assert run.case_notes == {CASES[1]: "labels.csv has no row for image_02"}


def test_a_table_that_cannot_be_taken_at_all_is_refused_with_a_reason(images: World, workers):
    submission = handed_in(images, {"answers.csv": labels()})
    assert (submission.state, submission.log) == (Submission.State.REFUSED, "")
    assert submission.reason == "There is no labels.csv among the files. Rename answers.csv to it."


def test_a_row_that_cannot_be_taken_costs_only_itself_and_is_named(cells: World, workers):
    rows = boxes()
    rows[1][2] = "1.5"
    rows[3][5] = rows[3][3]
    submission = handed_in(cells, {"objects.csv": table(rows)})
    assert submission.state == Submission.State.HELD
    states.score_as_it_is(submission=submission, actor=cells.ada)
    submission.refresh_from_db()
    assert submission.state == Submission.State.SCORED
    report = Report.of(submission.report)
    [question] = report.questions
    assert question.sentence.startswith(
        "objects.csv: 2 of 16 rows are not used; the first is case image_01: '1.5' as score in row 2; expected a number"
    )
    assert report.troubled == []
    run = submission.runs.get()
    frame = results_frame(run).set_index(["metric", "case"])
    assert frame.loc[("average_precision", ""), "outcome"] == "ok"
    assert frame.loc[("f1", "image_01"), "outcome"] == "ok"
    assert evidence_of(run).blocks
    assert run.summary["missing_cases"] == 0


def accepted(world: World, files: dict[str, bytes]) -> Submission:
    submission = world.upload(zipped(files))
    validation.validate(submission_id=submission.pk)
    submission.refresh_from_db()
    assert submission.state == Submission.State.ACCEPTED, submission.reason
    return submission


def test_evidence_is_the_same_after_a_killed_worker_any_order_and_every_message_twice(cells: World, monkeypatch):
    from submissions.services import states

    monkeypatch.setattr(states, "TABLE_CHUNK_CASES", 3)
    monkeypatch.setattr(states, "TABLE_CHUNKS", 3)
    whole = accepted(cells, {"objects.csv": table(boxes())})
    while scoring.score_next_chunk():
        pass
    first = whole.runs.get()
    again = accepted(cells, {"objects.csv": table(boxes())})
    run = again.runs.get()
    assert run.chunks.count() == 3
    with monkeypatch.context() as patch:
        patch.setattr(scoring, "_complete", lambda *_: False)  # died just before it could store what it found
        assert scoring.score_next_chunk()
    Chunk.objects.filter(run=run).update(lease_until=timezone.now() - timedelta(seconds=1))
    with monkeypatch.context() as patch:
        patch.setattr(
            work_services, "next_rows", lambda _: list(run.chunks.order_by("-pk").values_list("pk", flat=True))
        )
        while scoring.score_next_chunk():
            pass
    for _ in range(2):
        assert not scoring.score_next_chunk()
        scoring.finish_run(run_id=run.pk)
    run.refresh_from_db()
    assert run.result_digest == first.result_digest
    assert evidence_digest(evidence_of(run)) == evidence_digest(evidence_of(first))
    assert not run.chunks.exclude(pieces=None).exists()


LIES = {
    "counts of another reference": lambda own: own[0][2].__setitem__(2, own[0][2][2] + 1),
    "a negative count": lambda own: own[0][2].__setitem__(4, -1),
    "a score beyond one": lambda own: own[0][3].__setitem__(0, 2.0),
    "a list that does not end": lambda own: own[0][2].append(1),
    "a text": lambda own: own[0][2].__setitem__(4, "1"),
    "another region": lambda own: own[0].__setitem__(1, "other"),
    "nothing": lambda own: own.clear(),
}


def test_pieces_that_a_child_made_up_are_not_believed(cells: World):
    run = accepted(cells, {"objects.csv": table(boxes())}).runs.get()
    assessment = run.submission.phase.assessment
    case = run.test_set.cases.get(name=CASES[0])
    prepared = scorer.references.get(assessment, case, algorithm="")
    nothing = prepared.select(np.zeros(0, dtype=np.int64))
    honest = table_problem(assessment.problem).score(assessment, case.name, prepared, nothing)
    rows = [list(results.CaseRow.of(row)) for row in honest.rows]

    def told(lie):
        # As many steps as a prediction of two boxes has.
        pieces = [["average_precision", "cell", [0, 0, 2, 2, 1, 0, 0, 1], [0.9, 0.8]]]
        lie(pieces)
        answer = Answer(case.name, value={"rows": rows, "reason": "", "pieces": pieces})
        return scored_cases.scored_of(assessment, answer, "objects.csv", prepared)

    assert told(lambda _: None).pieces
    for name, lie in LIES.items():
        found = told(lie)
        assert (found.pieces, {row.outcome for row in found.rows}) == (None, {"missing"}), name
        assert found.details


def test_pages_of_a_case_show_its_picture_and_say_what_there_is_no_value_of(images: World, client, workers):
    submission = scored(images, {"labels.csv": labels()})
    client.force_login(images.ada)
    page = client.get(submission.get_absolute_url()).content.decode()
    assert "one value for the whole data set. Single cases have none." in page
    assert "AUROC" in page
    page = client.get(f"{submission.get_absolute_url()}cases/{CASES[0]}/").content.decode()
    assert "Single cases have none." in page
    page = client.get(f"/challenges/blocks/submit/?phase={images.phase.pk}").content.decode()
    assert "case,p_benign,p_malignant" in page
    client.force_login(images.organizer)
    assert client.get(f"/challenges/blocks/organize/cases/{CASES[0]}/?phase={images.phase.pk}").status_code == 200


def test_boxes_are_drawn_on_the_image_of_their_case(cells: World, workers):
    run = scored(cells, {"objects.csv": table(boxes())}).runs.get()
    draw(run_id=run.pk, case=CASES[0])
    draw(run_id=run.pk, case=CASES[1])
    sizes = {}
    for with_reference in (False, True):
        with vault.opened(picture_name(run, CASES[0], with_reference=with_reference)) as path:
            colours = np.asarray(Image.open(path, formats=["PNG"]).convert("RGB")).reshape(-1, 3)
            sizes[with_reference] = len(np.unique(colours, axis=0))
    assert sizes[True] > sizes[False] > 1
    assert not private().exists(picture_name(run, CASES[1], with_reference=True))


def test_what_is_stored_does_not_tell_the_classes_of_single_cases(images: World):
    submission = accepted(images, {"labels.csv": labels()})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "finish_run", lambda **_: None)
        while scoring.score_next_chunk():
            pass
    run = submission.runs.get()
    [chunk] = run.chunks.all()
    assert {tuple(own[2]) for pieces in chunk.pieces.values() for own in pieces} == {(-1,)}
    digests = list(TestCase.objects.filter(test_set=images.test_set).values_list("reference_sha256", flat=True))
    assert len(set(digests)) == len(CASES)
    scoring.finish_run(run_id=run.pk)
    run.refresh_from_db()
    with private().open(run.evidence_file) as stream:
        assert stream.read().startswith(b"age-encryption.org")
    assert images.test_set.shared == {"classes": list(CLASSES), "regions": {"malignant": [1]}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "needs one table labels.csv"),
        (b"case,label\nimage_01,benign\n", "no reference for the case image_02"),
        (b"case,label\nimage_01,\n", "no label in row 2"),
        (table([["case", "label"], *[[case, "malignant"] for case in CASES]]), "only the class 'malignant' is known"),
    ],
)
def test_references_that_cannot_be_taken_are_refused(images: World, tmp_path, content, message):
    folder = tmp_path / "other"
    folder.mkdir()
    if content is not None:
        (folder / "labels.csv").write_bytes(content)
    with pytest.raises(TestSetError, match=message):
        create_test_set(phase=images.phase, references=folder, cases=CASES)


def test_a_class_that_is_not_registered_is_refused_before_it_is_sealed(images: World, tmp_path: Path):
    """Otherwise its name would appear among the classes that participants see."""
    folder = tmp_path / "strange"
    folder.mkdir()
    rows = [[case, (*CLASSES, "artefact")[place % 3]] for place, case in enumerate(CASES)]
    (folder / "labels.csv").write_bytes(table([["case", "label"], *rows]))
    with pytest.raises(
        TestSetError, match="image_03 cannot be taken: no region of the assessment names the class 'artefact'"
    ):
        create_test_set(phase=images.phase, references=folder, cases=CASES)
    assert images.phase.test_sets.count() == 1


def test_the_submit_page_and_the_public_rules_state_what_a_file_is_scored_with(cells: World, client):
    client.force_login(cells.ada)
    sentences = option_sentences(cells.phase.assessment)
    assert any("score threshold = 0.5" in sentence for sentence in sentences)
    page = client.get(f"/challenges/blocks/submit/?phase={cells.phase.pk}").content.decode()
    assert "Scoring of your file" in page
    assert "<code>decision</code>" in page
    for shown in (page, client.get("/challenges/blocks/").content.decode()):
        assert [sentence for sentence in sentences if sentence not in shown] == []


def coco_references(folder: Path) -> Path:
    """References of two images as COCO JSON, with an image and a category that are not part of the task."""
    names = {12: CASES[1], 3: CASES[0], 99: "withheld"}
    document = {
        "images": [{"id": each, "file_name": f"test/{name}.png"} for each, name in names.items()],
        "categories": [{"id": 5, "name": "unused"}, {"id": 6, "name": "cell"}],
        "annotations": [{"image_id": 12, "category_id": 6, "bbox": [10, 10, 20, 20]}],
    }
    folder.mkdir()
    (folder / "objects.json").write_text(json.dumps(document))
    return folder


def expected_table(client, world: World) -> dict:
    return client.get(f"/api/v1/challenges/blocks/phases/{world.phase.pk}/expectation/").json()["table"]


def test_teams_see_the_ids_of_their_cases_and_classes_only(world: World, tmp_path, client, workers):
    world.phase = add_phase(world, "coco", OBJECTS)
    world.test_set = create_test_set(phase=world.phase, references=coco_references(tmp_path / "coco"), cases=CASES[:2])
    client.force_login(world.ada)
    shown = expected_table(client, world)
    # In the order of the cases, not in that of the references.
    assert shown["image_ids"] == [{"id": 3, "name": CASES[0]}, {"id": 12, "name": CASES[1]}]
    assert shown["category_ids"] == [{"id": 6, "name": "cell"}]
    page = client.get(f"/challenges/blocks/submit/?phase={world.phase.pk}").content.decode()
    assert f"3 is {CASES[0]} and 12 is {CASES[1]}" in page
    box = {"image_id": 12, "category_id": 6, "bbox": [10, 10, 20, 20], "score": 0.9}
    run = scored(world, {"objects.json": json.dumps([box]).encode()}).runs.get()
    assert {"image_ids", "category_ids"}.isdisjoint(evidence_of(run).header["shared"])
    strange = [box, {**box, "image_id": 99}, {**box, "category_id": 5}]
    held = handed_in(world, {"objects.json": json.dumps(strange).encode()}, team=world.bos)
    [question] = Report.of(held.report).asked
    assert (held.state, question.id) == (Submission.State.HELD, "rows_not_used")
    assert question.sentence.startswith(
        "objects.json: 2 of 3 rows are not used; the first is the image_id 99 of object 2; "
        "expected an image_id such as 3, 12 and a category_id such as 6."
    )


def test_ids_of_images_are_not_shown_where_they_could_reveal_decoys(world: World, tmp_path, client):
    world.phase = add_phase(world, "coco", OBJECTS)
    Phase.objects.filter(pk=world.phase.pk).update(
        results=Phase.Results.VALIDATION, leaderboard=Phase.Leaderboard.SEALED
    )
    world.phase.refresh_from_db()
    references = coco_references(tmp_path / "coco")
    create_test_set(phase=world.phase, references=references, cases=CASES[:2], decoys=CASES[1:2])
    client.force_login(world.ada)
    assert {"image_ids", "category_ids"}.isdisjoint(expected_table(client, world))


def test_a_list_of_results_names_images_where_the_references_have_no_ids(cells: World, workers):
    csv_rows = boxes(0)
    names = csv_rows[0]
    entries = []
    for row in csv_rows[1:]:
        values = dict(zip(names, row, strict=True))
        low, high = ([float(values[f"{axis}_{end}"]) for axis in ("x", "y")] for end in ("min", "max"))
        size = [top - bottom for bottom, top in zip(low, high, strict=True)]
        entries.append({"image_id": f"{values['case']}.png", "category_id": 1, "bbox": low + size})
        entries[-1]["score"] = float(values["score"])
    by_list = scored(cells, {"objects.json": json.dumps(entries).encode()}).runs.get()
    by_rows = scored(cells, {"objects.csv": table(csv_rows)}, team=cells.bos).runs.get()
    columns = ["case", "region", "metric", "value"]
    assert results_frame(by_list)[columns].equals(results_frame(by_rows)[columns])
