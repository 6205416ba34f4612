"""Recomputing the chain of the audit log and every digest that is stored, and telling what does not hold."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from core.audit.models import Entry, Head
from core.audit.services import GENESIS, broken_links
from core.audit.services import record as record_entry
from core.audit.services.proving import prove
from registry import hooks
from registry.domain.public_documents import proves, withheld
from registry.hooks import Ledger, Row
from registry.models import Disclosure, RegistrationVersion, Timestamp, Verification, VersionFile
from registry.services.files import content_of

KEPT_FOR = timedelta(days=400)
EVERY = timedelta(hours=24)
CHAIN = "entries of the audit log"
SEALED = "sealed rows"


def verify(*, asked_by: User | None = None, records: bool = False) -> Verification:
    """Recompute everything and store what was found.

    Parameters
    ----------
    records
        Also compare every sealed row with the chain of sealings (`core.audit.services.proving`).
    """
    started = timezone.now()
    counts: dict[str, int] = {}
    problems: list[str] = []
    # Nobody waits for this: the end of the chain is read first, then the rows, then what the log says of them. A row
    # that is added meanwhile has its entry, and only entries up to that end have to have their rows.
    head = Head.objects.filter(pk=1).first()
    end = head.sequence if head else 0
    counts[CHAIN] = end
    problems += [f"The chain of the audit log does not hold at entry {number}." for number in broken_links()]
    problems += _ledger_problems(end, counts)
    if records:
        # The library of signatures is loaded by the process that verifies, never by one that serves pages.
        from registry.services.timestamps import timestamp_problems

        proof = prove()
        counts[SEALED] = proof.rows
        problems += [*proof.problems, *timestamp_problems()]
    with transaction.atomic():
        verification = Verification.objects.create(
            started_at=started,
            asked_by=asked_by,
            head_sequence=end,
            head_digest=head.digest if head else GENESIS,
            counts=counts,
            problems=problems,
        )
        Verification.objects.filter(finished_at__lt=timezone.now() - KEPT_FOR, problems=[]).delete()
        if problems:
            # What was found is itself put where it cannot be taken back.
            record_entry(
                actor=asked_by, act="registry_verification_failed", subject=verification, facts={"problems": problems}
            )
    return verification


def ledger_problems() -> list[str]:
    """Recompute every stored digest, and compare it with the row and with its entry; stores nothing."""
    head = Head.objects.filter(pk=1).first()
    return _ledger_problems(head.sequence if head else 0, {})


def _ledger_problems(end: int, counts: dict[str, int]) -> list[str]:
    problems: list[str] = []
    for ledger in (*_own(), *hooks.ledgers):
        row_count, faults = _check(ledger, end)
        counts[ledger.kind] = counts.get(ledger.kind, 0) + row_count
        problems += faults
    return [*problems, *_successions()]


def is_due() -> bool:
    """Return whether a verification is due: the last one is at least a day old, or none exists."""
    return not Verification.objects.filter(finished_at__gt=timezone.now() - EVERY).exists()


def _own() -> tuple[Ledger, ...]:
    return (
        Ledger(
            kind="registered versions",
            model="registry.registrationversion",
            act="registration_version_added",
            fact="digest",
            rows=_versions,
        ),
        Ledger(
            kind="opened values",
            model="registry.disclosure",
            act="embargoed_value_opened",
            fact="digest",
            rows=_disclosures,
        ),
        Ledger(
            kind="files of versions",
            model="registry.versionfile",
            act="registration_file_stored",
            fact="digest",
            rows=_files,
        ),
        Ledger(
            kind="timestamps of a third party",
            model="registry.timestamp",
            act="timestamp_obtained",
            fact="digest",
            rows=_timestamps,
        ),
    )


def _versions() -> Iterator[Row]:
    for version in RegistrationVersion.objects.select_related("registration").order_by("pk").iterator():
        recomputed = hashlib.sha256(version.canonical.encode()).hexdigest()
        yield Row(str(version.pk), f"{version}", version.digest, recomputed)


def _disclosures() -> Iterator[Row]:
    for opened in Disclosure.objects.select_related("version__registration").order_by("pk").iterator():
        _, digest = withheld(opened.version.document).get(opened.place, ("", ""))
        holds = proves({"value": opened.value, "nonce": opened.nonce}, digest)
        yield Row(str(opened.pk), f"{opened}", digest, digest if holds else "")


def _files() -> Iterator[Row]:
    for stored in VersionFile.objects.select_related("version__registration").order_by("pk").iterator():
        try:
            recomputed = hashlib.sha256(content_of(stored)).hexdigest()
        except OSError:
            recomputed = ""
        yield Row(str(stored.pk), f"{stored}", stored.digest, recomputed)


def _timestamps() -> Iterator[Row]:
    for row in Timestamp.objects.order_by("pk").iterator(100):
        digest = hashlib.sha256(bytes(row.response)).hexdigest()
        yield Row(str(row.pk), f"Timestamp {row.pk}", digest, digest)


def _check(ledger: Ledger, end: int) -> tuple[int, list[str]]:
    """Compare rows, their recomputed digests and the digests in the audit log.

    Returns the number of rows and the problems. `end` is the last entry of the log before the check.
    """
    rows = list(ledger.rows())
    logged: dict[str, list[str]] = defaultdict(list)
    had_to_be_there: dict[str, str] = {}
    entries = Entry.objects.filter(act=ledger.act, subject_type=ledger.model).order_by("sequence")
    for sequence, subject, facts in entries.values_list("sequence", "subject_id", "facts").iterator():
        key = f"{subject}/{facts.get(ledger.part)}" if ledger.part else subject
        logged[key].append(str(facts.get(ledger.fact, "")))
        if sequence <= end:
            had_to_be_there[key] = logged[key][-1]
    seen, problems = {row.subject for row in rows}, []
    for row in rows:
        if row.recomputed != row.stored:
            problems.append(f"{row.label}: what is stored does not have the digest {_short(row.stored)}.")
        if row.subject not in logged:
            problems.append(f"{row.label}: the audit log does not know it.")
        elif row.stored not in logged[row.subject]:
            problems.append(f"{row.label}: the audit log has another digest, {_short(logged[row.subject][-1])}.")
    if ledger.is_kept:
        problems += [
            f"{ledger.kind.capitalize()}: number {subject} is gone; the audit log has {_short(digest)}."
            for subject, digest in had_to_be_there.items()
            if subject not in seen
        ]
    return len(seen), problems


def _successions() -> Iterable[str]:
    """Versions follow one another without a gap, each entry naming the digest of the one before."""
    entries = Entry.objects.filter(act="registration_version_added").order_by("sequence")
    rows = RegistrationVersion.objects.select_related("registration", "previous").defer("canonical", "sealed")
    versions = list(rows)
    facts_by_version = dict(entries.values_list("subject_id", "facts"))
    for version in versions:
        facts = facts_by_version.get(str(version.pk))
        before = version.previous.digest if version.previous else ""
        if facts is not None and facts.get("previous") != before:
            yield f"{version}: the version before it is not the one that it was made from."
        if facts is not None and facts.get("version") != version.number:
            yield f"{version}: it was registered as version {facts.get('version')}."
        if facts is not None and facts.get("registration") != version.registration.identifier:
            yield f"{version}: it was registered as {facts.get('registration')}."


def _short(digest: str) -> str:
    return f"{digest[:12]}…" if digest else "none"
