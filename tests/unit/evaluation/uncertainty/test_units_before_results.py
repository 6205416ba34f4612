"""Number of units that a ranking will need, read from its rule.

It depends on the values that decide, the operators, and the source of the uncertainty of values.
"""

import pytest

from evaluation.assessment import parse
from evaluation.ranking.uncertainty.needed import UnitsNeeded, is_linear, units_needed

PATIENTS = {"levels": ["case", {"name": "patient", "role": "random"}]}
ONE, TWO = {"id": "one", "direction": "higher"}, {"id": "two", "direction": "higher"}
AREA = {"id": "area", "direction": "higher", "level": "dataset"}
SILENT = {**AREA, "without_uncertainty": True}


def rule(*metrics, **changes):
    return parse({"problem": "external", "metrics": list(metrics or (ONE,)), **changes})


def needed(*metrics, algorithms=None, **changes):
    more = {} if algorithms is None else {"algorithms": algorithms}
    (need,) = units_needed(rule(*metrics, **changes), **more)
    return need.winner, need.sets


def test_of_a_mean_three_algorithms_share_the_error_and_two_do_not():
    assert needed() == needed(algorithms=3) == (6, 7)
    assert needed(algorithms=2) == (6, 6)
    assert units_needed(rule()) == [UnitsNeeded(None, "case", 6, 7)]


def test_each_ranking_has_its_own_numbers_and_its_name():
    several = rule(
        ranking=[{"name": "mean"}, {"name": "median", "operator": "median"}, {"name": "worst", "operator": "min"}]
    )
    assert [(result.ranking, result.winner, result.sets) for result in units_needed(several, algorithms=14)] == [
        ("mean", 6, 7),
        ("median", 7, 8),
        ("worst", None, None),
    ]


@pytest.mark.parametrize(
    ("uncertainty", "numbers"),
    [({"bootstrap": 0}, (None, None)), ({"bootstrap": 1}, (6, 7)), ({"bootstrap": 200}, (6, 7))],
)
def test_flips_need_no_draws_but_a_ranking_that_is_resampled(uncertainty, numbers):
    assert needed(uncertainty=uncertainty) == numbers


@pytest.mark.parametrize(("bootstrap", "numbers"), [(199, (None, None)), (200, (7, 7))])
def test_draws_have_to_be_two_hundred(bootstrap, numbers):
    assert needed(ranking={"operator": "median"}, uncertainty={"bootstrap": bootstrap}) == numbers


def test_a_combination_of_several_rankings_is_no_mean_over_cases():
    both = {"combine": {"over": ["metric"]}}
    assert needed(ONE, TWO, ranking=both) == (7, 7)
    assert needed(ONE, ranking=both) == (6, 7), "one metric is not combined with anything"
    assert needed(ONE, TWO, ranking={"combine": None}) == (6, 7)
    assert needed(ONE, TWO, ranking={**both, "metrics": ["one"]}) == (6, 7)
    assert needed(ONE, ranking={"combine": {"over": ["site"]}}) == (7, 7), "sites are ranked each"
    assert needed(ONE, ranking={"combine": {"over": ["metric", "region"]}}) == (6, 7)


def test_regions_that_are_combined_are_those_of_the_ranking():
    def of(names, **ranking):
        organs = [{"name": name, "labels": [number + 1]} for number, name in enumerate(names)]
        read = parse(
            {"problem": "semantic_segmentation", "regions": organs, "metrics": [{"id": "dsc"}], "ranking": ranking}
        )
        return is_linear(read.rankings[0], read)

    over_regions = {"combine": {"over": ["region"]}}
    assert of("x", **over_regions)
    assert not of("xy", **over_regions)
    assert of("xy", regions=["x"], **over_regions)
    assert of("xy", combine=None)


