"""Failure detection with risks that are computed from label images: real data, missing parts, refusals, and the plane of both."""

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from evaluation import problems
from evaluation.assessment import AssessmentError, parse
from evaluation.figures.trust import Trusted, place_of, quality_and_trust, sentence, unbeaten
from evaluation.outcomes import Flag, Outcome, ok, undefined
from evaluation.problems.computed_risk import read_risk
from evaluation.ranking import rank
from evaluation.readers import Limits, ReadError
from evaluation.readers.confidences import ConfidenceRules
from evaluation.scoring import score_folders
from tests.unit.evaluation.kinds.test_figures import DOCUMENT, evidence_of, scored, table_of
from tests.unit.evaluation.kinds.test_hostile_tables import NO_NUMBERS

ROOT = Path(__file__).parents[4]
REAL = ROOT / "examples/hippocampus"
EXPECTED = json.loads(Path(__file__).with_name("examples.json").read_text("utf-8"))["hippocampus"]
KIND = "segmentation_with_confidence"
REGIONS = [{"name": "anterior", "labels": [1]}, {"name": "posterior", "labels": [2]}]
METRICS = ("dsc", "risk", "aurc", "e_aurc", "n_aurc", "augrc", "confidence_spearman")


def real(folder, algorithms):
    """Copy the real predictions of some methods together with their real confidences."""
    submitted = {}
    for name in algorithms:
        submitted[name] = folder / name
        shutil.copytree(REAL / "predictions" / name, submitted[name])
        shutil.copyfile(REAL / f"confidence/{name}.csv", submitted[name] / "confidence.csv")
    return submitted


def test_the_real_confidences_of_thirteen_methods_give_the_values_of_the_reference(tmp_path):
    # The document of the reference names the kind by its settings.
    settings = {"risk": {"metric": {"id": "dsc"}, "regions": ["anterior", "posterior"]}}
    metrics = [{"id": name} for name in METRICS] + [
        {"id": "aurc", "name": "flat", "options": {"rule": "trapezoid_flat"}}
    ]
    assessment = parse({"problem": "failure_detection", "regions": REGIONS, "metrics": metrics, "settings": settings})
    assert assessment.problem == KIND
    assert parse(assessment.document) == assessment
    made = score_folders(assessment, REAL / "references", real(tmp_path, EXPECTED), jobs=2)
    assert len(EXPECTED) == 13
    whole = {(row.algorithm, row.metric): row for row in made.rows if not row.case}
    for name, wanted in EXPECTED.items():
        for metric in ("aurc", "e_aurc", "n_aurc", "augrc"):
            assert whole[name, metric].value == pytest.approx(wanted[metric], rel=1e-9)
        assert whole[name, "flat"].value == pytest.approx(wanted["aurc_trapezoid_flat"], rel=1e-9)
        correlation = wanted["confidence_spearman"]
        assert whole[name, "confidence_spearman"].value == (correlation and pytest.approx(correlation, rel=1e-9))
        risks = [row.value for row in made.rows if (row.algorithm, row.metric) == (name, "risk")]
        assert len(risks) == 60
        assert np.mean(risks) == pytest.approx(wanted["mean_risk"], rel=1e-9)
    # A confidence that was sent for a case without a label image is not used, and the case is told to be unanswered.
    evidence = evidence_of(assessment, made)
    kind = problems.get(KIND)
    lacking = {name: kind.evidence.unanswered_cases(evidence.select("aurc", name, "")) for name in EXPECTED}
    assert {name: count for name, count in lacking.items() if count} == {"random-forest": 3, "unet-b": 1}


