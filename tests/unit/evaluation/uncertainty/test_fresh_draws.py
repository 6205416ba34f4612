"""Scores on fresh units: close teams are drawn towards their middle by how much of their spread is noise."""

import numpy as np
import pytest

from evaluation.ranking.uncertainty.draws import _fresh

SCORES = np.array([0.80, 0.78, 0.73])
DEVIATIONS = 0.7 * np.array([[0.04, -0.02, -0.03], [-0.03, 0.05, 0.02], [0.01, -0.04, -0.01], [-0.02, 0.01, 0.02]])


def by_hand(scores, deviations):
    """The estimate of Efron and Morris, number by number; each draw gets the deviation of the next one on top."""
    teams, draws = len(scores), len(deviations)
    apart = [[own - sum(row) / teams for own in row] for row in deviations]
    noise = sum(value**2 for row in apart for value in row) / draws / (teams - 1)
    middle = sum(scores) / teams
    spread = sum((score - middle) ** 2 for score in scores) / (teams - 1)
    kept = max(0.0, 1.0 - noise / spread)
    return [
        [
            middle + kept * (score - middle) + kept**0.5 * deviations[draw][team] + deviations[(draw + 1) % draws][team]
            for team, score in enumerate(scores)
        ]
        for draw in range(draws)
    ]


@pytest.mark.parametrize("factor", [0.8, 1.0, 3.0])
def test_three_close_teams_are_drawn_together_by_the_share_of_noise(factor):
    """With three times the noise nothing of their spread is left."""
    deviations = factor * DEVIATIONS
    found = _fresh(True, SCORES, deviations, 0, np.ones(3))
    np.testing.assert_allclose(found, by_hand(SCORES, deviations), rtol=1e-12)
    is_one_value = np.ptp(found - np.roll(deviations, -1, axis=0), axis=1).max() < 1e-12
    assert is_one_value == (factor == 3.0)


def test_lower_is_better_is_the_same_with_the_sign_turned():
    found = _fresh(False, -SCORES, -DEVIATIONS, 0, np.ones(3))
    np.testing.assert_allclose(found, -np.array(by_hand(SCORES, DEVIATIONS)), rtol=1e-12)


def test_two_teams_keep_their_distance():
    found = _fresh(True, SCORES[:2], DEVIATIONS[:, :2], 0, np.ones(2))
    expected = SCORES[:2] + DEVIATIONS[:, :2] + np.roll(DEVIATIONS[:, :2], -1, axis=0)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_team_that_is_far_away_is_not_drawn_to_the_others():
    scores, deviations = np.append(SCORES, 0.1), np.column_stack([DEVIATIONS, DEVIATIONS[::-1, 0]])
    found = _fresh(True, scores, deviations, 0, np.ones(4))
    np.testing.assert_allclose(found[:, 3], 0.1 + deviations[:, 3] + np.roll(deviations[:, 3], -1), rtol=1e-12)
    np.testing.assert_allclose(found[:, :3], by_hand(SCORES, DEVIATIONS), rtol=1e-12)
