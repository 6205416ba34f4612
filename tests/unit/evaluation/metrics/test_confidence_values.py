"""Risks against confidences, by hand: curves with equal and rejected confidences, copies of cases, and limits that are just met."""

import math

import numpy as np
import pytest

from evaluation import metrics
from evaluation.metrics.confidence_values import (
    BY_CONFIDENCE,
    confidence_arrays,
    curve_of,
    missed_order,
    optimum,
)
from evaluation.outcomes import Flag, Outcome

# Four blocks of confidence: one case, two, one, and one that was rejected.
RISK = np.array([0.0, 0.4, 0.2, 0.6, 0.8])
SURE = np.array([0.9, 0.7, 0.7, 0.5, -np.inf])
ONCE = np.ones((1, 5))
# Once each; the first three times and the last twice; none at all.
DRAWN = np.array([[1.0, 1, 1, 1, 1], [3, 0, 0, 0, 2], [0, 0, 0, 0, 0]])
NO_CASE = np.zeros(0), np.zeros(0), np.zeros((1, 0))
OPTIONS = {"auroc_f": {"threshold": 0.3}, "risk_at_coverage": {"coverage": 0.5}, "coverage_at_risk": {"risk": 0.3}}


def numbers(name, risk=RISK, sure=SURE, weights=ONCE, **options):
    values = BY_CONFIDENCE[name](np.asarray(risk, dtype=float), np.asarray(sure, dtype=float), weights, **options)
    return [None if math.isnan(number) else pytest.approx(float(number), abs=1e-12) for number in values.numbers]


class TestCurves:
    def test_a_point_stands_behind_each_block_of_equal_confidence(self):
        curve = curve_of(RISK, SURE, DRAWN)
        assert curve.kept.tolist() == [[1, 3, 4, 5], [3, 3, 3, 5], [0, 0, 0, 0]]
        assert curve.lost[0] == pytest.approx([0, 0.6, 1.2, 2.0])
        assert curve.lost[1] == pytest.approx([0, 0, 0, 1.6])
        assert curve.number.tolist() == [5, 5, 0]
        assert curve.coverage[1] == pytest.approx([0.6, 0.6, 0.6, 1.0])
        assert curve.risk[1] == pytest.approx([0, 0, 0, 0.32])
        assert np.isnan(curve.risk[2]).all()

    def test_the_order_of_the_cases_does_not_matter(self):
        order = [3, 0, 4, 2, 1]
        assert curve_of(RISK[order], SURE[order], ONCE).kept.tolist() == [[1, 3, 4, 5]]

    def test_areas_by_each_rule(self):
        # Mean risks 0, 0.2, 0.3 and 0.4 at coverages 0.2, 0.6, 0.8 and 1.
        steps = 0.4 * 0.2 + 0.2 * 0.3 + 0.2 * 0.4
        assert numbers("aurc") == [steps]
        trapezoids = 0.4 * 0.1 + 0.2 * 0.25 + 0.2 * 0.35
        assert numbers("aurc", rule="trapezoid_truncated") == [trapezoids]
        assert numbers("aurc", rule="trapezoid_flat") == [trapezoids + 0.2 * 0.0]
        # With another first case the flat piece shows: mean risks 0.5, 0.55 at coverages 0.5 and 1.
        other = {"risk": [0.5, 0.6], "sure": [0.9, 0.1], "weights": np.ones((1, 2))}
        assert numbers("aurc", **other) == [0.25 + 0.275]
        assert numbers("aurc", **other, rule="trapezoid_flat") == [0.25 + 0.5 * 0.525]
        assert numbers("aurc", **other, rule="trapezoid_truncated") == [0.5 * 0.525]

    def test_areas_of_copies(self):
        # Coverage 0.6 with risk 0, then 1 with 0.32.
        assert numbers("aurc", weights=DRAWN) == [0.22, 0.4 * 0.32, None]
        assert numbers("aurc", weights=DRAWN, rule="trapezoid_flat") == [0.16, 0.4 * 0.16, None]
        assert numbers("aurc", weights=DRAWN, rule="trapezoid_truncated") == [0.16, 0.4 * 0.16, None]
        # Without the surest case the curve begins with the second block: 0.3 at 2/4, 0.4 at 3/4, 0.5 at 1.
        later = np.array([[0.0, 1, 1, 1, 1]])
        assert numbers("aurc", weights=later) == [0.5 * 0.3 + 0.25 * 0.4 + 0.25 * 0.5]
        assert numbers("aurc", weights=later, rule="trapezoid_flat") == [0.5 * 0.3 + 0.25 * 0.35 + 0.25 * 0.45]
        assert numbers("aurc", weights=later, rule="trapezoid_truncated") == [0.25 * 0.35 + 0.25 * 0.45]

    def test_the_generalized_curve_begins_at_nothing(self):
        # Heights 0, 0.12, 0.24 and 0.4 at coverages 0.2, 0.6, 0.8 and 1.
        assert numbers("augrc", weights=DRAWN) == [0.4 * 0.06 + 0.2 * 0.18 + 0.2 * 0.32, 0.4 * 0.16, None]
        assert numbers("augrc", risk=[0.4], sure=[0.5], weights=np.ones((1, 1))) == [0.2]


