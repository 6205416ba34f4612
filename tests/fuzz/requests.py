"""Requests that the schema describes, that it forbids, and that no schema can describe."""

import contextlib
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import hypothesis
import schemathesis
from django.core.signals import got_request_exception
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.test import Client
from hypothesis import strategies as st
from schemathesis import GenerationMode

from tests.fuzz.world import World

SCHEMA = "/api/v1/schema/?format=json"
# Answers by which the interface says that it does not offer something here, or not now.
MEANT = (501, 503)
BODIES: tuple[bytes, ...] = (
    b"",
    b"null",
    b"[]",
    b"{",
    b'"\\u0000"',
    b'{"title": "a\\u0000b", "value": "\\u0000", "filename": "\\u0000", "decision": "\\u0000"}',
    b'{"title": "\\ud800", "value": "\\udfff", "document": {"\\ud800": 1}}',
    b'{"value": 1e999, "phase": 99999999999999999999, "size": -1, "revision": 9223372036854775807}',
    b'{"value": 1e308, "phase": 9223372036854775807, "size": 4611686018427387904, "filename": "a", "revision": 0}',
    b'{"value": "2024-02-31", "until": "0000-00-00", "state": "embargoed_until", "reason": "x"}',
    b'{"value": {"a": [[[]]]}, "details": 7, "state": [], "parts": {}, "sha256": [null]}',
    b'{"title": [], "tasks": [{}], "document": {"challenge": [], "tasks": 7}}',
    b'{"title": "x", "document": {"challenge": {"challenge_name": []}, "tasks": [[], null, {"key": {}}]}}',
    b'{"title": "x", "document": {"schema": -1, "catalogue": {}, "challenge": {"nothing": 1}, "tasks": [{}]}}',
    b"[" * 100_000,
    b'{"a":' * 5_000,
    b"\xff\xfe\x00",
    b'{"n": ' + b"9" * 5_000 + b"}",
)
TYPES = (
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "text/plain",
    "application/json; charset=\xff",
)
TEXTS = (
    "\0",
    "\ud800",
    "7",
    "-1",
    "9" * 30,
    "..",
    "é",
    "%00",
    "\u202e",
    "' OR 1=1 --",
    "{}",
    "a" * 3000,
    "nan",
    "²",
    "٣",
)
HEADERS = (
    "\xe9\xff",
    "\x01",
    "-1",
    "9" * 40,
    "filename \xe9",
    "sha256 \xff",
    "Bearer \xff",
    "",
    "filename AA==,phase MQ==",
)
HOSTILE_HEADERS = (
    "Upload-Metadata",
    "Upload-Length",
    "Upload-Offset",
    "Upload-Checksum",
    "Accept",
    "If-None-Match",
    "Cookie",
)


@schemathesis.serializer("application/offset+octet-stream")
def piece(context: Any, value: Any) -> bytes:
    """Write a piece of an upload: its bytes as they are."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


@dataclass
class Findings:
    """Results of the requests of a role."""

    statuses: Counter[int] = field(default_factory=Counter)
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def requests(self) -> int:
        return self.statuses.total()


@dataclass(frozen=True)
class Drawn:
    """Requests to an operation that were drawn from the schema, within it and outside it."""

    operation: Any
    seed: int
    cases: list[Any]


def drawn(world: World, *, seed: int, examples: int) -> Iterator[Drawn]:
    """Yield each operation with `examples` requests by the schema.

    Drawing takes longer than answering, and no request depends on the role that sends it.
    """
    with _lasting_connection():
        schema = schemathesis.openapi.from_wsgi(SCHEMA, get_wsgi_application())
    for offset, operation in enumerate(_operations(schema)):
        yield Drawn(operation, seed + offset, _described(operation, world, seed=seed + offset, examples=examples))


def fuzz(
    world: World, role: str, requests: Iterable[Drawn], *, examples: int, going_on: Callable[[], bool] = lambda: True
) -> Findings:
    """Send requests as a role, and `examples` requests per operation that no schema describes.

    Parameters
    ----------
    going_on
        Called after each operation. A false result ends the run early.
    """
    found, thrown = Findings(), []

    def remember(sender: object, **_: object) -> None:
        import traceback

        thrown.append(traceback.format_exc(limit=-6))

    got_request_exception.connect(remember)
    try:
        with _lasting_connection():
            for entry in requests:
                for case in entry.cases:
                    _send(case, entry.operation, world, role, found, thrown)
                _hostile(entry.operation, world, role, found, thrown, seed=entry.seed, examples=examples)
                if not going_on():
                    break
    finally:
        got_request_exception.disconnect(remember)
    return found


@contextlib.contextmanager
def _lasting_connection() -> Iterator[None]:
    """Let the connection of a test outlive its requests, like Django's own client."""
    connection.close_if_unusable_or_obsolete = lambda: None  # type: ignore[method-assign]
    try:
        yield
    finally:
        del connection.close_if_unusable_or_obsolete


