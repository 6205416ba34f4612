"""From tables of labels to rows of a results table: nothing is dropped for what a participant sent."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import metrics
from evaluation.aggregation import build_tables, check_results
from evaluation.assessment import parse
from evaluation.catalogue import Metric, register, unregister
from evaluation.cli import main
from evaluation.metrics import auroc, average_precision, brier_score
from evaluation.outcomes import Outcome, ok
from evaluation.problems.labels import ANSWER, describe_classes
from evaluation.ranking import rank
from evaluation.scoring import read_evidence, read_results, recompute, score_folders
from evaluation.scoring.assembling import assemble
from evaluation.scoring.classification_evidence import PART, regions_of, value_of
from evaluation.scoring.evidence import make_evidence
from evaluation.scoring.rows import Numbers

from .evidence_of import assessment_of, evidence_of

MODALITY = Path(__file__).parent / "modality"
"""61 microscopy images by modality, guessed from mean, spread and colour of their pixels by the nearest centroid."""


def folders(tmp_path: Path, reference: str, **predictions: str | None) -> tuple[Path, dict[str, Path]]:
    (tmp_path / "references").mkdir()
    (tmp_path / "references" / "labels.csv").write_text(reference)
    paths = {}
    for name, text in predictions.items():
        paths[name] = tmp_path / name
        paths[name].mkdir()
        if text is not None:
            (paths[name] / "labels.csv").write_text(text)
    return tmp_path / "references", paths


def values(rows: Any, algorithm: str) -> dict[tuple[str, str], Any]:
    return {(row.metric, row.region): row.value for row in rows if row.algorithm == algorithm}


def rows_of(assessment: Any, algorithm: str, evidence: Any) -> list[Any]:
    """The rows that one algorithm's pieces give, read back from its evidence."""
    block = evidence.blocks[PART, algorithm, ""]
    counts = block.counts.reshape(-1, 2).tolist()
    scores = [block.values[a:b].tolist() for a, b in pairwise(block.value_starts)]  # noqa: PD011  (no pandas)
    pieces = {case: {ANSWER: Numbers(*own)} for case, *own in zip(block.cases, counts, scores, strict=True)}
    return assemble(assessment, pieces, shared=evidence.header["shared"], algorithm=algorithm)[0]


REFERENCE = "case,label\na,cat\nb,cat\nc,dog\nd,dog\ne,owl\n"


def test_rows_are_of_the_data_set_by_class_or_over_all(tmp_path: Path) -> None:
    metrics = [{"id": "accuracy"}, {"id": "sensitivity"}, {"id": "fbeta", "options": {"class_average": "macro"}}]
    where, algorithms = folders(tmp_path, REFERENCE, net="case,label\na,cat\nb,dog\nc,dog\nd,dog\ne,owl\n")
    found = score_folders(assessment_of(metrics), where, algorithms)
    assert [(row.case, row.region, row.metric, row.image_diagonal) for row in found.rows] == [
        ("", "", "accuracy", None),
        ("", "cat", "sensitivity", None),
        ("", "dog", "sensitivity", None),
        ("", "owl", "sensitivity", None),
        ("", "", "fbeta", None),
    ]
    assert values(found.rows, "net")["sensitivity", "cat"] == 0.5
    assert values(found.rows, "net")["accuracy", ""] == 0.8
    assert not found.reasons


def test_regions_name_the_classes_of_interest_and_may_unite_several(tmp_path: Path) -> None:
    regions = [{"name": "pet", "labels": ["cat", "dog"]}, {"name": "owl", "labels": ["owl"]}]
    metrics = [{"id": "sensitivity"}, {"id": "auroc"}, {"id": "accuracy"}]
    text = "case,p_cat,p_dog,p_owl\na,.1,.7,.2\nb,.6,.2,.2\nc,.3,.3,.4\nd,0,1,0\ne,.2,.2,.6\n"
    where, algorithms = folders(tmp_path, REFERENCE, net=text)
    found = values(score_folders(assessment_of(metrics, regions=regions), where, algorithms).rows, "net")
    assert found["sensitivity", "pet"] == 0.75
    assert found["auroc", "pet"] == 1.0
    assert found["accuracy", ""] == 0.6
    assert set(found) == {
        ("sensitivity", "pet"),
        ("sensitivity", "owl"),
        ("auroc", "pet"),
        ("auroc", "owl"),
        ("accuracy", ""),
    }


