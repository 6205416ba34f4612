"""Meanings of the evidence lines of the exposure report, read from their text and compared with the facts."""

import re
from collections import Counter
from datetime import datetime
from typing import Any

from reports.exposure.queries.facts import Facts, PhaseFacts
from tests.claims.exposure_facts import PHASE, begun, called
from tests.claims.meanings import Meanings

MEANINGS = Meanings()
means = MEANINGS.means
MOMENT = r"(\d+ \w+ \d{4}, \d\d:\d\d UTC)"


def false_lines(facts: Facts, findings: list[Any]) -> list[str]:
    """Return the lines that are false for the facts, and those without a registered meaning.

    Values of the design are quotations and are not checked.
    """
    return [
        f"{finding.identity}: {wrong}"
        for finding in findings
        for wrong in MEANINGS.false([str(line.text) for line in finding.evidence if line.kind != "parameter"], facts)
    ]


def known(facts: Facts, name: str) -> PhaseFacts:
    [phase] = [phase for phase in facts.phases if called(facts, phase) == name]
    return phase


def number(text: str) -> int:
    return 0 if text == "no" else int(text.replace(",", ""))


def nouns(*pairs: tuple[str, str]) -> bool:
    """Return whether nouns agree with their numbers."""
    several = {"people": "person", "rankings": "ranking"}
    return all((count == "1") == (not noun.endswith("s") and noun not in several) for count, noun in pairs)


def at(text: str) -> datetime:
    return datetime.strptime(f"{text}+0000", "%d %B %Y, %H:%M UTC%z")


def same(text: str, moment: str) -> bool:
    return at(text) == datetime.fromisoformat(moment).replace(second=0, microsecond=0)


@means(rf"{PHASE}: (no|\d+) (rankings?) stood, run with the (assessments?) (.+)")
def _(facts: Facts, name: str, standings: str, noun: str, of: str, digests: str) -> bool:
    ranking, told = known(facts, name).ranking, digests.split(", ")
    whole = [digest for digest in ranking.assessments_used if digest[: len(told[0])] in told]
    return (
        number(standings) == ranking.standings
        and nouns((standings, noun), (str(len(told)), of))
        and len(told) == len(whole) == len(ranking.assessments_used)
    )


@means(rf"{PHASE}: (Version \S+ changed “.+” after the first submission)(?:\. (.+))?")
def _(facts: Facts, name: str, what: str, reason: str | None) -> bool:
    return any(entry["what"] == what and reason in (None, entry["reason"]) for entry in known(facts, name).deviations)


@means(r"(Registration .+) of (\d{4}-\d\d-\d\d)")
def _(facts: Facts, label: str, day: str) -> bool:
    design = facts.design
    return design.kind == "registration" and design.label == label and design.since.startswith(day)


@means(r"Registration \S+, version \d\S*\d")
def _(facts: Facts) -> bool:
    return facts.design.kind == "registration"


@means(rf"{PHASE}: scored and ranked with (.+)")
def _(facts: Facts, name: str, software: str) -> bool:
    return software == f"podium {known(facts, name).ranking.versions['podium']}"


@means(rf"{PHASE}: (podium \S+); results of every case stored under digests")
def _(facts: Facts, name: str, software: str) -> bool:
    ranking = known(facts, name).ranking
    return software == f"podium {ranking.versions['podium']}" and len(ranking.digest) == 64


@means(r"First submission that was taken: (\d+ \w+ \d{4})")
def _(facts: Facts, moment: str) -> bool:
    first = min(datetime.fromisoformat(phase.first_submission) for phase in facts.phases if phase.first_submission)
    return moment == f"{first.day} {first:%B %Y}"


@means(rf"Phase “(.*)” with assessment (\w+) since {MOMENT}")
def _(facts: Facts, name: str, digest: str, moment: str) -> bool:
    return any(
        entry["act"] == "phase_created"
        and entry["facts"]["name"] == name
        and entry["facts"]["assessment_digest"].startswith(digest)
        and same(moment, entry["time"])
        for entry in facts.log
    )


