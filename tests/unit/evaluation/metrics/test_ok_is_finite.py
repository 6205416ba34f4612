"""Every metric on inputs without a definition, of extreme size, constant, empty or of one case: ``ok`` means a finite value."""

import inspect
import warnings

import numpy as np
import pytest

from evaluation import catalogue
from evaluation.matching import Objects
from evaluation.metrics import survival
from evaluation.metrics.values import Values
from evaluation.outcomes import Flag, Outcome, Result
from evaluation.problems.offered_metrics import level_of

DRAWS = 60
REQUIRED = {
    "threshold_probability": [0.0, 0.2, 0.99],
    "target_specificity": [0.5, 1.0],
    "target_sensitivity": [0.5, 1.0],
    "target_ppv": [0.5, 1.0],
    "target_npv": [0.5, 1.0],
    "target_fppi": [0.0, 1.0],
    "tolerance": [0.5, 2.0],
    "threshold": [0.0, 0.5],
    "coverage": [0.1, 1.0],
    "risk": [0.0, 0.5],
    "radius": [0.5, 5.0],
    "time": [0.5, 3.0, 8.0, 100.0],
    "times": [[0.5, 3.0], [1.0, 8.0], [1.0, 100.0]],
    "data_range": [(0.0, 1.0), (-1e3, 1e3)],
    "k": [1],
    "dose": [0.0, 1.0, 60.0],
}
METRICS = [each for each in catalogue.all_metrics() if each.family != "localization_criterion"]


@pytest.fixture(autouse=True)
def strict(monkeypatch):
    """Values that name no reason must be finite before anything repairs them."""

    def result(self, index=0):
        outcomes = [each for each in Outcome if self.has(each)[index]]
        if outcomes == [Outcome.OK]:
            number = float(self.numbers[index])
            assert np.isfinite(number), f"{number} with the outcome ok"
            return Result(number, Outcome.OK)
        return Result(None, outcomes[0], next(flag for flag in Flag if self.has(outcomes[0], flag)[index]))

    monkeypatch.setattr(Values, "result", result)


def options_of(function, rng):
    parameters = inspect.signature(function).parameters.values()
    names = {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}
    return {name: values[rng.integers(len(values))] for name, values in REQUIRED.items() if name in names}


def labels(metric, rng):
    number = int(rng.integers(0, 7))
    classes = int(rng.integers(2, 4))
    truth = rng.integers(0, int(rng.integers(1, classes + 1)), number)
    if "scores" in metric.needs:
        scores = rng.choice([0.0, 1e-300, 0.25, 0.5, 1.0], (number, classes))
        scores[:, 0] += scores.sum(axis=1) == 0
        return (truth, scores / scores.sum(axis=1, keepdims=True)), {"classes": list(range(classes))}
    options = {"classes": list(range(classes))} | ({"positive_class": 1} if metric.id == "lr_plus" else {})
    return (truth, rng.integers(0, int(rng.integers(1, classes + 1)), number)), options


def image_objects(rng, *, scored):
    number = int(rng.integers(0, 4))
    corner = rng.integers(0, 6, (number, 2)) * 1.0
    size = rng.choice([1e-9, 1.0, 3.0, 1e6], (number, 2))
    scores = {"scores": rng.choice([0.0, 0.5, 1.0], number)} if scored else {}
    return Objects(boxes=np.hstack([corner, corner + size]).reshape(number, 4), classes=["a"] * number, **scores)


def mask(rng):
    return rng.random((8, 9)) < rng.choice([0.0, 0.05, 0.5, 1.0])


def label_map(rng):
    return (rng.integers(0, 4, (8, 9)) * mask(rng)).astype(int)


def numbers(rng, *shape):
    scale = rng.choice([0.0, 1e-200, 1.0, 1e6])
    return np.round(rng.normal(size=shape), int(rng.integers(0, 3))) * scale


def follow_up(rng, number):
    return np.column_stack([rng.integers(1, 9, number), rng.random(number) < rng.choice([0.0, 0.4, 1.0])])


def times(metric, rng):
    number = int(rng.integers(1, 7))
    options = (
        {"censoring": follow_up(rng, int(rng.integers(1, 5)))}
        if metric.id != "harrell_c" and rng.random() < 0.5
        else {}
    )
    if metric.id == "integrated_brier_score":
        return (follow_up(rng, number), np.sort(rng.random((number, 2)), axis=1)[:, ::-1]), options
    second = rng.random(number) if "scores" in metric.needs else rng.integers(0, 3, number)
    return (follow_up(rng, number), second), options