def test_quality_and_confidence_are_ranked_by_one_assessment(tmp_path):
    problem = problems.get(KIND)
    document = problem.samples.write_challenge(tmp_path, cases=12)
    combine = [
        {"over": ["region"], "operator": "mean", "rerank": True},
        {"over": ["metric"], "operator": "mean", "rerank": True},
    ]
    document["ranking"] = [
        {"name": "both", "scheme": "aggregate_then_rank", "metrics": ["dsc", "augrc"], "combine": combine},
        {"name": "knows", "scheme": "aggregate_then_rank", "metrics": ["n_aurc"]},
    ]
    assessment = parse({**document, "uncertainty": {"bootstrap": 20, "seed": 1}})
    submitted = {name: tmp_path / "predictions" / name for name in ("near", "far")}
    made = score_folders(assessment, tmp_path / "references", submitted)
    ranked = rank(assessment, table_of(made, tmp_path), evidence=evidence_of(assessment, made))
    assert [entry["name"] for entry in ranked["overall"]] == ["both", "knows"]
    assert {entry["metric"] for entry in ranked["rankings"]} >= {"dsc", "augrc", "n_aurc"}
    knows = next(entry for entry in ranked["rankings"] if entry["metric"] == "n_aurc")
    assert knows["algorithms"][0]["score_interval"] is not None


def changed(folder, *, change):
    """The whole data set's values of one method before and after something was done to its folder."""
    problem = problems.get(KIND)
    document = problem.samples.write_challenge(folder, cases=8)
    values = []
    for alter in (None, change):
        if alter is not None:
            alter(folder / "predictions/near")
        made = score_folders(parse(document), folder / "references", {"near": folder / "predictions/near"})
        values.append(made)
    return values


def value(made, metric, case=""):
    return next(row.value for row in made.rows if (row.metric, row.case) == (metric, case))


def test_a_case_without_a_confidence_keeps_its_risk_and_comes_last(tmp_path):
    def drop(folder):
        head, _, *rows = (folder / "confidence.csv").read_text().splitlines()
        (folder / "confidence.csv").write_text("\n".join([head, *rows]) + "\n")

    before, after = changed(tmp_path, change=drop)
    assert value(after, "dsc", "case-00") == value(before, "dsc", "case-00")
    assert value(after, "aurc") != value(before, "aurc")
    assert after.reasons == {}


def test_a_cell_that_is_no_number_costs_only_the_confidence_of_its_case(tmp_path):
    def spoil(folder):
        table = folder / "confidence.csv"
        head, first, *rows = table.read_text().splitlines()
        table.write_text("\n".join([head, f"{first.split(',')[0]},nan", *rows]) + "\n")

    before, after = changed(tmp_path, change=spoil)
    assert ["'nan' as confidence in row 2" in found.reason for found in after.findings["near"]] == [True]
    assert value(after, "dsc", "case-00") == value(before, "dsc", "case-00")
    assert value(after, "augrc") is not None


def test_a_table_that_is_none_leaves_all_cases_without_a_confidence(tmp_path):
    before, after = changed(tmp_path, change=lambda folder: (folder / "confidence.csv").write_text("case,sure\nx,1\n"))
    assert "no column confidence" in after.reasons["near", ""].message
    assert value(after, "dsc", "case-00") == value(before, "dsc", "case-00")
    assert value(after, "n_aurc") == pytest.approx(1.0)


def test_a_missing_case_is_rejected_or_silent_as_the_design_says(tmp_path):
    problem = problems.get(KIND)
    document = problem.samples.write_challenge(tmp_path, cases=8)
    (tmp_path / "predictions/near/case-03.png").unlink()
    by_rule = {}
    for missing in ("reject", "silent"):
        assessment = parse({**document, "settings": {**document["settings"], "missing": missing}})
        made = score_folders(assessment, tmp_path / "references", {"near": tmp_path / "predictions/near"})
        by_rule[missing] = value(made, "augrc")
    assert by_rule["silent"] > by_rule["reject"]


def test_order_of_rows_and_a_rising_function_of_confidences_change_nothing(tmp_path):
    def alter(folder):
        head, *rows = (folder / "confidence.csv").read_text().splitlines()
        cells = [row.split(",") for row in rows]
        lines = [f"{case},{math.exp(3 * float(sure))!r}" for case, sure in reversed(cells)]
        (folder / "confidence.csv").write_text("\n".join([head, *lines]) + "\n")

    before, after = changed(tmp_path, change=alter)
    for metric in ("aurc", "augrc", "n_aurc"):
        assert value(after, metric) == value(before, metric)


# The rule of the risk ---------------------------------------------------------------------------------------------------


def rule(**settings):
    return read_risk(settings, "settings.risk")


