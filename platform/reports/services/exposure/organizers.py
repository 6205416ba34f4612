"""What organizers could do, by intent or by accident."""

from challenges.domain.scheduling import STAYS_OPEN
from evaluation.assessment import parse
from evaluation.assessment.exclusions import counted_words
from evaluation.ranking.explain import joined
from reports.domain.words import counted, decoy_words
from reports.services.exposure import of_organizers as said
from reports.services.exposure.case import (
    Case,
    Cover,
    Evidence,
    Judgement,
    created,
    first_submission,
    metric_words,
    same_moment,
    versions,
)
from reports.services.exposure.conclusions import conclude
from reports.services.exposure.questions import taken_out


def scheme(case: Case) -> Judgement:
    evidence: list[Evidence] = []
    for phase in case.ranked:
        digests = ", ".join(digest[:12] for digest in phase.ranking.assessments_used)
        evidence.append(
            case.ranking(
                phase,
                f"{phase.name}: {counted(phase.ranking.standings, 'ranking')} stood, run with the assessment {digests}",
            )
        )
    evidence += [
        Evidence(f"{entry['phase']}: {entry['what']}", "registration", "Deviations")
        for entry in case.other_assessments()
    ]
    cover, conclusion = conclude(said.SCHEME, case)
    if conclusion.claim == "scheme.registered":
        evidence += _registration(case, f" of {case.facts.design.since[:10]}")
    if conclusion.claim == "scheme.unproved":
        evidence += created(case)
    return cover, conclusion, evidence


def _registration(case: Case, behind: str = "") -> list[Evidence]:
    """The registered version, where there is one."""
    design = case.facts.design
    if design is None or not design.is_registered:
        return []
    return [Evidence(f"{design.label}{behind}", "registration", design.label, design.digest, design.address)]


def parameters(case: Case) -> Judgement:
    evidence = []
    for phase in case.phases:
        assessment = parse(phase.assessment)
        words = "; ".join(metric_words(assessment, index) for index in range(len(assessment.metrics)))
        evidence.append(case.assessment(phase, f"{phase.name}: {words}"))
    evidence += [
        case.ranking(phase, f"{phase.name}: scored and ranked with {versions(phase)}") for phase in case.ranked
    ]
    return *conclude(said.PARAMETERS, case), evidence


def announced(case: Case) -> Judgement:
    first = first_submission(case)
    evidence = created(case)
    if first:
        evidence.append(
            case.counted(f"First submission that was taken: {first[:16].replace('T', ' ')} UTC", "submissions")
        )
    if case.facts.design is not None:
        evidence += _registration(case, f" of {case.facts.design.since[:10]}")
    return *conclude(said.ANNOUNCED, case), evidence


def test_cases(case: Case) -> Judgement:
    cover, conclusion = conclude(said.TEST_CASES, case)
    evidence = [*_sealed(case), *_exclusions(case)]
    if not taken_out(case):
        return cover, conclusion, evidence
    other, why = conclude(said.TAKEN_OUT, case)
    return max(cover, other, key=list(Cover).index), f"{conclusion} {why}", evidence


def _exclusions(case: Case) -> list[Evidence]:
    """Which cases do not count, why, and what was known of scores when that was asked for."""
    found = []
    for phase in case.phases:
        rule = parse(phase.assessment).exclusions
        if rule.cases:
            reasons = counted_words(list(rule.cases.values()))
            found.append(
                case.assessment(phase, f"{phase.name}: {counted(len(rule.cases), 'case')} excluded: {reasons}")
            )
        if rule.grade_column:
            left_out = joined(rule.grades, "or") or "no grade"
            found.append(
                case.assessment(phase, f"{phase.name}: cases graded {left_out} are left out ({rule.grade_column})")
            )
    if found:
        found += [
            Evidence(f"{entry['phase']}: {entry['what']}. {entry['reason']}", "registration", "Deviations")
            for entry in case.other_assessments()
        ]
    return found


def references(case: Case) -> Judgement:
    merge = case.said("annotation_aggregation_test")
    merge += [
        Evidence(
            f"{phase.name}: references of {counted(entry['annotators'], 'annotator')} sealed; {entry['merging']}. The leaderboard "
            "has a ranking against each",
            "results",
            f"Manifest of the test set of {phase.name}",
            entry["manifest_digest"],
        )
        for phase in case.phases
        for entry in phase.test_sets[-1:]
        if entry.get("annotators") and entry["merging"]
    ]
    return *conclude(said.REFERENCES, case), [*_sealed(case), *merge]


