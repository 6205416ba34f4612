"""Acts on reports: ask for one, make it, write into it, publish it."""

from collections.abc import Mapping
from contextlib import suppress
from time import perf_counter
from typing import Any, Final

import structlog
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from accounts.models import User
from challenges.models import Challenge, Phase, Team
from core.audit.services import record
from core.work.queries import shared_now
from core.work.services import UNEXPECTED, Lease, LeaseLostError, ask, claim
from designs.models import DesignVersion
from evaluation import canonical
from reports.domain.guideline import CHAPTERS
from reports.exposure.queries.audience import Audience
from reports.exposure.queries.facts import Facts, collect
from reports.models import Report, ReportSettings, ReportText
from reports.queries.reports import chosen_design
from reports.queries.work import REPORTS
from reports.services import challenge_report, exports, team_report

log = structlog.get_logger(__name__)

MOST_TEXT: Final = 40_000
ITEMS: Final = frozenset(number for _, _, numbers in CHAPTERS for number in numbers)


class ChangedMeanwhileError(Exception):
    """The text was changed by another person since it was read."""


def texts_of(challenge: Challenge) -> dict[str, dict[str, Any]]:
    """Return the texts of the authors, as facts of a report."""
    return {
        text.item: {
            "text": text.text,
            "based_on": text.based_on,
            "author": text.author.display_name,
            "date": text.written_at.date().isoformat(),
        }
        for text in ReportText.objects.filter(challenge=challenge).select_related("author")
    }


@transaction.atomic
def request_report(*, actor: User, challenge: Challenge, audience: Audience) -> Report:
    """Request the report of the current state of a challenge.

    If a report of the same facts exists, it is returned.
    """
    facts = collect(challenge, audience=audience, chosen=chosen_design(challenge), texts=texts_of(challenge))
    inputs = {"generator": exports.VERSION, "kind": "challenge", **facts.document}
    return _requested(
        actor=actor, challenge=challenge, kind=Report.Kind.CHALLENGE, audience=str(audience), inputs=inputs
    )


@transaction.atomic
def request_team_report(*, actor: User, phase: Phase, of: Team) -> Report:
    """Request the report of a team about a phase.

    Raises
    ------
    ValidationError
        If no result can be shown to the team yet.
    """
    inputs = {"generator": exports.VERSION, "kind": "team", **team_report.collect(phase, of).document}
    return _requested(
        actor=actor,
        challenge=phase.challenge,
        kind=Report.Kind.TEAM,
        audience=Report.Audience.TEAM,
        inputs=inputs,
        phase=phase,
        of=of,
    )


def _requested(
    *,
    actor: User,
    challenge: Challenge,
    kind: str,
    audience: str,
    inputs: Mapping[str, Any],
    phase: Phase | None = None,
    of: Team | None = None,
) -> Report:
    # The lock makes numbers follow one another, and two requests for the same facts one report.
    Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk)
    digest = canonical.sha256(inputs)
    existing = Report.objects.filter(challenge=challenge, inputs_digest=digest).first()
    if existing is not None:
        if existing.state == Report.State.FAILED:
            existing.state, existing.failure, existing.attempts = Report.State.QUEUED, "", 0
            existing.requested_at = shared_now()
            existing.save()
            ask(REPORTS, existing)
        return existing
    last = Report.objects.filter(challenge=challenge).aggregate(last=Max("number"))["last"] or 0
    report = Report.objects.create(
        challenge=challenge,
        number=last + 1,
        kind=kind,
        audience=audience,
        phase=phase,
        team=of,
        inputs=inputs,
        inputs_digest=digest,
        requested_by=actor,
    )
    record(
        actor=actor,
        act="report_requested",
        subject=report,
        scope=challenge.slug,
        facts={"kind": kind, "audience": audience, "number": report.number, "inputs_digest": digest},
    )
    ask(REPORTS, report)
    return report


def make_report(*, report_id: int) -> Report | None:
    """Create a requested report, unless another worker is already creating it.

    Returns `None` if the report was not created here.
    """
    lease = claim(REPORTS, report_id, give_up=_give_up)
    if lease is None:
        return None
    report = Report.objects.get(pk=lease.pk)
    started = perf_counter()

    def progress(done: int, steps: int, doing: str) -> None:
        lease.tell(every=0.0, step=done, steps=steps + exports.STEPS, doing=doing[:120])

    try:
        with lease.renewed():
            built = _built(report, progress)
            files = exports.write(report, built, progress=progress)
    except Exception:
        log.exception("report_failed", report=report_id)
        return _finish(lease, failure=UNEXPECTED)
    return _finish(lease, built=built, files=files, seconds=perf_counter() - started)


def _built(report: Report, progress: challenge_report.Progress) -> challenge_report.Built:
    if report.kind == Report.Kind.TEAM:
        if report.phase is None or report.team is None:
            raise LookupError("a report of a team has a phase and a team")
        return team_report.build(team_report.TeamFacts.read(report.inputs), progress=progress)
    return challenge_report.build(Facts.read(report.inputs), progress=progress)


