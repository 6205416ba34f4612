"""Failure detection over several data sets, and with the risks of every algorithm's own predictions."""

import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evaluation import metrics, problems
from evaluation.assessment import AssessmentError, parse
from evaluation.outcomes import Outcome
from evaluation.ranking import describe, rank
from evaluation.readers import ReadError
from evaluation.scoring import score_folders
from tests.unit.evaluation.kinds.test_figures import evidence_of, table_of
from tests.unit.evaluation.kinds.test_vectors import EXAMPLES, TIGHT, VECTORS, agrees, cases, write

METRICS = ("aurc", "e_aurc", "n_aurc", "augrc", "e_augrc", "confidence_spearman", "confidence_pearson", "mae_quality")
REAL = json.loads(Path(__file__).with_name("hippocampus_risks.json").read_text("utf-8"))
COHORTS = ["in", "in", "shift"]
"""Every third case is of the shifted data set."""
BOTH = [{"over": [name], "operator": "mean", "rerank": True} for name in ("region", "metric")]


def cohorts(number):
    return list(itertools.islice(itertools.cycle(COHORTS), number))


def real_document(**settings):
    return {
        "schema": 1,
        "problem": "failure_detection",
        "metrics": [{"id": name} for name in METRICS],
        "settings": settings,
    }


def write_real(folder, algorithms, kept=None):
    """The real risks and confidences of one algorithm as references and predictions, of all cases or of one data set."""
    names = cases(60)
    of = cohorts(60)
    inside = [place for place in range(60) if kept in (None, of[place])]
    first = REAL[algorithms[0]]["risk"]
    write(folder / "references/risk.csv", "case,risk", [(names[i], repr(first[i])) for i in inside])
    write(folder / "references/cases.csv", "case,cohort", [(names[i], of[i]) for i in inside])
    for algorithm in algorithms:
        sure = REAL[algorithm]["confidence"]
        rows = [(names[i], repr(sure[i])) for i in inside if sure[i] is not None]
        write(folder / "predictions" / algorithm / "confidence.csv", "case,confidence", rows)
    return {name: folder / "predictions" / name for name in algorithms}


def values(made):
    return {(row.algorithm, row.region, row.metric): row.value for row in made.rows if not row.case}


def test_each_data_set_has_the_values_that_it_has_alone(tmp_path):
    algorithms = sorted(EXAMPLES["hippocampus"])
    assessment = parse(real_document(dataset="cohort", pooled=True))
    assert parse(assessment.document) == assessment
    made = score_folders(assessment, tmp_path / "references", write_real(tmp_path, algorithms))
    found = values(made)
    assert len(found) == len(algorithms) * len(METRICS) * 3
    for kept in ("in", "shift", None):
        folder = tmp_path / f"only-{kept}"
        alone = values(
            score_folders(parse(real_document()), folder / "references", write_real(folder, algorithms, kept))
        )
        for algorithm, metric in itertools.product(algorithms, METRICS):
            own = alone[algorithm, "", metric]
            value = found[algorithm, kept or "", metric]
            assert value == (own if own is None else pytest.approx(own, **TIGHT)), (algorithm, kept, metric)


def test_one_data_set_is_the_default_and_leaves_documents_alone():
    plain = parse(real_document())
    assert parse(real_document(dataset=None, pooled=False, missing="reject")).document == plain.document
    assert set(plain.settings) == {"risk", "confidence_is_quality"}
    assert plain.uncertainty.strata == ()
    assert parse(real_document(dataset="cohort")).uncertainty.strata == ("cohort",)
    own = parse({**real_document(dataset="cohort"), "uncertainty": {"strata": ["scanner"]}})
    assert own.uncertainty.strata == ("scanner",)


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"pooled": True}, "settings.pooled"),
        ({"dataset": "case"}, "settings.dataset"),
        ({"dataset": 3}, "settings.dataset"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings, place):
    with pytest.raises(AssessmentError, match=place):
        parse(real_document(**settings))


def ranked(folder, **settings):
    algorithms = ["unet-a", "random-forest", "single-atlas"]
    document = real_document(**settings)
    document["metrics"] = [{"id": "aurc"}, {"id": "augrc"}]
    document["ranking"] = {"scheme": "aggregate_then_rank", "combine": BOTH}
    assessment = parse({**document, "uncertainty": {"bootstrap": 300}})
    made = score_folders(assessment, folder / "references", write_real(folder, algorithms))
    facts = pd.read_csv(folder / "references/cases.csv", dtype=str)
    return assessment, rank(assessment, table_of(made, folder), cases=facts, evidence=evidence_of(assessment, made))


