"""The folder of a challenge: `challenge.yaml` and the files that it names, read and checked."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium_client.errors import ClientError

NAME = "challenge.yaml"
BLOCK = 1024 * 1024
ROLES = ("owner", "editor", "reader")
ORGANIZER_ROLES = ("owner", "manager", "moderator")
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,78}")
_KEYS = frozenset({"slug", "title", "design", "call", "collaborators", "organizers", "terms", "announcements"})
_MORE_KEYS = frozenset({"test_sets", "register", "launch", "open"})
_TERMS = frozenset({"agreement", "requires_approval", "requires_method", "team_size"})


@dataclass(frozen=True)
class TestSet:
    """An archive of references for a phase."""

    phase: str
    path: Path
    sha256: str
    reason: str

    # Keeps pytest from taking the class for tests.
    __test__ = False

    @property
    def name(self) -> str:
        """Name under which the archive is uploaded; its digest makes it recognizable."""
        ending = ".tar.gz" if self.path.name.endswith(".tar.gz") else self.path.suffix
        return f"{self.path.name.removesuffix(ending)}-{self.sha256[:12]}{ending}"


@dataclass(frozen=True)
class Folder:
    """A challenge as its folder describes it."""

    slug: str
    title: str
    document: Mapping[str, Any]
    call: str
    collaborators: Mapping[str, str]
    organizers: Mapping[str, str]
    terms: Mapping[str, Any] | None
    announcements: tuple[tuple[str, str], ...]
    test_sets: tuple[TestSet, ...]
    register: bool
    launch: bool
    open: bool


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def read(folder: Path) -> Folder:
    """Read and check a folder.

    Raises
    ------
    ClientError
        With the file, the key and what it must contain.
    """
    content = _yaml(folder / NAME)
    if unknown := set(content) - _KEYS - _MORE_KEYS:
        allowed = ", ".join(sorted(_KEYS | _MORE_KEYS))
        raise ClientError(f"{NAME}: unknown key {min(map(str, unknown))}. Allowed: {allowed}.")
    slug = _text(content, "slug")
    if not _SLUG.fullmatch(slug):
        raise ClientError(f"{NAME}: slug must have lower-case letters, digits and hyphens only.")
    flags = {key: content.get(key, False) for key in ("register", "launch", "open")}
    if wrong := [key for key, value in flags.items() if not isinstance(value, bool)]:
        raise ClientError(f"{NAME}: {wrong[0]} must be true or false.")
    for before, after in (("register", "launch"), ("launch", "open")):
        if flags[after] and not flags[before]:
            raise ClientError(f"{NAME}: {after} needs {before}: true.")
    test_sets = tuple(_test_set(folder, number, entry) for number, entry in enumerate(_list(content, "test_sets"), 1))
    if test_sets and not flags["launch"]:
        raise ClientError(f"{NAME}: test_sets needs launch: true.")
    return Folder(
        slug=slug,
        title=_text(content, "title"),
        document=_document(_file(folder, _text(content, "design"), "design")),
        call=str(content.get("call") or ""),
        collaborators=_people(content, "collaborators", ROLES),
        organizers=_people(content, "organizers", ORGANIZER_ROLES),
        terms=_terms(folder, content.get("terms")),
        announcements=tuple(_announcement(folder, entry) for entry in _list(content, "announcements")),
        test_sets=test_sets,
        **flags,
    )


def _yaml(path: Path) -> dict[str, Any]:
    import yaml

    if not path.is_file():
        raise ClientError(f"{path} is missing. Create it with podium challenge init.")
    try:
        content = yaml.safe_load(path.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ClientError(f"{path.name} is not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise ClientError(f"{path.name} must contain keys and values.")
    return content


def _document(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ClientError(f"{path.name} is not valid JSON: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("tasks"), list):
        raise ClientError(f"{path.name} is not a design document: it has no tasks.")
    return document


def _text(content: Mapping[str, Any], key: str, where: str = NAME) -> str:
    value = content.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ClientError(f"{where}: {key} must be a text.")
    return value.strip()


def _list(content: Mapping[str, Any], key: str) -> list[Any]:
    value = content.get(key) or []
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise ClientError(f"{NAME}: {key} must be a list of objects.")
    return value


def _file(folder: Path, name: str, key: str) -> Path:
    path = folder / name
    if not path.is_file():
        raise ClientError(f"{NAME}: {key} names {name}, which is not a file of the folder.")
    return path


def _people(content: Mapping[str, Any], key: str, roles: tuple[str, ...]) -> dict[str, str]:
    people = content.get(key) or {}
    if not isinstance(people, dict):
        raise ClientError(f"{NAME}: {key} must be an object of people and roles.")
    for person, role in people.items():
        if role not in roles:
            raise ClientError(f"{NAME}: {key}, {person}: the role must be one of {', '.join(roles)}.")
    return {str(person): role for person, role in people.items()}


def _terms(folder: Path, terms: Any) -> dict[str, Any] | None:
    if terms is None:
        return None
    if not isinstance(terms, dict) or set(terms) - _TERMS:
        raise ClientError(f"{NAME}: terms must be an object with {', '.join(sorted(_TERMS))}.")
    content = {"requires_approval": False, "requires_method": False, "team_size": None, **terms}
    if "agreement" in terms:
        content["agreement"] = _file(folder, str(terms["agreement"]), "terms").read_text("utf-8").strip()
    return content


def _announcement(folder: Path, entry: Mapping[str, Any]) -> tuple[str, str]:
    text = _file(folder, _text(entry, "text", "announcements"), "announcements").read_text("utf-8")
    return _text(entry, "title", "announcements"), text.strip()


def _test_set(folder: Path, number: int, entry: Mapping[str, Any]) -> TestSet:
    where = f"{NAME}: test_sets, entry {number}"
    path = _file(folder, _text(entry, "archive", where), "test_sets")
    stated, actual = _text(entry, "sha256", where), digest_of(path)
    if stated != actual:
        raise ClientError(f"{where}: the SHA-256 of {path.name} is {actual}, not {stated}.")
    return TestSet(_text(entry, "phase", where), path, actual, str(entry.get("reason") or ""))
