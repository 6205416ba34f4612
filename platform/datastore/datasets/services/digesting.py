"""Computation of the checksum of a hosted file: a worker reads it once, from any storage."""

import contextlib
import hashlib
import traceback

import structlog

from core.work.services import Lease, LeaseLostError, claim
from datastore.datasets.models import DatasetFile
from datastore.datasets.queries.work import DIGESTING
from datastore.uploads.storage import BLOCK, open_stored

log = structlog.get_logger(__name__)


def digest_file(*, file_id: int) -> None:
    """Compute the SHA-256 and the size of a file, unless this is done or in progress elsewhere."""
    lease = claim(DIGESTING, file_id, give_up=_give_up)
    if lease is None:
        return
    file = DatasetFile.objects.get(pk=file_id)
    digest, size = hashlib.sha256(), 0
    try:
        with contextlib.closing(open_stored(file.stored)) as stream:
            while block := stream.read(BLOCK):
                digest.update(block)
                size += len(block)
                lease.beat()
        lease.complete(state=DatasetFile.State.READY, sha256=digest.hexdigest(), size=size, failure="")
    except LeaseLostError:
        return
    except Exception:
        log.exception("data_file_error", file=file.pk, attempt=lease.attempts)
        if lease.may_try_again:
            lease.hand_back(failure=traceback.format_exc())
        else:
            _give_up(lease)


def _give_up(lease: Lease) -> None:
    lease.complete(state=DatasetFile.State.FAILED, failure="The file could not be read. Remove it and upload it again.")
