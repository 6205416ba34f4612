"""Secrets of an installation: generated on first use, kept in the data folder, never in the repository."""

import logging
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from evaluation import durable

log = logging.getLogger(__name__)


def private_folder(path: Path) -> None:
    """Make the folder, or make an existing one private: rights 0700, owned by this process.

    The rights of an existing folder of this process are tightened, with a line in the log.

    Raises
    ------
    ImproperlyConfigured
        For a folder of another owner, or what is no folder.
    """
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    _tighten(path, 0o700)


def _tighten(path: Path, mode: int) -> None:
    """Take away all rights beyond `mode`; refuse what another user owns, who could read and replace it."""
    facts = path.stat()
    if facts.st_uid != os.geteuid():
        raise ImproperlyConfigured(
            f"{path} belongs to the user with the number {facts.st_uid}, and this process runs as {os.geteuid()}: "
            f"its owner could read and replace the secrets of this installation. Start this process as that user, run "
            f"`chown -R {os.geteuid()} {path}`, or name another folder in PODIUM_DATA."
        )
    loose = stat.S_IMODE(facts.st_mode)
    if loose & ~mode & 0o777:
        path.chmod(loose & mode)
        log.warning("Rights of %s tightened from %04o to %04o: others could use it.", path, loose, loose & mode)


def kept_secret(path: Path, make: Callable[[], str] = lambda: secrets.token_urlsafe(64)) -> str:
    """Read the secret at `path`; make and write a new one first when there is none.

    The file appears whole or not at all and is readable by its owner only, so that two processes that start at the
    same moment agree on one secret. Rights of an existing file are tightened to 0600.

    Raises
    ------
    ImproperlyConfigured
        For a file of another owner.
    """
    if not path.exists():
        durable.write_first(path, make().encode(), mode=0o600)
    _tighten(path, 0o600)
    return path.read_text().strip()