@means(rf"{PHASE}: version (\d+), (no|\d+) (cases?)(?: \((\d+) scored and (\d+) (decoys?)\))?, sealed {MOMENT}")
def _(
    facts: Facts,
    name: str,
    version: str,
    cases: str,
    noun: str,
    scored: str | None,
    decoys: str | None,
    of: str | None,
    moment: str,
) -> bool:
    [entry] = [entry for entry in known(facts, name).test_sets if entry["version"] == int(version)]
    parts = decoys is None or (int(scored or 0) + int(decoys) == entry["cases"] and nouns((decoys, of or "")))
    return (
        number(cases) == entry["cases"]
        and int(decoys or 0) == entry["decoys"]
        and parts
        and nouns((cases, noun))
        and same(moment, entry["sealed_at"])
    )


@means(rf"{PHASE}: (\d+) (cases?) excluded: (.+)")
def _(facts: Facts, name: str, cases: str, noun: str, reasons: str) -> bool:
    rule = known(facts, name).assessment["exclusions"]["cases"]
    counted = sum(map(int, re.findall(r"\d+", reasons)))
    return int(cases) == len(rule) and nouns((cases, noun)) and counted in (0, len(rule)) and "reference" in reasons


@means(rf"{PHASE}: cases graded (\w+) are left out \((\w+)\)")
def _(facts: Facts, name: str, grade: str, column: str) -> bool:
    rule = known(facts, name).assessment["exclusions"]["quality"]
    return rule == {"column": column, "excluded": [grade]}


@means(rf"{PHASE}: references of (\d+) annotators? sealed; (.+)\. The leaderboard has a ranking against each")
def _(facts: Facts, name: str, annotators: str, merging: str) -> bool:
    last = known(facts, name).test_sets[-1]
    return (int(annotators), merging) == (last["annotators"], last["merging"])


@means(
    rf"{PHASE}: (\d+) of (\d+) (references?) (is|are) suspect \(([\d.]+) expected without any wrong reference\); blinded "
    r"readers examined (no|\d+) (cases?)(?:: (.+))?"
)
def _(
    facts: Facts,
    name: str,
    suspects: str,
    cases: str,
    noun: str,
    verb: str,
    false: str,
    read: str,
    of: str,
    told: str | None,
) -> bool:
    found = known(facts, name).suspects
    words = {"algorithms": "algorithms wrong", "reference": "reference wrong"}
    answers = ", ".join(f"{words[answer]} {count}" for answer, count in found["answers"].items())
    numbers = (int(suspects), int(cases), number(read)) == (found["suspects"], found["cases"], found["examined"])
    grammar = nouns((cases, noun), (read, of)) and (verb == "is") == (suspects == "1")
    return numbers and grammar and float(false) == found["expected_false"] and (told or "") == answers


@means(
    rf"{PHASE}: each team can ask (once|twice|3 times) how many of its training images match test images; "
    r"(?:no answer is shown|(\d+) (answers?), with noise: (.+))"
)
def _(facts: Facts, name: str, often: str, count: str | None, noun: str | None, told: str | None) -> bool:
    phase = known(facts, name)
    listed = ", ".join(f"{row['answer']} of {row['images']} images" for row in phase.overlap_answers)
    numbers = (int(count or 0), told or "") == (len(phase.overlap_answers), listed)
    return (
        numbers
        and {"once": 1, "twice": 2, "3 times": 3}[often] == phase.overlap_questions
        and (count is None or nouns((count, noun)))
    )


@means(
    r"Sharing an affiliation or e-mail domain with an organizer: (none|[1-9]\d*) of (no|\d+) (members?) of teams"
    r"(?:, in (\d+) (teams?))?"
)
def _(facts: Facts, close: str, members: str, noun: str, teams: str | None, of: str | None) -> bool:
    told = {"close": 0 if close == "none" else int(close), "members": number(members), "teams": int(teams or 0)}
    agrees = nouns((members, noun)) and (teams is None or nouns((teams, of)))
    return told == facts.organizer_affinity and agrees and (teams is None) == (close == "none")


