"""Predicates on the facts of a challenge, for conclusions."""

from typing import Any

from evaluation import problems
from evaluation.assessment import Assessment, parse
from evaluation.bundle.outside import MEASURED_OUTSIDE, outside_notes
from evaluation.problems import kind_of
from evaluation.wording import joined
from reports.exposure.domain.words import counted
from reports.exposure.services.case import (
    Case,
    before_first,
    counts_missing_cases,
    days,
    excluded,
    first_submission,
    same_moment,
)


def reassessed(case: Case) -> bool:
    """Return whether rankings used several assessments, or an assessment other than the registered one."""
    return bool(case.other_assessments()) or any(len(ranking.assessments_used) > 1 for _, ranking in case.rankings)


def registered_before_first(case: Case) -> bool:
    design = case.facts.design
    return design is not None and design.is_registered and before_first(case, case.registered_since())


def is_registered(case: Case) -> bool:
    return case.facts.design is not None and case.facts.design.is_registered


def measured_elsewhere(case: Case) -> bool:
    by_kind = any(problems.get(phase.assessment["problem"]).is_measured_elsewhere for phase in case.phases)
    return by_kind or any(ranking.outside for _, ranking in case.rankings)


def measured_how(case: Case) -> str:
    """Describe the unknown origin of measured values, with the digests of the sealed tables."""
    notes = [words for _, ranking in case.rankings for words in outside_notes({MEASURED_OUTSIDE: ranking.outside})]
    return " ".join(["Values were measured elsewhere: the platform cannot tell how.", *notes])


def measured_by_what(case: Case) -> str:
    """The same of the code."""
    tools = dict.fromkeys(str(entry["origin"]["with"]) for _, ranking in case.rankings for entry in ranking.outside)
    by = f" ({', '.join(tools)})" if tools else ""
    return f"Values were measured elsewhere, by code that the platform does not know{by}."


def several_versions(case: Case) -> bool:
    return len({ranking.versions.get("podium", "") for _, ranking in case.rankings}) > 1


def taken_out(case: Case) -> int:
    """Return the number of cases that the executed assessments exclude by name, over all phases."""
    return sum(len(parse(phase.assessment).exclusions.cases) for phase in case.phases)


def moved(case: Case) -> bool:
    """Return whether a phase opened or closed at other times than planned at its creation."""
    facts = case.facts
    if case.deviates("schedule"):
        return True
    for phase in facts.phases:
        for entry in facts.entries("phase_created", phase.pk):
            if entry["phase"] == phase.pk and not (
                same_moment(entry["facts"].get("closes_at"), phase.closes_at)
                and same_moment(entry["facts"].get("opens_at"), phase.opens_at)
            ):
                return True
        if facts.entries("phase_closed", phase.pk):
            return True
    return False


def unsealed(case: Case) -> bool:
    return any(not phase.test_sets for phase in case.phases)


def replaced(case: Case) -> bool:
    return any(len(phase.test_sets) > 1 for phase in case.phases)


def sealed_late(case: Case) -> bool:
    return any(
        phase.first_submission and phase.test_sets and phase.test_sets[0]["sealed_at"] > phase.first_submission
        for phase in case.phases
    )


def with_merging(case: Case) -> bool:
    return bool(case.value("annotation_aggregation_test")) or any(
        entry.get("annotators") and entry["merging"] for phase in case.phases for entry in phase.test_sets[-1:]
    )


def ignored(case: Case) -> bool:
    return any(phase.incomplete_allowed and excluded(parse(phase.assessment)) for phase in case.phases)


def unstated(assessment: Assessment) -> bool:
    if kind_of(assessment).texts.missing_cases(assessment):
        return False
    return any(metric.policy.get("missing") is None for metric in assessment.metrics)


def tells_missing(case: Case) -> bool:
    return bool(case.ranked) and all(counts_missing_cases(parse(phase.assessment)) for phase in case.ranked)


def feedback(phase: Any) -> bool:
    """Return whether teams saw scores of the ranked cases while a phase was open."""
    return bool(phase.leaderboard != "sealed" or phase.results != "validation")


def hidden(case: Case) -> bool:
    """Return whether all phases run algorithms here, on images that the design hides from participants."""
    return (
        bool(case.phases)
        and all(phase.runs_algorithms for phase in case.phases)
        and case.value("test_data_access") == "hidden"
    )


def fewer(case: Case) -> bool:
    return any(
        phase.submitting_teams > (0 if phase.ranking is None else len(phase.ranking.teams)) for phase in case.visible
    )


def changed_what(case: Case) -> str:
    changes = (("The assessment", reassessed(case)), ("the software", several_versions(case)))
    what = " and ".join(name for name, differs in changes if differs)
    return f"{what[0].upper()}{what[1:]} changed; each ranking names its own."


def public_when(case: Case) -> str:
    first = first_submission(case)
    if not first:
        return "Metrics, ranking, ties and missing data are public; nothing was submitted yet."
    number = days(case.registered_since(), first)
    ahead = f"{counted(number, 'day')} before" if number else "less than a day before"
    return f"Metrics, ranking, ties and missing data were public {ahead} the first submission."


def known_before(case: Case) -> bool:
    first = first_submission(case)
    created = case.facts.entries("phase_created")
    return case.facts.is_public and any(not first or entry["time"] <= first for entry in created)


def library(case: Case) -> str:
    words = "All metrics are those of the tested library"
    readable = [case.facts.named(phase) for phase in case.ranked if phase.bundle_is_public]
    if not case.ranked:
        return f"{words}."
    if len(readable) == len(case.ranked):
        return f"{words}, and anyone can recompute every ranking from its bundle."
    if readable:
        return f"{words}; anyone can recompute the ranking of {joined(readable)} from its bundle."
    return f"{words}; the bundle to recompute a ranking from is for the organizers alone."
