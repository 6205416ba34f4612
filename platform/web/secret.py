"""Secrets of an installation: generated on first use, kept in the data folder, never in the repository."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path


def kept_secret(path: Path, make: Callable[[], str] = lambda: secrets.token_urlsafe(64)) -> str:
    """Read the secret at `path`; make and write a new one first when there is none.

    The file is created exclusively and readable by its owner only, so that two processes that start at the same
    moment agree on one secret.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(descriptor, "w") as file:
        secret = make()
        file.write(secret)
        file.flush()
        os.fsync(descriptor)
    return secret
