"""Acts on analyses: what is drawn and compared from a ranking once it stands, step by step and in the background."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import structlog
from django.db import transaction
from django.utils import timezone

from evaluation.analyses import catalogue, exploring
from evaluation.analyses.sources import Sources
from leaderboards.models import Analysis, RankingVersion
from leaderboards.queries.work import ANALYSES, ranking_waits
from leaderboards.services import computing, separate_levels
from work.services import UNEXPECTED, Lease, LeaseLostError, claim

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Made:
    """What one step has made."""

    figures: Mapping[str, str] = field(default_factory=dict)
    sentences: Mapping[str, list[str]] = field(default_factory=dict)
    findings: Any = None


Step = Callable[[RankingVersion, Sources], Made]


def _drawing(picture: catalogue.Picture) -> Step:
    def make(version: RankingVersion, sources: Sources) -> Made:
        drawn = catalogue.drawn(picture, sources, version.table)
        return Made(figures=computing.store_figures(version, picture.name, drawn))

    return make


def _comparing(version: RankingVersion, sources: Sources) -> Made:
    return Made(sentences=catalogue.further_sentences(sources, version.table))


def _hardest(version: RankingVersion, sources: Sources) -> Made:
    found = {order["key"]: exploring.hardest(sources, order) for order in version.table["orders"]}
    return Made(findings={key: cases for key, cases in found.items() if cases})


def _subgroups(version: RankingVersion, sources: Sources) -> Made:
    return Made(findings=computing.store_subgroups(version, sources))


def _annotators(version: RankingVersion, sources: Sources) -> Made:
    return Made(findings=computing.store_annotators(version, sources))


def _levels(version: RankingVersion, sources: Sources) -> Made:
    return Made(findings=separate_levels.store_separate_ranking(version, sources))


STEPS: Mapping[str, Step] = {
    **{picture.name: _drawing(picture) for picture in catalogue.PICTURES if not picture.is_slow},
    "comparisons": _comparing,
    "hardest": _hardest,
    "subgroups": _subgroups,
    "annotators": _annotators,
    "levels": _levels,
    **{picture.name: _drawing(picture) for picture in catalogue.PICTURES if picture.is_slow},
}


def analyse_version(*, version_id: int) -> Analysis | None:
    """Take the steps that are left, unless another worker is at it or something more urgent waits.

    Returns
    -------
    Analysis or None
        The finished analysis; None when it was left to somebody else or to later.
    """
    lease = claim(ANALYSES, version_id, give_up=_leave_out)
    if lease is None:
        return None
    lease.rows.update(total=len(STEPS))
    analysis = Analysis.objects.select_related("version__phase__task__challenge").get(pk=lease.pk)
    version, done = analysis.version, set(analysis.steps)
    sources: Sources | None = None
    with lease.renewed():
        for name, step in STEPS.items():
            if name in done:
                continue
            if ranking_waits():
                # The sweep hands it out again once the ranking has been taken.
                lease.hand_back(timedelta(0), asks=False, attempts=0)
                return None
            made, failure = Made(), ""
            try:
                sources = sources or computing.sources_of(version)
                made = step(version, sources)
            except Exception:
                log.exception("analysis_step_failed", version=version_id, step=name)
                failure = UNEXPECTED
            if not _keep(lease, name, made, failure):
                return None
    return _finish(lease)


def _leave_out(lease: Lease) -> None:
    """Leave out the step that takes its worker down with it: the others are made all the same."""
    row = Analysis.objects.get(pk=lease.pk)
    steps, failures = row.steps, row.failures
    culprit = next((name for name in STEPS if name not in steps), None)
    if culprit is not None:
        steps = [*steps, culprit]
        failures = failures | {culprit: f"The worker died {lease.attempts - 1} times over it."}
    lease.hand_back(timedelta(0), attempts=0, steps=steps, failures=failures)


@transaction.atomic
def _keep(lease: Lease, name: str, made: Made, failure: str) -> bool:
    """Store what a step made, unless the lease has gone to another worker."""
    row = lease.rows.select_for_update(no_key=True).first()
    if row is None:
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
    return True


def _finish(lease: Lease) -> Analysis | None:
    with suppress(LeaseLostError), lease.completing() as row:
        row.attempts, row.finished_at = 0, timezone.now()
        return row
    return None
