"""Meanings of the state of a leaderboard, read from its text and compared with the facts."""

from typing import Any

from tests.claims.act_meanings import MOMENT, at
from tests.claims.meanings import Meanings

MEANINGS = Meanings()
means = MEANINGS.means


def false_lines(letter: Any, facts: Any) -> list[str]:
    """Return the title and paragraphs that are false for a state, and those without a registered meaning."""
    return MEANINGS.false([f"Title: {letter.subject}", *letter.paragraphs], facts)


def _there_is_no_other_reason(facts: Any) -> bool:
    return not (facts.is_computing or facts.is_frozen or facts.nothing_counts)


# Empty


@means(r"Title: The ranking is being computed|It appears here as soon as it is computed\.")
def _(facts: Any) -> bool:
    return facts.is_computing


@means(r"Title: There was no ranking when it was frozen")
def _(facts: Any) -> bool:
    return facts.is_frozen


@means(r"Title: No team is ranked|No submission counts: none was scored, or all that were are left out by the rules .+")
def _(facts: Any) -> bool:
    return facts.nothing_counts and not facts.is_computing


@means(r"Title: The first submissions are on their way")
def _(facts: Any) -> bool:
    return _there_is_no_other_reason(facts) and facts.under_way > 0


@means(r"Title: No team (?:has been|was) scored( yet)?")
def _(facts: Any, yet: str | None) -> bool:
    return _there_is_no_other_reason(facts) and not facts.under_way and (yet is None) == facts.is_closed


@means(rf"Newer results become public when the phase closes, on {MOMENT}\.")
def _(facts: Any, moment: str) -> bool:
    return facts.is_frozen and at(moment, facts.ends)


@means(
    r"(\d+) submission(s?) to this phase (is|are) being (run, )?checked and scored\. The ranking appears with the first score\."
)
def _(facts: Any, number: str, plural: str, verb: str, run: str | None) -> bool:
    one = facts.under_way == 1
    told = int(number) == facts.under_way > 0 and one == (not plural) == (verb == "is")
    return told and bool(run) == facts.runs and _there_is_no_other_reason(facts)


@means(rf"The phase opens on {MOMENT}\. The ranking appears with the first scored submission\.")
def _(facts: Any, moment: str) -> bool:
    return facts.opens == f"on {moment}" and not facts.is_closed and _there_is_no_other_reason(facts)


@means(rf"The phase closed on {MOMENT} without a scored submission\.")
def _(facts: Any, moment: str) -> bool:
    return facts.is_closed and at(moment, facts.ends) and not facts.under_way and _there_is_no_other_reason(facts)


@means(r"The ranking appears with the first scored submission\.")
def _(facts: Any) -> bool:
    return not facts.opens and not facts.is_closed and not facts.under_way and _there_is_no_other_reason(facts)


# Hidden


@means(r"Title: This ranking is sealed|Title: Sealed: you see this as an organizer")
def _(facts: Any) -> bool:
    return facts.until is not None


@means(
    r"(?:It|Teams and the public see only how many teams have submitted\. The ranking) opens (?:to everybody )?when "
    rf"(results are released|the phase closes), on {MOMENT}(?:, for everybody at the same moment)?\."
)
def _(facts: Any, what: str, moment: str) -> bool:
    return (what == "results are released") == facts.later and at(moment, facts.until)


@means(r"Until then only the organizers see scores and ranks\. No team can tune a submission to them\.")
def _(facts: Any) -> bool:
    return not facts.own_scores


@means(r"Until then a team sees only its own scores, and only the organizers see ranks\.")
def _(facts: Any) -> bool:
    return facts.own_scores


@means(r"(\d+) team(s?) (has|have) submitted so far\.")
def _(facts: Any, number: str, plural: str, verb: str) -> bool:
    one = facts.submitted == 1
    return int(number) == facts.submitted > 0 and one == (not plural) == (verb == "has")


@means(r"No team has submitted yet\.")
def _(facts: Any) -> bool:
    return facts.submitted == 0


@means(r"Title: Frozen for the public: you see the ranking as it is, as an organizer")
def _(facts: Any) -> bool:
    return facts.sees_all


@means(rf"Title: Frozen: this is the ranking as of {MOMENT}")
def _(facts: Any, moment: str) -> bool:
    return not facts.sees_all and at(moment, facts.at)


