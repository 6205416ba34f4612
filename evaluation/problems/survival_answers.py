"""Times, events and answers of all people, as evidence holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.problems.answers import UNANSWERED, numbers_of, states_of
from evaluation.problems.follow_up import FollowUp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.metrics.survival_values import Censoring, Followed
    from evaluation.scoring.evidence_blocks import CaseEvidence

RISK: Final = 1
PROBABILITIES: Final = 2
BOTH: Final = 3
_ROUNDING: Final = 1e-12
KNOWN: Final = 2
"""Numbers of the reference: time and event."""


def follow_up_of(evidence: CaseEvidence) -> FollowUp:
    """Return the number of events and the median follow-up, by the reverse Kaplan-Meier estimate.

    Events and censored times change places: the follow-up of somebody with the event is at least the time of the event.

    References
    ----------
    Schemper, Smith, "A note on quantifying follow-up in studies of failure time", Controlled Clinical Trials 17, 1996.
    """
    import numpy as np

    from evaluation.metrics.survival_values import Followed, event_free_survival

    _, _, followed = known_of(evidence)
    under_observation = event_free_survival(Followed(followed.time, ~followed.event))
    reached = np.flatnonzero(under_observation.survival <= 0.5 + _ROUNDING)
    median = float(under_observation.times[reached[0]]) if len(reached) else None
    return FollowUp(len(followed.time), int(followed.event.sum()), median)


def known_of(evidence: CaseEvidence) -> tuple[Any, Any, Followed]:
    """Return a mask of the cases with a reference, and the answer state, time and event of those cases."""
    from evaluation.metrics.survival_values import Followed

    states = states_of(evidence.block)
    is_known = states >= UNANSWERED
    table = numbers_of(evidence.block, KNOWN, is_known)
    return is_known, states[is_known], Followed(table[:, 0], table[:, 1] == 1)


def answers_of(evidence: CaseEvidence, is_known: Any, states: Any, width: int) -> tuple[Any, Any]:
    """Risks ``(n,)`` and probabilities ``(n, width)``; without a risk, it is 1 minus the last probability."""
    import numpy as np

    places = np.flatnonzero(is_known)
    risk, survival = np.zeros(len(places)), np.zeros((len(places), width))
    for state in (RISK, PROBABILITIES, BOTH):
        in_state = states == state
        if not in_state.any():
            continue
        behind = KNOWN + (state & RISK)
        if state & PROBABILITIES:
            survival[in_state] = numbers_of(evidence.block, width, places[in_state], start=behind)
        risk[in_state] = (
            numbers_of(evidence.block, 1, places[in_state], start=KNOWN)[:, 0]
            if state & RISK
            else 1.0 - survival[in_state][:, -1]
        )
    return risk, survival


def stored_censoring(shared: Mapping[str, Any]) -> Censoring:
    """The censoring survival as it was estimated from the references."""
    import numpy as np

    from evaluation.metrics.survival_values import Censoring

    stored = shared["censoring"]
    return Censoring(np.asarray(stored["times"]), np.asarray(stored["survival"]), float(stored["last"]))
