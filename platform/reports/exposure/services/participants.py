"""Manipulations that participants could carry out."""

from reports.exposure.services import lines
from reports.exposure.services import of_participants as said
from reports.exposure.services.case import Case, Evidence, Judgement, twins
from reports.exposure.services.conclusions import conclude
from reports.exposure.services.lines import About
from reports.exposure.services.questions import feedback


def ways(case: Case) -> list[Evidence]:
    """Return the evidence of the way of submission: predictions, programs, or both in different phases."""
    names = {
        "programs": [case.facts.named(phase) for phase in case.phases if phase.runs_algorithms],
        "predictions": [case.facts.named(phase) for phase in case.phases if not phase.runs_algorithms],
    }
    return [case.counted(text, "way of submission") for text in lines.WAYS.all(About(case.facts, entry=names))]


def _decoys(case: Case) -> list[Evidence]:
    """Return the evidence of requested cases that are not scored."""
    return [
        Evidence(text, "results", f"Manifest of the test set of {case.facts.named(phase)}", entry["manifest_digest"])
        for phase in case.phases
        for entry in phase.test_sets[-1:]
        for text in lines.DECOYS.all(About(case.facts, phase, entry))
    ]


def _twins(case: Case) -> list[Evidence]:
    return [
        case.ranking(phase, lines.TWINS.first(About(case.facts, phase, count=count))) for phase, count in twins(case)
    ]


def selective(case: Case) -> Judgement:
    evidence = [case.assessment(phase, lines.INCOMPLETE.first(About(case.facts, phase))) for phase in case.phases]
    return *conclude(said.SELECTIVE, case), [*ways(case), *evidence, *_decoys(case)]


def missing_rule(case: Case) -> Judgement:
    evidence = [case.assessment(phase, lines.MISSING.first(About(case.facts, phase))) for phase in case.phases]
    return *conclude(said.MISSING_RULE, case), evidence + case.said("missing_data_handling")


def by_hand(case: Case) -> Judgement:
    evidence = [
        *ways(case),
        *case.said("submission_method"),
        *case.said("test_data_access"),
        *case.said("interaction_level_policy"),
    ]
    return *conclude(said.BY_HAND, case), [*evidence, *_twins(case), *_decoys(case)]


def attempts(case: Case) -> Judgement:
    evidence = [
        case.counted(
            lines.ATTEMPTS.first(About(case.facts, phase, count=feedback(phase))),
            "submissions and settings of the phase",
        )
        for phase in case.phases
    ]
    return *conclude(said.ATTEMPTS, case), evidence


def accounts(case: Case) -> Judgement:
    evidence = [case.counted(lines.ACCOUNTS.first(About(case.facts)), "accounts"), *_twins(case)]
    return *conclude(said.ACCOUNTS, case), evidence


def labels(case: Case) -> Judgement:
    evidence = [
        case.counted(lines.LOOKS.first(About(case.facts)), "storage of references"),
        case.counted(lines.ACCESS.first(About(case.facts)), "acts in the audit log"),
        *case.said("test_label_access"),
    ]
    evidence += [
        case.log(entry, lines.SEALED_LOG.first(About(case.facts, entry=entry)))
        for entry in case.facts.entries("test_set_sealed")
    ]
    return *conclude(said.LABELS, case), evidence


def extra_data(case: Case) -> Judgement:
    policy = case.said("training_data_policy")
    described = case.said("method_description_requirement")
    asked = [
        case.counted(text, "questions of teams about overlap")
        for phase in case.phases
        for text in lines.OVERLAPS.all(About(case.facts, phase))
    ]
    return *conclude(said.EXTRA_DATA, case), [*policy, *(described if policy else []), *asked]