def test_resamples_keep_the_size_of_each_data_set_and_statements_count_its_cases(tmp_path):
    _, document = ranked(tmp_path, dataset="cohort")
    assert document["resampling"]["strata"] == ["cohort"]
    sizes = {entry["region"]: entry["cases"] for entry in document["rankings"]}
    assert sizes == {"in": 40, "shift": 20}
    for entry in document["rankings"]:
        assert entry["resampled"]
        assert entry["sets"]["units"] == entry["drawn_units"] == entry["cases"]
        assert all(own["failure"]["of"] == entry["cases"] for own in entry["algorithms"])
    # Three rows of random-forest lack; where they are counts, and what lacks in each adds up over all.
    lacking = {
        entry["region"]: own["missing"]
        for entry in document["rankings"]
        for own in entry["algorithms"]
        if own["name"] == "random-forest"
    }
    whole = next(own for own in document["overall"]["algorithms"] if own["name"] == "random-forest")
    assert whole["missing"] == sum(lacking.values()) == REAL["random-forest"]["confidence"].count(None)
    assert whole["failure"]["of"] == document["overall"]["cases"] == 60
    # The first statement of a combined ranking rests on the smallest data set.
    assert document["overall"]["sets"]["units"] == 20


def test_a_value_over_all_data_sets_stands_beside_and_does_not_count_again(tmp_path):
    _, apart = ranked(tmp_path / "apart", dataset="cohort")
    assessment, pooled = ranked(tmp_path / "pooled", dataset="cohort", pooled=True)
    assert {entry["region"] for entry in pooled["rankings"]} == {None, "in", "shift"}
    assert pooled["overall"] == apart["overall"]
    said = describe(assessment)
    assert said[0].startswith("The cases of each cohort together, and all cases together, are scored with")
    assert "The value of all cases together stands beside that and does not count in it." in said


def test_a_case_of_no_data_set_ends_the_run(tmp_path):
    write_real(tmp_path, ["unet-a"])
    facts = tmp_path / "references/cases.csv"
    facts.write_text(facts.read_text().replace("p07,shift", "p07,").replace("p07,in", "p07,"))
    submitted = {"unet-a": tmp_path / "predictions/unet-a"}
    with pytest.raises(
        ReadError, match=r"The data set of the case p07 is not known: give the column cohort in cases\.csv"
    ):
        score_folders(parse(real_document(dataset="cohort")), tmp_path / "references", submitted)
    facts.unlink()
    with pytest.raises(ReadError, match="give the column cohort"):
        score_folders(parse(real_document(dataset="cohort")), tmp_path / "references", submitted)


def test_segmentations_are_judged_by_data_set_too(tmp_path):
    problem = problems.get("segmentation_with_confidence")
    document = problem.samples.write_challenge(tmp_path, cases=10)
    assessment = parse({**document, "settings": {**document["settings"], "dataset": "site", "pooled": True}})
    assert parse(assessment.document) == assessment
    names = [f"case-{number:02d}" for number in range(10)]
    write(tmp_path / "references/cases.csv", "case,site", [(name, "ab"[place % 2]) for place, name in enumerate(names)])
    made = score_folders(assessment, tmp_path / "references", {"near": tmp_path / "predictions/near"})
    found = {(row.metric, row.region): row for row in made.rows if not row.case}
    assert {region for metric, region in found if metric == "aurc"} == {"", "a", "b"}
    assert {row.region for row in made.rows if row.metric == "dsc"} == {"core", "whole"}
    evidence = evidence_of(assessment, made)
    own = evidence.select("aurc", "near", "a")
    once = np.ones((1, 10))
    of_site = np.array([[place % 2 == 0 for place in range(10)]], dtype=float)
    use = assessment.metrics[1]
    # The value of a data set is that of the whole with its cases alone.
    whole = evidence.select("aurc", "near", "")
    assert problem.recompute(use, own, once).result().value == pytest.approx(
        problem.recompute(use, whole, of_site).result().value, rel=1e-12
    )


