"""The form and the REST API accept the numbers of teams and cases that the simulation accepts."""

import pytest

from api.acts.designs import _SIMULATE
from designs.forms.trials import SimulationForm
from evaluation.advice.simulation import FEWEST_CASES, FEWEST_TEAMS, MAX_CASES, MAX_TEAMS
from evaluation.advice.simulation.model import SimulationError
from evaluation.advice.simulation.run import _check

LIMITS = [
    (FEWEST_CASES, FEWEST_TEAMS, True),
    (FEWEST_CASES, MAX_TEAMS, True),
    (MAX_CASES, FEWEST_TEAMS, True),
    (FEWEST_CASES - 1, FEWEST_TEAMS, False),
    (FEWEST_CASES, FEWEST_TEAMS - 1, False),
    (FEWEST_CASES, MAX_TEAMS + 1, False),
    (MAX_CASES + 1, FEWEST_TEAMS, False),
]


@pytest.mark.parametrize(("cases", "teams", "accepted"), LIMITS)
def test_all_three_have_the_same_limits(cases, teams, accepted):
    numbers = {"cases": cases, "teams": teams}
    assert SimulationForm(numbers).is_valid() == accepted
    assert _SIMULATE(data=numbers).is_valid() == accepted
    try:
        _check(**numbers, samples=10, seed=1, agreement=1.0)
    except SimulationError:
        assert not accepted
    else:
        assert accepted
