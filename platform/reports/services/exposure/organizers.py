"""What organizers could do, by intent or by accident."""

from typing import Final

from challenges.domain.scheduling import STAYS_OPEN
from evaluation import problems
from evaluation.assessment import parse
from evaluation.assessment.exclusions import counted_words
from evaluation.ranking.explain import joined
from reports.domain.words import counted, decoy_words
from reports.services.exposure.case import (
    Case,
    Cover,
    Evidence,
    Judgement,
    before_first,
    created,
    days,
    first_submission,
    metric_words,
    same_moment,
    versions,
)

FEWEST_TEAMS: Final = 3
ALL_RESULTS: Final = "all_public"


def scheme(case: Case) -> Judgement:
    evidence: list[Evidence] = []
    changed = [phase for phase in case.ranked if len(phase.ranking.assessments_used) > 1]
    wrong = case.other_assessments()
    for phase in case.ranked:
        digests = ", ".join(digest[:12] for digest in phase.ranking.assessments_used)
        evidence.append(
            case.ranking(
                phase,
                f"{phase.name}: {counted(phase.ranking.standings, 'ranking')} stood, run with the assessment {digests}",
            )
        )
    evidence += [Evidence(f"{entry['phase']}: {entry['what']}", "registration", "Deviations") for entry in wrong]
    if wrong or changed:
        return Cover.DETECTABLE, "The assessment changed; every ranking names the one that it ran with.", evidence
    design = case.facts.design
    if design is not None and design.is_registered and before_first(case, case.registered_since()):
        evidence.append(
            Evidence(
                f"{design.label} of {design.since[:10]}", "registration", design.label, design.digest, design.address
            )
        )
        return (
            Cover.PREVENTED,
            "Rankings are computed from the registered version alone, which was there before the first submission.",
            evidence,
        )
    return (
        Cover.DETECTABLE,
        "The configuration is fixed with the phase and every ranking names its digest, but no registration before the first submission proves when it was chosen.",
        [*evidence, *created(case)],
    )


def parameters(case: Case) -> Judgement:
    evidence = []
    for phase in case.phases:
        assessment = parse(phase.assessment)
        words = "; ".join(metric_words(assessment, index) for index in range(len(assessment.metrics)))
        evidence.append(case.assessment(phase, f"{phase.name}: {words}"))
    software = {phase.ranking.versions.get("podium", "") for phase in case.ranked}
    evidence += [
        case.ranking(phase, f"{phase.name}: scored and ranked with {versions(phase)}") for phase in case.ranked
    ]
    if any(problems.get(phase.assessment["problem"]).is_measured_elsewhere for phase in case.phases):
        return Cover.UNCOVERED, "Values were measured elsewhere: the platform cannot tell how.", evidence
    reassessed = case.other_assessments() or any(len(phase.ranking.assessments_used) > 1 for phase in case.ranked)
    if len(software) > 1 or reassessed:
        what = " and ".join(
            name for name, differs in (("The assessment", reassessed), ("the software", len(software) > 1)) if differs
        )
        return Cover.DETECTABLE, f"{what[0].upper()}{what[1:]} changed; each ranking names its own.", evidence
    design = case.facts.design
    if design is not None and design.is_registered:
        return Cover.PREVENTED, "Metric options are part of the registered assessment and of its digest.", evidence
    return (
        Cover.DETECTABLE,
        "Metric options are part of the digest that every ranking names; no registration holds them.",
        evidence,
    )


def announced(case: Case) -> Judgement:
    design, first = case.facts.design, first_submission(case)
    evidence = created(case)
    if first:
        evidence.append(
            case.counted(f"First submission that was taken: {first[:16].replace('T', ' ')} UTC", "submissions")
        )
    if design is not None and design.is_registered:
        evidence.append(
            Evidence(
                f"{design.label} of {design.since[:10]}", "registration", design.label, design.digest, design.address
            )
        )
        since = case.registered_since()
        if before_first(case, since):
            ahead = days(since, first) if first else None
            when = f" {_ahead(ahead)} the first submission" if ahead is not None else ""
            return Cover.PREVENTED, f"Metrics, ranking, ties and missing data were public{when}.", evidence
    known = [entry for entry in case.facts.entries("phase_created") if not first or entry["time"] <= first]
    if known and case.facts.is_public:
        return (
            Cover.DETECTABLE,
            "The whole assessment stands on the page of the challenge; the log says since when.",
            evidence,
        )
    return Cover.UNCOVERED, "Nothing proves that the assessment was public before the first submission.", evidence


