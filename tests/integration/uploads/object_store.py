"""An object store in a server of the tests' own: moto, or the one that `PODIUM_TEST_S3` names.

Moto keeps what it is given and verifies neither signatures nor digests. A server that does (LocalStack, MinIO) can be
named as `PODIUM_TEST_S3=http://127.0.0.1:4566` with the keys `test` and `test`; the tests then ask for refusals, too.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import boto3
import pytest

from tests.integration.submissions.world import World

NAMED = os.environ.get("PODIUM_TEST_S3", "")
IS_STRICT = bool(NAMED)
KEY = "test"
PART = 5 * 1024**2


@contextmanager
def serving() -> Iterator[str]:
    """Address of the server, as long as it is needed."""
    if NAMED:
        yield NAMED
        return
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def client(address: str):
    """Return a client that inspects the store without the platform."""
    return boto3.session.Session().client(
        "s3", endpoint_url=address, region_name="us-east-1", aws_access_key_id=KEY, aws_secret_access_key=KEY
    )


def storage(address: str, bucket: str) -> dict:
    """The private storage, as the settings would have it."""
    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": bucket,
            "endpoint_url": address,
            "access_key": KEY,
            "secret_key": KEY,
            "region_name": "us-east-1",
            "default_acl": "private",
            "file_overwrite": True,
        },
    }


@pytest.fixture(scope="module")
def store():
    """A look into the store behind the platform's back."""
    with serving() as address:
        yield client(address)


@pytest.fixture
def bucket(store, world: World, private_files, settings):
    """A private storage in the object store, with what the world has stored so far, and direct uploads."""
    name = f"podium-{secrets.token_hex(6)}"
    store.create_bucket(Bucket=name)
    kept = storage(store.meta.endpoint_url, name)
    settings.STORAGES = settings.STORAGES | {"default": kept, "private": kept}
    settings.PODIUM_S3_DIRECT = True
    settings.PODIUM_UPLOAD_CHUNK_BYTES = PART
    return name


@pytest.fixture
def stored(bucket, store, private_files):
    """The references of the world, where workers read them now."""
    folder = private_files / "storage"
    for path in filter(Path.is_file, folder.rglob("*")):
        store.put_object(Bucket=bucket, Key=str(path.relative_to(folder)), Body=path.read_bytes())