# Risks of every algorithm's own predictions -----------------------------------------------------------------------------

WORKED = VECTORS["failure_detection-01"]["input"]
NAMES = cases(6)


def own_risks(folder, *, lost=(), confidences=None, algorithms=("a", "b"), form="algorithm,case,risk"):
    """The worked example as risks of each algorithm; `lost` are cases for which the first one has no prediction."""
    rows = []
    for algorithm in algorithms:
        for case, risk in zip(NAMES, WORKED["risk"], strict=True):
            is_lost = case in lost and algorithm == algorithms[0]
            if form == "algorithm,case,risk":
                rows.append((algorithm, case, None if is_lost else risk))
            else:
                rows.append((algorithm, case, "", "risk", None if is_lost else risk, "missing" if is_lost else "ok"))
                rows.append((algorithm, case, "", "other", 5, "ok"))
    write(folder / "references/risk.csv", form, rows)
    for algorithm in algorithms:
        sure = zip(NAMES, confidences or WORKED["confidence"], strict=True)
        write(folder / "predictions" / algorithm / "confidence.csv", "case,confidence", sure)
    return {name: folder / "predictions" / name for name in algorithms}


def of_worked(folder, metric="aurc", *, missing="reject", **own):
    document = {"problem": "failure_detection", "metrics": [{"id": metric}], "settings": {"missing": missing}}
    submitted = own_risks(folder, **own)
    return score_folders(parse(document), folder / "references", submitted)


RESULTS_TABLE = "algorithm,case,region,metric,value,outcome"


@pytest.mark.parametrize("form", ["algorithm,case,risk", RESULTS_TABLE])
@pytest.mark.parametrize(("missing", "value"), [("reject", 0.151833), ("silent", 0.477556)])
def test_a_case_without_a_prediction_is_rejected_or_silent(form, missing, value, tmp_path):
    """E4 of the reference: the last case of its worked example has no output."""
    made = of_worked(tmp_path, missing=missing, lost=("p05",), form=form)
    found = {row.algorithm: row.value for row in made.rows if not row.case}
    assert found["a"] == pytest.approx(value, abs=1e-6)
    assert found["b"] == pytest.approx(VECTORS["failure_detection-01"]["value"], **TIGHT)
    risk = np.array([*WORKED["risk"][:5], 1.0])
    sure = np.array([*WORKED["confidence"][:5], np.inf if missing == "silent" else -np.inf])
    assert found["a"] == pytest.approx(metrics.aurc(risk, sure).value, **TIGHT)


@pytest.mark.parametrize("missing", ["reject", "silent"])
def test_a_prediction_without_a_confidence_is_rejected_with_its_risk_either_way(missing, tmp_path):
    vector = VECTORS["failure_detection-18"]
    made = of_worked(tmp_path, missing=missing, confidences=vector["input"]["confidence"])
    for row in made.rows:
        agrees(row, vector)


def scored(folder, **settings):
    """Real values of three algorithms, with all that ranking them takes."""
    document = real_document(**settings)
    document |= {"metrics": [{"id": "aurc"}], "uncertainty": {"bootstrap": 20}}
    assessment = parse(document)
    made = score_folders(assessment, folder / "references", write_real(folder, ["unet-a", "random-forest"]))
    facts = pd.read_csv(folder / "references/cases.csv", dtype=str)
    return assessment, table_of(made, folder), facts, evidence_of(assessment, made)


def test_a_data_set_of_which_every_case_is_excluded_is_ranked_no_more(tmp_path):
    assessment, table, facts, evidence = scored(tmp_path, dataset="cohort")
    shifted = facts.loc[facts["cohort"] == "shift", "case"]
    rule = {"cases": [{"case": case, "reason": "duplicate"} for case in shifted]}
    fewer = parse({**assessment.document, "exclusions": rule})
    entries = rank(fewer, table, cases=facts, evidence=evidence)["rankings"]
    assert [(entry["region"], entry["cases"]) for entry in entries] == [("in", 40)]
    both = rank(assessment, table, cases=facts, evidence=evidence)["rankings"]
    assert [(entry["region"], entry["cases"]) for entry in both] == [("in", 40), ("shift", 20)]
    assert [row["score"] for row in entries[0]["algorithms"]] == [row["score"] for row in both[0]["algorithms"]]


