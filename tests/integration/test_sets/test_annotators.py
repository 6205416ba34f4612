"""References of several annotators: merged, sealed, and each scored next to the merged ones."""

import numpy as np
import pandas as pd
import pytest

from datastore.test_sets.domain import merging
from datastore.test_sets.queries import annotators_of
from datastore.test_sets.queries.test_sets import deciding_annotator
from datastore.test_sets.services.archives import take_archive
from datastore.test_sets.services.sealing import TestSetError, manifest_digest
from evaluation.ranking import rank
from submissions.queries import annotator_frames, counted_runs, results_frame
from tests.integration.submissions.world import CASES, World, labels, nifti, predictions, zipped
from tests.integration.test_sets.test_archives import packed, references

pytestmark = pytest.mark.django_db(transaction=True)

# How far each annotator's blocks are moved; the majority is where the first one has them.
SHIFTS = {"1": 0, "2": 0, "b.3": 2}


def drawn(cases=CASES) -> dict[str, bytes]:
    return {
        f"annotator-{name}/{case}.nii.gz": nifti(labels(shift, case=case))
        for name, shift in SHIFTS.items()
        for case in cases
    }


def test_annotators_are_merged_sealed_and_scored_each(world: World, tmp_path, workers):
    files = drawn()
    del files["annotator-b.3/case_002.nii.gz"]
    sealed = take_archive(
        phase=world.phase, path=packed(tmp_path, files), actor=None, replaces=True, reason="Drawn by three people."
    )
    assert (sealed.merge_rule, annotators_of(sealed)) == (merging.MAJORITY, sorted(SHIFTS))
    assert sealed.cases.get(name="case_002").annotations.count() == 2
    assert manifest_digest(sealed) == sealed.manifest_digest
    sealed.cases.get(name="case_001").annotations.filter(annotator="2").update(reference_sha256="0" * 64)
    assert manifest_digest(sealed) != sealed.manifest_digest

    world.upload(zipped(predictions(0)))
    world.upload(zipped(predictions(2)), team=world.bos)
    runs = {run.submission.team.name: run for run in counted_runs(world.phase)}
    merged, each = results_frame(runs["Ada's"]), annotator_frames(runs["Ada's"])
    assert list(each) == sorted(SHIFTS)
    assert list(each["1"].columns) == list(merged.columns)
    whole = merged[(merged["metric"] == "dsc") & (merged["region"] == "whole")]
    assert set(whole["value"]) == {1.0}
    other = each["b.3"][(each["b.3"]["metric"] == "dsc") & (each["b.3"]["region"] == "whole")]
    assert set(other["case"]) == set(CASES) - {"case_002"}
    block, moved = labels(0) > 0, labels(2) > 0
    expected = 2 * np.count_nonzero(block & moved) / (np.count_nonzero(block) + np.count_nonzero(moved))
    assert other["value"].tolist() == pytest.approx([expected] * 3)

    tables = {name: [annotator_frames(run)[name] for run in runs.values()] for name in SHIFTS}

    documents = {name: rank(world.phase.assessment, pd.concat(frames), bootstrap=0) for name, frames in tables.items()}
    first = {name: document["overall"]["algorithms"][0]["name"] for name, document in documents.items()}
    assert first == {"1": "Ada's", "2": "Ada's", "b.3": "Bo's"}

    last = world.upload(zipped(predictions(2, CASES[:3])), team=world.bos, accept_incomplete=True)
    lacking = annotator_frames(last.runs.get())["1"]
    assert set(lacking[lacking["outcome"] == "missing"]["case"]) == {"case_010"}


def test_what_does_not_fit_a_rule_is_named(world: World, tmp_path):
    def refused(files: dict[str, bytes], rule: str) -> str:
        with pytest.raises(TestSetError) as error:
            take_archive(
                phase=world.phase,
                path=packed(tmp_path, files),
                actor=None,
                replaces=True,
                reason="Drawn anew.",
                merge_rule=rule,
            )
        return str(error.value)

    assert "merged references are not taken" in refused(drawn() | references(), "majority_vote")
    assert "references/ is needed beside the annotators, since the rule is a consensus" in refused(drawn(), "consensus")
    some = references(cases=CASES[1:])
    assert "case_001: references/case_001.nii.gz is needed beside the annotators" in refused(
        drawn() | some, "consensus"
    )
    one = {name: content for name, content in drawn().items() if name.startswith("annotator-1/")}
    assert "There is one folder annotator-… only" in refused(one, "majority_vote")
    fewer = {name: content for name, content in drawn().items() if name != "annotator-1/case_003.nii.gz"}
    assert "annotator-1: lacks the case case_003" in refused(fewer, "ranking_per_annotator")
    assert "cases.csv has no case case_010" in refused(
        drawn() | {"cases.csv": b"case\ncase_001\ncase_002\ncase_003\n"}, ""
    )
    other = nifti(labels(shape=(12, 10, 9)))
    assert "case_001: case_001.nii.gz" in refused(drawn() | {"annotator-2/case_001.nii.gz": other}, "staple")


def test_without_merging_the_first_annotator_is_scored(world: World, tmp_path):
    sealed = take_archive(
        phase=world.phase,
        path=packed(tmp_path, drawn()),
        actor=None,
        replaces=True,
        reason="Ranked by annotator.",
        merge_rule="ranking_per_annotator",
    )
    assert (deciding_annotator(sealed), deciding_annotator(world.test_set)) == ("1", "")
    for case in sealed.cases.all():
        assert case.reference_sha256 == case.annotations.get(annotator="1").reference_sha256