def minutes(world: World, role: str, *, length: float, seed: int) -> Findings:
    """Fuzz for `length` minutes, each round with another seed."""
    end = time.monotonic() + 60 * length
    whole = Findings()
    while time.monotonic() < end:
        requests = drawn(world, seed=seed, examples=8)
        part = fuzz(world, role, requests, examples=8, going_on=lambda: time.monotonic() < end)
        whole.statuses += part.statuses
        whole.errors |= part.errors
        seed += 1_000
    return whole


def _operations(schema: Any) -> Iterator[Any]:
    for result in schema.get_all_operations():
        operation = result.ok()
        if not operation.path.endswith(("/schema/", "/docs/")):
            yield operation


def _described(operation: Any, world: World, *, seed: int, examples: int) -> list[Any]:
    """Return requests to an operation by its schema and against it, often with values of the test world."""
    modes = [operation.as_strategy(generation_mode=mode) for mode in GenerationMode]
    cases = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=examples,
        database=None,
        derandomize=False,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(st.one_of(modes), st.data())
    def draw(case: Any, data: st.DataObject) -> None:
        for name in list(case.path_parameters or {}):
            values = world.values(operation.path, name)
            if values and data.draw(st.booleans()):
                case.path_parameters[name] = data.draw(st.sampled_from(values))
        cases.append(case)

    # A schema may leave nothing to forbid.
    with contextlib.suppress(hypothesis.errors.Unsatisfiable):
        draw()
    return cases


def _send(case: Any, operation: Any, world: World, role: str, found: Findings, thrown: list[str]) -> None:
    thrown.clear()
    response = case.call(headers=world.headers(role))
    kind = (response.headers.get("content-type") or [""])[0]
    _note(found, thrown, operation, response.status_code, kind, lambda: case.as_curl_command()[:600])


def _hostile(
    operation: Any, world: World, role: str, found: Findings, thrown: list[str], *, seed: int, examples: int
) -> None:
    choose = random.Random(seed)
    client = Client(raise_request_exception=False)
    names = [parameter.name for parameter in operation.path_parameters]
    queries = [parameter.name for parameter in operation.query]
    for _ in range(examples):
        values = {}
        for name in names:
            real = world.values(operation.path, name)
            values[name] = choose.choice(real) if real and choose.random() < 0.8 else _text(choose)
        path = operation.path
        for name, value in values.items():
            path = path.replace(f"{{{name}}}", value if "%" in str(value) else quote(str(value), safe=""))
        query = "&".join(f"{name}={_text(choose)}" for name in queries if choose.random() < 0.6)
        headers = {
            f"HTTP_{name.upper().replace('-', '_')}": choose.choice(HEADERS)
            for name in HOSTILE_HEADERS
            if choose.random() < 0.3
        }
        headers |= {f"HTTP_{name.upper()}": value for name, value in world.headers(role).items()}
        if choose.random() < 0.7:
            headers["HTTP_TUS_RESUMABLE"] = "1.0.0"
        body = choose.choice(BODIES)
        kind = choose.choice(TYPES) if choose.random() < 0.3 else TYPES[0]
        thrown.clear()
        response = client.generic(operation.method.upper(), f"{path}?{query}", body, content_type=kind, **headers)
        said = f"{operation.method} {path}?{query} {kind} {body[:200]!r} {headers}"
        content_type = response.get("Content-Type", "")
        _note(found, thrown, operation, response.status_code, content_type, lambda said=said: said)


def _text(choose: random.Random) -> str:
    return quote(choose.choice(TEXTS).encode("utf-8", "surrogatepass"), safe="")


def _note(
    found: Findings, thrown: list[str], operation: Any, status: int, content_type: str, request: Callable[[], str]
) -> None:
    found.statuses[status] += 1
    key = f"{operation.method.upper()} {operation.path}"
    if status >= 500 and status not in MEANT:
        found.errors.setdefault(f"{key}: {status}", f"{request()}\n{''.join(thrown)}")
    elif status >= 400 and content_type.startswith("text/html"):
        found.errors.setdefault(f"{key}: {status} as {content_type}", request())
