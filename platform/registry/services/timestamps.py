"""Third-party timestamps of the ends of the audit chains: a rewritten history no longer matches them.

A database administrator can recompute both chains after a change. The administrator cannot compute the signature of a
timestamp authority on the old end for a time that has passed.
"""

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import structlog
from cryptography import x509
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from rfc3161_client import (
    TimestampRequestBuilder,
    TimeStampResponse,
    VerificationError,
    VerifierBuilder,
    decode_timestamp_response,
)

from core.audit.models import Entry, Head, Sealing, SealingHead
from core.audit.services import GENESIS, record
from registry.domain.certificate_order import sorted_certificates
from registry.models import Timestamp
from web.outbound import RefusedError, post

log = structlog.get_logger(__name__)
EVERY = timedelta(hours=24)
MOST_BYTES = 64 * 1024


class TimestampError(Exception):
    """A timestamp that was not obtained, and why."""


def is_due() -> bool:
    """Return whether an authority is set and its last timestamp is a day old."""
    if not settings.PODIUM_TIMESTAMP_URL:
        return False
    return not Timestamp.objects.filter(created_at__gt=timezone.now() - EVERY).exists()


def stamp() -> Timestamp:
    """Have the authority sign the present ends of both chains, verify its response, and store it.

    Raises
    ------
    TimestampError
        Without an address or a certificate, and for a response that is missing or not valid.
    """
    if not settings.PODIUM_TIMESTAMP_URL:
        raise TimestampError("PODIUM_TIMESTAMP_URL is not set. Set it to the address of a timestamp authority.")
    roots = certificates()
    row = _ends()
    request = TimestampRequestBuilder().data(message_of(row)).build()
    try:
        row.response = post(
            settings.PODIUM_TIMESTAMP_URL,
            request.as_bytes(),
            kind="application/timestamp-query",
            most_bytes=MOST_BYTES,
            allow_private=settings.PODIUM_TIMESTAMP_PRIVATE,
        )
        response = _checked(row, roots, nonce=request.nonce)
    except (RefusedError, ValueError, VerificationError) as error:
        raise TimestampError(f"{settings.PODIUM_TIMESTAMP_URL} gave no valid timestamp: {error}.") from error
    row.time = response.tst_info.gen_time
    with transaction.atomic():
        row.save(force_insert=True)
        # The entry remains in the chain: a timestamp that is deleted later is missed.
        facts = {"digest": digest_of(row), "time": row.time.isoformat(), "authority": row.authority}
        record(actor=None, act="timestamp_obtained", subject=row, facts=facts)
    log.info("audit_stamped", entry=row.entry_sequence, sealing=row.sealing_sequence, time=row.time.isoformat())
    return row


def digest_of(row: Timestamp) -> str:
    """Return the SHA-256 of the signed response."""
    return hashlib.sha256(bytes(row.response)).hexdigest()


def message_of(row: Timestamp) -> bytes:
    """Return what the authority signs: the number and digest of the last row of each chain."""
    return (
        f"podium audit\n{row.entry_sequence} {row.entry_digest}\n{row.sealing_sequence} {row.sealing_digest}\n".encode()
    )


def certificates() -> list[x509.Certificate]:
    """Read the root certificates of the authority.

    Raises
    ------
    TimestampError
        Where the file is not set or cannot be read.
    """
    if not settings.PODIUM_TIMESTAMP_CA:
        raise TimestampError(
            "PODIUM_TIMESTAMP_CA is not set. Set it to a PEM file with the authority's root certificate."
        )
    try:
        return x509.load_pem_x509_certificates(Path(settings.PODIUM_TIMESTAMP_CA).read_bytes())
    except (OSError, ValueError) as error:
        raise TimestampError(f"PODIUM_TIMESTAMP_CA cannot be read: {error}.") from error


def timestamp_problems() -> list[str]:
    """Return the mismatches between stored timestamps, their signatures and the chains.

    The check makes no network requests.
    """
    rows = Timestamp.objects.order_by("pk")
    if not rows.exists():
        return []
    try:
        roots = certificates()
    except TimestampError as error:
        return [f"{rows.count()} timestamps cannot be verified: {error}"]
    return [problem for row in rows.iterator(100) for problem in _problems(row, roots)]


def _problems(row: Timestamp, roots: list[x509.Certificate]) -> Iterator[str]:
    try:
        response = _checked(row, roots)
    except (ValueError, VerificationError) as error:
        yield f"Timestamp {row.pk} ({row}) is not valid: {error}."
        return
    if response.tst_info.gen_time != row.time:
        yield f"Timestamp {row.pk} ({row}): the authority signed {response.tst_info.gen_time.isoformat()}."
    ends = (
        ("entry", "audit log", row.entry_sequence, row.entry_digest, Entry.objects),
        ("sealing", "chain of sealings", row.sealing_sequence, row.sealing_digest, Sealing.objects),
    )
    for name, chain, sequence, digest, rows in ends:
        present = rows.filter(sequence=sequence).values_list("digest", flat=True).first()
        if sequence and present != digest:
            yield (
                f"The {chain} was rewritten after {row.time.isoformat()}: {name} {sequence} had the digest {digest} then, "
                f"as {row.authority} signed, and {'has ' + present if present else 'is missing'} now."
            )


def _checked(row: Timestamp, roots: list[x509.Certificate], *, nonce: int | None = None) -> TimeStampResponse:
    response = decode_timestamp_response(sorted_certificates(bytes(row.response)))
    builder = VerifierBuilder(roots=list(roots), nonce=nonce)
    builder.build().verify_message(response, message_of(row))
    return response


def _ends() -> Timestamp:
    entries, sealings = Head.objects.filter(pk=1).first(), SealingHead.objects.filter(pk=1).first()
    return Timestamp(
        authority=settings.PODIUM_TIMESTAMP_URL[:300],
        entry_sequence=entries.sequence if entries else 0,
        entry_digest=entries.digest if entries else GENESIS,
        sealing_sequence=sealings.sequence if sealings else 0,
        sealing_digest=sealings.digest if sealings else GENESIS,
    )
