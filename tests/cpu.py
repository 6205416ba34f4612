"""CPU seconds of tests by file, fixture and test, which other programs on the machine change little.

``python -m pytest -n 0 -p tests.cpu tests/integration/leaderboards`` prints them at the end. Child processes count once
they have ended. A fixture includes the fixtures that it requests.
"""

import resource
import time
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest

LINES = 25
"""Lines of each table."""
FILES: Counter[str] = Counter()
FIXTURES: Counter[str] = Counter()
TESTS: Counter[str] = Counter()


def spent() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@contextmanager
def _counted(*counters: tuple[Counter[str], str]) -> Iterator[None]:
    before = spent()
    try:
        yield
    finally:
        seconds = spent() - before
        for counter, name in counters:
            counter[name] += seconds


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool, bool]:
    """Count a test with its fixtures."""
    with _counted((FILES, item.nodeid.partition("::")[0]), (TESTS, item.nodeid)):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
    """Count the setup of a fixture."""
    with _counted((FIXTURES, f"{fixturedef.baseid}::{fixturedef.argname}")):
        return (yield)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the most expensive files, fixtures and tests."""
    terminalreporter.section(f"CPU: {FILES.total():.1f} s in tests, {spent():.1f} s in all")
    for title, counter in (("files", FILES), ("fixtures", FIXTURES), ("tests", TESTS)):
        terminalreporter.line(title)
        for name, seconds in counter.most_common(LINES):
            terminalreporter.line(f"{seconds:8.1f} s  {name}")