def _give_up(lease: Lease) -> None:
    """End a report that takes its workers down."""
    lease.complete(
        state=Report.State.FAILED,
        failure=f"The worker died {lease.attempts - 1} times while it made this report.",
    )


def _finish(
    lease: Lease,
    *,
    built: challenge_report.Built | None = None,
    files: dict[str, str] | None = None,
    seconds: float = 0.0,
    failure: str = "",
) -> Report | None:
    """Store the outcome; a worker whose lease went to another one stores nothing."""
    with suppress(LeaseLostError), lease.completing() as row:
        if built is None or files is None:
            row.state, row.failure = Report.State.FAILED, failure
            return row
        row.state, row.failure, row.finished_at, row.seconds = Report.State.DONE, "", timezone.now(), seconds
        row.digest = canonical.sha256(built.content)
        row.content_name = files.pop("content")
        row.files, row.score, row.doing = files, built.content.get("score", {}), ""
        record(
            actor=None,
            act="report_made",
            subject=row,
            scope=row.challenge.slug,
            facts={"number": row.number, "digest": row.digest, "inputs_digest": row.inputs_digest},
        )
        return row
    return None


@transaction.atomic
def write_text(*, actor: User, challenge: Challenge, item: str, text: str, based_on: str, revision: int) -> ReportText:
    """Store the text of an author for an item, with the generated text that the author saw.

    Parameters
    ----------
    revision
        The revision that was read, 0 for none.

    Raises
    ------
    ChangedMeanwhileError
        If another person has changed the text since.
    ValidationError
        For an unknown item, or if the text is too long.
    """
    if item not in ITEMS:
        raise ValidationError("There is no such item.")
    if len(text) > MOST_TEXT:
        raise ValidationError(f"At most {MOST_TEXT:,} characters.")
    text = "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").strip().split("\n"))
    values = {"text": text, "based_on": based_on, "author": actor, "written_at": timezone.now()}
    rows = ReportText.objects.filter(challenge=challenge, item=item)
    if revision == 0:
        row, created = ReportText.objects.get_or_create(challenge=challenge, item=item, defaults=values)
        if not created:
            raise ChangedMeanwhileError
    elif not rows.filter(revision=revision).update(**values, revision=F("revision") + 1):
        raise ChangedMeanwhileError
    row = rows.get()
    record(
        actor=actor,
        act="report_text_written",
        subject=row,
        scope=challenge.slug,
        facts={"item": item, "revision": row.revision, "characters": len(text)},
    )
    return row


@transaction.atomic
def drop_text(*, actor: User, challenge: Challenge, item: str) -> None:
    """Take the generated text again in place of what was written."""
    row = ReportText.objects.select_for_update(no_key=True).filter(challenge=challenge, item=item).first()
    if row is not None:
        record(
            actor=actor,
            act="report_text_dropped",
            subject=row,
            scope=challenge.slug,
            facts={"item": item, "revision": row.revision},
        )
        row.delete()


@transaction.atomic
def choose_design(*, actor: User, challenge: Challenge, version: DesignVersion | None) -> ReportSettings:
    """Name the design version that a challenge without a registration reports from.

    Raises
    ------
    ValidationError
        For a challenge that runs from a registration: that decides.
    """
    if getattr(challenge, "projection", None) is not None:
        raise ValidationError("This challenge runs from its registration, and reports from it.")
    settings = _settings(challenge)
    settings.design_version = version
    settings.save()
    record(
        actor=actor,
        act="report_design_chosen",
        subject=settings,
        scope=challenge.slug,
        facts={"digest": version.digest if version else ""},
    )
    return settings


@transaction.atomic
def publish(*, actor: User, report: Report) -> ReportSettings:
    """Make a report public; the one that was public before stays with the organizers.

    Raises
    ------
    ValidationError
        For a report that is not finished, or that was not made for the public.
    """
    if report.kind != Report.Kind.CHALLENGE or report.audience != Report.Audience.PUBLIC or not report.is_done:
        raise ValidationError("Only a finished report that was made for the public can be published.")
    settings = _settings(report.challenge)
    settings.published, settings.published_at, settings.published_by = report, timezone.now(), actor
    settings.save()
    record(
        actor=actor,
        act="report_published",
        subject=report,
        scope=report.challenge.slug,
        facts={"number": report.number, "digest": report.digest},
    )
    return settings


@transaction.atomic
def withdraw(*, actor: User, challenge: Challenge) -> None:
    """Take the public report back."""
    settings = _settings(challenge)
    if settings.published is None:
        return
    record(
        actor=actor,
        act="report_withdrawn",
        subject=settings.published,
        scope=challenge.slug,
        facts={"number": settings.published.number},
    )
    settings.published, settings.published_at, settings.published_by = None, None, None
    settings.save()


def _settings(challenge: Challenge) -> ReportSettings:
    ReportSettings.objects.get_or_create(challenge=challenge)
    return (
        ReportSettings.objects.select_for_update(of=("self",), no_key=True)
        .select_related("published")
        .get(challenge=challenge)
    )