def test_the_risk_is_that_of_the_mean_or_the_worst_region():
    results = [ok(0.9), ok(0.6), ok(0.75)]
    assert rule(metric={"id": "dsc"}).of_regions(results, 1.0) == pytest.approx(0.25)
    assert rule(metric={"id": "dsc"}, operator="min").of_regions(results, 1.0) == pytest.approx(0.4)
    assert rule(metric={"id": "dsc"}, failed_below=0.8).of_regions(results, 1.0) == 1.0


def test_a_distance_needs_a_scale_and_its_worst_region_is_the_farthest():
    results = [ok(2.0), ok(6.0)]
    assert rule(metric={"id": "assd"}, scale=10).of_regions(results, 1.0) == pytest.approx(0.4)
    assert rule(metric={"id": "assd"}, scale=10, operator="min").of_regions(results, 1.0) == pytest.approx(0.6)
    assert rule(metric={"id": "assd"}, scale=5).of_regions([undefined(Outcome.PRED_EMPTY)], 80.0) == 1.0
    with pytest.raises(AssessmentError, match=r"settings\.risk\.scale"):
        rule(metric={"id": "assd"})


def test_what_is_undefined_counts_as_the_policy_of_the_metric_says():
    nothing = undefined(Outcome.BOTH_EMPTY)
    assert rule(metric={"id": "dsc"}).of_regions([nothing, ok(0.5)], 1.0) == pytest.approx(0.25)
    excluding = rule(metric={"id": "dsc", "policy": {"both_empty": "exclude", "ref_empty": "exclude"}})
    assert excluding.of_regions([nothing, ok(0.5)], 1.0) == pytest.approx(0.5)
    assert excluding.of_regions([nothing], 1.0) is None
    assert excluding.of_regions([undefined(Outcome.DEGENERATE, Flag.REFERENCE)], 1.0) is None


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"risk": {"metric": {"id": "hamming_loss"}}}, "settings.risk.metric.id"),
        ({"risk": {"metric": {"id": "dsc"}, "regions": ["liver"]}}, "settings.risk.regions"),
        ({"risk": {"metric": {"id": "dsc"}, "operator": "median"}}, "settings.risk.operator"),
        ({"risk": {"metric": {"id": "dsc"}, "threshold": 1}}, "settings.risk.threshold"),
        ({"risk": {}}, "settings.risk.metric"),
        ({"risk": {"metric": {"id": "dsc"}}, "missing": "ignore"}, "settings.missing"),
    ],
)
def test_a_risk_that_cannot_be_computed_is_refused_with_its_place(settings, place):
    with pytest.raises(AssessmentError) as caught:
        parse({"problem": KIND, "regions": REGIONS, "metrics": [{"id": "augrc"}], "settings": settings})
    assert caught.value.place == place


def test_no_child_can_leave_out_a_case_that_has_something_to_segment(tmp_path):
    problem = problems.get(KIND)
    assessment = parse(problem.samples.write_challenge(tmp_path))
    references = problem.open_references(assessment, tmp_path / "references")
    reference = references.prepare(references.cases[0])
    [(key, numbers)] = problem.score(assessment, references.cases[0], reference, None).pieces.items()
    assert problem.plausibility.is_possible(assessment, references.cases[0], reference, {key: numbers})
    for counts, values in (([-1], []), ([0], [1.5]), ([1], [0.5, math.inf]), ([2], []), ([True], [0.5, 0.5])):
        lie = {key: numbers._replace(counts=counts, values=values)}
        assert not problem.plausibility.is_possible(assessment, references.cases[0], reference, lie)


# The plane of both ------------------------------------------------------------------------------------------------------


