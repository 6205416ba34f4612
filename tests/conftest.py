"""Fixtures for every test."""

import gc
import os
import sys
from collections.abc import Generator, Iterator

import hypothesis
import pytest
from django.conf import settings
from django.core.cache import cache
from pytest_django.plugin import blocking_manager_key

from tests import caches, databases, emptying, sizes, statements
from tests.engines import engine_in_use
from tests.smtp import smtp_server

__all__ = ["smtp_server"]

# Templates name static files as they lie in the source, without the manifest that `collectstatic` would write.
settings.STORAGES = settings.STORAGES | {
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
}

# What makes a password slow to guess makes people slow to invent: a second for each of them.
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", *settings.PASSWORD_HASHERS]

# What a crash of the server would leave is nobody's business here, and waiting for the disk takes longer than most tests.
if settings.DATABASES["default"]["ENGINE"].endswith("postgresql"):
    settings.DATABASES["default"].setdefault("OPTIONS", {})["options"] = "-c synchronous_commit=off"

# Where processes share a Redis, none empties the cache that another has just filled to count its queries.
settings.CACHES = {
    name: entry | {"BACKEND": caches.of_tests(entry["BACKEND"])} for name, entry in settings.CACHES.items()
}

# The same examples on every run: a red run can be looked into, and a green one stays green. To look further, run with
# `--hypothesis-profile=explore`.
hypothesis.settings.register_profile("suite", derandomize=True, deadline=None, database=None)
hypothesis.settings.register_profile("explore", deadline=None)
hypothesis.settings.load_profile("suite")

# Objects that can wait for the collector of garbage.
GARBAGE = 20_000

databases.install()
emptying.install()


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """Empty the cache, which could contain pages of other people, or hide queries from being counted."""
    cache.clear()


@pytest.fixture(autouse=True, scope="session")
def no_workers() -> Iterator[None]:
    """Replace, once for all tests, what asks a broker or a worker.

    A queue is read as empty: messages of earlier tests stay on a Redis of the leg, and keys of rows are used again.
    `tests/integration/work` and `tests/chaos/deadline.py` read a real broker. A document is typeset as soon as it is
    requested, like a worker that has nothing else to do.
    """
    from core.work.domain.messages import Queued

    def at_once(_task: str, arguments: list[int]) -> bool:
        from core.typesetting.services import making

        making.make(pk=arguments[0])
        return True

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.work.services.queued_messages", lambda _queue: Queued())
        patch.setattr("core.typesetting.services.asking.send", at_once)
        yield


@pytest.fixture(autouse=True)
def engine_lock(request: pytest.FixtureRequest) -> Iterator[None]:
    """Keep tests of other processes from running containers while one measures what a container costs."""
    marks = list(request.node.iter_markers("engine"))
    if not marks:
        yield
        return
    with engine_in_use(alone=any(mark.kwargs.get("alone", False) for mark in marks)):
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None]:
    """Keep the collector of garbage from looking through what is collected: all of it stays to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests whose statements others execute, and leave out the tests that run in full size only."""
    names = statements.listed()
    for item in items:
        if statements.is_listed(item.nodeid, names):
            item.add_marker(pytest.mark.any_database("Other tests execute the same statements on both databases."))
    if sizes.IS_FULL:
        return
    left_out = [item for item in items if item.get_closest_marker(sizes.MARK)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Prepare what tests need before the first of them is timed."""
    if databases.is_needed(session.items) and not session.config.option.collectonly:
        databases.prepare(session.config.stash[blocking_manager_key].unblock, lambda text: _report(session, text))
    _freeze()


def _report(session: pytest.Session, text: str) -> None:
    """Print a line in spite of the capture of output, also in a process of a parallel run."""
    capture = session.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print(f"\n{text}", file=sys.stderr, flush=True)


def _freeze() -> None:
    """Spare the collector of garbage what stays to the end: looking through it took a tenth of all tests' time.

    With Python's own threshold of 700 objects, the collector also runs a hundred times per second in what is left.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE, 20, 10)


def pytest_sessionfinish() -> None:
    """Leave neither jobs nor cached values behind on a Redis that is shared."""
    if settings.CACHES["default"]["BACKEND"].endswith("RedisCache"):
        caches.empty(os.environ["PODIUM_BROKER_PREFIX"])
