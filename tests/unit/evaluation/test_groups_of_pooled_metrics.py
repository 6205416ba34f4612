"""Values of the whole data set in groups of its cases equal those that scoring these cases alone gives, for every kind."""

import csv
import math
import shutil

import numpy as np
import pandas as pd
import pytest

from evaluation import problems
from evaluation.analyses.case_groups import FEWEST_CASES, groupings
from evaluation.analyses.sources import Sources
from evaluation.assessment import parse
from evaluation.documents import DocumentBuilder
from evaluation.outcomes import Outcome
from evaluation.ranking import rank
from evaluation.ranking.characteristics import Characteristic
from evaluation.ranking.comparison import by_column
from evaluation.ranking.counted import of_cases, recomputable
from evaluation.reporting.further import groups_section
from evaluation.scoring import score_folders
from tests.unit.evaluation.kinds.test_figures import evidence_of, table_of
from tests.unit.evaluation.test_ranking_dataset_level import ASSESSMENT, CASES, answers, results_of
from tests.unit.evaluation.test_ranking_dataset_level import evidence_of as evidence_of_answers

ALGORITHMS = ("near", "far")
KINDS = sorted(problem.id for problem in problems.scored_problems())
BOX = {"localization_criterion": "loc_box_iou"}
MORE = {
    "object_detection": [
        {"id": "fbeta", "name": "f1", "options": BOX},
        {"id": "fppi", "options": BOX, "policy": {"missing": 10}},
    ],
    "image_classification": [{"id": "ece", "options": {"target": "top_label"}}],
}
"""Data-set-level metrics that the example of a kind does not have."""


def data_set_metrics(assessment):
    return {metric.name for metric in assessment.metrics if metric.level == "dataset"}


def scored(assessment, folder):
    return score_folders(
        assessment, folder / "references", {name: folder / "predictions" / name for name in ALGORITHMS}
    )


def keep_cases(folder, chosen, every):
    """Leave nothing of the other cases in the tables and files of a folder."""
    for path in sorted(folder.rglob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        if rows and "case" in rows[0]:
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, rows[0])
                writer.writeheader()
                writer.writerows(row for row in rows if row["case"] in chosen)
    for path in sorted(folder.rglob("*"), reverse=True):
        owner = next(
            (case for case in every if path.name == case or path.name.startswith((f"{case}.", f"{case}_"))), None
        )
        if path.exists() and owner is not None and owner not in chosen:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def values(made):
    return {(row.algorithm, row.region, row.metric): (row.outcome, row.value) for row in made.rows if not row.case}


@pytest.mark.parametrize("kind", KINDS)
def test_a_group_has_the_values_that_its_cases_have_alone(kind, tmp_path):
    document = problems.get(kind).samples.write_challenge(tmp_path, cases=12, algorithms=ALGORITHMS)
    document["metrics"] += MORE.get(kind, [])
    document["uncertainty"] = {"bootstrap": 20, "seed": 1}
    assessment = parse(document)
    pooled = data_set_metrics(assessment)
    if not pooled:
        pytest.skip("no metric of the example has one value for the whole data set")
    made = scored(assessment, tmp_path)
    evidence, results = evidence_of(assessment, made), table_of(made, tmp_path)
    generator = np.random.default_rng(len(kind))
    for size in (5, 8):
        chosen = set(generator.choice(evidence.cases, size, replace=False))
        part, _ = of_cases(assessment, results, chosen, evidence=evidence)
        folder = tmp_path.with_name(f"{tmp_path.name}-{size}")
        shutil.copytree(tmp_path, folder)
        keep_cases(folder, chosen, evidence.cases)
        alone = values(scored(assessment, folder))
        whole = part[part["case"].isna() | (part["case"] == "")]
        assert len(whole) == len(alone) > 0
        for row in whole.itertuples():
            outcome, value = alone[row.algorithm, "" if pd.isna(row.region) else row.region, row.metric]
            assert str(row.outcome) == str(outcome), row
            if value is None:
                assert math.isnan(row.value), row
            else:
                assert row.value == pytest.approx(value, rel=1e-9, abs=1e-12), row


def test_most_kinds_have_metrics_of_the_whole_data_set(tmp_path):
    found = [
        kind
        for kind in KINDS
        if data_set_metrics(
            parse(problems.get(kind).samples.write_challenge(tmp_path / kind, cases=6, algorithms=ALGORITHMS))
        )
    ]
    assert {"object_detection", "image_classification", "failure_detection"} <= set(found), found


@pytest.fixture(scope="module")
def right():
    return answers({"good": 0.95, "alike": 0.9, "weak": 0.3})


def cases(groups, **more):
    return pd.DataFrame({"case": list(CASES), "tumour": groups, **more})


def grouped(right, table, column="tumour"):
    known = [Characteristic(column, column, "name", table.set_index("case")[column])]
    return groupings(ASSESSMENT, results_of(right), table.astype(str), known, evidence_of_answers(right))


def test_groups_are_ranked_by_values_of_their_cases_with_intervals(right):
    table = cases(["glioma", "melanoma"] * 20)
    [found] = grouped(right, table)
    for label, start in (("glioma", 0), ("melanoma", 1)):
        entry = found.documents[label]["rankings"][0]
        assert (entry["cases"], entry["resampled"]) == (20, True)
        for algorithm in entry["algorithms"]:
            own = right[algorithm["name"]][start::2]
            assert algorithm["score"] == pytest.approx(own.mean())
            low, high = algorithm["score_interval"]
            assert low <= own.mean() <= high
        assert entry["drawn_units"] == 20


