"""Values of cases become values of patients and sites in every sample, as a plain program makes them."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.assessment import Operator
from evaluation.ranking import hierarchy as module
from evaluation.ranking.drawn import Drawn, Samples
from evaluation.ranking.hierarchy import Hierarchy, aggregate_levels, unit_values, whole_units, without_levels
from evaluation.ranking.resampling import Design, join, multiplicities

NAN = np.nan
PATIENTS = ["p2", "p1", "p2", "p3", "p1", "p2", "p3", "p4"]
SITES = ["s2", "s1", "s2", "s2", "s1", "s2", "s2", "s1"]
PATIENT, SITE = np.array([1, 0, 1, 2, 0, 1, 2, 3]), np.array([1, 0, 1, 1, 0, 1, 1, 0])
VALUES = np.array(
    [
        [0.1, 0.9, NAN],
        [0.4, NAN, NAN],
        [0.7, 0.3, NAN],
        [0.2, NAN, NAN],
        [0.8, 0.5, NAN],
        [0.6, 0.1, NAN],
        [0.3, NAN, NAN],
        [0.5, 0.7, NAN],
    ]
)
MEAN, MEDIAN = Operator("mean"), Operator("median")
WORSE = Operator("percentile", 25.0)


def levels_of(*levels, **copied_by):
    groups = {"patient": PATIENT, "site": SITE}
    return Hierarchy(levels, groups, {level: copied_by.get(level) for level in levels})


def samples_of(*levels, seed=1, number=5):
    design = Design(tuple("abcdefgh"), levels, {"patient": PATIENTS, "site": SITES})
    drawn = join([(design.full(), 1), (design.draw(number - 1, seed), number - 1)])
    return Samples(multiplicities(drawn, 8, number), drawn)


def plain(numbers, operator, *, higher_is_better=True):
    known = sorted(number for number in numbers if not np.isnan(number))
    if not known:
        return NAN
    share = operator.quantile(higher_is_better=higher_is_better)
    return float(np.mean(known) if share is None else np.percentile(known, 100 * share))


def plain_units(values, samples, hierarchy, inner, *, higher_is_better=True):
    """For every sample, the outermost groups in ascending order of their copy and number, each with its value."""
    drawn, result = samples.drawn, []
    for sample in range(samples.number):
        places = [position for position in range(len(drawn.cases)) if drawn.samples[position] == sample]
        members = [(position, values[drawn.cases[position]].tolist()) for position in places]
        for level in hierarchy.levels:
            copies = drawn.copies.get(hierarchy.copied_by[level] or "")
            together = {}
            for position, numbers in members:
                key = (0 if copies is None else copies[position], hierarchy.groups[level][drawn.cases[position]])
                together.setdefault(key, []).append((position, numbers))
            members = [
                (
                    group[0][0],
                    [
                        plain(column, inner, higher_is_better=higher_is_better)
                        for column in zip(*(numbers for _, numbers in group), strict=True)
                    ],
                )
                for _, group in sorted(together.items())
            ]
        result.append([numbers for _, numbers in members])
    return result


DRAWS = {
    "cases of patients": (("case",), levels_of("patient")),
    "whole patients": (("patient",), levels_of("patient", patient="patient")),
    "cases within patients": (("patient", "case"), levels_of("patient", patient="patient")),
    "patients of sites": (("patient",), levels_of("patient", "site", patient="patient")),
    "whole sites": (("site",), levels_of("patient", "site", patient="site", site="site")),
    "patients within sites": (("site", "patient"), levels_of("patient", "site", patient="patient", site="site")),
    "everything within everything": (
        ("site", "patient", "case"),
        levels_of("patient", "site", patient="patient", site="site"),
    ),
    "whole sites, patients counted": (("site",), levels_of("patient", patient="site")),
}
each = pytest.mark.parametrize(("resample", "hierarchy"), DRAWS.values(), ids=DRAWS)


@each
@pytest.mark.parametrize("operator", [MEAN, MEDIAN, WORSE, Operator("min")], ids=lambda operator: operator.kind)
@pytest.mark.parametrize("at_once", [1, 60, 2_000_000])
def test_groups_within_groups_are_aggregated_from_the_inside_out(monkeypatch, resample, hierarchy, operator, at_once):
    monkeypatch.setattr(module, "_AT_ONCE", at_once)
    samples = samples_of(*resample)
    for higher_is_better in (True, False):
        expected = plain_units(VALUES, samples, hierarchy, operator, higher_is_better=higher_is_better)
        result = unit_values(VALUES, samples, hierarchy, operator, higher_is_better=higher_is_better)
        for one, other in zip(result, expected, strict=True):
            assert one == pytest.approx(np.array(other), abs=1e-11, nan_ok=True)
        scores = aggregate_levels(VALUES, samples, hierarchy, operator, MEDIAN, higher_is_better=higher_is_better)
        medians = [[plain(column, MEDIAN) for column in zip(*units, strict=True)] for units in expected]
        assert scores == pytest.approx(np.array(medians), abs=1e-11, nan_ok=True)


def test_the_outermost_groups_are_aggregated_by_an_operator_of_their_own():
    samples, hierarchy = samples_of("case", number=1), levels_of("patient")
    # Patients by their means: p1 0.6, p2 1.4/3, p3 0.25, p4 0.5, and the worst quarter of those.
    worst = aggregate_levels(VALUES, samples, hierarchy, MEAN, Operator("min"), higher_is_better=True)
    assert worst[0, 0] == 0.25
    quarter = aggregate_levels(VALUES, samples, hierarchy, MEAN, WORSE, higher_is_better=True)
    assert quarter[0, 0] == pytest.approx(0.25 + 0.75 * (1.4 / 3 - 0.25))
    of_lower = aggregate_levels(VALUES, samples, hierarchy, MEAN, WORSE, higher_is_better=False)
    assert of_lower[0, 0] == pytest.approx(0.5 + 0.25 * 0.1)


def test_what_cancels_out_beside_large_values_is_nothing():
    values = np.array([[0.3], [-0.1], [-0.2]])
    groups = {"patient": np.array([0, 0, 0])}
    drawn = Drawn(np.arange(3), np.zeros(3, dtype=np.int64), {})
    result = aggregate_levels(
        values,
        Samples(np.ones((3, 1)), drawn),
        Hierarchy(("patient",), groups, {"patient": None}),
        MEAN,
        MEAN,
        higher_is_better=True,
    )
    assert 0.3 - 0.1 - 0.2 != 0.0
    assert result.tolist() == [[0.0]]


WHOLE = {
    name: DRAWS[name]
    for name in ("whole patients", "whole sites", "patients within sites", "whole sites, patients counted")
}


@pytest.mark.parametrize(("resample", "hierarchy"), WHOLE.values(), ids=WHOLE)
@pytest.mark.parametrize("operator", [MEAN, WORSE], ids=lambda operator: operator.kind)
@pytest.mark.parametrize("higher_is_better", [True, False])
def test_groups_that_are_drawn_whole_have_their_values_once_and_are_counted(
    resample, hierarchy, operator, higher_is_better
):
    samples = samples_of(*resample, number=30)
    result = whole_units(VALUES, samples, hierarchy, operator, higher_is_better=higher_is_better)
    if resample == ("site", "patient"):
        assert result is None  # a site with other patients than its own has another value
        return
    units, counts = result
    everything_once, without_copies = samples_of("case", number=1), levels_of(*hierarchy.levels)
    once = plain_units(VALUES, everything_once, without_copies, operator, higher_is_better=higher_is_better)[0]
    assert units == pytest.approx(np.array(once), abs=1e-11, nan_ok=True)
    assert counts.shape == (len(units), 30)
    expected = plain_units(VALUES, samples, hierarchy, operator, higher_is_better=higher_is_better)
    for sample, rows in enumerate(expected):
        repeated = np.repeat(units, counts[:, sample].astype(int), axis=0)
        assert np.sort(repeated, axis=0) == pytest.approx(np.sort(rows, axis=0), abs=1e-11, nan_ok=True)


@pytest.mark.parametrize(
    ("resample", "hierarchy"),
    [DRAWS["cases of patients"], DRAWS["cases within patients"], (("site",), levels_of("patient"))],
)
def test_without_copies_of_whole_groups_each_sample_has_values_of_its_own(resample, hierarchy):
    assert whole_units(VALUES, samples_of(*resample), hierarchy, MEAN, higher_is_better=True) is None


def two_of_one_patient(cases):
    drawn = Drawn(
        np.array(cases), np.zeros(len(cases), dtype=np.int64), {"patient": np.zeros(len(cases), dtype=np.int64)}
    )
    hierarchy = Hierarchy(("patient",), {"patient": np.zeros(2, dtype=np.int64)}, {"patient": "patient"})
    return whole_units(
        np.array([[0.2], [0.4]]), Samples(multiplicities(drawn, 2, 1), drawn), hierarchy, MEAN, higher_is_better=True
    )


def test_a_group_is_whole_if_each_of_its_cases_stands_there_once():
    units, counts = two_of_one_patient([1, 0])
    assert (units.tolist(), counts.tolist()) == ([[0.3]], [[1.0]])
    assert two_of_one_patient([1, 1]) is None
    assert two_of_one_patient([1]) is None
    assert two_of_one_patient([0, 1, 1]) is None


def test_a_group_that_is_in_no_sample_is_drawn_never():
    drawn = Drawn(np.array([0, 0]), np.array([0, 1]), {"patient": np.array([0, 1])})
    hierarchy = Hierarchy(("patient",), {"patient": np.array([0, 1])}, {"patient": "patient"})
    _, counts = whole_units(
        np.array([[0.2], [0.4]]), Samples(np.array([[1.0, 1], [0, 0]]), drawn), hierarchy, MEAN, higher_is_better=True
    )
    assert counts.tolist() == [[1.0, 1.0], [0.0, 0.0]]


def test_levels_can_be_taken_off():
    hierarchy = levels_of("patient", "site", site="site")
    assert without_levels(None, ["patient"]) is None
    assert without_levels(hierarchy, ["patient", "site"]) is None
    left = without_levels(hierarchy, ["patient"])
    assert (left.levels, left.copied_by, left.groups) == (("site",), {"site": "site"}, hierarchy.groups)
    assert without_levels(hierarchy, []).levels == ("patient", "site")