def test_of_two_classes_without_regions_the_last_is_positive(tmp_path: Path) -> None:
    metrics = [{"id": "sensitivity", "options": {"score_threshold": 0.3}}, {"id": "cwce"}]
    where, algorithms = folders(tmp_path, "case,label\na,0\nb,1\nc,1\n", net="case,p_1\na,0.2\nb,0.3\nc,0.2\n")
    found = values(score_folders(assessment_of(metrics), where, algorithms).rows, "net")
    assert found["sensitivity", "1"] == 0.5
    assert set(found) == {("sensitivity", "1"), ("cwce", "1"), ("cwce", "")}


def test_the_positive_class_may_be_named(tmp_path: Path) -> None:
    options = {"positive_class": "0", "score_threshold": 0.75}
    where, algorithms = folders(tmp_path, "case,label\na,0\nb,0\nc,1\n", net="case,p_1\na,0.2\nb,0.4\nc,0.2\n")
    found = values(
        score_folders(assessment_of([{"id": "sensitivity", "options": options}]), where, algorithms).rows, "net"
    )
    assert found == {("sensitivity", "0"): 0.5}


def test_submitted_labels_go_before_scores(tmp_path: Path) -> None:
    where, algorithms = folders(tmp_path, "case,label\na,0\nb,1\n", net="case,label,p_0,p_1\na,0,.1,.9\nb,1,.9,.1\n")
    assessment = assessment_of([{"id": "accuracy"}, {"id": "auroc"}])
    assert values(score_folders(assessment, where, algorithms).rows, "net") == {
        ("accuracy", ""): 1.0,
        ("auroc", "1"): 0.0,
    }


def test_an_algorithm_without_a_table_is_missing_everywhere(tmp_path: Path) -> None:
    metrics = [{"id": "accuracy"}, {"id": "auroc"}]
    where, algorithms = folders(
        tmp_path, REFERENCE, gone=None, broken="case;label\n", empty="case,label\nx,cat\n", net=REFERENCE
    )
    found = score_folders(assessment_of(metrics), where, algorithms)
    for name in ("gone", "broken", "empty"):
        assert {row.outcome for row in found.rows if row.algorithm == name} == {Outcome.MISSING}
    assert {name for name, _ in found.reasons} == {"gone", "net"}
    assert {each.id for name in ("broken", "empty") for each in found.findings[name]} == {"row_missing"}
    assert found.unexpected == {"empty": ["x"]}


def test_scores_that_are_not_there_are_missing_for_the_metrics_that_need_them(tmp_path: Path) -> None:
    where, algorithms = folders(tmp_path, REFERENCE, net=REFERENCE)
    found = score_folders(
        assessment_of([{"id": "accuracy"}, {"id": "auroc"}, {"id": "brier_score"}]), where, algorithms
    )
    outcomes = {(row.metric, row.region): row.outcome for row in found.rows}
    assert outcomes["accuracy", ""] is Outcome.OK
    assert outcomes["brier_score", ""] is outcomes["auroc", "owl"] is Outcome.MISSING
    assert "no columns p_<class>, which auroc, brier_score need" in found.reasons["net", ""].message


