"""Versions of a phase's test set, and who sealed, saw and downloaded them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.models import User
from challenges.models import Challenge, Organizer, Phase
from core.audit.models import Entry
from datastore.test_sets import hooks
from datastore.test_sets.models import TestCase, TestSet, TestSetArchive

SEALED, SEEN, DOWNLOADED = "test_set_sealed", "reference_seen", "reference_downloaded"
WORDS = {SEEN: "saw a picture with the reference", DOWNLOADED: "downloaded the reference"}
ARCHIVES_SHOWN = 5
SUBJECT = TestSet._meta.label_lower  # noqa: SLF001 (Django's public way to name a model)


@dataclass(frozen=True)
class Version:
    """A sealed version with the log entry of its sealing."""

    test_set: TestSet
    cases: int
    decoys: int
    runs: int
    sealed_by: User | None
    reason: str


@dataclass(frozen=True)
class Access:
    """One look at a hidden reference."""

    time: datetime
    who: User | None
    act: str
    version: int
    case: str

    @property
    def words(self) -> str:
        return WORDS[self.act]


def versions_of(phase: Phase) -> list[Version]:
    """All versions of a phase's test set, the newest first; in three queries, however many there are."""
    rows = TestSet.objects.filter(phase=phase, sealed_at__isnull=False).order_by("-version")
    rows = rows.select_related("change_request__registration")
    decoys = _number(TestCase, is_decoy=True)
    counted = list(rows.annotate(cases_total=_number(TestCase), decoys_total=decoys))
    ids = [str(row.pk) for row in counted]
    entries = Entry.objects.filter(subject_type=SUBJECT, subject_id__in=ids, act=SEALED).select_related("actor")
    sealings = {entry.subject_id: entry for entry in entries}
    runs = hooks.runs_by_version([row.pk for row in counted])
    versions = []
    for row in counted:
        entry = sealings.get(str(row.pk))
        versions.append(
            Version(
                test_set=row,
                cases=row.cases_total,
                decoys=row.decoys_total,
                runs=runs[row.pk],
                sealed_by=entry.actor if entry else None,
                reason=entry.facts.get("reason", "") if entry else "",
            )
        )
    return versions


def access_log(phase: Phase) -> QuerySet[Entry]:
    """Every look at a hidden reference of a phase, the latest first."""
    ids = [str(pk) for pk in TestSet.objects.filter(phase=phase).values_list("pk", flat=True)]
    rows = Entry.objects.filter(subject_type=SUBJECT, subject_id__in=ids, act__in=WORDS)
    return rows.select_related("actor").order_by("-sequence")


def as_access(entry: Entry) -> Access:
    """An entry of the log as pages show it."""
    facts: dict[str, Any] = entry.facts
    return Access(entry.time, entry.actor, entry.act, facts["version"], facts["case"])


ACCESS_COLUMNS = ("time", "who", "act", "version", "case")


def access_rows(entries: QuerySet[Entry]) -> Iterator[tuple[Any, ...]]:
    """Lines of the log of looks."""
    looks = (as_access(row) for row in entries.iterator())
    return ((look.time, look.who.username if look.who else "", look.act, look.version, look.case) for look in looks)


def last_archives(phase: Phase) -> QuerySet[TestSetArchive]:
    """The last archives that were sent, the newest first."""
    rows = TestSetArchive.objects.filter(phase=phase).select_related("user", "confirmed_by", "test_set")
    return rows.order_by("-created_at")[:ARCHIVES_SHOWN]


def named_organizers(challenge: Challenge) -> list[Organizer]:
    """Those who may download hidden references."""
    rows = Organizer.objects.filter(challenge=challenge, role__in=Organizer.TRUSTED).select_related("user")
    return list(rows.order_by("user__username"))


def _number(model: type[TestCase], **only: object) -> Coalesce:
    """Count in a separate subquery: joined to each other, cases and decoys would multiply."""
    rows = (
        model.objects.filter(test_set=OuterRef("pk"), **only).order_by().values("test_set").annotate(total=Count("pk"))
    )
    return Coalesce(Subquery(rows.values("total"), output_field=IntegerField()), 0)
