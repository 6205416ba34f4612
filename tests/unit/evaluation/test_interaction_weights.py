"""Registered weights of levels of interaction: values of methods that need a person count less, before anything is ranked."""

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import AssessmentError, parse
from evaluation.federation.errors import FederationError
from evaluation.federation.scheme import site_schemes
from evaluation.ranking import describe, rank

DOCUMENT = {
    "problem": "semantic_segmentation",
    "regions": [{"name": "whole", "labels": [1]}],
    "metrics": [{"id": "dsc"}],
    "interaction_weights": {"fully_automatic": 1, "semi_automatic": 0.9},
    "uncertainty": {"bootstrap": 50, "seed": 1},
}


def results(**levels):
    draw = np.random.default_rng(1)
    difficulty = draw.normal(0, 0.02, 25)
    rows = [
        (name, f"c{case}", "whole", "dsc", float(np.clip(level + difficulty[case], 0, 1)), "ok", 10.0, levels.get(name, ""))
        for name, level in (("a", 0.8), ("b", 0.85))
        for case in range(25)
    ]  # fmt: skip
    columns = ["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal", "level"]
    return pd.DataFrame(rows, columns=columns)


def ranks(document, table):
    return {entry["name"]: entry["rank"] for entry in rank(parse(document), table)["overall"]["algorithms"]}


def test_an_automatic_method_passes_a_slightly_better_one_that_needs_a_person():
    table = results(a="fully_automatic", b="semi_automatic")
    assert ranks(DOCUMENT, table) == {"a": 1, "b": 2}
    without = {key: value for key, value in DOCUMENT.items() if key != "interaction_weights"}
    assert ranks(without, table) == {"a": 2, "b": 1}


def test_a_method_whose_level_is_not_known_counts_like_the_lowest():
    assert ranks(DOCUMENT, results(a="fully_automatic")) == {"a": 1, "b": 2}
    assert ranks(DOCUMENT, results(b="fully_automatic")) == {"a": 2, "b": 1}
    assert ranks(DOCUMENT, results().drop(columns="level")) == {"a": 2, "b": 1}


def test_distances_without_a_worst_end_are_divided_by_the_weight_and_missing_cases_keep_their_policy():
    document = {**DOCUMENT, "metrics": [{"id": "assd"}], "interaction_weights": {"semi_automatic": 0.5}}
    table = results(a="semi_automatic", b="semi_automatic").assign(metric="assd")
    table.loc[0, ["value", "outcome"]] = [np.nan, "missing"]
    found = rank(parse(document), table)["rankings"][0]["algorithms"]
    plain = {key: value for key, value in document.items() if key != "interaction_weights"}
    before = {entry["name"]: entry["score"] for entry in rank(parse(plain), table)["rankings"][0]["algorithms"]}
    scores = {entry["name"]: entry["score"] for entry in found}
    assert scores["b"] == pytest.approx(2 * before["b"])
    assert scores["a"] == pytest.approx(2 * before["a"] - 10 / 25)


@pytest.mark.parametrize(
    ("weights", "metrics", "words"),
    [
        ({"semi_automatic": 0}, [{"id": "dsc"}], "above 0"),
        ({"by_hand": 0.5}, [{"id": "dsc"}], "by_hand"),
        ({}, [{"id": "dsc"}], "fully_automatic"),
    ],
)
def test_weights_that_cannot_be_followed_are_refused(weights, metrics, words):
    with pytest.raises(AssessmentError, match=words):
        parse({**DOCUMENT, "metrics": metrics, "interaction_weights": weights})


def test_a_federation_refuses_weights_that_its_sites_cannot_apply():
    with pytest.raises(FederationError, match="sites do not know"):
        site_schemes(parse({**DOCUMENT, "uncertainty": {"strata": ["site"]}}), "site")


def test_the_assessment_says_it_and_its_digest_covers_it():
    assessment = parse(DOCUMENT)
    assert any("semi automatic 0.9" in sentence for sentence in describe(assessment))
    assert parse(assessment.document) == assessment
    other = {**DOCUMENT, "interaction_weights": {"fully_automatic": 1, "semi_automatic": 0.8}}
    assert parse(other).digest != assessment.digest