def test_a_case_without_an_answer_counts_as_the_wrong_one(tmp_path: Path) -> None:
    """The costliest wrong class; of equally costly ones that which is commonest."""
    reference = "case,label\n" + "".join(f"{i},{label}\n" for i, label in enumerate("0001122"))
    complete = "case,label\n" + "".join(f"{i},{label}\n" for i, label in enumerate("000112"))
    as_commonest, as_costliest = complete + "6,0\n", complete + "6,1\n"
    costs = [[0, 1, 1], [1, 0, 1], [1, 9, 0]]
    metrics = [{"id": "mcc"}, {"id": "expected_cost", "options": {"costs": costs}, "policy": {"missing": 9}}]
    where, algorithms = folders(tmp_path, reference, gap=complete, commonest=as_commonest, costliest=as_costliest)
    found = score_folders(assessment_of(metrics), where, algorithms)
    gap = values(found.rows, "gap")
    assert gap["mcc", ""] == values(found.rows, "commonest")["mcc", ""]
    assert gap["expected_cost", ""] == values(found.rows, "costliest")["expected_cost", ""] == pytest.approx(9 / 7)
    assert [each.sentence for each in found.findings["gap"]] == ["labels.csv has no row for 6. Add a row for 6."]


def test_a_missing_case_has_the_worst_score(tmp_path: Path) -> None:
    labels, scores = [0, 0, 1, 1, 1, 0], np.array([0.2, 0.6, 0.5, 0.9, np.nan, np.nan])
    worst = np.where(np.isnan(scores), [0, 0, 0, 0, 0, 1], scores)
    metrics = [{"id": "auroc"}, {"id": "average_precision"}, {"id": "brier_score"}]
    text = "case,p_1\n" + "".join(f"{i},{score}\n" for i, score in enumerate(scores[:4]))
    where, algorithms = folders(
        tmp_path, "case,label\n" + "".join(f"{i},{y}\n" for i, y in enumerate(labels)), net=text
    )
    found = values(score_folders(assessment_of(metrics), where, algorithms).rows, "net")
    assert found["auroc", "1"] == auroc(labels, worst).value
    seen = [0, 1, 2, 3, 5]
    of_seen = average_precision(np.array(labels)[seen], worst[seen]).value
    assert found["average_precision", "1"] == pytest.approx(of_seen * 2 / 3), (
        "a positive without an answer is never found"
    )
    assert found["brier_score", ""] == pytest.approx(brier_score(labels, worst).value)


NEVER_BETTER_BY_OMISSION = [
    {"id": "sensitivity"}, {"id": "specificity"}, {"id": "ppv"}, {"id": "npv"}, {"id": "fbeta"},
    {"id": "net_benefit", "options": {"threshold_probability": 0.5}, "policy": {"missing": -1}},
    {"id": "accuracy"}, {"id": "balanced_accuracy"}, {"id": "youden_j"}, {"id": "mcc"},
    {"id": "expected_cost", "policy": {"missing": 1}}, {"id": "auroc"}, {"id": "average_precision"},
    {"id": "brier_score"}, {"id": "root_brier_score"}, {"id": "nll", "policy": {"missing": 35}},
    {"id": "ece", "options": {"n_bins": 5}}, {"id": "mce", "options": {"n_bins": 5}},
    {"id": "tce", "options": {"n_bins": 5}}, {"id": "cwce", "options": {"n_bins": 5}},
    {"id": "kce", "options": {"bandwidth": 0.3}, "policy": {"missing": 9}},
    {"id": "ece", "name": "positive", "options": {"n_bins": 4, "target": "positive_class"}},
]  # fmt: skip
OMISSION = assessment_of(NEVER_BETTER_BY_OMISSION)


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 10)), min_size=4, max_size=12),
    st.lists(st.booleans(), min_size=12, max_size=12),
)
@settings(max_examples=40, deadline=None)
def test_leaving_cases_out_never_makes_any_value_better(cases: list[tuple[int, int]], kept: list[bool]) -> None:
    """Rule 1 of section 3.3 for every metric: an under-confident model cannot hide behind gaps either."""
    labels = [label for label, _ in cases]
    labels[:2] = [0, 1]
    scores = np.array([[1 - tenth / 10, tenth / 10] for _, tenth in cases])
    answered = np.array(kept[: len(cases)])
    answered[0] = True
    honest = evidence_of(OMISSION, labels, scores=scores, classes=("0", "1"))
    gappy = evidence_of(OMISSION, labels, scores=scores, answered=answered, classes=("0", "1"))
    for use in OMISSION.metrics:
        for region in regions_of(use, honest.header["shared"]):
            before, after = (
                recompute(use, evidence.select(use.name, "a", region), np.ones(len(labels)))[0]
                for evidence in (honest, gappy)
            )
            better = after - before if use.higher_is_better else before - after
            assert not better > 1e-9, (use.name, region, before, after)


