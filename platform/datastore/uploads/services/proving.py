"""Verification that the private storage contains the files that the database references, unchanged."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from datastore.uploads import hooks
from datastore.uploads.storage import local_path, private, sha256_of


@dataclass
class Proof:
    """Result of a verification of the storage.

    Attributes
    ----------
    named, read
        Number of files that the database references, and of those that were read and compared.
    missing, changed
        One sentence per file, with its name, description and problem.
    orphans
        Files of the storage that no row references: they remain from interrupted actions, or are newer than
        the database.
    """

    named: int = 0
    read: int = 0
    missing: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """True if every referenced file exists and is unchanged."""
        return not self.missing and not self.changed


def has_digest(name: str, digest: str) -> Callable[[], str]:
    """Return a proof that the stored bytes have this SHA-256."""

    def proof() -> str:
        actual_digest = sha256_of(local_path(name))
        return "" if actual_digest == digest else f"its SHA-256 is {actual_digest} and was {digest}"

    return proof


def prove(*, sample: int | None = None, seed: int = 0) -> Proof:
    """Compare the storage with the files that all apps list.

    Parameters
    ----------
    sample
        Number of files to read and compare, sampled at random; all by default. The existence of each file is
        always checked.
    seed
        Seed of the sampling.
    """
    files = {entry.name: entry for provider in hooks.stored_files for entry in provider() if entry.name}
    names_in_storage = set(stored_names())
    proof = Proof(named=len(files))
    provable = []
    for name, entry in sorted(files.items()):
        if name not in names_in_storage:
            proof.missing.append(f"{name} ({entry.what}) is missing.")
        elif entry.proof is not None:
            provable.append(entry)
    if sample is not None and sample < len(provable):
        provable = random.Random(seed).sample(provable, sample)  # noqa: S311 (a sample of files, no secret)
    for entry in provable:
        proof.read += 1
        if problem := _problem(entry):
            proof.changed.append(f"{entry.name} ({entry.what}): {problem}.")
    proof.orphans = sorted(name for name in names_in_storage - set(files) if not name.startswith(PASSING))
    return proof


PASSING = ("incoming/",)
"""Parts of uploads under way: no row needs them after a restore."""


def _problem(entry: hooks.StoredFile) -> str:
    if entry.proof is None:
        return ""
    try:
        return entry.proof()
    except Exception as error:  # noqa: BLE001 (damaged content raises whatever its reader raises)
        return f"it cannot be read ({type(error).__name__})"


def stored_names() -> Iterator[str]:
    """All names in the private storage, in no order."""
    storage: Any = private()
    if hasattr(storage, "bucket"):
        prefix = storage.location
        for stored_object in storage.bucket.objects.filter(Prefix=prefix):
            yield stored_object.key.removeprefix(prefix).lstrip("/")
        return
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            inner, names = storage.listdir(folder)
        except FileNotFoundError:  # nothing was stored yet, or a folder went meanwhile
            continue
        folders += [f"{folder}/{name}".lstrip("/") for name in inner]
        yield from (f"{folder}/{name}".lstrip("/") for name in names)
