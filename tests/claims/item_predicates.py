"""Meanings of report items on how a challenge was run and who took part, compared with its facts."""

import re
from statistics import median

from evaluation.assessment import parse
from reports.exposure.queries.audience import Level
from reports.exposure.queries.facts import Facts, PhaseFacts
from tests.claims.exposure_facts import PHASE, called
from tests.claims.meanings import Meanings

MEANINGS = Meanings()
means = MEANINGS.means


def phase_of(facts: Facts, name: str) -> PhaseFacts:
    return next(phase for phase in facts.phases if called(facts, phase) == name)


def number(text: str) -> int:
    return 0 if text in ("no", "No", "None") else int(text.replace(",", ""))


def agrees(count: str, noun: str, one: str, several: str) -> bool:
    return noun == (one if count == "1" else several)


@means(r"Submissions are still accepted: (.+)\.")
def _(facts: Facts, names: str) -> bool:
    return names.split("; ") == [called(facts, phase) for phase in facts.phases if phase.state == "open"]


@means(r"No phase takes submissions at present\.")
def _(facts: Facts) -> bool:
    states = [phase.state for phase in facts.phases]
    return "open" not in states and "upcoming" in states


@means(r"No phase takes submissions any more\.")
def _(facts: Facts) -> bool:
    return all(phase.state == "closed" for phase in facts.phases)


@means(r"Further phases are to open\.")
def _(facts: Facts) -> bool:
    return any(phase.state == "upcoming" for phase in facts.phases)


@means(r"Still sealed and no part of this report: (.+)\.")
def _(facts: Facts, names: str) -> bool:
    return names.split("; ") == [called(facts, phase) for phase in facts.phases if phase.level == Level.NOTHING]


def without_ranking(facts: Facts) -> bool:
    shown = [phase for phase in facts.phases if phase.level != Level.NOTHING]
    return any(phase.submitting_teams > len(phase.ranking.teams if phase.ranking else []) for phase in shown)


@means(r"Some teams with an accepted submission are in no ranking of this report\.")
def _(facts: Facts) -> bool:
    return without_ranking(facts)


@means(r"No team is left out of the rankings of this report\.")
def _(facts: Facts) -> bool:
    return not without_ranking(facts) and all(phase.level != Level.NOTHING for phase in facts.phases)


@means(
    r"(\d+) of (\d+) (member|members) of teams (shares|share) an affiliation or the domain of an e-mail address with an organizer; "
    r"they belong to (\d+) (team|teams)\."
)
def _(facts: Facts, close: str, members: str, noun: str, verb: str, teams: str, of: str) -> bool:
    known = facts.organizer_affinity
    grammar = agrees(members, noun, "member", "members") and agrees(close, verb, "shares", "share")
    told = {"close": int(close), "members": int(members), "teams": int(teams)}
    return grammar and agrees(teams, of, "team", "teams") and told == known and int(close) <= int(members)


@means(
    r"None of the (\d+) (member|members) of teams shares an affiliation or the domain of an e-mail address with an organizer\."
)
def _(facts: Facts, members: str, noun: str) -> bool:
    known = facts.organizer_affinity
    return known["close"] == 0 < int(members) == known["members"] and agrees(members, noun, "member", "members")


@means(r"Organizers cannot join a team with their own account\.")
def _(facts: Facts) -> bool:
    return facts is not None


@means(r"(No|\d+) (person|people) registered in (no|\d+) (team|teams)\.")
def _(facts: Facts, people: str, noun: str, teams: str, of: str) -> bool:
    grammar = agrees(people, noun, "person", "people") and agrees(teams, of, "team", "teams")
    return grammar and (number(people), number(teams)) == (facts.people, facts.teams)


@means(
    rf"{PHASE}: submissions per team: (?:(\d+) per day)?(?:, )?(?:(\d+) in total)?(no limit)?; (.+) of a team counts\."
)
def _(
    facts: Facts,
    name: str,
    by_day: str | None,
    total: str | None,
    none: str | None,
    which: str,
) -> bool:
    phase = phase_of(facts, name)
    told = (int(by_day) if by_day else None, int(total) if total else None)
    return told == (phase.per_day, phase.in_total) and bool(none) == (told == (None, None)) and phase.counts in which


@means(
    r"(\d+) (team|teams) made (\d+) (submission|submissions) that were accepted \(median (\S+), maximum (\d+) per team\)\. "
    r"Refused, withdrawn or failed: (\d+); late, and therefore not ranked: (\d+)\."
)
def _(facts: Facts, teams: str, of: str, made: str, noun: str, middle: str, most: str, failed: str, late: str) -> bool:
    told = (int(teams), int(made), float(middle), int(most), int(failed), int(late))
    known = {
        (
            len(phase.made_by),
            sum(phase.made_by.values()),
            float(median(phase.made_by.values())),
            max(phase.made_by.values()),
            sum(count for state, count in phase.states.items() if state in ("refused", "withdrawn", "failed")),
            phase.late,
        )
        for phase in facts.phases
        if phase.made_by and phase.level != Level.NOTHING
    }
    return told in known and agrees(teams, of, "team", "teams") and agrees(made, noun, "submission", "submissions")


@means(rf"{PHASE}: this report covers (\d+) of (no|\d+) (team|teams) with an accepted submission\.")
def _(facts: Facts, name: str, ranked: str, of: str, noun: str) -> bool:
    phase = phase_of(facts, name)
    told = (int(ranked), number(of))
    return told == (len(phase.ranking.teams), phase.submitting_teams) and agrees(of, noun, "team", "teams")