def test_omission_is_not_left_out_of_curves_and_bins() -> None:
    """An under-confident model: dropping its errors, or balancing bins with gaps, gains nothing."""
    assessment = assessment_of([{"id": "ece", "options": {"n_bins": 2}}])
    scores = [[0.3, 0.7]] * 10
    honest = evidence_of(assessment, [1] * 9 + [0], scores=scores)
    gappy = evidence_of(assessment, [1] * 9 + [0], scores=scores, answered=[False] * 2 + [True] * 8)
    use = assessment.metrics[0]
    plain = metrics.ece([1] * 7 + [0], [0.7] * 8, n_bins=2).value
    assert value_of(use, honest.select("ece", "a")).value == pytest.approx(0.2)
    assert plain < 0.2
    assert value_of(use, gappy.select("ece", "a")).value == pytest.approx((8 * plain + 2) / 10)


def test_an_undefined_class_is_left_out_for_everyone_or_nobody(tmp_path: Path) -> None:
    """Rule 2: whether a row counts depends on the reference alone."""
    regions = [{"name": name, "labels": [name]} for name in ("cat", "dog", "owl", "yak")]
    metrics = [{"id": "sensitivity"}, {"id": "auroc"}]
    careful = "case,p_cat,p_dog,p_owl,p_yak\n" + "".join(f"{case},.25,.25,.5,0\n" for case in "abcde")
    eager = "case,p_cat,p_dog,p_owl,p_yak\n" + "".join(f"{case},0,0,.5,.5\n" for case in "abcde")
    assessment = assessment_of(metrics, regions=regions)
    where, algorithms = folders(tmp_path, REFERENCE, careful=careful, eager=eager, none=None)
    rows = score_folders(assessment, where, algorithms).rows
    yak = {(row.algorithm, row.outcome, row.flag) for row in rows if row.region == "yak"}
    assert yak == {
        ("careful", Outcome.DEGENERATE, "reference"),
        ("eager", Outcome.DEGENERATE, "reference"),
        ("none", Outcome.MISSING, ""),
    }
    table = check_results(pd.DataFrame([row._asdict() for row in rows]))
    for found in build_tables(assessment, table):
        if found.region == "yak":
            assert np.isnan(found.values[0, :2]).all()  # noqa: PD011  (no data frame)


def test_classes_that_no_region_names_come_first_in_the_order_of_numbers() -> None:
    assessment = assessment_of([{"id": "accuracy"}], regions=[{"name": "high", "labels": [3]}])
    assert describe_classes(assessment, ["10", "3", "9", "none"]) == {
        "classes": ["9", "10", "none", "3"],
        "regions": {"high": [3]},
    }
    with pytest.raises(ValueError, match="only the class '3' is known"):
        describe_classes(assessment, ["3"])


def test_options_that_do_not_fit_the_classes_are_named(tmp_path: Path) -> None:
    use = {"id": "expected_cost", "options": {"costs": [[0, 1], [1, 0]]}, "policy": {"missing": 1}}
    where, algorithms = folders(tmp_path, REFERENCE, net=REFERENCE)
    with pytest.raises(ValueError, match="costs: 3 rows and columns"):
        score_folders(assessment_of([use]), where, algorithms)
    unknown = {"id": "sensitivity", "options": {"positive_class": "yak"}}
    with pytest.raises(ValueError, match="neither a region nor a class"):
        score_folders(assessment_of([unknown]), where, algorithms)


