"""Files of test sets in the private storage, each under its digest, so that versions that share a file share the copy."""

from pathlib import Path

from datastore.test_sets import vault
from datastore.uploads.storage import private, sha256_of, store_bytes
from evaluation.readers import case_name


def keep(kind: str, path: Path) -> str:
    """Store a file; returns its name."""
    name = f"{kind}/{sha256_of(path)}{_suffix(path)}"
    if not private().exists(name):
        store_bytes(name, path.read_bytes())
    return name


def keep_secret(kind: str, path: Path, *, ending: str = "") -> str:
    """Store a file as `keep` does, encrypted.

    If the file is not an image, `ending` determines how it is read later.
    """
    name = f"{kind}/{sha256_of(path)}{ending or _suffix(path)}{vault.SUFFIX}"
    if not private().exists(name):
        vault.keep_file(name, path)
    return name


def _suffix(path: Path) -> str:
    _, suffix = case_name(path) or ("", path.suffix)
    return suffix