def dates(facts: Facts, name: str, opens: str, closes: str | None) -> bool:
    phase = known(facts, name)
    return same(opens, phase.opens_at) and closes is not None and same(closes, phase.closes_at)


def planned(facts: Facts, name: str) -> list[dict[str, Any]]:
    phase = known(facts, name)
    return [entry["facts"] for entry in facts.log if entry["act"] == "phase_created" and entry["phase"] == phase.pk]


@means(rf"{PHASE}: from {MOMENT} until {MOMENT}, as planned")
def _(facts: Facts, name: str, opens: str, closes: str) -> bool:
    phase = known(facts, name)
    return dates(facts, name, opens, closes) and any(
        datetime.fromisoformat(entry["closes_at"]) == datetime.fromisoformat(phase.closes_at)
        for entry in planned(facts, name)
    )


@means(rf"{PHASE}: from {MOMENT} until {MOMENT}; planned was from {MOMENT} until {MOMENT}")
def _(facts: Facts, name: str, opens: str, closes: str, before: str, until: str) -> bool:
    return dates(facts, name, opens, closes) and any(
        same(before, entry["opens_at"]) and same(until, entry["closes_at"]) for entry in planned(facts, name)
    )


@means(rf"{PHASE}: closed by an organizer on {MOMENT}")
def _(facts: Facts, name: str, moment: str) -> bool:
    phase = known(facts, name)
    return any(
        entry["act"] == "phase_closed" and entry["phase"] == phase.pk and same(moment, entry["time"])
        for entry in facts.log
    )


@means(rf"{PHASE}: (\d+) late (submissions?); late ones are never ranked")
def _(facts: Facts, name: str, late: str, noun: str) -> bool:
    return 0 < int(late) == known(facts, name).late and nouns((late, noun))


@means(rf"{PHASE}: (\d+) of (no|\d+) (teams?) with an accepted submission ranked; (no|\d+) (submissions?) scored")
def _(facts: Facts, name: str, teams: str, of: str, noun: str, scored: str, submissions: str) -> bool:
    phase = known(facts, name)
    told = (int(teams), number(of), number(scored))
    is_so = told == (len(phase.ranking.teams), phase.submitting_teams, phase.states.get("scored", 0))
    return is_so and nouns((of, noun), (scored, submissions))


@means(rf"{PHASE}: (no|[\d,]+) (?:bootstrap (samples?)|(draws?)) over (\d+) (cases?), (no|\d+) (teams?)")
def _(
    facts: Facts, name: str, samples: str, here: str, sent: str | None, cases: str, noun: str, teams: str, who: str
) -> bool:
    ranking, of = known(facts, name).ranking, (here or sent or "").replace("draw", "sample")
    if bool(sent) != (known(facts, name).assessment["metrics"][0].get("level") == "dataset"):
        return False
    told = (number(samples), int(cases), number(teams))
    is_so = told == (ranking.bootstrap, ranking.cases, len(ranking.teams))
    return is_so and nouns((samples, of), (cases, noun), (teams, who))


@means(rf"{PHASE}: (\d+) (groups?) of teams with the same result in every case")
def _(facts: Facts, name: str, groups: str, noun: str) -> bool:
    results = Counter(team["result"] for team in known(facts, name).ranking.teams)
    return 0 < int(groups) == sum(count > 1 for count in results.values()) and nouns((groups, noun))


def policies(phase: PhaseFacts) -> list[Any]:
    return [metric.get("policy", {}).get("missing") for metric in phase.assessment["metrics"]]


@means(rf"{PHASE}: (?:incomplete submissions are (taken|refused); )?a missing case counts as (.+)")
def _(facts: Facts, name: str, what: str | None, counts: str) -> bool:
    phase = known(facts, name)
    if what is not None and (what == "taken") != phase.incomplete_allowed:
        return False
    if phase.assessment["problem"] == "image_classification":
        return "wrong" in counts
    return all((f"{policy}" if policy is not None else "") in counts for policy in policies(phase)) and (
        "exclude" in counts
    ) == ("exclude" in policies(phase))