def test_levels_whose_operator_is_no_mean_are_judged_by_draws():
    assert needed(aggregation=PATIENTS) == (6, 7)
    assert needed(aggregation={**PATIENTS, "operator": "median"}) == (7, 7)
    assert needed(aggregation={**PATIENTS, "operator": "min"}) == (None, None)
    assert needed(aggregation={"levels": ["case"], "operator": "min"}) == (6, 7), "without levels it does nothing"
    tests = {"scheme": "test_then_rank"}
    assert needed(ranking=tests) == (6, 7)
    assert needed(ranking=tests, aggregation={**PATIENTS, "operator": "median"}) == (7, 7)
    medians = {"operator": "median"}
    assert needed(ranking=medians, aggregation={**PATIENTS, "operator": {"percentile": 10}}) == (10, 10)
    assert needed(ranking={"operator": {"percentile": 10}}, aggregation=PATIENTS) == (10, 10)


@pytest.mark.parametrize(("form", "unit"), [({}, "case"), ({"aggregation": PATIENTS}, "patient")])
def test_units_are_cases_or_what_is_a_sample(form, unit):
    assert units_needed(rule(**form))[0].unit == unit


# Values that are measured elsewhere


def test_uncertainty_that_is_submitted_leaves_the_number_of_units_open():
    """With standard errors any number of cases can be enough; with replicates it cannot be known before."""
    (need,) = units_needed(rule(AREA))
    assert (need.winner, need.sets, need.submitted) == (None, None, True)
    assert not is_linear(rule(AREA).rankings[0], rule(AREA))


def test_standard_errors_of_one_value_need_no_draws():
    few = {"uncertainty": {"bootstrap": 20}}
    assert units_needed(rule(AREA, **few))[0].submitted
    slope = {**AREA, "id": "slope"}
    assert not units_needed(rule(AREA, slope, ranking={"combine": {"over": ["metric"]}}, **few))[0].submitted
    assert not units_needed(rule(AREA, ranking={"operator": "min"}))[0].submitted, "extremes never suffice"


def test_one_metric_of_which_nobody_says_anything_keeps_what_is_combined_from_being_sure():
    (need,) = units_needed(rule(AREA, {**SILENT, "id": "slope"}, ranking={"combine": {"over": ["metric"]}}))
    assert (need.winner, need.sets, need.not_given, need.drawn_apart) == (None, None, ("slope",), False)
    (need,) = units_needed(rule(AREA, {**SILENT, "id": "slope"}, ranking={"combine": None}))
    assert (need.submitted, need.not_given) == (True, ())
    (need,) = units_needed(rule(SILENT, {**SILENT, "id": "slope"}, ranking={"combine": None}))
    assert (need.winner, need.not_given) == (None, ("area", "slope"))
    (need,) = units_needed(rule(AREA, {**SILENT, "id": "slope"}, ranking={"metrics": ["area"]}))
    assert (need.submitted, need.not_given) == (True, ())


def test_what_is_drawn_here_and_elsewhere_is_never_sure_together():
    (need,) = units_needed(rule(ONE, AREA, ranking={"combine": {"over": ["metric"]}}))
    assert (need.winner, need.sets, need.not_given, need.drawn_apart) == (None, None, (), True)
    (need,) = units_needed(rule(ONE, AREA, ranking={"combine": None}))
    assert (need.drawn_apart, need.submitted) == (False, True)
    (need,) = units_needed(rule(ONE, AREA, ranking={"combine": {"over": ["metric"]}, "metrics": ["one"]}))
    assert (need.drawn_apart, need.winner) == (False, 6)


def test_metrics_of_all_cases_that_are_computed_here_are_drawn_together_with_the_others():
    sensitivity = {"id": "sensitivity", "options": {"scale": "image"}}
    document = {
        "problem": "object_detection",
        "regions": [{"name": "lesion", "labels": ["lesion"]}],
        "metrics": [{"id": "average_precision"}, sensitivity],
        "ranking": {"combine": {"over": ["metric"]}},
    }
    (need,) = units_needed(parse(document))
    assert (need.drawn_apart, need.winner, need.sets) == (False, 7, 7)
