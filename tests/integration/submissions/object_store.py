"""An object store in a server of the tests' own: moto, or the one that `PODIUM_TEST_S3` names.

Moto keeps what it is given and verifies neither signatures nor digests. A server that does (LocalStack, MinIO) can be
named as `PODIUM_TEST_S3=http://127.0.0.1:4566` with the keys `test` and `test`; the tests then ask for refusals, too.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import boto3

NAMED = os.environ.get("PODIUM_TEST_S3", "")
IS_STRICT = bool(NAMED)
KEY = "test"


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
    """What looks into the store behind the platform's back."""
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