@means(
    rf"{PHASE}: submissions per team: (?:(\d+) per day)?(?:, )?(?:(\d+) in total)?(no limit)?"
    r"(?:; at most (\d+) by one team)?; (teams|no score) (see|saw|is shown|was shown)(?: scores of the ranked cases)? while it "
    r"(is|was) open"
)
def _(
    facts: Facts,
    name: str,
    by_day: str | None,
    total: str | None,
    none: str | None,
    most: str | None,
    who: str,
    verb: str,
    tense: str,
) -> bool:
    phase = known(facts, name)
    told = (int(total) if total else None, int(by_day) if by_day else None)
    blind = phase.leaderboard == "sealed" and phase.results == "validation"
    over = phase.state == "closed"
    return (
        told == (phase.in_total, phase.per_day)
        and bool(none) == (told == (None, None))
        and int(most or 0) == max(phase.made_by.values(), default=0)
        and (who == "no score") == blind
        and (tense == "was") == over == (verb in ("saw", "was shown"))
    )


@means(r"(no|\d+) (person|people) in (no|\d+) (teams?); the database takes one team a person and task")
def _(facts: Facts, people: str, noun: str, teams: str, of: str) -> bool:
    grammar = (noun == "person") == (people == "1") and nouns((teams, of))
    return grammar and (number(people), number(teams)) == (facts.people, facts.teams)


@means(r"Only organizers can look at a reference, and each look is logged")
def _(facts: Facts) -> bool:
    return facts.reference_access is not None


@means(r"Nobody looked at a reference through the platform while it was hidden\.")
def _(facts: Facts) -> bool:
    return facts.reference_access["seen"] == facts.reference_access["downloaded"] == 0


@means(
    r"While they were hidden, references were looked at (never|once|\d+ times) and downloaded (never|once|\d+ times), by "
    r"(\d+) (person|people)\."
)
def _(facts: Facts, seen: str, downloaded: str, people: str, noun: str) -> bool:
    access = facts.reference_access
    words = {"never": 0, "once": 1}
    times = [words.get(told, 0) or int((re.findall(r"\d+", told) or ["0"])[0]) for told in (seen, downloaded)]
    return (
        times == [access["seen"], access["downloaded"]]
        and int(people) == access["people"]
        and (noun == "person") == (people == "1")
    )


@means(rf"(?:({PHASE[1:-1]}(?:; {PHASE[1:-1]})*): )?(Predictions|Container images) are uploaded; the platform .+\.")
def _(facts: Facts, names: str | None, what: str) -> bool:
    chosen = [called(facts, phase) for phase in begun(facts) if phase.runs_algorithms == (what == "Container images")]
    if names is None:
        return len(chosen) == len(begun(facts))
    return names.split("; ") == chosen != [called(facts, phase) for phase in begun(facts)]


@means(
    rf"{PHASE}: (\d+) decoys among (\d+) cases asked for; (\d+) cases scored, and nothing revealed which before the phase closed"
)
def _(facts: Facts, name: str, decoys: str, asked: str, scored: str) -> bool:
    last = known(facts, name).test_sets[-1]
    return (int(decoys), int(asked)) == (last["decoys"], last["cases"]) and int(scored) == int(asked) - int(decoys)


@means(r"Test set sealed on (\S+), manifest (\w+)")
def _(facts: Facts, day: str, manifest: str) -> bool:
    return any(
        entry["act"] == "test_set_sealed"
        and entry["time"].startswith(day)
        and entry["facts"]["manifest_digest"].startswith(manifest)
        for entry in facts.log
    )


TITLES = {"accuracy": "acc", "average_precision": "ap"}


# The last: any list of metrics reads like this.
@means(rf"{PHASE}: ([^;]+(?:; [^;]+)*)")
def _(facts: Facts, name: str, metrics: str) -> bool:
    told = [metric.split(" (")[0].lower() for metric in metrics.split("; ")]
    ids = [metric["id"] for metric in known(facts, name).assessment["metrics"]]
    return told == [TITLES.get(metric, metric) for metric in ids] and "None" not in metrics