class TestTheBestOrder:
    # Ascending risks 0, 0.2, 0.4, 0.6 and 0.8 have the running means 0, 0.1, 0.2, 0.3 and 0.4.
    MEANS = (0, 0.1, 0.2, 0.3, 0.4)

    def test_of_the_cases_once(self):
        assert optimum(RISK, ONCE).area == pytest.approx([sum(self.MEANS) / 5])
        pieces = [(one + other) / 2 / 5 for one, other in zip(self.MEANS, self.MEANS[1:], strict=False)]
        assert optimum(RISK, ONCE, "trapezoid_truncated").area == pytest.approx([sum(pieces)])
        assert optimum(RISK + 0.1, ONCE, "trapezoid_flat").area == pytest.approx([sum(pieces) + 0.1])
        # Sums 0, 0.2, 0.6, 1.2 and 2.0 over five, as trapezoids from 0.
        assert optimum(RISK, ONCE).generalized == pytest.approx([(0 + 0.2 + 0.6 + 1.2 + 2.0 / 2) / 25])

    def test_copies_are_taken_one_after_another(self):
        # Three of risk 0 and two of 0.8: means 0, 0, 0, 0.2 and 0.32; sums 0, 0, 0, 0.8 and 1.6.
        assert optimum(RISK, DRAWN).area[1] == pytest.approx((0.2 + 0.32) / 5)
        assert optimum(RISK, DRAWN, "trapezoid_truncated").area[1] == pytest.approx((0.1 + 0.26) / 5)
        assert optimum(RISK, DRAWN, "trapezoid_flat").area[1] == pytest.approx((0.1 + 0.26) / 5)
        assert optimum(RISK, DRAWN).generalized[1] == pytest.approx((0.8 + 1.6 / 2) / 25)
        # Each of the risks 0.2 and 0.4 twice: means 0.2, 0.2, 0.8/3, 0.3; the first piece is flat.
        twice = np.array([[0.0, 2, 2, 0, 0]])
        expected = 0.2 + (0.2 + 0.8 / 3) / 2 + (0.8 / 3 + 0.3) / 2
        assert optimum(RISK, twice, "trapezoid_truncated").area == pytest.approx([expected / 4])
        assert optimum(RISK, twice, "trapezoid_flat").area == pytest.approx([(0.2 + expected) / 4])

    def test_excesses_are_what_is_left_of_the_areas(self):
        assert numbers("e_aurc", weights=DRAWN) == [0.22 - 0.2, 0.128 - 0.104, None]
        assert numbers("e_aurc", rule="trapezoid_flat") == [0.16 - 0.16]
        assert numbers("e_augrc", weights=DRAWN) == [0.124 - 0.12, 0.064 - 0.064, None]

    def test_what_is_missed_of_the_order_is_a_share_of_what_there_is_to_miss(self):
        # Useless confidences have the mean risk, 0.4 and 0.32.
        assert numbers("n_aurc", weights=DRAWN) == [0.02 / 0.2, 0.024 / 0.216, None]
        assert missed_order(RISK, SURE, ONCE).numbers == pytest.approx([0.1])
        constant = {"sure": np.full(5, 0.5)}
        assert numbers("n_aurc", **constant) == [1.0]
        # Areas 0.4 and 0.16 by trapezoids; a constant confidence is one flat piece.
        assert numbers("n_aurc", **constant, rule="trapezoid_flat") == [1.0]

    def test_equal_risks_have_no_order_to_miss(self):
        equal = BY_CONFIDENCE["n_aurc"](np.full(3, 0.1), np.arange(3.0), np.array([[1.0, 1, 1], [0, 3, 0]]))
        assert [(equal.result(i).outcome, equal.result(i).flag) for i in (0, 1)] == [
            (Outcome.DEGENERATE, Flag.REFERENCE)
        ] * 2
        # Of two different risks only one was drawn.
        drawn = BY_CONFIDENCE["n_aurc"](np.array([0.1, 0.7]), np.arange(2.0), np.array([[2.0, 0], [1, 1]]))
        assert (drawn.result(0).outcome, drawn.result(1).outcome) == (Outcome.DEGENERATE, Outcome.OK)


