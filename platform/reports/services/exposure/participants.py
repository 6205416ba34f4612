"""What participants could do."""

from typing import Final

from evaluation.assessment import parse
from reports.domain.words import access_words, counted
from reports.services.exposure.case import (
    Case,
    Cover,
    Judgement,
    counts_missing_cases,
    excluded,
    limit_words,
    missing_words,
    twins,
)

OUTPUTS: Final = "Predictions are uploaded; the platform does not run the teams’ methods."


def selective(case: Case) -> Judgement:
    evidence = [case.counted(OUTPUTS, "way of submission")]
    ignored = []
    for phase in case.phases:
        assessment = parse(phase.assessment)
        rule = "refused" if not phase.incomplete_allowed else "taken"
        evidence.append(
            case.assessment(
                phase,
                f"{phase.name}: incomplete submissions are {rule}; a missing case counts as {missing_words(assessment)}",
            )
        )
        if phase.incomplete_allowed and excluded(assessment):
            ignored.append(phase)
    evidence += case.decoys()
    if ignored:
        return Cover.UNCOVERED, "Missing cases are left out of the mean, so that withholding bad cases pays.", evidence
    if case.phases and not any(phase.incomplete_allowed for phase in case.phases):
        return Cover.PREVENTED, "Every submission has to hold every case.", evidence
    if case.ranked and all(counts_missing_cases(parse(phase.assessment)) for phase in case.ranked):
        return (
            Cover.DETECTABLE,
            "Missing cases count by the stated rule; the ranking shows how many each team has.",
            evidence,
        )
    return Cover.DETECTABLE, "Missing cases count by the stated rule.", evidence


def missing_rule(case: Case) -> Judgement:
    evidence = [
        case.assessment(phase, f"{phase.name}: a missing case counts as {missing_words(parse(phase.assessment))}")
        for phase in case.phases
    ]
    evidence += case.said("missing_data_handling")
    if any(excluded(parse(phase.assessment)) for phase in case.phases):
        return Cover.DETECTABLE, "The rule is stated and leaves missing cases out.", evidence
    if not case.phases:
        return Cover.UNCOVERED, "There is no phase with an assessment yet.", evidence
    return (
        Cover.PREVENTED,
        "The assessment states a value for a missing case of every metric; without one it is refused.",
        evidence,
    )


def by_hand(case: Case) -> Judgement:
    evidence = [
        case.counted(OUTPUTS, "way of submission"),
        *case.said("submission_method"),
        *case.said("interaction_level_policy"),
    ]
    alike = twins(case)
    evidence += [
        case.ranking(phase, f"{phase.name}: {counted(count, 'group')} of teams with the same result in every case")
        for phase, count in alike
    ]
    if case.has_decoys:
        return (
            Cover.DETECTABLE,
            "Teams hold the test images, but which of them are scored was secret; what they sent for the others is on record.",
            [*evidence, *case.decoys()],
        )
    return (
        Cover.UNCOVERED,
        "Teams hold the test images and send predictions; corrections by hand leave no trace.",
        evidence,
    )


def attempts(case: Case) -> Judgement:
    evidence, blind, limited = [], True, True
    for phase in case.phases:
        feedback = phase.leaderboard != "sealed" or phase.results != "validation"
        blind = blind and not feedback
        limited = limited and phase.in_total is not None
        limit = limit_words(phase)
        most = max(phase.made_by.values(), default=0)
        made = f"; at most {most} by one team" if phase.made_by else ""
        told = (
            "teams saw scores of the ranked cases while it was open"
            if feedback
            else "no score was shown while it was open"
        )
        evidence.append(case.counted(f"{phase.name}: {limit}{made}; {told}", "submissions and settings of the phase"))
    if not case.phases or not all(phase.in_total or phase.per_day for phase in case.phases):
        return Cover.UNCOVERED, "Attempts were not limited in every phase.", evidence
    if blind and limited:
        return Cover.PREVENTED, "Attempts were limited and brought no score of the ranked cases.", evidence
    return (
        Cover.DETECTABLE,
        "Attempts were limited, but scores of the ranked cases were shown; the number of attempts stands beside each team.",
        evidence,
    )


def accounts(case: Case) -> Judgement:
    evidence = [
        case.counted(
            f"{counted(case.facts.people, 'person', 'people')} in {counted(case.facts.teams, 'team')}; the database takes one "
            "team a person and challenge",
            "accounts",
        )
    ]
    evidence += [
        case.ranking(phase, f"{phase.name}: {counted(count, 'group')} of teams with the same result in every case")
        for phase, count in twins(case)
    ]
    return (
        Cover.DETECTABLE,
        "One account has one team; several accounts of one person show only where their results are the same.",
        evidence,
    )


def labels(case: Case) -> Judgement:
    evidence = [
        case.counted("Only organizers can look at a reference, and each look is logged", "storage of references"),
        case.counted(access_words(case.facts.reference_access), "acts in the audit log"),
    ]
    evidence += case.said("test_label_access")
    evidence += [
        case.log(
            entry, f"Test set sealed on {entry['time'][:10]}, manifest {entry['facts'].get('manifest_digest', '')[:12]}"
        )
        for entry in case.facts.entries("test_set_sealed")
    ]
    if case.value("test_label_access"):
        return (
            Cover.DETECTABLE,
            "Who had access to the references is on record; the platform cannot see copies elsewhere.",
            evidence,
        )
    return Cover.UNCOVERED, "Who had access to the references before they were sealed is not on record.", evidence


def extra_data(case: Case) -> Judgement:
    policy = case.said("training_data_policy")
    described = case.said("method_description_requirement")
    if not policy:
        return Cover.UNCOVERED, "No rule about further training data is on record.", []
    if described:
        return (
            Cover.DETECTABLE,
            "There is a rule, and teams have to describe their methods; what they leave out cannot be seen.",
            [*policy, *described],
        )
    return Cover.UNCOVERED, "There is a rule, but nothing by which a breach would show.", policy
