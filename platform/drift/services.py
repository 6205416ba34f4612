"""Acts of the drift check."""

import hashlib

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from audit.services import record
from designs.services.address_answers import RefusedError, read
from drift.domain.comparing import Agreement, compare
from drift.domain.reading import MAX_BYTES, UnreadableError, text_of
from drift.models import DriftCheck
from registry.domain.public_documents import parsed
from registry.models import Deposit, Registration
from registry.queries import current_version

Source = DriftCheck.Source


def check_text(
    *, actor: User, registration: Registration, title: str, text: str, source: str = Source.TEXT, address: str = ""
) -> DriftCheck:
    """Compare a text with the newest registered version, and keep what was found; the text itself is not kept."""
    raw = text
    try:
        text = text_of(raw.encode())
    except UnreadableError as error:
        raise ValidationError({"text": str(error)}) from error
    return _keep(actor, registration, title, text, source, address, raw)


def check_file(*, actor: User, registration: Registration, title: str, name: str, content: bytes) -> DriftCheck:
    """Compare an uploaded PDF, text or saved web page.

    Raises
    ------
    ValidationError
        When no text can be read from it.
    """
    try:
        text = text_of(content, name=name)
    except UnreadableError as error:
        raise ValidationError({"file": str(error)}) from error
    return _keep(actor, registration, title, text, Source.FILE, "", content.decode(errors="ignore"))


def check_address(*, actor: User, registration: Registration, title: str, address: str) -> DriftCheck:
    """Fetch a web page of a public host and compare it, where an administrator allows that.

    Raises
    ------
    ValidationError
        When fetching is off, the address must not be asked or does not answer, or holds no text.
    """
    if not settings.PODIUM_DRIFT_FETCH:
        raise ValidationError(
            {"address": "This platform does not fetch web pages. Paste the text, or upload the page."}
        )
    try:
        page = read(address, most_bytes=MAX_BYTES)
        text = text_of(page.content, kind=page.kind, name=address)
    except (RefusedError, UnreadableError) as error:
        raise ValidationError({"address": f"The page cannot be read: {error}"}) from error
    return _keep(actor, registration, title, text, Source.ADDRESS, address, page.content.decode(errors="ignore"))


@transaction.atomic
def _keep(
    actor: User, registration: Registration, title: str, text: str, source: str, address: str, raw: str
) -> DriftCheck:
    """Compare and store. `raw` is the page as it came: links stand in its markup, not in its text."""
    version = current_version(registration)
    findings = compare(parsed(version.document), text)
    counted = {kind: sum(finding.found is kind for finding in findings) for kind in Agreement}
    check = DriftCheck.objects.create(
        registration=registration,
        version=version,
        title=title.strip()[:200],
        source=source,
        address=address,
        text_digest=hashlib.sha256(text.encode()).hexdigest(),
        characters=len(text),
        findings=[
            {"task": entry.task, "parameter": entry.parameter, "found": str(entry.found), "passage": entry.passage}
            for entry in findings
        ],
        same=counted[Agreement.SAME],
        missing=counted[Agreement.MISSING],
        different=counted[Agreement.DIFFERENT],
        links_record=_names_record(registration, f"{text} {raw}"),
        checked_by=actor,
    )
    record(
        actor=actor,
        act="drift_checked",
        subject=check,
        scope=registration.identifier,
        facts={
            "version": version.number,
            "text_digest": check.text_digest,
            **{str(key): n for key, n in counted.items()},
        },
    )
    return check


def _names_record(registration: Registration, text: str) -> bool:
    deposits = Deposit.objects.filter(version__registration=registration).values_list("doi", "concept_doi")
    names = {registration.identifier, f"/registry/{registration.slug}/", *(doi for pair in deposits for doi in pair)}
    folded_text = text.casefold()
    return any(name.casefold() in folded_text for name in names if name)
