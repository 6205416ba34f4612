"""Conclusions about attacks by organizers."""

from typing import Final

from reports.exposure.domain.words import counted
from reports.exposure.services.case import Cover
from reports.exposure.services.conclusions import always, group
from reports.exposure.services.questions import (
    changed_what,
    fewer,
    is_registered,
    known_before,
    library,
    measured_by_what,
    measured_elsewhere,
    measured_how,
    moved,
    public_when,
    reassessed,
    registered_before_first,
    replaced,
    sealed_late,
    several_versions,
    taken_out,
    unsealed,
    with_merging,
)

FEWEST_TEAMS: Final = 3
ALL_RESULTS: Final = "all_public"

SCHEME: Final = group(
    "scheme",
    (
        Cover.DETECTABLE,
        "changed",
        "Rankings ran with several assessments, or with another than the registered one.",
        reassessed,
        "The assessment changed; every ranking names the one that it ran with.",
    ),
    (
        Cover.PREVENTED,
        "registered",
        "All ran with the assessment that was registered before the first submission.",
        registered_before_first,
        "Rankings are computed from the registered version alone, which was there before the first submission.",
    ),
    (
        Cover.DETECTABLE,
        "unproved",
        "No registration is older than the first submission.",
        always,
        "The assessment is fixed with the phase and named by every ranking; no registration proves when it was chosen.",
    ),
)
PARAMETERS: Final = group(
    "parameters",
    (
        Cover.UNCOVERED,
        "elsewhere",
        "A phase takes values that were measured elsewhere.",
        measured_elsewhere,
        measured_how,
    ),
    (
        Cover.DETECTABLE,
        "changed",
        "Rankings ran with several assessments or versions of the software.",
        lambda case: reassessed(case) or several_versions(case),
        changed_what,
    ),
    (
        Cover.PREVENTED,
        "registered",
        "There is a registration.",
        is_registered,
        "Metric options are part of the registered assessment and of its digest.",
    ),
    (
        Cover.DETECTABLE,
        "digest",
        "There is no registration.",
        always,
        "Metric options are part of the digest that every ranking names; no registration holds them.",
    ),
)
ANNOUNCED: Final = group(
    "announced",
    (
        Cover.PREVENTED,
        "registered",
        "The registration is older than the first submission.",
        registered_before_first,
        public_when,
    ),
    (
        Cover.DETECTABLE,
        "page",
        "The challenge is public, and a phase was made before the first submission.",
        known_before,
        "The complete assessment is on the challenge page; the log states since when.",
    ),
    (
        Cover.UNCOVERED,
        "unproved",
        "Neither is so.",
        always,
        "Nothing proves that the assessment was public before the first submission.",
    ),
)
_NOTHING = (
    Cover.UNCOVERED,
    "nothing",
    "No phase has a test set or a ranking.",
    lambda case: not case.phases,
    "No phase has a sealed test set.",
)
_UNSEALED = (Cover.UNCOVERED, "absent", "A phase has no sealed test set.", unsealed, "A phase has no sealed test set.")
_LATE = (
    Cover.DETECTABLE,
    "late",
    "A test set was sealed after the first submission to its phase.",
    sealed_late,
    "The test set was sealed after the first submission.",
)
TEST_CASES: Final = group(
    "test_cases",
    _NOTHING,
    _UNSEALED,
    (
        Cover.DETECTABLE,
        "replaced",
        "A phase has several sealed versions.",
        replaced,
        "The test set was replaced; every version and its digest are on record.",
    ),
    _LATE,
    (
        Cover.PREVENTED,
        "sealed",
        "Each phase has one version, sealed before its first submission.",
        always,
        "The cases were sealed before the first submission and never replaced.",
    ),
)
TAKEN_OUT: Final = group(
    "taken_out",
    (
        Cover.DETECTABLE,
        "later",
        "Cases are excluded by name, and another assessment than the registered one ran.",
        lambda case: bool(taken_out(case)) and bool(case.other_assessments()),
        lambda case: (
            f"{counted(taken_out(case), 'case')} {'was' if taken_out(case) == 1 else 'were'} excluded, for every team, by a registered "
            "change after the first submission; the rankings with and without them are both shown."
        ),
    ),
    (
        Cover.PREVENTED,
        "registered",
        "Cases are excluded by name in the registered assessment.",
        lambda case: bool(taken_out(case)) and is_registered(case),
        lambda case: (
            f"{counted(taken_out(case), 'case')} {'does' if taken_out(case) == 1 else 'do'} not count, by the registered design."
        ),
    ),
    (
        Cover.DETECTABLE,
        "stated",
        "Cases are excluded by name, and no registration says so.",
        lambda case: bool(taken_out(case)),
        lambda case: (
            f"{counted(taken_out(case), 'case')} {'does' if taken_out(case) == 1 else 'do'} not count, by the assessment of the phase."
        ),
    ),
)
REFERENCES: Final = group(
    "references",
    _NOTHING,
    _UNSEALED,
    (
        Cover.DETECTABLE,
        "replaced",
        "A phase has several sealed versions.",
        replaced,
        "References were replaced; every version has its digest.",
    ),
    _LATE,
    (
        Cover.PREVENTED,
        "sealed",
        "Each phase has one version, sealed before its first submission, and a rule of merging is known.",
        with_merging,
        "The references were sealed with the cases before the first submission, and how annotations were merged is on record.",
    ),
    (
        Cover.DETECTABLE,
        "unmerged",
        "No rule of merging is known.",
        always,
        "The references are sealed by digest, but no rule of merging annotations is on record.",
    ),
)
OWN_CHALLENGE: Final = group(
    "own_challenge",
    (
        Cover.DETECTABLE,
        "no_policy",
        "No policy for the organizers' institutes is registered.",
        lambda case: not case.value("organizer_participation_policy"),
        "Organizers cannot join a team with their account, but no policy for their institutes is on record.",
    ),
    (
        Cover.DETECTABLE,
        "close",
        "Members of teams share affiliation or e-mail domain with an organizer.",
        lambda case: bool(case.facts.organizer_affinity["close"]),
        "There is a policy, and teams stand close to the organizers; whether it allows them is for the organizers to say.",
    ),
    (
        Cover.PREVENTED,
        "apart",
        "Nobody shares either.",
        always,
        "Organizers cannot join a team, and no member of a team shares affiliation or e-mail domain with them.",
    ),
)
SCHEDULE: Final = group(
    "schedule",
    (
        Cover.DETECTABLE,
        "moved",
        "A phase opened or closed otherwise than it was made or registered.",
        moved,
        "The schedule changed; every change is in the log.",
    ),
    (
        Cover.PREVENTED,
        "kept",
        "None did.",
        always,
        "The dates of the phases are those that were planned, and late submissions are never ranked.",
    ),
)
WEBSITE: Final = group(
    "website",
    (
        Cover.UNCOVERED,
        "no_design",
        "There is no design.",
        lambda case: case.facts.design is None,
        "The challenge names no design that its page could be compared with.",
    ),
    (
        Cover.DETECTABLE,
        "frozen",
        "The design is not registered.",
        lambda case: not is_registered(case),
        "There is a frozen design; it is not registered.",
    ),
    (
        Cover.DETECTABLE,
        "deviates",
        "The execution deviates from the registration.",
        lambda case: bool(case.deviates()),
        "The execution deviates from the registration; the deviations are marked.",
    ),
    (
        Cover.PREVENTED,
        "registered",
        "It does not.",
        always,
        "The pages of the challenge are written from the registered version.",
    ),
)
IMPLEMENTATION: Final = group(
    "implementation",
    (
        Cover.UNCOVERED,
        "elsewhere",
        "A phase takes values that were measured elsewhere.",
        measured_elsewhere,
        measured_by_what,
    ),
    (
        Cover.UNCOVERED,
        "nothing",
        "No phase has a test set or a ranking.",
        lambda case: not case.phases,
        "Nothing has been scored yet.",
    ),
    (
        Cover.PREVENTED,
        "library",
        "All values were computed here; a bundle is offered to the public where the phase says so.",
        always,
        library,
    ),
)
FLATTERING: Final = group(
    "flattering",
    (Cover.UNCOVERED, "no_ranking", "There is no ranking.", lambda case: not case.ranked, "There is no ranking yet."),
    (
        Cover.DETECTABLE,
        "fewer",
        "A phase has more teams that submitted than its ranking has.",
        fewer,
        "Some teams with an accepted submission are in no ranking; the numbers are listed here.",
    ),
    (
        Cover.DETECTABLE,
        "policy",
        "Another policy than announcing all results is registered.",
        lambda case: case.value("results_announcement_policy") not in (None, ALL_RESULTS),
        "Every team with an accepted submission is in the ranking; which results are announced elsewhere follows the registered policy.",
    ),
    (
        Cover.PREVENTED,
        "all",
        "Every ranking has all teams.",
        always,
        "Every team with an accepted submission is in the ranking, with all metrics.",
    ),
)
WINNER: Final = group(
    "winner",
    (Cover.UNCOVERED, "no_ranking", "There is no ranking.", lambda case: not case.ranked, "There is no ranking yet."),
    (
        Cover.UNCOVERED,
        "not_resampled",
        "A ranking was not resampled.",
        lambda case: any(phase.ranking.bootstrap == 0 for phase in case.ranked),
        "A ranking was not resampled, so nothing says whether its first place is more than chance.",
    ),
    (
        Cover.DETECTABLE,
        "few",
        "A ranking has fewer than three teams.",
        lambda case: any(len(phase.ranking.teams) < FEWEST_TEAMS for phase in case.ranked),
        f"Fewer than {FEWEST_TEAMS} teams: a ranking of so few says little.",
    ),
    (
        Cover.PREVENTED,
        "rule",
        "Every ranking was resampled and has three teams or more.",
        always,
        "A winner is named only by the registered rule; else those within reach of the first are named beside it.",
    ),
)
