"""Scoring image metrics in an assessment: permitted declarations, errors, and exclusions from scoring here."""

from typing import Any

import pytest

from evaluation.assessment import AssessmentError, parse
from evaluation.assessment.scorers import declared_metrics, left_out_words
from evaluation.federation import FederationError
from evaluation.federation.scheme import site_schemes
from evaluation.running.scorer_rows import DeclaredMetric

IMAGE = f"sha256:{'a' * 64}"
OWN = {"id": "own_dice", "by": "scorer", "direction": "higher", "range": [0, 1]}
FAR = {"id": "seam", "by": "scorer", "direction": "lower", "range": [0, None], "unit": "mm", "policy": {"missing": 50}}


def document(*metrics: dict[str, Any], **more: Any) -> dict[str, Any]:
    regions = [{"name": "liver", "labels": [1]}]
    own = {"schema": 1, "problem": "semantic_segmentation", "regions": regions, "metrics": list(metrics)}
    return own | {"scorer": {"image": IMAGE}} | more


def test_a_declared_metric_is_complete_and_the_same_after_parsing_again() -> None:
    assessment = parse(document({"id": "dsc"}, OWN, FAR))

    assert parse(assessment.document) == assessment
    assert [use.name for use in assessment.computed] == ["dsc"]
    assert [use.name for use in assessment.by_scorer] == ["own_dice", "seam"]
    assert assessment.scorer["image"] == IMAGE
    own, far = assessment.by_scorer
    assert (own.policy.both_empty, own.policy.missing) == ("perfect", "worst")
    assert (far.policy.pred_empty, far.policy.missing) == (50.0, 50.0)


def test_the_image_is_told_what_its_own_checks_read() -> None:
    told = declared_metrics(parse(document({"id": "dsc"}, OWN, FAR)).metrics)

    own, far = (DeclaredMetric.read(entry) for entry in told)
    assert (own.perfect, own.low, own.high) == (1, 0, 1)
    assert (far.perfect, far.worst, far.unit) == (0, 50, "mm")


def test_another_image_is_another_assessment() -> None:
    other = parse(document(OWN, scorer={"image": f"sha256:{'b' * 64}"}))

    assert parse(document(OWN)).digest != other.digest


@pytest.mark.parametrize(
    ("written", "says"),
    [
        (document({**OWN, "range": [0, None]}), "whose better end is a number"),
        (document({**OWN, "id": "dsc"}), "no id of the catalogue"),
        (document({**FAR, "policy": {}}), "has no worst value"),
        (document({**OWN, "policy": {"missing": "exclude"}}), "participants cannot choose"),
        (document(OWN, scorer={"image": "scorer:latest"}), "the id of an image"),
        (document(OWN, scorer={"image": IMAGE, "cpus": 0}), "a number of 0.1 or more"),
        (document({"id": "dsc"}), "no metric is declared for one"),
        (document(OWN, {**OWN, "label": "again"}), "stand there once"),
        (document(OWN, problem="registration", settings={"field": "voxel"}), "takes none"),
    ],
)
def test_what_no_image_could_answer_is_refused(written: dict[str, Any], says: str) -> None:
    with pytest.raises(AssessmentError, match=says):
        parse(written)


def test_a_metric_without_an_image_is_refused() -> None:
    written = document(OWN)
    del written["scorer"]

    with pytest.raises(AssessmentError, match="the id of the scoring image that computes own_dice"):
        parse(written)


def test_who_scores_without_the_image_is_told_what_is_left_out() -> None:
    assert left_out_words(parse(document({"id": "dsc"}, OWN))) == (
        f"own_dice is left out: the scoring image {IMAGE} computes it."
    )
    assert left_out_words(parse(document(OWN, FAR))).startswith("own_dice and seam are left out: ")


def test_sites_do_not_run_scoring_images() -> None:
    with pytest.raises(FederationError, match="'own_dice' is computed by a scoring image, which sites do not run"):
        site_schemes(parse(document({"id": "dsc"}, OWN, uncertainty={"strata": ["site"]})), "site")