def test_values_without_evidence_are_ranked_though_nothing_is_known_of_cases(tmp_path):
    assessment, table, facts, evidence = scored(tmp_path, dataset="cohort")
    whole = rank(assessment, table, cases=facts, evidence=evidence)
    for known in (facts, None):
        bare = rank(assessment, table, cases=known)
        assert [entry["cases"] for entry in bare["rankings"]] == [0, 0]
        for entry, same in zip(bare["rankings"], whole["rankings"], strict=True):
            assert not entry["resampled"]
            assert [row["rank"] for row in entry["algorithms"]] == [row["rank"] for row in same["algorithms"]]


def test_unanswered_cases_are_those_without_a_confidence_whatever_the_reason(tmp_path):
    document = {"problem": "failure_detection", "metrics": [{"id": "aurc"}, {"id": "risk"}]}
    assessment = parse(document)
    submitted = own_risks(tmp_path, lost=("p05",), confidences=[0.9, None, 0.8, 0.8, 0.6, 0.3])
    made = score_folders(assessment, tmp_path / "references", submitted)
    kind, evidence = problems.get("failure_detection"), evidence_of(assessment, made)
    counts = {name: kind.evidence.unanswered_cases(evidence.select("aurc", name, "")) for name in ("a", "b")}
    assert counts == {"a": 2, "b": 1}
    of_case = {(row.algorithm, row.case): row for row in made.rows if row.metric == "risk"}
    assert of_case["a", "p05"].outcome is Outcome.MISSING
    assert of_case["b", "p05"].value == 0.9


def test_who_sends_nothing_that_can_be_read_has_no_value(tmp_path):
    document = {"problem": "failure_detection", "metrics": [{"id": "aurc"}]}
    submitted = own_risks(tmp_path)
    (tmp_path / "predictions/a/confidence.csv").write_text("case,sure\np00,1\n")
    made = score_folders(parse(document), tmp_path / "references", submitted)
    assert {row.algorithm: str(row.outcome) for row in made.rows} == {"a": "missing", "b": "ok"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text + "a,p00,0.5\n", "a second row for a and the case p00 (rows 2 and 14)"),
        (
            lambda text: text.replace("b,p03,0.4\n", ""),
            "no row of b for the case p03; expected one, with an empty risk",
        ),
        (lambda text: text.replace("b,p03,0.4", "b,p03,nan"), "'nan' as risk in row"),
        (lambda text: text.replace("b,p03,0.4", "b,p03,-1"), "'-1' as risk in row"),
        (lambda text: text.replace("b,p03,0.4", "b,p03,1.5"), "'1.5' as risk in row 11; expected a number from 0 to 1"),
        (lambda text: text.replace("b,", "c,"), "the references have no risks of 'b': add its rows to risk.csv"),
        (lambda text: text.replace("risk", "danger"), "no column risk; expected the columns algorithm, case, risk"),
    ],
)
def test_references_that_cannot_be_taken_are_told_in_one_line(change, message, tmp_path):
    document = {"problem": "failure_detection", "metrics": [{"id": "aurc"}, {"id": "n_aurc"}]}
    submitted = own_risks(tmp_path)
    table = tmp_path / "references/risk.csv"
    table.write_text(change(table.read_text()))
    with pytest.raises(ValueError) as caught:
        score_folders(parse(document), tmp_path / "references", submitted)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_outcome_that_contradicts_its_value_is_told(tmp_path):
    submitted = own_risks(tmp_path, form=RESULTS_TABLE)
    table = tmp_path / "references/risk.csv"
    table.write_text(table.read_text().replace("0.4,ok", "0.4,missing", 1))
    document = {"problem": "failure_detection", "metrics": [{"id": "aurc"}]}
    with pytest.raises(ReadError, match="the outcome 'missing' with a value in row 8"):
        score_folders(parse(document), tmp_path / "references", submitted)


def test_who_is_surer_than_everybody_is_so_for_the_correlation_too():
    risk, sure = np.array([0.1, 0.2, 0.9, 1.0]), np.array([0.9, 0.8, 0.1, np.inf])
    shown = metrics.confidence_pearson(risk, sure).value
    assert shown == pytest.approx(np.corrcoef(1 - risk, [0.9, 0.8, 0.1, 0.9])[0, 1], rel=1e-12)
