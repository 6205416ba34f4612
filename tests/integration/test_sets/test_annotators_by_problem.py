"""References of several annotators for classes, boxes and instances: each annotator's results are those of the command line."""

from pathlib import Path

import pandas as pd
import pytest

from datastore.test_sets import vault
from datastore.test_sets.models import TestSet
from datastore.test_sets.queries import annotators_of
from datastore.test_sets.services.archives import take_archive
from datastore.test_sets.services.sealing import TestSetError, manifest_digest
from datastore.uploads.storage import private
from evaluation import ranking
from evaluation.scoring import score_folders
from evaluation.scoring.evidence import evidence_digest, make_evidence, merge_evidence
from executions.scoring.domain.results import CaseRow
from submissions.models import Chunk
from submissions.queries import annotator_evidence, annotator_frames, evidence_of, results_frame
from submissions.services import scoring
from tests.integration.submissions import test_instances as of_instances
from tests.integration.submissions.test_instances import CLASSED, cells, png
from tests.integration.submissions.test_tables import (
    CASES,
    LABELS,
    OBJECTS,
    SCORES,
    accepted,
    add_phase,
    boxes,
    labels,
    scored,
    table,
)
from tests.integration.submissions.world import World
from tests.integration.test_sets.test_archives import packed

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "Kinds of problem differ in files and values. `test_annotators.py` writes the same rows on both databases."
    ),
]

LIST = {"cases.csv": table([["case"], *[[case] for case in CASES]])}
# What three annotators say of the eight images, by the first letters; the third has not looked at the last one.
SAID = {"a": "bmbmbmbm", "b": "bmbbbmbm", "c": "mmbmbmb"}
WORDS = {"b": "benign", "m": "malignant", "x": "unclear"}


def named(said: dict[str, str] = SAID, *, folder: str = "annotator-") -> dict[str, bytes]:
    """A table of classes an annotator."""
    return {
        f"{folder}{name}/labels.csv": table(
            [["case", "label"], *[[case, WORDS[own]] for case, own in zip(CASES, letters, strict=False)]]
        )
        for name, letters in said.items()
    }


def sealed(world: World, tmp_path: Path, files: dict[str, bytes], rule: str = "") -> TestSet:
    present = world.phase.test_sets.exists()
    return take_archive(
        phase=world.phase,
        path=packed(tmp_path, files),
        actor=world.organizer,
        replaces=present,
        reason="Looked at by several people." if present else "",
        merge_rule=rule,
    )


def agree_with_the_command_line(run, tmp_path: Path, references: dict[str, bytes], predictions: dict[str, bytes]):
    """Compare rows and evidence under each annotator with those of the command line for that annotator's folder."""
    assessment = run.submission.phase.assessment
    for name, content in {**references, **{f"mine/{name}": own for name, own in predictions.items()}}.items():
        (tmp_path / "files" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "files" / name).write_bytes(content)
    each, evidence = annotator_frames(run), annotator_evidence(run)
    assert list(each) == annotators_of(run.test_set) == list(evidence)
    for name, own in each.items():
        folder = tmp_path / f"files/annotator-{name}"
        found = score_folders(assessment, folder, {"": tmp_path / "files/mine"})
        order = ["case", "region", "metric"]
        expected = pd.DataFrame([CaseRow.of(row) for row in found.rows]).sort_values(order, ignore_index=True)
        ours = own.drop(columns="algorithm").sort_values(order, ignore_index=True)
        pd.testing.assert_frame_equal(ours, expected, check_dtype=False, check_exact=True)
        whole = make_evidence(assessment, found.blocks, parts=found.parts, shared=evidence[name].header["shared"])
        assert evidence_digest(evidence[name].renamed("")) == evidence_digest(whole)


@pytest.fixture
def images(world: World) -> World:
    """The world with a classification of eight images, whose test set is still to come."""
    world.phase = add_phase(world, "images", LABELS)
    return world


