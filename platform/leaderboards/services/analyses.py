"""Acts on analyses: what is drawn and compared from a ranking once it stands, step by step and in the background."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from leaderboards.domain import exploratory_figures, figure_catalogue
from leaderboards.domain.figure_sources import Sources
from leaderboards.models import Analysis, RankingRequest, RankingVersion
from leaderboards.queries import rankings
from leaderboards.services import computing, leases
from leaderboards.services.rankings import ANALYSE_TASK, LEASE, MAX_ATTEMPTS
from web import jobs
from web.clock import overdue, shared_now

log = structlog.get_logger(__name__)

PATIENCE = timedelta(seconds=2)
"""A ranking that waits longer than this has found no free worker: figures make room for it."""


@dataclass(frozen=True)
class Made:
    """What one step has made."""

    figures: Mapping[str, str] = field(default_factory=dict)
    sentences: Mapping[str, list[str]] = field(default_factory=dict)
    findings: Any = None


Step = Callable[[RankingVersion, Sources], Made]


def _drawing(picture: figure_catalogue.Picture) -> Step:
    def make(version: RankingVersion, sources: Sources) -> Made:
        drawn = figure_catalogue.drawn(picture, sources, version.table)
        return Made(figures=computing.store_figures(version, picture.name, drawn))

    return make


def _comparing(version: RankingVersion, sources: Sources) -> Made:
    return Made(sentences=figure_catalogue.further_sentences(sources, version.table))


def _hardest(version: RankingVersion, sources: Sources) -> Made:
    found = {order["key"]: exploratory_figures.hardest(sources, order) for order in version.table["orders"]}
    return Made(findings={key: cases for key, cases in found.items() if cases})


def _subgroups(version: RankingVersion, sources: Sources) -> Made:
    return Made(findings=computing.store_subgroups(version, sources))


def _annotators(version: RankingVersion, sources: Sources) -> Made:
    return Made(findings=computing.store_annotators(version, sources))


STEPS: Mapping[str, Step] = {
    **{picture.name: _drawing(picture) for picture in figure_catalogue.PICTURES if not picture.is_slow},
    "comparisons": _comparing,
    "hardest": _hardest,
    "subgroups": _subgroups,
    "annotators": _annotators,
    **{picture.name: _drawing(picture) for picture in figure_catalogue.PICTURES if picture.is_slow},
}


def analyse_version(*, version_id: int) -> Analysis | None:
    """Take the steps that are left, unless another worker is at it or something more urgent waits.

    Returns
    -------
    Analysis or None
        The finished analysis; None when it was left to somebody else or to later.
    """
    claim = _claim(version_id)
    if claim is None:
        return None
    version = claim.version
    sources: Sources | None = None
    with leases.kept(claim, LEASE):
        for name, step in STEPS.items():
            if name in claim.steps:
                continue
            if _ranking_waits():
                _give_back(claim)
                return None
            made, failure = Made(), ""
            try:
                sources = sources or computing.sources_of(version)
                made = step(version, sources)
            except Exception as error:
                log.exception("analysis_step_failed", version=version_id, step=name)
                failure = f"{type(error).__name__}: {error}"
            if not _keep(claim, name, made, failure):
                return None
    return _finish(claim)


def sweep() -> int:
    """Send the jobs of analyses that no living worker has; returns how many.

    Rankings that stand come first. One that was overtaken before its figures were drawn waits until nothing else is left.
    """
    now = shared_now()
    free = Analysis.objects.filter(finished_at=None).filter(
        Q(lease_until=None) & overdue("version__created_at", timedelta(seconds=10)) | Q(lease_until__lt=now)
    )
    if not free.exists():
        return 0
    standing = free.filter(version_id__in=rankings.standing_versions())
    chosen = list(standing.values_list("version_id", flat=True))
    busy = Analysis.objects.filter(finished_at=None, lease_until__gte=now).exists()
    if not chosen and not busy and not RankingRequest.objects.filter(requested__gt=F("computed")).exists():
        chosen = list(free.order_by("version_id").values_list("version_id", flat=True)[:1])
    return sum(jobs.send(ANALYSE_TASK, [version_id]) for version_id in chosen)


@transaction.atomic
def _claim(version_id: int) -> Analysis | None:
    """Take the lease of an unfinished analysis that nobody has."""
    row = Analysis.objects.select_for_update().filter(version_id=version_id, finished_at=None).first()
    now = shared_now()
    if row is None or (row.lease_until is not None and row.lease_until > now):
        return None
    row.total = len(STEPS)
    if row.attempts >= MAX_ATTEMPTS:
        # One step takes its worker down with it: it is left out, and the others are made all the same.
        culprit = next((name for name in STEPS if name not in row.steps), None)
        if culprit is not None:
            row.steps = [*row.steps, culprit]
            row.failures = row.failures | {culprit: f"The worker died {row.attempts} times over it."}
        row.attempts = 0
    row.attempts += 1
    row.lease, row.lease_until = secrets.token_hex(8), now + LEASE
    row.save()
    return Analysis.objects.select_related("version__phase__task__challenge").get(pk=row.pk)


def _ranking_waits() -> bool:
    now = shared_now()
    waiting = RankingRequest.objects.filter(overdue("requested_at", PATIENCE), requested__gt=F("computed"))
    return waiting.filter(Q(lease_until=None) | Q(lease_until__lt=now)).exists()


def _give_back(claim: Analysis) -> None:
    """Leave it to the sweep, which hands it out again once the ranking has been taken."""
    Analysis.objects.filter(pk=claim.pk, lease=claim.lease).update(lease="", lease_until=None, attempts=0)


@transaction.atomic
def _keep(claim: Analysis, name: str, made: Made, failure: str) -> bool:
    """Store what a step made, unless the lease has gone to another worker."""
    row = Analysis.objects.select_for_update().get(pk=claim.pk)
    if row.lease != claim.lease:
        return False
    row.steps = [*row.steps, name]
    row.attempts = 1
    if made.figures:
        row.figures = row.figures | {name: dict(made.figures)}
    else:
        row.figures = {kind: drawn for kind, drawn in row.figures.items() if kind != name}
    if made.sentences:
        row.sentences = dict(made.sentences)
    if made.findings is not None:
        row.findings = row.findings | {name: made.findings}
    if failure:
        row.failures = row.failures | {name: failure}
    row.save()
    claim.steps = row.steps
    return True


@transaction.atomic
def _finish(claim: Analysis) -> Analysis | None:
    row = Analysis.objects.select_for_update().get(pk=claim.pk)
    if row.lease != claim.lease:
        return None
    row.lease, row.lease_until, row.attempts, row.finished_at = "", None, 0, timezone.now()
    row.save()
    return row
