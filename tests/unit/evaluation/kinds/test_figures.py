"""Figures that failure detection, regression and survival have of their own, against numbers computed in other ways."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest
from scipy import stats

from evaluation import metrics, problems
from evaluation.assessment import parse
from evaluation.figures.agreement_limits import limits_of_agreement
from evaluation.figures.confidence_quality import passed_risk
from evaluation.figures.markup import for_plotly
from evaluation.figures.publication import printed
from evaluation.figures.risk_coverage import band_of, points, risk_coverage
from evaluation.figures.survival_groups import HIGH, LOW, MIDDLE, WITHOUT, thirds
from evaluation.figures.survival_over_time import like_groups, observed
from evaluation.metrics.confidence_values import BY_CONFIDENCE
from evaluation.metrics.survival_values import event_free_survival, followed, survival_reach
from evaluation.problems.evidence_figures import MOST_PANELS, EvidenceFigure
from evaluation.ranking import rank
from evaluation.reporting import build_report
from evaluation.scoring import read_results, score_folders, write_results
from evaluation.scoring.evidence import make_evidence
from tests.unit.evaluation.kinds.test_vectors import VECTORS, vectors

KINDS = ("failure_detection", "regression", "survival")
DOCUMENT = {"rankings": [{"algorithms": [{"name": "a"}, {"name": "b"}]}], "overall": None}


def area_below(trace):
    """Of a curve that holds each height until its next point."""
    return float(np.diff(trace["x"]) @ np.asarray(trace["y"])[:-1])


def scored(name, folder, algorithms=("near", "far"), cases=12):
    """A small challenge of a kind: assessment, results, evidence, ranking document."""
    problem = problems.get(name)
    document = problem.samples.write_challenge(folder, cases=cases, algorithms=algorithms)
    document["ranking"] = {"scheme": "aggregate_then_rank"}
    assessment = parse({**document, "uncertainty": {"bootstrap": 20, "seed": 1}})
    submitted = {each: folder / "predictions" / each for each in algorithms}
    made = score_folders(assessment, folder / "references", submitted)
    results = table_of(made, folder)
    evidence = evidence_of(assessment, made)
    return assessment, results, evidence, rank(assessment, results, evidence=evidence)


def evidence_of(assessment, made):
    return make_evidence(assessment, made.blocks, parts=made.parts, shared=made.shared)


def table_of(made, folder):
    """The results table as it is written and read."""
    write_results(made.rows, folder / "results.csv")
    return read_results(folder / "results.csv")


def by_steps(vector):
    """Return whether the vector is the area below a step curve with every case once."""
    return (
        vector["metric"] == "aurc"
        and "multiplicity" not in vector["input"]
        and vector["options"].get("rule", "step") == "step"
    )


@pytest.mark.parametrize("vector", [v for v in vectors("failure_detection") if by_steps(v.values[0])])
def test_the_area_below_the_curve_is_the_aurc_of_the_reference(vector):
    given = vector["input"]
    sure = np.array([-np.inf if value is None else value for value in given["confidence"]])
    made = risk_coverage(DOCUMENT, {"a": (np.array(given["risk"]), sure)})
    assert area_below(made["data"][0]) == pytest.approx(vector["value"], rel=1e-9)


def test_the_curve_the_best_order_and_no_order_at_all():
    risk, sure = np.array([0.0, 0.4, 0.2, 1.0]), np.array([0.9, 0.9, 0.5, -np.inf])
    coverage, mean = points(risk, sure)
    assert coverage == pytest.approx([0.5, 0.75, 1.0])
    assert mean == pytest.approx([0.2, 0.2, 0.4])
    made = risk_coverage(DOCUMENT, {"a": (risk, sure), "b": (risk, -sure)}, working_points=[0.5])
    drawn = {trace["name"]: trace for trace in made["data"]}
    assert list(drawn) == ["a", "b", "best order", "no order"]
    excess = area_below(drawn["a"]) - area_below(drawn["best order"])
    assert excess == pytest.approx(metrics.e_aurc(risk, sure).value)
    assert area_below(drawn["no order"]) == pytest.approx(risk.mean())
    assert [line["x0"] for line in made["layout"]["shapes"]] == [0.5]
    # Where algorithms have risks of their own, there is no best order for all.
    made = risk_coverage(DOCUMENT, {"a": (risk, sure), "b": (risk / 2, sure)})
    assert [trace["name"] for trace in made["data"]] == ["a", "b"]
    assert "differs by algorithm" in made["remarks"][0]
    assert risk_coverage(DOCUMENT, {"a": (np.zeros(0), np.zeros(0))}) is None


@pytest.mark.parametrize("vector", [v for v in vectors("regression") if v.values[0]["metric"] == "loa_width"])
def test_limits_lie_as_far_apart_as_the_reference_says(vector):
    given = vector["input"]
    found = limits_of_agreement(np.subtract(given["prediction"], given["reference"]).astype(float))
    assert found.upper - found.lower == pytest.approx(vector["value"], rel=1e-9)


def test_limits_and_their_intervals_by_another_way():
    difference = np.array([0.3, -0.2, 0.5, 0.1, 0.9, -0.4, 0.2])
    found = limits_of_agreement(difference)
    interval = stats.ttest_1samp(difference, 0).confidence_interval(0.95)
    assert (found.bias - found.bias_reach, found.bias + found.bias_reach) == pytest.approx(tuple(interval))
    # The variance of bias ± 1.96 s, s² being scaled chi-squared, is checked by simulation.
    drawn = np.random.default_rng(1).normal(size=(100_000, 30))
    limits = drawn.mean(axis=1) + 1.96 * drawn.std(axis=1, ddof=1)
    alike = limits_of_agreement(stats.norm.ppf((np.arange(30) + 0.5) / 30))
    spread = (alike.upper - alike.bias) / 1.96
    assert alike.limit_reach / stats.t.ppf(0.975, 29) / spread == pytest.approx(limits.std(), rel=0.02)
    assert limits_of_agreement(np.array([1.0])) is None


def test_survival_of_the_reference():
    given = VECTORS["survival-km"]["input"]
    # With events and censorings exchanged, and nobody leaving at the same time, both estimates are one.
    apart = np.array(given["time"]) + 1e-9 * (1 - np.array(given["event"]))
    found = event_free_survival(followed(np.column_stack([apart, 1 - np.array(given["event"])])))
    steps = dict(zip(np.round(found.times, 6).tolist(), found.survival.tolist(), strict=True))
    assert steps == pytest.approx(dict(VECTORS["survival-km"]["value"]), abs=1e-11)


def test_survival_by_another_way():
    generator = np.random.default_rng(2)
    table = np.column_stack([generator.integers(1, 15, 60), generator.integers(0, 2, 60)]).astype(float)
    found = event_free_survival(followed(table))
    censored = stats.CensoredData.right_censored(table[:, 0], table[:, 1] == 0)
    other = stats.ecdf(censored).sf
    assert found.survival == pytest.approx(other.evaluate(found.times), abs=1e-12)
    assert found.at_risk.tolist() == [int((table[:, 0] >= time).sum()) for time in found.times]


def test_thirds_keep_equal_risks_together_and_those_without_an_answer_apart():
    risk, answered = np.array([5.0, 1.0, 3.0, 3.0, 0.0, 9.0, 2.0]), np.ones(7, dtype=bool)
    answered[4] = False
    groups = thirds(risk, answered)
    assert {name: risk[own].tolist() for name, own in groups.items()} == {
        LOW: [1.0, 2.0],
        MIDDLE: [3.0, 3.0],
        HIGH: [5.0, 9.0],
        WITHOUT: [0.0],
    }
    assert list(thirds(np.ones(6), np.ones(6, dtype=bool))) == [MIDDLE]
    assert list(thirds(np.ones(2), np.zeros(2, dtype=bool))) == [WITHOUT]


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_draws_what_it_declares_for_every_region_and_the_report_shows_it(name, tmp_path):
    algorithms = tuple(f"algorithm {place}" for place in range(MOST_PANELS + 1))
    assessment, results, evidence, document = scored(name, tmp_path, algorithms)
    regions = {block.region for block in evidence.blocks.values()}
    pooled = [entry for entry in document["rankings"] if assessment.metric(entry["metric"]).level == "dataset"]
    assert {entry["region"] or "" for entry in pooled} == regions
    page = build_report(assessment, results, evidence=evidence, document=document)
    without = build_report(assessment, results, document=document)
    for figure in [one for one in problems.get(name).evidence.figures if isinstance(one, EvidenceFigure)]:
        for entry in pooled:
            made = figure.of_entry(assessment, evidence, document, entry)
            assert json.loads(json.dumps(made, allow_nan=False))["data"]
            go.Figure({key: for_plotly(made)[key] for key in ("data", "layout")})
        assert len(printed(made, description="words").png) > 1000
        for entry in document["rankings"]:
            if entry not in pooled:
                assert figure.of_entry(assessment, evidence, document, entry) is None
        assert figure.of_entry(assessment, None, document, pooled[0]) is None
        assert page.count(figure.title) >= len(regions)
        assert figure.title not in without


def test_the_area_below_what_slips_through_is_the_registered_metric():
    vectors = [
        one for one in VECTORS.values() if one["metric"] == "augrc" and set(one["input"]) == {"risk", "confidence"}
    ]
    vectors = [one["input"] for one in vectors if None not in one["input"]["confidence"]]
    assert vectors
    for given in vectors:
        risk, confidence = (np.array(given[key], dtype=float) for key in ("risk", "confidence"))
        [trace] = passed_risk(DOCUMENT, {"a": (risk, confidence)})["data"]
        area = np.trapezoid(trace["y"], trace["x"])
        assert area == pytest.approx(metrics.augrc(risk, confidence).value, rel=1e-12)


def test_confidences_stand_over_the_quality_of_their_case(tmp_path):
    assessment, _, evidence, document = scored("failure_detection", tmp_path)
    [figure] = [
        one for one in problems.get("failure_detection").evidence.figures if one.name == "confidence-and-quality"
    ]
    plot = figure.of_entry(assessment, evidence, document, document["rankings"][0])
    risk_of = dict(row.split(",") for row in (tmp_path / "references/risk.csv").read_text().splitlines()[1:])
    for trace in plot["data"]:
        table = tmp_path / "predictions" / trace["name"] / "confidence.csv"
        sent = dict(row.split(",") for row in table.read_text().splitlines()[1:])
        wanted = sorted((1 - float(risk_of[case]), float(sure)) for case, sure in sent.items())
        assert sorted(zip(trace["x"], trace["y"], strict=True)) == [pytest.approx(pair) for pair in wanted]
        correlation = metrics.confidence_spearman(
            *np.array(sorted((float(risk_of[case]), float(sent[case])) for case in sent)).T
        )
        assert f"{trace['name']}: correlation of the ranks {correlation.value:.4g}." in plot["remarks"]


def test_who_sent_nothing_is_named_and_not_drawn(tmp_path):
    assessment, *_ = scored("failure_detection", tmp_path)
    (tmp_path / "predictions/far/confidence.csv").write_text("case,confidence\n")
    made = score_folders(
        assessment, tmp_path / "references", {n: tmp_path / "predictions" / n for n in ("near", "far")}
    )
    document = rank(assessment, table_of(made, tmp_path), evidence=evidence_of(assessment, made))
    figure, *_ = problems.get("failure_detection").evidence.figures
    drawn = figure.of_entry(assessment, evidence_of(assessment, made), document, document["rankings"][0])
    assert "far" not in {trace["name"] for trace in drawn["data"]}
    assert drawn["remarks"][-1] == "Without an answer that could be read, and not drawn: far."


def test_cases_without_an_answer_are_drawn_as_what_they_count_as(tmp_path):
    scored("regression", tmp_path)
    path = tmp_path / "predictions/near/values.csv"
    head, first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([head, *rest]) + "\n")
    document = json.loads(json.dumps(problems.get("regression").samples.write_challenge(tmp_path / "again")))
    document["ranking"] = {"scheme": "aggregate_then_rank"}
    assessment = parse(document)
    made = score_folders(assessment, tmp_path / "references", {"near": tmp_path / "predictions/near"})
    ranked = rank(assessment, table_of(made, tmp_path), evidence=evidence_of(assessment, made), bootstrap=10)
    [figure] = [one for one in problems.get("regression").evidence.figures if one.name == "limits-of-agreement"]
    entry = next(e for e in ranked["rankings"] if e["metric"] == "rmse" and e["region"] == "age")
    drawn = figure.of_entry(assessment, evidence_of(assessment, made), ranked, entry)
    [crossed] = [trace for trace in drawn["data"] if trace["name"] == "without an answer"]
    case = first.split(",")[0]
    assert crossed["text"] == [case]
    known = dict(line.split(",")[:2] for line in (tmp_path / "references/values.csv").read_text().splitlines()[1:])
    truth = float(known[case])
    counted = 120.0 if 120.0 - truth > truth else 0.0
    assert crossed["y"] == pytest.approx([counted - truth])
    everything = [value for trace in drawn["data"] if trace.get("mode") == "markers" for value in trace["y"]]
    rmse = next(a["score"] for a in entry["algorithms"])
    assert np.sqrt(np.mean(np.square(everything))) == pytest.approx(rmse)


@pytest.mark.filterwarnings("ignore:The confidence interval is undefined:RuntimeWarning")
def test_the_band_of_observed_survival_by_another_way():
    generator = np.random.default_rng(4)
    table = np.column_stack([generator.integers(1, 15, 60), generator.integers(0, 2, 60)]).astype(float)
    found = event_free_survival(followed(table))
    reach = survival_reach(followed(table), float(stats.norm.ppf(0.975)))
    censored = stats.CensoredData.right_censored(table[:, 0], table[:, 1] == 0)
    other = stats.ecdf(censored).sf.confidence_interval(0.95, method="log-log")
    inside = np.isfinite(reach.low)
    assert inside.any()
    assert reach.low[inside] == pytest.approx(other.low.evaluate(found.times[inside]), abs=1e-9)
    assert reach.high[inside] == pytest.approx(other.high.evaluate(found.times[inside]), abs=1e-9)


def test_the_band_of_a_risk_coverage_curve_is_that_of_the_metric_in_every_draw():
    generator = np.random.default_rng(5)
    risk, sure = generator.random(20), generator.random(20).round(1)
    draws = generator.multinomial(20, [1 / 20] * 20, 50).astype(float)
    coverages, low, high = band_of(risk, sure, draws, 0.9)
    for place in (4, 11, 19):
        values = BY_CONFIDENCE["risk_at_coverage"](risk, sure, draws, coverage=coverages[place]).numbers
        assert (low[place], high[place]) == pytest.approx(tuple(np.quantile(values, [0.05, 0.95])))
    assert band_of(risk, sure, draws[:0], 0.9) is None


def test_survival_over_time_and_its_calibration_are_the_metrics_and_what_was_observed(tmp_path):
    assessment, _, evidence, document = scored("survival", tmp_path, cases=40)
    entry = document["rankings"][0]
    figures = {figure.name: figure for figure in problems.get("survival").evidence.figures}
    over_time = figures["auc-over-time"].of_entry(assessment, evidence, document, entry)
    [line] = [trace for trace in over_time["data"] if trace.get("name") == "near"]
    own = evidence.select(entry["metric"], "near", "")
    ones = np.ones((1, len(own.cases)))
    for time, shown in zip(line["x"], line["y"], strict=True):
        use = parse(
            {"problem": "survival", "metrics": [{"id": "time_dependent_auc", "options": {"time": time}}]}
        ).metrics[0]
        assert problems.get("survival").recompute(use, own, ones).result().value == pytest.approx(shown)
    brier = figures["brier-over-time"].of_entry(assessment, evidence, document, entry)
    [line] = [trace for trace in brier["data"] if trace.get("name") == "near"]
    assert np.trapezoid(line["y"], line["x"]) / np.ptp(line["x"]) == pytest.approx(
        next(
            algorithm["score"]
            for each in document["rankings"]
            if each["metric"] == "integrated_brier_score"
            for algorithm in each["algorithms"]
            if algorithm["name"] == "near"
        )
    )
    calibration = figures["survival-calibration"].of_entry(assessment, evidence, document, entry)
    points = [trace for trace in calibration["data"] if trace["mode"] == "markers"]
    assert all(0 <= value <= 1 for trace in points for value in (*trace["x"], *trace["y"]))
    # Nobody is censored and everybody has the same probability: one group, and its observed share is a count.
    known = followed([[1, 1], [2, 1], [3, 1], [4, 1]])
    [everybody] = like_groups(np.full(4, 0.3))
    found = observed(known, np.full(4, 0.3), everybody, 2.5, 1.96)
    assert (found.foretold, found.observed, found.people) == pytest.approx((0.3, 0.5, 4))
    assert found.low < 0.5 < found.high