@means(
    rf"{PHASE}: ([\d,]+) bootstrap (sample|samples) with seed (\d+), drawn by (.+), the same for all teams, metrics and regions; "
    r"resampling ranges hold the middle (\S+) % of the ranks\."
)
def _(facts: Facts, name: str, samples: str, noun: str, seed: str, drawn: str, share: str) -> bool:
    phase = phase_of(facts, name)
    uncertainty = phase.assessment.get("uncertainty", {})
    return (
        not is_sent(phase)
        and 0 < number(samples) == phase.ranking.bootstrap
        and agrees(samples, noun, "sample", "samples")
        and int(seed) == phase.ranking.seed
        and drawn == ", then ".join(uncertainty.get("resample", ["case"]))
        and float(share) == 100 * uncertainty.get("interval", 0.95)
    )


def is_sent(phase: PhaseFacts) -> bool:
    """Return whether the values were measured elsewhere and submitted with replicates or standard errors."""
    return all(metric.get("level") == "dataset" for metric in phase.assessment["metrics"])


@means(
    rf"{PHASE}: ([\d,]+) (draws?) of rap from submitted replicates or standard errors; resampling ranges "
    r"contain the middle (\S+) % of the ranks and are only as good as what was submitted\."
)
def _(facts: Facts, name: str, samples: str, noun: str, share: str) -> bool:
    phase = phase_of(facts, name)
    return (
        is_sent(phase)
        and 0 < number(samples) == phase.ranking.bootstrap
        and agrees(samples, noun, "draw", "draws")
        and float(share) == 100 * phase.assessment.get("uncertainty", {}).get("interval", 0.95)
    )


@means(rf"{PHASE}: the ranking was not resampled, so nothing says how sure it is\.")
def _(facts: Facts, name: str) -> bool:
    return phase_of(facts, name).ranking.bootstrap == 0


@means(
    r"Pairs of teams were compared by one-sided Wilcoxon signed rank tests,( within strata where there are several \(van Elteren\),)? "
    r"adjusted by Holm’s method\."
)
def _(facts: Facts, strata: str | None) -> bool:
    # Values of the whole data set cannot be tested case by case.
    return any(
        phase.ranking is not None
        and len(phase.ranking.teams) > 1
        and phase.assessment["problem"] not in ("image_classification", "object_detection")
        and bool(strata) == bool(parse(phase.assessment).uncertainty.strata)
        for phase in facts.phases
    )


@means(r"(.+): (no|[\d,]+) teams? (?:was|were) ranked on (no|[\d,]+) cases?, scored with (.+)\.")
def _(facts: Facts, name: str, teams: str, cases: str, metrics: str) -> bool:
    ranking = phase_of(facts, name).ranking
    return (
        ranking is not None
        and number(teams) == len(ranking.teams)
        and number(cases) == ranking.cases
        and len(metrics.replace(" and ", ", ").split(", ")) == len(phase_of(facts, name).assessment["metrics"])
    )


@means(r"(.+) was scored and ranked with (.+)\.")
def _(facts: Facts, name: str, versions: str) -> bool:
    told = dict(part.rsplit(" ", 1) for part in versions.split(", "))
    return told == phase_of(facts, name).ranking.versions


@means(
    r"The bundle of the ranking(, which organizers alone may download,)? holds assessment, results, seed and digests; “python -m "
    r"evaluation verify bundle\.zip” recomputes it and compares the digest (\w+)\."
)
def _(facts: Facts, alone: str | None, digest: str) -> bool:
    of = [phase for phase in facts.phases if phase.ranking is not None and phase.ranking.digest == digest]
    return any(phase.bundle_is_public == (alone is None) for phase in of)


def medians(raw: dict) -> dict[str, float]:
    """The median over the teams of each case that has a value."""
    there = {
        str(case): [value for value in values if value is not None]
        for case, values in zip(raw["cases"], raw["values"], strict=True)
    }
    return {case: median(values) for case, values in there.items() if values}


RAW = Meanings()
"""Of sentences about the values of single cases, held against the raw table of a metric."""


@RAW.means(r"By (.+), the teams did worst on (.+), as the median of their values says\.")
def _(raw: dict, what: str, names: str) -> bool:
    named, known = re.split(r", | and ", names), medians(raw)
    sign = 1 if raw["direction"] == "higher" else -1
    rest = [sign * value for case, value in known.items() if case not in named]
    return what == raw["metric"] and bool(rest) and all(sign * known[case] < min(rest) for case in named)


@RAW.means(r"(.+): rank (\S+) by (.+), rank (\S+) by (.+)\.")
def _(ranks: dict, team: str, best: str, best_by: str, worst: str, worst_by: str) -> bool:
    of_team = ranks[team]
    ends = float(best) == min(of_team.values()) and float(worst) == max(of_team.values())
    return (
        ends
        and float(worst) - float(best) >= 1
        and of_team[best_by] == float(best)
        and of_team[worst_by] == float(worst)
    )


def sentences(item_text: list[tuple]) -> list[str]:
    """Those of the paragraphs of an item, each for itself."""
    texts = [sentence.text for paragraph in item_text for sentence in paragraph]
    return [
        part
        for text in texts
        for part in ([text] if "Refused, withdrawn" in text else re.split(r"(?<=\.) (?=[A-Z])", text))
    ]