class TestFailures:
    def test_a_case_has_failed_above_the_threshold_and_equal_confidences_count_half(self):
        # Failures are 0.4, 0.6 and 0.8: of six pairs with the two successes, five are right and one is equal.
        assert numbers("auroc_f", threshold=0.3) == [5.5 / 6]
        # A risk that equals the threshold is none.
        assert numbers("auroc_f", threshold=0.4) == [6 / 6]
        # Drawn: three successes, each surer than two failures.
        assert numbers("auroc_f", weights=DRAWN, threshold=0.3) == [5.5 / 6, 1.0, None]

    def test_without_a_failure_or_a_success_the_reference_is_to_blame(self):
        for threshold in (0.8, -0.1):
            result = BY_CONFIDENCE["auroc_f"](RISK, SURE, ONCE, threshold=threshold).result()
            assert (result.outcome, result.flag) == (Outcome.DEGENERATE, Flag.REFERENCE)


class TestLimits:
    @pytest.mark.parametrize(("coverage", "risk"), [(0.1, 0), (0.2, 0), (0.21, 0.2), (0.6, 0.2), (0.61, 0.3), (1, 0.4)])
    def test_risk_at_the_first_point_that_keeps_enough(self, coverage, risk):
        assert numbers("risk_at_coverage", coverage=coverage) == [risk]

    def test_a_coverage_that_is_missed_by_rounding_alone_is_met(self):
        third = {"risk": [0.0, 0.0, 0.9], "sure": [3, 2, 1], "weights": np.ones((1, 3))}
        assert numbers("risk_at_coverage", **third, coverage=2 / 3 + 1e-13) == [0.0]
        assert numbers("risk_at_coverage", **third, coverage=2 / 3 + 1e-11) == [0.3]

    @pytest.mark.parametrize(
        ("risk", "coverage"), [(0, 0.2), (0.19, 0.2), (0.2, 0.6), (0.3, 0.8), (0.4, 1.0), (9, 1.0)]
    )
    def test_the_largest_coverage_at_an_accepted_risk(self, risk, coverage):
        result = BY_CONFIDENCE["coverage_at_risk"](RISK, SURE, ONCE, risk=risk)
        assert result.numbers == pytest.approx([coverage])

    def test_a_curve_that_falls_again_is_looked_at_to_its_end(self):
        result = BY_CONFIDENCE["coverage_at_risk"](
            np.array([0.9, 0.0, 0.0]), np.array([3.0, 2, 1]), np.ones((1, 3)), risk=0.3
        )
        assert result.numbers == pytest.approx([1.0])
        none = BY_CONFIDENCE["coverage_at_risk"](np.array([0.9, 0.5]), np.array([2.0, 1]), np.ones((1, 2)), risk=0.3)
        assert none.numbers.tolist() == [0.0]

    def test_a_risk_that_is_missed_by_rounding_alone_is_met(self):
        for accepted, coverage in ((0.3 - 1e-13, 0.8), (0.3 - 1e-11, 0.6)):
            result = BY_CONFIDENCE["coverage_at_risk"](RISK, SURE, ONCE, risk=accepted)
            assert result.numbers == pytest.approx([coverage])