def share_of_owls(reference: Any, prediction: Any, *, floor: float = 0.0) -> Any:
    """Share of the cases that are called owl."""
    return ok(max(floor, float(np.mean(np.asarray(prediction) == "owl"))))


def test_a_metric_of_another_package_is_scored_and_resampled(tmp_path: Path) -> None:
    metric = Metric(
        id="owl_share", name="Share of owls", abbreviation="OS", categories=("ImLC",), direction="higher",
        range=(0.0, 1.0), family="multi_class_counting", function=share_of_owls, needs=frozenset({"labels"}),
        source="a test",
    )  # fmt: skip
    register(metric)
    try:
        where, algorithms = folders(tmp_path, REFERENCE, net="case,label\na,owl\nb,cat\nc,dog\nd,dog\ne,owl\n")
        assessment = parse({"problem": "image_classification", "metrics": [{"id": "owl_share"}]})
        found = score_folders(assessment, where, algorithms)
        assert values(found.rows, "net") == {("owl_share", ""): 0.4}
        evidence = evidence_of(assessment, [0, 0, 1, 1, 2], decision=[2, 0, 1, 1, 2], classes=("cat", "dog", "owl"))
        drawn = recompute(assessment.metrics[0], evidence.select("owl_share", "a"), [[2, 0, 0, 0, 3], [0, 1, 1, 0, 0]])
        assert drawn.tolist() == [1.0, 0.0]
    finally:
        unregister("owl_share")


