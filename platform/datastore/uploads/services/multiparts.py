"""Uploads whose parts go directly to the object store.

The platform provides addresses and never receives a byte. The sender states the digest of each part
before it gets an address, and the address is valid for that content only. At the end, the sender lists
the digests of all parts. The store joins only parts with exactly these digests, and the platform compares
the size. The SHA-256 of the whole archive is computed by the worker that validates it.
"""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import structlog
from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from confinement.limits import MIB
from datastore.uploads import object_store
from datastore.uploads.models import Multipart, Upload
from datastore.uploads.object_store import DamagedPartsError, Part, StoreAwayError
from datastore.uploads.services.refusals import AwayError, BusyError, ChecksumError, GoneError, OffsetError, UploadError
from datastore.uploads.storage import upload_limits

log = structlog.get_logger(__name__)

LEAST_PART = 5 * MIB
"""No store takes smaller parts, the last one aside."""
MOST_PARTS = 9_000
"""Stores take 10,000."""
AT_ONCE = 16
"""Largest number of addresses in one response."""
JOINING = timedelta(minutes=15)
"""Time for which an upload that is being joined is not considered lost.

Stores take minutes to join many parts. While they do so, they know neither the upload nor the object.
"""


@dataclass(frozen=True)
class Address:
    """An address to which a part can be sent for a short time, with the headers to send."""

    number: int
    url: str
    headers: dict[str, str]


