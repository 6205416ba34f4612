"""Counted values: excluded cases and data sets, interaction weights, and evidence that matches the results."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from evaluation import problems
from evaluation.aggregation import ResultsError, check_results
from evaluation.assessment import parse
from evaluation.outcomes import Flag, Outcome
from evaluation.ranking import counted as module
from evaluation.ranking.counted import (
    QUALITY,
    _alike,
    _check_agreement,
    _computed_anew,
    _data_sets_left_out,
    _given_values,
    cases_without_prediction,
    counted_results,
    draws_of_evidence,
    left_out,
    load_evidence,
    sampled_values,
    source_of_uncertainty,
    tells_missing_cases,
    weighted_results,
)
from evaluation.readers import ReadError

TABLE = {"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]}


def excluding(*names, grades=None):
    rule = {"cases": [{"case": name, "reason": "duplicate"} for name in names]}
    if grades is not None:
        rule["quality"] = {"column": "look", "excluded": list(grades)}
    return parse({**TABLE, "exclusions": rule})


def results(cases="1234"):
    rows = [(name, case, value) for name, value in (("a", 0.9), ("b", 0.5)) for case in cases]
    return pd.DataFrame(rows, columns=["algorithm", "case", "value"])


LOOKS = pd.DataFrame({"case": list("1234"), "look": ["acceptable", "insufficient", "borderline", "insufficient"]})


# Excluded cases


def test_cases_are_left_out_by_name_and_by_grade_with_the_reason_of_the_name():
    rule = excluding("4", grades=["insufficient"])
    counted = counted_results(rule, results(), cases=LOOKS)
    assert counted.excluded == {"2": QUALITY, "4": "duplicate"}
    assert counted.results["case"].tolist() == ["1", "3", "1", "3"]
    assert counted.results.index.tolist() == [0, 1, 2, 3]
    assert left_out(rule, LOOKS) == {"2", "4"}
    assert left_out(rule, LOOKS[["case"]]) == {"4"}, "without the column nobody is graded"


def test_what_excludes_nobody_changes_nothing():
    table = results()
    for rule in (parse(TABLE), excluding("9"), excluding(grades=["insufficient"])):
        cases = LOOKS.assign(look="acceptable")
        counted = counted_results(rule, table, cases=cases)
        assert counted.results is table
        assert counted.excluded == {}


def test_one_case_that_counts_is_enough_and_none_is_too_few():
    assert len(counted_results(excluding("1", "2", "3"), results()).results) == 2
    with pytest.raises(ResultsError, match="all 4 cases are excluded"):
        counted_results(excluding("1", "2", "3", "4"), results())


def test_only_excluded_cases_of_the_results_are_told():
    counted = counted_results(excluding("2", "7"), results())
    assert counted.excluded == {"2": "duplicate"}


def test_an_unknown_grade_is_named_with_its_case():
    cases = LOOKS.assign(look=["acceptable", "acceptable", "fine", "poor"])
    with pytest.raises(ResultsError, match="gives 'look' 'fine' for case '3'; a quality grade is one of"):
        counted_results(excluding(grades=["insufficient"]), results(), cases=cases)


COHORTS = {
    "problem": "failure_detection",
    "metrics": [{"id": "aurc"}],
    "settings": {"dataset": "cohort"},
    "exclusions": {"cases": [{"case": name, "reason": "duplicate"} for name in ("3", "4")]},
}
OF_COHORTS = pd.DataFrame({"case": list("1234"), "cohort": ["in", "in", "shift", "shift"]})


def test_a_data_set_is_left_out_of_which_no_case_counts():
    rule = parse(COHORTS)
    assert _data_sets_left_out(rule, OF_COHORTS, {"1", "2"}) == {"shift"}
    assert _data_sets_left_out(rule, OF_COHORTS, {"1", "3"}) == set()
    assert _data_sets_left_out(rule, OF_COHORTS, {"1", "9"}) == {"shift"}, "cases that the table does not have"
    assert _data_sets_left_out(rule, None, {"1"}) == set()
    assert _data_sets_left_out(rule, OF_COHORTS[["case"]], {"1"}) == set()
    assert _data_sets_left_out(parse(TABLE), OF_COHORTS, {"1"}) == set()


class Pieces:
    """Evidence that records its requests and returns what was requested."""

    def __init__(self, metrics=("aurc",), cases=tuple("1234"), **more):
        self.metrics, self.cases, self.blocks, self.header = (
            metrics,
            cases,
            {"some": None},
            {"problem": "failure_detection"},
        )
        self.asked = []
        self.unknown = ()
        self.__dict__.update(more)

    def of_cases(self, remaining):
        return Pieces(self.metrics, tuple(sorted(remaining)))

    def select(self, metric, algorithm, region):
        self.asked.append((metric, algorithm, region))
        if algorithm in self.unknown:
            raise KeyError(f"nothing of {algorithm}")
        return SimpleNamespace(cases=self.cases, algorithm=algorithm, region=region)


def whole_rows(*rows):
    return pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome", "flag"])


@pytest.fixture
def recomputed(monkeypatch):
    """Recorded recomputations, whose values are the numbers of cases of each algorithm and region.

    Each record contains the weights used.
    """
    from evaluation.scoring import evidence

    asked = []

    def values(metric, pieces, weights):
        asked.append((metric.name, pieces.algorithm, pieces.region, weights.tolist()))
        value = None if pieces.algorithm == "b" else float(len(pieces.cases))
        outcome, flag = (Outcome.OK, Flag.NONE) if value else (Outcome.REF_EMPTY, Flag.NONE)
        return SimpleNamespace(result=lambda: SimpleNamespace(value=value, outcome=outcome, flag=flag))

    monkeypatch.setattr(evidence, "recompute_values", values)
    return asked


def test_values_of_the_whole_data_set_are_computed_anew_region_by_region(recomputed):
    rule = parse(COHORTS)
    table = whole_rows(
        ("a", "", "in", "aurc", 9.0, "ok", ""),
        ("b", "", "in", "aurc", 8.0, "ok", ""),
        ("a", "", "shift", "aurc", 7.0, "ok", ""),
        ("c", "", "in", "aurc", np.nan, "missing", ""),
    )
    counted = counted_results(rule, table, cases=OF_COHORTS, evidence=Pieces())
    assert counted.excluded == {"3": "duplicate", "4": "duplicate"}
    assert counted.evidence.cases == ("1", "2")
    # The shifted data set has no case left; what was missing stays missing and is not asked for.
    assert counted.results["algorithm"].tolist() == ["a", "b", "c"]
    assert counted.results["value"].tolist() == pytest.approx([2.0, np.nan, np.nan], nan_ok=True)
    assert counted.results["outcome"].tolist() == ["ok", "ref_empty", "missing"]
    assert recomputed == [("aurc", "a", "in", [[1.0, 1.0]]), ("aurc", "b", "in", [[1.0, 1.0]])]


def test_values_over_all_data_sets_have_no_region(recomputed):
    rule = parse({**COHORTS, "settings": {}})
    table = whole_rows(("a", "", "", "aurc", 9.0, "ok", "")).drop(columns=["region", "flag"])
    result = _computed_anew(rule, table, pd.Series([True]), Pieces())
    assert recomputed[0][2] == ""
    assert list(result.columns) == ["algorithm", "case", "metric", "value", "outcome", "region"]
    assert result["value"].tolist() == [4.0]


def test_only_values_of_the_whole_data_set_are_computed_anew(recomputed):
    rule = parse({**COHORTS, "settings": {}})
    table = whole_rows(("a", "1", "", "aurc", 0.5, "ok", ""), ("a", "", "", "aurc", 9.0, "ok", ""))
    result = _computed_anew(rule, table, pd.Series([False, True]), Pieces())
    assert result["value"].tolist() == [0.5, 4.0]
    assert table["value"].tolist() == [0.5, 9.0], "the table that was given stays as it is"


def test_without_the_evidence_of_the_metric_or_the_algorithm_it_is_refused(recomputed):
    rule = parse({**COHORTS, "settings": {}})
    table = whole_rows(("a", "", "", "aurc", 9.0, "ok", ""))
    for evidence in (None, Pieces(metrics=("augrc",))):
        with pytest.raises(ResultsError, match="'aurc' has one value for all cases"):
            _computed_anew(rule, table, pd.Series([True]), evidence)
    with pytest.raises(ResultsError, match="nothing of a"):
        _computed_anew(rule, table, pd.Series([True]), Pieces(unknown=("a",)))


# Weights of levels of interaction


def weighted(metric, values, levels=("fully_automatic", "semi_automatic", "unknown")):
    rule = parse(
        {
            "problem": "semantic_segmentation",
            "regions": [{"name": "all", "labels": [1]}],
            "metrics": [{"id": metric}],
            "interaction_weights": {"fully_automatic": 1, "semi_automatic": 0.5},
        }
    )
    table = pd.DataFrame(
        {"algorithm": list("abc"), "case": "1", "region": "all", "metric": metric, "value": values, "level": levels}
    )
    return weighted_results(rule, check_results(table), table)["value"].tolist()


def test_a_value_keeps_its_share_of_the_distance_from_the_worst():
    assert weighted("dsc", [0.8, 0.8, 0.6]) == pytest.approx([0.8, 0.4, 0.3])
    # Of a distance without a worst value the weight divides.
    assert weighted("assd", [2.0, 2.0, 3.0]) == pytest.approx([2.0, 4.0, 6.0])


def test_a_worst_value_that_is_not_0_stays_where_it_is_and_what_cannot_be_weighed_is_not():
    """Metrics without a rank may have no end from which a value could be moved; they stay as they were measured."""
    metrics = {
        "quality": {"direction": "higher", "range": [-1, 1]},
        "time": {"direction": "lower", "range": [0, None]},
        "cost": {"direction": "lower"},
        "gain": {"direction": "higher", "range": [0, None]},
        "late": {"direction": "lower", "range": [1, None]},
        "area": {"direction": "higher", "range": [-1, 1], "level": "dataset"},
    }
    rule = parse(
        {
            "problem": "external",
            "metrics": [{"id": name, **facts} for name, facts in metrics.items()],
            "ranking": {"metrics": ["quality", "time"]},
            "interaction_weights": {"fully_automatic": 1, "semi_automatic": 0.5},
        }
    )
    values = {"quality": 0.5, "time": 3.0, "cost": 3.0, "gain": 3.0, "late": 3.0, "area": 0.5}
    rows = [("a", "" if name == "area" else "1", name, value, "semi_automatic") for name, value in values.items()]
    table = pd.DataFrame(rows, columns=["algorithm", "case", "metric", "value", "level"])
    result = weighted_results(rule, check_results(table), table)
    # -1 + 0.5 × 1.5, and 3 / 0.5; a gain keeps half of its distance from 0.
    expected = {"quality": -0.25, "time": 6.0, "cost": 3.0, "gain": 1.5, "late": 3.0, "area": 0.5}
    assert dict(zip(result["metric"], result["value"], strict=True)) == expected


# Evidence and results


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (1.0, 1.0 + 0.9e-6, True),
        (1.0, 1.0 + 1.1e-6, False),
        (0.1, 0.1 + 0.9e-6, True),
        (2e6, 2e6 + 1.9, True),
        (2e6, 2e6 + 2.1, False),
        (np.nan, np.nan, True),
        (np.nan, 1.0, False),
        (1.0, np.nan, False),
        (np.inf, np.inf, True),
        (np.inf, -np.inf, False),
        (np.inf, 1.0, False),
        (1.0, np.inf, False),
    ],
)
def test_a_value_agrees_up_to_a_millionth(first, second, same):
    assert _alike(first, second) is same
    table = SimpleNamespace(metric=SimpleNamespace(name="aurc"))
    if same:
        _check_agreement(table, "a", first, second)
    else:
        with pytest.raises(ResultsError, match="they do not belong together"):
            _check_agreement(table, "a", first, second)


def whole_table(values=(4.0, 4.0), *, missing=(0, 0), region=None, per_dataset=True, options=None):
    return SimpleNamespace(
        metric=SimpleNamespace(name="aurc", options={"some": 1} if options is None else options),
        region=region,
        algorithms=("a", "b"),
        values=np.array([values]),
        outcomes=tuple({"missing": number} if number else {"ok": 1} for number in missing),
        per_dataset=per_dataset,
    )


def plan_of(*, cases=tuple("1234"), number=3):
    samples = SimpleNamespace(counts=np.arange(12.0).reshape(4, 3))
    return SimpleNamespace(cases=cases, number=number, bootstrap=2, seed=5, samples=samples)


@pytest.fixture
def resampled(monkeypatch):
    from evaluation.scoring import evidence

    asked = []

    def values(metric, pieces, times):
        asked.append((pieces.algorithm, pieces.region, times.tolist()))
        return np.array([4.0, 5.0, 6.0])

    monkeypatch.setattr(evidence, "recompute", values)
    monkeypatch.setattr("evaluation.scoring.given_evidence.is_given", lambda _: False)
    return asked


def test_each_algorithm_is_recomputed_in_every_sample(resampled):
    result = sampled_values(whole_table(region="in"), plan_of(), Pieces())
    assert result.tolist() == [[4.0, 4.0], [5.0, 5.0], [6.0, 6.0]]
    assert resampled[0] == ("a", "in", np.arange(12.0).reshape(4, 3).T.tolist())
    assert [asked[:2] for asked in resampled] == [("a", "in"), ("b", "in")]
    sampled_values(whole_table(), plan_of(), Pieces())
    assert resampled[-1][1] == ""


def test_who_is_missing_keeps_the_value_of_the_policy_and_who_is_not_is_asked_for(resampled):
    result = sampled_values(whole_table((4.0, 0.5), missing=(0, 1)), plan_of(), Pieces(unknown=("b",)))
    assert result[:, 1].tolist() == [0.5, 0.5, 0.5]
    with pytest.raises(ResultsError, match="nothing of b"):
        sampled_values(whole_table(), plan_of(), Pieces(unknown=("b",)))


def test_evidence_of_other_cases_or_values_is_refused_and_of_nothing_is_none(resampled):
    with pytest.raises(ResultsError, match="the evidence has 4 cases, the results have 2"):
        sampled_values(whole_table(), plan_of(cases=("1", "2")), Pieces())
    with pytest.raises(ResultsError, match="do not belong together"):
        sampled_values(whole_table((4.0, 3.0)), plan_of(), Pieces())
    assert sampled_values(whole_table(), plan_of(), Pieces(metrics=("augrc",))) is None
    assert sampled_values(whole_table(), plan_of(), Pieces(blocks={})) is None


def given(monkeypatch, drawn, *, paired=True):
    monkeypatch.setattr("evaluation.scoring.given_evidence.are_paired", lambda blocks: (blocks, paired)[1])
    monkeypatch.setattr("evaluation.scoring.given_evidence.draws_of", drawn)
    return Pieces(blocks={})


def test_draws_that_were_sent_stand_behind_the_value(monkeypatch):
    asked = []

    def drawn(metric, pieces, *, algorithm, number, seed):
        asked.append((algorithm, number, seed, pieces.region))
        return np.array([4.0, 4.5, 3.5])

    result = _given_values(whole_table(region="in"), plan_of(), given(monkeypatch, drawn))
    assert result.tolist() == [[4.0, 4.0], [4.5, 4.5], [3.5, 3.5]]
    assert asked == [("a", 2, 5, "in"), ("b", 2, 5, "in")]
    other = given(monkeypatch, drawn)
    other.unknown = ("b",)
    missing = _given_values(whole_table((4.0, 0.5), missing=(0, 1)), plan_of(), other)
    assert missing[:, 1].tolist() == [0.5, 0.5, 0.5]
    assert asked[-1][3] == ""
    with pytest.raises(ResultsError, match="nothing of b"):
        _given_values(whole_table(), plan_of(), other)
    with pytest.raises(ResultsError, match="do not belong together"):
        _given_values(whole_table((3.0, 4.0)), plan_of(), given(monkeypatch, drawn))
    assert _given_values(whole_table(), plan_of(), given(monkeypatch, lambda *_, **__: None)) is None


def test_replicates_have_to_be_the_same_for_all(monkeypatch):
    evidence = given(monkeypatch, None, paired=False)
    with pytest.raises(ResultsError, match="replicates of metric 'aurc' are not the same for all"):
        _given_values(whole_table(), plan_of(), evidence)


# Cases without a prediction


def test_a_missing_value_of_all_cases_is_missing_on_every_case(monkeypatch):
    table, plan = whole_table(missing=(0, 1), region="in"), plan_of()
    assert cases_without_prediction(table, plan, None) == (0, 4)
    assert cases_without_prediction(whole_table(missing=(0, 2), per_dataset=False), plan, None) == (0, 2)
    assert cases_without_prediction(table, plan_of(cases=()), None) == (0, 1)


@pytest.mark.parametrize(("region", "asked_for"), [("in", "in"), (None, "")])
def test_evidence_may_tell_on_how_many_cases_an_answer_is_missing(monkeypatch, region, asked_for):
    kind = SimpleNamespace(evidence=SimpleNamespace(counts_unanswered=True, unanswered_cases=lambda pieces: 3))
    monkeypatch.setattr(module.problems, "get", lambda _: kind)
    table, evidence = whole_table(missing=(0, 1), region=region), Pieces()
    assert tells_missing_cases(table, evidence) is True
    assert cases_without_prediction(table, plan_of(), evidence) == (3, 4)
    assert evidence.asked == [("aurc", "a", asked_for)]
    kind.evidence.counts_unanswered = False
    assert tells_missing_cases(table, evidence) is False
    assert cases_without_prediction(table, plan_of(), evidence) == (0, 4)


def test_values_of_cases_tell_what_is_missing_and_values_of_all_of_them_alone_do_not():
    assert tells_missing_cases(whole_table(per_dataset=False), None) is True
    assert tells_missing_cases(whole_table(), None) is False
    unknown = Pieces(header={"problem": "of some other package"})
    assert not problems.is_known("of some other package")
    assert tells_missing_cases(whole_table(), unknown) is False


# Small things about evidence


def test_without_evidence_all_wanted_draws_can_be_had(tmp_path):
    assert draws_of_evidence(None, 123) == 123
    assert load_evidence(None) is None
    for paths in (tmp_path / "nothing", str(tmp_path / "nothing"), [tmp_path / "nothing"]):
        with pytest.raises(ReadError, match="there is no such file"):
            load_evidence(paths)


def test_where_uncertainty_is_from_is_asked_of_values_measured_elsewhere(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "evaluation.scoring.given_evidence.source_of",
        lambda metric, evidence, region: asked.append(region) or "replicates",
    )
    assert source_of_uncertainty(whole_table(region="in"), None) == "replicates"
    assert source_of_uncertainty(whole_table(options={}), Pieces()) == "replicates"
    assert asked == ["in", ""]
    assert source_of_uncertainty(whole_table(options={}), None) == ""
    assert source_of_uncertainty(whole_table(per_dataset=False), Pieces()) == ""
