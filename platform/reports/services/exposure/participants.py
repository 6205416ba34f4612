"""What participants could do."""

from typing import Final

from evaluation.assessment import parse
from reports.domain.words import access_words, counted
from reports.services.exposure import of_participants as said
from reports.services.exposure.case import Case, Evidence, Judgement, limit_words, missing_words, twins
from reports.services.exposure.conclusions import conclude
from reports.services.exposure.questions import feedback

OUTPUTS: Final = "Predictions are uploaded; the platform does not run the teams’ methods."
PROGRAMS: Final = "Container images are uploaded; the platform runs them on every case, without a network."


def ways(case: Case) -> list[Evidence]:
    """What teams hand in: predictions, programs, or the one in some phases and the other in others."""
    programs = [phase.name for phase in case.phases if phase.runs_algorithms]
    if not programs:
        return [case.counted(OUTPUTS, "way of submission")]
    if len(programs) == len(case.phases):
        return [case.counted(PROGRAMS, "way of submission")]
    others = [phase.name for phase in case.phases if not phase.runs_algorithms]
    return [
        case.counted(f"{', '.join(programs)}: {PROGRAMS}", "way of submission"),
        case.counted(f"{', '.join(others)}: {OUTPUTS}", "way of submission"),
    ]


def selective(case: Case) -> Judgement:
    evidence = ways(case)
    for phase in case.phases:
        assessment = parse(phase.assessment)
        rule = "refused" if not phase.incomplete_allowed else "taken"
        evidence.append(
            case.assessment(
                phase,
                f"{phase.name}: incomplete submissions are {rule}; a missing case counts as {missing_words(assessment)}",
            )
        )
    evidence += case.decoys()
    return *conclude(said.SELECTIVE, case), evidence


def missing_rule(case: Case) -> Judgement:
    evidence = [
        case.assessment(phase, f"{phase.name}: a missing case counts as {missing_words(parse(phase.assessment))}")
        for phase in case.phases
    ]
    evidence += case.said("missing_data_handling")
    return *conclude(said.MISSING_RULE, case), evidence


def by_hand(case: Case) -> Judgement:
    evidence = [
        *ways(case),
        *case.said("submission_method"),
        *case.said("test_data_access"),
        *case.said("interaction_level_policy"),
    ]
    alike = twins(case)
    evidence += [
        case.ranking(phase, f"{phase.name}: {counted(count, 'group')} of teams with the same result in every case")
        for phase, count in alike
    ]
    return *conclude(said.BY_HAND, case), [*evidence, *case.decoys()]


def attempts(case: Case) -> Judgement:
    evidence = []
    for phase in case.phases:
        limit = limit_words(phase)
        most = max(phase.made_by.values(), default=0)
        made = f"; at most {most} by one team" if phase.made_by else ""
        told = (
            "teams saw scores of the ranked cases while it was open"
            if feedback(phase)
            else "no score was shown while it was open"
        )
        evidence.append(case.counted(f"{phase.name}: {limit}{made}; {told}", "submissions and settings of the phase"))
    return *conclude(said.ATTEMPTS, case), evidence


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
    return *conclude(said.ACCOUNTS, case), evidence


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
    return *conclude(said.LABELS, case), evidence


def extra_data(case: Case) -> Judgement:
    policy = case.said("training_data_policy")
    described = case.said("method_description_requirement")
    return *conclude(said.EXTRA_DATA, case), [*policy, *(described if policy else [])]
