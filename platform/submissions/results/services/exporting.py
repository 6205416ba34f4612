"""Everything that organizers may have of a challenge, file by file; without references and predictions. That it was taken is in the log."""

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from challenges import hooks
from challenges.models import Challenge, Organizer, Phase
from challenges.queries import key_of, people, phases_of, projection_of
from core.audit.models import Entry
from core.audit.services import record
from datastore.test_sets.models import TestCase, TestSet
from datastore.test_sets.queries.access_log import ACCESS_COLUMNS, access_log, access_rows
from executions.scoring.domain import results
from submissions.models import MethodDescription, Run, Submission
from submissions.queries import counted_runs, told_frame
from submissions.queries.releases import PROBING_COLUMNS, probing_of, probing_rows
from submissions.queries.results import method_slug
from submissions.results.queries.decoys import decoy_columns, decoy_rows
from web.spreadsheets import csv_text

SUBMISSION_COLUMNS = (
    *("id", "task", "phase", "team", "sender", "number", "state", "reason", "is_late", "is_chosen"),
    *("accept_incomplete", "created_at", "file", "bytes", "archive_sha256"),
)


class _Pipe(io.RawIOBase):
    """Keeps what is written until it is taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, part: Any) -> int:
        self._parts.append(bytes(part))
        return len(self._parts[-1])

    def take(self) -> bytes:
        content, self._parts = b"".join(self._parts), []
        return content


def archive(challenge: Challenge, user: User) -> Iterator[bytes]:
    """The export as a ZIP archive in pieces, as a person may have it: no more than one of its files is in memory at a time."""
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts(challenge, user):
            packed.writestr(name, content)
            yield pipe.take()
    yield pipe.take()


def parts(challenge: Challenge, user: User) -> Iterator[tuple[str, str | bytes]]:
    """Name and content of every file."""
    yield from _people(challenge)
    yield from _submissions(challenge)
    for phase in phases_of(challenge):
        yield from _phase(phase, user)
    for provider in hooks.exports:
        yield from provider(challenge)
    rows = challenge.announcements.values_list("published_at", "title", "text", "author__username", "told")
    pages = challenge.information_pages.values_list("slug", "title", "text", "changed_at")
    yield "pages.csv", csv_text(["page", "title", "text", "changed_at"], pages)
    for picture in challenge.pictures.order_by("kind"):
        yield f"{picture.kind}.{picture.media_type.rpartition('/')[2]}", bytes(picture.content)
    yield "announcements.csv", csv_text(["published_at", "title", "text", "author", "told"], rows)
    posts = challenge.threads.values_list(
        "title", "posts__created_at", "posts__author__username", "posts__text", "posts__is_answer", "posts__hidden_at"
    )
    yield "discussion.csv", csv_text(["thread", "written_at", "author", "text", "is_answer", "hidden_at"], posts)
    yield _log(challenge)


def _people(challenge: Challenge) -> Iterator[tuple[str, str]]:
    yield "participants.csv", csv_text(people.PARTICIPANT_COLUMNS, people.participant_rows(challenge))
    organizers = Organizer.objects.filter(challenge=challenge).order_by("pk").values_list("user__username", "role")
    yield "organizers.csv", csv_text(["user", "role"], organizers)
    teams = challenge.teams.prefetch_related("tasks")
    rows = (
        (t.name, t.slug, [task.slug for task in t.tasks.all()], t.created_at, t.standing, t.standing_reason)
        for t in teams
    )
    yield "teams.csv", csv_text(["name", "slug", "tasks", "created_at", "standing", "reason"], rows)
    columns = ("version", "created_at", "requires_approval", "team_size", "requires_method", "agreement")
    yield "terms.csv", csv_text(columns, challenge.terms.order_by("version").values_list(*columns))
    yield "concerns.csv", csv_text(people.CONCERN_COLUMNS, people.concern_rows(challenge))
    if projection := projection_of(challenge):
        registered = {"identifier": projection.registration.identifier, "version": str(projection.version.number)}
        yield "registration.json", json.dumps(registered | {"digest": projection.digest}, indent=1)


def _submissions(challenge: Challenge) -> Iterator[tuple[str, str]]:
    rows = Submission.objects.filter(phase__task__challenge=challenge).order_by("created_at", "pk")
    yield "submissions.csv", csv_text(SUBMISSION_COLUMNS, submission_rows(rows))
    columns = (
        *("submission", "number", "trigger", "triggered_by__username", "state", "counts", "test_set__version"),
        *("assessment_digest", "queued_at", "started_at", "finished_at", "message", "result_digest"),
    )
    runs = Run.objects.filter(submission__phase__task__challenge=challenge).order_by("queued_at", "pk")
    yield "runs.csv", csv_text([name.replace("__", "_") for name in columns], runs.values_list(*columns).iterator())
    methods = MethodDescription.objects.filter(submission__phase__task__challenge=challenge).order_by("pk")
    described = {
        str(pk): {"is_complete": complete, "entries": entries}
        for pk, complete, entries in methods.values_list("submission", "is_complete", "entries")
    }
    yield "methods.json", json.dumps(described, indent=1, sort_keys=True)
    yield "probing.csv", csv_text(PROBING_COLUMNS, probing_rows(probing_of(phases_of(challenge))))


def submission_rows(rows: QuerySet[Submission]) -> Iterator[tuple[Any, ...]]:
    """Lines of a list of submissions."""
    return rows.values_list(
        *("id", "phase__task__slug", "phase__slug", "team__name", "user__username", "number", "state", "reason"),
        *("is_late", "is_chosen", "accept_incomplete", "created_at", "archive_name", "archive_size", "archive_sha256"),
    ).iterator()


def _phase(phase: Phase, user: User) -> Iterator[tuple[str, str]]:
    key = key_of(phase)
    yield f"assessments/{key}.json", json.dumps(phase.assessment_document, indent=1)
    for run in counted_runs(phase):
        yield (
            f"results/{key}/{run.submission.team.slug}{method_slug(phase, run.submission)}.csv",
            results.to_csv(told_frame(run, user)),
        )
    for test_set in TestSet.objects.filter(phase=phase, sealed_at__isnull=False).order_by("version"):
        stem = f"test-sets/{key}-{test_set.version}"
        cases = TestCase.objects.filter(test_set=test_set).order_by("position")
        rows = (
            (case.position, case.name, case.reference_sha256, case.is_decoy, json.dumps(case.metadata, sort_keys=True))
            for case in cases
        )
        yield f"{stem}.csv", csv_text(["position", "case", "reference_sha256", "decoy", "characteristics"], rows)
        yield f"{stem}-manifest.txt", f"{test_set.manifest_digest}\n"
        if cases.filter(is_decoy=True).exists():
            yield f"{stem}-decoys.csv", csv_text(decoy_columns(phase), decoy_rows(test_set))
    yield f"test-sets/{key}-access.csv", csv_text(ACCESS_COLUMNS, access_rows(access_log(phase)))


def _log(challenge: Challenge) -> tuple[str, str]:
    acts = Entry.objects.filter(scope=challenge.slug).values_list(
        "sequence", "time", "actor__username", "act", "subject_type", "subject_id", "facts", "digest"
    )
    heads = ["sequence", "time", "actor", "act", "subject", "id", "facts", "digest"]
    rows = ((*row[:6], json.dumps(row[6], sort_keys=True), row[7]) for row in acts.iterator())
    return "log.csv", csv_text(heads, rows)


@transaction.atomic
def note_exported(*, actor: User, challenge: Challenge) -> None:
    """Write into the log who took the export of a challenge."""
    record(actor=actor, act="challenge_exported", subject=challenge, scope=challenge.slug)