def test_the_plane_says_who_segments_well_and_who_knows_when_it_fails():
    risk = np.array([0.05, 0.1, 0.08, 0.4, 0.2, 0.9])
    knowing = np.array([0.95, 0.9, 0.8, 0.8, 0.6, 0.3])
    draws = np.random.default_rng(0).multinomial(6, [1 / 6] * 6, 200).astype(float)
    places = {"knows": place_of(risk, knowing, draws, 0.95), "bluffs": place_of(risk / 2, -knowing, draws, 0.95)}
    assert places["knows"].missed == pytest.approx(0.144223, abs=1e-6)
    assert places["knows"].risk_range[0] < places["knows"].risk < places["knows"].risk_range[1]
    assert unbeaten(places) == ["knows", "bluffs"]
    made = quality_and_trust(DOCUMENT | {"rankings": [{"algorithms": [{"name": n} for n in places]}]}, places)
    assert [trace["x"][0] for trace in made["data"]] == pytest.approx([1 - risk.mean(), 1 - risk.mean() / 2])
    words = dict(zip(places, made["remarks"][1:], strict=True))
    assert words["bluffs"].startswith("bluffs: mean risk 0.144 (lowest of 2); nAURC ")
    assert "all above 1" in words["bluffs"]
    assert words["knows"].startswith("knows: mean risk 0.288 (number 2 of 2); nAURC 0.14")
    assert "all below 1" in words["knows"]


def test_points_of_many_teams_carry_the_numbers_of_the_list():
    rough = (0.5, 1.5)
    places = {f"team-{n}": Trusted(0.1 + n / 100, (0.05, 0.3), 0.5 + n / 10, rough) for n in range(6)}
    document = DOCUMENT | {"rankings": [{"algorithms": [{"name": name} for name in places]}]}
    many, few = (quality_and_trust(document, dict(list(places.items())[:number])) for number in (6, 5))
    assert [trace["text"][0] for trace in few["data"]] == list(places)[:5]
    assert [trace["text"][0] for trace in many["data"]] == ["1", "2", "3", "4", "5", "6"]
    assert many["remarks"][2].startswith(
        "2 team-1: mean risk 0.11 (number 2 of 6); nAURC 0.6, range 0.5 to 1.5, which holds 1"
    )


def test_a_team_whose_risks_are_all_equal_has_no_place_in_the_plane():
    nothing = (math.nan, math.nan)
    flat = Trusted(0.2, nothing, math.nan, nothing)
    assert "no confidence could tell them apart" in sentence("flat", flat, [flat])
    assert quality_and_trust(DOCUMENT, {"a": flat}) is None


def test_its_figures_are_drawn_of_the_board_of_all_metrics(tmp_path):
    assessment, _, evidence, document = scored(KIND, tmp_path)
    entry = next(entry for entry in document["rankings"] if entry["metric"] == "augrc")
    for figure in problems.get(KIND).evidence.figures:
        drawn = figure.of_entry(assessment, evidence, document, entry)
        assert drawn is not None
        assert drawn["data"]


# Tables of strangers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [text for text in NO_NUMBERS if text])
def test_a_confidence_that_is_no_number_is_told_with_its_row(tmp_path, text):
    path = tmp_path / "confidence.csv"
    path.write_text(f"case,confidence\na,{text}\nb,0.5\n")
    read = ConfidenceRules().read(path)
    assert "row 2" in read.dropped["a"][0].message
    assert (read.of("a"), read.of("b")) == (None, 0.5)


def test_an_empty_confidence_is_none_and_two_rows_of_a_case_cost_it(tmp_path):
    path = tmp_path / "confidence.csv"
    path.write_text("case,confidence\na,\nb,1\nb,2\n")
    read = ConfidenceRules().read(path)
    assert (read.of("a"), list(read.dropped)) == (None, ["b"])
    assert "(rows 3 and 4); expected one row a case" in read.dropped["b"][0].message


@pytest.mark.parametrize(
    "content", [b"", b"case\n", b"\x00\x01\x02", b"case,case\na,1\n", b'case,"x\n', "cäse,ä\n".encode("latin-1")]
)
def test_what_is_no_table_of_confidences_is_refused_as_a_whole(tmp_path, content):
    path = tmp_path / "confidence.csv"
    path.write_bytes(content)
    with pytest.raises(ReadError, match=r"confidence\.csv"):
        ConfidenceRules().read(path)


def test_a_table_with_more_rows_or_bytes_than_allowed_is_refused(tmp_path):
    path = tmp_path / "confidence.csv"
    path.write_text("case,confidence\n" + "".join(f"c{number},1\n" for number in range(50)))
    for limits in (Limits(table_rows=10), Limits(table_bytes=100)):
        with pytest.raises(ReadError):
            ConfidenceRules().read(path, limits=limits)
