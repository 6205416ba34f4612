"""Meanings of the conclusions about organizers in the exposure report."""

import re

from reports.exposure.queries.audience import Level
from reports.exposure.queries.facts import Facts, PhaseFacts
from tests.claims.exposure_facts import (
    begun,
    called,
    elsewhere,
    first,
    in_design,
    means,
    moment,
    other_assessment,
    ranked,
    registered_before_first,
    registered_for_all,
    taken_out,
)


@means("The assessment changed; every ranking names the one that it ran with\\.")
def _(facts: Facts) -> bool:
    return other_assessment(facts)


@means("Rankings are computed from the registered version alone, which was there before the first submission\\.")
def _(facts: Facts) -> bool:
    return registered_before_first(facts) and not other_assessment(facts)


@means(
    "The assessment is fixed with the phase and named by every ranking; no registration proves when it was chosen\\."
)
def _(facts: Facts) -> bool:
    return not registered_before_first(facts)


@means("Values were measured elsewhere(: the platform cannot tell how|, by code that the platform does not know)\\.")
def _(facts: Facts, _words: str) -> bool:
    return elsewhere(facts)


@means("(The assessment|The software|The assessment and the software) changed; each ranking names its own\\.")
def _(facts: Facts, what: str) -> bool:
    versions = {phase.ranking.versions["podium"] for phase in ranked(facts)}
    expected = [
        name for name, is_so in (("assessment", other_assessment(facts)), ("software", len(versions) > 1)) if is_so
    ]
    return re.findall("assessment|software", what) == expected


@means("Metric options are part of the registered assessment and of its digest\\.")
def _(facts: Facts) -> bool:
    return facts.design is not None and facts.design.kind == "registration" and not other_assessment(facts)


@means("Metric options are part of the digest that every ranking names; no registration holds them\\.")
def _(facts: Facts) -> bool:
    return facts.design is None or facts.design.kind != "registration"


@means(
    "Metrics, ranking, ties and missing data were public (less than a day|[\\d,]+ days?) before the first submission."
)
def _(facts: Facts, ahead: str) -> bool:
    since, began = registered_for_all(facts), first(facts)
    whole = (began - since).days
    words = f"{whole:,} day{'s' if whole != 1 else ''}" if whole else "less than a day"
    return since <= began and ahead == words


@means("Metrics, ranking, ties and missing data are public; nothing was submitted yet\\.")
def _(facts: Facts) -> bool:
    return registered_for_all(facts) is not None and first(facts) is None


@means("The complete assessment is on the challenge page; the log states since when\\.")
def _(facts: Facts) -> bool:
    times = [moment(entry["time"]) for entry in facts.log if entry["act"] == "phase_created"]
    return facts.is_public and bool(times) and (first(facts) is None or min(times) <= first(facts))


@means("Nothing proves that the assessment was public before the first submission\\.")
def _(facts: Facts) -> bool:
    return not registered_before_first(facts)


@means("No phase has a sealed test set\\.")
def _(facts: Facts) -> bool:
    return not any(phase.test_sets for phase in facts.phases)


@means("A phase has no sealed test set\\.")
def _(facts: Facts) -> bool:
    return any(not phase.test_sets for phase in facts.phases)


@means(
    "(The test set was replaced; every version and its digest are on record|References were replaced; every version has its digest)."
)
def _(facts: Facts, _words: str) -> bool:
    return any(len(phase.test_sets) > 1 for phase in facts.phases)


@means("The test set was sealed after the first submission\\.")
def _(facts: Facts) -> bool:
    return any(sealed_late(phase) for phase in facts.phases)


def sealed_late(phase: PhaseFacts) -> bool:
    return bool(
        phase.first_submission
        and phase.test_sets
        and min(moment(entry["sealed_at"]) for entry in phase.test_sets) > moment(phase.first_submission)
    )


def sealed_in_time(facts: Facts) -> bool:
    with_any = [phase for phase in facts.phases if phase.test_sets]
    return bool(with_any) and all(len(phase.test_sets) == 1 and not sealed_late(phase) for phase in with_any)


@means("The cases were sealed before the first submission and never replaced\\.")
def _(facts: Facts) -> bool:
    return sealed_in_time(facts)


@means(
    "(\\d+) (case|cases) (was|were) excluded, for every team, by a registered change after the first submission; the rankings with and without them are both shown."
)
def _(facts: Facts, number: str, noun: str, verb: str) -> bool:
    grammar = (noun, verb) == (("case", "was") if number == "1" else ("cases", "were"))
    changed = any(
        entry["executed_digest"] != entry["registered_digest"] for phase in facts.phases for entry in phase.deviations
    )
    return grammar and int(number) == taken_out(facts) > 0 and changed


@means("(\\d+) (case|cases) (does|do) not count, by the registered design\\.")
def _(facts: Facts, number: str, noun: str, verb: str) -> bool:
    grammar = (noun, verb) == (("case", "does") if number == "1" else ("cases", "do"))
    return (
        grammar
        and int(number) == taken_out(facts) > 0
        and facts.design is not None
        and facts.design.kind == "registration"
    )


@means("(\\d+) (case|cases) (does|do) not count, by the assessment of the phase\\.")
def _(facts: Facts, number: str, noun: str, verb: str) -> bool:
    grammar = (noun, verb) == (("case", "does") if number == "1" else ("cases", "do"))
    return grammar and int(number) == taken_out(facts) > 0


