"""Inputs of a leased run: its order, and signed addresses that end with the lease for image, weights and cases."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.core import signing

from core.work.queries import shared_now
from datastore.datasets.domain.ranges import Part
from datastore.uploads.storage import BLOCK, open_part, private
from executions.models import AlgorithmArchive
from executions.runners.models import RunnerRun
from executions.runners.queries import living_runs
from executions.runners.services.claiming import lease_of
from executions.runners.services.refusals import RunnerError
from executions.services.ordering import ordered
from executions.services.running import begun_batch

SALT = "runners.inputs"
ADDRESS_SECONDS = 6 * 3600
"""Longest life of an address; it ends earlier, together with the lease."""
_PART, _CASE, _WEIGHTS = "image", "case", "weights"


@dataclass(frozen=True)
class Input:
    """A file of a run.

    Attributes
    ----------
    key
        Its place in the run.
    size
        Bytes of the stored file.
    """

    key: str
    name: str
    size: int


def described(run: RunnerRun) -> dict[str, Any]:
    """Return what a runner needs to execute a run: the order and its inputs; the number of queries is constant."""
    lease = lease_of(run)
    batch = begun_batch(lease)
    parts = ordered(batch)
    image, model = batch.execution.image, batch.execution.model
    stored = _stored_parts(image)
    return {
        "run": str(run.pk),
        "lease_seconds": lease.longest_silence.total_seconds(),
        "order": parts.order(lease).as_json(),
        "image": {
            "report": image.report,
            "parts": [_shown(run, entry) for entry in stored],
        },
        "weights": None if model is None else _shown(run, _stored_parts(model)[0]),
        "cases": [
            _shown(run, Input(f"{_CASE}/{number}", case.image_file, private().size(case.image_file)))
            | {"case": parts.names[case.name]}
            for number, case in enumerate(parts.cases)
        ],
    }


def _stored_parts(archive: AlgorithmArchive) -> list[Input]:
    kind = _PART if archive.is_image else _WEIGHTS
    parts = archive.parts.select_related("blob").order_by("position")
    return [Input(f"{kind}/{part.position}", part.blob.file, part.blob.stored_bytes) for part in parts]


def _shown(run: RunnerRun, entry: Input) -> dict[str, Any]:
    return {"key": entry.key, "size": entry.size, "token": signing.dumps([str(run.pk), entry.key], salt=SALT)}


def redeem(token: str) -> Input:
    """Return the file for which an address was created.

    Raises
    ------
    RunnerError
        For an address that is not ours, that is too old, or whose run is no longer leased.
    """
    refused = RunnerError(
        "address",
        "This address has ended. Renew the lease of the run, and ask for its inputs again.",
        status=403,
    )
    try:
        pk, key = signing.loads(token, salt=SALT, max_age=ADDRESS_SECONDS)
    except (signing.BadSignature, ValueError):
        raise refused from None
    rows = living_runs().filter(pk=pk, runner__revoked_at=None, runner__expires_at__gt=shared_now())
    run = rows.select_related(
        "batch__execution__image", "batch__execution__model", "batch__execution__test_set"
    ).first()
    if run is None:
        raise refused
    kind, _, number = str(key).partition("/")
    execution = run.batch.execution
    if kind == _CASE:
        name = run.batch.cases[int(number)]
        file = execution.test_set.cases.values_list("image_file", flat=True).get(name=name)
        return Input(key, file, private().size(file))
    archive = execution.image if kind == _PART else execution.model
    entries = [] if archive is None else [entry for entry in _stored_parts(archive) if entry.key == key]
    if not entries:
        raise refused
    return entries[0]


def content(entry: Input, part: Part) -> Iterator[bytes]:
    """Read a part of a file, piece by piece."""
    left = part.length
    with open_part(entry.name, part.start, part.stop) as source:
        while left and (block := source.read(min(BLOCK, left))):
            left -= len(block)
            yield block
