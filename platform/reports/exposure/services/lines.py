"""Lines of evidence below the conclusions of the exposure report, and the conditions under which they apply."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from challenges.domain.limits import limit_words
from challenges.domain.scheduling import STAYS_OPEN
from evaluation.assessment import Assessment, parse
from evaluation.assessment.exclusions import counted_words
from evaluation.claims.catalogue import Catalogue, Claim, Group
from evaluation.wording import joined
from leaderboards.models import SuspectReading
from reports.exposure.domain.words import counted, decoy_words
from reports.exposure.queries.facts import Facts, PhaseFacts
from reports.exposure.services.case import metric_words, missing_words, same_moment, versions
from web.wording import moment_words

CATALOGUE: Final = Catalogue()
"""The claims that lines of evidence are."""


@dataclass(frozen=True)
class About:
    """Subject of a line: the challenge, and optionally a phase, an entry of a list or a number."""

    facts: Facts
    of_phase: PhaseFacts | None = None
    entry: Mapping[str, Any] = field(default_factory=dict)
    count: int = 0

    @property
    def phase(self) -> PhaseFacts:
        """The phase of a line that is about one."""
        assert self.of_phase is not None
        return self.of_phase

    @property
    def name(self) -> str:
        """Of the phase, with its task where there are several."""
        return self.facts.named(self.phase)

    @property
    def assessment(self) -> Assessment:
        """Assessment that the phase runs."""
        return parse(self.phase.assessment)

    @property
    def is_planned(self) -> bool:
        """True if the dates of the phase equal those in the log entry of its creation."""
        planned = self.entry["facts"]
        return same_moment(planned.get("opens_at"), self.phase.opens_at) and same_moment(
            planned.get("closes_at"), self.phase.ends_at
        )


def _always(_: About) -> bool:
    return True


def _is_ranked(about: About) -> bool:
    return about.phase.ranking is not None


def _moment(text: str) -> str:
    return moment_words(datetime.fromisoformat(text)) if text else "no date"


def _dates(opens: str, closes: str) -> str:
    """Describe the opening and closing dates of a phase; an open call has no closing date, and a held phase no opening date."""
    until = "without end" if closes >= STAYS_OPEN.isoformat() else f"until {_moment(closes)}"
    return f"from {_moment(opens)} {until}" if opens else f"not opened, {until}"


def _line(name: str, condition: str, true: Any, words: Any, example: str) -> Group:
    return CATALOGUE.group(Claim(f"line.{name}", condition, true, words, example))


# Of phases and their rankings

STANDINGS: Final = _line(
    "standings",
    "There is a ranking.",
    _is_ranked,
    lambda about: (
        f"{about.name}: {counted(about.phase.ranking.standings, 'ranking')} stood, run with the "
        f"{'assessment' if len(about.phase.ranking.assessments_used) == 1 else 'assessments'} "
        f"{', '.join(digest[:12] for digest in about.phase.ranking.assessments_used)}"
    ),
    "Final: 3 rankings stood, run with the assessment 3f1c0a9be2d4",
)
METRICS: Final = _line(
    "metrics",
    "Always.",
    _always,
    lambda about: (
        f"{about.name}: "
        + "; ".join(metric_words(about.assessment, index) for index in range(len(about.assessment.metrics)))
    ),
    "Final: DSC; NSD (tolerance = 2)",
)
SOFTWARE: Final = _line(
    "software",
    "There is a ranking.",
    _is_ranked,
    lambda about: f"{about.name}: scored and ranked with {versions(about.phase)}",
    "Final: scored and ranked with numpy 2.2.1, podium 1.0",
)
DIGESTS: Final = _line(
    "digests",
    "There is a ranking.",
    _is_ranked,
    lambda about: f"{about.name}: {versions(about.phase)}; results of every case stored under digests",
    "Final: numpy 2.2.1, podium 1.0; results of every case stored under digests",
)
RANKED: Final = _line(
    "ranked",
    "There is a ranking.",
    _is_ranked,
    lambda about: (
        f"{about.name}: {len(about.phase.ranking.teams)} of {counted(about.phase.submitting_teams, 'team')} with an accepted "
        f"submission ranked; {counted(about.phase.states.get('scored', 0), 'submission')} scored"
    ),
    "Final: 3 of 4 teams with an accepted submission ranked; 9 submissions scored",
)
RESAMPLED: Final = _line(
    "resampled",
    "There is a ranking.",
    _is_ranked,
    lambda about: (
        f"{about.name}: {counted(about.phase.ranking.bootstrap, 'bootstrap sample' if about.phase.ranking.drawn_here else 'draw')} over "
        f"{counted(about.phase.ranking.cases, 'case')}, {counted(len(about.phase.ranking.teams), 'team')}"
    ),
    "Final: 1,000 bootstrap samples over 40 cases, 3 teams",
)
TWINS: Final = _line(
    "twins",
    "Teams have the same result in every case.",
    lambda about: about.count > 0,
    lambda about: f"{about.name}: {counted(about.count, 'group')} of teams with the same result in every case",
    "Final: 1 group of teams with the same result in every case",
)
LATE: Final = _line(
    "late",
    "Submissions came late.",
    lambda about: about.phase.late > 0,
    lambda about: f"{about.name}: {counted(about.phase.late, 'late submission')}; late ones are never ranked",
    "Final: 2 late submissions; late ones are never ranked",
)
DATES: Final = CATALOGUE.group(
    Claim(
        "line.planned",
        "The phase opens and closes as was written when it was made.",
        lambda about: about.is_planned,
        lambda about: f"{about.name}: {_dates(about.phase.opens_at, about.phase.ends_at)}, as planned",
        "Final: from 1 May 2026, 08:00 UTC until 1 July 2026, 08:00 UTC, as planned",
    ),
    Claim(
        "line.moved",
        "It does not.",
        lambda about: not about.is_planned,
        lambda about: (
            f"{about.name}: {_dates(about.phase.opens_at, about.phase.ends_at)}; planned was "
            f"{_dates(about.entry['facts'].get('opens_at', ''), about.entry['facts'].get('closes_at', ''))}"
        ),
        "Final: from 1 May 2026, 08:00 UTC until 1 July 2026, 08:00 UTC; planned was from 1 May 2026, 08:00 UTC until 1 June 2026, 08:00 UTC",
    ),
)
CLOSED: Final = _line(
    "closed",
    "The log says that an organizer closed the phase.",
    lambda about: about.entry["act"] == "phase_closed",
    lambda about: f"{about.name}: closed by an organizer on {_moment(about.entry['time'])}",
    "Final: closed by an organizer on 1 July 2026, 08:00 UTC",
)
CREATED: Final = _line(
    "created",
    "The log says that the phase was made.",
    lambda about: about.entry["act"] == "phase_created",
    lambda about: (
        f"Phase “{about.entry['facts'].get('name', '')}” with assessment "
        f"{about.entry['facts'].get('assessment_digest', '')[:12]} since {_moment(about.entry['time'])}"
    ),
    "Phase “Final” with assessment 3f1c0a9be2d4 since 1 April 2026, 08:00 UTC",
)
FIRST_SUBMISSION: Final = _line(
    "first_submission",
    "A submission was taken.",
    lambda about: bool(about.entry),
    lambda about: f"First submission that was taken: {_moment(about.entry['time']).split(',')[0]}",
    "First submission that was taken: 3 May 2026",
)

# Of the registration

DEVIATION: Final = _line(
    "deviation",
    "The execution deviates from the registration.",
    lambda about: bool(about.entry["what"]),
    lambda about: f"{about.entry['phase']}: {about.entry['what']}",
    "Final: Version 1.1.0 changed “Number of test cases” after the first submission",
)
DEVIATION_REASON: Final = _line(
    "deviation_reason",
    "The execution deviates from the registration.",
    lambda about: bool(about.entry["what"]),
    lambda about: f"{about.entry['phase']}: {about.entry['what']}. {about.entry['reason']}".strip(),
    "Final: Version 1.1.0 changed “Excluded cases” after the first submission. Case-7 was damaged.",
)
REGISTERED: Final = _line(
    "registered",
    "The challenge has a registration, and its date matters here.",
    lambda about: about.facts.design is not None and about.facts.design.is_registered,
    lambda about: f"{about.facts.design.label} of {about.facts.design.since[:10]}",
    "Registration podium-2026-0001, version 1.0.0 of 2026-02-01",
)
IDENTIFIED: Final = _line(
    "identified",
    "The challenge has a design.",
    lambda about: about.facts.design is not None,
    lambda about: about.facts.design.label,
    "Registration podium-2026-0001, version 1.0.0",
)

# Of test sets

SEALED: Final = _line(
    "sealed",
    "A version of the test set is sealed.",
    lambda about: bool(about.entry["sealed_at"]),
    lambda about: (
        f"{about.name}: version {about.entry['version']}, {counted(about.entry['cases'], 'case')}"
        f"{decoy_words(about.entry, ' ({})')}, sealed {_moment(about.entry['sealed_at'])}"
    ),
    "Final: version 1, 50 cases (40 scored and 10 decoys), sealed 1 April 2026, 08:00 UTC",
)
SEALED_LOG: Final = _line(
    "sealed_log",
    "The log says that a test set was sealed.",
    lambda about: about.entry["act"] == "test_set_sealed",
    lambda about: (
        f"Test set sealed on {about.entry['time'][:10]}, manifest {about.entry['facts'].get('manifest_digest', '')[:12]}"
    ),
    "Test set sealed on 2026-04-01, manifest 9f2c3f1c0a9b",
)
DECOYS: Final = _line(
    "decoys",
    "Cases are asked for and not scored, and the reader may know.",
    lambda about: bool(about.entry.get("decoys", 0)),
    lambda about: (
        f"{about.name}: {counted(about.entry['decoys'], 'decoy')} among {counted(about.entry['cases'], 'case')} asked for; "
        f"{counted(about.entry['cases'] - about.entry['decoys'], 'case')} scored, and nothing revealed which before the phase closed"
    ),
    "Final: 10 decoys among 50 cases asked for; 40 cases scored, and nothing revealed which before the phase closed",
)
ANNOTATORS: Final = _line(
    "annotators",
    "References of several annotators are sealed, and how they are merged.",
    lambda about: bool(about.entry.get("annotators") and about.entry["merging"]),
    lambda about: (
        f"{about.name}: references of {counted(about.entry['annotators'], 'annotator')} sealed; {about.entry['merging']}. "
        "The leaderboard has a ranking against each"
    ),
    "Final: references of 3 annotators sealed; majority vote. The leaderboard has a ranking against each",
)
EXCLUDED: Final = _line(
    "excluded",
    "Cases do not count.",
    lambda about: bool(about.assessment.exclusions.cases),
    lambda about: (
        f"{about.name}: {counted(len(about.assessment.exclusions.cases), 'case')} excluded: "
        f"{counted_words(list(about.assessment.exclusions.cases.values()))}"
    ),
    "Final: 2 cases excluded: 2 with an error in the reference",
)
GRADES: Final = _line(
    "grades",
    "Cases are left out by a grade.",
    lambda about: bool(about.assessment.exclusions.grade_column),
    lambda about: (
        f"{about.name}: cases graded {joined(about.assessment.exclusions.grades, 'or') or 'no grade'} are left out "
        f"({about.assessment.exclusions.grade_column})"
    ),
    "Final: cases graded insufficient are left out (image_quality)",
)
SUSPECTS: Final = _line(
    "suspects",
    "Suspect references were searched.",
    lambda about: bool(about.phase.suspects),
    lambda about: _suspects(about.name, about.phase.suspects),
    "Final: 3 of 60 references are suspect (0.2 expected without any wrong reference); blinded readers examined 3 cases: "
    "reference wrong 2, algorithms wrong 1",
)
OVERLAPS: Final = _line(
    "overlaps",
    "Teams may ask how many of their training images match test images.",
    lambda about: about.phase.overlap_questions is not None,
    lambda about: _overlaps(about.name, about.phase.overlap_questions, about.phase.overlap_answers),
    "Final: each team can ask twice how many of its training images match test images; 2 answers, with noise: 0 of 120 "
    "images, 35 of 400 images",
)
LOOKS: Final = _line(
    "looks",
    "Always.",
    _always,
    lambda _: "Only organizers can look at a reference, and each look is logged",
    "Only organizers can look at a reference, and each look is logged",
)
ACCESS: Final = CATALOGUE.group(
    Claim(
        "line.unseen",
        "No reference was seen or downloaded while it was hidden.",
        lambda about: not about.facts.reference_access["seen"] and not about.facts.reference_access["downloaded"],
        lambda _: "Nobody looked at a reference through the platform while it was hidden.",
        "Nobody looked at a reference through the platform while it was hidden.",
    ),
    Claim(
        "line.seen",
        "References were seen or downloaded.",
        _always,
        lambda about: (
            f"While they were hidden, references were looked at {_times(about.facts.reference_access['seen'])} and downloaded "
            f"{_times(about.facts.reference_access['downloaded'])}, by "
            f"{counted(about.facts.reference_access['people'], 'person', 'people')}."
        ),
        "While they were hidden, references were looked at 2 times and downloaded once, by 1 person.",
    ),
)


def _overlaps(name: str, per_team: int | None, answers: Sequence[Mapping[str, int]]) -> str:
    listed = ", ".join(f"{row['answer']} of {counted(row['images'], 'image')}" for row in answers)
    often = {1: "once", 2: "twice"}.get(per_team or 0, f"{per_team} times")
    return f"{name}: each team can ask {often} how many of its training images match test images; " + (
        f"{counted(len(answers), 'answer')}, with noise: {listed}" if answers else "no answer is shown"
    )


def _suspects(name: str, numbers: Mapping[str, Any]) -> str:
    answers = "".join(
        f"{': ' if first else ', '}{SuspectReading.Answer(answer).label} {number}"
        for first, (answer, number) in zip([True, *[False] * 9], numbers["answers"].items(), strict=False)
    )
    return (
        f"{name}: {numbers['suspects']} of {counted(numbers['cases'], 'reference')} "
        f"{'is' if numbers['suspects'] == 1 else 'are'} suspect ({numbers['expected_false']:.2g} expected without any wrong "
        f"reference); blinded readers examined {counted(numbers['examined'], 'case')}{answers}"
    )


def _times(number: int) -> str:
    return {0: "never", 1: "once"}.get(number, f"{number:,} times")


# Of teams


def _affinity(counts: Mapping[str, int]) -> str:
    close, members = counts["close"], counted(counts["members"], "member")
    share_text = (
        f"{close} of {members} of teams, in {counted(counts['teams'], 'team')}"
        if close
        else f"none of {members} of teams"
    )
    return f"Sharing an affiliation or e-mail domain with an organizer: {share_text}"


CLOSE: Final = _line(
    "close",
    "Always.",
    _always,
    lambda about: _affinity(about.facts.organizer_affinity),
    "Sharing an affiliation or e-mail domain with an organizer: 1 of 9 members of teams, in 1 team",
)
ACCOUNTS: Final = _line(
    "accounts",
    "Always.",
    _always,
    lambda about: (
        f"{counted(about.facts.people, 'person', 'people')} in {counted(about.facts.teams, 'team')}; the database takes one "
        "team a person and task"
    ),
    "9 people in 4 teams; the database takes one team a person and task",
)
INCOMPLETE: Final = _line(
    "incomplete",
    "Always.",
    _always,
    lambda about: (
        f"{about.name}: incomplete submissions are {'taken' if about.phase.incomplete_allowed else 'refused'}; "
        f"a missing case counts as {missing_words(about.assessment)}"
    ),
    "Final: incomplete submissions are taken; a missing case counts as 0 (DSC)",
)
MISSING: Final = _line(
    "missing",
    "Always.",
    _always,
    lambda about: f"{about.name}: a missing case counts as {missing_words(about.assessment)}",
    "Final: a missing case counts as 0 (DSC)",
)
ATTEMPTS: Final = CATALOGUE.group(
    Claim(
        "line.attempts_shown",
        "Teams see scores of the ranked cases before the end.",
        lambda about: about.count > 0,
        lambda about: (
            f"{_attempts(about)}; teams {_tense(about, 'see', 'saw')} scores of the ranked cases while it {_tense(about, 'is', 'was')} open"
        ),
        "Final: submissions per team: 2 in total; at most 2 by one team; teams saw scores of the ranked cases while it was open",
    ),
    Claim(
        "line.attempts_blind",
        "They do not.",
        _always,
        lambda about: (
            f"{_attempts(about)}; no score {_tense(about, 'is', 'was')} shown while it {_tense(about, 'is', 'was')} open"
        ),
        "Final: submissions per team: 2 in total; at most 2 by one team; no score was shown while it was open",
    ),
)


def _attempts(about: About) -> str:
    most = max(about.phase.made_by.values(), default=0)
    return f"{about.name}: submissions per team: {limit_words(about.phase.per_day, about.phase.in_total)}" + (
        f"; at most {most} by one team" if most else ""
    )


def _tense(about: About, now: str, then: str) -> str:
    return then if about.phase.state == "closed" else now


OUTPUTS: Final = "Predictions are uploaded; the platform does not run the teams’ methods."
PROGRAMS: Final = "Container images are uploaded; the platform runs them on every case, without a network."


def _in(names: Sequence[str], others: Sequence[str]) -> str:
    """The phases of which a line holds; nothing where it holds of all."""
    return f"{'; '.join(names)}: " if names and others else ""


WAYS: Final = CATALOGUE.group(
    Claim(
        "line.programs",
        "In some phases teams hand in programs.",
        lambda about: bool(about.entry["programs"]),
        lambda about: f"{_in(about.entry['programs'], about.entry['predictions'])}{PROGRAMS}",
        PROGRAMS,
    ),
    Claim(
        "line.outputs",
        "In some phases they hand in predictions, or there is no phase yet.",
        lambda about: bool(about.entry["predictions"]) or not about.entry["programs"],
        lambda about: f"{_in(about.entry['predictions'], about.entry['programs'])}{OUTPUTS}",
        OUTPUTS,
    ),
)