def merging_known(facts: Facts) -> bool:
    annotated = any(entry["annotators"] for phase in begun(facts) for entry in phase.test_sets[-1:])
    return bool(in_design(facts, "annotation_aggregation_test")) or annotated


@means(
    "The references were sealed with the cases before the first submission, and how annotations were merged is on record."
)
def _(facts: Facts) -> bool:
    return sealed_in_time(facts) and merging_known(facts)


@means("The references are sealed by digest, but no rule of merging annotations is on record\\.")
def _(facts: Facts) -> bool:
    return not merging_known(facts) and any(phase.test_sets for phase in facts.phases)


@means("Organizers cannot join a team with their account, but no policy for their institutes is on record\\.")
def _(facts: Facts) -> bool:
    return in_design(facts, "organizer_participation_policy") is None


@means(
    "There is a policy, and teams stand close to the organizers; whether it allows them is for the organizers to say."
)
def _(facts: Facts) -> bool:
    return in_design(facts, "organizer_participation_policy") is not None and facts.organizer_affinity["close"] > 0


@means("Organizers cannot join a team, and no member of a team shares affiliation or e-mail domain with them\\.")
def _(facts: Facts) -> bool:
    return facts.organizer_affinity["close"] == 0


def dates_moved(facts: Facts) -> bool:
    for phase in facts.phases:
        if any(entry["kind"] == "schedule" for entry in phase.deviations):
            return True
        for entry in (entry for entry in facts.log if entry["phase"] == phase.pk):
            if entry["act"] == "phase_closed":
                return True
            planned = entry["facts"]
            if entry["act"] == "phase_created" and (
                moment(planned["opens_at"]) != moment(phase.opens_at)
                or moment(planned["closes_at"]) != moment(phase.closes_at)
            ):
                return True
    return False


@means("The schedule changed; every change is in the log\\.")
def _(facts: Facts) -> bool:
    return dates_moved(facts)


@means("The dates of the phases are those that were planned, and late submissions are never ranked\\.")
def _(facts: Facts) -> bool:
    return not dates_moved(facts)


@means("The challenge names no design that its page could be compared with\\.")
def _(facts: Facts) -> bool:
    return facts.design is None


@means("There is a frozen design; it is not registered\\.")
def _(facts: Facts) -> bool:
    return facts.design is not None and facts.design.kind == "design"


@means("The execution deviates from the registration; the deviations are marked\\.")
def _(facts: Facts) -> bool:
    return facts.design.kind == "registration" and any(phase.deviations for phase in facts.phases)


@means("The pages of the challenge are written from the registered version\\.")
def _(facts: Facts) -> bool:
    return facts.design.kind == "registration"


@means("Nothing has been scored yet\\.")
def _(facts: Facts) -> bool:
    return not ranked(facts)


@means(
    "All metrics are those of the tested library(, and anyone can recompute every ranking from its bundle|"
    "; anyone can recompute the ranking of (.+) from its bundle|"
    "; the bundle to recompute a ranking from is for the organizers alone|)."
)
def _(facts: Facts, _words: str, named: str | None) -> bool:
    public = [called(facts, phase) for phase in ranked(facts) if phase.bundle_is_public]
    told = re.findall(r"(?:Main, |Other, )?Phase \d", named or "")
    if elsewhere(facts):
        return False
    if _words.startswith(", and"):
        return bool(public) and len(public) == len(ranked(facts))
    if named:
        return told == public and 0 < len(public) < len(ranked(facts))
    return not public and bool(ranked(facts)) == bool(_words)


@means("There is no ranking yet\\.")
def _(facts: Facts) -> bool:
    return not ranked(facts)


def unranked_team(facts: Facts) -> bool:
    return any(
        phase.submitting_teams > len(phase.ranking.teams if phase.ranking else ())
        for phase in begun(facts)
        if phase.level != Level.NOTHING
    )


@means("Some teams with an accepted submission are in no ranking; the numbers are listed here\\.")
def _(facts: Facts) -> bool:
    return unranked_team(facts)


@means(
    "Every team with an accepted submission is in the ranking; which results are announced elsewhere follows the registered policy."
)
def _(facts: Facts) -> bool:
    return not unranked_team(facts) and in_design(facts, "results_announcement_policy") not in (None, "all_public")


@means("Every team with an accepted submission is in the ranking, with all metrics\\.")
def _(facts: Facts) -> bool:
    return bool(ranked(facts)) and not unranked_team(facts)


@means("A ranking was not resampled, so nothing says whether its first place is more than chance\\.")
def _(facts: Facts) -> bool:
    return any(phase.ranking.bootstrap == 0 for phase in ranked(facts))


@means("Fewer than (\\d+) teams: a ranking of so few says little\\.")
def _(facts: Facts, least: str) -> bool:
    return min(len(phase.ranking.teams) for phase in ranked(facts)) < int(least) == 3


@means("A winner is named only by the registered rule; else those within reach of the first are named beside it\\.")
def _(facts: Facts) -> bool:
    return bool(ranked(facts)) and all(
        phase.ranking.bootstrap > 0 and len(phase.ranking.teams) >= 3 for phase in ranked(facts)
    )
