"""Parts of uploads in the object store: addresses that senders may use, and what has arrived there.

Senders get an address for one part of one upload: its length and its SHA-256 are signed with it, so that the store refuses
any other content, and it can be used for nothing else. Once an upload has been put together, or ended, its parts can no
longer be written.
"""

import posixpath
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings

ADDRESS_SECONDS = 600
"""Seconds for which the address of a part is valid; a transfer that started in time may end later."""
CHECKSUM_HEADER = "x-amz-checksum-sha256"
_MAKING = threading.Lock()
_GONE = ("NoSuchUpload",)
_ABSENT = ("404", "NoSuchKey", "NotFound")
_DAMAGED = ("InvalidPart", "InvalidPartOrder", "BadDigest", "EntityTooSmall", "InvalidRequest")


class StoreAwayError(Exception):
    """The object store does not answer, or not as it should; worth trying again later."""


class DamagedPartsError(Exception):
    """Error if the store does not join the parts because they do not match their description."""


@dataclass(frozen=True)
class Part:
    """A part that has arrived, with its digest as base64 if the store reports it."""

    number: int
    size: int
    tag: str
    sha256: str | None


@dataclass(frozen=True)
class Whole:
    """A complete object; `checksum` covers the digests of its parts, if the store reports it."""

    size: int
    checksum: str | None


def is_offered() -> bool:
    """Return whether senders may access the object store directly."""
    return bool(settings.PODIUM_S3_DIRECT) and "bucket_name" in _options()


def begin(name: str) -> str:
    """Begin an object in parts; returns the store's id of that."""
    with _asking():
        answer = _inside().create_multipart_upload(
            **_place(name), ContentType="application/octet-stream", ChecksumAlgorithm="SHA256"
        )
    return str(answer["UploadId"])


def address_of_part(name: str, store_id: str, *, number: int, size: int, sha256: str) -> str:
    """Return an address to which exactly this part can be sent, for a short time.

    Parameters
    ----------
    name, store_id
        The object and the store's id of its upload.
    number, size, sha256
        The part: number counted from 1, size in bytes, and digest as base64. The header `CHECKSUM_HEADER`
        must contain the digest too.
    """
    part = {"UploadId": store_id, "PartNumber": number, "ContentLength": size, "ChecksumSHA256": sha256}
    return str(_outside().generate_presigned_url("upload_part", Params=_place(name) | part, ExpiresIn=ADDRESS_SECONDS))


def address_of_object(name: str, *, seconds: int, file_name: str) -> str:
    """Return where an object can be read, whole or in ranges, for `seconds`; saved under `file_name`."""
    parameters = {"ResponseContentDisposition": f'attachment; filename="{file_name}"'}
    return str(_outside().generate_presigned_url("get_object", Params=_place(name) | parameters, ExpiresIn=seconds))


def origin() -> str:
    """Scheme, host and port that browsers send parts to."""
    parts = urlsplit(address_of_part("any", "any", number=1, size=1, sha256="any"))
    return f"{parts.scheme}://{parts.netloc}"


def parts(name: str, store_id: str) -> list[Part] | None:
    """Return what has arrived, by number; none when the upload has ended or has been put together."""
    try:
        with _asking():
            pages = _inside().get_paginator("list_parts").paginate(**_place(name), UploadId=store_id)
            part_entries = [part for page in pages for part in page.get("Parts", [])]
    except _RefusedError as refused:
        if refused.code in _GONE:
            return None
        raise StoreAwayError from refused
    return [Part(part["PartNumber"], part["Size"], part["ETag"], part.get("ChecksumSHA256")) for part in part_entries]


