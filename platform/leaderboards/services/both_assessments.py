"""Rankings under the registered and under the changed assessment, after a deviation.

The changed assessment is executed, and its ranking is current. The registered assessment is ranked each time from the
same submissions, as a separate version that never becomes current. If the change requires other values of cases, the
values that were scored for the registered assessment are used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from challenges.models import Phase
from challenges.queries import assessment_by_digest
from challenges.queries.deviations import CORRECTION
from core.audit.services import VALUES, record, values_of
from core.work.services import ask
from datastore.test_sets.models import TestSet
from evaluation.assessment import Assessment
from evaluation.claims.comparisons import BOTH_WAYS
from leaderboards.models import Analysis, RankingRequest, RankingVersion
from leaderboards.queries import rankings
from leaderboards.queries.current import current_standing
from leaderboards.queries.names import is_open, shown_names, substitute
from leaderboards.queries.work import ANALYSES
from leaderboards.services import computing
from submissions.models import Run
from submissions.queries import counted_runs
from submissions.queries.results import suits


def registered_digests(phase: Phase) -> list[str]:
    """Digests of the assessments that deviations put aside, the first promised one first."""
    executed = phase.assessment.digest
    rows = phase.deviations.order_by("decided_at", "pk").values_list("registered_digest", flat=True)
    return [digest for digest in dict.fromkeys(rows) if digest != executed]


def rank_registered(phase: Phase) -> list[RankingVersion]:
    """Rank what counts now by every assessment that a deviation put aside; returns the versions that are new."""
    new_versions = []
    for digest in registered_digests(phase):
        assessment = assessment_by_digest(phase, digest)
        if assessment is None or assessment.digest != digest:
            continue
        runs = [
            registered_run
            for run in counted_runs(phase)
            if (registered_run := _run_for(phase, run, assessment)) is not None
        ]
        inputs = computing.collect(phase, assessment=assessment, runs=runs)
        if not runs or RankingVersion.objects.filter(phase=phase, inputs_digest=inputs.digest).exists():
            continue
        version = computing.compute(inputs)
        if _store(phase, version):
            new_versions.append(version)
    return new_versions


def _run_for(phase: Phase, run: Run, assessment: Assessment) -> Run | None:
    """The run of the same submission that has the values for an assessment: the one that counts, or an earlier one."""
    if suits(phase, run, assessment):
        return run
    earlier = (
        # Of the same version of the test set: a ranking never mixes two.
        Run.objects.filter(submission=run.submission_id, test_set=run.test_set_id)
        .exclude(result_digest="")
        .select_related("submission__team")
        .order_by("-number")
    )
    return next((candidate for candidate in earlier if suits(phase, candidate, assessment)), None)


def _store(phase: Phase, version: RankingVersion) -> bool:
    """Number and keep a version; another worker may have been faster."""
    try:
        with transaction.atomic():
            RankingRequest.objects.select_for_update(no_key=True).filter(phase=phase).first()
            version.number = rankings.last_number(phase) + 1
            version.save(force_insert=True)
            analysis = Analysis.objects.create(version=version)
            record(
                actor=None,
                act="ranking_computed",
                subject=version,
                scope=phase.challenge.slug,
                facts={
                    "phase": phase.slug,
                    "number": version.number,
                    "digest": version.digest,
                    "inputs_digest": version.inputs_digest,
                    "assessment_digest": version.assessment_digest,
                    "teams": version.teams,
                    "cause": "deviation",
                    VALUES: values_of(version),
                },
            )
            ask(ANALYSES, analysis)
    except IntegrityError:
        return False
    return True


@dataclass(frozen=True)
class Column:
    """Column of the comparison: an assessment, or a version of the references, with its latest ranking.

    Attributes
    ----------
    words
        Text that distinguishes it from the others: “under the registered assessment, with all cases”.
    """

    digest: str
    is_registered: bool
    version: RankingVersion | None
    words: str = ""


@dataclass(frozen=True)
class Line:
    """A team with its rank each way; `None` where it is not ranked."""

    team: str
    ranks: tuple[float | None, ...]

    @property
    def moves(self) -> bool:
        """True if the team has different ranks in the columns."""
        return len(set(self.ranks)) > 1


@dataclass(frozen=True)
class Comparison:
    """The ranking both ways, side by side."""

    columns: tuple[Column, ...]
    lines: tuple[Line, ...]

    @property
    def moved(self) -> int:
        """Number of teams with a different rank."""
        return sum(line.moves for line in self.lines)

    @property
    def sentence(self) -> str:
        """Sentence about the effect of the change on the ranks, empty if nothing is ranked yet."""
        return BOTH_WAYS.first(self.moved) if self.lines else ""

    def rows(self) -> list[list[Any]]:
        """The comparison as rows of a file."""
        heads = [
            f"{'registered' if column.is_registered else 'executed'} {column.digest[:12]} ({column.words})"
            for column in self.columns
        ]
        return [["team", *heads], *([line.team, *line.ranks] for line in self.lines)]


def comparison(phase: Phase) -> Comparison | None:
    """Return the latest rankings under each registered assessment and under the executed one.

    Returns `None` without a deviation.
    """
    registered, former = registered_digests(phase), _by_former_references(phase)
    if not registered and not former:
        return None
    standing = current_standing(phase)
    if standing is None:
        former = []
    excluded = [len(phase.assessment.exclusions.cases)]
    assessments = {digest: assessment_by_digest(phase, digest) for digest in registered}
    excluded += [len(entry.exclusions.cases) for entry in assessments.values() if entry is not None]
    executed = standing.version if standing and standing.version.assessment_digest not in registered else None
    if executed is not None:
        executed.phase = phase
    columns = [
        *former,
        *(
            Column(
                digest,
                is_registered=True,
                version=_latest(phase, digest) if standing is not None else None,
                words=_words("under the registered assessment", assessments[digest], excluded),
            )
            for digest in registered
        ),
        Column(
            phase.assessment.digest,
            is_registered=False,
            version=executed,
            words=_words(
                "under the changed assessment" if registered else "by the corrected references",
                phase.assessment,
                excluded,
            ),
        ),
    ]
    names = shown_names(phase)
    ranks = [substitute(_ranks(column.version), names) for column in columns]
    teams = sorted({team for column in ranks for team in column}, key=lambda team: _place(ranks, team))
    lines = tuple(Line(team, tuple(column.get(team) for column in ranks)) for team in teams)
    return Comparison(tuple(columns), lines)


def _words(way: str, assessment: Assessment | None, excluded: Sequence[int]) -> str:
    """Return the name of a column, with the number of excluded cases if the columns differ in the cases."""
    if assessment is None or len(set(excluded)) < 2:
        return way
    number = len(assessment.exclusions.cases)
    cases = "with all cases" if not number else "without 1 case" if number == 1 else f"without {number} cases"
    return f"{way}, {cases}"


def _by_former_references(phase: Phase) -> list[Column]:
    """The last ranking by each version of the references that an approved correction replaced."""
    if not any(CORRECTION in entry.parameters for entry in phase.deviations.all()):
        return []
    versions = TestSet.objects.filter(phase=phase, sealed_at__isnull=False).order_by("version")
    replaced = [later.version - 1 for later in versions if later.change_request_id is not None]
    columns = []
    for number in replaced:
        rows = RankingVersion.objects.filter(phase=phase, inputs__test_set=number)
        # What stood, not what was computed beside it by an assessment that was put aside.
        version = rows.filter(standings__isnull=False).order_by("number").last()
        if version is not None:
            version.phase = phase
            words = f"by the former references (test set version {number})"
            columns.append(Column(version.assessment_digest, is_registered=True, version=version, words=words))
    return columns


def _latest(phase: Phase, digest: str) -> RankingVersion | None:
    version = RankingVersion.objects.filter(phase=phase, assessment_digest=digest).order_by("number").last()
    if version is not None:
        version.phase = phase
    return version


def _ranks(version: RankingVersion | None) -> dict[str, float | None]:
    """Team → rank in the first order of a table; none of a version that is withheld."""
    if version is None or not is_open(version):
        return {}
    return dict(zip(version.table["teams"], version.table["orders"][0]["rank"], strict=True))


def _place(ranks: Sequence[dict[str, float | None]], team: str) -> tuple[float, str]:
    """Teams in the order of the executed ranking, the others behind."""
    rank = ranks[-1].get(team)
    return (float("inf") if rank is None else rank, team)