def inputs(metric, rng):
    """Arguments of the metric's own function, of the kind that its declaration names."""
    needs = metric.needs
    if metric.family == "survival":
        return times(metric, rng)
    if metric.family == "failure_detection":
        number = int(rng.integers(1, 7))
        risks = rng.choice([0.0, 0.25, 1.0], number)
        return ((float(risks[0]),) if metric.id == "risk" else (risks, numbers(rng, number))), {}
    if metric.family == "regression":
        return tuple(
            numbers(rng) if level_of(metric, "regression", {}) == "case" else numbers(rng, 5) for _ in range(2)
        ), {}
    if metric.family == "multi_label":
        shape = (int(rng.integers(1, 5)), 3)
        return tuple(rng.integers(0, 2, shape) for _ in range(2)), {}
    if metric.family == "landmarks":
        one, other = numbers(rng, 4, 3), numbers(rng, 4, 3)
        other[rng.random(4) < 0.3] = np.nan
        return ((one, other) if metric.id == "radial_error" else ([one], [other])), {}
    if metric.id == "tre":
        return (numbers(rng, 4, 3), numbers(rng, 4, 3)), {}
    if metric.family == "registration":
        return (numbers(rng, 6, 6, 6, 3),), {}
    if "intensities" in needs:
        return (numbers(rng, 16, 16), numbers(rng, 16, 16)), {}
    if "instances" in needs:
        first = label_map(rng)
        return (first, first if rng.random() < 0.3 else label_map(rng)), {}
    if "masks" in needs and metric.whole_data_set:
        return ([mask(rng), mask(rng)], [mask(rng), mask(rng)]), {}
    if "masks" in needs:
        if "volume" in needs:
            return tuple(np.stack([mask(rng), mask(rng)]) for _ in range(2)), {"spacing": (1.0, 2.5, 1.0)}
        return (mask(rng), mask(rng)), {"spacing": (1.0, 2.5)}
    if "objects" in needs:
        images = int(rng.integers(1, 4))
        scored = "scores" in needs
        return (
            [image_objects(rng, scored=False) for _ in range(images)],
            [image_objects(rng, scored=scored) for _ in range(images)],
        ), {"localization_criterion": "loc_box_iou"} | ({} if scored else {"assignment": "greedy_by_criterion"})
    return labels(metric, rng)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.id)
def test_an_ok_value_is_finite_whatever_is_compared(metric):
    rng = np.random.default_rng(sum(map(ord, metric.id)))
    outcomes = set()
    for _ in range(DRAWS):
        given, options = inputs(metric, rng)
        options |= options_of(metric.compute, rng) | {
            option.name: REQUIRED[option.name][rng.integers(len(REQUIRED[option.name]))]
            for option in metric.options
            if option.required and option.name in REQUIRED
        }
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                result = metric.compute(*given, **options)
            except ValueError as error:
                outcomes.add(str(error)[:0])
                continue
        results = result if isinstance(result, (list, dict)) else [result]
        for each in results.values() if isinstance(results, dict) else results:
            assert isinstance(each, Result)
            assert (each.outcome is Outcome.OK) == (each.value is not None)
            assert each.value is None or np.isfinite(each.value)
            outcomes.add(each.outcome)
    assert Outcome.OK in outcomes


class TestSurvivalBeyondTheFollowUp:
    LATE = ([[2, 1], [6, 1], [8, 0]], [0.9, 0.5, 0.1])
    SHORT = ([[1, 0], [2, 0], [3, 0]],)

    @pytest.mark.parametrize(
        "result",
        [
            lambda late, short: survival.brier_at_time([[2, 0], [3, 1], [4, 0]], [0.5] * 3, time=5),
            lambda late, short: survival.integrated_brier_score(
                [[2, 0], [3, 1], [4, 0]], [[0.5] * 2] * 3, times=[1, 4]
            ),
            lambda late, short: survival.brier_at_time(*late, time=7, censoring=short),
            lambda late, short: survival.uno_c(*late, censoring=short),
            lambda late, short: survival.time_dependent_auc(*late, time=7, censoring=short),
        ],
        ids=["brier", "integrated", "brier, other people", "uno", "auc"],
    )
    def test_what_has_no_weight_is_excluded_for_everyone(self, result):
        of = result(self.LATE, self.SHORT[0])
        assert (of.value, of.outcome, of.flag) == (None, Outcome.DEGENERATE, Flag.REFERENCE)

    def test_events_before_the_end_of_the_censoring_still_count(self):
        assert survival.uno_c(*self.LATE, tau=5, censoring=self.SHORT[0]).value == 1.0
        assert survival.brier_at_time(*self.LATE, time=2.5, censoring=[[1, 0], [2, 0], [3, 0]]).outcome is Outcome.OK

    def test_the_last_observed_event_leaves_a_defined_score(self):
        assert survival.brier_at_time([[2, 1], [3, 1], [5, 1]], [0.0] * 3, time=6).value == 0.0