def test_classes_are_merged_by_majority_and_each_annotator_has_results_with_intervals(
    images: World, workers, tmp_path, client
):
    files = named()
    test_set = sealed(images, tmp_path, files | LIST)
    assert (test_set.merge_rule, annotators_of(test_set)) == ("majority_vote", ["a", "b", "c"])
    with vault.opened(test_set.cases.first().reference_file) as path:
        assert path.read_text() == "case,label\n" + "".join(
            f"{case},{WORDS[own]}\n" for case, own in zip(CASES, "bmbmbmbm", strict=True)
        )
    assert test_set.cases.get(name=CASES[-1]).annotations.count() == 2
    assert manifest_digest(test_set) == test_set.manifest_digest
    client.force_login(images.organizer)
    page = client.get(f"/challenges/blocks/organize/test-sets/?phase={images.phase.pk}").content.decode()
    assert "Annotators: a, b, c (7 of 8 cases). Merging: majority vote: the class with more votes" in page
    assert '<option value="staple">STAPLE; sent merged</option>' in page
    text = client.get(f"/challenges/blocks/organize/test-sets/{images.phase.pk}/1/cases.csv").content.decode()
    assert text.splitlines()[0].endswith("decoy,annotator_a_sha256,annotator_b_sha256,annotator_c_sha256")
    assert text.splitlines()[-1].endswith(",")
    test_set.cases.first().annotations.filter(annotator="b").update(reference_sha256="0" * 64)
    assert manifest_digest(test_set) != test_set.manifest_digest

    answers = {"labels.csv": labels(SCORES)}
    runs = [
        scored(images, answers).runs.get(),
        scored(
            images, {"labels.csv": labels({case: 1 - score for case, score in SCORES.items()})}, team=images.bos
        ).runs.get(),
    ]
    run = runs[0]
    agree_with_the_command_line(run, tmp_path, files, answers)
    merged = results_frame(run).set_index(["metric", "region"])["value"]
    other = annotator_frames(run)["c"].set_index(["metric", "region"])["value"]
    assert merged["auroc", "malignant"] != other["auroc", "malignant"]
    # Nobody reads the class of a case off what is stored.
    with private().open(f"{run.annotators_file.removesuffix('.parquet')}-0.evidence.parquet.age") as stream:
        assert stream.read().startswith(b"age-encryption.org")

    assessment = images.phase.assessment
    frame = pd.concat([annotator_frames(one)["c"] for one in runs])
    evidence = merge_evidence([(one.submission.team.name, annotator_evidence(one)["c"]) for one in runs])
    document = ranking.rank(assessment, frame, evidence=evidence)
    assert all((entry["resampled"], entry["cases"]) == (True, 7) for entry in document["rankings"])


def test_what_waits_in_a_chunk_does_not_tell_the_classes_of_an_annotator(images: World, tmp_path, monkeypatch):
    sealed(images, tmp_path, named() | LIST)
    run = accepted(images, {"labels.csv": labels()}).runs.get()
    with monkeypatch.context() as patch:
        patch.setattr(scoring, "finish_run", lambda **_: None)
        while scoring.score_next_chunk():
            pass
    waiting = [own for chunk in Chunk.objects.filter(run=run) for own in chunk.annotator_rows]
    assert len(waiting) == 8 + 8 + 7
    assert {(tuple(rows), tuple(pieces[0][2])) for _, _, rows, pieces in waiting} == {((), (-1,))}


TOLD = [
    (
        {"a": "bmbmbmbm", "b": "bmbbbmbm"},
        "majority_vote",
        r"image_04 \(a: malignant, b: benign\): the annotators are tied, and the rule is majority vote",
    ),
    ({"a": "bmbmbmb", "b": "bmbbbmb"}, "", r"image_08: no annotator names a class"),
    ({"a": "bmbmbmb", "b": "bmbmbmbm"}, "no_aggregation", r"annotator-a: lacks image_08\. Without merging"),
    (SAID, "staple", r"references/labels\.csv is needed beside the annotators, since the rule is STAPLE; sent merged"),
    ({"a": "bmbmbmbm"}, "", r"There is one folder annotator-… only"),
]


def test_what_no_rule_decides_is_named_and_no_case_is_left_out(images: World, tmp_path):
    for said, rule, message in TOLD:
        with pytest.raises(TestSetError, match=message):
            sealed(images, tmp_path, named(said) | LIST, rule)


def classes(test_set: TestSet) -> str:
    """First letters of the classes that are scored."""
    with vault.opened(test_set.cases.first().reference_file) as path:
        return "".join(line.split(",")[1][0] for line in path.read_text().splitlines()[1:])


def test_a_merged_table_can_be_sent_and_classes_that_were_outvoted_are_known(images: World, tmp_path):
    given = named({"references": "bbbbmmmm"}, folder="")
    test_set = sealed(images, tmp_path, named() | given | LIST, "staple")
    assert (classes(test_set), test_set.merge_rule, annotators_of(test_set)) == ("bbbbmmmm", "staple", ["a", "b", "c"])
    odd = sealed(images, tmp_path, named({**SAID, "b": "bmxbbmbm"}) | LIST)
    # Predictions may name it, and it has a score.
    assert (classes(odd), odd.shared["classes"]) == ("bmbmbmbm", ["benign", "unclear", "malignant"])


def test_a_new_version_is_merged_strictly_and_scored_again_under_each_annotator(images: World, workers, tmp_path):
    sealed(images, tmp_path, named() | LIST)
    submission = scored(images, {"labels.csv": labels()})
    before = annotator_frames(submission.runs.get())["a"]
    test_set = sealed(images, tmp_path, named({**SAID, "a": "mbbmbmbm"}), "strict")
    assert classes(test_set) == "bbbbbmbm", "positive only where all agree"
    run = submission.runs.get(counts=True)
    assert (run.test_set, run.number) == (test_set, 2)
    assert not annotator_frames(run)["a"].equals(before)
    assert annotator_frames(submission.runs.get(number=1))["a"].equals(before)


