"""The folder of a site: its key, its secret, received documents, and a journal of all actions.

Nothing in this module opens a connection.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluation import durable
from evaluation.assessment import Assessment, parse
from evaluation.federation.envelope import fingerprint, keyid_of, load_key, new_key, public_bytes
from evaluation.federation.manifest import SECRET_BYTES
from podium_client.errors import ClientError

CASES, PREDICTIONS = "cases", "predictions"
NO_ENTRY = "0" * 64
_SHAPE = (CASES, f"{CASES}/references", PREDICTIONS, "outbox", "receipts", "package", "results")


def written(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Write a file whole or not at all; readable by its owner only."""
    durable.write_bytes(path, content, mode=mode)


def now_text() -> str:
    """Now, as messages have it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def sha256_of(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class SiteFolder:
    """One site on this machine."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        if not (path / "site.json").is_file():
            raise ClientError(f"{path} is no folder of a site. Begin with: podium site join INVITATION FOLDER")
        for name in ("", *_SHAPE):
            durable.remove_leftovers(self.path / name)

    @classmethod
    def make(cls, path: Path, facts: Mapping[str, Any]) -> "SiteFolder":
        """Make the folder with a new key and a new secret.

        Raises
        ------
        ClientError
            For a folder that is not empty.
        """
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise ClientError(f"{path} is not empty. Name a new folder for the site.")
        for name in ("", *_SHAPE):
            (path / name).mkdir(parents=True, exist_ok=True, mode=0o700)
        path.chmod(0o700)
        pem, _ = new_key()
        written(path / "key.pem", pem)
        written(path / "secret.bin", secrets.token_bytes(SECRET_BYTES))
        written(path / "journal.jsonl", b"")
        written(path / "site.json", json.dumps(dict(facts), indent=1, ensure_ascii=False).encode())
        return cls(path)

    # What it knows ----------------------------------------------------------------------------------------------------
    @cached_property
    def facts(self) -> dict[str, Any]:
        """Contents of the invitation."""
        return self.read("site.json")

    @property
    def name(self) -> str:
        return str(self.facts["site"])

    @cached_property
    def key(self) -> Any:
        return load_key((self.path / "key.pem").read_bytes())

    def new_key(self) -> None:
        """Make another key in place of the one that was put aside."""
        written(self.path / "key.pem", new_key()[0])
        self.__dict__.pop("key", None)

    @property
    def public(self) -> bytes:
        return public_bytes(self.key)

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the site's public key, for comparison by telephone."""
        return fingerprint(self.public)

    @property
    def secret(self) -> bytes:
        return (self.path / "secret.bin").read_bytes()

    @property
    def centre_keys(self) -> dict[str, bytes]:
        """The key of the installation, pinned from the invitation."""
        public = bytes.fromhex(self.facts["key"])
        return {keyid_of(public): public}

    @cached_property
    def package(self) -> dict[str, Any]:
        """The package to evaluate."""
        if not (self.path / "package" / "package.json").is_file():
            raise ClientError("There is no package yet: podium site fetch gets it.")
        return self.read("package/package.json")

    @cached_property
    def assessment(self) -> Assessment:
        """The registered assessment of the package."""
        return parse(self.package["assessment"])

    @property
    def site_column(self) -> str:
        return str(self.package["rules"]["site_column"])

    @property
    def algorithms(self) -> list[str]:
        """Names of the algorithms, as code points sort them."""
        return sorted(str(entry["name"]) for entry in self.package["algorithms"])

    # Files ------------------------------------------------------------------------------------------------------------
    def read(self, name: str) -> dict[str, Any]:
        """Return a JSON file of the folder."""
        try:
            content = json.loads((self.path / name).read_text("utf-8"))
        except FileNotFoundError:
            raise ClientError(f"{self.path / name} is not there.") from None
        except ValueError as error:
            raise ClientError(f"{self.path / name} was damaged ({error}).") from error
        if not isinstance(content, dict):
            raise ClientError(f"{self.path / name} was damaged.")
        return content

    def has(self, name: str) -> bool:
        return (self.path / name).is_file()

    def write(self, name: str, content: Mapping[str, Any]) -> None:
        """Keep a JSON file."""
        written(self.path / name, json.dumps(dict(content), indent=1, ensure_ascii=False).encode())

    # Journal ----------------------------------------------------------------------------------------------------------
    def note(self, act: str, **facts: Any) -> None:
        """Add a line to the journal, with the SHA-256 of the line before."""
        path = self.path / "journal.jsonl"
        lines = durable.complete_lines(path)
        before = hashlib.sha256(lines[-1].encode()).hexdigest() if lines else NO_ENTRY
        line = json.dumps({"time": now_text(), "act": act, **facts, "previous": before}, ensure_ascii=False)
        durable.append_line(path, line, mode=0o600)
