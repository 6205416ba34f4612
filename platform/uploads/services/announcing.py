"""What is announced and has not arrived: bounded by team and person, and never in the way of others.

Announcing costs nothing, so it earns next to nothing: of the disk, an upload keeps a small head start free for itself, and as
much more as has arrived of it. What turns out not to fit stops where it is and goes on when there is room again
(`receiving.receive`).
"""

from typing import Any

from django.db.models import BigIntegerField, F, QuerySet, Sum, Value
from django.db.models.functions import Greatest, Least
from django.utils import timezone

from accounts.models import User
from confinement.limits import MIB
from uploads.limits import upload_limits
from uploads.models.incoming import Incoming
from uploads.services.refusals import NoRoomError, QuotaExceededError
from uploads.storage import free_bytes

HEAD_START = 16 * MIB
"""Bytes for which room is kept before the first of them has arrived."""


def check_room(size: int, *, passes_here: bool = True) -> None:
    """Refuse an upload for which there is no room.

    Parameters
    ----------
    size
        Its bytes.
    passes_here
        Whether they arrive on this machine's disk; those sent to the object store come here once, to be read.

    Raises
    ------
    NoRoomError
        Where the whole of it would not fit, or not even its beginning beside those under way.
    """
    room = free_bytes() - upload_limits().reserve_bytes
    others = sum(_kept_free(kind.arriving_here()) for kind in _kinds()) if passes_here else 0
    if size > room or min(size, HEAD_START) > room - others:
        raise NoRoomError("There is no room for this upload at the moment. Nothing is lost; try again later.")


def check_announced(size: int, *, user: User, whose: str, rows: "QuerySet[Any]") -> None:
    """Refuse an upload of somebody who has announced much that has not arrived; the caller holds locks on both.

    Parameters
    ----------
    size
        Bytes of the upload.
    user
        Who announces.
    whose, rows
        Words for whom it is announced, with their verb, and all uploads of theirs.

    Raises
    ------
    QuotaExceededError
        A single upload is never refused by this bound.
    """
    kinds: list[Any] = list(_kinds())  # each names its sender `user`
    by_person = sum(_outstanding(kind._default_manager.filter(user=user)) for kind in kinds)  # noqa: SLF001 (Django's)
    most = upload_limits().announced_bytes
    for announcer, before in ((whose, _outstanding(rows)), ("You yourself have", by_person)):
        if before and before + size > most:
            raise QuotaExceededError(
                f"{announcer} unfinished uploads of which {before:,} bytes have not arrived. With the {size:,} bytes of this "
                f"one there would be more than the {most:,} that may be outstanding. Finish or cancel one of them first."
            )


def _kinds() -> list[type[Incoming]]:
    """Return every kind of upload that there is, of this app and of those above it."""
    return Incoming.__subclasses__()


def _under_way(rows: "QuerySet[Any]") -> "QuerySet[Any]":
    return rows.filter(state=Incoming.State.RECEIVING, expires_at__gt=timezone.now())


def _outstanding(rows: "QuerySet[Any]") -> int:
    return _under_way(rows).aggregate(bytes=Sum(F("size") - F("offset")))["bytes"] or 0


def _kept_free(rows: "QuerySet[Any]") -> int:
    """Bytes that uploads under way still need, as far as they have earned them."""
    whole = BigIntegerField()
    earned = Greatest(F("offset"), Value(HEAD_START), output_field=whole)
    needed = Least(F("size") - F("offset"), earned, output_field=whole)
    return _under_way(rows).aggregate(bytes=Sum(needed))["bytes"] or 0