def put_together(name: str, store_id: str, stored_parts: Sequence[Part], digests: Sequence[str]) -> None:
    """Make the object from its parts; it is no error if another request has just done it.

    Raises
    ------
    DamagedPartsError
        When the content in the store does not match these digests.
    """
    listed = [
        {"PartNumber": part.number, "ETag": part.tag, "ChecksumSHA256": digest}
        for part, digest in zip(stored_parts, digests, strict=True)
    ]
    try:
        with _asking():
            _inside(patient=True).complete_multipart_upload(
                **_place(name), UploadId=store_id, MultipartUpload={"Parts": listed}
            )
    except _RefusedError as refused:
        if refused.code in _DAMAGED:
            raise DamagedPartsError(refused.code) from refused
        if refused.code not in _GONE:
            raise StoreAwayError from refused


def whole(name: str) -> Whole | None:
    """Return what is there under a name."""
    try:
        with _asking():
            answer = _inside().head_object(**_place(name), ChecksumMode="ENABLED")
    except _RefusedError as refused:
        if refused.code in _ABSENT:
            return None
        raise StoreAwayError from refused
    return Whole(answer["ContentLength"], answer.get("ChecksumSHA256"))


def throw_away(name: str, store_id: str) -> None:
    """End an upload and delete its parts, and the object if it has become one."""
    upload_ids = [store_id] if store_id else _unknown(name)
    for entry in upload_ids:
        try:
            with _asking():
                _inside().abort_multipart_upload(**_place(name), UploadId=entry)
        except _RefusedError as refused:
            if refused.code not in _GONE:
                raise StoreAwayError from refused
    try:
        with _asking():
            _inside().delete_object(**_place(name))
    except _RefusedError as refused:
        raise StoreAwayError from refused


def _unknown(name: str) -> list[str]:
    """Ids of uploads that were begun at the store when the process that began them died."""
    bucket_and_key = _place(name)
    try:
        with _asking():
            answer = _inside().list_multipart_uploads(Bucket=bucket_and_key["Bucket"], Prefix=bucket_and_key["Key"])
    except _RefusedError as refused:
        raise StoreAwayError from refused
    return [entry["UploadId"] for entry in answer.get("Uploads", []) if entry["Key"] == bucket_and_key["Key"]]


class _RefusedError(StoreAwayError):
    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@contextmanager
def _asking() -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        raise _RefusedError(str(error.response.get("Error", {}).get("Code", ""))) from error
    except BotoCoreError as error:
        raise StoreAwayError(type(error).__name__) from error


def _options() -> dict[str, Any]:
    storage: Any = settings.STORAGES["private"]
    options: dict[str, Any] = storage.get("OPTIONS", {})
    return options


def _place(name: str) -> dict[str, str]:
    options = _options()
    return {"Bucket": options["bucket_name"], "Key": posixpath.join(options.get("location", ""), name)}


def _inside(*, patient: bool = False) -> Any:
    return _client(_options().get("endpoint_url"), *_access(), patient=patient)


def _outside() -> Any:
    """The client that signs for senders, who may reach the store at another address than the platform."""
    return _client(settings.PODIUM_S3_PUBLIC_ENDPOINT or _options().get("endpoint_url"), *_access())


def _access() -> tuple[str | None, ...]:
    options = _options()
    return tuple(options.get(name) for name in ("region_name", "access_key", "secret_key"))


@lru_cache(maxsize=8)
def _client(
    endpoint: str | None,
    region: str | None,
    access_key: str | None,
    secret_key: str | None,
    *,
    patient: bool = False,
) -> Any:
    # Check sums are ours to ask for; by itself the library would sign others into the addresses.
    config = Config(
        signature_version="s3v4",
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        connect_timeout=5,
        # Putting many parts together takes minutes; asked again meanwhile, a store knows neither upload nor object.
        read_timeout=300 if patient else 60,
        retries={"total_max_attempts": 1 if patient else 3, "mode": "standard"},
    )
    with _MAKING:
        return _session().client(
            "s3",
            endpoint_url=endpoint,
            region_name=region,
            aws_access_key_id=access_key,
            aws_secret_access_key=secret_key,
            config=config,
        )


@lru_cache(maxsize=1)
def _session() -> Any:
    """Return the cached session that reads the description of S3.

    Only one thread may create a client from it at a time.
    """
    return boto3.session.Session()
