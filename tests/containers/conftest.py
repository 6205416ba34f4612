"""Tests with the real engine: skipped where it is not there, an error where it has to be."""

from collections.abc import Iterator

import pytest

from tests.containers.machine import Machine, lacking
from tests.run import is_demanded


@pytest.fixture(scope="session")
def machine() -> Iterator[Machine]:
    """podman, with a storage that goes away."""
    if missing := lacking():
        text = f"not there for containers: {', '.join(missing)}"
        if is_demanded("containers"):
            pytest.fail(text)
        pytest.skip(text)
    own = Machine.make()
    yield own
    own.close()
