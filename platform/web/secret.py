"""Secrets of an installation: generated on first use, kept in the data folder, never in the repository."""

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def kept_secret(path: Path, make: Callable[[], str] = lambda: secrets.token_urlsafe(64)) -> str:
    """Read the secret at `path`; make and write a new one first when there is none.

    The file appears whole or not at all and is readable by its owner only, so that two processes that start at the
    same moment agree on one secret.
    """
    if not path.exists():
        mine = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        try:
            with os.fdopen(os.open(mine, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(make())
                file.flush()
                os.fsync(file.fileno())
            # Whoever comes second finds the name taken, and reads what the first has written.
            with suppress(FileExistsError):
                path.hardlink_to(mine)
        finally:
            mine.unlink(missing_ok=True)
    return path.read_text().strip()
