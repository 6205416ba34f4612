"""Manipulations that organizers could carry out, by intent or by accident."""

from reports.exposure.services import lines
from reports.exposure.services import of_organizers as said
from reports.exposure.services.case import Case, Cover, Evidence, Judgement, created, first_submission
from reports.exposure.services.conclusions import conclude
from reports.exposure.services.lines import About
from reports.exposure.services.questions import taken_out


def scheme(case: Case) -> Judgement:
    evidence = [case.ranking(phase, lines.STANDINGS.first(About(case.facts, phase))) for phase in case.ranked]
    evidence += [
        Evidence(lines.DEVIATION.first(About(case.facts, entry=entry)), "registration", "Deviations")
        for entry in case.other_assessments()
    ]
    cover, conclusion = conclude(said.SCHEME, case)
    if conclusion.claim == "scheme.registered":
        evidence += _registration(case)
    if conclusion.claim == "scheme.unproved":
        evidence += _created(case)
    return cover, conclusion, evidence


def _registration(case: Case) -> list[Evidence]:
    """The registered version with its date, where there is one."""
    design = case.facts.design
    return [
        Evidence(text, "registration", design.label, design.digest, design.address)
        for text in lines.REGISTERED.all(About(case.facts))
        if design is not None
    ]


def _created(case: Case) -> list[Evidence]:
    """Return the evidence of the creation time and the assessment of each phase."""
    return [case.log(entry, lines.CREATED.first(About(case.facts, entry=entry))) for entry in created(case)]


def parameters(case: Case) -> Judgement:
    evidence = [case.assessment(phase, lines.METRICS.first(About(case.facts, phase))) for phase in case.phases]
    evidence += [case.ranking(phase, lines.SOFTWARE.first(About(case.facts, phase))) for phase in case.ranked]
    return *conclude(said.PARAMETERS, case), evidence


def announced(case: Case) -> Judgement:
    evidence = _created(case)
    if first := first_submission(case):
        evidence.append(
            case.counted(lines.FIRST_SUBMISSION.first(About(case.facts, entry={"time": first})), "submissions")
        )
    return *conclude(said.ANNOUNCED, case), evidence + _registration(case)


def test_cases(case: Case) -> Judgement:
    cover, conclusion = conclude(said.TEST_CASES, case)
    evidence = [*_sealed(case), *_exclusions(case)]
    if not taken_out(case):
        return cover, conclusion, evidence
    other, why = conclude(said.TAKEN_OUT, case)
    return max(cover, other, key=list(Cover).index), f"{conclusion} {why}", evidence


def _exclusions(case: Case) -> list[Evidence]:
    """Return the evidence of excluded cases, the reasons, and the scores known at the request for exclusion."""
    evidence = [
        case.assessment(phase, text)
        for phase in case.phases
        for group in (lines.EXCLUDED, lines.GRADES)
        for text in group.all(About(case.facts, phase))
    ]
    if evidence:
        evidence += [
            Evidence(lines.DEVIATION_REASON.first(About(case.facts, entry=entry)), "registration", "Deviations")
            for entry in case.other_assessments()
        ]
    return evidence


def references(case: Case) -> Judgement:
    merge = case.said("annotation_aggregation_test")
    merge += [
        Evidence(text, "results", f"Manifest of the test set of {case.facts.named(phase)}", entry["manifest_digest"])
        for phase in case.phases
        for entry in phase.test_sets[-1:]
        for text in lines.ANNOTATORS.all(About(case.facts, phase, entry))
    ]
    searched = [
        case.counted(text, "blinded readings of suspect references")
        for phase in case.phases
        for text in lines.SUSPECTS.all(About(case.facts, phase))
    ]
    return *conclude(said.REFERENCES, case), [*_sealed(case), *merge, *searched]


def own_challenge(case: Case) -> Judgement:
    evidence = [
        case.counted(lines.CLOSE.first(About(case.facts)), "accounts"),
        *case.said("organizer_participation_policy"),
    ]
    return *conclude(said.OWN_CHALLENGE, case), evidence


def schedule(case: Case) -> Judgement:
    evidence = []
    for phase in case.facts.phases:
        for entry in case.facts.entries("phase_created", phase.pk):
            if entry["phase"] != phase.pk:
                continue
            evidence.append(case.log(entry, lines.DATES.first(About(case.facts, phase, entry))))
        evidence += [
            case.log(entry, lines.CLOSED.first(About(case.facts, phase, entry)))
            for entry in case.facts.entries("phase_closed", phase.pk)
        ]
        evidence += [case.counted(text, "submissions") for text in lines.LATE.all(About(case.facts, phase))]
    return *conclude(said.SCHEDULE, case), evidence


def website(case: Case) -> Judgement:
    design = case.facts.design
    cover, conclusion = conclude(said.WEBSITE, case)
    if design is None:
        return cover, conclusion, []
    evidence = [
        Evidence(
            lines.IDENTIFIED.first(About(case.facts)),
            "registration" if design.is_registered else "parameter",
            design.label,
            design.digest,
            design.address,
        )
    ]
    if design.is_registered:
        evidence += [
            Evidence(lines.DEVIATION.first(About(case.facts, entry=entry)), "registration", "Deviations")
            for entry in case.deviates()
        ]
    return cover, conclusion, evidence


def implementation(case: Case) -> Judgement:
    evidence = [case.ranking(phase, lines.DIGESTS.first(About(case.facts, phase))) for phase in case.ranked]
    return *conclude(said.IMPLEMENTATION, case), evidence


def flattering(case: Case) -> Judgement:
    evidence = [case.ranking(phase, lines.RANKED.first(About(case.facts, phase))) for phase in case.ranked]
    cover, conclusion = conclude(said.FLATTERING, case)
    if conclusion.claim == "flattering.policy":
        evidence += case.said("results_announcement_policy")
    return cover, conclusion, evidence


def winner(case: Case) -> Judgement:
    evidence = [case.ranking(phase, lines.RESAMPLED.first(About(case.facts, phase))) for phase in case.ranked]
    return *conclude(said.WINNER, case), evidence


def _sealed(case: Case) -> list[Evidence]:
    """Every sealed version of every phase."""
    return [
        Evidence(
            lines.SEALED.first(About(case.facts, phase, test_set)),
            "results",
            f"Manifest of the test set of {case.facts.named(phase)}",
            test_set["manifest_digest"],
        )
        for phase in case.phases
        for test_set in phase.test_sets
    ]
