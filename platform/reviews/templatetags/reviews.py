"""Tags of the pages of calls."""

from django import template

from reviews.models import Outcome, Part, State

register = template.Library()

_STATES = {
    State.SUBMITTED: "info",
    State.UNDER_REVIEW: "info",
    State.REVISION_REQUIRED: "warn",
    State.REVISION_SUBMITTED: "info",
    State.ACCEPTED: "ok",
    State.REGISTERED: "ok",
    State.REJECTED: "bad",
}
_OUTCOMES = {Outcome.ACCEPT: "ok", Outcome.MINOR: "info", Outcome.MAJOR: "warn", Outcome.REJECT: "bad"}


@register.filter
def state_kind(state: str) -> str:
    """Kind of badge of a state.

    >>> state_kind("accepted"), state_kind("withdrawn")
    ('ok', 'muted')
    """
    return _STATES.get(State(state), "muted")


@register.filter
def outcome_kind(outcome: str) -> str:
    """Kind of badge of a recommendation.

    >>> outcome_kind("major")
    'warn'
    """
    return _OUTCOMES[Outcome(outcome)]


@register.filter
def part_label(part: str, number: int = 1) -> str:
    """Return the name of a reviewer part, in the singular or plural.

    >>> part_label("clinical"), part_label("general", 2)
    ('clinical reviewer', 'reviewers')
    """
    return f"{Part(part).label}{'' if number == 1 else 's'}"
