"""The difference between a folder and an installation, as operations that remove it."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import quote

from podium_client.coded.folder import Folder, TestSet
from podium_client.connection import Connection, RefusedError
from podium_client.errors import ClientError

PAUSE = 2.0
MOST_SECONDS = 3600.0
SUFFIXES = ("", "__details", "__state")
"""Suffixes of the keys of a document that belong to one parameter."""
_RUNNING = frozenset({"submitted", "under_review", "revision_required", "revision_submitted"})


@dataclass(frozen=True)
class Operation:
    """One step towards the folder.

    Attributes
    ----------
    mark
        ``+`` creates, ``~`` changes, ``!`` seals or publishes and needs consent.
    """

    mark: str
    text: str
    act: Callable[[], Any] = field(repr=False, compare=False)

    @property
    def needs_consent(self) -> bool:
        """True if the step cannot be undone or is public."""
        return self.mark == "!"


@dataclass(frozen=True)
class Plan:
    """The steps in their order, and what the folder cannot bring about."""

    operations: tuple[Operation, ...]
    notes: tuple[str, ...] = ()


class Installation:
    """The state of the challenge on an installation."""

    def __init__(self, connection: Connection, folder: Folder, *, pause: float = PAUSE) -> None:
        self.connection, self.folder, self.pause = connection, folder, pause

    def find(self, address: str) -> Any:
        """Return the object at an address; None if there is none."""
        try:
            return self.connection.get(address)
        except RefusedError as error:
            if error.status == 404:
                return None
            raise

    def send(self, method: str, address: str, content: Mapping[str, Any] | None = None) -> Any:
        """Send content and return the answer."""
        return self.connection.request(method, address, json=dict(content or {})).json()

    def registration(self) -> Any:
        """Return the registration of the design with its challenge; None before it is registered."""
        return self.find(f"designs/{self.folder.slug}/registration/")

    def phase(self, slug: str) -> int:
        """Return the id of a phase of the launched challenge.

        Raises
        ------
        ClientError
            If the challenge has no such phase, or several.
        """
        phases = (self.registration() or {}).get("phases", [])
        ids = [phase["id"] for phase in phases if slug in (phase["slug"], f"{phase['task']}/{phase['slug']}")]
        if len(ids) != 1:
            names = ", ".join(f"{phase['task']}/{phase['slug']}" for phase in phases)
            raise ClientError(f"challenge.yaml: test_sets names phase {slug}. The challenge has: {names}.")
        return int(ids[0])

    def plan(self) -> Plan:
        """Compare the folder with the installation."""
        notes: list[str] = []
        operations = [*self._design(), *self._call(notes), *self._registration(notes)]
        registration = self.registration()
        launched = bool(registration and registration["challenge"])
        if launched or any(operation.text.startswith("Launch") for operation in operations):
            operations += [*self._people(launched=launched), *self._terms(launched=launched)]
            operations += [*self._test_sets(notes, launched=launched)]
            operations += [*self._opening(registration if launched else None), *self._announcements(launched=launched)]
        return Plan(tuple(operations), tuple(notes))

    def _design(self) -> Iterator[Operation]:
        folder, address = self.folder, f"designs/{self.folder.slug}/"
        stored = self.find(address)
        if stored is None:
            content = {"title": folder.title, "slug": folder.slug, "document": folder.document}
            yield Operation("+", f"Create design {folder.slug}", partial(self.send, "POST", "designs/", content))
        else:
            yield from self._fields(stored["document"])
        if not folder.collaborators:
            return
        invited: set[str] = set()
        if stored is not None:
            invited = {row["email"].lower() for row in self.find(f"{address}invitations/") or []}
        for email, role in folder.collaborators.items():
            if email.lower() not in invited:
                content = {"email": email, "role": role}
                yield Operation(
                    "+",
                    f"Invite {email} into the design as {role}",
                    partial(self.send, "POST", f"{address}invitations/", content),
                )

    def _fields(self, stored: Mapping[str, Any]) -> Iterator[Operation]:
        yield from self._changed(self.folder.document.get("challenge", {}), stored.get("challenge", {}), "")
        tasks = {str(task.get("key")): task for task in stored["tasks"]}
        for number, task in enumerate(self.folder.document["tasks"], 1):
            key = str(task.get("key") or f"task-{number}")
            if key in tasks:
                yield from self._changed(task, tasks[key], key)
            else:
                content = {"name": str(task.get("task_name") or key)}
                yield Operation(
                    "+",
                    f"Add task {content['name']} to the design",
                    partial(self.send, "POST", f"designs/{self.folder.slug}/tasks/", content),
                )

    def _changed(self, wanted: Mapping[str, Any], stored: Mapping[str, Any], task: str) -> Iterator[Operation]:
        names = {name.partition("__")[0] for name in wanted if name != "key"}
        for name in sorted(names):
            entries = {suffix: wanted.get(f"{name}{suffix}") for suffix in SUFFIXES}
            if all(entries[suffix] == stored.get(f"{name}{suffix}") for suffix in SUFFIXES):
                continue
            content: dict[str, Any] = {"value": entries[""], "details": entries["__details"] or ""}
            if isinstance(entries["__state"], dict):
                content |= entries["__state"]
            elif entries["__state"]:
                content["state"] = entries["__state"]
            address = f"designs/{self.folder.slug}/fields/{name}/{f'?task={quote(task)}' if task else ''}"
            yield Operation(
                "~",
                f"Change {name}{f' of {task}' if task else ''} in the design",
                partial(self.send, "PATCH", address, content),
            )

    def _filing(self) -> Any:
        rows = self.find(f"calls/{self.folder.call}/filings/")
        if rows is None:
            raise ClientError(f"challenge.yaml: the installation has no call {self.folder.call}.")
        filings = [row for row in rows if row["design"] == self.folder.slug and row["state"] != "withdrawn"]
        return filings[-1] if filings else None

    def _call(self, notes: list[str]) -> Iterator[Operation]:
        call = self.folder.call
        if not call or self.registration() is not None:
            return
        filing = self._filing()
        if filing is None:
            content = {"design": self.folder.slug}
            address = f"calls/{call}/filings/"
            yield Operation("!", f"Submit the design to call {call}", partial(self.send, "POST", address, content))
        elif filing["state"] == "revision_required":
            address = f"calls/{call}/filings/{filing['number']}/revision/"
            yield Operation("!", f"Submit the revision to call {call}", partial(self.send, "POST", address))
        elif filing["state"] in _RUNNING:
            notes.append(f"Call {call} has not decided about the design yet ({filing['state'].replace('_', ' ')}).")

    def _registration(self, notes: list[str]) -> Iterator[Operation]:
        folder, registration = self.folder, self.registration()
        if folder.register and registration is None:
            if folder.call and (self._filing() or {}).get("state") != "accepted":
                notes.append(f"The design can be registered when call {folder.call} has accepted it.")
                return
            address = f"designs/{folder.slug}/registration/"
            yield Operation("!", "Register the design", partial(self.send, "POST", address))
        if folder.launch and not (registration and registration["challenge"]):
            yield Operation("!", f"Launch challenge {folder.slug}", self._launch)

    def _launch(self) -> None:
        identifier = self.registration()["identifier"]
        self.send("POST", f"registry/{identifier}/launch/", {"slug": self.folder.slug})

    def _address(self, rest: str) -> str:
        return f"challenges/{self.folder.slug}/{rest}"

    def _people(self, *, launched: bool) -> Iterator[Operation]:
        rows = self.find(self._address("organizers/")) if launched and self.folder.organizers else []
        roles = {row["username"]: row["role"] for row in rows or []}
        for person, role in self.folder.organizers.items():
            if roles.get(person) != role:
                content = {"username": person, "role": role}
                yield Operation(
                    "~" if person in roles else "+",
                    f"Make {person} {role} of the challenge",
                    partial(self.send, "POST", self._address("organizers/"), content),
                )

    def _terms(self, *, launched: bool) -> Iterator[Operation]:
        wanted = self.folder.terms
        if wanted is None:
            return
        stored = (self.find(self._address("terms/")) if launched else None) or {}
        if any(stored.get(key) != value for key, value in wanted.items()):
            yield Operation(
                "~" if stored else "+",
                "Set the terms of participation",
                partial(self.send, "POST", self._address("terms/"), wanted),
            )

    def _test_sets(self, notes: list[str], *, launched: bool) -> Iterator[Operation]:
        for test_set in self.folder.test_sets:
            archives = self._archives(test_set) if launched else []
            if any(archive["state"] == "sealed" for archive in archives):
                continue
            newest = archives[0] if archives else None
            if newest is not None and newest["state"] == "refused":
                notes.append(f"{test_set.path.name} was refused: {'; '.join(newest['problems'])}")
                continue
            if newest is None or newest["state"] == "discarded":
                yield Operation(
                    "+",
                    f"Upload {test_set.path.name} for phase {test_set.phase}",
                    partial(self._upload, test_set),
                )
            yield Operation(
                "!",
                f"Seal the test set of phase {test_set.phase}",
                partial(self._seal, test_set),
            )

    def _archives(self, test_set: TestSet) -> list[dict[str, Any]]:
        rows = self.find(self._address(f"phases/{self.phase(test_set.phase)}/archives/")) or []
        return [row for row in rows if row["file_name"] == test_set.name]

    def _upload(self, test_set: TestSet) -> None:
        address = self._address(f"phases/{self.phase(test_set.phase)}/archives/")
        with test_set.path.open("rb") as file:
            data = {"reason": test_set.reason} if test_set.reason else {}
            self.connection.request("POST", address, files={"archive": (test_set.name, file)}, data=data)

    def _seal(self, test_set: TestSet) -> None:
        archive = self._wait(test_set, until=("read", "sealed"))
        if archive["state"] == "read":
            self.send("POST", self._address(f"archives/{archive['id']}/seal/"))
            self._wait(test_set, until=("sealed",))

    def _wait(self, test_set: TestSet, *, until: tuple[str, ...]) -> dict[str, Any]:
        end = time.monotonic() + MOST_SECONDS
        while time.monotonic() < end:
            archive = next(iter(self._archives(test_set)), None)
            if archive is None or archive["state"] in ("refused", "discarded"):
                problems = "; ".join(archive["problems"]) if archive else "the archive is missing"
                raise ClientError(f"{test_set.path.name} was not sealed: {problems}")
            if archive["state"] in until:
                return archive
            time.sleep(self.pause)
        raise ClientError(f"{test_set.path.name} was not read within an hour. Apply again later.")

    def _opening(self, registration: Any) -> Iterator[Operation]:
        if self.folder.open and not (registration and registration["is_open"]):
            yield Operation("!", "Open the challenge", self._open)

    def _open(self) -> None:
        if not self.registration()["is_open"]:
            self.send("POST", self._address("open/"))

    def _announcements(self, *, launched: bool) -> Iterator[Operation]:
        rows = self.find(self._address("announcements/")) if launched and self.folder.announcements else []
        published = {(row["title"], row["text"].strip()) for row in rows or []}
        for title, text in self.folder.announcements:
            if (title, text) not in published:
                content = {"title": title, "text": text}
                yield Operation(
                    "!",
                    f"Publish announcement “{title}”",
                    partial(self.send, "POST", self._address("announcements/"), content),
                )