class TestModalityOfNuclei:
    """A real data set through the command line, from tables to a ranking with intervals."""

    METRICS: list[dict[str, Any]] = [
        {"id": "accuracy"},
        {"id": "balanced_accuracy"},
        {"id": "mcc"},
        {"id": "auroc"},
        {"id": "average_precision", "options": {"class_average": "macro"}},
        {"id": "brier_score"},
        {"id": "ece"},
        {"id": "cwce"},
    ]

    @pytest.fixture
    def scored(self, tmp_path: Path) -> Path:
        import json

        document = {
            "problem": "image_classification",
            "metrics": self.METRICS,
            "ranking": {"scheme": "one_score"},
            "uncertainty": {"bootstrap": 50},
        }
        (tmp_path / "assessment.json").write_text(json.dumps(document))
        for name in ("references", "predictions"):
            (tmp_path / name).mkdir()
        (tmp_path / "references" / "labels.csv").write_bytes((MODALITY / "reference.csv").read_bytes())
        for path in sorted(MODALITY.glob("*.csv")):
            if path.stem != "reference":
                (tmp_path / "predictions" / path.stem).mkdir()
                (tmp_path / "predictions" / path.stem / "labels.csv").write_bytes(path.read_bytes())
        arguments = ["--references", "references", "--predictions", "predictions", "--each"]
        outputs = ["--output", "results.csv", "--evidence", "evidence.parquet"]
        places = [str(tmp_path / word) if not word.startswith("--") else word for word in [*arguments, *outputs]]
        assert main(["score", str(tmp_path / "assessment.json"), *places]) == 0
        return tmp_path

    def test_values_are_those_of_the_functions(self, scored: Path) -> None:
        reference = pd.read_csv(MODALITY / "reference.csv").sort_values("case")["label"].to_numpy()
        classes = sorted(set(reference))
        table = read_results(scored / "results.csv")
        for algorithm in ("brightness", "colour", "overconfident"):
            answers = pd.read_csv(MODALITY / f"{algorithm}.csv").sort_values("case")
            scores = answers[[f"p_{name}" for name in classes]].to_numpy()
            own = table[table["algorithm"] == algorithm].set_index(["metric", "region"])["value"]
            assert own["accuracy", ""] == metrics.accuracy(reference, scores, classes=classes).value
            assert own["mcc", ""] == metrics.mcc(reference, scores, classes=classes).value
            assert own["ece", ""] == pytest.approx(metrics.ece(reference, scores, classes=classes).value)
            macro = metrics.average_precision(reference, scores, class_average="macro", classes=classes)
            assert own["average_precision", ""] == pytest.approx(macro.value)
            for name in classes:
                one = {"positive_class": name, "classes": classes}
                assert own["auroc", name] == metrics.auroc(reference, scores, **one).value
                assert own["cwce", name] == pytest.approx(metrics.cwce(reference, scores, **one).value)

    def test_evidence_gives_the_values_and_their_uncertainty(self, scored: Path) -> None:
        evidence = read_evidence(scored / "evidence.parquet")
        table = read_results(scored / "results.csv").set_index(["algorithm", "metric", "region"])["value"]
        assessment = assessment_of(self.METRICS, ranking={"scheme": "one_score"}, uncertainty={"bootstrap": 50})
        for algorithm in evidence.algorithms:
            for row in rows_of(assessment, algorithm, evidence):
                assert row.value == pytest.approx(table[algorithm, row.metric, row.region], rel=1e-15)
        document = rank(assessment, read_results(scored / "results.csv"), evidence=evidence)
        accuracy = document["rankings"][0]
        assert [entry["name"] for entry in accuracy["algorithms"]] == ["colour", "brightness", "overconfident"]
        low, high = accuracy["algorithms"][0]["score_interval"]
        assert low < accuracy["algorithms"][0]["score"] < high

    def test_more_confidence_is_worse_calibrated(self, scored: Path) -> None:
        table = read_results(scored / "results.csv").set_index(["algorithm", "metric", "region"])["value"]
        assert table["overconfident", "ece", ""] > table["colour", "ece", ""]


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where, algorithms = folders(tmp_path, "case,label\na,1\na,2\n", net=REFERENCE)
    (tmp_path / "a.json").write_text('{"problem": "image_classification", "metrics": [{"id": "accuracy"}]}')
    arguments = ["--references", str(where), "--predictions", str(algorithms["net"])]
    assert main(["score", str(tmp_path / "a.json"), *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_sensitivity_by_hand_is_that_of_the_rows() -> None:
    """The functions and the rows are one implementation; a wrong sign in either would show here."""
    assessment = assessment_of([{"id": "sensitivity"}])
    evidence = evidence_of(assessment, [0, 1, 1, 1], decision=[0, 1, 0, 1])
    row = rows_of(assessment, "a", evidence)[0]
    assert row.value == metrics.sensitivity([0, 1, 1, 1], [0, 1, 0, 1]).value == 2 / 3


def test_the_ranking_counts_the_cases_without_an_answer_of_each_algorithm(tmp_path: Path) -> None:
    whole = "case,label\na,cat\nb,dog\nc,dog\nd,dog\ne,owl\n"
    where, algorithms = folders(
        tmp_path, REFERENCE, whole=whole, partial="case,label\na,cat\nb,cat\nc,bird\n", none=None
    )
    assessment = assessment_of([{"id": "accuracy"}, {"id": "balanced_accuracy"}], uncertainty={"bootstrap": 20})
    scored = score_folders(assessment, where, algorithms)
    evidence = make_evidence(assessment, scored.blocks, parts=scored.parts, shared=scored.shared)
    table = pd.DataFrame(
        [(row.algorithm, row.case, row.region, row.metric, row.value, str(row.outcome)) for row in scored.rows],
        columns=["algorithm", "case", "region", "metric", "value", "outcome"],
    )
    document = rank(assessment, table.astype({"value": float}), evidence=evidence)
    for ranking in [*document["rankings"], document["overall"]]:
        assert {entry["name"]: entry["missing"] for entry in ranking["algorithms"]} == {
            "whole": 0,
            "partial": 3,
            "none": 5,
        }
        assert ranking["cases"] == 5
