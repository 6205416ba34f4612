"""Reports of survival state events and follow-up, by the reverse Kaplan-Meier estimate."""

import numpy as np
import pytest

from evaluation.claims.sections import FOLLOWED, Followed
from evaluation.problems.survival_answers import follow_up_of
from tests.claims.attack import case_of
from tests.claims.said_in_sections import false_in_report, report_of

SEEDS = range(6)


class Evidence:
    """Evidence of people with a time and an event, and nothing else."""

    def __init__(self, pairs):
        self.block = self
        self.counts = np.ones(len(pairs), dtype=int)
        self.count_starts = np.arange(len(pairs) + 1)
        self.values = np.array(pairs, dtype=float).ravel()
        self.value_starts = 2 * np.arange(len(pairs) + 1)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        # Known values: the reverse estimate falls to 0.75 at 2, to 0.375 at 4.
        ([(1, 1), (2, 0), (3, 1), (4, 0), (5, 0)], (5, 2, 4.0)),
        ([(1, 0), (2, 0), (3, 0)], (3, 0, 2.0)),
        ([(1, 1), (2, 1), (3, 1)], (3, 3, None)),
    ],
)
def test_the_median_follow_up_exchanges_events_and_censored_times(pairs, expected):
    assert tuple(follow_up_of(Evidence(pairs))) == expected


def test_a_report_states_events_and_follow_up_with_the_values():
    said = []
    for seed in SEEDS:
        case = case_of(seed, kind="survival")
        if case.document is None:
            continue
        assert false_in_report(case.raw, case.document)[0] == []
        said += [str(sentence) for _, sentence in report_of(case.raw, case.document)]
    assert any("cases. The median follow-up is" in sentence for sentence in said)


def test_a_median_that_is_not_reached_is_stated_as_such():
    assert FOLLOWED.all(Followed(3, 3, None)) == [
        "The event was observed in 3 of 3 cases. The median follow-up is not reached: the reverse Kaplan–Meier estimate stays above one half."
    ]
    assert FOLLOWED.all(Followed(None, None, None)) == [
        "The number of events and the follow-up are not available in this report."
    ]


def test_a_long_follow_up_is_a_plain_number():
    (text,) = FOLLOWED.all(Followed(120, 43, 1834.6, "days"))
    assert "The median follow-up is 1835 days, by" in text