def part_bytes(size: int) -> int:
    """Size of the parts of an upload of `size` bytes: that of pieces, unless there would be too many."""
    least = -(-size // MOST_PARTS)
    return max(settings.PODIUM_UPLOAD_CHUNK_BYTES, LEAST_PART, -(-least // MIB) * MIB)


def announce(*, upload: Upload, name: str) -> None:
    """Note, in the transaction that begins an upload, that the store will hold something of it."""
    Multipart.objects.create(upload=upload, name=name, part_bytes=part_bytes(upload.size))


def begin(*, upload: Upload) -> None:
    """Have the store begin.

    Raises
    ------
    AwayError
        When it does not answer.
    """
    try:
        store_id = object_store.begin(upload.multipart.name)
    except StoreAwayError as error:
        raise _away(error) from error
    Multipart.objects.filter(upload=upload).update(store_id=store_id)
    upload.multipart.store_id = store_id


def arrived(*, multipart: Multipart) -> list[Part]:
    """Return the parts that the store has; none once the upload has ended.

    Raises
    ------
    AwayError
        When the store does not answer.
    """
    try:
        return object_store.parts(multipart.name, multipart.store_id) or []
    except StoreAwayError as error:
        raise _away(error) from error


def addresses(*, upload: Upload, wanted: Sequence[tuple[int, str]]) -> list[Address]:
    """Hand out where parts can be sent, given number and digest (SHA-256, base64) of each.

    Raises
    ------
    UploadError
        For a part that there is not, and for too many at once.
    """
    multipart = upload.multipart
    if not 0 < len(wanted) <= AT_ONCE:
        raise UploadError(f"Ask for 1 to {AT_ONCE} parts at once.")
    for number, digest in wanted:
        if not 1 <= number <= multipart.number_of_parts:
            raise UploadError(f"There is no part {number}: the file has parts 1 to {multipart.number_of_parts}.")
        _raw(digest)
    now = timezone.now()
    Upload.objects.filter(pk=upload.pk, state=Upload.State.RECEIVING).update(
        updated_at=now, expires_at=now + upload_limits().lifetime
    )
    return [
        Address(
            number,
            object_store.address_of_part(
                multipart.name, multipart.store_id, number=number, size=multipart.size_of(number), sha256=digest
            ),
            {object_store.CHECKSUM_HEADER: digest},
        )
        for number, digest in wanted
    ]


def put_together(*, multipart: Multipart, digests: Sequence[str] | None) -> None:
    """Make one object of all parts, once, and see that it is what was announced; doing it again is harmless.

    Parameters
    ----------
    multipart
        The upload.
    digests
        Those of all parts, in order. Without them only what has been put together before is gone on with.

    Raises
    ------
    UploadError
        `OffsetError` for parts that are missing, `ChecksumError` for parts that are not what their sender has,
        `AwayError` when the store does not answer, `BusyError` while it is at it, `GoneError` when there is nothing to
        put together any more.
    """
    try:
        stored_parts = object_store.parts(multipart.name, multipart.store_id)
        if stored_parts is not None:
            if digests is None:
                raise BusyError("Its sender has to end this upload again.")
            _compare(multipart, stored_parts, digests)
            multipart.checksum = _over_all(digests)
            Multipart.objects.filter(pk=multipart.pk).update(checksum=multipart.checksum)
            Upload.objects.filter(pk=multipart.pk).update(updated_at=timezone.now())
            object_store.put_together(multipart.name, multipart.store_id, stored_parts, digests)
        else:
            multipart.refresh_from_db(fields=["checksum"])
        whole = object_store.whole(multipart.name)
    except (OffsetError, ChecksumError):
        Multipart.objects.filter(pk=multipart.pk).update(checksum="")
        raise
    except DamagedPartsError as error:
        Multipart.objects.filter(pk=multipart.pk).update(checksum="")
        raise ChecksumError("The object store has other content than was sent. Cancel, and upload again.") from error
    except StoreAwayError as error:
        raise _away(error) from error
    if whole is None and _is_joining(multipart):
        raise BusyError("The storage is putting the parts together. Ask again in a minute.")
    if whole is None:
        raise _refused(multipart, "The received bytes are no longer there. Please upload the file again.")
    stored_checksum, claimed = ((text or "").partition("-")[0] for text in (whole.checksum, multipart.checksum))
    if whole.size != multipart.upload.size or (stored_checksum and claimed and stored_checksum != claimed):
        raise _refused(multipart, "What arrived is not what was announced. Please upload the file again.")
    Upload.objects.filter(pk=multipart.pk).update(offset=whole.size)


def throw_away(*, multipart: Multipart) -> None:
    """Have the store delete what it holds of an upload that has ended; what cannot be done now, the sweep does."""
    try:
        object_store.throw_away(multipart.name, multipart.store_id)
    except StoreAwayError as error:
        log.warning("store_away", upload=str(multipart.pk), reason=str(error))
        return
    Multipart.objects.filter(pk=multipart.pk).update(is_open=False)


def throw_away_ended() -> int:
    """Do so for all that have ended; returns for how many."""
    going_on = Q(upload__state__in=[Upload.State.RECEIVING, Upload.State.COMPLETE])
    left = list(Multipart.objects.filter(is_open=True).exclude(going_on)[:AT_ONCE])
    for multipart in left:
        throw_away(multipart=multipart)
    return len(left)


def _compare(multipart: Multipart, stored_parts: Sequence[Part], digests: Sequence[str]) -> None:
    by_number = {part.number: part for part in stored_parts}
    numbers = range(1, multipart.number_of_parts + 1)
    if len(digests) != len(numbers):
        raise ChecksumError(f"The file has {len(numbers)} parts, but {len(digests)} digests were named.")
    missing = [number for number in numbers if number not in by_number]
    if missing:
        raise OffsetError(
            f"{len(missing):,} of {len(numbers):,} parts have not arrived yet; the first is {missing[0]}."
        )
    for number, digest in zip(numbers, digests, strict=True):
        part = by_number[number]
        if part.size != multipart.size_of(number) or (part.sha256 and part.sha256 != digest):
            raise ChecksumError(f"Part {number} is not what its sender has; send it again.")


def _is_joining(multipart: Multipart) -> bool:
    """Return whether another request has just made the store begin to join the parts."""
    just = timezone.now() - JOINING
    return Multipart.objects.filter(pk=multipart.pk, upload__updated_at__gt=just).exclude(checksum="").exists()


def _over_all(digests: Sequence[str]) -> str:
    """The check sum that stores keep of an object in parts: over the digests, not over the content."""
    whole = hashlib.sha256(b"".join(_raw(digest) for digest in digests)).digest()
    return f"{base64.b64encode(whole).decode()}-{len(digests)}"


def _raw(digest: str) -> bytes:
    try:
        raw = base64.b64decode(digest, validate=True)
    except ValueError:
        raw = b""
    if len(raw) != hashlib.sha256().digest_size:
        raise UploadError("A digest is a SHA-256 as base64.")
    return raw


def _refused(multipart: Multipart, reason: str) -> GoneError:
    Upload.objects.filter(pk=multipart.pk, state=Upload.State.RECEIVING).update(
        state=Upload.State.REFUSED, refusal=reason
    )
    throw_away(multipart=multipart)
    return GoneError(reason)


def _away(error: StoreAwayError) -> AwayError:
    log.warning("store_away", reason=str(error))
    return AwayError("The storage for uploads does not answer. What has arrived is kept; try again later.")