@means(rf"Teams and the public see the ranking as of {MOMENT}, until the phase closes on {MOMENT}\.")
def _(facts: Any, moment: str, ends: str) -> bool:
    return facts.sees_all and at(moment, facts.at) and at(ends, facts.ends)


@means(
    rf"Submissions are still accepted and scored\. Newer rankings become public when the phase closes, on {MOMENT}\."
)
def _(facts: Any, ends: str) -> bool:
    return not facts.sees_all and at(ends, facts.ends)


@means(r"Title: Not every team is named")
def _(facts: Any) -> bool:
    return facts.policy != "every ranked team"


@means(
    r"By the registered design these are named in public: (.+?)(?: up to rank (\d+))?(, once the phase has closed)?\. "
    r"All others stand here, in the exports and in the bundle under a pseudonym\."
)
def _(facts: Any, policy: str, ranks: str | None, waits: str | None) -> bool:
    told = policy == facts.policy and (int(ranks) if ranks else None) == facts.ranks
    return told and bool(waits) == (facts.waits and facts.ranks is not None)


# What the values are


@means(r"Title: This is a dry run|Its ranking is for trying out; no final rank depends on it\.")
def _(facts: Any) -> bool:
    return facts.references_public in (True, False)


@means(r"Its references are public, so this ranking shows how the challenge works and nothing about who is best\.")
def _(facts: Any) -> bool:
    return facts.references_public


@means(r"Title: Values measured outside Podium")
def _(facts: Any) -> bool:
    return len(facts.tables) > 0


@means(
    r"By (.+), with (.+), (March 2026|in May)\. The organizers brought them as a table \(version (\d+)\); they are ranked here by the "
    r"registered assessment\."
)
def _(facts: Any, by: str, tool: str, when: str, version: str) -> bool:
    return list(facts.tables) == [(by, tool, when, int(version))]


@means(r"The organizers brought them as (\d+) tables; they are ranked here by the registered assessment\.")
def _(facts: Any, number: str) -> bool:
    return int(number) == len(facts.tables) > 1


@means(r"Title: Scored by an image of the organizers")
def _(facts: Any) -> bool:
    return len(facts.metrics) > 0


@means(r"(.+): computed by the scoring image below, which passed its checks on (\S+), and not by a metric of Podium\.")
def _(facts: Any, metrics: str, day: str) -> bool:
    return metrics.replace(" and ", ", ").split(", ") == list(facts.metrics) and day == facts.tried_on


# Where a team stands


@means(r"Title: (By another submission, )?([Yy]ou|unet|Ada's) ranks? (\d+) of (\d+)(?: \((.+)\))?")
def _(facts: Any, another: str | None, who: str, rank: str, teams: str, could_be: str | None) -> bool:
    told = (rank, int(teams), could_be or "") == (facts.rank, facts.teams, facts.could_be)
    return told and (another is None) == facts.is_this and (who.lower() == "you") == (not facts.team)


# Scored again


@means(r"Title: The test set was replaced: (\d+) of (\d+) submission(s?) (is|are) re-scored against version (\d+)")
def _(facts: Any, done: str, total: str, plural: str, verb: str, wanted: str) -> bool:
    numbers = (int(done), int(total), int(wanted)) == (facts.done, facts.total, facts.wanted)
    return numbers and (facts.total == 1) == (not plural) and (facts.done == 1) == (verb == "is")


@means(
    r"Until (each is scored or has failed|one is scored), rankings are of version (\d+) of the test set; the two are never mixed\."
)
def _(facts: Any, what: str, version: str) -> bool:
    # Where everything fails, what stands goes on standing: it ends with a score, not with the last failure.
    all_failed = facts.failed == facts.total
    return int(version) == facts.standing != facts.wanted and (what == "one is scored") == all_failed


@means(r"(\d+) could not be scored\.")
def _(facts: Any, number: str) -> bool:
    return facts.organizes and int(number) == facts.failed > 0


@means(r"Title: (\d+) team(s?) (is|are) not in this ranking: scoring against version (\d+) of the test set failed")
def _(facts: Any, number: str, plural: str, verb: str, version: str) -> bool:
    one = facts.teams == 1
    return (int(number), int(version)) == (facts.teams, facts.version) and one == (not plural) == (verb == "is")