def own_challenge(case: Case) -> Judgement:
    close = case.facts.organizer_affinity
    evidence = [
        case.counted(
            f"Sharing an affiliation or e-mail domain with an organizer: {close['close']} of "
            f"{counted(close['members'], 'member')} of teams, in {counted(close['teams'], 'team')}",
            "accounts",
        ),
        *case.said("organizer_participation_policy"),
    ]
    return *conclude(said.OWN_CHALLENGE, case), evidence


def schedule(case: Case) -> Judgement:
    evidence = []
    for phase in case.facts.phases:
        for entry in case.facts.entries("phase_created", phase.pk):
            if entry["phase"] != phase.pk:
                continue
            same = same_moment(entry["facts"].get("closes_at"), phase.closes_at) and same_moment(
                entry["facts"].get("opens_at"), phase.opens_at
            )
            words = (
                "as planned"
                if same
                else f"planned {entry['facts'].get('opens_at', '')[:16]} to {entry['facts'].get('closes_at', '')[:16]}"
            )
            evidence.append(
                case.log(entry, f"{phase.name}: {phase.opens_at[:16]} to {_closing(phase.closes_at)}, {words}")
            )
        evidence += [
            case.log(entry, f"{phase.name}: closed by an organizer on {entry['time'][:16]} UTC")
            for entry in case.facts.entries("phase_closed", phase.pk)
        ]
        if phase.late:
            evidence.append(
                case.counted(
                    f"{phase.name}: {counted(phase.late, 'late submission')}; late ones are never ranked", "submissions"
                )
            )
    return *conclude(said.SCHEDULE, case), evidence


def _closing(moment: str) -> str:
    """When a phase closes; an open call does not."""
    return "no end, it stays open" if moment >= STAYS_OPEN.isoformat() else f"{moment[:16]} UTC"


def website(case: Case) -> Judgement:
    design = case.facts.design
    cover, conclusion = conclude(said.WEBSITE, case)
    if design is None:
        return cover, conclusion, []
    evidence = [
        Evidence(
            design.label,
            "registration" if design.is_registered else "parameter",
            design.label,
            design.digest,
            design.address,
        )
    ]
    if design.is_registered:
        evidence += [
            Evidence(f"{entry['phase']}: {entry['what']}", "registration", "Deviations") for entry in case.deviates()
        ]
    return cover, conclusion, evidence


def implementation(case: Case) -> Judgement:
    evidence = [
        case.ranking(phase, f"{phase.name}: {versions(phase)}; results of every case stored under digests")
        for phase in case.ranked
    ]
    return *conclude(said.IMPLEMENTATION, case), evidence


def flattering(case: Case) -> Judgement:
    evidence = []
    for phase in case.ranked:
        ranked = len(phase.ranking.teams)
        scored = phase.states.get("scored", 0)
        evidence.append(
            case.ranking(
                phase,
                f"{phase.name}: {ranked} of {counted(phase.submitting_teams, 'team')} with a taken submission ranked; "
                f"{counted(scored, 'submission')} scored",
            )
        )
    cover, conclusion = conclude(said.FLATTERING, case)
    if conclusion.claim == "flattering.policy":
        evidence += case.said("results_announcement_policy")
    return cover, conclusion, evidence


def winner(case: Case) -> Judgement:
    evidence = [
        case.ranking(
            phase,
            f"{phase.name}: {counted(phase.ranking.bootstrap, 'bootstrap sample')} over {counted(phase.ranking.cases, 'case')}, "
            f"{counted(len(phase.ranking.teams), 'team')}",
        )
        for phase in case.ranked
    ]
    return *conclude(said.WINNER, case), evidence


def _sealed(case: Case) -> list[Evidence]:
    """Every sealed version of every phase."""
    return [
        Evidence(
            f"{phase.name}: version {test_set['version']}, {counted(test_set['cases'], 'case')}"
            f"{decoy_words(test_set, ' ({})')}, sealed {test_set['sealed_at'][:16].replace('T', ' ')} UTC",
            "results",
            f"Manifest of the test set of {phase.name}",
            test_set["manifest_digest"],
        )
        for phase in case.phases
        for test_set in phase.test_sets
    ]
