"""Findings before sealing: stored with the reading of an archive, and accepted by owners with an answer."""

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from core.audit.services import record
from datastore.test_sets import vault
from datastore.test_sets.models import SanityFinding, TestSetArchive
from datastore.test_sets.services.replacing import TestSetError
from datastore.test_sets.services.sanity import Checked

ACCEPTED = "test_set_finding_accepted"
NAMED = 50
"""Cases that an entry of the audit log names."""


def keep_pictures(archive: TestSetArchive, checked: Checked) -> dict[str, str]:
    """Store the pictures encrypted; return their names by case."""
    names = {}
    for number, (case, picture) in enumerate(checked.pictures.items()):
        names[case] = f"test-sets/{archive.pk}/finding-{number}.png{vault.SUFFIX}"
        vault.keep_bytes(names[case], picture)
    return names


def store(archive: TestSetArchive, checked: Checked, pictures: dict[str, str]) -> None:
    """Store the findings of a reading, instead of those of an earlier attempt."""
    SanityFinding.objects.filter(archive=archive).delete()
    SanityFinding.objects.bulk_create(
        SanityFinding(
            archive=archive,
            position=position,
            check_id=finding.id,
            case=finding.case[:150],
            region=finding.region[:60],
            value=finding.value,
            others=list(finding.others),
            picture=pictures.get(finding.case, ""),
        )
        for position, finding in enumerate(checked.findings, start=1)
    )


@transaction.atomic
def accept(
    *,
    actor: User,
    archive: TestSetArchive,
    answer: str = "",
    finding: int | None = None,
    check_id: str = "",
) -> int:
    """Accept one finding, or all open findings of one check; return their number.

    Parameters
    ----------
    answer
        Why the finding is correct. It is required for all findings of a check together.
    finding
        Key of the finding.
    check_id
        Id of the check, if no single finding is given; empty for all checks.

    Raises
    ------
    TestSetError
        If nothing is open, the archive is decided, or the answer for several findings is missing.
    """
    archive = (
        TestSetArchive.objects.select_for_update(of=("self",), no_key=True)
        .select_related("phase__task")
        .get(pk=archive.pk)
    )
    if not archive.is_read:
        raise TestSetError("This archive is decided. Its findings cannot be answered any more.")
    rows = SanityFinding.objects.filter(archive=archive, answered_at=None)
    if finding is not None:
        rows = rows.filter(pk=finding)
    elif check_id:
        rows = rows.filter(check_id=check_id)
    open_findings = list(rows.order_by("position"))
    if not open_findings:
        raise TestSetError("This finding is accepted already, or does not exist.")
    text = answer.strip()[:1000]
    if finding is None and not text:
        raise TestSetError("Write an answer that applies to all of these findings.")
    rows.update(answer=text, answered_at=timezone.now(), answered_by=actor)
    record(
        actor=actor,
        act=ACCEPTED,
        subject=archive,
        scope=archive.phase.challenge.slug,
        facts={
            "phase": archive.phase.slug,
            "checks": sorted({entry.check_id for entry in open_findings}),
            "cases": list(dict.fromkeys(entry.case for entry in open_findings))[:NAMED],
            "findings": len(open_findings),
            **({"answer": text} if text else {}),
        },
    )
    return len(open_findings)