def test_cases(case: Case) -> Judgement:
    cover, conclusion, evidence = sealed(
        case,
        "The cases were sealed before the first submission and never replaced.",
        "The test set was replaced; both versions and their digests are on record.",
    )
    taken_out, evidence = _taken_out(case), [*evidence, *_exclusions(case)]
    if not taken_out:
        return cover, conclusion, evidence
    cases = counted(taken_out, "case")
    if case.other_assessments():
        return (
            max(cover, Cover.DETECTABLE, key=list(Cover).index),
            (
                f"{cases[0].upper()}{cases[1:]} {'was' if taken_out == 1 else 'were'} taken out, for every team, by a registered change after the first submission; the "
                "ranking with them stands beside the one without."
            ),
            evidence,
        )
    return (
        cover,
        f"{conclusion} {cases[0].upper()}{cases[1:]} {'does' if taken_out == 1 else 'do'} not count, by the registered design.",
        evidence,
    )


def _taken_out(case: Case) -> int:
    """How many cases the executed assessments exclude by name, over all phases."""
    return sum(len(parse(phase.assessment).exclusions.cases) for phase in case.phases)


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
    cover, conclusion, evidence = sealed(
        case,
        "The references were sealed with the cases before the first submission, and how annotations were merged is on record.",
        "References were replaced; every version has its digest.",
    )
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
    if cover is Cover.PREVENTED and not merge:
        return (
            Cover.DETECTABLE,
            "The references are sealed by digest, but no rule of merging annotations is on record.",
            evidence,
        )
    return cover, conclusion, [*evidence, *merge]


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
    if not case.value("organizer_participation_policy"):
        return (
            Cover.DETECTABLE,
            "Organizers cannot join a team with their account, but no policy for their institutes is on record.",
            evidence,
        )
    if close["close"]:
        return (
            Cover.DETECTABLE,
            "There is a policy, and teams stand close to the organizers; whether it allows them is for the organizers to say.",
            evidence,
        )
    return (
        Cover.PREVENTED,
        "Organizers cannot join a team, and no member of a team shares affiliation or e-mail domain with them.",
        evidence,
    )


def schedule(case: Case) -> Judgement:
    evidence, moved = [], bool(case.deviates("schedule"))
    for phase in case.facts.phases:
        for entry in case.facts.entries("phase_created", phase.pk):
            if entry["phase"] != phase.pk:
                continue
            same = same_moment(entry["facts"].get("closes_at"), phase.closes_at) and same_moment(
                entry["facts"].get("opens_at"), phase.opens_at
            )
            moved = moved or not same
            words = (
                "as planned"
                if same
                else f"planned {entry['facts'].get('opens_at', '')[:16]} to {entry['facts'].get('closes_at', '')[:16]}"
            )
            evidence.append(
                case.log(entry, f"{phase.name}: {phase.opens_at[:16]} to {_closing(phase.closes_at)}, {words}")
            )
        for entry in case.facts.entries("phase_closed", phase.pk):
            moved = True
            evidence.append(case.log(entry, f"{phase.name}: closed by an organizer on {entry['time'][:16]} UTC"))
        if phase.late:
            evidence.append(
                case.counted(
                    f"{phase.name}: {counted(phase.late, 'late submission')}; late ones are never ranked", "submissions"
                )
            )
    if moved:
        return Cover.DETECTABLE, "The schedule changed; every change is in the log.", evidence
    return (
        Cover.PREVENTED,
        "Phases opened and closed as planned for all, and late submissions are never ranked.",
        evidence,
    )


def _closing(moment: str) -> str:
    """When a phase closes; an open call does not."""
    return "no end, it stays open" if moment >= STAYS_OPEN.isoformat() else f"{moment[:16]} UTC"


def website(case: Case) -> Judgement:
    design = case.facts.design
    if design is None:
        return Cover.UNCOVERED, "The challenge names no design that its page could be compared with.", []
    evidence = [
        Evidence(
            design.label,
            "registration" if design.is_registered else "parameter",
            design.label,
            design.digest,
            design.address,
        )
    ]
    if not design.is_registered:
        return Cover.DETECTABLE, "There is a frozen design; it is not registered.", evidence
    open_ = case.deviates()
    evidence += [Evidence(f"{entry['phase']}: {entry['what']}", "registration", "Deviations") for entry in open_]
    if open_:
        return Cover.DETECTABLE, "The execution deviates from the registration; the deviations are marked.", evidence
    return Cover.PREVENTED, "The pages of the challenge are written from the registered version.", evidence


