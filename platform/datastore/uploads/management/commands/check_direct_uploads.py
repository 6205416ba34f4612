"""Try with the real object store what direct uploads rely on."""

import base64
import hashlib
import secrets
from argparse import ArgumentParser
from typing import Any
from urllib.parse import urlsplit

import requests
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from datastore.uploads import object_store
from datastore.uploads.object_store import CHECKSUM_HEADER, DamagedPartsError, StoreAwayError

TIMEOUT = (5, 30)


class Command(BaseCommand):
    """Begin an upload, send to it what has to be taken and what has to be refused, ask for CORS as a browser would."""

    help = (
        "Tries whether the object store keeps the promises that direct uploads rely on, and whether browsers may send."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--origin", default="", help="origin of the site's pages (PODIUM_ADDRESS unless given)")

    def handle(self, **options: Any) -> None:
        if not object_store.is_offered():
            raise CommandError("Direct uploads are off: set PODIUM_S3_BUCKET and PODIUM_S3_DIRECT.")
        origin = urlsplit(options["origin"] or settings.PODIUM_ADDRESS)
        name = f"incoming/check-{secrets.token_hex(8)}"
        store_id = ""
        try:
            store_id = object_store.begin(name)
            faults = list(_faults(name, store_id, f"{origin.scheme}://{origin.netloc}"))
        except (StoreAwayError, requests.RequestException) as error:
            raise CommandError(f"The object store does not answer as it should: {error}") from error
        finally:
            object_store.throw_away(name, store_id)
        for fault in faults:
            self.stderr.write(self.style.ERROR(fault))
        if faults:
            raise CommandError("Direct uploads do not work safely with this object store as it is set up.")
        self.stdout.write(f"Direct uploads to {object_store.origin()} work, also from pages of {origin.netloc}.")


def _faults(name: str, store_id: str, origin: str) -> Any:
    """Yield what the store does otherwise than it has to."""
    content, other = b"right", b"wrong"
    digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
    headers = {CHECKSUM_HEADER: digest}
    url = object_store.address_of_part(name, store_id, number=1, size=len(content), sha256=digest)

    def put(body: bytes, target: str = url) -> int:
        return requests.put(target, data=body, headers=headers, timeout=TIMEOUT).status_code

    if put(other) == 200:
        yield "It takes a part with other content than the signed digest says (x-amz-checksum-sha256)."
    if put(content * 2) == 200:
        yield "It takes a part with another length than was signed."
    if put(content, url.replace("partNumber=1", "partNumber=2")) == 200:
        yield "It takes a part at an address that was changed: signatures are not verified."
    if (status := put(content)) != 200:
        yield f"It does not take a part as signed (status {status}); is PODIUM_S3_PUBLIC_ENDPOINT its address?"
        return
    stored_parts = [part for part in object_store.parts(name, store_id) or [] if part.number == 1]
    if not stored_parts or stored_parts[0].sha256 != digest:
        yield "It does not list the digests of parts; an upload that goes on cannot be compared with its file."
    if requests.get(url.partition("?")[0], timeout=TIMEOUT).status_code == 200:
        yield "Anybody can read the bucket."
    yield from _cors(url, origin)
    try:
        object_store.put_together(name, store_id, stored_parts, [digest] * len(stored_parts))
    except DamagedPartsError as error:
        yield f"It does not put a part together ({error})."
    if put(content) == 200:
        yield "It takes a part after the upload has ended."


def _cors(url: str, origin: str) -> Any:
    asked = {
        "Origin": origin,
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": CHECKSUM_HEADER,
    }
    answer = requests.options(url, headers=asked, timeout=TIMEOUT)
    if answer.status_code >= 300 or answer.headers.get("Access-Control-Allow-Origin") not in (origin, "*"):
        yield f"Browsers may not send to it from {origin}: set the CORS rules of docs/operators/deployment.md."
    elif CHECKSUM_HEADER not in answer.headers.get("Access-Control-Allow-Headers", "").lower():
        yield f"Browsers may not send the header {CHECKSUM_HEADER}: name it in AllowedHeaders of the CORS rules."