def test_clusters_are_resampled_whole_in_groups(right):
    table = cases(["glioma", "melanoma"] * 20, patient=[f"p{index // 8}" for index in range(40)])
    document = ASSESSMENT.document | {
        "aggregation": {"levels": ["case", "patient"], "operator": "mean"},
        "uncertainty": {"bootstrap": 50, "resample": ["patient"]},
    }
    assessment = parse(document)
    made = by_column(assessment, results_of(right), table, "tumour", evidence=evidence_of_answers(right))
    assert {label: one["rankings"][0]["drawn_units"] for label, one in made["documents"].items()} == {
        "glioma": 5,
        "melanoma": 5,
    }


def test_a_group_in_which_a_metric_is_undefined_says_so(right):
    unanswered = {name: values.copy() for name, values in right.items()}
    for values in unanswered.values():
        values[1::2] = np.nan
    shown = {name: values[~np.isnan(values)] for name, values in unanswered.items()}
    table = cases(["glioma", "melanoma"] * 20)
    part, _ = of_cases(ASSESSMENT, results_of(shown), set(CASES[1::2]), evidence=evidence_of_answers(unanswered))
    assert set(part["outcome"].astype(str)) == {Outcome.DEGENERATE}
    known = [Characteristic("tumour", "tumour", "name", table.set_index("case")["tumour"])]
    [found] = groupings(ASSESSMENT, results_of(shown), table, known, evidence_of_answers(unanswered))
    assert found.problems == ["Undefined on the cases of melanoma: Acc (degenerate)."]


def test_what_references_alone_leave_undefined_has_no_score_in_the_group(tmp_path):
    document = problems.get("object_detection").samples.write_challenge(tmp_path, cases=12, algorithms=ALGORITHMS)
    document["uncertainty"] = {"bootstrap": 20, "seed": 1}
    path = tmp_path / "references/objects.csv"
    table = pd.read_csv(path, dtype=str)
    names = sorted(set(table["case"]))
    table[~(table["case"].isin(names[:6]) & (table["class"] == "node"))].to_csv(path, index=False)
    assessment = parse(document)
    made = scored(assessment, tmp_path)
    domains = pd.DataFrame({"case": names, "domain": ["without"] * 6 + ["with"] * 6})
    known = [Characteristic("domain", "domain", "name", domains.set_index("case")["domain"])]
    [found] = groupings(assessment, table_of(made, tmp_path), domains, known, evidence_of(assessment, made))
    by_region = {
        entry["region"]: entry
        for entry in found.documents["without"]["rankings"]
        if entry["metric"] == "average_precision"
    }
    assert [(row["score"], row["score_interval"]) for row in by_region["node"]["algorithms"]] == [(None, None)] * 2
    assert {row["name"]: row["score"] for row in by_region["lesion"]["algorithms"]} == {"near": 1, "far": 0}
    assert found.problems == ["Undefined on the cases of without: AP, node (degenerate)."]


def test_groups_with_too_few_cases_are_said(right):
    [found] = grouped(right, cases(["glioma"] * 20 + ["melanoma"] * 17 + ["rare"] * 3))
    assert set(found.documents) == {"glioma", "melanoma"}
    assert found.left_out == [f"Groups not ranked: 1 with fewer than {FEWEST_CASES} cases."]


def test_without_stored_evidence_there_are_no_groups(right):
    assert not recomputable("accuracy", None)
    known = [Characteristic("tumour", "tumour", "name", cases(["a", "b"] * 20).set_index("case")["tumour"])]
    assert groupings(ASSESSMENT, results_of(right), None, known, None) == []


def test_groups_are_withheld_by_the_policy_for_single_cases(right):
    table = cases(["glioma", "melanoma"] * 20)
    evidence = evidence_of_answers(right)
    document = rank(ASSESSMENT, results_of(right), evidence=evidence)

    def sources(kept):
        return Sources(
            document, ASSESSMENT, results_of(right), None, table, read_evidence=lambda: evidence, kept=frozenset(kept)
        )

    assert [grouping.title for grouping in sources(()).subgroups] == ["tumour"]
    assert sources(("accuracy",)).subgroups == []


def test_a_report_has_a_table_of_values_in_groups(right):
    table = cases(["glioma", "melanoma"] * 20)
    evidence = evidence_of_answers(right)
    document = rank(ASSESSMENT, results_of(right), evidence=evidence)
    page = DocumentBuilder()
    groups_section(page, Sources(document, ASSESSMENT, results_of(right), None, table, read_evidence=lambda: evidence))
    ranks, leads, values = [block for block in page.blocks if block.kind == "table"]
    assert leads.columns == ("Group", "Cases", "First place", "Ahead of", "Lead over the best of the others")
    assert ranks.columns == values.columns
    [good] = [dict(zip(values.columns, row, strict=True)) for row in values.rows if row[0] == "good"]
    own = right["good"]
    for label, expected in (("All cases", own), ("glioma", own[::2]), ("melanoma", own[1::2])):
        score, interval = good[label].split(" (")
        assert float(score) == pytest.approx(expected.mean(), abs=1e-3)
        assert " to " in interval