def implementation(case: Case) -> Judgement:
    evidence = [
        case.ranking(phase, f"{phase.name}: {versions(phase)}; results of every case stored under digests")
        for phase in case.ranked
    ]
    if any(problems.get(phase.assessment["problem"]).is_measured_elsewhere for phase in case.phases):
        return Cover.UNCOVERED, "Values were measured elsewhere, by code that the platform does not know.", evidence
    if not case.phases:
        return Cover.UNCOVERED, "Nothing has been scored yet.", evidence
    return Cover.PREVENTED, f"All metrics are those of the tested library{_recomputed_by(case)}.", evidence


def flattering(case: Case) -> Judgement:
    evidence, fewer = [], False
    for phase in case.ranked:
        ranked = len(phase.ranking.teams)
        scored = phase.states.get("scored", 0)
        fewer = fewer or ranked < phase.submitting_teams
        evidence.append(
            case.ranking(
                phase,
                f"{phase.name}: {ranked} of {counted(phase.submitting_teams, 'team')} with a taken submission ranked; "
                f"{counted(scored, 'submission')} scored",
            )
        )
    if not case.ranked:
        return Cover.UNCOVERED, "There is no ranking yet.", evidence
    if fewer:
        return (
            Cover.DETECTABLE,
            "Some teams with a taken submission are not in the ranking; the numbers stand here.",
            evidence,
        )
    policy = case.value("results_announcement_policy")
    if policy not in (None, ALL_RESULTS):
        return (
            Cover.DETECTABLE,
            "Every team with a taken submission is in the ranking; which results are announced elsewhere follows the registered policy.",
            [*evidence, *case.said("results_announcement_policy")],
        )
    return Cover.PREVENTED, "Every team with a taken submission is in the ranking, with all metrics.", evidence


def winner(case: Case) -> Judgement:
    evidence = [
        case.ranking(
            phase,
            f"{phase.name}: {counted(phase.ranking.bootstrap, 'bootstrap sample')} over {counted(phase.ranking.cases, 'case')}, "
            f"{counted(len(phase.ranking.teams), 'team')}",
        )
        for phase in case.ranked
    ]
    if not case.ranked:
        return Cover.UNCOVERED, "There is no ranking yet.", evidence
    if any(phase.ranking.bootstrap == 0 for phase in case.ranked):
        return (
            Cover.UNCOVERED,
            "A ranking was not resampled, so nothing says whether its first place is more than chance.",
            evidence,
        )
    if any(len(phase.ranking.teams) < FEWEST_TEAMS for phase in case.ranked):
        return (
            Cover.DETECTABLE,
            f"Fewer than {FEWEST_TEAMS} teams: rank sets are shown, a ranking of so few says little.",
            evidence,
        )
    return (
        Cover.PREVENTED,
        "A winner is named only by the registered rule; else those within reach of the first are named beside it.",
        evidence,
    )


def sealed(case: Case, prevented: str, replaced: str) -> Judgement:
    evidence, late, several, absent = [], False, False, not case.phases
    for phase in case.phases:
        if not phase.test_sets:
            absent = True
            continue
        several = several or len(phase.test_sets) > 1
        first = phase.test_sets[0]
        late = late or bool(phase.first_submission and first["sealed_at"] > phase.first_submission)
        for test_set in phase.test_sets:
            words = f"{phase.name}: version {test_set['version']}, {counted(test_set['cases'], 'case')}{decoy_words(test_set, ' ({})')}, sealed {test_set['sealed_at'][:16].replace('T', ' ')} UTC"
            evidence.append(
                Evidence(words, "results", f"Manifest of the test set of {phase.name}", test_set["manifest_digest"])
            )
    if absent:
        return Cover.UNCOVERED, "A phase has no sealed test set.", evidence
    if several:
        return Cover.DETECTABLE, replaced, evidence
    if late:
        return Cover.DETECTABLE, "The test set was sealed after the first submission.", evidence
    return Cover.PREVENTED, prevented, evidence


def _recomputed_by(case: Case) -> str:
    """Who can compute the rankings again, by whom their bundles can be read."""
    if not case.ranked:
        return ""
    readable = [phase for phase in case.ranked if phase.bundle_is_public]
    if len(readable) == len(case.ranked):
        return ", and anyone can recompute every ranking from its bundle"
    if readable:
        return f"; anyone can recompute the ranking of {joined([phase.name for phase in readable])} from its bundle"
    return "; the bundle to recompute a ranking from is for the organizers alone"


def _ahead(number: int) -> str:
    return f"{counted(number, 'day')} before" if number else "less than a day before"