@pytest.fixture
def objects(world: World) -> World:
    """The world with a detection in eight images, whose test set is still to come."""
    world.phase = add_phase(world, "cells", OBJECTS)
    return world


def test_boxes_are_ranked_by_annotator_or_sent_merged(objects: World, workers, tmp_path):
    drawn = {
        "annotator-1/objects.csv": table(boxes(0, scored=False, cases=CASES[:-1])),
        "annotator-2/objects.csv": table(boxes(4, scored=False)),
    }
    merged = {"references/objects.csv": table(boxes(1, scored=False))}
    points = {"annotator-2/objects.csv": b"case,class,x,y\nimage_01,cell,4,5\n"}
    with pytest.raises(TestSetError, match=r"annotator-2: The references are points, and .* compare extents"):
        sealed(objects, tmp_path, drawn | merged | points | LIST, "consensus")
    strange = drawn["annotator-2/objects.csv"].replace(b"cell", b"crumb")
    with pytest.raises(TestSetError, match=r"annotator-2: The reference of case image_01 has the class 'crumb'"):
        sealed(objects, tmp_path, drawn | merged | LIST | {"annotator-2/objects.csv": strange}, "consensus")

    test_set = sealed(objects, tmp_path, drawn | LIST, "ranking_per_annotator")
    # Without a row there is no object: an annotator of a table has looked at every case.
    assert set(test_set.cases.values_list("annotations__annotator", flat=True)) == {"1", "2"}
    assert test_set.cases.last().annotations.count() == 2
    answers = {"objects.csv": table(boxes())}
    run = scored(objects, answers).runs.get()
    agree_with_the_command_line(
        run, tmp_path, drawn | {f"annotator-{name}/cases.csv": LIST["cases.csv"] for name in "12"}, answers
    )
    assert evidence_digest(annotator_evidence(run)["1"]) == evidence_digest(evidence_of(run))
    assert evidence_digest(annotator_evidence(run)["2"]) != evidence_digest(evidence_of(run))

    coco = b'{"images": [{"id": 1, "file_name": "image_01.png"}], "categories": [], "annotations": []}'
    other = sealed(
        objects, tmp_path, drawn | merged | LIST | {"annotator-3/objects.json": coco}, "additional_annotator"
    )
    assert list(other.cases.filter(annotations__annotator="3").values_list("name", flat=True)) == ["image_01"]


def test_instances_have_the_classes_that_each_annotator_gave_them(world: World, workers, tmp_path):
    world.phase = of_instances.add_phase(world, CLASSED)
    own = of_instances.instances(scored=False)
    tables = {"1": own, "2": own.replace(b"square", b"round"), "3": own}
    drawn = {f"annotator-{who}/{case}.png": png(cells()) for who in "12" for case in of_instances.CASES}
    drawn |= {f"annotator-3/{case}.png": png(cells(2)) for case in of_instances.CASES[:2]}
    drawn |= {f"annotator-{who}/instances.csv": content for who, content in tables.items()}
    # Who has not drawn a case has no rows of it.
    drawn["annotator-3/instances.csv"] = own.replace(b"cell_3", b"cell_2").split(b"cell_2,1000", 2)[0] + b"".join(
        line + b"\n" for line in own.splitlines() if line.startswith(b"cell_2")
    )
    with pytest.raises(
        TestSetError, match=r"references/ is needed .* the rule is majority vote; .* With ranking_per_annotator"
    ):
        sealed(world, tmp_path, drawn)
    lacking = {name: content for name, content in drawn.items() if name != "annotator-2/instances.csv"}
    with pytest.raises(TestSetError, match=r"annotator-2/cell_1\.png, case cell_1: instances\.csv: is missing"):
        sealed(world, tmp_path, lacking, "no_aggregation")
    test_set = sealed(world, tmp_path, drawn, "no_aggregation")
    assert sorted(test_set.shared["annotator_instances"]) == ["1", "2", "3"]
    assert test_set.shared["instances"] == test_set.shared["annotator_instances"]["1"]
    digests = test_set.cases.get(name="cell_1").annotations.values_list("reference_sha256", flat=True)
    assert len(set(digests)) == 3, "the same label map with other classes is another reference"

    files = {f"{case}.png": png(cells(place, first=5)) for place, case in enumerate(of_instances.CASES)}
    files["instances.csv"] = of_instances.instances(first=5)
    run = of_instances.scored(world, files).runs.get()
    agree_with_the_command_line(run, tmp_path, drawn, files)
    first, second = (annotator_frames(run)[name] for name in "12")
    assert first.equals(results_frame(run))
    assert not first.equals(second)
    assert {own["case"].nunique() for own in annotator_frames(run).values()} == {3, 4}
