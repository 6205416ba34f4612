"""Algorithm descriptions and reports."""

import re

from evaluation.designs.checks.registry import Subject, register

RATE_LOW, RATE_HIGH = 1e-7, 0.5
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)


@register("plausible_learning_rate", reads=("learning_rate",))
def plausible_learning_rate(subject: Subject) -> str | None:
    match = _NUMBER.search(subject.values.text("learning_rate"))
    if match is None or RATE_LOW <= float(match[0]) <= RATE_HIGH:
        return None
    return f"The initial rate reads {match[0]}."


@register("subset_reason", reads=("number_of_teams_in_report", "number_of_submitting_teams"))
def subset_reason(subject: Subject) -> str | None:
    in_report = subject.values.get("number_of_teams_in_report")
    sent = subject.values.get("number_of_submitting_teams")
    if (
        in_report is None
        or sent is None
        or in_report >= sent
        or subject.values.entry("number_of_teams_in_report").details
    ):
        return None
    return f"{in_report} of {sent} teams are in the report."