class TestAgreement:
    def test_ranks_of_quality_and_confidence(self):
        # Quality has the ranks 5, 3, 4, 2 and 1, confidence 5, 3.5, 3.5, 2 and 1: 10 and 9.5 about the mean, together 9.5.
        assert numbers("confidence_spearman") == [9.5 / math.sqrt(10 * 9.5)]
        # Drawn: three of rank 4 and two of 1.5 on both sides.
        assert numbers("confidence_spearman", weights=DRAWN) == [9.5 / math.sqrt(95), 1.0, None]

    def test_a_rejected_case_has_the_lowest_confidence_of_all(self):
        quality, sure = 1 - RISK, np.array([0.9, 0.7, 0.7, 0.5, 0.5])
        assert numbers("confidence_pearson") == [np.corrcoef(quality, sure)[0, 1]]
        boundless = np.array([np.inf, 0.7, 0.7, 0.5, -np.inf])
        limited = np.array([0.7, 0.7, 0.7, 0.5, 0.5])
        assert numbers("confidence_pearson", sure=boundless) == [np.corrcoef(quality, limited)[0, 1]]
        # Without a finite one: kept or not.
        either = np.array([np.inf, np.inf, -np.inf, -np.inf, -np.inf])
        assert numbers("confidence_pearson", sure=either) == [np.corrcoef(quality, [1, 1, 0, 0, 0])[0, 1]]

    def test_the_unit_of_confidences_does_not_matter_however_large(self):
        sure = np.array([0.9, 0.7, 0.8, 0.5, 0.1])
        expected = np.corrcoef(1 - RISK, sure)[0, 1]
        for unit in (1.0, 1e-3, 1e200):
            assert numbers("confidence_pearson", sure=sure * unit) == [expected]

    @pytest.mark.parametrize("name", ["confidence_spearman", "confidence_pearson"])
    def test_a_constant_confidence_is_the_predictions_doing_and_constant_risks_are_the_references(self, name):
        for constant in (0.0, 0.5, -np.inf):
            told = BY_CONFIDENCE[name](RISK, np.full(5, constant), ONCE).result()
            assert (told.outcome, told.flag) == (Outcome.DEGENERATE, Flag.NONE)
        told = BY_CONFIDENCE[name](np.full(5, 0.3), np.arange(5.0), ONCE).result()
        assert (told.outcome, told.flag) == (Outcome.DEGENERATE, Flag.REFERENCE)

    def test_a_rejected_case_is_as_far_from_its_quality_as_can_be(self):
        # Off by 0.1, 0.1, 0.1 and 0.1; quality 0.2 is 0.8 away from 1.
        assert numbers("mae_quality", weights=DRAWN) == [(0.4 + 0.8) / 5, (3 * 0.1 + 2 * 0.8) / 5, None]
        good = {"risk": [0.25], "sure": [-np.inf], "weights": np.ones((1, 1))}
        assert numbers("mae_quality", **good) == [0.75]


def test_nothing_at_all_is_the_references_doing():
    for name, kernel in BY_CONFIDENCE.items():
        for arrays in (NO_CASE, (RISK, SURE, np.zeros((1, 5)))):
            result = kernel(*arrays, **OPTIONS.get(name, {})).result()
            assert (result.outcome, result.flag) == (Outcome.DEGENERATE, Flag.REFERENCE), name


def test_arrays_are_one_number_a_case():
    risk, sure = confidence_arrays(0.5, 1)
    assert (risk.tolist(), sure.tolist()) == ([0.5], [1.0])
    assert confidence_arrays([0.0], [np.inf])[1].tolist() == [np.inf]
    with pytest.raises(ValueError, match="one number a case"):
        confidence_arrays([0.5, 0.5], [[1, 1]])
    assert metrics.risk(0.25) == (0.25, Outcome.OK)
