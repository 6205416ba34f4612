"""Monitor of a phase for organizers: what in the results of each team looks unusual.

Everything is read from what validation and scoring stored: the report of a submission, the summary of its run, and the
spread of the values over the cases. No file is opened, and no single case is named.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Any, Final
from uuid import UUID

from django.db.models.fields.json import KeyTextTransform, KeyTransform

from challenges.models import Phase, Team
from evaluation.assessment import Assessment
from evaluation.wording import counted
from submissions.models import Run, Submission

FEWEST_TEAMS: Final = 5
"""With fewer teams, no score is called unusual among them."""
OUTSIDE: Final = 3.0
"""Number of interquartile ranges from the middle half of the teams beyond which a score is unusual."""


@dataclass(frozen=True)
class Signal:
    """Something unusual in the results of a team.

    Attributes
    ----------
    kind
        ``zero``, ``distance``, ``unit``, ``range``, ``identical``, ``missing`` or ``question``.
    words
        One sentence.
    """

    kind: str
    words: str


@dataclass
class TeamResults:
    """The last scored submission of a team, with its signals.

    Attributes
    ----------
    scores
        Value by metric and region, as the summary has it.
    spread
        Spread over the cases by metric and region; empty if the result is older than the monitor.
    """

    team: Team
    submission: Submission
    scores: Mapping[tuple[str, str], float | None]
    spread: Mapping[tuple[str, str], Mapping[str, Any]]
    missing: int
    asked: int
    signals: list[Signal] = field(default_factory=list)


@dataclass(frozen=True)
class Measure:
    """A metric in a region, which the page shows as one table."""

    metric: str
    region: str
    title: str

    @property
    def key(self) -> str:
        """Value in the address of the page."""
        return f"{self.metric}|{self.region}"


@dataclass(frozen=True)
class Monitor:
    """Results of all teams of a phase.

    Attributes
    ----------
    teams
        Teams with signals first, then by name.
    waiting
        Teams without a scored submission, whose last one is refused or waits for an answer, with its state.
    """

    teams: list[TeamResults]
    measures: list[Measure]
    waiting: list[Submission]

    @property
    def unusual(self) -> list[TeamResults]:
        """Teams with a signal."""
        return [entry for entry in self.teams if entry.signals]

    @property
    def usual(self) -> list[TeamResults]:
        """Teams without a signal."""
        return [entry for entry in self.teams if not entry.signals]

    @property
    def lacks_spread(self) -> bool:
        """True if the values of some cases were scored before their spread was stored."""
        return any(not entry.spread and entry.scores for entry in self.teams)


def monitor_of(phase: Phase) -> Monitor:
    """Return the results of the last scored submission of each team with what is unusual; three queries."""
    runs = list(
        Run.objects.filter(counts=True, submission__phase=phase, submission__state=Submission.State.SCORED)
        .select_related("submission__team")
        .defer("log", "case_notes", "decoys", "disentangled", "provenance", "submission__log", "submission__report")
        .annotate(
            questions=KeyTransform("questions", "submission__report"),
            fingerprint=KeyTextTransform("fingerprint", "submission__report"),
        )
        .order_by("submission__number")
    )
    last = {run.submission.team_id: run for run in runs}
    same = _same_predictions(runs)
    assessment = phase.assessment
    entries = [_results(run, assessment, same.get(run.submission_id, ())) for run in last.values()]
    _add_ranges(entries, assessment)
    entries.sort(key=lambda entry: (not entry.signals, entry.team.name.casefold()))
    return Monitor(entries, _measures(assessment, entries), _waiting(phase, last))


def _results(run: Run, assessment: Assessment, same: Collection[str]) -> TeamResults:
    summary = run.summary
    entry = TeamResults(
        team=run.submission.team,
        submission=run.submission,
        scores={(row["metric"], row["region"] or ""): row["value"] for row in summary.get("values", ())},
        spread={(row["metric"], row["region"]): row for row in run.spread},
        missing=summary.get("asked_missing", summary.get("missing_cases", 0)),
        asked=summary.get("asked", summary.get("cases", 0)),
    )
    entry.signals += _zeros(entry, assessment)
    entry.signals += _distances(entry)
    entry.signals += [Signal("unit", words) for words in summary.get("doubts", ())]
    entry.signals += _confirmed(getattr(run, "questions", None) or ())
    if same:
        names = ", ".join(sorted(same))
        entry.signals.append(Signal("identical", f"The predictions or all values equal those of {names}."))
    if entry.missing:
        entry.signals.append(Signal("missing", f"{entry.missing} of {counted(entry.asked, 'case')} missing."))
    return entry


def _zeros(entry: TeamResults, assessment: Assessment) -> Iterable[Signal]:
    """Report scores of 0 where that is the worst possible score."""
    for use in assessment.metrics:
        if not use.higher_is_better or use.worst != 0:
            continue
        regions = [region for (metric, region), value in entry.scores.items() if metric == use.name and value == 0]
        if regions:
            where = ", ".join(region for region in regions if region)
            yield Signal("zero", f"{use.title} is 0{f' ({where})' if where else ''}.")


def _distances(entry: TeamResults) -> Iterable[Signal]:
    """Report distances that no image permits, or far beyond the registered cutoff; both suggest another unit."""
    for (metric, region), row in entry.spread.items():
        where = f" ({region})" if region else ""
        if row.get("impossible"):
            number = counted(row["impossible"], "distance")
            yield Signal("distance", f"{metric}{where}: {number} longer than the diagonal of the image. {_PIXELS}")
        elif row.get("far"):
            words = f"{metric}{where}: median {row['median']:.3g} mm, cutoff {row['cutoff']:.3g} mm. {_PIXELS}"
            yield Signal("distance", words)


_PIXELS: Final = "The coordinates look like pixels or another unit."


def _confirmed(questions: Iterable[Mapping[str, Any]]) -> Iterable[Signal]:
    """Report what validation asked about the predictions; the team confirmed it."""
    for question in questions:
        kind = "identical" if question.get("id") in ("identical_predictions", "repeated_predictions") else "question"
        yield Signal(kind, f"{str(question.get('reason', '')).rstrip('.')}. Asked at validation.")


def _same_predictions(runs: Sequence[Run]) -> dict[UUID, set[str]]:
    """Return the names of other teams with equal predictions or equal values, by submission."""
    groups: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in runs:
        for kind, digest in (("values", run.result_digest), ("files", getattr(run, "fingerprint", "") or "")):
            if digest:
                groups[kind, digest].append(run)
    same: dict[UUID, set[str]] = defaultdict(set)
    for members in groups.values():
        for run in members:
            others = {
                other.submission.team.name for other in members if other.submission.team_id != run.submission.team_id
            }
            same[run.submission_id] |= others
    return same


def _add_ranges(entries: Sequence[TeamResults], assessment: Assessment) -> None:
    """Report scores that are far from those of the other teams."""
    titles = {use.name: use.title for use in assessment.metrics}
    for metric, region in dict.fromkeys(key for entry in entries for key in entry.scores):
        values = {entry.team.pk: entry.scores.get((metric, region)) for entry in entries}
        stated = sorted(value for value in values.values() if value is not None)
        if len(stated) < FEWEST_TEAMS:
            continue
        lower, _, upper = quantiles(stated, n=4, method="inclusive")
        reach = OUTSIDE * (upper - lower)
        for entry in entries:
            value = values[entry.team.pk]
            if value is not None and reach > 0 and not lower - reach <= value <= upper + reach:
                where = f" ({region})" if region else ""
                words = f"{titles.get(metric, metric)}{where} is {value:.3g}; the median of the teams is {median(stated):.3g}."
                entry.signals.append(Signal("range", words))


def _measures(assessment: Assessment, entries: Sequence[TeamResults]) -> list[Measure]:
    titles = {use.name: use.title for use in assessment.metrics}
    keys = dict.fromkeys(key for entry in entries for key in entry.scores)
    return [
        Measure(metric, region, f"{titles.get(metric, metric)}{f', {region}' if region else ''}")
        for metric, region in keys
    ]


def _waiting(phase: Phase, scored: Collection[int]) -> list[Submission]:
    """Return the last submission of each team that has none with a result."""
    states = (Submission.State.REFUSED, Submission.State.HELD, Submission.State.FAILED)
    rows = (
        Submission.objects.filter(phase=phase, state__in=states)
        .exclude(team__in=scored)
        .select_related("team")
        .defer("log", "report")
        .order_by("team__name", "number")
    )
    return list({submission.team_id: submission for submission in rows}.values())
